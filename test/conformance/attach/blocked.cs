// SPDX-License-Identifier: MIT
// Threads that wait in known methods, and if asked one that computes: `blocked COUNT [computes]` makes COUNT of each
// kind, says "ready" when all are there, and ends when standard input does. A comment "at NAME" marks the line of such
// a thread.
using System;
using System.IO;
using System.IO.Pipes;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

static class Blocked
{
	[DllImport ("libc")] static extern void _exit (int code);

	static readonly object gate = new object (), pulse = new object ();
	static readonly ManualResetEvent never = new ManualResetEvent (false);
	static readonly TaskCompletionSource<int> done = new TaskCompletionSource<int> ();
	static AnonymousPipeServerStream pipe;
	static int there;
	static ulong computed;

	static void Come ()
	{
		Interlocked.Increment (ref there);
	}

	static void TakesLock ()
	{
		Come ();
		lock (gate) // at TakesLock
			there++;
	}

	static void Sleeps ()
	{
		Come ();
		Thread.Sleep (Timeout.Infinite); // at Sleeps
	}

	static void WaitsForEvent ()
	{
		Come ();
		never.WaitOne (); // at WaitsForEvent
	}

	static void WaitsForPulse ()
	{
		lock (pulse) {
			Come ();
			Monitor.Wait (pulse); // at WaitsForPulse
		}
	}

	static async Task<int> Later ()
	{
		return await done.Task.ConfigureAwait (false) + 1;
	}

	static void WaitsForTask ()
	{
		Come ();
		there += Later ().Result; // at WaitsForTask
	}

	static void Reads ()
	{
		Come ();
		there += pipe.ReadByte (); // at Reads
	}

	static void Computes ()
	{
		Come ();
		for (ulong i = 0; Volatile.Read (ref there) != -1; i++) computed += i * i; // at Computes
	}

	static void Start (ThreadStart body, int count)
	{
		for (int i = 0; i < count; i++)
			new Thread (body) { IsBackground = true, Name = body.Method.Name }.Start ();
	}

	static void Main (string[] args)
	{
		int count = int.Parse (args[0]);
		TextReader input = Console.In; // who looks at descriptors finds all of them
		pipe = new AnonymousPipeServerStream (PipeDirection.In);
		Monitor.Enter (gate);
		ThreadStart[] bodies = { TakesLock, Sleeps, WaitsForEvent, WaitsForPulse, WaitsForTask };
		foreach (var body in bodies)
			Start (body, count);
		Start (Reads, 1);
		int computing = args.Length > 1 ? 1 : 0;
		Start (Computes, computing);
		while (Volatile.Read (ref there) < count * bodies.Length + 1 + computing)
			Thread.Sleep (1);
		Console.WriteLine ("ready");
		input.ReadToEnd ();
		Console.WriteLine ("unharmed");
		_exit (3); // With a thread that waits for a lock Mono 6.8 does not come to its end by itself.
	}
}
