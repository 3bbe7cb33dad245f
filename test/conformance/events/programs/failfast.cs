// SPDX-License-Identifier: MIT
// Ends at once, by its own wish.
using System;

namespace Own
{
	class Program
	{
		static void End (int depth) { if (depth == 0) Environment.FailFast ("enough"); End (depth - 1); }
		static int Twice (int i) { return 2 * i; }

		static void Ready () { }

		static int Main ()
		{
			for (int i = 0; i < 10; i++)
				Twice (i);
			Console.WriteLine ("about to end");
			Console.Out.Flush ();
			Ready ();
			Apart.Await ();
			End (3);
			return 0;
		}
	}
}
