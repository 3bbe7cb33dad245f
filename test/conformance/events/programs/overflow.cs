// SPDX-License-Identifier: MIT
// Runs out of stack, after a while of other work.
using System;

namespace Own
{
	unsafe struct Large { public fixed byte Bytes [4000]; }

	class Program
	{
		static int sink;

		static int Work (int i) { return sink += i; }

		static unsafe int Endless (Large large)
		{
			large.Bytes [0]++;
			return Endless (large) + large.Bytes [0];
		}

		static void Ready () { }

		static int Main ()
		{
			for (int i = 0; i < 20; i++)
				Work (i);
			Console.WriteLine (sink);
			Console.Out.Flush ();
			Ready ();
			Apart.Await ();
			return Endless (new Large ());
		}
	}
}
