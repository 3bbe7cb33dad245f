// SPDX-License-Identifier: MIT
// Weak references: alive, gone, tracking resurrection; tables whose keys are weak.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Own
{
	class Token { public int Number = 1; }
	class Back { public static Back Self; ~Back () { Self = this; } }

	class Program
	{
		static WeakReference gone, track, alive;
		static WeakReference<Token> typed;
		static readonly Token kept = new Token ();
		static readonly ConditionalWeakTable<Token, string> table = new ConditionalWeakTable<Token, string> ();

		[MethodImpl (MethodImplOptions.NoInlining)]
		static void Make ()
		{
			gone = new WeakReference (new Token ());
			alive = new WeakReference (kept);
			track = new WeakReference (new Back (), true);
			typed = new WeakReference<Token> (kept);
			table.Add (kept, "kept");
		}

		static int Main ()
		{
			var thread = new Thread (Make);
			thread.Start ();
			thread.Join ();
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
			Token token;
			string text;
			Console.WriteLine ((gone.Target == null) + " " + (alive.Target == kept) + " "
				+ (track.Target == Back.Self));
			Console.WriteLine (typed.TryGetTarget (out token) + " " + table.TryGetValue (kept, out text) + text);
			GC.KeepAlive (kept);
			GC.KeepAlive (Back.Self);
			return 0;
		}
	}
}
