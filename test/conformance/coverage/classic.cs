// SPDX-License-Identifier: MIT
// What both C# compilers know, each kind of control flow in a class of its own. A line with a marker begins with it, so
// that the marker runs as often as the line begins. `//=` says how often branches went which way that no marker sees.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

static class IfElse {
	static int Sign (int n)
	{
		if (M.If (n > 0))
			return M.V (1);
		else if (M.If (n < 0))
			return M.V (-1);
		if (M.If (n != 0)) {
			M.L (); Console.WriteLine ("never");
		}
		return M.V (0);
	}

	public static void Run ()
	{
		for (int i = -2; M.If (i < 4); i++)
			M.V (Sign (i));
	}
}

static class Ternary {
	public static void Run ()
	{
		int sum = 0;
		for (int i = 0; M.If (i < 5); i++) {
			sum += M.If (i % 2 == 0) ? 1 : 2;
			sum += M.If (i > 1) ? M.Way (i > 2, 1) ? 3 : 4 : 5;
		}
		M.L (); Console.WriteLine (sum);
	}
}

static class Conditions {
	static bool Odd (int n, [CallerLineNumber] int line = 0) { return M.V (n % 2 == 1); }

	public static void Run ()
	{
		int both = 0, one = 0, not = 0;
		for (int i = 0; M.If (i < 10); i++) {
			if (M.If (i > 2) && M.Way (Odd (i), 1))
				M.V (both++);
			if (M.If (i > 8) || M.Way (Odd (i), 1))
				M.V (one++);
			if (M.If (i > 3) && M.Way (i < 7, 1) && M.Way (i != 5, 2))
				M.V (not++);
			if (!M.If (i == 4))
				M.V (not++);
		}
		M.L (); Console.WriteLine ("{0} {1} {2}", both, one, not);
	}
}

static class Coalesce {
	static string Name (int i) { return M.V (i % 3 == 0 ? null : "n" + i); } //= 2:4
	static string Length (string s) { return M.V ("") + s?.Length; } //= 1:5

	public static void Run ()
	{
		int? none = null;
		for (int i = 0; M.If (i < 3); i++) {
			string name = M.V (Name (i)) ?? "none"; //= 1:2
			M.L (); Length (name);
			M.L (); Length (Name (i));
			none = M.V (none) ?? 3; //mcs= 1:2
		}
	}
}

static class Switches {
	static int Dense (int n)
	{
		switch (M.V (n)) { //= none
		case 0:
			M.L ();
			break;
		case 1:
			M.L ();
			goto case 3;
		case 2:
		case 3:
			return M.V (n);
		case 4:
			return M.V (9);
		default:
			M.L ();
			break;
		}
		return M.V (-1);
	}

	static string Text (string s)
	{
		M.L ();
		switch (s) { //mcs= any
		case "a":
			return M.V ("A");
		case "b":
		case "c":
			return M.V ("BC");
		case "d":
			return M.V ("D");
		case "e":
			return M.V ("E");
		case "f":
			return M.V ("F");
		case "g":
			return M.V ("G");
		case "h":
			return M.V ("H");
		case null:
			return M.V ("null");
		default:
			return M.V ("?");
		}
	}

	public static void Run ()
	{
		for (int i = -1; M.If (i < 7); i++)
			M.V (Dense (i));
		foreach (var s in new[] { "a", "c", "h", "x", null }) { //= 1:5
			M.L (); Text (s);
		}
	}
}

static class Gotos {
	public static void Run ()
	{
		int i = 0;
	again:
		M.V (i++);
		if (M.If (i < 4))
			goto again;
		if (M.If (i > 100))
			goto end;
		M.V (i++);
	end:
		M.L (); Console.WriteLine (i);
	}
}

static class Loops {
	static IEnumerable<int> Numbers (int n)
	{
		for (int i = 0; M.If (i < n); i++)
			yield return M.V (i);
	}

