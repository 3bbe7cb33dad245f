// SPDX-License-Identifier: MIT
//
// exceptions.cs - every way in which an exception leaves frames: through recursion, finally, fault, filters, handlers.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

class Deep : Exception
{
	public readonly int Level;
	public Deep (int level) : base ("deep " + level) => Level = level;
}

static class Recursion
{
	static int Down (int n)
	{
		if (n == 0)
			throw new Deep (0);
		return Down (n - 1) + 1;
	}

	// Half of the frames catch and throw again, the others only pass.
	static int Ladder (int n)
	{
		if (n == 0)
			throw new Deep (n);
		if (n % 2 == 0)
			return Ladder (n - 1) + 1;
		try {
			return Ladder (n - 1) + 1;
		} catch (Deep e) {
			throw new Deep (e.Level + 1);
		}
	}

	// A frame that catches what its own deeper self threw and goes on: recursion inside the handler.
	static int Retry (int n)
	{
		try {
			if (n % 3 == 0)
				throw new Deep (n);
			return n <= 0 ? 0 : Retry (n - 1) + 1;
		} catch (Deep) {
			return n <= 0 ? 100 : Retry (n - 2) + 10;
		}
	}

	// The catching frame is one of several of the same method, and not the innermost.
	static int CatchAt (int n, int level)
	{
		if (n == level) {
			try {
				return CatchAt (n - 1, level);
			} catch (Deep e) {
				return 1000 + e.Level;
			}
		}
		if (n == 0)
			throw new Deep (7);
		return CatchAt (n - 1, level) + 1;
	}

	static int Even (int n) => n == 0 ? throw new Deep (n) : Odd (n - 1) + 1;
	static int Odd (int n)
	{
		try {
			return Even (n - 1) + 1;
		} finally {
			Steps++;
		}
	}
	static int Steps;

	public static void Run ()
	{
		foreach (int depth in new[] { 0, 1, 50, 2000 }) {
			try {
				Down (depth);
			} catch (Deep e) {
				Console.WriteLine ("down {0}: {1}", depth, e.Message);
			}
		}
		try {
			Ladder (101);
		} catch (Deep e) {
			Console.WriteLine ("ladder: {0}", e.Level);
		}
		Console.WriteLine ("retry: {0} {1}", Retry (20), Retry (25));
		for (int i = 0; i < 40; i++)
			Console.Write (CatchAt (60, 1 + i) + " ");
		Console.WriteLine ();
		for (int i = 0; i < 20; i++)
			try {
				Even (2 * i);
			} catch (Deep) {
			}
		Console.WriteLine ("steps: {0}", Steps);
	}
}

static class Finally
{
	static readonly List<string> Log = new ();

	static void Note (string text) => Log.Add (text);

	static void Thrower (string text) => throw new InvalidOperationException (text);

	// The second exception supersedes the first: the frames between are left once, by the second.
	static void ThrowInFinally ()
	{
		try {
			Thrower ("first");
		} finally {
			Note ("finally");
			Thrower ("second");
		}
	}

	static void CaughtInFinally ()
	{
		try {
			Thrower ("outer");
		} finally {
			try {
				Thrower ("inner");
			} catch (InvalidOperationException e) {
				Note ("caught " + e.Message);
			}
		}
	}

	static int Nested (int n)
	{
		try {
			try {
				if (n == 0)
					Thrower ("bottom");
				return Nested (n - 1) + 1;
			} finally {
				Note ("a" + n);
				if (n % 2 == 1)
					Quiet (n);
			}
		} finally {
			Note ("b" + n);
		}
	}

	static void Quiet (int n)
	{
		try {
			if (n > 0)
				Nested (0);
		} catch (InvalidOperationException) {
			Note ("q" + n);
		}
	}

	// Each finally throws a new exception over the one in flight.
	static void Superseding (int n)
	{
		try {
			if (n == 0)
				Thrower ("s0");
			Superseding (n - 1);
		} finally {
			if (n % 3 == 2)
				Thrower ("s" + n);
		}
	}

	static void ThrowInCatch (int n)
	{
		try {
			Thrower ("t" + n);
		} catch (InvalidOperationException) when (n >= 0) {
			if (n > 0)
				ThrowInCatch (n - 1);
			throw;
		} finally {
			Note ("c" + n);
		}
	}

	static int ReturnFromFinallyProtected (int n)
	{
		for (int i = 0; ; i++) {
			try {
				if (i == n)
					return i * 10;
				if (i % 2 == 0)
					continue;
				Thrower ("loop");
			} catch (InvalidOperationException) {
				if (i == n - 1)
					break;
			} finally {
				Note ("l" + i);
			}
		}
		return -1;
	}

