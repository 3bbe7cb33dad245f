// SPDX-License-Identifier: MIT
// Is killed while it works, so that nobody can say a last word.
using System;
using System.Diagnostics;
using System.Threading;

namespace Own
{
	class Program
	{
		static int Twice (int i) { return 2 * i; }
		static void Kill () { Process.GetCurrentProcess ().Kill (); Thread.Sleep (Timeout.Infinite); }

		static void Ready () { }

		static int Main ()
		{
			for (int i = 0; i < 10; i++)
				Twice (i);
			Console.WriteLine ("about to be killed");
			Console.Out.Flush ();
			Ready ();
			Apart.Await ();
			Kill ();
			return 0;
		}
	}
}
