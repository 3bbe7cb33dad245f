// SPDX-License-Identifier: MIT
// `allocates ROUNDS`: in each round three thousand bytes as arrays and a thousand as Wide, more or less, and one large
// array in a thousand rounds, once standard input says so. Without ROUNDS again and again until standard input ends.
//
// Which comes next is drawn: .NET 8 and 9 take as a sample what does not fit into the rest of a piece of some
// kilobytes, and a row that repeats every 4,024 bytes would meet the ends of pieces at the same few places.
using System;
using System.Threading;

class Wide { public decimal A = 1, B = 2, C = 3, D = 4, E = 5, F = 6, G = 7; }

static class Allocates
{
	public static volatile object sink;
	static volatile bool stops;

	static uint drawn = 1;

	static void Round (int number)
	{
		for (int i = 0; i < 11; i++) {
			drawn = drawn * 1664525 + 1013904223;
			if ((drawn >> 8) % 11 < 3)
				sink = new byte [1000 - 24];
			else
				sink = new Wide ();
		}
		if (number % 1000 == 0)
			sink = new char [500000];
	}

	static int Main (string [] arguments)
	{
		int rounds = arguments.Length > 0 ? int.Parse (arguments [0]) : int.MaxValue;
		Console.WriteLine ("ready");
		Console.ReadLine ();
		var work = new Thread (() => {
			for (int i = 0; i < rounds && !stops; i++)
				Round (i);
		});
		work.Start ();
		if (rounds == int.MaxValue) {
			while (Console.ReadLine () != null) {
			}
			stops = true;
		}
		work.Join ();
		Console.WriteLine ("unharmed");
		return 3;
	}
}
