// SPDX-License-Identifier: MIT
// Iterators, which compilers turn into classes.
using System;
using System.Collections;
using System.Collections.Generic;

public class Tree<T> : IEnumerable<T>
{
	public T Value;
	public Tree<T> Left, Right;
	public IEnumerator<T> GetEnumerator ()
	{
		if (Left != null) foreach (T t in Left) yield return t;
		yield return Value;
		if (Right != null) foreach (T t in Right) yield return t;
	}
	IEnumerator IEnumerable.GetEnumerator () { return GetEnumerator (); }
	public IEnumerable<U> Map<U> (Func<T, U> f) { foreach (T t in this) yield return f (t); }
}

public struct Range
{
	public int From, To;
	public IEnumerable<int> All () { for (int i = From; i < To; i++) yield return i; }
}

public static class Program
{
	static IEnumerable<int> Fib (int n)
	{
		int a = 0, b = 1;
		while (n-- > 0) { yield return a; int c = a + b; a = b; b = c; }
	}
	static IEnumerable Untyped () { yield return 1; yield return "x"; yield break; }
	static IEnumerable<string> Guarded (IDisposable d)
	{
		using (d) { try { yield return "try"; } finally { Console.WriteLine ("finally"); } }
	}
	static IEnumerator<KeyValuePair<T, T[]>> Pairs<T> (params T[] all)
	{
		foreach (T t in all) yield return new KeyValuePair<T, T[]> (t, all);
	}
	public static int Main ()
	{
		int sum = 0;
		foreach (int i in Fib (10)) sum += i;
		foreach (string s in Guarded (null)) sum += s.Length;
		foreach (string s in new Tree<int> { Value = 3, Left = new Tree<int> { Value = 1 } }.Map (x
			=> x.ToString ())) sum += s.Length;
		foreach (int i in new Range { From = 1, To = 4 }.All ()) sum += i;
		foreach (object o in Untyped ()) sum++;
		var p = Pairs (1, 2);
		while (p.MoveNext ()) sum += p.Current.Value.Length;
		Console.WriteLine (sum);
		return 0;
	}
}
