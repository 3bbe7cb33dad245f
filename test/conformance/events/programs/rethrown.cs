// SPDX-License-Identifier: MIT
// Exceptions thrown again: as they are, as others, kept for later, carried to another thread.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Own
{
	class Failure : Exception { public Failure (string text, Exception inner = null) : base (text, inner) { } }

	class Program
	{
		static Exception kept;
		static ExceptionDispatchInfo carried;

		[MethodImpl (MethodImplOptions.NoInlining)]
		static void Throw (string what) { throw new Failure (what); }

		static void Again () { try { Throw ("again"); } catch (Failure) { throw; } }
		static void AsItIs () { try { Throw ("itself"); } catch (Failure e) { throw e; } }
		static void Wrapped () { try { Throw ("inner"); } catch (Failure e) { throw new Failure ("outer", e); } }
		static void Later () { throw kept; }
		static void Carried () { carried.Throw (); }

		static void Deep (int depth)
		{
			try {
				if (depth == 0)
					Throw ("deep");
				Deep (depth - 1);
			} catch (Failure) {
				throw;
			}
		}

		static void Try (Action body)
		{
			try {
				body ();
			} catch (Failure e) {
				Console.WriteLine (e.Message + (e.InnerException != null ? " " + e.InnerException.Message : ""));
				kept = e;
			}
		}

		static void OnThread ()
		{
			try { Throw ("carried"); } catch (Failure e) { carried = ExceptionDispatchInfo.Capture (e); }
		}

		static int Main ()
		{
			Try (Again);
			Try (AsItIs);
			Try (Wrapped);
			Try (Later);
			Try (() => Deep (5));
			var thread = new Thread (OnThread);
			thread.Start ();
			thread.Join ();
			Try (Carried);
			return 0;
		}
	}
}
