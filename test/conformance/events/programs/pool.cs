// SPDX-License-Identifier: MIT
// The pool: work items, registered waits, exceptions caught on it, tasks and their continuations.
using System;
using System.Threading;
using System.Threading.Tasks;

namespace Own
{
	class Failure : Exception { }

	class Program
	{
		static readonly CountdownEvent left = new CountdownEvent (25);
		static int sum;

		static void Item (object state)
		{
			Add ((int) state);
			left.Signal ();
		}

		static void Add (int n) { Interlocked.Add (ref sum, n); }

		static void Fail () { throw new Failure (); }

		static void Failing (object state)
		{
			try { Fail (); } catch (Failure) { Add (100); }
			left.Signal ();
		}

		static void Waited (object state, bool late)
		{
			Add (late ? 0 : 1000);
			left.Signal ();
		}

		static int Body () { Add (1); return 7; }
		static void Then (Task<int> before) { Add (before.Result); left.Signal (); }
		static void After (Task before) { Add (before.Exception.InnerException is Failure ? 5 : 0); left.Signal (); }

		static int Main ()
		{
			for (int i = 0; i < 16; i++)
				ThreadPool.QueueUserWorkItem (Item, i);
			for (int i = 0; i < 4; i++)
				ThreadPool.QueueUserWorkItem (Failing);
			var set = new AutoResetEvent (false);
			ThreadPool.RegisterWaitForSingleObject (set, Waited, null, 60000, true);
			set.Set ();
			for (int i = 0; i < 2; i++)
				Task.Factory.StartNew (Body).ContinueWith (Then);
			for (int i = 0; i < 2; i++)
				Task.Factory.StartNew (Fail).ContinueWith (After);
			left.Wait ();
			Console.WriteLine (sum);
			return 0;
		}
	}
}
