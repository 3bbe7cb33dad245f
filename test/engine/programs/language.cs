// SPDX-License-Identifier: MIT
//
// language.cs - what the compiler makes of C#: state machines, generics, interfaces, spans, closures, dynamic.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

static class Async
{
	// One thread runs all continuations, so that the number of calls does not depend on who was faster.
	sealed class Pump : SynchronizationContext
	{
		readonly Queue<(SendOrPostCallback, object)> queue = new ();
		public override void Post (SendOrPostCallback d, object state) => queue.Enqueue ((d, state));
		public void Run (Task task)
		{
			while (!task.IsCompleted) {
				var (d, state) = queue.Dequeue ();
				d (state);
			}
		}
	}

	static async Task<int> Sum (int n)
	{
		if (n == 0)
			return 0;
		await Task.Yield ();
		return n + await Sum (n - 1);
	}

	// On the pool. It awaits nothing that another thread could complete before it asks, which would save a call.
	static async Task<int> Hop (int n)
	{
		int sum = 0;
		for (; n > 0; sum += n--)
			await Task.Yield ();
		return sum;
	}

	static async Task<int> Fail (int n)
	{
		await Task.Yield ();
		try {
			return n == 0 ? throw new Deep (n) : await Fail (n - 1);
		} catch (Deep e) when (e.Level == n - 3) {
			await Task.Yield ();
			throw new Deep (n);
		} finally {
			await Task.Yield ();
		}
	}

	static async ValueTask<int> Immediate (int n)
	{
		if (n < 0)
			throw new Deep (n);
		await default (ValueTask);
		return n == 0 ? 1 : await Immediate (n - 1) + 1;
	}

	static async IAsyncEnumerable<int> Numbers (int n, [EnumeratorCancellation] CancellationToken token = default)
	{
		for (int i = 0; i < n; i++) {
			token.ThrowIfCancellationRequested ();
			await Task.Yield ();
			yield return i;
		}
		throw new Deep (n);
	}

	static async Task<int> Consume (int n)
	{
		int sum = 0;
		try {
			await foreach (int i in Numbers (n))
				sum += i;
		} catch (Deep e) {
			sum += 1000 * e.Level;
		}
		return sum;
	}

	static async Task<string> All ()
	{
		int caught = 0;
		for (int i = 0; i < 8; i++)
			try {
				await Fail (i);
			} catch (Deep e) {
				caught += e.Level;
			}
		int failed = 0;
		try {
			await Immediate (-1);
		} catch (Deep) {
			failed = 1;
		}
		return $"{await Sum (20)} {caught} {await Immediate (5)} {failed} {await Consume (5)}";
	}

	static async void Forget (TaskCompletionSource<int> done)
	{
		try {
			await Fail (1);
		} catch (Deep) {
			done.SetResult (1);
		}
	}

	public static void Run ()
	{
		var pump = new Pump ();
		var old = SynchronizationContext.Current;
		SynchronizationContext.SetSynchronizationContext (pump);
		for (int i = 0; i < 5; i++) {
			var task = All ();
			pump.Run (task);
			Console.WriteLine (task.Result);
		}
		var done = new TaskCompletionSource<int> ();
		Forget (done);
		pump.Run (done.Task);
		SynchronizationContext.SetSynchronizationContext (old);
		Console.WriteLine (Task.Run (() => Hop (10)).Result);
	}
}

static class Iterators
{
	static IEnumerable<int> Count (int n)
	{
		try {
			for (int i = 0; i < n; i++)
				yield return i == 7 ? throw new Deep (i) : i;
		} finally {
			Closed++;
		}
	}
	static int Closed;

	static IEnumerable<int> Tree (int n)
	{
		if (n == 0)
			yield break;
		foreach (int i in Tree (n - 1))
			yield return i + 1;
		yield return n;
	}

	static IEnumerable<T> Nested<T> (IEnumerable<T> source)
	{
		using var e = source.GetEnumerator ();
		while (true) {
			try {
				if (!e.MoveNext ())
					yield break;
			} catch (Deep) {
				break;
			}
			yield return e.Current;
		}
	}

