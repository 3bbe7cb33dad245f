// SPDX-License-Identifier: MIT
// What test_sample.py samples: sampled.exe WHAT SECONDS. Sleepers end earlier when there is a file `enough`.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Reflection.Emit;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

static class Program {
	static double sum;
	static Stopwatch watch = Stopwatch.StartNew ();

	[MethodImpl (MethodImplOptions.NoInlining)]
	static double A (long n) { double x = 1; for (long i = 0; i < n; i++) x = x * 1.0000001 + 0.5; return x; }
	[MethodImpl (MethodImplOptions.NoInlining)]
	static double B (long n) { double x = 1; for (long i = 0; i < n; i++) x = x * 1.0000001 + 0.5; return x; }
	[MethodImpl (MethodImplOptions.NoInlining)]
	static double C (long n) { double x = 1; for (long i = 0; i < n; i++) x = x * 1.0000001 + 0.5; return x; }

	static bool Goes (double seconds) { return watch.Elapsed.TotalSeconds < seconds; }

	static void BurnOnce () { sum += A (500000) + B (300000) + C (200000); }

	static void Burn (double seconds)
	{
		while (Goes (seconds))
			BurnOnce ();
	}

	static CountdownEvent sleepers = new CountdownEvent (3);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Sleeper () { sleepers.Signal (); Thread.Sleep (-1); }

	static void Sleepers (double seconds)
	{
		for (int i = 0; i < 3; i++)
			new Thread (Sleeper) { IsBackground = true, Name = "sleeper " + i }.Start ();
		sleepers.Wait ();
		Console.WriteLine (Used ());
		while (Goes (seconds) && !File.Exists ("enough"))
			BurnOnce ();
		Console.WriteLine (Used ());
	}

	/* Milliseconds of CPU time. */
	static long Used () { return (long) Process.GetCurrentProcess ().TotalProcessorTime.TotalMilliseconds; }

	static IEnumerable<double> Lines (double seconds)
	{
		while (Goes (seconds))
			yield return A (200000);
	}

	static async Task<double> Fetch (double seconds)
	{
		double x = 0;
		while (Goes (seconds)) {
			x += B (200000);
			await Task.Yield ();
		}
		return x;
	}

	/* Mono aborts its threads at the end: one in an async method that has set its result would throw there again. */
	static void AwaitPool ()
	{
		int most, idle, unused;
		ThreadPool.GetMaxThreads (out most, out unused);
		do {
			Thread.Sleep (1);
			ThreadPool.GetAvailableThreads (out idle, out unused);
		} while (idle < most);
	}

	static void Machines (double seconds)
	{
		foreach (double x in Lines (seconds / 2))
			sum += x;
		sum += Fetch (seconds).Result;
		AwaitPool ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static double Deep (int depth, long n) { return depth == 0 ? A (n) : Deep (depth - 1, n) + 1; }

	/* Methods that are called once: what takes time is making them. */
	static void Compile (double seconds)
	{
		while (Goes (seconds)) {
			var method = new DynamicMethod ("Made", typeof (int), new [] { typeof (int) }, typeof (Program).Module);
			ILGenerator code = method.GetILGenerator ();
			for (int i = 0; i < 300; i++) {
				code.Emit (OpCodes.Ldarg_0);
				code.Emit (OpCodes.Ldc_I4, i);
				code.Emit (OpCodes.Xor);
				code.Emit (OpCodes.Starg_S, (byte) 0);
			}
			code.Emit (OpCodes.Ldarg_0);
			code.Emit (OpCodes.Ret);
			sum += ((Func<int, int>) method.CreateDelegate (typeof (Func<int, int>))) (1);
		}
	}

	static void Threads (double seconds)
	{
		while (Goes (seconds)) {
			var thread = new Thread (() => sum += A (200000)) { Name = "short" };
			thread.Start ();
			thread.Join ();
		}
	}

	static void Collect (double seconds)
	{
		var kept = new List<byte[]> ();
		for (int n = 1; Goes (seconds); n++) {
			kept.Add (new byte[100]);
			if (n % 100000 == 0)
				kept.Clear ();
			if (n % 200000 == 0)
				GC.Collect ();
		}
	}

	// One collection after another, of two threads.
	static void CollectAlways (double seconds)
	{
		var threads = new Thread[2];
		for (int i = 0; i < threads.Length; i++) {
			threads[i] = new Thread (() => { while (Goes (seconds)) GC.Collect (0); });
			threads[i].Start ();
		}
		while (Goes (seconds))
			sum += A (1000);
		foreach (var thread in threads)
			thread.Join ();
	}

	[DllImport ("libmono-profiler-stopping.so")] static extern IntPtr stopping_state ();

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void WhileItStops (IntPtr state)
	{
		while (Marshal.ReadInt32 (state) == 1)
			sum += A (1000);
	}

	// Prints how often all threads were stopped.
	static void Stops ()
	{
		IntPtr state = stopping_state ();
		var thread = new Thread (() => { for (int i = 0; i < 10; i++) GC.Collect (0); });
		thread.Start ();
		while (thread.IsAlive)
			WhileItStops (state);
		Console.WriteLine (GC.CollectionCount (0));
	}

	static int Main (string[] args)
	{
		var invariant = System.Globalization.CultureInfo.InvariantCulture;
		double seconds = args.Length > 1 ? double.Parse (args[1], invariant) : 0;
		switch (args[0]) {
		case "burn": for (double i = 0; i < seconds * 300; i++) BurnOnce (); break; /* However slow the machine is. */
		case "sleepers": Sleepers (seconds); break;
		case "machines": Machines (seconds); break;
		case "deep": while (Goes (seconds)) sum += Deep (100, 200000); break;
		case "compile": Compile (seconds); break;
		case "threads": Threads (seconds); break;
		case "collect": Collect (seconds); break;
		case "collect-always": CollectAlways (seconds); break;
		case "stops": Stops (); break;
		case "fork": Burn (seconds / 2); Process.Start ("/bin/true").WaitForExit (); Burn (seconds); break;
		case "exit": Burn (seconds); Console.WriteLine ("done"); Environment.Exit (7); break;
		case "forever": Console.WriteLine ("burning"); Burn (1000); break;
		}
		Console.WriteLine (sum < 0 ? "wrong" : "done");
		return 3;
	}
}
