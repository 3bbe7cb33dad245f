// SPDX-License-Identifier: MIT
// The loops of loops.cs with their probes written by hand: two native calls around each method, nothing behind them.
// What is above this is what dispatch costs. `calli LIBRARY CALLS REPETITIONS`, printed as loops.cs prints.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

public static unsafe class Calli
{
	static delegate* unmanaged[SuppressGCTransition]<long, void> nothing;

	static int Fib (int n)
	{
		nothing (1);
		int result = n < 2 ? n : Fib (n - 1) + Fib (n - 2);
		nothing (1);
		return result;
	}

	static int Inlined (int a, int b)
	{
		nothing (1);
		int result = a + b;
		nothing (1);
		return result;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Plain (int a, int b)
	{
		nothing (1);
		int result = a + b;
		nothing (1);
		return result;
	}

	static int InlinedLoop (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum = Inlined (sum, i);
		return sum;
	}

	static int PlainLoop (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum = Plain (sum, i);
		return sum;
	}

	// The smallest fib that makes at least so many calls, and how many it makes.
	static int FibFor (long calls, out long made)
	{
		long previous = 1;
		made = 1;
		int n = 1;
		for (; made < calls; n++) {
			long next = 1 + made + previous;
			previous = made;
			made = next;
		}
		return n;
	}

	static int sink;

	static void Measure (string name, long calls, int repetitions, Func<int> body)
	{
		for (int i = 0; i < 2 * repetitions; i++) {
			Stopwatch watch = Stopwatch.StartNew ();
			sink ^= body ();
			watch.Stop ();
			if (i >= repetitions)
				Console.WriteLine ("{0}\t{1}\t{2}", name, calls,
					(long) (watch.ElapsedTicks * (1e9 / Stopwatch.Frequency)));
		}
	}

	public static void Main (string[] args)
	{
		IntPtr library = NativeLibrary.Load (args[0]);
		nothing = (delegate* unmanaged[SuppressGCTransition]<long, void>) NativeLibrary.GetExport (library,
			"bench_nothing");
		int calls = int.Parse (args[1]), repetitions = int.Parse (args[2]);
		int n = FibFor (calls, out long made);
		Measure ("fib", made, repetitions, () => Fib (n));
		Measure ("inlined leaf", calls, repetitions, () => InlinedLoop (calls));
		Measure ("plain leaf", calls, repetitions, () => PlainLoop (calls));
	}
}
