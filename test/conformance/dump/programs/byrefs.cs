// SPDX-License-Identifier: MIT
// References to everything: ref, out, ref results, typed references.
using System;
using System.Runtime.InteropServices;

public struct Pair { public int A; public long B; }

public class Box<T>
{
	public T Value;
	public ref T Ref () { return ref Value; }
	public void Swap (ref T a, ref T b) { T t = a; a = b; b = t; }
}

public static class Program
{
	static int cell = 3;
	static int[] cells = { 1, 2, 3 };
	public static void Ref (ref int a, ref Pair b, ref string c, ref object d, ref int[] e, ref int[,] f,
		ref Box<int> g)
	{
		a++;
	}
	public static void Out (out int a, out Pair b, out string c, out object[] d, out Box<Pair> e)
	{
		a = 1;
		b = new Pair ();
		c = null;
		d = null;
		e = null;
	}
	public static void Attributed ([In] ref int a, [Out] int[] b, [In, Out] int[] c, [Optional] int d) { }
	public static ref int Cell () { return ref cell; }
	public static ref int Element (int i) { return ref cells[i]; }
	public static unsafe void Pointers (ref int* a, out void* b, ref int** c) { b = null; }
	public static int Typed (TypedReference r) { return __refvalue (r, int); }
	public static void Mixed<T, TKey> (ref T a, out TKey b, ref Box<T> c, ref Box<TKey>[] d, out T[,] e)
	{
		b = default (TKey);
		e = null;
	}
	public static int Main ()
	{
		int a = 1;
		Pair b = new Pair ();
		string c = "";
		object d = null;
		int[] e = null;
		int[,] f = null;
		Box<int> g = new Box<int> ();
		Ref (ref a, ref b, ref c, ref d, ref e, ref f, ref g);
		g.Ref () = 5;
		ref int local = ref Element (1);
		local += Cell ();
		var typed = __makeref (local);
		Console.WriteLine (Typed (typed) + a + g.Value);
		return 0;
	}
}
