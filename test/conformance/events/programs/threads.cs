// SPDX-License-Identifier: MIT
// Threads: one after the other, several at once, names given early and late, exceptions on them, background ones.
using System;
using System.Threading;

namespace Own
{
	class Failure : Exception { }

	class Program
	{
		[ThreadStatic] static int own;
		static int sum;

		static void Count (object most)
		{
			for (int i = 0; i < (int) most; i++)
				own = Step (own);
			Interlocked.Add (ref sum, own);
		}

		static int Step (int i) { return i + 1; }
		static void Throw () { throw new Failure (); }
		static void Catch () { try { Throw (); } catch (Failure) { Interlocked.Increment (ref sum); } }
		static void NameItself () { Thread.CurrentThread.Name = "own late \u00e9"; Catch (); }

		static void Nest (object depth)
		{
			if ((int) depth == 0)
				return;
			var inner = new Thread (Nest);
			inner.Start ((int) depth - 1);
			inner.Join ();
		}

		static int Main ()
		{
			var several = new Thread [6];
			for (int i = 0; i < several.Length; i++) {
				several [i] = new Thread (Count);
				if (i % 2 == 0)
					several [i].Name = "own " + i;
				several [i].Start (i * 3);
			}
			foreach (Thread thread in several)
				thread.Join ();
			foreach (ThreadStart start in new ThreadStart [] { Catch, NameItself }) {
				var thread = new Thread (start);
				thread.Start ();
				thread.Join ();
			}
			var nest = new Thread (Nest) { IsBackground = true };
			nest.Start (3);
			nest.Join ();
			Console.WriteLine (sum);
			return 0;
		}
	}
}
