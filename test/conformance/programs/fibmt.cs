// SPDX-License-Identifier: MIT
// Four threads compute fib(N) at the same time: 4 x the calls of fib.cs, in four trees.
using System;
using System.Threading;

public static class FibMt
{
	static readonly int[] results = new int[4];

	public static int Calc (int n)
	{
		return n < 2 ? n : Calc (n - 1) + Calc (n - 2);
	}

	static void Work (int index, int n, Barrier start)
	{
		start.SignalAndWait ();
		results[index] = Calc (n);
	}

	static Thread Start (int index, int n, Barrier start)
	{
		var thread = new Thread (() => Work (index, n, start));
		thread.Name = "fib " + index;
		thread.Start ();
		return thread;
	}

	public static int Main (string[] args)
	{
		int n = args.Length > 0 ? int.Parse (args[0]) : 32;
		var start = new Barrier (results.Length);
		var threads = new Thread[results.Length];
		for (int i = 0; i < threads.Length; i++)
			threads[i] = Start (i, n, start);
		foreach (var thread in threads)
			thread.Join ();
		Console.WriteLine ("fib(" + n + ") = " + string.Join (" ", results));
		return 0;
	}
}
