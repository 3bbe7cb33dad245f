// SPDX-License-Identifier: MIT
// C# that needs .NET: this program prints what System.Reflection tells of it (../reflect.cs), which the answers of the
// introspection functions must equal. One assembly, because the compiler takes long to start.
using System;

public static class Program
{
	public static int Main ()
	{
		Reflect.Dump (typeof (Program).Assembly, Console.Out);
		return 0;
	}
}
