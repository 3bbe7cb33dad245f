// SPDX-License-Identifier: MIT
// Generic methods and classes over every kind of argument, with the members of their instances.
using System;
using System.Collections.Generic;

public struct Value { public int A; }
public enum Kind : byte { One }
public class Reference { }
public delegate void Handler ();

public class Cell<T> : IComparable<Cell<T>>
{
	public T Value;
	public static T Shared;
	public T[] Many;
	public readonly Cell<T> Next;
	public KeyValuePair<T, Cell<T>>? Pair;
	protected internal List<Func<T, Cell<T[]>>> Functions;
	public T Property { get; set; }
	public event Action<T> Event;
	public T this[T t, int i] { get { return t; } }
	public Cell () { }
	public Cell (T t, params Cell<T>[] rest) { Value = t; if (Event != null) Event (t); }
	public int CompareTo (Cell<T> c) { return 0; }
	public U To<U> (Func<T, U> f, ref U u, out T[] t) { t = null; return f (Value); }
	public static Cell<U> Of<U> (U u, T t) { return new Cell<U> (u); }
	public static implicit operator T (Cell<T> c) { return c.Value; }
	public struct Inner<U>
	{
		public T A;
		public U B;
		public Cell<U> C;
		public V M<V> (T t, U u, V v) { return v; }
	}
}

public class Two<TKey, TValue> : Cell<KeyValuePair<TKey, TValue[]>> where TKey : struct
{
	public TKey Key;
	public TKey? Maybe;
	public Cell<TValue>.Inner<TKey> Mixed;
}

public static class Program
{
	public static Cell<bool> A;
	public static Cell<char> B;
	public static Cell<sbyte> C;
	public static Cell<byte> D;
	public static Cell<short> E;
	public static Cell<ushort> F;
	public static Cell<int> G;
	public static Cell<uint> H;
	public static Cell<long> I;
	public static Cell<ulong> J;
	public static Cell<float> K;
	public static Cell<double> L;
	public static Cell<decimal> M;
	public static Cell<IntPtr> N;
	public static Cell<UIntPtr> O;
	public static Cell<string> P;
	public static Cell<object> Q;
	public static Cell<Value> R;
	public static Cell<Kind> S;
	public static Cell<Reference> T_;
	public static Cell<Handler> U;
	public static Cell<int[]> V;
	public static Cell<string[,]> W;
	public static Cell<Value?> X;
	public static Cell<List<Cell<Kind>>> Y;
	public static Cell<IDisposable> Z;
	public static Two<int, string> Two1;
	public static Two<Kind, Value[]> Two2;
	public static Cell<int>.Inner<string> In1;
	public static Cell<Reference>.Inner<Cell<Value>.Inner<Kind>> In2;
	static T Identity<T> (T t) { return t; }
	static U Convert<T, U> (T t, Func<T, U> f, Cell<T>.Inner<U> i) { return f (t); }
	public static int Main ()
	{
		int u = 0;
		int[] t;
		Console.WriteLine (Identity (1) + Identity ("s") + Identity (Kind.One) + Convert (1, x => x.ToString (),
			new Cell<int>.Inner<string> ()) + new Cell<int> (4).To (x => x, ref u, out t) + Cell<string>.Of (1,
			"").Value + In1.M (1, "", 5));
		return 0;
	}
}
