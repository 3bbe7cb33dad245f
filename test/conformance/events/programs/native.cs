// SPDX-License-Identifier: MIT
// P/Invoke: numbers, strings, structs, buffers, errors, libraries and functions that are not there.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Own
{
	[StructLayout (LayoutKind.Sequential)]
	struct Quotient { public int Whole, Rest; }

	class Program
	{
		[DllImport ("libc")] static extern int abs (int n);
		[DllImport ("libc")] static extern IntPtr strlen (string text);
		[DllImport ("libc")] static extern Quotient div (int a, int b);
		[DllImport ("libc", SetLastError = true)] static extern int close (int descriptor);
		[DllImport ("libc")] static extern IntPtr getenv (string name);
		[DllImport ("libc")] static extern int snprintf (StringBuilder text, IntPtr size, string format, int number);
		[DllImport ("libc", EntryPoint = "abs")] static extern int Renamed (int n);
		[DllImport ("no-such-library")] static extern int Absent ();
		[DllImport ("libc")] static extern int no_such_function ();

		[MethodImpl (MethodImplOptions.NoInlining)]
		static int Wrapped (int i) { return abs (i) + Renamed (-i); }

		static void Try (Func<int> body)
		{
			try { body (); } catch (TypeLoadException e) { Console.WriteLine (e.GetType ().Name); }
		}

		static int Main ()
		{
			int sum = 0;
			for (int i = -50; i < 50; i++)
				sum += Wrapped (i);
			Console.WriteLine (sum + " " + strlen ("four") + " " + div (17, 5).Whole + div (17, 5).Rest);
			Console.WriteLine (close (-1) + " " + (Marshal.GetLastWin32Error () != 0)
				+ (getenv ("NO_SUCH") == IntPtr.Zero));
			Try (() => Absent ());
			Try (() => no_such_function ());
			Try (() => Absent ());
			return 0;
		}
	}
}
