// SPDX-License-Identifier: MIT
// Leads the module misbehave.c through its mistakes.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

public static class Program
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Calls (int n)
	{
		return n + 1;
	}

	public static int Main ()
	{
		int sum = Calls (1) + Calls (2);
		var thread = new Thread (() => { });
		thread.Start ();
		thread.Join ();
		GC.Collect ();
		Console.WriteLine (sum);
		return 3;
	}
}
