// SPDX-License-Identifier: MIT
// Deep recursion: to 5,000 frames and back, and an exception from the bottom through 1,000 of them.
using System;

namespace Own
{
	class Failure : Exception { }

	class Program
	{
		static int Down (int depth) { return depth == 0 ? 0 : Down (depth - 1) + 1; }

		static int Throwing (int depth)
		{
			if (depth == 0)
				throw new Failure ();
			return Throwing (depth - 1) + 1;
		}

		static int Finally (int depth)
		{
			try {
				return depth == 0 ? Throwing (10) : Finally (depth - 1);
			} finally {
				count++;
			}
		}

		static int Ackermann (int m, int n)
		{
			return m == 0 ? n + 1 : n == 0 ? Ackermann (m - 1, 1) : Ackermann (m - 1, Ackermann (m, n - 1));
		}

		static int count;

		static int Main ()
		{
			Console.WriteLine (Down (5000));
			try { Throwing (1000); } catch (Failure) { Console.WriteLine ("caught"); }
			try { Finally (100); } catch (Failure) { Console.WriteLine (count); }
			Console.WriteLine (Ackermann (2, 4));
			return 0;
		}
	}
}
