// SPDX-License-Identifier: MIT
//
// torture.cs - `torture SHARE NAME...`: programs that ask much of a runtime, each with a result that is known
// beforehand, one after another in one process.
//
// Each program calls Leaf and throws Boom a number of times that rows.py knows, and with SHARE 10 a tenth as often;
// what it prints is the same in every run. Threads wait for conditions, never for times.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;

sealed class Boom : Exception
{
	public Boom (string message) : base (message) {}
}

public static class Torture
{
	static int sum, share = 1;

	public static int Of (int times)
	{
		return times / share;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Leaf (int n)
	{
		return n ^ 1;
	}

	public static int One (int n)
	{
		Leaf (n);
		return 1;
	}

	public static void Work (int calls)
	{
		int total = 0;
		for (int i = 0; i < calls; i++)
			total += Leaf (i);
		Interlocked.Add (ref sum, total);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Throw (int depth)
	{
		if (depth == 0)
			throw new Boom ("on purpose");
		return Throw (depth - 1) + 1;
	}

	public static void ThrowAndCatch (int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			try {
				Throw (i % 5);
			} catch (Boom) {
				Leaf (i);
			}
		}
	}

	public static Thread Start (Action body, int stack = 0)
	{
		var thread = new Thread (() => body (), stack);
		thread.Start ();
		return thread;
	}

	public static void InParallel (int threads, Action<int> body, int stack = 0)
	{
		var all = new List<Thread> ();
		for (int i = 0; i < threads; i++) {
			int number = i;
			all.Add (Start (() => body (number), stack));
		}
		foreach (Thread thread in all)
			thread.Join ();
	}

	// Runs `body` while another thread collects as fast as it can.
	public static void UnderCollections (Action body)
	{
		bool done = false;
		int seen = 0;
		Thread collector = Start (() => {
			while (!Volatile.Read (ref done)) {
				GC.Collect (seen % (GC.MaxGeneration + 1));
				Interlocked.Increment (ref seen);
			}
		});
		while (Volatile.Read (ref seen) == 0)
			Thread.Yield ();
		body ();
		Volatile.Write (ref done, true);
		collector.Join ();
	}

	static readonly Dictionary<string, Func<int>> programs = new Dictionary<string, Func<int>> ();

	static void Add (IEnumerable<Func<int>> more)
	{
		foreach (Func<int> program in more)
			programs.Add (program.Method.Name, program);
	}

	public static int Main (string[] args)
	{
		share = int.Parse (args[0]);
		Work (Of (1000));
		Add (Faults.Programs);
		Add (Ends.Programs);
		Add (Threads.Programs);
		Add (Code.Programs);
		Add (Process.Programs);
		int code = 0;
		for (int i = 1; i < args.Length; i++) {
			code = programs[args[i]] ();
			Console.WriteLine (args[i] + " ends");
		}
		return code;
	}
}