	public static void Run ()
	{
		int sum = 0;
		for (int i = 0; i < 20; i++) {
			try {
				foreach (int j in Count (i))
					if (j == 5 && i % 2 == 0)
						break;
					else
						sum += j;
			} catch (Deep) {
				sum += 100;
			}
			sum += Nested (Nested (Count (i))).Sum () + Tree (i).Count ();
		}
		Console.WriteLine (sum + " " + Closed);
		Console.WriteLine (Count (5).Select (i => i * 2).Where (i => i > 2).Concat (Tree (4))
			.Aggregate ((a, b) => a * 3 + b));
	}
}

class Base<T>
{
	public virtual string Name<U> (T t, U u) => typeof (T).Name + typeof (U).Name;
	public virtual U Throw<U> (int n) => n == 0 ? throw new Deep (n) : Throw<U> (n - 1);
	public class Inner<V>
	{
		public struct Point<W>
		{
			public T A; public V B; public W C;
			public string Say () => typeof (T).Name + typeof (V).Name + typeof (W).Name;
			public static X Fail<X> (X x) => x is int ? throw new Deep (1) : x;
		}
		public virtual string Who<W> () => typeof (V).Name + typeof (W).Name;
	}
}

class Derived : Base<string>
{
	public override string Name<U> (string t, U u) => base.Name (t, u) + "!";
	public override U Throw<U> (int n)
	{
		try {
			return base.Throw<U> (n);
		} finally {
			Left++;
		}
	}
	public static int Left;
}

static class Generics
{
	static string Seven<A, B, C, D, E, F, G> (A a, B b, C c, D d, E e, F f, G g) => "" + a + b + c + d + e + f + g;
	static int SevenThrow<A, B, C, D, E, F, G> (int n) where G : new () =>
		n == 0 ? throw new Deep (7) : SevenThrow<B, C, D, E, F, G, A2> (n - 1);
	class A2 { }
	class Wide<A, B, C, D, E, F>
	{
		public string M<G> (G g) => typeof (A).Name + typeof (F).Name + typeof (G).Name;
		public static int Fail<G> (int n) => n == 0 ? throw new Deep (6) : Wide<B, C, D, E, F, A>.Fail<A> (n - 1);
	}

	static T Fail<T> (int n) => n == 0 ? throw new Deep (n) : Fail<T> (n - 1);
	static int Growing<T> (int n) => n == 0 ? throw new Deep (n) : Growing<(T, int)> (n - 1) + 1;
	static int GrowingReference<T> (int n)
	{
		try {
			return n == 0 ? throw new Deep (n) : GrowingReference<List<T>> (n - 1) + 1;
		} catch (Deep) when (n == 3) {
			return 10;
		}
	}

	static string Ask (Func<object> f)
	{
		try {
			return f ()?.ToString ();
		} catch (Deep e) {
			return "deep" + e.Level;
		}
	}

	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static T Pick<T> (bool a, T x, T y) => a ? x : y;

