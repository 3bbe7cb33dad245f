// SPDX-License-Identifier: MIT
// `ending HOW [SEEN]` ends while other threads call and, but on Mono, throw: by returning, by Environment.Exit, or,
// with "stays", when it is told to. With the file that the module writes it ends when callbacks of both have begun.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

class Ending
{
	static volatile bool ends;
	static readonly bool isMono = Type.GetType ("Mono.Runtime") != null;

	/*
	 * Mono aborts the threads of a program that ends, and dies of an assertion of its own, in two of a hundred bare
	 * programs, where such a thread is about to throw. So the one that throws has stopped before a program ends there.
	 */
	static volatile bool throwsNoMore;

	static void RestIfMonoEnds ()
	{
		if (!ends || !isMono)
			return;
		throwsNoMore = true;
		Thread.Sleep (Timeout.Infinite);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Hold () { }

	static void Call ()
	{
		for (;;) {
			Hold ();
			Thread.Yield (); // .NET 8 cannot stop a loop for a collection that only calls an empty method
		}
	}

	static void Throw ()
	{
		for (;;) {
			try {
				throw new InvalidOperationException ();
			} catch (InvalidOperationException) {
			}
			RestIfMonoEnds ();
		}
	}

	/* The first two numbers of `struct seen`. */
	static bool BothHaveBegun (string seen)
	{
		using (var file = new FileStream (seen, FileMode.Open, FileAccess.Read, FileShare.ReadWrite)) {
			var numbers = new byte[8];
			return file.Read (numbers, 0, 8) == 8 && BitConverter.ToInt32 (numbers, 0) != 0 &&
			       BitConverter.ToInt32 (numbers, 4) != 0;
		}
	}

	static void Begin (ThreadStart what) { new Thread (what) { IsBackground = true }.Start (); }

	static int Main (string [] arguments)
	{
		Begin (Call);
		Begin (Throw);
		while (arguments.Length > 1 && !BothHaveBegun (arguments [1]))
			Thread.Yield ();
		Console.WriteLine ("begun");
		if (arguments [0] == "stays")
			Console.In.ReadLine ();
		ends = true;
		while (isMono && !throwsNoMore)
			Thread.Yield ();
		if (arguments [0] == "exits")
			Environment.Exit (7);
		return 7;
	}
}
