// SPDX-License-Identifier: MIT
// What belongs to a thread or to a flow: thread statics, ThreadLocal with a factory, lazy values, contexts.
using System;
using System.Threading;

namespace Own
{
	class Value
	{
		static int made;
		public readonly int Number = Interlocked.Increment (ref made);
	}

	class Program
	{
		[ThreadStatic] static Value own;
		static readonly ThreadLocal<Value> local = new ThreadLocal<Value> (Make);
		static readonly Lazy<Value> lazy = new Lazy<Value> (MakeLazily);

		static Value Make () { return new Value (); }
		static Value MakeLazily () { return new Value (); }

		static void Use ()
		{
			own = own ?? new Value ();
			own = own ?? new Value ();
			Console.WriteLine (local.Value.Number - own.Number + " " + (lazy.Value == lazy.Value));
		}

		static int Main ()
		{
			Use ();
			for (int i = 0; i < 2; i++) {
				var thread = new Thread (Use);
				thread.Start ();
				thread.Join ();
			}
			ExecutionContext.Run (ExecutionContext.Capture (), InContext, null);
			return 0;
		}

		static void InContext (object state) { Use (); }
	}
}