	public static void Run ()
	{
		Base<string> b = new Derived ();
		for (int i = 0; i < 5; i++)
			Console.WriteLine (string.Join (" ", Ask (() => b.Name ("", 1)), Ask (() => b.Name ("", "")),
				Ask (() => b.Throw<int> (i)),
				Ask (() => b.Throw<string> (i)), Ask (() => b.Throw<Guid> (i)),
				Ask (() => new Base<int> ().Throw<(int, string)> (i)),
				Ask (() => new Base<int>.Inner<string>.Point<Guid> ().Say ()),
				Ask (() => Base<int>.Inner<string>.Point<Guid>.Fail (i % 2 == 0 ? "a" : "b")),
				Ask (() => Base<string>.Inner<string>.Point<string>.Fail (i)),
				Ask (() => new Base<object>.Inner<long> ().Who<List<int>> ())));
		for (int i = 0; i < 5; i++)
			Console.WriteLine (string.Join (" ", Ask (() => Seven (1, "b", 'c', 4L, 5.5, "f", 7u)),
				Ask (() => SevenThrow<int, string, char, long, double, object, A2> (i)),
				Ask (() => SevenThrow<string, string, string, string, string, string, A2> (i)),
				Ask (() => new Wide<int, int, int, int, int, string> ().M (1)),
				Ask (() => Wide<int, string, int, int, int, int>.Fail<int> (i)),
				Ask (() => Fail<int> (i)), Ask (() => Fail<string> (i)), Ask (() => Fail<Guid> (i)),
				Ask (() => Fail<List<string>> (i)),
				Ask (() => Growing<int> (i)), Ask (() => Growing<string> (i)),
				Ask (() => GrowingReference<string> (i + 2)),
				Ask (() => GrowingReference<int> (i + 2))));
		int picked = 0;
		for (int i = 0; i < 1000; i++)
			picked += Pick (i % 2 == 0, i, 1) + Pick (i % 3 == 0, "a", "bc").Length;
		Console.WriteLine (picked + " " + Derived.Left);
	}
}

interface IShape<TSelf> where TSelf : IShape<TSelf>
{
	static abstract TSelf Make (int n);
	static virtual string Kind => "shape";
	static abstract TSelf operator + (TSelf a, TSelf b);
	int Size { get; }
	int Double () => Size * 2;
	int Fail (int n) => n == 0 ? throw new Deep (Size) : Fail (n - 1);
	static int Helper (TSelf s) => s.Size;
}
readonly struct Square : IShape<Square>
{
	readonly int n;
	Square (int n) => this.n = n;
	public static Square Make (int n) => n < 0 ? throw new Deep (n) : new Square (n);
	public static string Kind => "square";
	public static Square operator + (Square a, Square b) => new Square (a.n + b.n);
	public int Size => n * n;
}
sealed class Circle : IShape<Circle>
{
	int r;
	public static Circle Make (int n) => n < 0 ? throw new Deep (n) : new Circle { r = n };
	public static Circle operator + (Circle a, Circle b) => new Circle { r = a.r + b.r };
	public int Size => 3 * r;
	int IShape<Circle>.Double () => Size * 20;
}
interface ILeft { string Who () => "left"; }
interface IRight : ILeft { string ILeft.Who () => "right"; }
class Diamond : IRight { }

static class Interfaces
{
	static string Work<T> (int n) where T : IShape<T>
	{
		try {
			T a = T.Make (n), b = a + T.Make (n - 3);
			return T.Kind + b.Size + " " + b.Double () + " " + IShape<T>.Helper (a) + " " + b.Fail (n);
		} catch (Deep e) {
			return T.Kind + " deep" + e.Level;
		}
	}

	public static void Run ()
	{
		for (int i = 0; i < 6; i++)
			Console.WriteLine (Work<Square> (i) + " " + Work<Circle> (i));
		Console.WriteLine (((ILeft) new Diamond ()).Who ());
	}
}

ref struct Reader
{
	ReadOnlySpan<byte> rest;
	public Reader (ReadOnlySpan<byte> data) => rest = data;
	public byte Next () { byte b = rest[0]; rest = rest[1..]; return b; }
	public readonly ref readonly byte Peek => ref rest[0];
	public ReadOnlySpan<byte> Take (int n) { var r = rest[..n]; rest = rest[n..]; return r; }
}

static unsafe class Spans
{
	static int Sum (scoped ReadOnlySpan<byte> data)
	{
		var r = new Reader (data);
		int sum = 0;
		try {
			while (true)
				sum += r.Peek + r.Next () + r.Take (2).Length;
		} catch (IndexOutOfRangeException) {
			return sum;
		} catch (ArgumentOutOfRangeException) {
			return -sum;
		}
	}

	static int Local (int n)
	{
		Span<byte> data = stackalloc byte[n];
		data.Fill (3);
		byte* more = stackalloc byte[n + 1];
		more[n] = 1;
		if (n % 5 == 0)
			throw new Deep (Sum (data) + more[n]);
		return Sum (data) + Local (n - 1);
	}

