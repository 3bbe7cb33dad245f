// SPDX-License-Identifier: MIT
// Async methods that wait, as the SDK compiles them: `pooled COUNT` begins COUNT of each chain, says "ready",
// and ends when standard input does.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

static class Pooled
{
	static readonly TaskCompletionSource<int> never = new ();
	static readonly TaskCompletionSource<int> soon = new ();
	static int there;

	[AsyncMethodBuilder (typeof (PoolingAsyncValueTaskMethodBuilder<>))]
	static async ValueTask<int> Innermost (Task<int> task)
	{
		Interlocked.Increment (ref there);
		return await task + 1;
	}

	[AsyncMethodBuilder (typeof (PoolingAsyncValueTaskMethodBuilder<>))]
	static async ValueTask<int> Middle (Task<int> task)
	{
		return await Innermost (task) + 1;
	}

	static async ValueTask<int> Value (Task<int> task)
	{
		await Task.Yield ();
		return await Middle (task) + 1;
	}

	// Until so many are about to wait.
	static void Await (int count)
	{
		while (Volatile.Read (ref there) < count)
			Thread.Sleep (1);
	}

	static async Task Outermost (Task<int> task)
	{
		try {
			await Value (task);
		} finally {
			await Task.Yield ();
		}
	}

	static async Task Main (string[] args)
	{
		int count = int.Parse (args[0]);
		var first = new List<Task> ();
		for (int i = 0; i < count * 2; i++)
			first.Add (Outermost (soon.Task));
		Await (count * 2);
		soon.SetResult (1); // What has come to its end leaves boxes in the pool.
		await Task.WhenAll (first);
		for (int i = 0; i < count; i++)
			first.Add (Outermost (never.Task));
		Await (count * 3);
		Console.WriteLine ("ready");
		Console.In.ReadToEnd ();
		GC.KeepAlive (first);
		GC.KeepAlive (never);
		Console.WriteLine ("unharmed");
		Environment.Exit (3);
	}
}
