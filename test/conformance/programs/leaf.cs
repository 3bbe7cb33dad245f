// SPDX-License-Identifier: MIT
// A one-line method called N times (100 M by default), as default tiering would inline it: no call may be lost while
// the loop moves from tier 0 over on-stack replacement to tier 1.
using System;

public static class Leaf
{
	static int Add (int a, int b)
	{
		return a + b;
	}

	static int Loop (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum = Add (sum, i);
		return sum;
	}

	public static int Main (string[] args)
	{
		int n = args.Length > 0 ? int.Parse (args[0]) : 100000000;
		Console.WriteLine (Loop (n));
		return 0;
	}
}
