// SPDX-License-Identifier: MIT
// Generic code: of classes, methods, structs, static ones, over primitive, reference and own value types. Mono names
// an instance over a reference type T_REF; the counts of those are compared as sums over the shared instance.
using System;
using System.Collections.Generic;

public struct Pair
{
	public int A, B;

	public Pair (int a, int b)
	{
		A = a;
		B = b;
	}

	public int Sum ()
	{
		return A + B;
	}

	public override string ToString ()
	{
		return "<" + A + "," + B + ">";
	}
}

public interface IShape
{
	int Area (int factor);
}

public class Square : IShape
{
	public int Area (int factor)
	{
		return factor * factor;
	}
}

public struct Line : IShape
{
	int IShape.Area (int factor)
	{
		return factor;
	}
}

public class Stack<T>
{
	readonly List<T> items = new List<T> ();

	public void Push (T item)
	{
		items.Add (item);
	}

	public T Pop ()
	{
		T item = items[items.Count - 1];
		items.RemoveAt (items.Count - 1);
		return item;
	}

	public U Map<U> (Func<T, U> map)
	{
		return map (Pop ());
	}

	public static int Size ()
	{
		return typeof (T).IsValueType ? 1 : 0;
	}

	public class Node<V>
	{
		public T Key;
		public V Value;

		public string Show ()
		{
			return Key + "=" + Value;
		}
	}
}

public struct Holder<T>
{
	T value;

	public Holder (T value)
	{
		this.value = value;
	}

	public T Get ()
	{
		return value;
	}

	public void Set (ref T other)
	{
		value = other;
	}
}

public static class Static<T>
{
	static int count;

	public static int Count ()
	{
		return ++count;
	}
}

// More type arguments than the runtime lists without being asked twice.
public class Wide<A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T>
{
	public string Ends (A a, T t)
	{
		return "" + a + t;
	}
}

// As the anonymous types of C# are that have so many members.
public class Widest<T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21,
	T22, T23, T24, T25, T26, T27, T28, T29, T30, T31, T32, T33, T34, T35, T36, T37, T38, T39, T40, T41,
	T42, T43, T44, T45, T46, T47, T48, T49, T50, T51, T52, T53, T54, T55, T56, T57, T58, T59, T60, T61,
	T62, T63, T64, T65, T66, T67, T68, T69, T70, T71, T72, T73, T74, T75, T76, T77, T78, T79, T80, T81,
	T82, T83, T84, T85, T86, T87, T88, T89, T90, T91, T92, T93, T94, T95, T96, T97, T98, T99, T100,
	T101, T102, T103, T104, T105, T106, T107, T108, T109, T110, T111, T112, T113, T114, T115, T116,
	T117, T118, T119, T120, T121, T122, T123, T124, T125, T126, T127, T128, T129>
{
	public static int Size (T0 first, T129 last)
	{
		return first.ToString ().Length + last.ToString ().Length;
	}
}

public class Base<T>
{
	public virtual string Name (T value)
	{
		return "base " + value;
	}

	public virtual string Generic<U> (U value)
	{
		return "base " + value;
	}
}

public class Derived : Base<string>
{
	public override string Name (string value)
	{
		return "derived " + value;
	}

	public override string Generic<U> (U value)
	{
		return "derived " + value;
	}
}

public static class Methods
{
	public static T Identity<T> (T value)
	{
		return value;
	}

	public static void Swap<T> (ref T a, ref T b)
	{
		T t = a;
		a = b;
		b = t;
	}

	public static int Area<T> (T shape, int factor) where T : IShape
	{
		return shape.Area (factor);
	}

	public static T Make<T> () where T : new ()
	{
		return new T ();
	}

	// A throw out of a generic frame.
	public static T Fail<T> (T value)
	{
		throw new InvalidOperationException ("fail " + value);
	}

	public static string Caught<T> (T value)
	{
		try {
			return Fail (value).ToString ();
		} catch (InvalidOperationException e) {
			return e.Message;
		}
	}
}

public static class Program
{
	static void Classes ()
	{
		var ints = new Stack<int> ();
		var strings = new Stack<string> ();
		var doubles = new Stack<double> ();
		var pairs = new Stack<Pair> ();
		for (int i = 0; i < 7; i++) {
			ints.Push (i);
			strings.Push ("s" + i);
			doubles.Push (i / 2.0);
			pairs.Push (new Pair (i, i));
		}
		Console.WriteLine (ints.Pop () + strings.Pop ());
		Console.WriteLine (doubles.Map (d => (int) (d * 2)) + pairs.Map (p => p.ToString ()));
		Console.WriteLine (Stack<int>.Size () + Stack<string>.Size () + Stack<Pair>.Size ());
		Console.WriteLine (new Stack<int>.Node<string> { Key = 1, Value = "one" }.Show ());
		Console.WriteLine (new Stack<string>.Node<Pair> { Key = "p", Value = new Pair (1, 2) }.Show ());
	}

	static void Structs ()
	{
		var ints = new Holder<int> (5);
		var strings = new Holder<string> ("five");
		int six = 6;
		string word = "six";
		for (int i = 0; i < 3; i++) {
			ints.Set (ref six);
			strings.Set (ref word);
		}
		Console.WriteLine (ints.Get () + strings.Get () + new Holder<Pair> (new Pair (3, 4)).Get ().Sum ());
	}

	static void Statics ()
	{
		for (int i = 0; i < 4; i++) {
			Static<int>.Count ();
			Static<string>.Count ();
			Static<Pair>.Count ();
		}
		Console.WriteLine (Static<int>.Count () + Static<string>.Count ());
		Console.WriteLine (Static<Pair>.Count () + Static<double>.Count ());
	}

	static void GenericMethods ()
	{
		int a = 1, b = 2;
		string s = "x", t = "y";
		Methods.Swap (ref a, ref b);
		Methods.Swap (ref s, ref t);
		Console.WriteLine (Methods.Identity (a) + Methods.Identity (s));
		Console.WriteLine (Methods.Identity (new Pair (1, 2)).Sum () + Methods.Identity (2.5));
		Console.WriteLine (Methods.Area (new Square (), 3) + Methods.Area (new Line (), 3));
		Console.WriteLine (Methods.Make<Pair> ().Sum () + Methods.Make<Square> ().Area (2));
		Console.WriteLine (Methods.Caught (1) + Methods.Caught ("s") + Methods.Caught (new Pair (1, 1)));
	}

	static void Virtuals ()
	{
		Base<string> derived = new Derived ();
		var plain = new Base<int> ();
		Console.WriteLine (derived.Name ("n") + derived.Generic (1) + derived.Generic ("s"));
		Console.WriteLine (plain.Name (1) + plain.Generic ("s"));
	}

	static void Arguments ()
	{
		var mixed = new Wide<string, int, string, int, string, int, string, int, string, int,
			string, int, string, int, string, int, string, int, string, int> ();
		var strings = new Wide<string, string, string, string, string, string, string, string, string, string,
			string, string, string, string, string, string, string, string, string, string> ();
		for (int i = 0; i < 3; i++)
			Console.WriteLine (mixed.Ends ("a", i) + strings.Ends ("b", "c"));
		Console.WriteLine (Widest<
			int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
			int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
			int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
			int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
			int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
			int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
			int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
			int, int, int, int, int, int, int, int, int, string>.Size (1, "two"));
	}

	public static int Main ()
	{
		Classes ();
		Arguments ();
		Structs ();
		Statics ();
		GenericMethods ();
		Virtuals ();
		return 0;
	}
}
