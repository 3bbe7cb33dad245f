// SPDX-License-Identifier: MIT
// Methods that the runtime suspends, which count themselves: a segment when they are called, one for each await that
// they come back from later, and one failure when they end by an exception. Prints "NAME SEGMENTS FAILURES".
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

static class Count
{
	sealed class Row { public int Segments, Failures; }
	static readonly ConcurrentDictionary<string, Row> rows = new ();

	static Row Of (string name) => rows.GetOrAdd (name, _ => new Row ());
	public static void Segment ([CallerMemberName] string name = "") => Interlocked.Increment (ref Of (name).Segments);
	public static void Failure ([CallerMemberName] string name = "") => Interlocked.Increment (ref Of (name).Failures);

	public static void Print ()
	{
		foreach (var (name, row) in rows.OrderBy (r => r.Key, StringComparer.Ordinal))
			Console.WriteLine ("= {0} {1} {2}", name, row.Segments, row.Failures);
	}
}

// What an await of it does: it is suspended always, and somebody resumes it.
readonly struct Later : ICriticalNotifyCompletion
{
	readonly Action<Action> resume;
	public Later (Action<Action> resume) { this.resume = resume; }
	public Later GetAwaiter () => this;
	public bool IsCompleted => false;
	public void GetResult () { }
	public void OnCompleted (Action what) => resume (what);
	public void UnsafeOnCompleted (Action what) => resume (what);

	public static Later OnPool => new (what => ThreadPool.UnsafeQueueUserWorkItem (_ => what (), null));
	public static Later OnThread => new (what => new Thread (() => what ()).Start ());
	public static Later Here => new (what => what ());
}

class Failed : Exception { public Failed (string what) : base (what) { } }
class Other : Exception { }

struct Large { public long A, B, C; public string Name; public double D; }

interface IShape { ValueTask<int> Area (int n); }

class Square : IShape
{
	readonly int side;
	public Square (int side) { this.side = side; }
	public virtual async ValueTask<int> Area (int n)
	{
		Count.Segment ();
		await Later.OnPool;
		Count.Segment ();
		return side * side * n;
	}
}

struct Point
{
	public int X;
	public async Task<int> Shifted (int by)
	{
		Count.Segment ();
		await Task.Yield ();
		Count.Segment ();
		return X + by;
	}
}

class Box<T>
{
	readonly T value;
	public Box (T value) { this.value = value; }
	public async Task<T> Get () { Count.Segment (); await Later.OnPool; Count.Segment (); return value; }
	public static async ValueTask<(T, U)> Both<U> (T one, U other)
	{
		Count.Segment ();
		await Task.Yield ();
		Count.Segment ();
		await Task.CompletedTask;
		return (one, other);
	}
}

static class Simple
{
	public static async Task<int> Never (int n)
	{
		Count.Segment ();
		await Task.CompletedTask;
		return n + await Task.FromResult (1);
	}

	public static async Task Once () { Count.Segment (); await Task.Yield (); Count.Segment (); }

	public static async Task<double> Thrice (double x)
	{
		Count.Segment ();
		var large = new Large { A = 1, B = 2, C = 3, Name = "large", D = x };
		double sum = x / 3;
		await Later.OnPool;
		Count.Segment ();
		sum += large.D;
		await Later.OnThread;
		Count.Segment ();
		sum += large.A + large.B;
		await Later.Here;
		Count.Segment ();
		return sum + large.Name.Length + large.C;
	}

	public static async Task<int> Nested (int n)
	{
		Count.Segment ();
		await Once ();
		Count.Segment ();
		int one = await Never (n);
		await Once ().ConfigureAwait (false);
		Count.Segment ();
		return one + n;
	}

	public static async Task<int> Fibonacci (int n)
	{
		Count.Segment ();
		if (n < 2) {
			if (n == 1) {
				await Task.Yield ();
				Count.Segment ();
			}
			return n;
		}
		int one = await Fibonacci (n - 1);
		Count.Segment ();
		int two = await Fibonacci (n - 2);
		if (n > 2)
			Count.Segment ();
		return one + two;
	}

	public static async Task<long> Loop (int n)
	{
		Count.Segment ();
		long sum = 0;
		for (int i = 0; i < n; i++)
			sum += await Never (i);
		return sum;
	}

	public static async Task<long> Yields (int n)
	{
		Count.Segment ();
		long sum = 0;
		for (int i = 0; i < n; i++) {
			sum += i;
			await Task.Yield ();
			Count.Segment ();
		}
		return sum;
	}