	public static void Run ()
	{
		int i = 0, sum = 0;
		while (M.If (i < 3))
			M.V (i++);
		do {
			M.V (i--);
		} while (M.If (i > 0));
		foreach (int n in new[] { 1, 2, 3 }) //= 1:3
			M.V (sum += n);
		foreach (int n in new List<int> { 4, 5 }) //= 1:2
			M.V (sum += n);
		foreach (int n in Numbers (4)) //= 1:4
			M.V (sum += n);
		foreach (object o in (IEnumerable) new ArrayList { 1, 2 }) //= 1:2
			M.V (sum += (int) o);
		foreach (char c in "abc") //= 1:3
			M.V (sum += c);
		foreach (int n in new int[2, 2]) //= any
			M.V (sum += n);
		foreach (int n in new int[0]) //= 1:0
			M.V (sum += n);
		for (; ; ) {
			if (M.If (sum > 1000))
				break;
			M.V (sum += 333);
		}
		M.L (); Console.WriteLine (sum);
	}
}

static class Nested {
	public static void Run ()
	{
		int sum = 0;
		for (int i = 0; M.If (i < 4); i++) {
			for (int j = 0; M.If (j < 4); j++) {
				if (M.If (j == i))
					continue;
				if (M.If (j + i == 5))
					break;
				M.V (sum += j);
			}
			M.V (sum++);
		}
		M.L (); Console.WriteLine (sum);
	}
}

static class Tries {
	static int Divide (int a, int b)
	{
		try {
			M.L ();
			return a / b;
		} catch (DivideByZeroException e) when (M.V (a > 5)) {
			M.L (); Console.WriteLine (e.GetType ().Name);
			return M.V (0);
		} catch (DivideByZeroException) {
			M.L ();
			throw;
		} finally {
			M.L ();
		}
	}

	static void Twice (int n)
	{
		try {
			try {
				M.L (); Divide (n, n - n);
				M.L (); Console.WriteLine ("returned");
			} finally {
				M.L (); Console.WriteLine ("inner");
			}
			M.L (); Console.WriteLine ("went on");
		} catch (Exception e) {
			M.L (); Console.WriteLine (e);
		}
	}

	public static void Run ()
	{
		M.L (); Twice (3);
		M.L (); Twice (8);
		M.L (); Divide (8, 2);
		try {
			M.L ();
			throw new InvalidOperationException ("one");
		} catch (InvalidOperationException e) {
			try {
				M.L ();
				throw new ArgumentException ("two", e);
			} catch (ArgumentException f) {
				M.L (); Console.WriteLine (f);
			}
		}
	}
}

sealed class Handle : IDisposable {
	readonly bool fails;
	public Handle (bool fails) { M.L (); this.fails = fails; }

	public void Dispose ()
	{
		if (M.If (fails))
			throw new IOException ("disposed");
	}
}

static class Usings {
	public static void Run ()
	{
		using (var a = new Handle (false)) {
			M.L ();
		}
		using (Handle none = null)
			M.L ();
		try {
			using (new Handle (false))
			using (new Handle (true)) {
				M.L (); Console.WriteLine ("inside");
			}
			M.L ();
		} catch (IOException e) {
			M.L (); Console.WriteLine (e);
		}
	}
}

static class Locks {
	static readonly object gate = new object ();

	public static void Run ()
	{
		int n = 0;
		lock (gate) {
			M.V (n++);
		}
		lock (gate)
			if (M.If (n == 1))
				M.V (n++);
		M.L (); Console.WriteLine (n);
	}
}

static class Iterators {
	static int disposed;

	static IEnumerable<int> Guarded (int n)
	{
		M.L ();
		try {
			for (int i = 0; M.If (i < n); i++) {
				M.L ();
				yield return i;
				M.L ();
			}
			if (M.If (n > 2))
				yield break;
			M.L ();
		} finally {
			M.V (disposed++);
		}
	}

	static IEnumerator<string> Three ()
	{
		yield return M.V ("a");
		yield return M.V ("b");
		yield return M.V ("c");
	}

