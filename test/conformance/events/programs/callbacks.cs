// SPDX-License-Identifier: MIT
// Reverse P/Invoke: native code calls delegates, which call native code again, and throw and catch between.
using System;
using System.Runtime.InteropServices;

namespace Own
{
	[UnmanagedFunctionPointer (CallingConvention.Cdecl)]
	delegate int Compare (ref int a, ref int b);

	[UnmanagedFunctionPointer (CallingConvention.Cdecl)]
	delegate int Function (int n);

	class Failure : Exception { }

	class Program
	{
		[DllImport ("libc")] static extern void qsort (int [] numbers, IntPtr count, IntPtr size, Compare compare);
		[DllImport ("libc")] static extern int abs (int n);

		static int calls;

		static int Plain (ref int a, ref int b) { calls++; return a.CompareTo (b); }

		static void Throw () { throw new Failure (); }

		static int Catching (ref int a, ref int b)
		{
			try { Throw (); } catch (Failure) { calls++; }
			return abs (a).CompareTo (abs (b));
		}

		static int Sorting (ref int a, ref int b)
		{
			var inner = new [] { b, a };
			qsort (inner, (IntPtr) 2, (IntPtr) 4, Plain);
			return inner [0] == a ? a == b ? 0 : -1 : 1;
		}

		static string Sort (Compare compare)
		{
			var numbers = new [] { 3, -1, 2, 9, -7, 4 };
			qsort (numbers, (IntPtr) numbers.Length, (IntPtr) 4, compare);
			return string.Join (",", Array.ConvertAll (numbers, n => n.ToString ()));
		}

		static int Twice (int n) { return 2 * n; }

		static int Main ()
		{
			Console.WriteLine (Sort (Plain) + " " + Sort (Catching) + " " + Sort (Sorting) + " " + calls);
			Function twice = Twice;
			IntPtr address = Marshal.GetFunctionPointerForDelegate (twice);
			var back = (Function) Marshal.GetDelegateForFunctionPointer (address, typeof (Function));
			Console.WriteLine (back (21));
			GC.KeepAlive (twice);
			return 0;
		}
	}
}
