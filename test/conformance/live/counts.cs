// SPDX-License-Identifier: MIT
// Throws, collects, allocates, contends and queues, and tells how often. With "wait" it does so when a line comes in.
using System;
using System.Diagnostics;
using System.Reflection;
using System.Threading;

class Counts
{
	static object held = new object ();
	public static byte[] kept;

	static void Throw (int count)
	{
		for (int i = 0; i < count; i++) {
			try {
				throw new InvalidOperationException ("counted");
			} catch (InvalidOperationException) {
			}
		}
	}

	static void Allocate (int count)
	{
		for (int i = 0; i < count; i++)
			kept = new byte[10000];
	}

	static void Collect ()
	{
		for (int i = 0; i < 3; i++)
			GC.Collect (2, GCCollectionMode.Forced, true);
		for (int i = 0; i < 5; i++)
			GC.Collect (1, GCCollectionMode.Forced, true);
		for (int i = 0; i < 7; i++)
			GC.Collect (0, GCCollectionMode.Forced, true);
	}

	// One thread has the lock until another waits for it.
	static void Contend (int count)
	{
		for (int i = 0; i < count; i++) {
			Thread waiter = new Thread (() => { lock (held) { } });
			lock (held) {
				waiter.Start ();
				while ((waiter.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0)
					Thread.Sleep (1);
				Thread.Sleep (20);
			}
			waiter.Join ();
		}
	}

	static void Queue (int count)
	{
		using (var done = new CountdownEvent (count)) {
			for (int i = 0; i < count; i++)
				ThreadPool.QueueUserWorkItem (_ => done.Signal ());
			done.Wait ();
		}
	}

	// What a runtime newer than the compiler's library counts; 0 where it does not.
	static long Ask (string type, string property)
	{
		Type found = Type.GetType (type) ?? typeof (object).Assembly.GetType (type);
		PropertyInfo asked = found == null ? null : found.GetProperty (property);
		return asked == null ? 0 : Convert.ToInt64 (asked.GetValue (null, null));
	}

	static long Allocated ()
	{
		MethodInfo asked = typeof (GC).GetMethod ("GetTotalAllocatedBytes");
		return asked == null ? 0 : (long) asked.Invoke (null, new object[] { true });
	}

	static long[] Look ()
	{
		return new long[] { GC.CollectionCount (0), GC.CollectionCount (1), GC.CollectionCount (2), Allocated (),
		                    Ask ("System.Threading.Monitor", "LockContentionCount"),
		                    Ask ("System.Threading.ThreadPool", "CompletedWorkItemCount"),
		                    Ask ("System.Threading.ThreadPool", "ThreadCount"),
		                    Ask ("System.Runtime.JitInfo", "CompiledMethodCount") };
	}

	static void Main (string[] args)
	{
		bool waits = args.Length > 0 && args[0] == "wait";
		Look ();
		Console.WriteLine ("ready");
		if (waits)
			Console.ReadLine ();
		long[] before = Look ();
		Throw (200);
		Allocate (3000);
		Collect ();
		Contend (10);
		Queue (500);
		long[] after = Look ();
		if (waits)
			Console.ReadLine ();
		Console.WriteLine ("exceptions 200");
		string[] names = { "gen0", "gen1", "gen2", "allocated", "contentions", "items" };
		for (int i = 0; i < names.Length; i++)
			Console.WriteLine (names[i] + " " + (after[i] - before[i]));
		Console.WriteLine ("threads " + after[6]);
		if (args.Length > 1)
			Environment.Exit (int.Parse (args[1]));
	}
}
