// SPDX-License-Identifier: MIT
// Iterators: to their end, left early, with finally blocks, failing, inside each other.
using System;
using System.Collections.Generic;
using System.Linq;

namespace Own
{
	class Failure : Exception { }

	class Program
	{
		static string log = "";

		static IEnumerable<int> Count (int most)
		{
			try {
				for (int i = 0; i < most; i++)
					yield return i;
			} finally {
				log += "end ";
			}
		}

		static IEnumerable<int> Failing ()
		{
			yield return 1;
			Throw ();
			yield return 2;
		}

		static void Throw () { throw new Failure (); }

		static IEnumerable<int> Tree (int depth)
		{
			if (depth == 0)
				yield break;
			foreach (int i in Tree (depth - 1))
				yield return i;
			yield return depth;
			foreach (int i in Tree (depth - 1))
				yield return i;
		}

		static IEnumerator<string> Words ()
		{
			yield return "one";
			try { yield return "two"; } finally { log += "words "; }
			yield return "three";
		}

		static int Main ()
		{
			int sum = 0;
			foreach (int i in Count (5))
				sum += i;
			foreach (int i in Count (100))
				if (i == 3)
					break;
			try { foreach (int i in Failing ()) sum += i; } catch (Failure) { log += "failed "; }
			foreach (int i in Tree (4))
				sum = sum * 3 % 1000 + i;
			var words = Words ();
			while (words.MoveNext ())
				log += words.Current + " ";
			var early = Words ();
			early.MoveNext ();
			early.MoveNext ();
			early.Dispose ();
			Console.WriteLine (log + sum + " " + Count (4).Select (Twice).Where (i => i > 1).Sum ());
			return 0;
		}

		static int Twice (int i) { return 2 * i; }
	}
}