	static Span<T> Cut<T> (Span<T> s) => s.Length > 3 ? Cut (s[1..]) : s;
	static ref T Last<T> (Span<T> s) => ref s[^1];

	public static void Run ()
	{
		for (int i = 1; i < 60; i += 3)
			try {
				Local (i);
			} catch (Deep e) {
				Console.Write (e.Level + " ");
			}
		int[] a = { 1, 2, 3, 4, 5 };
		Last (Cut (a.AsSpan ())) = 9;
		Console.WriteLine (string.Join (",", a));
		Console.WriteLine (string.Create (5, 7, (s, n) => s.Fill ((char) ('a' + n))));
	}
}

static class Inlined
{
	const MethodImplOptions Always = MethodImplOptions.AggressiveInlining;

	[MethodImpl (Always)] static int A (int n) => B (n) + 1;
	[MethodImpl (Always)] static int B (int n) => C (n) + 1;
	[MethodImpl (Always)] static int C (int n) => n % 4 == 0 ? throw new Deep (n) : n;
	[MethodImpl (Always)]
	static int Protected (int n)
	{
		try {
			return A (n);
		} finally {
			Done++;
		}
	}
	[MethodImpl (Always)]
	static int Guarded (int n)
	{
		try {
			return Protected (n) + A (n + 1);
		} catch (Deep e) when (Small (e.Level)) {
			return A (1);
		}
	}
	[MethodImpl (Always)] static bool Small (int n) => n < 50;
	static int Done;

	// Several frames of one machine frame, left together, again and again while the code climbs the tiers.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Hot (int rounds)
	{
		int sum = 0;
		for (int i = 0; i < rounds; i++) {
			try {
				sum += A (i) + B (i) + Guarded (i);
			} catch (Deep) {
				sum += Done & 7;
			}
		}
		return sum;
	}

	[MethodImpl (Always)] static int Depth (int n) => n == 0 ? A (4) : Depth (n - 1) + 1;

	struct Counter
	{
		public int N;
		[MethodImpl (Always)] public int Next () => ++N % 5 == 0 ? throw new Deep (N) : N;
		public int Total { [MethodImpl (Always)] get { int sum = 0; while (true) sum += Next (); } }
	}

	public static void Run ()
	{
		for (int i = 0; i < 60; i++)
			Hot (60);
		Console.WriteLine (Hot (400) + " " + Done);
		for (int i = 0; i < 40; i++)
			try {
				Depth (i % 6);
			} catch (Deep) {
				Done++;
			}
		var c = new Counter ();
		for (int i = 0; i < 10; i++)
			try {
				Done += c.Total;
			} catch (Deep e) {
				Done += e.Level;
			}
		Console.WriteLine (Done);
	}
}

static class Threads
{
	static int Work (int n, int seed) =>
		n == 0 ? (seed % 2 == 0 ? throw new Deep (seed) : seed) : Work (n - 1, seed) + 1;

	static void Body (int id, int[] results)
	{
		for (int i = 0; i < 150; i++)
			try {
				results[id] += Work (i % 17, i + id);
			} catch (Deep e) {
				results[id] += e.Level;
			} finally {
				results[id] ^= Box (i).GetHashCode ();
			}
	}
	static object Box<T> (T value) => value;

	static void Lock (object gate, ref int count)
	{
		for (int i = 0; i < 100; i++)
			try {
				lock (gate) {
					count++;
					if (i % 3 == 0)
						throw new Deep (i);
				}
			} catch (Deep) {
			}
	}
	static int count;

	public static void Run ()
	{
		var results = new int[8];
		var threads = new Thread[8];
		var gate = new object ();
		for (int i = 0; i < 8; i++) {
			int id = i;
			threads[i] = new Thread (() => { Body (id, results); Lock (gate, ref count); });
		}
		foreach (var t in threads)
			t.Start ();
		for (int i = 0; i < 5; i++)
			GC.Collect ();
		foreach (var t in threads)
			t.Join ();
		Console.WriteLine (string.Join (" ", results) + " " + count);
		int n = 0;
		for (int i = 0; i < 30; i++) {
			var t = new Thread (() => { try { Work (3, 2); } catch (Deep) { Interlocked.Increment (ref n); } },
				256 * 1024);
			t.Start ();
			t.Join ();
		}
		Console.WriteLine (n);
	}
}

