// SPDX-License-Identifier: MIT
// Timers that fire once, and one that fires again as often as it is told to.
using System;
using System.Threading;

namespace Own
{
	class Program
	{
		static readonly CountdownEvent left = new CountdownEvent (8);
		static Timer again;
		static int count;

		static void Once (object state) { Add ((int) state); left.Signal (); }

		static void Again (object state)
		{
			Add (100);
			if (left.CurrentCount > 0 && Interlocked.Increment (ref count) < 3)
				again.Change (5, Timeout.Infinite);
			left.Signal ();
		}

		static int sum;
		static void Add (int n) { Interlocked.Add (ref sum, n); }

		static int Main ()
		{
			var once = new Timer [5];
			for (int i = 0; i < once.Length; i++)
				once [i] = new Timer (Once, i, 1 + i * 3, Timeout.Infinite);
			again = new Timer (Again, null, Timeout.Infinite, Timeout.Infinite);
			again.Change (1, Timeout.Infinite);
			left.Wait ();
			foreach (Timer timer in once)
				timer.Dispose ();
			again.Dispose ();
			Console.WriteLine (sum);
			return 0;
		}
	}
}
