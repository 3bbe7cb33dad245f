// SPDX-License-Identifier: MIT
//
// blocks.cs - runs a finally block COUNT times, ROUNDS times over; prints nanoseconds of CPU time for one.
//
//   blocks.exe COUNT ROUNDS
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class Blocks
{
	static int entered, left;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Block ()
	{
		try {
			entered++;
		} finally {
			left++;
		}
	}

	static void Main (string[] args)
	{
		int count = int.Parse (args[0]), rounds = int.Parse (args[1]);
		for (int i = 0; i < 200; i++) {
			Block ();
			if (i % 50 == 0)
				System.Threading.Thread.Sleep (150); // its code is compiled again
		}
		Process self = Process.GetCurrentProcess ();
		for (int round = 0; round < rounds; round++) {
			TimeSpan before = self.TotalProcessorTime;
			for (int i = 0; i < count; i++)
				Block ();
			self.Refresh ();
			Console.WriteLine ("{0:0.00}", (self.TotalProcessorTime - before).TotalMilliseconds * 1000000 / count);
		}
		if (entered != left)
			throw new Exception ("a block is missing");
	}
}
