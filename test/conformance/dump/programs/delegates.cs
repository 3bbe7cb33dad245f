// SPDX-License-Identifier: MIT
// Delegates, lambdas and closures.
using System;
using System.Linq;
using System.Runtime.InteropServices;

public delegate void Nothing ();
public delegate int Many (int a, ref string b, out object c, params int[] d);
public delegate T Generic<T, in U> (U u) where U : class;
[UnmanagedFunctionPointer (CallingConvention.Cdecl)] public unsafe delegate int Native (int* p, IntPtr q);

public class Holder<T>
{
	public delegate T Inner<U> (T t, U u);
	public Inner<int> Field;
	public Func<T, Action<T[]>> Make (Inner<string> i) { T c = default (T); return t => a => { c = t; }; }
	event Inner<T> E;
	public void Use () { if (E != null) E (default (T), default (T)); }
}

public static class Program
{
	static int Twice (int x) { return 2 * x; }
	public static Func<int, int> Closure (int n) { int m = 1; return x => x + n + m++; }
	public static Func<T, Func<T, T>> Deep<T> (T t) { return a => b => a.Equals (b) ? t : a; }
	public static Delegate Any (Func<int> a, Action<string, object> b, Predicate<int[]> c, Comparison<string> d,
		AsyncCallback e, EventHandler<EventArgs> f)
	{
		return a;
	}
	public static int Main ()
	{
		Func<int, int> f = Twice;
		f += delegate (int x) { return x + 1; };
		Many m = delegate (int a, ref string b, out object c, int[] d) { c = b; return a; };
		string s = "";
		object o;
		new Holder<int> ().Make (null) (3) (null);
		Console.WriteLine (f (3) + Closure (4) (5) + m (1, ref s, out o) + Deep (1) (2) (2) + new[] { 1, 2,
			3 }.Where (x => x > 1).Select (x => x * s.Length).Sum ());
		return 0;
	}
}
