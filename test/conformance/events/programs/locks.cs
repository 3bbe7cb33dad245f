// SPDX-License-Identifier: MIT
// Monitors that are taken when another thread wants them: got at last, given up, not tried again, by several at once.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Own
{
	class Lock { public int Count; }

	class Program
	{
		static readonly ManualResetEvent ready = new ManualResetEvent (false);

		static void Enter (object token) { lock (token) ((Lock) token).Count++; }
		static void GiveUp (object token) { Console.WriteLine (Monitor.TryEnter (token, 20)); }
		static void Try (object token) { Console.WriteLine (Monitor.TryEnter (token)); }

		static void Throwing (object token)
		{
			try {
				lock (token)
					throw new InvalidOperationException ();
			} catch (InvalidOperationException) {
				Console.WriteLine (Monitor.IsEntered (token));
			}
		}

		// Until the other one waits for it, or has given up.
		static void Hold (Lock token, Action<object> contender, bool gives_up)
		{
			ready.Reset ();
			Thread thread;
			lock (token) {
				thread = new Thread (() => { ready.Set (); contender (token); });
				thread.Start ();
				ready.WaitOne ();
				if (gives_up)
					thread.Join ();
				while (!gives_up && (thread.ThreadState & ThreadState.WaitSleepJoin) == 0)
					Thread.Sleep (1);
			}
			thread.Join ();
		}

		class Slow
		{
			public static int Count;
			[MethodImpl (MethodImplOptions.Synchronized)]
			public void Method () { Count++; Thread.Sleep (1); }
			[MethodImpl (MethodImplOptions.Synchronized)]
			public static void Static () { Count++; }
		}

		static int Main ()
		{
			var token = new Lock ();
			lock (token) token.Count++;
			Hold (token, Enter, false);
			Hold (token, GiveUp, true);
			Hold (token, Try, true);
			Hold (token, Throwing, false);
			Hold (token, Enter, false);
			var slow = new Slow ();
			slow.Method ();
			Slow.Static ();
			Console.WriteLine (token.Count + Slow.Count);
			return 0;
		}
	}
}
