// SPDX-License-Identifier: MIT
// The call-count yardstick: fib(32) makes 7,049,155 calls of Fib.Calc.
using System;

public static class Fib
{
	public static int Calc (int n)
	{
		return n < 2 ? n : Calc (n - 1) + Calc (n - 2);
	}

	public static int Main (string[] args)
	{
		int n = args.Length > 0 ? int.Parse (args[0]) : 32;
		Console.WriteLine ("fib(" + n + ") = " + Calc (n));
		return 0;
	}
}
