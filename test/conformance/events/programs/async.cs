// SPDX-License-Identifier: MIT
// Async methods: done at once, done later, failing, awaiting each other; everything is posted to one queue, which Main
// empties, so that the order is the program's.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Own
{
	class Failure : Exception { public Failure (string text) : base (text) { } }

	class Queue : SynchronizationContext
	{
		readonly Queue<Action> waiting = new Queue<Action> ();

		public override void Post (SendOrPostCallback what, object state) { waiting.Enqueue (() => what (state)); }

		public void Run ()
		{
			while (waiting.Count > 0)
				waiting.Dequeue () ();
		}
	}

	class Program
	{
		static string log = "";

		static void Say (string what) { log += what + " "; }

		static async Task<int> AtOnce (int n) { return await Task.FromResult (n) + 1; }

		static async Task<int> Later (int n)
		{
			await Task.Yield ();
			Say ("later " + n);
			await Task.Yield ();
			return n * 2;
		}

		static async Task<int> Failing (string what)
		{
			await Task.Yield ();
			throw new Failure (what);
		}

		static async Task Catching ()
		{
			try { await Failing ("awaited"); } catch (Failure e) { Say (e.Message); }
			try {
				await Later (1);
			} finally {
				Say ("finally");
			}
		}

		static async Task Several ()
		{
			int sum = 0;
			for (int i = 0; i < 4; i++)
				sum += await Later (i) + await AtOnce (i);
			Say ("sum " + sum);
		}

		static async void All ()
		{
			await AtOnce (1);
			await Several ();
			await Catching ();
			try { await Failing ("outermost"); } catch (Failure e) { Say (e.Message); }
		}

		static int Main ()
		{
			var queue = new Queue ();
			SynchronizationContext.SetSynchronizationContext (queue);
			All ();
			queue.Run ();
			Console.WriteLine (log);
			return 0;
		}
	}
}
