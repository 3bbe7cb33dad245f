// SPDX-License-Identifier: MIT
// offsets.cs - structs that a method does not take by value. Each Look... prints the numbers of the first one that it
// has, its `this` or its first parameter, as offsets.c reads them by the offsets of their fields.
using System;
using System.Runtime.CompilerServices;

struct Point { public int x, y; }
struct Plain { public int one, two; public Point at; public int three; }
struct Keeper { public object kept; public int one, two; }

class Unmet { public int number = 1; }

static class Say {
	public static void Plain (string what, Plain p)
	{
		Console.WriteLine ("{0} one={1} two={2} at.x={3} at.y={4} three={5}", what, p.one, p.two, p.at.x, p.at.y,
		                   p.three);
	}

	public static void Two (string what, int one, int two)
	{
		Console.WriteLine ("{0} one={1} two={2}", what, one, two);
	}
}

struct Wrap<T> {
	public T what;
	public int one, two;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public void LookThis () { Say.Two ("LookThis", one, two); }
}

class Base<T> {
	public T what;
	public int one, two;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public void LookObject () { Say.Two ("LookObject", one, two); }
}

static class Program {
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void LookRef (ref Plain p) { Say.Plain ("LookRef", p); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void LookOut (out Keeper k)
	{
		Say.Two ("LookOut", 51, 52);
		k = new Keeper ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static unsafe void LookPointer (Point *p) { Console.WriteLine ("LookPointer x={0} y={1}", p->x, p->y); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void LookGeneric<T> (ref Wrap<T> w) { Say.Two ("LookGeneric", w.one, w.two); }

	static unsafe int Main ()
	{
		Plain plain = new Plain { one = 11, two = 12, at = new Point { x = 13, y = 14 }, three = 15 };
		Wrap<string> text = new Wrap<string> { what = "text", one = 21, two = 22 };
		Wrap<Version> version = new Wrap<Version> { what = null, one = 23, two = 24 };
		Wrap<long> number = new Wrap<long> { what = 5, one = 31, two = 32 };
		Wrap<short> small = new Wrap<short> { what = 5, one = 33, two = 34 };
		Keeper keeper = new Keeper { kept = "kept", one = 51, two = 52 };
		Point point = new Point { x = 41, y = 42 };
		LookRef (ref plain);
		LookOut (out keeper);
		LookPointer (&point);
		text.LookThis ();
		version.LookThis ();
		number.LookThis ();
		small.LookThis ();
		LookGeneric (ref text);
		LookGeneric (ref number);
		new Base<string> { what = "text", one = 61, two = 62 }.LookObject ();
		new Base<long> { what = 6, one = 63, two = 64 }.LookObject ();
		return 0;
	}
}