static class Closures
{
	static int Outer (int n)
	{
		int depth = 0;
		int Local (int m)
		{
			depth++;
			return m == 0 ? throw new Deep (depth) : Local (m - 1) + Static (m);
		}
		static int Static (int m) => m * 2;
		T Generic<T> (T value) => depth > 100 ? throw new Deep (1) : value;
		try {
			return Local (n);
		} catch (Deep e) {
			Func<int, Func<int>> curry = a => () => a + Generic (e.Level) + n;
			return curry (3) ();
		}
	}

	static event Action<int> Happened;

	static int Big (int n)
	{
		switch (n) {
		case 0: return 1; case 1: return 5; case 2: throw new Deep (2); case 3: return 8; case 4: return 1;
		case 5: return 7; case 6: return 2; case 7: return 9; case 8: throw new Deep (8); case 9: goto case 3;
		case 10: return 4; case 11: break; case 12: return n * 3; case 13: return Big (n - 1);
		case 14: return Big (2); case 15: return 11; case 16: return 12; case 17: return 13;
		case 18: return 14; case 19: n = 5; goto case 5; case 20: return Big (8) + 1; default: return -1;
		}
		return 77;
	}

	static string Text (string s) => s switch {
		"alpha" => "1", "beta" => "2", "gamma" => "3", "delta" => "4", "epsilon" => "5", "zeta" => "6", "eta" => "7",
		{ Length: > 10 } => throw new Deep (s.Length), ['x', .., var c] => "x" + c, null => "null", _ => "other",
	};

	record Person (string Name, int Age) { public int Check () => Age < 0 ? throw new Deep (Age) : Age; }

	public static void Run ()
	{
		int sum = 0, caught = 0;
		for (int i = 0; i < 40; i++) {
			sum += Outer (i % 7);
			try {
				sum += Big (i % 23);
			} catch (Deep) {
				caught++;
			}
		}
		foreach (string s in new[] { "alpha", "eta", "xyz", null, "nothing", "something longer" })
			try {
				Console.Write (Text (s) + " ");
			} catch (Deep e) {
				Console.Write (e.Level + " ");
			}
		Action<int> first = n => sum += n, second = n => throw new Deep (n), third = n => sum += 1000;
		Happened += first + second + third;
		try {
			Happened (5);
		} catch (Deep) {
			caught++;
		}
		var p = new Person ("a", -1) with { Name = "b" };
		try {
			sum += p.Check ();
		} catch (Deep) {
			caught++;
		}
		Console.WriteLine (sum + " " + caught + " " + p + " " + p.Equals (new Person ("b", -1)));
	}
}

static class Dynamic
{
	public class Thing
	{
		public int Value = 3;
		public int Call (int n) => n == 0 ? throw new Deep (9) : n + Value;
		public string Call (string s) => s + Value;
	}

	static object Add (dynamic a, dynamic b) => a + b;

	static string Ask (Func<object> f)
	{
		try {
			return f ().ToString ();
		} catch (Deep e) {
			return "deep" + e.Level;
		} catch (Microsoft.CSharp.RuntimeBinder.RuntimeBinderException) {
			return "binder";
		}
	}

	public static void Run ()
	{
		dynamic t = new Thing ();
		for (int i = 0; i < 3; i++)
			Console.WriteLine (Ask (() => Add (1, 2)) + Ask (() => Add ("a", 2.5)) + Ask (() => t.Call (i)) +
				Ask (() => t.Call ("s")) +
				Ask (() => t.Missing ()) + Ask (() => Add (t, 1)));
	}
}

