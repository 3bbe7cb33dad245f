// SPDX-License-Identifier: MIT
// Shapes of types and methods whose spelling on real Mono the unit tests reproduce. Method names are unique: they are
// the keys of shapes.tsv. Compiled by mcs, printed by names.c.
using System;
using System.Collections.Generic;

public delegate int TopDelegate (string text, int number);

public class NoNamespace {
	public void Bare () { }
	public class Child { public void BareChild (NoNamespace.Child other) { } }
}

namespace N.S {
	public enum Color : byte { Red, Green }

	public interface IPlain { void Explicit (int number); }
	public interface IGeneric<T> { void ExplicitGeneric (T item); }

	public class Implementer : IPlain, IGeneric<string>, IGeneric<List<int>> {
		void IPlain.Explicit (int number) { }
		void IGeneric<string>.ExplicitGeneric (string item) { }
		void IGeneric<List<int>>.ExplicitGeneric (List<int> item) { }
	}

	public class Outer<T> {
		public struct Value { public int X; public void OfValue (Value other) { } }

		public class Inner<U> {
			public U Deep<V> (string s, int[] a, ref V r, out int o, int[,] m, Func<string, int> f, int? n, T t, U u,
				V v)
			{
				o = 0;
				return u;
			}
			public static void DeepStatic (T t, U u) { }
			public void NoArguments () { }
		}
		public class Plain { public void InPlain (T t, Plain p) { } }

		public void Simple (T item) { }
		public static T[] Arrays (T[] a, T[,] b, T[][] c, List<T> d, Dictionary<T, List<T>> e) { return a; }
		public void Own (Outer<T> same, Outer<int> other, Outer<T>.Inner<string> nested) { }
	}

	public class Operators {
		public int this [int index] { get { return index; } set { } }
		public string Property { get { return ""; } set { } }
		public event EventHandler Changed;
		static Operators () { }
		public Operators () { }
		public Operators (int number) { }
		~Operators () { }
		public static Operators operator + (Operators a, Operators b) { return a; }
		public static implicit operator int (Operators a) { return 1; }
		public void Fire () { if (Changed != null) Changed (this, null); }
	}

	public unsafe class Primitives {
		public void All (bool a, char b, sbyte c, byte d, short e, ushort f, int g, uint h, long i, ulong j, float k,
			double l, IntPtr m, UIntPtr n, string o, object p) { }
		public void Others (decimal a, DateTime b, Color c, TopDelegate d, Type e, Array f, Exception g, ValueType h,
			Enum i) { }
		public void Pointers (int *a, void *b, int **c, char *[] d, ref int *e, Color *f) { }
		public void Typed (TypedReference reference) { }
		public void References (ref int a, out string b, ref int[] c, ref List<string> d, ref Color e) { b = null; }
		public void Jagged (int[][] a, int[,,] b, int[][,] c, int[,][] d, string[] e, object[] f) { }
		public void Varargs (int fixedOne, __arglist) { }
		public void Params (params string[] rest) { }
		public void Default (int number = 3) { }
		public void Nullables (int? a, Color? b, KeyValuePair<string, int>? c) { }
		public void Enumerators (List<int>.Enumerator a, Dictionary<string, int>.KeyCollection.Enumerator b) { }
		public void Dynamics (dynamic a, Action b, Action<int, string> c) { }
		public enum Inside : short { A }
		public void NestedElements (Inside[] a, Inside *b, NoNamespace.Child[] c, Inside[,] d) { }
		public int ReturnsInt () { return 0; }
		public unsafe void *ReturnsPointer () { return null; }
	}

	public static class Generics {
		public static void Method<A> (A a) { }
		public static void Two<A, B> (A a, B b, Dictionary<A, B> c) { }
		public static void Constrained<A> (A a) where A : struct { }
		public static A Identity<A> (A a) { return a; }
	}
}

public static class Program {
	static void Touch<T> (T item)
	{
		var outer = new N.S.Outer<T> ();
		outer.Simple (item);
		outer.Own (null, null, null);
		N.S.Outer<T>.Arrays (null, null, null, null, null);
		new N.S.Outer<T>.Value ().OfValue (new N.S.Outer<T>.Value ());
		new N.S.Outer<T>.Plain ().InPlain (item, null);
		N.S.Generics.Method (item);
		N.S.Generics.Two (item, 1, null);
		N.S.Generics.Two (1, item, null);
	}

	static void TouchTwo<T, U> (T a, U b)
	{
		N.S.Outer<T>.Inner<U>.DeepStatic (a, b);
		new N.S.Outer<T>.Inner<U> ().NoArguments ();
		int o;
		T r = a;
		new N.S.Outer<T>.Inner<U> ().Deep<T> ("", null, ref r, out o, null, null, null, a, b, a);
	}

	public static unsafe void Main ()
	{
		Touch (1);
		Touch ("text");
		Touch (new object ());
		Touch (N.S.Color.Red);
		Touch (new List<string> ());
		Touch (new int[1]);
		Touch (new int[1, 1]);
		Touch (new KeyValuePair<string, int> ("a", 1));
		Touch (new KeyValuePair<int, int> (1, 1));
		TouchTwo ("a", 1);
		TouchTwo (1, 2L);
		TouchTwo ("a", "b");
		TouchTwo ((byte) 1, 'c');
		N.S.Generics.Constrained (1.5);
		N.S.Generics.Constrained (1.5f);
		N.S.Generics.Constrained ((short) 1);
		N.S.Generics.Constrained ((ushort) 1);
		N.S.Generics.Constrained (1u);
		N.S.Generics.Constrained (1ul);
		N.S.Generics.Constrained ((sbyte) 1);
		N.S.Generics.Constrained (true);
		N.S.Generics.Constrained (IntPtr.Zero);
		N.S.Generics.Constrained (UIntPtr.Zero);
		N.S.Generics.Constrained (1m);
		((N.S.IPlain) new N.S.Implementer ()).Explicit (1);
		((N.S.IGeneric<string>) new N.S.Implementer ()).ExplicitGeneric ("");
		new N.S.Primitives ().Pointers (null, null, null, null, ref *(int **) IntPtr.Zero.ToPointer (), null);
	}
}
