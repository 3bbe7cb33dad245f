// SPDX-License-Identifier: MIT
// Async methods that wait for each other in known ways: `awaits COUNT` begins COUNT of each, says "ready" when they
// wait, and ends when standard input does.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

static class Awaits
{
	static readonly TaskCompletionSource<int> never = new TaskCompletionSource<int> ();
	static readonly SynchronizationContext context = new Context ();
	static int runs;

	// What awaits under a context has a continuation of its own.
	class Context : SynchronizationContext
	{
	}

	// --- Load <- Place <- Serve ---

	static async Task<int> Load (int number)
	{
		return await never.Task.ConfigureAwait (false) + number;
	}

	static async Task<int> Place (int number)
	{
		return await Load (number).ConfigureAwait (false) + 1;
	}

	static async Task Serve (int number)
	{
		await Place (number).ConfigureAwait (false);
	}

	// --- Part <- All, by Task.WhenAll: three chains for each ---

	static async Task Part ()
	{
		await never.Task;
	}

	static async Task All ()
	{
		await Task.WhenAll (Part (), Part (), Part ());
	}

	// --- Shared <- Waiter, several of one ---

	static async Task<string> Shared ()
	{
		await never.Task;
		return "";
	}

	static async Task Waiter (Task<string> shared)
	{
		await shared;
	}

	// --- Inner <- Outer under a context ---

	static async Task Inner ()
	{
		await never.Task;
	}

	static async Task Outer ()
	{
		await Inner ();
	}

	// --- Deep <- Deep <- ... <- Bottom: more than a stack has frames ---

	static async Task<int> Deep (int more)
	{
		return more == 0 ? await never.Task : await Deep (more - 1) + 1;
	}

	static async Task Bottom ()
	{
		await Deep (299);
	}

	// --- what has run to its end is none ---

	static async Task Done ()
	{
		await Task.Yield ();
		Interlocked.Increment (ref runs);
	}

	static void Begin (int count, Task[] kept)
	{
		Task<string> shared = Shared ();
		for (int i = 0; i < count; i++) {
			kept[i * 4] = Serve (i);
			kept[i * 4 + 1] = All ();
			kept[i * 4 + 2] = Waiter (shared);
			kept[i * 4 + 3] = Done ();
		}
		var before = SynchronizationContext.Current;
		SynchronizationContext.SetSynchronizationContext (context);
		for (int i = 0; i < count; i++)
			kept[count * 4 + i] = Outer ();
		SynchronizationContext.SetSynchronizationContext (before);
	}

	static void Main (string[] args)
	{
		int count = int.Parse (args[0]);
		Task bottom = Bottom ();
		var kept = new Task[count * 5];
		Begin (count, kept);
		while (Volatile.Read (ref runs) < count)
			Thread.Sleep (1);
		Console.WriteLine ("ready");
		Console.In.ReadToEnd ();
		GC.KeepAlive (kept);
		GC.KeepAlive (bottom);
		GC.KeepAlive (never);
		Console.WriteLine ("unharmed");
		Environment.Exit (3);
	}
}