	public static void Run ()
	{
		foreach (int i in Guarded (3)) //= 1:3
			M.L ();
		foreach (int i in Guarded (1)) //= 1:1
			M.L ();
		foreach (int i in Guarded (5)) //= 0:2
			if (M.If (i == 1))
				break;
		M.L (); Guarded (9);
		var three = Three ();
		M.L (); three.MoveNext ();
		M.L (); three.Dispose ();
		M.L (); Console.WriteLine (disposed);
	}
}

static class Asyncs {
	static async Task<int> Later (int n)
	{
		M.L ();
		await Task.Yield ();
		return M.V (n);
	}

	static async Task<int> Done (int n)
	{
		M.L ();
		await Task.FromResult (n).ConfigureAwait (false);
		return M.V (n);
	}

	static async Task<int> Loop (int n)
	{
		int sum = 0;
		for (int i = 0; M.If (i < n); i++) {
			if (M.If (i % 2 == 0))
				sum += M.V (await Later (i).ConfigureAwait (false));
			else
				sum += M.V (await Done (i));
		}
		while (M.If (await Done (sum) < 20))
			M.V (sum += 5);
		return M.V (sum);
	}

	static async Task<string> Fails (bool late)
	{
		M.L ();
		if (M.If (late))
			await Task.Yield ();
		M.L ();
		throw new InvalidOperationException (late ? "late" : "early"); //= 1:1
	}

	static async Task Guarded (bool late)
	{
		try {
			M.L ();
			await Fails (late);
			M.L ();
		} catch (InvalidOperationException e) when (M.V (e.Message == "late")) {
			M.L ();
			await Later (1);
			M.L ();
		} catch (InvalidOperationException) {
			M.L ();
			await Done (1);
			M.L ();
		} finally {
			M.L ();
			await Later (2);
			M.L ();
		}
		using (new Handle (false)) {
			M.L ();
			await Later (3);
		}
		M.L ();
	}

	static async void Void (TaskCompletionSource<int> end)
	{
		M.L ();
		await Later (1);
		M.L (); end.SetResult (1);
	}

	public static void Run ()
	{
		M.L (); Console.WriteLine (Loop (5).Result);
		M.L (); Guarded (true).Wait ();
		M.L (); Guarded (false).Wait ();
		var end = new TaskCompletionSource<int> ();
		M.L (); Void (end);
		M.L (); end.Task.Wait ();
		Func<int, Task<int>> lambda = async n => {
			M.L ();
			return await Later (n) + 1;
		};
		M.L (); Console.WriteLine (lambda (4).Result);
	}
}

static class Lambdas {
	static int Twice (int n) { return M.V (2 * n); }

	public static void Run ()
	{
		int captured = 0;
		Func<int, int> plain = n => {
			return M.V (n + 1);
		}, group = Twice;
		Action counting = () => {
			M.V (captured++);
		};
		Func<int, Func<int, int>> nested = a => {
			M.L ();
			return b => {
				return M.V (a + b + captured);
			};
		};
		for (int i = 0; M.If (i < 3); i++) {
			M.L (); counting ();
			M.L (); Console.WriteLine (plain (group (i)) + nested (i) (1));
			new List<int> { 1, 2 }.ForEach (n => {
				M.L (); Console.Write (n);
			});
		}
		Func<int> never = () => {
			return M.V (captured);
		};
		Action<int> old = delegate (int n) {
			M.L ();
		};
		M.L (); old (2);
	}
}

static class Queries {
	public static void Run ()
	{
		var numbers = new[] { 5, 3, 8, 1 };
		var query = from n in numbers
			where M.V (n > 2)
			orderby n
			let square = M.V (n * n)
			from m in new[] { 1, 2 }
			where m < 2
			select square + m;
		M.L (); Console.WriteLine (query.Sum ());
		M.L (); Console.WriteLine (numbers.Where (n => n > 3).Select (n => n * 2).First ());
	}
}

sealed class Static {
	static readonly int first = M.V (1);
	public static int second = M.V (2);
	readonly int third = M.V (3);
	int fourth = M.V (4), fifth;

