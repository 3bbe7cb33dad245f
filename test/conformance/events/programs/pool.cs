// SPDX-License-Identifier: MIT
// The pool: work items, registered waits, exceptions caught on it, tasks and their continuations.
using System;
using System.Threading;
using System.Threading.Tasks;

// Tells that it is over when all that is compared has been left.
static class Apart
{
	internal static readonly CountdownEvent left = new CountdownEvent (25);

	internal static void Item (object state) { Own.Program.Item (state); left.Signal (); }
	internal static void Failing (object state) { Own.Program.Failing (state); left.Signal (); }
	internal static void Waited (object state, bool late) { Own.Program.Waited (state, late); left.Signal (); }
	internal static void Then (Task<int> before) { Own.Program.Then (before); left.Signal (); }
	internal static void After (Task before) { Own.Program.After (before); left.Signal (); }
}

namespace Own
{
	class Failure : Exception { }

	class Program
	{
		static int sum;

		internal static void Item (object state) { Add ((int) state); }

		static void Add (int n) { Interlocked.Add (ref sum, n); }

		static void Fail () { throw new Failure (); }

		internal static void Failing (object state)
		{
			try { Fail (); } catch (Failure) { Add (100); }
		}

		internal static void Waited (object state, bool late) { Add (late ? 0 : 1000); }

		static int Body () { Add (1); return 7; }
		internal static void Then (Task<int> before) { Add (before.Result); }
		internal static void After (Task before) { Add (before.Exception.InnerException is Failure ? 5 : 0); }

		static int Main ()
		{
			for (int i = 0; i < 16; i++)
				ThreadPool.QueueUserWorkItem (Apart.Item, i);
			for (int i = 0; i < 4; i++)
				ThreadPool.QueueUserWorkItem (Apart.Failing);
			var set = new AutoResetEvent (false);
			ThreadPool.RegisterWaitForSingleObject (set, Apart.Waited, null, 60000, true);
			set.Set ();
			for (int i = 0; i < 2; i++)
				Task.Factory.StartNew (Body).ContinueWith (Apart.Then);
			for (int i = 0; i < 2; i++)
				Task.Factory.StartNew (Fail).ContinueWith (Apart.After);
			Apart.left.Wait ();
			Console.WriteLine (sum);
			return 0;
		}
	}
}
