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
		switch (o) { //= none
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
	static string Size (int n) => M.V ("") + n switch { //= none
		< 0 => M.V ("negative"),
		0 => M.V ("zero"),
		> 0 and < 10 => M.V ("small"),
		10 or 20 or 30 => M.V ("round"),
		_ => M.V ("big"),
	};

	static int Area (object shape)
	{
		return M.V (0) + shape switch { //= none
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

// Without optimisation a condition has a local of its own; the instructions for those behind the 255th are longer.
static class ManyLocals {
	static int Of (int n)
	{
		int a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, a8 = 0, a9 = 0, a10 = 0, a11 = 0,
		    a12 = 0, a13 = 0, a14 = 0, a15 = 0, a16 = 0, a17 = 0, a18 = 0, a19 = 0, a20 = 0, a21 = 0, a22 = 0,
		    a23 = 0, a24 = 0, a25 = 0, a26 = 0, a27 = 0, a28 = 0, a29 = 0, a30 = 0, a31 = 0, a32 = 0, a33 = 0,
		    a34 = 0, a35 = 0, a36 = 0, a37 = 0, a38 = 0, a39 = 0, a40 = 0, a41 = 0, a42 = 0, a43 = 0, a44 = 0,
		    a45 = 0, a46 = 0, a47 = 0, a48 = 0, a49 = 0, a50 = 0, a51 = 0, a52 = 0, a53 = 0, a54 = 0, a55 = 0,
		    a56 = 0, a57 = 0, a58 = 0, a59 = 0, a60 = 0, a61 = 0, a62 = 0, a63 = 0, a64 = 0, a65 = 0, a66 = 0,
		    a67 = 0, a68 = 0, a69 = 0, a70 = 0, a71 = 0, a72 = 0, a73 = 0, a74 = 0, a75 = 0, a76 = 0, a77 = 0,
		    a78 = 0, a79 = 0, a80 = 0, a81 = 0, a82 = 0, a83 = 0, a84 = 0, a85 = 0, a86 = 0, a87 = 0, a88 = 0,
		    a89 = 0, a90 = 0, a91 = 0, a92 = 0, a93 = 0, a94 = 0, a95 = 0, a96 = 0, a97 = 0, a98 = 0, a99 = 0,
		    a100 = 0, a101 = 0, a102 = 0, a103 = 0, a104 = 0, a105 = 0, a106 = 0, a107 = 0, a108 = 0, a109 = 0,
		    a110 = 0, a111 = 0, a112 = 0, a113 = 0, a114 = 0, a115 = 0, a116 = 0, a117 = 0, a118 = 0, a119 = 0,
		    a120 = 0, a121 = 0, a122 = 0, a123 = 0, a124 = 0, a125 = 0, a126 = 0, a127 = 0, a128 = 0, a129 = 0,
		    a130 = 0, a131 = 0, a132 = 0, a133 = 0, a134 = 0, a135 = 0, a136 = 0, a137 = 0, a138 = 0, a139 = 0,
		    a140 = 0, a141 = 0, a142 = 0, a143 = 0, a144 = 0, a145 = 0, a146 = 0, a147 = 0, a148 = 0, a149 = 0,
		    a150 = 0, a151 = 0, a152 = 0, a153 = 0, a154 = 0, a155 = 0, a156 = 0, a157 = 0, a158 = 0, a159 = 0,
		    a160 = 0, a161 = 0, a162 = 0, a163 = 0, a164 = 0, a165 = 0, a166 = 0, a167 = 0, a168 = 0, a169 = 0,
		    a170 = 0, a171 = 0, a172 = 0, a173 = 0, a174 = 0, a175 = 0, a176 = 0, a177 = 0, a178 = 0, a179 = 0,
		    a180 = 0, a181 = 0, a182 = 0, a183 = 0, a184 = 0, a185 = 0, a186 = 0, a187 = 0, a188 = 0, a189 = 0,
		    a190 = 0, a191 = 0, a192 = 0, a193 = 0, a194 = 0, a195 = 0, a196 = 0, a197 = 0, a198 = 0, a199 = 0,
		    a200 = 0, a201 = 0, a202 = 0, a203 = 0, a204 = 0, a205 = 0, a206 = 0, a207 = 0, a208 = 0, a209 = 0,
		    a210 = 0, a211 = 0, a212 = 0, a213 = 0, a214 = 0, a215 = 0, a216 = 0, a217 = 0, a218 = 0, a219 = 0,
		    a220 = 0, a221 = 0, a222 = 0, a223 = 0, a224 = 0, a225 = 0, a226 = 0, a227 = 0, a228 = 0, a229 = 0,
		    a230 = 0, a231 = 0, a232 = 0, a233 = 0, a234 = 0, a235 = 0, a236 = 0, a237 = 0, a238 = 0, a239 = 0,
		    a240 = 0, a241 = 0, a242 = 0, a243 = 0, a244 = 0, a245 = 0, a246 = 0, a247 = 0, a248 = 0, a249 = 0,
		    a250 = 0, a251 = 0, a252 = 0, a253 = 0, a254 = 0;
		M.L ();
		if (M.If (n > 1))
			return M.V (1);
		if (M.If (n > 0) && M.Way (n < 5, 1))
			return M.V (2);
		return M.V (3);
	}

	public static void Run ()
	{
		for (int i = 0; i < 4; i++) //= 1:4
			Of (i - 1);
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
		M.Run ("many locals", ManyLocals.Run);
		M.Write (args.Length > 0 ? args[0] : null); //= 0:1
		return 4;
	}
}