	static Static () { M.L (); second += first; }
	public Static () { M.L (); fifth = third; }
	public Static (int n) : this () { M.L (); fourth = n; }
	public Static (string never) { M.L (); }
	public int Sum {
		get { return M.V (third + fourth + fifth); }
		set { M.L (); fourth = value; }
	}

	public int Auto { get; set; }
	public int Initialised { get; } = M.V (7);
	public int Plainly { get { return M.V (fifth); } }

	public int this[int i] {
		get { return M.V (i + third); }
		set { M.L (); fourth = i; }
	}

	public static Static operator + (Static a, Static b) { return M.V (new Static (a.fourth + b.fourth)); }
	public static implicit operator int (Static a) { return M.V (a.fourth); }
	public static explicit operator string (Static a) { return M.V ("s"); }
	public event Action Plain;

	public event Action Made {
		add { M.L (); Plain += value; }
		remove { M.L (); Plain -= value; }
	}

	public void Raise () { M.L (); Plain?.Invoke (); } //= 1:1
}

static class Members {
	public static void Run ()
	{
		var a = new Static ();
		var b = new Static (5);
		M.L (); a.Sum = 2;
		M.L (); a[3] = b[4] + b.Plainly + b.Auto;
		M.L (); Console.WriteLine ((int) (a + b) + a.Sum + a.Initialised + (string) a);
		Action action = () => {
			M.L ();
		};
		M.L (); a.Raise ();
		M.L (); a.Made += action;
		M.L (); a.Raise ();
		M.L (); a.Made -= action;
		M.L (); Console.WriteLine (Static.second);
	}
}

class Box<T> {
	readonly T value;
	public static int Made = M.V (0);
	public Box (T value) { M.L (); this.value = value; }
	public T Get () { return M.V (value); }

	public U Map<U> (Func<T, U> map)
	{
		if (M.If (value == null))
			return M.V (default (U));
		return M.V (map (value));
	}

	public static IEnumerable<T> Repeat (T item, int times)
	{
		for (int i = 0; M.If (i < times); i++)
			yield return M.V (item);
	}

	public class Inner<V> {
		public string Names () { return M.V (typeof (T).Name + typeof (V).Name); }
	}
}

struct Pair<A, B> {
	public A First;
	public B Second;
	public override string ToString () { return M.V ("") + First + Second; } //= any
}

static class Generics {
	static T Pick<T> (bool first, T a, T b)
	{
		if (M.If (first))
			return M.V (a);
		return M.V (b);
	}

	public static void Run ()
	{
		M.L (); Console.WriteLine (new Box<int> (1).Map (n => n + 1));
		M.L (); Console.WriteLine (new Box<string> ("a").Map (s => s.Length));
		M.L (); Console.WriteLine (new Box<object> (null).Map (s => "x") ?? "null"); //= any
		M.L (); Console.WriteLine (new Box<string>.Inner<int> ().Names () + new Box<long>.Inner<object> ().Names ());
		M.L (); Console.WriteLine (Pick (true, 1, 2) + Pick (false, "a", "b") + Pick (true, 'c', 'd'));
		M.L (); Console.WriteLine (Pick (true, "e", ""));
		M.L (); Console.WriteLine (Box<int>.Repeat (3, 2).Sum () + Box<string>.Repeat ("s", 3).Count ());
		M.L (); Console.WriteLine (Box<int>.Made + Box<string>.Made + Box<object>.Made);
		M.L (); Console.WriteLine (new Pair<int, string> { First = 1, Second = "2" });
		M.L (); Console.WriteLine (new Pair<object, long> { First = "1", Second = 2 }.ToString ());
	}
}

partial class Parts {
	partial void Declared (int n);
	partial void Undeclared (int n);
	public void Both () { M.L (); Declared (3); Undeclared (4); }
}

partial class Parts {
	partial void Declared (int n) { M.L (); Console.WriteLine (n); }
	public static void Run () { M.L (); new Parts ().Both (); }
}

static class Patterns {
	static string Kind (object o)
	{
		if (M.If (o is int) && M.Way ((int) o > 3, 1))
			return M.V ("big");
		return M.V ("other");
	}

