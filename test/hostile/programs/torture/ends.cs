// SPDX-License-Identifier: MIT
//
// ends.cs - programs that do not come to the end of Main.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

static class Ends
{
	sealed class Finalised
	{
		~Finalised ()
		{
			Torture.Throw (1);
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int OverflowFrom (int n)
	{
		return OverflowFrom (n + 1) + 1;
	}

	static int StackOverflow ()
	{
		Torture.InParallel (1, n => OverflowFrom (0), 1 << 20);
		return 99;
	}

	static int FailFast ()
	{
		Environment.FailFast ("on purpose");
		return 99;
	}

	static int FailFastOfException ()
	{
		try {
			Torture.Throw (2);
		} catch (Boom e) {
			Environment.FailFast ("on purpose", e);
		}
		return 99;
	}

	static int UnhandledInMain ()
	{
		Torture.Throw (2);
		return 99;
	}

	static int UnhandledInThread ()
	{
		Torture.Start (() => Torture.Throw (1)).Join ();
		return 99;
	}

	static int UnhandledInPool ()
	{
		ThreadPool.QueueUserWorkItem (_ => Torture.Throw (1));
		Thread.Sleep (Timeout.Infinite);
		return 99;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Drop ()
	{
		for (int i = 0; i < 10; i++)
			new Finalised ();
	}

	static int UnhandledInFinaliser ()
	{
		Drop ();
		GC.Collect ();
		Thread.Sleep (Timeout.Infinite);
		return 99;
	}

	static int UnhandledInForeignThread ()
	{
		Native.CallFromThreads (n => Torture.Throw (n), 1, 1, 0, 0);
		return 99;
	}

	// Main is gone while eight threads run on, and each is somewhere in managed code.
	static int ExitAmidThreads ()
	{
		int started = 0;
		for (int i = 0; i < 8; i++) {
			Torture.Start (() => {
				Interlocked.Increment (ref started);
				for (int n = 0; ; n++)
					Busy (n);
			});
		}
		while (Volatile.Read (ref started) < 8)
			Thread.Yield ();
		Environment.Exit (3);
		return 99;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Busy (int n)
	{
		return n * 3 + new object ().GetHashCode () % 2;
	}

	public static readonly Func<int>[] Programs = {
		StackOverflow, FailFast, FailFastOfException, UnhandledInMain, UnhandledInThread, UnhandledInPool,
		UnhandledInFinaliser, UnhandledInForeignThread, ExitAmidThreads
	};
}
