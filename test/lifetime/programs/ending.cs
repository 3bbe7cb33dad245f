// SPDX-License-Identifier: MIT
// Ends while other threads call and throw: by returning, by Environment.Exit, or, with "stays", when it is told to.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class Ending
{
	static int calls, throws;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Hold () { }

	static void Call ()
	{
		for (;;) {
			Interlocked.Increment (ref calls);
			Hold ();
			Thread.Yield (); // .NET 8 cannot stop a loop for a collection that only calls an empty method
		}
	}

	static void Throw ()
	{
		for (;;) {
			Interlocked.Increment (ref throws);
			try {
				throw new InvalidOperationException ();
			} catch (InvalidOperationException) {
			}
		}
	}

	static void Begin (ThreadStart what) { new Thread (what) { IsBackground = true }.Start (); }

	static int Main (string [] arguments)
	{
		Begin (Call);
		Begin (Throw);
		while (Volatile.Read (ref calls) == 0 || Volatile.Read (ref throws) == 0)
			Thread.Yield ();
		Console.WriteLine ("begun");
		if (arguments [0] == "stays")
			Console.In.ReadLine ();
		if (arguments [0] == "exits")
			Environment.Exit (7);
		return 7;
	}
}