	static void Split ((int, int) pair, out int a, out int b)
	{
		M.L (); a = pair.Item1; b = pair.Item2;
	}

	public static void Run ()
	{
		foreach (var o in new object[] { 1, 5, "a", "bc" }) //= 1:4
			M.V (Kind (o));
		int x, y;
		M.L (); Split ((1, 2), out x, out y);
		M.L (); Console.WriteLine (x - y);
	}
}

static unsafe class Unsafe {
	static ref int Find (int[] all, int what)
	{
		for (int i = 0; M.If (i < all.Length); i++)
			if (M.If (all[i] == what))
				return ref all[i];
		M.L ();
		throw new KeyNotFoundException ();
	}

	public static void Run ()
	{
		int* block = stackalloc int[4];
		for (int i = 0; M.If (i < 4); i++)
			M.V (block[i] = i);
		var numbers = new[] { 4, 5, 6 };
		M.L (); Find (numbers, 5) = 7;
		try {
			M.L (); Find (numbers, 5) = 8;
			M.L ();
		} catch (KeyNotFoundException) {
			M.L ();
		}
		fixed (int* first = numbers) //= any
			M.V (first[0] = block[3]);
		M.L (); Console.WriteLine (numbers.Sum () + sizeof (long));
	}
}

static class Arithmetic {
	const bool Never = false;
	const int Four = 2 * 2;

	static int Add (int a, int b)
	{
		return M.V (0) + checked (a + b);
	}

	public static void Run ()
	{
		try {
			M.L (); Add (1, 2);
			M.L (); Add (int.MaxValue, 1);
			M.L ();
		} catch (OverflowException e) {
			M.L (); Console.WriteLine (e);
		}
		checked {
			try {
				int n = M.V (int.MinValue);
				M.L (); n--;
				M.L ();
			} catch (OverflowException) {
				M.L ();
			}
		}
		unchecked {
			M.L (); Console.WriteLine (int.MaxValue + Four);
		}
	}
}

static class Halves {
	static int Throw (int n)
	{
		if (M.If (n > 1))
			throw new ArgumentException ("n");
		return M.V (n);
	}

	public static void Run ()
	{
		int sum = 0;
		for (int i = 0; M.If (i < 4); i++) {
			try {
				sum += M.V (1) + Throw (i) + Throw (i + 1);
				M.V (sum++);
				M.L (); Throw (i); sum++; Throw (i + 1);
			} catch (ArgumentException e) {
				M.L (); Console.WriteLine (e);
			}
		}
		int[] none = null;
		try {
			sum += M.V (2) + none[0];
			M.L ();
		} catch (NullReferenceException e) {
			M.L (); Console.WriteLine (e);
		}
		M.L (); Console.WriteLine (sum);
	}
}

static class Multiline {
	static int Three (int a, int b, int c) { return M.V (a + b + c); }

	public static void Run ()
	{
		int all = M.V (1) + Three (
			1,
			Three (2,
				3, 4),
			5);
		string text = M.V ("a") +
			all +
			"b";
		M.L (); Console.WriteLine (
			"{0} {1}",
			text,
			Three (
				all, 1, 2));
		var list = M.V (0) + new List<int> {
			1,
			Three (1, 2, 3),
		}.Count;
	}
}

