// SPDX-License-Identifier: MIT
// What only the SDK's compiler knows, for both runtimes. Marked as classic.cs is.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading.Tasks;

namespace System.Runtime.CompilerServices {
	static class IsExternalInit {
	}

	sealed class InterpolatedStringHandlerAttribute : Attribute {
	}

	sealed class RequiredMemberAttribute : Attribute {
	}
}

static class TypeSwitches {
	static string Type (object o)
	{
		M.L ();
		switch (o) { //= any
		case int n when M.If (n > 5):
			return M.V ("big");
		case int:
			return M.V ("int");
		case string s when M.If (s.Length == 0):
			return M.V ("empty");
		case string:
			return M.V ("string");
		case null:
			return M.V ("null");
		default:
			return M.V ("object");
		}
	}

	public static void Run ()
	{
		foreach (var o in new object[] { 1, 9, "", "x", null, 2.0 }) { //= 1:6
			M.L (); Type (o);
		}
	}
}

static class LocalFunctions {
	public static void Run ()
	{
		int depth = 0;
		int Factorial (int n)
		{
			M.V (depth++);
			if (M.If (n < 2))
				return M.V (1);
			return M.V (n) * Factorial (n - 1);
		}
		IEnumerable<int> Count (int n)
		{
			for (int i = 0; M.If (i < n); i++)
				yield return M.V (i);
		}
		async Task<int> Wait (int n)
		{
			M.L ();
			await Task.Yield ();
			return M.V (n);
		}
		static T Pass<T> (T t) { return M.V (t); }
		M.L (); Console.WriteLine (Factorial (5) + depth);
		M.L (); Console.WriteLine (Count (3).Sum () + Wait (4).Result);
		M.L (); Console.WriteLine (Pass (1) + Pass ("2"));
		int Never () { return M.V (3); }
	}
}

static class SwitchExpressions {
	static string Size (int n) => M.V ("") + n switch { //= any
		< 0 => M.V ("negative"),
		0 => M.V ("zero"),
		> 0 and < 10 => M.V ("small"),
		10 or 20 or 30 => M.V ("round"),
		_ => M.V ("big"),
	};

	static int Area (object shape)
	{
		return M.V (0) + shape switch { //= any
			(int w, int h) => M.V (w * h),
			string { Length: > 2 } s => M.V (s.Length),
			int[] a when M.Way (a.Length > 0) => a[0],
			not null => M.V (1),
			null => M.V (0),
		};
	}

	public static void Run ()
	{
		foreach (int n in new[] { -1, 0, 5, 20, 99 }) //= 1:5
			M.V (Size (n));
		foreach (var o in new object[] { (2, 3), "abc", "a", new[] { 4 }, new int[0], null }) //= 1:6
			M.V (Area (o));
	}
}

record Point (int X, int Y) {
	public int Sum => M.V (X + Y);
	public string Name { get; init; } = M.V ("p");
}

record struct Size (int W, int H);

sealed record Named (int X, int Y, string Text) : Point (X, Y) {
	public Named (int n) : this (n, n, "n") { M.L (); }
}

static class Records {
	public static void Run ()
	{
		var a = new Point (1, 2) { Name = "q" };
		var b = M.V (a) with { X = 5 };
		var (x, y) = M.V (b);
		M.L (); Console.WriteLine (a == b);
		M.L (); Console.WriteLine ($"{a} {b.Sum} {x} {y} {new Size (1, 2)}");
		M.L (); Console.WriteLine (new Named (3));
		M.L (); (x, y) = (y, x);
		M.L (); Console.WriteLine (x - y);
	}
}

static class IsPatterns {
	static bool Digit (char c)
	{
		if (M.V (c) is >= '0' and <= '9') //= any
			return M.V (true);
		return M.V (false);
	}

	static string Long (object o)
	{
		if (M.V (o) is string s && M.Way (s.Length > 1)) //= any
			return M.V (s);
		return M.V ("");
	}

	static string Both (string a, string b)
	{
		M.L ();
		M.L (); a ??= "a"; //= 1:1
		M.L (); b ??= a; //= 1:1
		return M.V (a + b);
	}

	public static void Run ()
	{
		foreach (char c in "a5z9") //= 1:4
			M.V (Digit (c));
		foreach (object o in new object[] { 1, "a", "bc" }) //= 1:3
			M.V (Long (o));
		M.L (); Console.WriteLine (Both (null, "b") + Both ("c", null));
	}
}

