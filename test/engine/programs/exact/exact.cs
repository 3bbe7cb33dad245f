// SPDX-License-Identifier: MIT
//
// exact.cs - THREADS CALLS: so many calls of one line on so many threads, by every tier from the first to the last.
using System;
using System.Threading;

static class Exact
{
	static long Line (long a, long b) => a ^ b;

	static long Loop (long calls)
	{
		long sum = 0;
		for (long i = 0; i < calls; i++)
			sum = Line (sum, i);
		return sum;
	}

	static void Main (string[] args)
	{
		var threads = new Thread[int.Parse (args[0])];
		var results = new long[threads.Length];
		long calls = long.Parse (args[1]);
		for (int i = 0; i < threads.Length; i++) {
			int id = i;
			threads[i] = new Thread (() => results[id] = Loop (calls));
			threads[i].Start ();
		}
		foreach (var t in threads)
			t.Join ();
		Console.WriteLine (string.Join (" ", results));
	}
}
