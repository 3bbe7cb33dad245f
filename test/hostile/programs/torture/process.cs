// SPDX-License-Identifier: MIT
//
// process.cs - programs that use signals, children and descriptors as if they were alone in their process.
using System;
using System.Runtime.InteropServices;
using Child = System.Diagnostics.Process;

static class Native
{
	[UnmanagedFunctionPointer (CallingConvention.Cdecl)]
	public delegate int Callback (int n);

	[DllImport ("torture")] static extern long torture_call (Callback call, int threads, int rounds, IntPtr stack,
		IntPtr alternate);
	[DllImport ("torture")] static extern int torture_spin_begin (int threads, IntPtr stack, IntPtr alternate);
	[DllImport ("torture")] static extern int torture_spin_end ();
	[DllImport ("torture")] public static extern int torture_profile_timer (int microseconds);
	[DllImport ("torture")] public static extern int torture_timer_ticks ();
	[DllImport ("torture")] public static extern int torture_signal_self (int times);
	[DllImport ("torture")] public static extern int torture_fork (int times);
	[DllImport ("torture")] public static extern int torture_vfork_exec (int times);
	[DllImport ("torture")] public static extern int torture_take_descriptors ();
	[DllImport ("torture")] public static extern int torture_give_descriptors ();
	[DllImport ("torture")] public static extern int torture_undumpable ();
	[DllImport ("torture")] public static extern int torture_chroot ();
	[DllImport ("torture")] public static extern int torture_say (string text);

	public static long CallFromThreads (Callback call, int threads, int rounds, int stack, int alternate)
	{
		long sum = torture_call (call, threads, rounds, (IntPtr) stack, (IntPtr) alternate);
		GC.KeepAlive (call);
		return sum;
	}

	public static void SpinBegin (int threads, int stack, int alternate)
	{
		if (torture_spin_begin (threads, (IntPtr) stack, (IntPtr) alternate) != 0)
			throw new InvalidOperationException ("no thread");
	}

	public static int SpinEnd ()
	{
		return torture_spin_end ();
	}
}

static class Process
{
	// What any program does: threads, exceptions, collections, calls.
	static void LiveOn ()
	{
		Torture.InParallel (4, n => Torture.ThrowAndCatch (Torture.Of (50)));
		GC.Collect ();
	}

	static int Mixture ()
	{
		LiveOn ();
		Console.WriteLine ("mixed");
		return 5;
	}

	// For processes whose standard output is closed.
	static int Silence ()
	{
		LiveOn ();
		Environment.Exit (6);
		return 99;
	}

	static int ProfileTimer ()
	{
		if (Native.torture_profile_timer (1000) != 0)
			return 98;
		Torture.ThrowAndCatch (Torture.Of (500));
		while (Native.torture_timer_ticks () < Torture.Of (50))
			Math.Sqrt (2);
		Native.torture_profile_timer (0);
		return 0;
	}

	static int UserSignals ()
	{
		Torture.UnderCollections (() => {
			Console.WriteLine ("seen " + Native.torture_signal_self (Torture.Of (1000)));
			Torture.Work (Torture.Of (1000));
		});
		return 0;
	}

	static int Forks ()
	{
		Console.WriteLine ("ended " + Native.torture_fork (Torture.Of (100)));
		LiveOn ();
		return 0;
	}

	static int VforksAndExecs ()
	{
		Console.WriteLine ("ended " + Native.torture_vfork_exec (Torture.Of (100)));
		LiveOn ();
		return 0;
	}

	static int Children ()
	{
		int ended = 0;
		for (int i = 0; i < Torture.Of (300); i++) {
			using (Child child = Child.Start ("/bin/true", "")) {
				child.WaitForExit ();
				ended += child.ExitCode + 1;
			}
			Torture.Leaf (i);
		}
		Console.WriteLine ("ended " + ended);
		return 0;
	}

	// A new thread would want a descriptor; calls, exceptions and collections need none.
	static int Descriptors ()
	{
		LiveOn ();
		int taken = Native.torture_take_descriptors ();
		Torture.ThrowAndCatch (Torture.Of (50));
		GC.Collect ();
		int given = Native.torture_give_descriptors ();
		Console.WriteLine (taken > 0 && taken == given ? "all taken and given back" : "taken " + taken);
		return 0;
	}

	static int Undumpable ()
	{
		Console.WriteLine ("prctl " + Native.torture_undumpable ());
		LiveOn ();
		return 0;
	}

	// Without the class library's console, which would read a file that is no longer there.
	static int EmptyRoot ()
	{
		if (Native.torture_chroot () != 0)
			return 98;
		LiveOn ();
		Native.torture_say ("the root is empty\n");
		Environment.Exit (4);
		return 99;
	}

	public static readonly Func<int>[] Programs = {
		Mixture, Silence, ProfileTimer, UserSignals, Forks, VforksAndExecs, Children, Descriptors, Undumpable, EmptyRoot
	};
}
