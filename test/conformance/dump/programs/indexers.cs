// SPDX-License-Identifier: MIT
// Indexers: overloads, names of their own, generic, static-looking properties next to them.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

public class Table
{
	int[] cells = new int[8];
	public int this[int i] { get { return cells[i]; } set { cells[i] = value; } }
	public string this[string s] { get { return s; } }
	public object this[int i, string s, params object[] rest] { get { return rest; } protected set { } }
	internal double this[ref_free r] { set { } }
	public struct ref_free { }
}

public class Named
{
	[IndexerName ("Cell")] public int this[int x, int y] { get { return x * y; } set { } }
	[IndexerName ("Cell")] public int this[long x] { get { return 1; } }
}

public interface IMap<TKey, TValue> { TValue this[TKey k] { get; set; } TValue[] this[TKey a, TKey b] { get; } }

public abstract class Map<TKey, TValue> : IMap<TKey, TValue>
{
	public abstract TValue this[TKey k] { get; set; }
	public virtual TValue[] this[TKey a, TKey b] { get { return null; } }
}

public class IntMap : Map<int, List<string>>
{
	public override List<string> this[int k] { get { return null; } set { } }
	public sealed override List<string>[] this[int a, int b] { get { return base[a, b]; } }
}

public static class Program
{
	public static int Main ()
	{
		var t = new Table ();
		t[3] = 5;
		Console.WriteLine (t[3] + t["x"] + new Named ()[2, 3] + (new IntMap ()[1] == null));
		return 0;
	}
}
