// SPDX-License-Identifier: MIT
// Partial and static classes, extension methods, anonymous types, object initialisers, dynamic-free modern sugar.
using System;
using System.Collections.Generic;
using System.Linq;

public partial class Part
{
	partial void Hook (int a);
	public int A = 1;
	public partial class Inner { public int X; }
}

public partial class Part : IDisposable
{
	partial void Hook (int a) { A += a; }
	public void Dispose () { Hook (2); }
	public partial class Inner { public int Y; }
}

public static class Extensions
{
	public static int Twice (this int i) { return i * 2; }
	public static string Join<T> (this IEnumerable<T> all, string s = ",")
	{
		return string.Join (s, all.Select (x => x.ToString ()).ToArray ());
	}
	public static void Each<TKey, TValue> (this IDictionary<TKey, TValue> d, Action<TKey, TValue> f)
	{
		foreach (var p in d) f (p.Key, p.Value);
	}
	public static int Length (this Part.Inner[,] a) { return a.Length; }
	static class Nested { public static readonly int Z = 3; }
}

public static class Program
{
	static ValueTuple<int, string> Tuple (ValueTuple<int, int> p, ValueTuple<long, ValueTuple<byte, sbyte>>[] q)
	{
		return new ValueTuple<int, string> (p.Item1, "t");
	}
	static string Names () { return nameof (Tuple) + $"{1 + 1:x} {null}"; }
	static int Local (int n) { Func<int, int> f = null; f = k => k < 2 ? 1 : k * f (k - 1) + n - n; return f (n); }
	static bool Is (object o) { return o is int i && i > 3 || o is string s && s.Length > 1; }
	static string Switch (object o) { return o is Part p ? "part" + p.A : "?"; }
	public static int Main ()
	{
		var anonymous = new { Name = "n", Size = 3, Inner = new { Deep = new[] { 1 } } };
		var d = new Dictionary<string, List<int>> { { "a", new List<int> { 1, 2 } }, { "b", new List<int> () } };
		d.Each ((k, v) => Console.Write (k + v.Count));
		using (var p = new Part ()) Console.WriteLine (p.A);
		Console.WriteLine (anonymous.Name + anonymous.Inner.Deep[0] + 4.Twice () + new[] { 1, 2 }.Join ()
			+ Tuple (new ValueTuple<int, int> (1, 2), null).Item1 + Names () + Local (4) + Is (4) + Switch (7));
		return 0;
	}
}
