// SPDX-License-Identifier: MIT
// The same work on each of so many threads; prints the processor time that the process used meanwhile, in nanoseconds.
//
//   busy.exe ROUNDS [THREADS]
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

struct Time {
	public long Seconds, Nanoseconds;
}

static class Busy {
	[DllImport ("libc", EntryPoint = "clock_gettime")]
	static extern int ClockGetTime (int clock, out Time time);

	static long Cpu ()
	{
		Time time;
		ClockGetTime (2, out time); // CLOCK_PROCESS_CPUTIME_ID
		return time.Seconds * 1000000000 + time.Nanoseconds;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Recurse (int depth, long x)
	{
		if (depth > 0)
			return Recurse (depth - 1, x * 3 + depth) + 1;
		for (int i = 0; i < 200; i++)
			x = x * 6364136223846793005 + 1442695040888963407;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Words (Dictionary<string, int> counts, int round)
	{
		StringBuilder text = new StringBuilder ();
		for (int i = 0; i < 40; i++)
			text.Append ((i * 7 + round) % 97).Append (' ');
		foreach (string word in text.ToString ().Split (' ')) {
			int count;
			counts.TryGetValue (word, out count);
			counts[word] = count + 1;
		}
		return counts.Count;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Round (Dictionary<string, int> counts, int round)
	{
		long x = 0;
		for (int i = 0; i < 20; i++)
			x += Recurse (24, round + i);
		return x + Words (counts, round);
	}

	static void Work (int rounds)
	{
		Dictionary<string, int> counts = new Dictionary<string, int> ();
		long x = 0;
		for (int i = 0; i < rounds; i++)
			x += Round (counts, i);
		if (x == 42)
			Console.WriteLine ("never");
	}

	static void Run (int rounds, int count)
	{
		Thread[] threads = new Thread[count];
		for (int i = 0; i < count; i++) {
			threads[i] = new Thread (delegate () { Work (rounds); });
			threads[i].Start ();
		}
		foreach (Thread thread in threads)
			thread.Join ();
	}

	static void Main (string[] arguments)
	{
		int rounds = int.Parse (arguments[0]), count = arguments.Length > 1 ? int.Parse (arguments[1]) : 2;
		Run (rounds / 10 + 1, count); // warm
		Thread.Sleep (300);           // and compiled again
		Run (rounds / 10 + 1, count);
		long before = Cpu ();
		Run (rounds, count);
		Console.WriteLine (Cpu () - before);
	}
}