[InterpolatedStringHandler]
readonly ref struct Quiet {
	readonly StringBuilder text;

	public Quiet (int literal, int holes, bool wanted, out bool goes)
	{
		M.L ();
		goes = wanted;
		text = new StringBuilder ();
	}

	public void AppendLiteral (string s) { M.L (); text.Append (s); }
	public void AppendFormatted<T> (T t) { M.L (); text.Append (t); }
	public override string ToString () { return M.V ("") + text; } //= any
}

namespace System.Runtime.CompilerServices {
	[AttributeUsage (AttributeTargets.Parameter)]
	sealed class InterpolatedStringHandlerArgumentAttribute : Attribute {
		public InterpolatedStringHandlerArgumentAttribute (string argument) { }
	}
}

static class Handlers {
	static void Log (bool wanted, [InterpolatedStringHandlerArgument ("wanted")] Quiet quiet)
	{
		if (M.If (wanted))
			Console.WriteLine (quiet.ToString ());
	}

	static int Hole (int n) { return M.V (n); }

	public static void Run ()
	{
		M.L (); Log (false, $"a {Hole (1)} b"); //= any
		M.L (); Log (true, $"a {Hole (2)} b"); //= any
	}
}

static class Awaits {
	static async Task<int> Later (int n)
	{
		await Task.Yield ();
		return M.V (n);
	}

	static async Task<int> Many (bool late)
	{
		int sum = M.V (0) + await Later (1) + await Later (2);
		foreach (int n in new[] { 1, 2 }) //= 2:4
			sum += M.V (await Later (n));
		if (M.If (await Later (sum) > 5) && M.Way (await Later (1) == 1, 1))
			M.V (sum++);
		string s = M.V (late) ? "late" : null; //= 1:1
		M.L (); s ??= (await Later (3)).ToString (); //= 1:1
		lock (s) {
			M.V (sum++);
		}
		try {
			M.L ();
			await Throw (late);
		} catch (InvalidOperationException e) when (M.If (late) && e.Message == "late") {
			M.L ();
			await Later (1);
		} catch {
			M.L ();
			sum += await Later (2);
		}
		return M.V (sum);
	}

	static async Task Throw (bool late)
	{
		if (M.If (late))
			await Task.Delay (1);
		M.L ();
		throw new InvalidOperationException (late ? "late" : "early"); //= 1:2
	}

	static async Task<string> Same (string s)
	{
		M.L ();
		await Later (1);
		return M.V (s);
	}

	static async Task<T> Generic<T> (T t, Func<T, Task<T>> f)
	{
		M.L ();
		return await f (t);
	}

	public static void Run ()
	{
		M.L (); Console.WriteLine (Many (true).Result + Many (false).Result);
		M.L (); Console.WriteLine (Generic (1, Later).Result + Generic ("a", Same).Result);
		M.L (); Task.WhenAll (Later (1), Later (2), Throw (true).ContinueWith (t => 0)).Wait ();
	}
}

static class Primary {
	sealed class Counter (int start) {
		int now = M.V (start);
		public int Next () => M.V (now++) + start;
	}

	interface IShape {
		int Sides { get; }
	}

	sealed class Square : IShape {
		int IShape.Sides => M.V (4);
		public static bool operator true (Square s) => M.V (true);
		public static bool operator false (Square s) => M.V (false);
	}

	public static void Run ()
	{
		var counter = new Counter (3);
		M.L (); Console.WriteLine (counter.Next () + counter.Next ());
		M.L (); Console.WriteLine (((IShape) new Square ()).Sides);
		M.L (); Console.WriteLine (new Square () ? 1 : 2); //= 0:1
		Func<int, int> f = static n => n * 2;
		Func<int, int> g = n => {
			return M.V (f (n));
		};
		M.L (); Console.WriteLine (g (4));
	}
}

static class Newer {
	static int Main (string[] args)
	{
		M.Run ("type switches", TypeSwitches.Run);
		M.Run ("local functions", LocalFunctions.Run);
		M.Run ("switch expressions", SwitchExpressions.Run);
		M.Run ("records", Records.Run);
		M.Run ("is", IsPatterns.Run);
		M.Run ("handlers", Handlers.Run);
		M.Run ("awaits", Awaits.Run);
		M.Run ("primary constructors", Primary.Run);
		M.Write (args.Length > 0 ? args[0] : null); //= 0:1
		return 4;
	}
}
