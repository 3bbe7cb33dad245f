// SPDX-License-Identifier: MIT
// Loops whose calls cost next to nothing, timed from inside: `loops CALLS REPETITIONS`. One line per repetition:
// NAME <tab> CALLS <tab> NANOSECONDS. The first half of the repetitions warms up every tier and is not printed.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

public static class Loops
{
	static int Fib (int n)
	{
		return n < 2 ? n : Fib (n - 1) + Fib (n - 2);
	}

	static int Inlined (int a, int b)
	{
		return a + b;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Plain (int a, int b)
	{
		return a + b;
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
		while (made < calls) {
			long next = 1 + made + previous;
			previous = made;
			made = next;
			n++;
		}
		return n;
	}

	static int sink;

	static void Measure (string name, long calls, int repetitions, Func<int> body)
	{
		for (int i = 0; i < 2 * repetitions; i++) {
			long start = Stopwatch.GetTimestamp ();
			sink += body ();
			double ticks = Stopwatch.GetTimestamp () - start;
			if (i >= repetitions)
				Console.WriteLine (name + "\t" + calls + "\t" + (long) (ticks / Stopwatch.Frequency * 1e9));
		}
	}

	public static int Main (string[] args)
	{
		int calls = int.Parse (args[0]);
		int repetitions = int.Parse (args[1]);
		long fibCalls;
		int n = FibFor (calls, out fibCalls);
		Measure ("fib", fibCalls, repetitions, () => Fib (n));
		Measure ("inlined leaf", calls, repetitions, () => InlinedLoop (calls));
		Measure ("plain leaf", calls, repetitions, () => PlainLoop (calls));
		return 0;
	}
}
