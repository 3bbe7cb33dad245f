// SPDX-License-Identifier: MIT
// A thread that native code made calls into the program; it is no thread of the runtime's before.
using System;
using System.Runtime.InteropServices;

namespace Own
{
	[UnmanagedFunctionPointer (CallingConvention.Cdecl)]
	delegate IntPtr Start (IntPtr argument);

	class Failure : Exception { }

	class Program
	{
		[DllImport ("libpthread.so.0")]
		static extern int pthread_create (out IntPtr thread, IntPtr attributes, Start start, IntPtr argument);
		[DllImport ("libpthread.so.0")]
		static extern int pthread_join (IntPtr thread, IntPtr result);

		static int sum;

		static void Throw () { throw new Failure (); }

		static IntPtr Body (IntPtr argument)
		{
			sum += (int) argument;
			try { Throw (); } catch (Failure) { sum += 100; }
			return IntPtr.Zero;
		}

		static int Main ()
		{
			Start body = Body;
			for (int i = 0; i < 3; i++) {
				IntPtr thread;
				if (pthread_create (out thread, IntPtr.Zero, body, (IntPtr) i) != 0)
					return 1;
				pthread_join (thread, IntPtr.Zero);
			}
			GC.KeepAlive (body);
			Console.WriteLine (sum);
			return 0;
		}
	}
}