sealed class Finalised {
	public static int Count;
	~Finalised () { M.L (); Interlocked.Increment (ref Count); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Drop (int depth)
	{
		if (M.If (depth > 0))
			Drop (depth - 1);
		else
			new Finalised ();
	}

	public static void Run ()
	{
		var thread = new Thread (() => Drop (20));
		M.L (); thread.Start ();
		M.L (); thread.Join ();
		while (Count == 0) { //= any
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
		M.L (); Console.WriteLine (Count);
	}
}

static class Threads {
	[ThreadStatic] static int mine;

	static void Work (object times)
	{
		for (int i = 0; M.If (i < (int) times); i++)
			M.V (mine++);
	}

	public static void Run ()
	{
		for (int i = 0; M.If (i < 3); i++) {
			var thread = new Thread (Work);
			M.L (); thread.Start (100);
			M.L (); thread.Join ();
		}
		M.L (); Console.WriteLine (mine);
	}
}

static class Recursion {
	static int Ackermann (int m, int n)
	{
		if (M.If (m == 0))
			return M.V (n + 1);
		if (M.If (n == 0))
			return M.V (0) + Ackermann (m - 1, 1);
		return M.V (0) + Ackermann (m - 1, Ackermann (m, n - 1));
	}

	static bool Even (int n) { return M.V (n == 0) || Odd (n - 1); } //= any
	static bool Odd (int n) { return M.V (n != 0) && Even (n - 1); } //= any

	public static void Run ()
	{
		M.L (); Console.WriteLine (Ackermann (2, 3));
		M.L (); Console.WriteLine (Even (101));
	}
}

static class Traces {
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Third (int n)
	{
		for (int i = 0; M.If (i < 3); i++) {
			M.L ();
			if (M.If (i == n))
				throw new InvalidOperationException ("at " + n);
		}
		M.L (); Console.WriteLine (Environment.StackTrace);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Second (int n)
	{
		try {
			M.L (); Third (n);
		} finally {
			M.L (); Console.Write ("");
		}
	}

	public static void Run ()
	{
		for (int i = 0; M.If (i < 4); i++) {
			try {
				M.L (); Second (i);
			} catch (Exception e) {
				M.L (); Console.WriteLine (e);
			}
		}
	}
}

static class Exits {
	static int Nested (int n)
	{
		for (int i = 0; M.If (i < 3); i++) {
			try {
				try {
					if (M.If (i == n))
						return M.V (i);
					if (M.If (i + n == 4))
						break;
					M.L ();
				} finally {
					M.L ();
				}
				if (M.If (n == 7))
					continue;
				M.L ();
			} finally {
				M.L ();
			}
		}
		return M.V (-1);
	}

	public static void Run ()
	{
		for (int i = 0; M.If (i < 9); i++)
			M.V (Nested (i));
	}
}

static class Strings {
	public static void Run ()
	{
		for (int i = 0; M.If (i < 3); i++) {
			M.L (); Console.WriteLine ($"{i} {i * 2,4:d} {(i > 1 ? "more" : "less")}"); //= 1:2
			string text = M.V ("") + (i == 0 ? "zero" : i.ToString ()) + nameof (text); //= 1:2
		}
	}
}

static class Program {
	static int Main (string[] args)
	{
		M.Run ("if", IfElse.Run);
		M.Run ("ternary", Ternary.Run);
		M.Run ("conditions", Conditions.Run);
		M.Run ("coalesce", Coalesce.Run);
		M.Run ("switches", Switches.Run);
		M.Run ("gotos", Gotos.Run);
		M.Run ("loops", Loops.Run);
		M.Run ("nested", Nested.Run);
		M.Run ("tries", Tries.Run);
		M.Run ("usings", Usings.Run);
		M.Run ("locks", Locks.Run);
		M.Run ("iterators", Iterators.Run);
		M.Run ("asyncs", Asyncs.Run);
		M.Run ("lambdas", Lambdas.Run);
		M.Run ("queries", Queries.Run);
		M.Run ("members", Members.Run);
		M.Run ("generics", Generics.Run);
		M.Run ("parts", Parts.Run);
		M.Run ("patterns", Patterns.Run);
		M.Run ("unsafe", Unsafe.Run);
		M.Run ("arithmetic", Arithmetic.Run);
		M.Run ("halves", Halves.Run);
		M.Run ("multiline", Multiline.Run);
		M.Run ("finalised", Finalised.Run);
		M.Run ("threads", Threads.Run);
		M.Run ("recursion", Recursion.Run);
		M.Run ("traces", Traces.Run);
		M.Run ("exits", Exits.Run);
		M.Run ("strings", Strings.Run);
		M.Write (args.Length > 0 ? args[0] : null); //= 0:1
		return 3;
	}
}
