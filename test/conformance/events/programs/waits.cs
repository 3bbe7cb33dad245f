// SPDX-License-Identifier: MIT
// Waiting that is no contention: pulses, events, semaphores, mutexes, reader-writer locks, barriers, interrupts.
using System;
using System.Threading;

namespace Own
{
	class Program
	{
		static readonly object token = new object ();
		static bool flag, waiting;

		static void Await ()
		{
			lock (token) {
				waiting = true;
				while (!flag)
					Monitor.Wait (token);
				flag = false;
				Monitor.Pulse (token);
			}
		}

		static void Pulses ()
		{
			var thread = new Thread (Await);
			thread.Start ();
			while (!Volatile.Read (ref waiting))
				Thread.Sleep (1);
			lock (token) {
				flag = true;
				Monitor.Pulse (token);
				while (flag)
					Monitor.Wait (token);
			}
			thread.Join ();
		}

		static void Semaphores ()
		{
			var slim = new SemaphoreSlim (0);
			var mutex = new Mutex ();
			bool has_come = false;
			var thread = new Thread (() => {
				slim.Wait ();
				Volatile.Write (ref has_come, true);
				mutex.WaitOne ();
				mutex.ReleaseMutex ();
			});
			mutex.WaitOne ();
			thread.Start ();
			slim.Release ();
			while (!Volatile.Read (ref has_come) || (thread.ThreadState & ThreadState.WaitSleepJoin) == 0)
				Thread.Sleep (1);
			mutex.ReleaseMutex ();
			thread.Join ();
		}

		static void Barriers ()
		{
			var barrier = new Barrier (3);
			var threads = new Thread [3];
			for (int i = 0; i < 3; i++) {
				threads [i] = new Thread (() => { for (int k = 0; k < 4; k++) barrier.SignalAndWait (); });
				threads [i].Start ();
			}
			foreach (Thread thread in threads)
				thread.Join ();
			Console.WriteLine (barrier.CurrentPhaseNumber);
		}

		static void Interrupted ()
		{
			try { Thread.Sleep (60000); } catch (ThreadInterruptedException) { Console.WriteLine ("interrupted"); }
		}

		static int Main ()
		{
			Pulses ();
			Semaphores ();
			Barriers ();
			var thread = new Thread (Interrupted);
			thread.Start ();
			thread.Interrupt ();
			thread.Join ();
			var readers = new ReaderWriterLockSlim ();
			readers.EnterReadLock ();
			readers.ExitReadLock ();
			readers.EnterWriteLock ();
			readers.ExitWriteLock ();
			return 0;
		}
	}
}
