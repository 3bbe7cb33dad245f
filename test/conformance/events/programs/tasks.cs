// SPDX-License-Identifier: MIT
// Tasks that follow each other, fail, are cancelled; what they do is the same whoever runs it.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

// Tells that it is over when all that is compared has been left: a continuation of a task may come before the method
// that asked for it has returned, so the tasks of both methods that ask are waited for, too.
static class Apart
{
	internal static readonly ManualResetEvent over = new ManualResetEvent (false);
	internal static Task failures;

	internal static void Cancelled (Task task) { Own.Program.Cancelled (task); over.Set (); }
}

namespace Own
{
	class Failure : Exception { public Failure (string text) : base (text) { } }

	class Program
	{
		static int sum;

		static int Square (int n) { Interlocked.Add (ref sum, n); return n * n; }
		static void Fail () { throw new Failure ("in a task"); }

		static void Gather (Task<int> [] all)
		{
			foreach (Task<int> one in all)
				Interlocked.Add (ref sum, one.Result);
			var both = new [] { Task.Factory.StartNew (Fail), Task.Factory.StartNew (Fail) };
			Apart.failures = Task.Factory.ContinueWhenAll (both, Failures);
		}

		static void Failures (Task [] both)
		{
			Interlocked.Add (ref sum, both.Count (t => t.Exception.InnerException is Failure));
			var source = new CancellationTokenSource ();
			source.Token.Register (OnCancelled);
			var task = new Task (Fail, source.Token);
			source.Cancel ();
			task.ContinueWith (Apart.Cancelled, TaskContinuationOptions.OnlyOnCanceled);
		}

		static void OnCancelled () { Interlocked.Add (ref sum, 1000); }

		internal static void Cancelled (Task task) { Interlocked.Add (ref sum, 10000); }

		static int Main ()
		{
			var squares = Enumerable.Range (0, 6).Select (i => Task.Factory.StartNew (() => Square (i))).ToArray ();
			Task gather = Task.Factory.ContinueWhenAll (squares, Gather);
			Apart.over.WaitOne ();
			gather.Wait (); // it is what sets `failures`
			Apart.failures.Wait ();
			Console.WriteLine (sum);
			return 0;
		}
	}
}
