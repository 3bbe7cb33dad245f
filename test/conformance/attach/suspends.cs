// SPDX-License-Identifier: MIT
// Async methods of this program and of the class library that wait for each other, which the runtime suspends itself or
// not: says "ready" when they wait, and ends when standard input does.
using System;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

static class Suspends
{
	static readonly TaskCompletionSource<int> never = new TaskCompletionSource<int> ();
	static readonly HttpClient client = new HttpClient ();
	static readonly SemaphoreSlim first = new SemaphoreSlim (1), second = new SemaphoreSlim (1);
	static readonly TaskCompletionSource<int> both = new TaskCompletionSource<int> ();
	static int port, there, running;

	// --- a server that says nothing ---

	static async Task<string> Fetch ()
	{
		HttpResponseMessage answer = await client.GetAsync ("http://127.0.0.1:" + port + "/").ConfigureAwait (false);
		return answer.ToString ();
	}

	static async Task Outer ()
	{
		await Fetch ();
	}

	// --- Deep <- Deep <- ... <- Bottom: 300 ---

	static async Task<int> Deep (int more)
	{
		return more == 0 ? await never.Task : await Deep (more - 1) + 1;
	}

	static async Task Bottom ()
	{
		await Deep (298);
	}

	// --- two locks, in two orders ---

	static async Task Come ()
	{
		if (Interlocked.Increment (ref there) == 2)
			both.SetResult (0);
		await both.Task;
	}

	static async Task Forwards ()
	{
		await first.WaitAsync ();
		await Come ();
		await second.WaitAsync ();
	}

	static async Task Backwards ()
	{
		await second.WaitAsync ();
		await Come ();
		await first.WaitAsync ();
	}

	static async Task Dead ()
	{
		await Task.WhenAll (Forwards (), Backwards ());
	}

	// --- what is awaited is no task ---

	sealed class Silence : INotifyCompletion
	{
		Action kept;
		public Silence GetAwaiter () { return this; }
		public bool IsCompleted { get { return false; } }
		public void OnCompleted (Action action) { kept = action; }
		public void GetResult () { kept (); }
	}

	static readonly Silence silence = new Silence ();

	static async ValueTask<int> Value ()
	{
		await silence;
		return 1;
	}

	static async Task UsesValue ()
	{
		await Value ();
	}

	// --- one runs, and others await it ---

	static async Task Runs ()
	{
		await Task.Yield ();
		Volatile.Write (ref running, 1);
		while (Volatile.Read (ref running) == 1)
			Thread.Sleep (1);
		await never.Task;
	}

	static async Task AwaitsRuns ()
	{
		await Runs ();
	}

	static async Task AwaitsThat ()
	{
		await AwaitsRuns ();
	}

	static void Main ()
	{
		var listener = new TcpListener (IPAddress.Loopback, 0);
		listener.Start ();
		port = ((IPEndPoint) listener.LocalEndpoint).Port;
		Task[] kept = { Outer (), Bottom (), Dead (), UsesValue (), AwaitsThat () };
		Socket socket = listener.AcceptSocket ();
		int left = socket.Receive (new byte[1]);
		while (Volatile.Read (ref running) == 0)
			Thread.Sleep (1);
		Console.WriteLine ("ready");
		Console.In.ReadToEnd ();
		GC.KeepAlive (kept);
		GC.KeepAlive (socket);
		GC.KeepAlive (never);
		Console.WriteLine (left == 1 ? "unharmed" : "harmed");
		Environment.Exit (3);
	}
}
