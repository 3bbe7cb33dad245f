// SPDX-License-Identifier: MIT
// Timers that fire once, and one that fires again as often as it is told to.
using System;
using System.Threading;

// Tells that it is over when all that is compared has been left.
static class Apart
{
	internal static readonly CountdownEvent left = new CountdownEvent (8);

	internal static void Once (object state) { Own.Program.Once (state); left.Signal (); }
	internal static void Again (object state) { Own.Program.Again (state); left.Signal (); }
}

namespace Own
{
	class Program
	{
		static Timer again;
		static int count;

		internal static void Once (object state) { Add ((int) state); }

		internal static void Again (object state)
		{
			Add (100);
			if (Interlocked.Increment (ref count) < 3)
				again.Change (5, Timeout.Infinite);
		}

		static int sum;
		static void Add (int n) { Interlocked.Add (ref sum, n); }

		static int Main ()
		{
			var once = new Timer [5];
			for (int i = 0; i < once.Length; i++)
				once [i] = new Timer (Apart.Once, i, 1 + i * 3, Timeout.Infinite);
			again = new Timer (Apart.Again, null, Timeout.Infinite, Timeout.Infinite);
			again.Change (1, Timeout.Infinite);
			Apart.left.Wait ();
			foreach (Timer timer in once)
				timer.Dispose ();
			again.Dispose ();
			Console.WriteLine (sum);
			return 0;
		}
	}
}