	public static async Task All ()
	{
		Count.Segment ();
		var started = new List<Task<long>> ();
		for (int i = 0; i < 8; i++)
			started.Add (Task.Run (() => Yields (500)));
		Task.WaitAll (started.ToArray ());
		await Later.OnPool;
		Count.Segment ();
		Console.WriteLine ("all {0}", started.Sum (t => t.Result));
	}

	public static async Task<string> Text (object what, int[] numbers)
	{
		Count.Segment ();
		await Task.Yield ();
		Count.Segment ();
		return what + " " + string.Join (",", numbers);
	}
}

static class Failing
{
	public static async Task Before ()
	{
		Count.Segment ();
		if (Program.True) {
			Count.Failure ();
			throw new Failed ("before");
		}
		await Task.Yield ();
	}

	public static async Task<int> After (string what)
	{
		Count.Segment ();
		await Later.OnPool;
		Count.Segment ();
		Count.Failure ();
		throw new Failed (what);
	}

	// Never resumed: the exception passes it by.
	public static async Task PassedBy () { Count.Segment (); await After ("passed by"); Count.Segment (); }

	// It has not been suspended when the exception comes.
	public static async Task Passed () { Count.Segment (); Count.Failure (); await Before (); Count.Segment (); }

	public static async Task<string> Catches (bool late)
	{
		Count.Segment ();
		try {
			if (late)
				await PassedBy ();
			else
				await Passed ();
			Count.Segment ();
		} catch (Failed e) {
			if (late)
				Count.Segment ();
			return e.Message;
		}
		return "nothing";
	}

	public static async Task<string> CatchesAndAwaits ()
	{
		Count.Segment ();
		string log = "";
		try {
			await After ("awaited in catch");
		} catch (Failed e) {
			Count.Segment ();
			await Task.Yield ();
			Count.Segment ();
			log += e.Message;
		} finally {
			await Task.Yield ();
			Count.Segment ();
			log += " finally";
		}
		return log;
	}

	public static async Task Finally ()
	{
		Count.Segment ();
		try {
			await After ("finally");
		} finally {
			Count.Segment ();
			Count.Failure ();
		}
	}

	static bool Is (Exception e, string what) => e.Message == what;

	public static async Task<string> Filters ()
	{
		Count.Segment ();
		try {
			await After ("filtered");
		} catch (Failed e) when (Is (e, "something else")) {
			return "wrong";
		} catch (Failed e) when (Is (e, "filtered")) {
			Count.Segment ();
			return e.Message;
		}
		return "nothing";
	}

	// Resumed by an exception that none of its handlers takes: a segment of which no statement runs.
	public static async Task WrongHandler (bool counts)
	{
		Count.Segment ();
		try {
			if (counts)
				Count.Segment ();
			Count.Failure ();
			await After ("wrong handler");
		} catch (Other) {
			Console.WriteLine ("never");
		}
	}

	public static async Task<int> Cancelled (CancellationToken token)
	{
		Count.Segment ();
		try {
			await Task.Delay (Timeout.Infinite, token);
		} catch (OperationCanceledException) {
			Count.Segment ();
			Count.Failure ();
			throw;
		}
		return 1;
	}

	public static async Task<int> Rethrows (int depth)
	{
		Count.Segment ();
		try {
			if (depth == 0)
				await After ("from the bottom");
			else
				await Rethrows (depth - 1);
		} catch (Failed) {
			Count.Segment ();
			Count.Failure ();
			throw;
		}
		return depth;
	}

	public static async Task<int> Deep (int depth)
	{
		Count.Segment ();
		Count.Failure ();
		try {
			if (depth == 0)
				await Before ();
			return await Deep (depth - 1);
		} finally {
			Program.True = true;
		}
	}
}

// Methods that are resumed inside of others of the same name, on the same stack.
static class Inside
{
	static Action parked;
	static Later Park => new (what => parked = what);
	static TaskCompletionSource failing;

	static void Release () { var what = parked; parked = null; what (); }

	public static async Task<string> Releases (int n)
	{
		Count.Segment ();
		if (n == 0) {
			await Park;
			Count.Segment ();
			return "released";
		}
		var inner = Releases (n - 1);
		if (n == 1)
			Release ();
		return await inner + " " + n;
	}