static class Structs
{
	struct Big
	{
		public long A, B, C, D, E;
		public Big (long n) { A = B = C = D = E = n; }
		public long Sum () => A + B + C + D + E;
		public Big Next () => E > 20 ? throw new Deep ((int) E) : new Big (E + 1);
	}
	struct Tiny { public byte B; public Tiny Twice () => new Tiny { B = (byte) (B * 2) }; }
	enum Colour : short { Red, Green = 300 }

	static double Mean (float a, double b, Half c) => (a + b + (double) c) / 3;
	static System.Numerics.Vector3 Move (System.Numerics.Vector3 v) =>
		v.X > 30 ? throw new Deep (30) : v + System.Numerics.Vector3.One;
	static System.Runtime.Intrinsics.Vector128<int> Vector (System.Runtime.Intrinsics.Vector128<int> v) =>
		System.Runtime.Intrinsics.Vector128.Add (v, v);
	static (int, string, Big) Tuple (int n) => (n, "t" + n, new Big (n));
	static Colour Flip (Colour c) => c == Colour.Red ? Colour.Green : Colour.Red;
	static decimal Money (decimal d) => d * 1.5m;
	static int? Maybe (int n) => n % 2 == 0 ? n : null;
	static UInt128 Huge (UInt128 n) => n * 3 + 1;
	static ref Big Choose (ref Big a, ref Big b, bool first) => ref first ? ref a : ref b;

	public static void Run ()
	{
		var b = new Big (1);
		var other = new Big (100);
		var v = System.Numerics.Vector3.Zero;
		int caught = 0;
		double sum = 0;
		for (int i = 0; i < 100; i++)
			try {
				sum += Choose (ref b, ref other, i % 2 == 0).Sum () + new Tiny { B = (byte) i }.Twice ().B +
					Mean (i, i, (Half) i);
				sum += Vector (System.Runtime.Intrinsics.Vector128.Create (i)).GetHashCode () == 0 ? 1 : 0;
				sum += Tuple (i).Item3.A + (int) Flip ((Colour) 0) + (double) Money (i) + (Maybe (i) ?? 0) +
					(double) Huge ((UInt128) i);
				v = Move (v);
				b = b.Next ();
			} catch (Deep) {
				caught++;
				if (caught % 10 == 0)
					b = new Big (caught);
			}
		Console.WriteLine (sum + " " + caught + " " + v + " " + b.E);
	}
}

static class Reflecting
{
	public class Target
	{
		public Target (int n) { if (n < 0) throw new Deep (n); N = n; }
		public int N;
		public int Throw (int n) => n == 0 ? throw new Deep (N) : Throw (n - 1);
		public T Generic<T> (T t) => t is string ? throw new Deep (1) : t;
		public static int operator + (Target a, int b) => a.N + b;
		public int this[int i] => i > 3 ? throw new IndexOutOfRangeException () : N + i;
	}

	static string Ask (Func<object> f)
	{
		try {
			return f ().ToString ();
		} catch (TargetInvocationException e) {
			return "target " + e.InnerException.Message;
		} catch (Exception e) {
			return e.GetType ().Name;
		}
	}

	public static void Run ()
	{
		Type type = typeof (Target);
		var generic = type.GetMethod ("Generic");
		for (int i = 0; i < 5; i++) {
			object t = Activator.CreateInstance (type, 5);
			Console.WriteLine (string.Join (" ", Ask (() => type.GetMethod ("Throw").Invoke (t, new object[] { i })),
				Ask (() => generic.MakeGenericMethod (typeof (string)).Invoke (t, new object[] { "x" })),
				Ask (() => generic.MakeGenericMethod (typeof (int)).Invoke (t, new object[] { i })),
				Ask (() => Activator.CreateInstance (type, -1)),
				Ask (() => type.GetProperty ("Item").GetValue (t, new object[] { i })),
				Ask (() => type.GetMethod ("Throw").Invoke (t, BindingFlags.DoNotWrapExceptions, null,
					new object[] { i }, null)),
				Ask (() => type.GetMethod ("op_Addition").CreateDelegate<Func<Target, int, int>> () ((Target) t, 4))));
		}
	}
}
