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

		static void Hold (Lock token, Action<object> contender)
		{
			ready.Reset ();
			Thread thread;
			lock (token) {
				thread = new Thread (() => { ready.Set (); contender (token); });
				thread.Start ();
				ready.WaitOne ();
				Thread.Sleep (100);
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
			Hold (token, Enter);
			Hold (token, GiveUp);
			Hold (token, Try);
			Hold (token, Throwing);
			Hold (token, Enter);
			var slow = new Slow ();
			slow.Method ();
			Slow.Static ();
			Console.WriteLine (token.Count + Slow.Count);
			return 0;
		}
	}
}
