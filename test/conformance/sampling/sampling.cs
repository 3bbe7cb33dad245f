// SPDX-License-Identifier: MIT
//
// sampling.cs - programs whose samples are known beforehand: `sampling WHAT MODULE NUMBER...` opens the module hits (in
// the process already) and asks it what its threads were hit. Without a module it does the same work.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

static class Hits
{
	[DllImport ("libdl.so.2")] static extern IntPtr dlopen (string path, int flags);
	[DllImport ("libdl.so.2")] static extern IntPtr dlsym (IntPtr library, string name);

	delegate long Ask ();
	delegate int Set (int mode, int frequency);
	static Ask ofThread, cpuTime, processTime, total;
	static Set set;

	static T Find<T> (IntPtr library, string name) where T : class
	{
		return (T) (object) Marshal.GetDelegateForFunctionPointer (dlsym (library, name), typeof (T));
	}

	public static void Open (string path)
	{
		IntPtr library = dlopen (path, 1);
		ofThread = Find<Ask> (library, "hits_of_thread");
		cpuTime = Find<Ask> (library, "hits_cpu_time");
		processTime = Find<Ask> (library, "hits_process_time");
		total = Find<Ask> (library, "hits_total");
		set = Find<Set> (library, "hits_set");
	}

	public static long OfThread { get { return ofThread (); } }
	public static long CpuTime { get { return cpuTime (); } }
	public static long ProcessTime { get { return processTime (); } }
	public static long Total { get { return total (); } }
	public static bool Switch (int mode, int frequency) { return set (mode, frequency) != 0; }
}

class Sampling
{
	static int sink;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Step (int n)
	{
		int sum = n;
		for (int i = 0; i < 1000; i++)
			sum = sum * 31 + i;
		return sum;
	}

	// Only in its own code, but for a look at the clock now and then.
	static void Burn (long nanoseconds)
	{
		long from = Hits.CpuTime;
		while (Hits.CpuTime - from < nanoseconds)
			for (int i = 0; i < 500; i++)
				sink += Step (i);
	}

	static void Report (string name, Action work)
	{
		long hits = Hits.OfThread, cpu = Hits.CpuTime;
		work ();
		hits = Hits.OfThread - hits;
		cpu = Hits.CpuTime - cpu;
		lock (typeof (Sampling))
			Console.WriteLine ("{0}\t{1}\t{2}", name, hits, cpu);
	}

	static Thread Start (string name, Action work)
	{
		var thread = new Thread (() => Report (name, work));
		thread.Start ();
		return thread;
	}

	// rates MODULE MODE FREQUENCY BUSY SLEEPING MILLISECONDS: busy threads burn that much CPU time each, others sleep.
	static void Rates (string [] args)
	{
		int busy = int.Parse (args [4]), sleeping = int.Parse (args [5]), milliseconds = int.Parse (args [6]);
		var end = new ManualResetEvent (false);
		var threads = new List<Thread> ();
		var sleepers = new List<Thread> ();
		Burn (300 * 1000000L); // compiled for good
		Console.WriteLine ("set " + Hits.Switch (int.Parse (args [2]), int.Parse (args [3])));
		Thread.Sleep (100);
		for (int i = 0; i < sleeping; i++)
			sleepers.Add (Start ("sleeping", () => end.WaitOne ()));
		Thread.Sleep (50);
		for (int i = 0; i < busy; i++)
			threads.Add (Start ("busy", () => Burn (milliseconds * 1000000L)));
		if (busy == 0)
			Thread.Sleep (milliseconds);
		foreach (Thread thread in threads)
			thread.Join ();
		Hits.Switch (0, 100);
		end.Set ();
		foreach (Thread thread in sleepers)
			thread.Join ();
		Thread.Sleep (50);
		long after = Hits.Total;
		Burn (100 * 1000000L);
		Console.WriteLine ("after\t{0}\t0", Hits.Total - after);
	}

	static string nothing = null;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Fault ()
	{
		return nothing.Length;
	}

	// throws MODULE MODE FREQUENCY FAULTS SECONDS: the thread has made that many faults and goes on to work.
	static void Throws (string [] args)
	{
		int faults = int.Parse (args [4]), caught = 0;
		Hits.Switch (int.Parse (args [2]), int.Parse (args [3]));
		Thread.Sleep (50);
		for (int i = 0; i < faults; i++)
			try { sink += Fault (); } catch (NullReferenceException) { caught++; }
		Console.WriteLine ("caught " + caught);
		Report ("busy", () => Burn (int.Parse (args [5]) * 1000000L));
	}