	// Nothing is in flight when these finally blocks begin; what they throw leaves the block and then the method.
	static int ThrowAtTheEnd (int n)
	{
		try {
			Note ("d" + n);
		} finally {
			Note ("e" + n);
			Thrower ("end" + n);
			Note ("never");
		}
		return n;
	}

	static int CatchOwnEnd (int n)
	{
		try {
			try {
				Note ("f" + n);
			} finally {
				Note ("g" + n);
				Thrower ("own" + n);
				Note ("never");
			}
		} catch (InvalidOperationException e) when (e.Message.Length > 0) {
			Note ("h" + n);
		}
		return n == 0 ? 0 : CatchOwnEnd (n - 1);
	}

	static int RecurseAtTheEnd (int n)
	{
		try {
			try {
				Note ("i" + n);
			} finally {
				if (n == 0)
					Thrower ("bottom");
				RecurseAtTheEnd (n - 1);
				Note ("never");
			}
		} catch (InvalidOperationException) when (n == 3) {
			Note ("j" + n);
		} finally {
			Note ("k" + n);
		}
		return n;
	}

	static int InlinedEnd (int n)
	{
		try {
			return ThrowAtTheEnd (n) + ThrowAtTheEnd (n + 1);
		} finally {
			CatchOwnEnd (1);
		}
	}

	static void Try (Action action)
	{
		try {
			action ();
		} catch (Exception e) {
			Console.WriteLine (e.GetType ().Name + " " + e.Message);
		}
		Console.WriteLine (string.Join (" ", Log));
		Log.Clear ();
	}

	public static void Run ()
	{
		for (int i = 0; i < 3; i++) {
			Try (ThrowInFinally);
			Try (CaughtInFinally);
			Try (() => Nested (7));
			Try (() => Superseding (12));
			Try (() => ThrowInCatch (5));
			Try (() => ThrowAtTheEnd (1));
			Try (() => CatchOwnEnd (3));
			Try (() => RecurseAtTheEnd (6));
			Try (() => RecurseAtTheEnd (2));
			Try (() => InlinedEnd (2));
			Try (() => Console.WriteLine (ReturnFromFinallyProtected (5) + " " + ReturnFromFinallyProtected (6)));
		}
	}
}

static class Filters
{
	static int Asked;

	static bool No () { Asked++; return false; }
	static bool Yes () { Asked++; return true; }
	static bool Throwing (int n) { Asked++; return n == 0 ? throw new Deep (n) : Throwing (n - 1); }
	static bool Catching (int n)
	{
		Asked++;
		try {
			return Throwing (n);
		} catch (Deep) {
			return n % 2 == 0;
		}
	}
	static bool Nesting (int n)
	{
		try {
			Raise (n);
		} catch (Deep) when (n > 0 && Nesting (n - 1)) {
			return true;
		} catch (Deep) when (Throwing (2) || true) {
			return false;
		} catch (Deep) {
			return n >= 0;
		}
		return false;
	}

	static void Raise (int n)
	{
		if (n > 0)
			Raise (n - 1);
		throw new Deep (n);
	}

	static string Choose (int n)
	{
		try {
			Raise (n);
		} catch (Deep) when (No ()) {
			return "no";
		} catch (Deep) when (Throwing (n)) {
			return "throwing";
		} catch (Deep) when (Catching (n)) {
			return "catching";
		} catch (Deep) when (Nesting (n)) {
			return "nesting";
		} catch (Deep) when (Yes ()) {
			return "yes";
		}
		return "none";
	}

	// Filters of several frames run on top of a stack that is still whole.
	static string Pass (int n)
	{
		try {
			if (n == 0)
				Raise (3);
			return Pass (n - 1);
		} catch (Deep) when (n % 2 == 0 ? No () : Throwing (n)) {
			return "never";
		} finally {
			Asked += 1000;
		}
	}

	public static void Run ()
	{
		for (int i = 0; i < 6; i++)
			Console.Write (Choose (i % 4) + " ");
		for (int i = 0; i < 6; i++)
			try {
				Console.WriteLine (Pass (i));
			} catch (Deep e) when (Catching (i) || Yes ()) {
				Console.Write (e.Level + " ");
			}
		Console.WriteLine (Asked);
	}
}

static class Rethrow
{
	static void Origin () => throw new Deep (1);

	static void Plain (int n)
	{
		try {
			if (n == 0)
				Origin ();
			else
				Plain (n - 1);
		} catch (Deep) {
			throw;
		}
	}

	static void Same (int n)
	{
		try {
			if (n == 0)
				Origin ();
			else
				Same (n - 1);
		} catch (Deep e) {
			throw e;
		}
	}

	static void Captured (int n)
	{
		System.Runtime.ExceptionServices.ExceptionDispatchInfo info = null;
		try {
			if (n == 0)
				Origin ();
			else
				Captured (n - 1);
		} catch (Deep e) {
			info = System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture (e);
		}
		info?.Throw ();
	}

