// SPDX-License-Identifier: MIT
// Ends by Environment.Exit, from inside calls, with handlers, another thread at work and an exception under way.
using System;
using System.Threading;

namespace Own
{
	class Failure : Exception { }

	class Program
	{
		static void OnExit (object sender, EventArgs e) { Console.WriteLine ("the last word"); }

		static readonly ManualResetEvent sleeps = new ManualResetEvent (false);

		static void Sleep ()
		{
			sleeps.Set ();
			Thread.Sleep (Timeout.Infinite);
		}

		static void Throw () { throw new Failure (); }

		static void Leave (int depth)
		{
			if (depth > 0)
				Leave (depth - 1);
			try { Throw (); } catch (Failure) { Environment.Exit (7); }
		}

		static int Main ()
		{
			AppDomain.CurrentDomain.ProcessExit += OnExit;
			new Thread (Sleep) { IsBackground = true }.Start ();
			sleeps.WaitOne ();
			Leave (3);
			return 0;
		}
	}
}
