// SPDX-License-Identifier: MIT
// Exceptions inside catch, finally and fault blocks, each caught somewhere else.
using System;
using System.Runtime.CompilerServices;

namespace Own
{
	class Failure : Exception { public Failure (string text) : base (text) { } }
	class Other : Failure { public Other (string text) : base (text) { } }

	class Program
	{
		static string log = "";

		[MethodImpl (MethodImplOptions.NoInlining)]
		static void Throw (string what) { throw new Failure (what); }

		[MethodImpl (MethodImplOptions.NoInlining)]
		static void ThrowOther (string what) { throw new Other (what); }

		static void Say (string what) { log += what + " "; }

		static void InCatch ()
		{
			try {
				try { Throw ("a"); } catch (Failure e) { Say (e.Message); ThrowOther ("b"); } finally { Say ("f"); }
			} catch (Other e) {
				Say (e.Message);
			}
		}

		static void InFinally ()
		{
			try {
				try { Throw ("c"); } finally {
					try { Throw ("d"); } catch (Failure e) { Say (e.Message); }
				}
			} catch (Failure e) {
				Say (e.Message);
			}
		}

		static void ReplacedInFinally ()
		{
			try {
				try { Throw ("lost"); } finally { ThrowOther ("kept"); }
			} catch (Failure e) {
				Say (e.Message);
			}
		}

		static void PastStrangers ()
		{
			try {
				try {
					try { ThrowOther ("g"); } catch (ArgumentException) { Say ("never"); } finally { Say ("h"); }
				} catch (InvalidCastException) {
					Say ("never");
				}
			} catch (Other e) {
				Say (e.Message);
			}
		}

		static int Fall (int depth)
		{
			try {
				if (depth == 0)
					Throw ("bottom");
				return Fall (depth - 1) + 1;
			} finally {
				log += depth;
			}
		}

		static void CatchInCatch (int depth)
		{
			try {
				Throw ("level");
			} catch (Failure) {
				if (depth > 0)
					CatchInCatch (depth - 1);
				Say ("l" + depth);
			}
		}

		static int Main ()
		{
			for (int i = 0; i < 3; i++) {
				InCatch ();
				InFinally ();
				ReplacedInFinally ();
				PastStrangers ();
				try { Fall (6); } catch (Failure e) { Say (e.Message); }
				CatchInCatch (4);
			}
			Console.WriteLine (log);
			return 0;
		}
	}
}
