// SPDX-License-Identifier: MIT
//
// symbols_programs.cs - code whose sequence points are not simply one after the other, for test_symbols.py. Both
// compilers take it.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

[Flags] enum Wide : ulong { None, All = ulong.MaxValue }
enum Narrow : sbyte { Minus = -1 }

[AttributeUsage (AttributeTargets.All, AllowMultiple = true)]
class EverythingAttribute : Attribute
{
	public EverythingAttribute () { }
	public EverythingAttribute (object value) { }
	public EverythingAttribute (bool a, char b, sbyte c, byte d, short e, ushort f, int g, uint h, long i, ulong j,
	                            float k, double l, string m, Type n, Wide o, Narrow p, DayOfWeek q) { }
	public EverythingAttribute (int [] a, string [] b, Type [] c, Narrow [] d, object [] e) { }
	public object Box;
	public Narrow [] Enums { get; set; }
	public string Text { get; set; }
}

[Everything (true, '\uFFFF', sbyte.MinValue, 255, short.MinValue, 65535, int.MinValue, uint.MaxValue, long.MinValue,
             ulong.MaxValue, -1.5f, double.Epsilon, "\u00e9\U0001F600", typeof (List<int>), Wide.All, Narrow.Minus,
             DayOfWeek.Friday)]
[Everything (new [] { 1, -2 }, new [] { "a", null, "" }, new [] { typeof (Lines), null }, new [] { Narrow.Minus },
             new object [] { 1, "s", typeof (int []), Narrow.Minus, null, new object [] { 'c', new [] { 1.5 } } })]
[Everything (null)]
[Everything (Narrow.Minus, Text = null, Box = Wide.All, Enums = new [] { Narrow.Minus })]
[Everything (new [] { DayOfWeek.Monday, DayOfWeek.Friday })]
[Everything (typeof (Dictionary<,>.KeyCollection), Box = new [] { typeof (void) })]
static class Lines
{
	static int field = 5, other = Text (null + "") == null ? 1 : 2;

	static async Task<int> Awaits (int x)
	{
		for (int i = 0; i < x; i++) {
			await Task.Delay (1);
			if (i == 3)
				await Task.Yield ();
		}
		try {
			await Task.Delay (1);
		} finally {
			Console.Write ("");
		}
		return x;
	}

	static IEnumerable<int> Yields (int n)
	{
		foreach (var c in new int [] { 1, 2, 3 }) { yield return c; }
		using (var e = new List<int> { 1 }.GetEnumerator ())
			while (e.MoveNext ())
				yield return e.Current;
	}

	static string Text (string s)
	{
		const int limit = 7;
		switch (s) {
		case "a": return "b"; case "b": return "c"; case "c": return "d"; case "dd": return "e";
		case "eee": return "f"; case "f": return "g"; case "h": case "i": case "j": return "1";
		}
		lock (typeof (Lines)) {
			return s.Length > limit
				? s.Substring (
					1)
				: null;
		}
	}

#line 100 "other.txt"
	static int Documents (int x)
	{
		Func<int,int> f = y => x + y;
#line hidden
		x++;
#line 7 "third.txt"
		x += f (2);
#line default
		return x;
	}

#line hidden
	static int Hidden (int x) { x++; x++; return x; }

#line 200000 "far.txt"
	static int HalfHidden (int x) {
#line hidden
		x++; x++;
#line 1 "far.txt"
		return x;
	}
#line default

	static void Scopes (int n)
	{
		for (int i = 0; i < n; i++) { int inside = i * 2; Console.Write (inside); }
		for (int j = 0; j < n; j++) { string inside = "" + j; Console.Write (inside); }
	}

	static void Main ()
	{
		Console.WriteLine (Awaits (2).Result);
		foreach (var x in Yields (1))
			Console.Write (x);
		Console.WriteLine (Documents (1) + Hidden (1) + HalfHidden (field) + other);
		Scopes (1);
	}
}
