// SPDX-License-Identifier: MIT
// Async methods by the thousand on several threads, with exceptions and cancellations, whose segments are the same in
// each run and in each way of compiling them: every thread resumes its own methods, one after the other. They count
// themselves: a segment when they are called, one for each await that they come back from later, and one failure when
// they end by an exception. Arguments: calls, threads. Prints "NAME SEGMENTS FAILURES CALLS", and the sum of what was
// returned.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

// What an await of it does: the method is suspended, and its own thread resumes it.
readonly struct Turn : ICriticalNotifyCompletion
{
	[ThreadStatic] static Queue<Action> waiting;

	public Turn GetAwaiter () => this;
	public bool IsCompleted => false;
	public void GetResult () { }
	public void OnCompleted (Action what) => UnsafeOnCompleted (what);
	public void UnsafeOnCompleted (Action what) => (waiting ??= new ()).Enqueue (what);

	public static void RunUntil (Task done)
	{
		while (!done.IsCompleted)
			waiting.Dequeue () ();
	}
}

class Failed : Exception { public Failed (int n) : base ("failed " + n) { } }

enum Method { Outer, Plain, Once, Thrice, Fails, Cancelled, Cleans, Value, Generic, Count }

static class Program
{
	static readonly int[,] counts = new int [(int) Method.Count, 3];
	[ThreadStatic] static int[,] own;

	static void Segment (Method method) => own [(int) method, 0]++;
	static void Call (Method method) { own [(int) method, 0]++; own [(int) method, 2]++; }
	static void Failure (Method method) => own [(int) method, 1]++;

	static async Task<int> Plain (int n)
	{
		Call (Method.Plain);
		await Task.CompletedTask;
		return n + 1;
	}

	static async Task<int> Once (int n)
	{
		Call (Method.Once);
		await new Turn ();
		Segment (Method.Once);
		return n % 2 == 0 ? n : n + 2;
	}

	static async Task<long> Thrice (int n, string text)
	{
		Call (Method.Thrice);
		long sum = text.Length;
		for (int i = 0; i < 3; i++) {
			await new Turn ();
			Segment (Method.Thrice);
			sum += i * n;
		}
		return sum;
	}

	static async Task<int> Fails (int n)
	{
		Call (Method.Fails);
		await new Turn ();
		Segment (Method.Fails);
		if (n >= 0) {
			Failure (Method.Fails);
			throw new Failed (n);
		}
		return n;
	}

	static async Task<int> Cancelled (int n, CancellationToken token)
	{
		Call (Method.Cancelled);
		while (true) {
			await new Turn ();
			Segment (Method.Cancelled);
			if (token.IsCancellationRequested) {
				Failure (Method.Cancelled);
				token.ThrowIfCancellationRequested ();
			}
			n++;
		}
	}

	static async Task<string> Cleans (int n)
	{
		Call (Method.Cleans);
		string log = "";
		try {
			await Fails (n);
			log = "never";
		} catch (Failed e) when (e.Message.EndsWith ("7")) {
			Segment (Method.Cleans);
			log = "seven";
		} catch (Failed e) {
			Segment (Method.Cleans);
			await new Turn ();
			Segment (Method.Cleans);
			log = e.Message;
		} finally {
			await new Turn ();
			Segment (Method.Cleans);
			log += ".";
		}
		return log;
	}

	static async ValueTask<(int, string)> Value (int n)
	{
		Call (Method.Value);
		if (n % 3 == 0)
			return (n, "at once");
		await new Turn ();
		Segment (Method.Value);
		return (n, "later");
	}

	static async Task<T> Generic<T> (T value, int turns)
	{
		Call (Method.Generic);
		while (turns-- > 0) {
			await new Turn ();
			Segment (Method.Generic);
		}
		return value;
	}

	static async Task<long> Outer (int n)
	{
		Call (Method.Outer);
		using var source = new CancellationTokenSource ();
		switch (n % 8) {
		case 0:
			return await Plain (n);
		case 1: {
			int once = await Once (n);
			Segment (Method.Outer);
			return once;
		}
		case 2: {
			long sum = await Thrice (n, "three");
			Segment (Method.Outer);
			return sum;
		}
		case 3:
			try {
				return await Fails (n);
			} catch (Failed e) {
				Segment (Method.Outer);
				return e.Message.Length;
			}
		case 4: {
			var running = Cancelled (n, source.Token);
			await new Turn ();
			Segment (Method.Outer);
			source.Cancel ();
			try {
				return await running;
			} catch (OperationCanceledException) {
				Segment (Method.Outer);
				Failure (Method.Outer);
				throw;
			}
		}
		case 5: {
			string log = await Cleans (n);
			Segment (Method.Outer);
			return log.Length;
		}
		case 6: {
			var (number, text) = await Value (n);
			if (n % 3 != 0)
				Segment (Method.Outer);
			return number + text.Length;
		}
		default: {
			string word = await Generic ("word", 2);
			Segment (Method.Outer);
			double half = await Generic (0.5, n % 16 == 7 ? 0 : 1);
			if (n % 16 != 7)
				Segment (Method.Outer);
			return word.Length + (long) (half * 2);
		}
		}
	}

	static long RunOne (int n)
	{
		var task = Outer (n);
		Turn.RunUntil (task);
		return task.IsCanceled ? -1 : task.Result;
	}

	static long Run (int begin, int count)
	{
		long sum = 0;
		own = new int [(int) Method.Count, 3];
		for (int i = 0; i < count; i++)
			sum += RunOne (begin + i);
		lock (counts)
			for (int i = 0; i < own.Length; i++)
				counts [i / 3, i % 3] += own [i / 3, i % 3];
		return sum;
	}

	static int Main (string[] args)
	{
		long sum = 0;
		var threads = new Thread [int.Parse (args [1])];
		int each = int.Parse (args [0]) / threads.Length;
		for (int i = 0; i < threads.Length; i++) {
			int begin = i * each;
			threads [i] = new Thread (() => Interlocked.Add (ref sum, Run (begin, each)));
			threads [i].Start ();
		}
		foreach (var thread in threads)
			thread.Join ();
		for (int i = 0; i < (int) Method.Count; i++)
			Console.WriteLine ("= {0} {1} {2} {3}", (Method) i, counts [i, 0], counts [i, 1], counts [i, 2]);
		Console.WriteLine ("sum {0}", sum);
		return 0;
	}
}