	// --- what it costs ---

	[ThreadStatic] public static object kept;

	static void Compute (int amount)
	{
		int sum = 0;
		for (int i = 0; i < amount; i++)
			sum += Step (i);
		sink += sum;
	}

	static void Allocate (int amount)
	{
		for (int i = 0; i < amount; i++)
			kept = new byte [i % 200 + 24];
	}

	// The work as `count` threads do it at the same time, each all of it.
	static Action<int> OnThreads (int count, Action<int> work)
	{
		int amount = 0;
		var go = new Semaphore (0, count);
		var done = new Semaphore (0, count);
		for (int i = 1; i < count; i++)
			new Thread (() => {
				for (;;) {
					go.WaitOne ();
					work (amount);
					done.Release ();
				}
			}) { IsBackground = true }.Start ();
		return wanted => {
			amount = wanted;
			for (int i = 1; i < count; i++)
				go.Release ();
			work (wanted);
			for (int i = 1; i < count; i++)
				done.WaitOne ();
		};
	}

	static long Measure (Action<int> work, int amount)
	{
		long from = Hits.ProcessTime;
		work (amount);
		return Hits.ProcessTime - from;
	}

	static void Switch (bool on, int mode, int frequency)
	{
		Hits.Switch (on ? mode : 0, frequency);
		Thread.Sleep (10);
	}

	// pairs MODULE MODE FREQUENCY compute|allocate PAIRS MILLISECONDS THREADS: the same work with samples and without,
	// in turn; CPU time of the process for each, about so many milliseconds.
	static void Pairs (string [] args)
	{
		int mode = int.Parse (args [2]), frequency = int.Parse (args [3]), pairs = int.Parse (args [5]);
		var work = OnThreads (int.Parse (args [7]), args [4] == "allocate" ? Allocate : (Action<int>) Compute);
		int amount = 1000;
		for (int i = 0; i < 200; i++)
			work (1000);
		Thread.Sleep (300);
		while (Measure (work, amount) < long.Parse (args [6]) * 1000000)
			amount = amount * 5 / 4;
		for (int i = 0; i < pairs; i++) {
			var took = new long [2];
			for (int k = 0; k < 2; k++) {
				int on = (i + k) % 2;
				Switch (on == 1, mode, frequency);
				took [on] = Measure (work, amount);
			}
			Console.WriteLine ("pair\t{0}\t{1}", took [0], took [1]);
		}
	}

	// pauses MODULE MODE FREQUENCY ROUNDS: how long a collection takes while two threads run in loops without calls.
	static void Pauses (string [] args)
	{
		bool over = false;
		var threads = new List<Thread> ();
		for (int i = 0; i < 2; i++) {
			threads.Add (new Thread (() => { while (!Volatile.Read (ref over)) Compute (100); }));
			threads [i].Start ();
		}
		for (int i = 0; i < int.Parse (args [4]); i++)
			for (int on = 0; on < 2; on++) {
				Switch (on == 1, int.Parse (args [2]), int.Parse (args [3]));
				for (int k = 0; k < 10; k++) {
					var clock = System.Diagnostics.Stopwatch.StartNew ();
					GC.Collect (0);
					Console.WriteLine ("pause\t{0}\t{1}", on, clock.Elapsed.Ticks * 100);
				}
			}
		Volatile.Write (ref over, true);
		foreach (Thread thread in threads)
			thread.Join ();
	}

	static void Fail ()
	{
		throw new InvalidOperationException ();
	}

	// price MODULE COUNT: what throwing and catching costs.
	static void Price (string [] args)
	{
		int count = int.Parse (args [2]);
		for (int round = 0; round < 12; round++) {
			long from = Hits.CpuTime;
			for (int i = 0; i < count; i++)
				try { Fail (); } catch (InvalidOperationException) { sink++; }
			if (round > 1)
				Console.WriteLine ("throw\t{0}\t{1}", count, Hits.CpuTime - from);
		}
	}

	static int Main (string [] args)
	{
		var all = new Dictionary<string, Action<string []>> {
			{ "rates", Rates }, { "throws", Throws }, { "pairs", Pairs }, { "pauses", Pauses }, { "price", Price } };
		Hits.Open (args [1]);
		all [args [0]] (args);
		return 5;
	}
}
