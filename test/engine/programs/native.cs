// SPDX-License-Identifier: MIT
//
// native.cs - calls that pass through native code: callbacks of qsort, function pointers, varargs, unmanaged callers.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

static unsafe class Native
{
	[DllImport ("libc")]
	static extern void qsort (int* data, nint count, nint size, nint compare);
	[DllImport ("libc", EntryPoint = "qsort")]
	static extern void qsort_delegate (int* data, nint count, nint size, Comparison compare);
	[DllImport ("libc", EntryPoint = "no_such_function_anywhere")]
	static extern void missing ();
	[DllImport ("libno_such_library")]
	static extern void nowhere ();
	[DllImport ("libc"), SuppressGCTransition]
	static extern int abs (int value);

	[UnmanagedFunctionPointer (CallingConvention.Cdecl)]
	delegate int Comparison (int* a, int* b);

	[UnmanagedCallersOnly]
	static int CompareUnmanaged (int* a, int* b) => Difference (*a, *b);

	static int Difference (int a, int b)
	{
		Calls++;
		return a.CompareTo (b);
	}
	static int Calls;

	static int Careful (int* a, int* b)
	{
		try {
			return Risky (*a, *b);
		} catch (Deep e) {
			return e.Level;
		} finally {
			Calls++;
		}
	}

	static int Risky (int a, int b) => (a + b) % 3 == 0 ? throw new Deep (a.CompareTo (b)) : a.CompareTo (b);

	// Each call goes native and comes back, deeper and deeper; the innermost throws inside managed code.
	static int Recurse (int* a, int* b)
	{
		if (Depth-- <= 0)
			try {
				throw new Deep (3);
			} catch (Deep) {
				return 0;
			}
		int* two = stackalloc int[] { 2, 1 };
		qsort_delegate (two, 2, 4, Recurse);
		return two[0] - two[1];
	}
	static int Depth;

	static string Sorted (delegate*<int*, void> sort)
	{
		const int count = 50;
		int* data = stackalloc int[count];
		for (int i = 0; i < count; i++)
			data[i] = i * 37 % 53;
		sort (data);
		long sum = 0;
		for (int i = 0; i < count; i++)
			sum = sum * 3 + data[i];
		return sum.ToString ();
	}

	static void ByPointer (int* d) => qsort (d, 50, 4, (nint) (delegate* unmanaged<int*, int*, int>) &CompareUnmanaged);
	static void ByDelegate (int* d) => qsort_delegate (d, 50, 4, (a, b) => Difference (*a, *b));
	static void ByMarshal (int* d)
	{
		Comparison c = Careful;
		qsort (d, 50, 4, Marshal.GetFunctionPointerForDelegate (c));
		GC.KeepAlive (c);
	}

	static string Missing (Action what)
	{
		try {
			what ();
			return "found";
		} catch (TypeLoadException e) {
			return e.GetType ().Name;
		}
	}

	public static void Run ()
	{
		Console.WriteLine (Sorted (&ByPointer) + " " + Sorted (&ByDelegate) + " " + Sorted (&ByMarshal) + " " + Calls);
		Depth = 12;
		int* two = stackalloc int[] { 4, 3 };
		qsort_delegate (two, 2, 4, Recurse);
		Console.WriteLine (two[0] + " " + Depth);
		Console.WriteLine (Missing (missing) + " " + Missing (nowhere) + " " + Missing (Absent));
		int sum = 0;
		for (int i = -50; i < 50; i++)
			sum += abs (i);
		Console.WriteLine (sum);
	}

	static void Absent () => missing ();
}

static class VarArgs
{
	static int Sum (__arglist)
	{
		var list = new ArgIterator (__arglist);
		int sum = 0;
		while (list.GetRemainingCount () > 0)
			sum += __refvalue (list.GetNextArg (), int);
		return sum;
	}

	static int Outer (int n) => n == 0 ? Sum (__arglist ()) : Sum (__arglist (n, n + 1, n + 2));
	static int Refs (ref int n) { TypedReference r = __makeref (n); return __refvalue (r, int) += 1; }

	public static void Run ()
	{
		int n = 3;
		Console.WriteLine (Refs (ref n) + n);
		try {
			Console.WriteLine (Outer (0) + Outer (5));
		} catch (PlatformNotSupportedException) {
			Console.WriteLine ("no varargs here");
		} catch (InvalidProgramException) {
			Console.WriteLine ("no varargs here");
		}
	}
}

static unsafe class Pointers
{
	static int Twice (int n) => n * 2;
	static int Throws (int n) => throw new Deep (n);
	static T Same<T> (T value) => value;
	static ref int Element (int[] a, int i) => ref a[i];
	[UnmanagedCallersOnly (CallConvs = new[] { typeof (CallConvCdecl) })]
	static int Unmanaged (int n) => Twice (n) + 1;
	[UnmanagedCallersOnly]
	static int UnmanagedCatching (int n)
	{
		try {
			return Throws (n);
		} catch (Deep e) {
			return -e.Level;
		}
	}
	[UnmanagedCallersOnly]
	static int UnmanagedNesting (int n)
	{
		delegate* unmanaged<int, int> self = &UnmanagedNesting, end = &UnmanagedCatching;
		try {
			return n == 0 ? end (n) : self (n - 1) + Throws (n);
		} catch (Deep) {
			return n;
		}
	}

	static int Through (delegate*<int, int> f, int n)
	{
		try {
			return f (n);
		} catch (Deep e) {
			return e.Level + 1000;
		}
	}

	public static void Run ()
	{
		delegate*<int, int> twice = &Twice, throws = &Throws, same = &Same<int>;
		delegate*<string, string> same_string = &Same<string>;
		delegate* unmanaged[Cdecl]<int, int> unmanaged = &Unmanaged;
		delegate* unmanaged<int, int> catching = &UnmanagedCatching, nesting = &UnmanagedNesting;
		delegate*<int[], int, ref int> element = &Element;
		int sum = 0;
		int[] a = { 1, 2, 3 };
		for (int i = 0; i < 100; i++) {
			sum += Through (twice, i) + Through (throws, i) + Through (same, i) + same_string ("abc").Length;
			sum += unmanaged (i) + catching (i) + nesting (i % 10);
			element (a, i % 3)++;
		}
		Console.WriteLine (sum + " " + string.Join (",", a));
	}
}
