// SPDX-License-Identifier: MIT
//
// threads.cs - threads, tasks and timers: many, short, starved, interrupted, tiny, and made by others.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

static class Threads
{
	static int ManyTasks ()
	{
		long sum = 0;
		for (int batch = 0; batch < Torture.Of (10); batch++) {
			var tasks = new Task<int>[10000];
			for (int i = 0; i < tasks.Length; i++) {
				int n = i;
				tasks[i] = Task.Run (() => Torture.Leaf (n));
			}
			Task.WaitAll (tasks);
			foreach (Task<int> task in tasks)
				sum += task.Result;
		}
		Console.WriteLine ("sum " + sum);
		return 0;
	}

	// All threads of the pool wait for work that only one more thread can do: the pool has to notice and make one.
	static int Starvation ()
	{
		ThreadPool.SetMinThreads (1, 1);
		var done = new CountdownEvent (3);
		var open = new ManualResetEvent (false);
		for (int i = 0; i < 2; i++) {
			ThreadPool.QueueUserWorkItem (_ => {
				open.WaitOne ();
				Torture.Work (Torture.Of (100));
				done.Signal ();
			});
		}
		ThreadPool.QueueUserWorkItem (_ => {
			Torture.Work (Torture.Of (100));
			open.Set ();
			done.Signal ();
		});
		done.Wait ();
		return 0;
	}

	static int ManyTimers ()
	{
		var done = new CountdownEvent (Torture.Of (1000));
		var timers = new List<Timer> ();
		for (int i = 0; i < Torture.Of (1000); i++) {
			int n = i;
			timers.Add (new Timer (_ => {
				Torture.Leaf (n);
				done.Signal ();
			}, null, i % 50, Timeout.Infinite));
		}
		done.Wait ();
		foreach (Timer timer in timers)
			timer.Dispose ();
		return 0;
	}

	static int ShortThreads ()
	{
		for (int batch = 0; batch < Torture.Of (100); batch++)
			Torture.InParallel (20, n => Torture.Leaf (n));
		return 0;
	}

	// A thread that waits for ever is interrupted where it waits, before it waits, and while it collects.
	static int Interrupts ()
	{
		int caught = 0;
		for (int i = 0; i < Torture.Of (200); i++) {
			Thread thread = Torture.Start (() => {
				try {
					Thread.Sleep (Timeout.Infinite);
				} catch (ThreadInterruptedException) {
					caught += Torture.One (caught);
				}
			});
			thread.Interrupt ();
			thread.Join ();
		}
		Console.WriteLine ("caught " + caught);
		return 0;
	}

	static int Guarded (int n)
	{
		try {
			return Torture.Throw (n % 3);
		} catch (Boom) {
			return Torture.Leaf (n);
		}
	}

	static int ForeignThreads ()
	{
		long sum = 0;
		Torture.UnderCollections (() => sum = Native.CallFromThreads (Torture.Leaf, 8, Torture.Of (2000), 0, 0));
		Console.WriteLine ("sum " + sum);
		return 0;
	}

	static int ForeignThreadsThatThrow ()
	{
		long sum = 0;
		Torture.UnderCollections (() => sum = Native.CallFromThreads (Guarded, 8, Torture.Of (100), 0, 0));
		Console.WriteLine ("sum " + sum);
		return 0;
	}

	static int ShortForeignThreads ()
	{
		long sum = 0;
		for (int i = 0; i < Torture.Of (50); i++)
			sum += Native.CallFromThreads (Torture.Leaf, 4, 1, 0, 0);
		Console.WriteLine ("sum " + sum);
		return 0;
	}

	// 16 KiB is less than the CLR itself needs for a thread; 32 KiB is not enough to throw.
	static int SmallStacks ()
	{
		Torture.InParallel (Torture.Of (50), n => Torture.Leaf (n), 32 * 1024);
		Torture.InParallel (Torture.Of (20), n => Torture.ThrowAndCatch (10), 64 * 1024);
		return 0;
	}

	// Threads whose alternate stack is small: signal handlers run there, on 8 KiB.
	static int SmallSignalStacks ()
	{
		long sum = 0;
		Torture.UnderCollections (() => sum = Native.CallFromThreads (Guarded, 8, Torture.Of (200), 0, 8192));
		Console.WriteLine ("sum " + sum);
		return 0;
	}

	// Foreign threads that the runtime never sees, with 16 KiB of stack and 8 KiB for signals, use the processors.
	static int SmallNativeStacks ()
	{
		Native.SpinBegin (4, 16384, 8192);
		Torture.UnderCollections (() => Torture.ThrowAndCatch (Torture.Of (500)));
		Console.WriteLine ("spun " + Native.SpinEnd ());
		return 0;
	}

	static int Monitors ()
	{
		var token = new object ();
		int turns = 0;
		Torture.InParallel (8, n => {
			for (int i = 0; i < Torture.Of (500); i++) {
				lock (token) {
					turns += Torture.One (i);
					if (i % 50 == 0)
						Thread.Yield ();
				}
			}
		});
		Console.WriteLine ("turns " + turns);
		return 0;
	}

	public static readonly Func<int>[] Programs = {
		ManyTasks, Starvation, ManyTimers, ShortThreads, Interrupts, ForeignThreads, ForeignThreadsThatThrow,
		ShortForeignThreads, SmallStacks, SmallSignalStacks, SmallNativeStacks, Monitors
	};
}
