// SPDX-License-Identifier: MIT
// Finalisers: many, one that brings its object back, one that is not to run, one that is to run again, one that throws
// and catches.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Own
{
	class Finalised { public static int Count; ~Finalised () { Count++; } }
	class Resurrected { public static Resurrected Back; ~Resurrected () { Back = this; } }
	class Suppressed { public static int Count; ~Suppressed () { Count++; } }

	class Repeated
	{
		public static int Count;
		~Repeated ()
		{
			if (++Count < 3)
				GC.ReRegisterForFinalize (this);
		}
	}

	class Catching
	{
		public static string Said;
		~Catching () { try { Throw (); } catch (InvalidOperationException e) { Said = e.Message; } }
		static void Throw () { throw new InvalidOperationException ("in the finaliser"); }
	}

	class Program
	{
		static object sink;

		[MethodImpl (MethodImplOptions.NoInlining)]
		static void Drop ()
		{
			for (int i = 0; i < 20; i++)
				sink = new Finalised ();
			sink = new Resurrected ();
			sink = new Repeated ();
			sink = new Catching ();
			sink = new Suppressed ();
			GC.SuppressFinalize (sink);
			sink = null;
		}

		static int Main ()
		{
			var thread = new Thread (Drop); // its stack is gone with it
			thread.Start ();
			thread.Join ();
			for (int i = 0; i < 5 || (i < 100 && Repeated.Count < 3); i++) {
				GC.Collect ();
				GC.WaitForPendingFinalizers ();
			}
			Console.WriteLine (Finalised.Count + " " + (Resurrected.Back != null) + " " + Repeated.Count);
			Console.WriteLine (Suppressed.Count + " " + Catching.Said);
			GC.KeepAlive (Resurrected.Back);
			return 0;
		}
	}
}
