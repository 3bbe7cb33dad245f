// SPDX-License-Identifier: MIT
// Nesting of classes, generic and not, of every visibility.
using System;
using System.Collections.Generic;

namespace A.B.C
{
	public class Outer<T>
	{
		public T Value;
		public class Plain { public T Value; public void Do (T t, Plain p, Outer<T> o) { } }
		public class Inner<U>
		{
			public T First;
			public U Second;
			public struct Deep<V, W>
			{
				public T A;
				public U B;
				public V C;
				public W D;
				public static Dictionary<T, Dictionary<U, V>> Map;
				public void M<X> (T t, U u, V v, W w, X x) { }
			}
			public V Method<V> (T t, U u, V v, Inner<U> i, Inner<V> j, Outer<V>.Inner<T> k) { return v; }
			public enum Kind { One, Two }
			public delegate V Function<V> (T t, U u, V v);
			public interface IThing { void Do (T t, U u); }
		}
		private class Hidden { internal class MoreHidden { protected internal class Most { public T Value; } } }
		protected class Guarded { protected class Inside { } }
		internal interface INear { Outer<T>.Inner<int> Make (Inner<string>.Deep<int, T> d); }
	}
	public class Derived : Outer<int>.Inner<string>, IEquatable<Derived>, IComparable<Outer<string>.Plain>
	{
		public Outer<int>.Inner<string>.Deep<long, Derived> Field;
		public Outer<Outer<int>.Inner<string>>.Inner<Derived[]>.Kind Kind;
		public Outer<string>.Inner<int>.Function<Derived> Function;
		public bool Equals (Derived other) { return other == this; }
		public int CompareTo (Outer<string>.Plain p) { return 0; }
	}
	static class Empty { class A { class B { class C { class D { class E { } } } } } }
}

class Global { public class Inside { public A.B.C.Outer<Global>.Plain Plain; } }

public static class Program
{
	public static int Main ()
	{
		var inner = new A.B.C.Derived ();
		inner.Field.M<object> (1, "", 2L, inner, null);
		Console.WriteLine (inner.Method (1, "two", 3.0, null, null, null));
		Console.WriteLine (new A.B.C.Outer<Global>.Inner<Global.Inside> ().Method<List<int>> (null, null, null,
			null, null, null) == null);
		Console.WriteLine (new A.B.C.Outer<byte>.Plain ().Value);
		return 0;
	}
}