	public static async Task<string> Fails (int n)
	{
		Count.Segment ();
		try {
			if (n == 0) {
				Count.Failure ();
				Count.Segment (); // none of its handlers takes it
				await failing.Task;
			} else {
				failing = new TaskCompletionSource ();
				var inner = Fails (0);
				Throw ();
				await inner;
			}
		} catch (Failed e) when (n > 0) {
			return e.Message + " inside";
		} catch (Other) {
			return "never";
		}
		return "nothing";
	}

	static void Throw () => failing.SetException (new Failed ("failed"));

	public static async Task<string> FailsInFinally (int n)
	{
		Count.Segment ();
		if (n > 0) {
			failing = new TaskCompletionSource ();
			var inner = FailsInFinally (0);
			Throw ();
			try {
				return await inner;
			} catch (Failed e) {
				return e.Message + " in finally";
			}
		}
		try {
			await failing.Task;
		} finally {
			Count.Segment ();
			Count.Failure ();
		}
		return "nothing";
	}
}

static class Program
{
	public static bool True = true;

	static async Task<string> Expect (Task what)
	{
		try {
			await what;
		} catch (Exception e) {
			return e.GetType ().Name + " " + e.Message.Split ('.') [0];
		}
		return "nothing";
	}

	static async IAsyncEnumerable<int> Numbers (int n)
	{
		for (int i = 0; i < n; i++) {
			await Task.Yield ();
			yield return i;
		}
	}

	static async Task<int> Sum ()
	{
		Count.Segment ("Iterates");
		int sum = 0;
		await foreach (int i in Numbers (5))
			sum += i;
		return sum;
	}

	static async Task Simple ()
	{
		Console.WriteLine (await global::Simple.Never (1));
		await global::Simple.Once ();
		Console.WriteLine (await global::Simple.Thrice (1.5));
		Console.WriteLine (await global::Simple.Nested (3));
		Console.WriteLine (await global::Simple.Fibonacci (8));
		Console.WriteLine (await global::Simple.Loop (100000));
		Console.WriteLine (await global::Simple.Yields (20000));
		await global::Simple.All ();
		Console.WriteLine (await global::Simple.Text ("text", new[] { 1, 2, 3 }));
		Console.WriteLine (await new Square (3).Area (2));
		Console.WriteLine (await ((IShape) new Square (4)).Area (1));
		Console.WriteLine (await new Point { X = 7 }.Shifted (1));
		Console.WriteLine (await new Box<int> (5).Get () + await new Box<string> ("box").Get ());
		Console.WriteLine (await new Box<Large> (new Large { Name = "in a box" }).Get () is { Name: "in a box" });
		Console.WriteLine (await Box<int>.Both (1, "both") + " " + await Box<string>.Both ("both", 2.5));
		Func<int, Task<int>> lambda = async n => { await Task.Yield (); return n; };
		Console.WriteLine (await lambda (11));
		Console.WriteLine (await Sum ());
	}

	static async Task Fail ()
	{
		Console.WriteLine (await Expect (Failing.Before ()));
		Console.WriteLine (await Expect (Failing.After ("after")));
		Console.WriteLine (await Expect (Failing.PassedBy ()));
		Console.WriteLine (await Expect (Failing.Passed ()));
		Console.WriteLine (await Failing.Catches (true) + ", " + await Failing.Catches (false));
		Console.WriteLine (await Failing.CatchesAndAwaits ());
		Console.WriteLine (await Expect (Failing.Finally ()));
		Console.WriteLine (await Failing.Filters ());
		Console.WriteLine (await Expect (Failing.WrongHandler (true)));
		using (var source = new CancellationTokenSource ()) {
			var waits = Failing.Cancelled (source.Token);
			source.Cancel ();
			Console.WriteLine (await Expect (waits));
		}
		Console.WriteLine (await Expect (Failing.Rethrows (20)));
		Console.WriteLine (await Expect (Failing.Deep (0)));
	}

	// Suspended for as long as its argument says, twice.
	static async Task<int> Waits (int milliseconds)
	{
		await Task.Delay (milliseconds);
		await Task.Delay (milliseconds);
		return 2;
	}

	static async Task<int> Main (string[] args)
	{
		if (args.Length == 2)
			return await Waits (int.Parse (args[1])) - 2;
		int rounds = args.Length > 0 ? int.Parse (args[0]) : 1;
		for (int i = 0; i < rounds; i++) {
			await Simple ();
			await Fail ();
			Console.WriteLine (await Inside.Releases (2));
			Console.WriteLine (await Inside.Fails (1));
			Console.WriteLine (await Inside.FailsInFinally (1));
		}
		Count.Print ();
		return 0;
	}
}
