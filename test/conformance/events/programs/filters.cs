// SPDX-License-Identifier: MIT
// Filters: those that say yes, no, call others, throw and catch. (One that throws is in programs/exceptions.cs.)
using System;
using System.Runtime.CompilerServices;

namespace Own
{
	class Failure : Exception { public Failure (string text) : base (text) { } }

	class Program
	{
		static string log = "";

		[MethodImpl (MethodImplOptions.NoInlining)]
		static void Throw (string what) { throw new Failure (what); }

		static bool Say (string what, bool answer) { log += what + " "; return answer; }

		static bool CatchesInside ()
		{
			try { Throw ("inside"); } catch (Failure e) { Say (e.Message, true); }
			return true;
		}

		static void Plain ()
		{
			try {
				try { Throw ("a"); } catch (Failure e) when (Say ("no", e == null)) { Say ("never", true); }
			} catch (Failure e) when (Say ("yes", e.Message == "a")) {
				Say ("caught", true);
			}
		}

		static void InOneFrame ()
		{
			try {
				Throw ("b");
			} catch (ArgumentException) when (Say ("never", true)) {
			} catch (Failure) when (Say ("first", false)) {
			} catch (Failure) when (Say ("second", true)) {
				Say ("caught", true);
			} finally {
				Say ("finally", true);
			}
		}

		static void Catching ()
		{
			try { Throw ("c"); } catch (Failure e) when (CatchesInside ()) { Say (e.Message, true); }
		}

		// The filter runs before the finally blocks below it.
		static void Order ()
		{
			try {
				try { Throw ("e"); } finally { Say ("then finally", true); }
			} catch (Failure) when (Say ("filter", true)) {
				Say ("then catch", true);
			}
		}

		static void Nested ()
		{
			try {
				try { Throw ("f"); } catch (Failure) when (Say ("outer no", false)) { }
			} catch (Failure) {
				try { Throw ("g"); } catch (Failure) when (Say ("inner yes", true)) { Say ("both", true); }
			}
		}

		static int Main ()
		{
			for (int i = 0; i < 3; i++) {
				Plain ();
				InOneFrame ();
				Catching ();
				Order ();
				Nested ();
			}
			Console.WriteLine (log);
			return 0;
		}
	}
}