	static void Wrapped (int n)
	{
		try {
			if (n == 0)
				Origin ();
			else
				Wrapped (n - 1);
		} catch (Exception e) {
			throw new InvalidOperationException ("w" + n, e);
		}
	}

	static int Inner (Exception e) => e.InnerException == null ? 0 : Inner (e.InnerException) + 1;

	public static void Run ()
	{
		Action<int>[] all = { Plain, Same, Captured, Wrapped };
		for (int round = 0; round < 4; round++)
			foreach (var one in all)
				try {
					one (round * 3);
				} catch (Exception e) {
					Console.WriteLine (e.Message + " " + Inner (e));
				}
	}
}

static class StaticConstructors
{
	class Failing
	{
		public static int Value;
		static Failing () { Value = Compute (0); }
		static int Compute (int n) => n == 0 ? throw new Deep (5) : n;
		public static int Get () => Value;
		public int Instance () => 1;
	}
	class Nested { static Nested () { Failing.Get (); } public static void Touch () { } }
	class Catching
	{
		public static readonly int Seen;
		static Catching ()
		{
			try {
				Nested.Touch ();
			} catch (TypeInitializationException e) {
				Seen = e.InnerException is TypeInitializationException ? 2 : 1;
			}
		}
		public static void Touch () { }
	}
	class Generic<T>
	{
		public static int Count;
		static Generic () { Count = typeof (T) == typeof (string) ? throw new Deep (9) : 3; }
		public static int Get () => Count;
	}

	static string Ask (Func<int> what)
	{
		try {
			return what ().ToString ();
		} catch (TypeInitializationException e) {
			return e.InnerException.GetType ().Name;
		}
	}

	public static void Run ()
	{
		for (int i = 0; i < 3; i++)
			Console.WriteLine (Ask (Failing.Get) + " " + Ask (() => new Failing ().Instance ()));
		Catching.Touch ();
		Console.WriteLine (Catching.Seen);
		for (int i = 0; i < 2; i++)
			Console.WriteLine (Ask (Generic<string>.Get) + " " + Ask (Generic<int>.Get) + " " +
				Ask (Generic<object>.Get));
	}
}

static class Faults
{
	class Node { public Node Next; public int Value; }
	struct Wide { public long A, B, C, D; }

	static int Follow (Node n, int steps) => steps == 0 ? n.Value : Follow (n.Next, steps - 1);
	static int Divide (int a, int b) => a / b;
	static int Index (int[] a, int i) => a[i];
	static object Cast (object o) => (string) o;
	static int Overflow (int a) => checked (a * 65536);
	static Wide Copy (Wide[] a) => a[3];
	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static int Field (Node n) => n.Value;
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Outer (Node n) => Field (n) + Field (n.Next);
	static void Store (object[] a) => a[0] = new Node ();
	static int Unbox (object o) => (int) o;
	static int[] Negative (int n) => new int[n];

	static string Ask (Action what)
	{
		try {
			what ();
			return "-";
		} catch (Exception e) {
			return e.GetType ().Name;
		} finally {
			Done++;
		}
	}
	static int Done;

	public static void Run ()
	{
		int zero = 0;
		for (int i = 0; i < 30; i++) {
			string all = string.Join (" ", Ask (() => Follow (new Node (), 1 + i % 3)), Ask (() => Divide (i, zero)),
				Ask (() => Divide (int.MinValue, -1)), Ask (() => Index (new int[3], i + 3)),
				Ask (() => Cast (new Node ())),
				Ask (() => Overflow (65536 + i)), Ask (() => Copy (null)), Ask (() => Outer (new Node ())),
				Ask (() => Outer (null)),
				Ask (() => Store (new string[1])), Ask (() => Unbox (1L)), Ask (() => Negative (-1 - i)));
			if (i % 29 == 0)
				Console.WriteLine (all);
		}
		Console.WriteLine (Done);
	}
}

static class Disposing
{
	sealed class Resource : IDisposable
	{
		readonly int id;
		public Resource (int id) { if (id == 4) throw new Deep (id); this.id = id; }
		public void Dispose () { Log += id; if (id % 3 == 2) throw new InvalidOperationException ("dispose " + id); }
	}
	ref struct Scoped { public int Id; public void Dispose () { Log += "r" + Id; if (Id == 1) throw new Deep (Id); } }

	static string Log = "";

	static int Use (int id)
	{
		using var r = new Resource (id);
		using (var s = new Scoped { Id = id }) {
			if (id == 3)
				throw new Deep (id);
			return id + (id > 0 ? Use (id - 1) : 0);
		}
	}

