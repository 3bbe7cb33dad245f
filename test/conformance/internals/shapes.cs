// SPDX-License-Identifier: MIT
//
// shapes.cs - what a log of events has sections for, in numbers that are known: calls, throws through finally, objects
// of own classes, contention, deep stacks, named threads, collections, and a list that lives until the end.
//
//   shapes.exe all         each of them once
//   shapes.exe none        none of them: what a runtime does by itself
//   shapes.exe maps NAME   which files with NAME in them are mapped
//   shapes.exe burn MS     two methods that use processor time, one three times as much as the other
//   shapes.exe storm N     N busy threads that allocate, lock, throw and collect, all at once
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

class Node
{
	public Node Next;
	public long Number;
}

class Leaf
{
	public int A, B;
}

class Kept
{
	public Kept Next;
	public Leaf Leaf;
}

struct Pair
{
	public long Left, Right;
}

class Oops : Exception
{
	public Oops (int number) : base ("number " + number) { }
}

static class Shapes
{
	public static object Sink; // so that no compiler leaves out what is made
	public static Kept Live;
	static int finals;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw (int number)
	{
		throw new Oops (number);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Through (int number)
	{
		try {
			Throw (number);
		} finally {
			finals++;
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Throws (int count)
	{
		int caught = 0;
		for (int i = 0; i < count; i++)
			try {
				Through (i);
			} catch (Oops) {
				caught++;
			}
		return caught;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static Node MakeNode (Node next, int number)
	{
		return new Node { Next = next, Number = number };
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void MakeObjects (int count)
	{
		for (int i = 0; i < count; i++)
			Sink = MakeNode (null, i);
		for (int i = 0; i < count / 5; i++)
			Sink = new Leaf { A = i, B = count };
		for (int i = 0; i < count / 10; i++)
			Sink = new Pair[10];
		for (int i = 0; i < count / 20; i++)
			Sink = new Leaf[i % 7];
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void MakeLive (int count)
	{
		for (int i = 0; i < count; i++)
			Live = new Kept { Next = Live, Leaf = i % 4 == 0 ? new Leaf () : null };
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Deep (int depth)
	{
		return depth == 0 ? 0 : 1 + Deep (depth - 1);
	}

	// The other thread holds the lock, and lets it go only once this one waits for it.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Contend (object key)
	{
		var main = Thread.CurrentThread;
		var held = new ManualResetEvent (false);
		var holder = new Thread (() => Hold (key, held, main)) { Name = "holder" };
		holder.Start ();
		held.WaitOne ();
		lock (key)
			finals++;
		holder.Join ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Hold (object key, ManualResetEvent held, Thread other)
	{
		lock (key) {
			held.Set ();
			do
				Thread.Sleep (5);
			while ((other.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0);
			Thread.Sleep (20);
		}
	}

	static void Work (ManualResetEvent all)
	{
		all.WaitOne ();
		Deep (100);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Threads (int count)
	{
		var threads = new Thread[count];
		var all = new ManualResetEvent (false); // they live at the same time, so that each has a number of its own
		for (int i = 0; i < count; i++) {
			threads[i] = new Thread (() => Work (all)) { Name = "worker " + i };
			threads[i].Start ();
		}
		all.Set ();
		foreach (var thread in threads)
			thread.Join ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Collect (int count)
	{
		for (int i = 0; i < count; i++)
			GC.Collect ();
	}

	static void All ()
	{
		Console.WriteLine ("caught " + Throws (1000) + ", " + finals);
		MakeLive (2000);
		MakeObjects (6000);
		int deep = 0;
		for (int i = 0; i < 10; i++)
			deep += Deep (500);
		Console.WriteLine ("deep " + deep);
		for (int i = 0; i < 3; i++)
			Contend (new object ());
		Threads (4);
		Collect (7);
		Console.WriteLine ("finals " + finals);
	}

	// Some microseconds in a loop of its own, so that the samples are here.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static double Heavy (int rounds)
	{
		double sum = 1;
		for (int i = 0; i < rounds * 3; i++)
			sum = sum * 1.000001 + i % 7;
		return sum;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static double Light (int rounds)
	{
		double sum = 1;
		for (int i = 0; i < rounds; i++)
			sum = sum * 1.000001 + i % 7;
		return sum;
	}

	static void Burn (int milliseconds)
	{
		double sum = 0;
		var process = Process.GetCurrentProcess ();
		do {
			for (int i = 0; i < 100; i++)
				sum += Heavy (5000) + Light (5000);
			process.Refresh ();
		} while (process.UserProcessorTime.TotalMilliseconds < milliseconds);
		Console.WriteLine (sum > 0 ? "burnt" : "cold");
	}

	static void Rage (int number, object key, ManualResetEvent all)
	{
		all.WaitOne ();
		for (int i = 0; i < 1000; i++) {
			Node list = null;
			for (int n = 0; n < 5; n++)
				list = MakeNode (list, n);
			Sink = list;
			if (i % 50 == 0)
				lock (key)
					Deep (20);
			if (i % 100 == 0)
				Throws (1);
			if (i % 250 == 249)
				GC.Collect (number % 3);
		}
	}

	static void Storm (int count)
	{
		var threads = new List<Thread> ();
		var key = new object ();
		var all = new ManualResetEvent (false);
		for (int i = 0; i < count; i++) {
			int number = i;
			var thread = new Thread (() => Rage (number, key, all)) { Name = "rage " + number };
			threads.Add (thread);
			thread.Start ();
		}
		all.Set ();
		foreach (var thread in threads)
			thread.Join ();
		Console.WriteLine ("calm");
	}

	static void Maps (string name)
	{
		var files = new SortedSet<string> ();
		foreach (var line in File.ReadAllLines ("/proc/self/maps"))
			if (line.Contains (name))
				files.Add (Path.GetFileName (line));
		Console.WriteLine (string.Join (" ", files));
	}

	static int Main (string[] args)
	{
		if (args[0] == "all")
			All ();
		else if (args[0] == "burn")
			Burn (int.Parse (args[1]));
		else if (args[0] == "storm")
			Storm (int.Parse (args[1]));
		else if (args[0] == "maps")
			Maps (args[1]);
		else
			Console.WriteLine ("nothing");
		return 7;
	}
}
