// SPDX-License-Identifier: MIT
// Uses CPU time at the end of a chain of calls: ahead.exe MILLISECONDS. It is run compiled ahead of time.
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class Ahead
{
	static long sum;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Innermost (long milliseconds)
	{
		for (var clock = Stopwatch.StartNew (); clock.ElapsedMilliseconds < milliseconds;)
			for (int i = 0; i < 100000; i++)
				sum = sum * 31 + i;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Third (long milliseconds)
	{
		Innermost (milliseconds);
		sum++;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Second (long milliseconds)
	{
		Third (milliseconds);
		sum++;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void First (long milliseconds)
	{
		Second (milliseconds);
		sum++;
	}

	static int Main (string[] args)
	{
		First (long.Parse (args [0]));
		return 5;
	}
}
