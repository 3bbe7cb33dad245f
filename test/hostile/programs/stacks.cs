// SPDX-License-Identifier: MIT
// Threads with KIB of stack, one after the other: `stacks KIB throw`, where each throws and catches, or `stacks KIB
// none`.
using System;
using System.Threading;

static class Stacks
{
	const int Threads = 20;

	static int Deep (int levels)
	{
		return levels == 0 ? 1 : Deep (levels - 1) + 1;
	}

	static void Throw ()
	{
		try {
			throw new InvalidOperationException ("caught");
		} catch (InvalidOperationException) {
		}
	}

	static int Main (string [] arguments)
	{
		bool throws = arguments [1] == "throw";
		for (int i = 0; i < Threads; i++) {
			var thread = new Thread (() => {
				Deep (5);
				if (throws)
					Throw ();
			}, int.Parse (arguments [0]) * 1024);
			thread.Start ();
			thread.Join ();
		}
		Console.WriteLine ("done");
		return 7;
	}
}