	static async System.Threading.Tasks.Task Later (int id)
	{
		await using var r = new Slow (id);
		await System.Threading.Tasks.Task.CompletedTask;
		if (id == 1)
			throw new Deep (id);
	}
	sealed class Slow : IAsyncDisposable
	{
		readonly int id;
		public Slow (int id) => this.id = id;
		public System.Threading.Tasks.ValueTask DisposeAsync () => id == 2 ? throw new Deep (20) : default;
	}

	public static void Run ()
	{
		for (int i = 0; i < 6; i++)
			try {
				Console.WriteLine (Use (i));
			} catch (Exception e) {
				Console.WriteLine (e.Message);
			}
		for (int i = 0; i < 3; i++)
			Console.WriteLine (Later (i).Exception?.InnerException.Message);
		Console.WriteLine (Log);
	}
}

// Exceptions cross frames of the framework, which a filter usually does not want, in both directions.
static class Frameworks
{
	sealed class Moody : IComparer<int>, IEqualityComparer<int>
	{
		public int Limit;
		public int Compare (int a, int b) => Limit-- <= 0 ? throw new Deep (a - a) : a.CompareTo (b);
		public bool Equals (int a, int b) => Limit-- <= 0 ? throw new Deep (1) : a == b;
		public int GetHashCode (int a) => a % 3;
	}

	static int Sort (int limit)
	{
		var list = new List<int> ();
		for (int i = 0; i < 40; i++)
			list.Add (i * 7 % 41);
		try {
			list.Sort (new Moody { Limit = limit });
			return list[0];
		} catch (InvalidOperationException e) {
			return -((Deep) e.InnerException).Level - 1;
		}
	}

	static int Lookup (int limit)
	{
		var d = new Dictionary<int, int> (new Moody { Limit = limit });
		try {
			for (int i = 0; i < 20; i++)
				d[i] = i;
		} catch (Deep e) {
			return e.Level;
		}
		return d.Count;
	}

	static T Call<T> (Func<T> f) => f ();
	static int Lazily (Lazy<int> l) => l.Value;
	static int Parse (string s) => int.Parse (s);

	public static void Run ()
	{
		for (int i = 0; i < 200; i += 19)
			Console.Write (Sort (i) + " " + Lookup (i) + " ");
		Console.WriteLine ();
		var lazy = new Lazy<int> (() => Call<int> (() => Parse ("x")));
		for (int i = 0; i < 3; i++)
			try {
				Lazily (lazy);
			} catch (FormatException) {
				Console.WriteLine ("format");
			}
		try {
			System.Threading.Tasks.Parallel.For (0, 1, i => Parse ("y"));
		} catch (AggregateException e) {
			Console.WriteLine (e.InnerExceptions.Count);
		}
		try {
			Array.ForEach (new[] { 1, 2, 3 }, i => Parse (i == 3 ? "z" : "3"));
		} catch (FormatException) {
			Console.WriteLine ("foreach");
		}
		Console.WriteLine (string.Concat (Recorded ()));
	}

	static IEnumerable<string> Recorded ()
	{
		var seen = new List<string> ();
		EventHandler<System.Runtime.ExceptionServices.FirstChanceExceptionEventArgs> handler = (s, e) => {
			try {
				if (seen.Count < 3)
					Inner (seen, e.Exception);
			} catch (Deep) {
			}
		};
		AppDomain.CurrentDomain.FirstChanceException += handler;
		try {
			Parse ("first chance");
		} catch (FormatException) {
		}
		AppDomain.CurrentDomain.FirstChanceException -= handler;
		return seen;
	}

	static void Inner (List<string> seen, Exception e)
	{
		seen.Add (e.GetType ().Name);
		throw new Deep (seen.Count);
	}
}

// The thread that ends by an exception thrown in the middle, and nested handlers that are left by goto-like flows.
static class Escape
{
	static int Spiral (int n, Func<int, int> f)
	{
		try {
			try {
				return f (n);
			} catch (Deep e) when (e.Level == n) {
				return Spiral (n + 1, f) + 1;
			}
		} catch (Deep e) when (e.Level == n + 2) {
			return Spiral (n + 3, f) + 100;
		}
	}

	static int Thrower (int n) => n < 9 ? throw new Deep (n % 3 == 0 ? n + 2 : n) : 5;

	static int Loop (int rounds)
	{
		int sum = 0;
		for (int i = 0; i < rounds; i++) {
			try {
				if (i % 5 == 0)
					continue;
				if (i % 7 == 0)
					break;
				if (i % 3 == 0)
					Thrower (i % 9);
				sum += i;
			} catch (Deep) {
				try {
					Thrower (1);
				} catch (Deep) {
					sum += 1000;
					goto next;
				}
			} finally {
				sum++;
			}
			next:;
		}
		return sum;
	}

	public static void Run ()
	{
		Console.WriteLine (Spiral (0, Thrower));
		for (int i = 0; i < 50; i++)
			Loop (i);
		Console.WriteLine (Loop (30));
	}
}
