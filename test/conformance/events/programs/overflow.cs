// SPDX-License-Identifier: MIT
// Runs out of stack, after a while of other work.
using System;
using System.Threading;

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

		static int Main ()
		{
			for (int i = 0; i < 20; i++)
				Work (i);
			Console.WriteLine (sink);
			Console.Out.Flush ();
			Thread.Sleep (2000);
			return Endless (new Large ());
		}
	}
}
