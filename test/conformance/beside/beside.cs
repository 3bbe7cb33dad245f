// SPDX-License-Identifier: MIT
// What two profilers look at side by side: methods that are compiled once each, a hundred exceptions, three forced
// collections, and a method whose body the main profiler exchanges. It prints what it sees itself.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

static class Beside {
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Answer ()
	{
		return 1;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void GiveAnotherBody ()
	{
	}

	static int Tiny (int value)
	{
		return value + 1;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw (int number)
	{
		throw new InvalidOperationException (number.ToString ());
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Catch (int number)
	{
		try {
			Throw (number);
		} catch (InvalidOperationException) {
			return 1;
		}
		return 0;
	}

	// Until the main profiler's body is there; without one, only once.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int WaitForAnswer (bool is_awaited)
	{
		var clock = Stopwatch.StartNew ();
		GiveAnotherBody ();
		while (is_awaited && Answer () == 1 && clock.Elapsed.TotalSeconds < 60)
			Thread.Sleep (1);
		return Answer ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static double Work (int milliseconds)
	{
		var clock = Stopwatch.StartNew ();
		double sum = 0;
		while (clock.ElapsedMilliseconds < milliseconds)
			for (int i = 1; i < 10000; i++)
				sum += Math.Sqrt (i);
		return sum > 0 ? 1 : 0;
	}

	static int Main (string[] args)
	{
		bool is_awaited = args.Length > 0 && args[0] == "wait";
		int milliseconds = args.Length > 1 ? int.Parse (args[1]) : 0;
		int caught = 0;
		Console.WriteLine ("first " + Answer ());
		for (int i = 0; i < 100; i++)
			caught += Catch (i);
		Console.WriteLine ("caught " + caught);
		Console.WriteLine ("tiny " + Tiny (caught));
		for (int i = 0; i < 3; i++)
			GC.Collect ();
		var thread = new Thread (() => Console.WriteLine ("thread"));
		thread.Start ();
		thread.Join ();
		Console.WriteLine ("work " + Work (milliseconds));
		Console.WriteLine ("then " + WaitForAnswer (is_awaited));
		return 7;
	}
}
