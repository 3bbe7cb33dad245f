// SPDX-License-Identifier: MIT
// `allocates ROUNDS`: three thousand bytes as three arrays, a thousand as one Wide, and one large array in a thousand
// rounds, once standard input says so. Without ROUNDS again and again until standard input ends.
using System;
using System.Threading;

class Wide { public decimal A = 1, B = 2, C = 3, D = 4, E = 5, F = 6, G = 7; }

static class Allocates
{
	public static volatile object sink;
	static volatile bool stops;

	static void Round (int number)
	{
		for (int i = 0; i < 3; i++)
			sink = new byte [1000 - 24];
		for (int i = 0; i < 8; i++)
			sink = new Wide ();
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
