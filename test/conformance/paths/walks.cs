/* SPDX-License-Identifier: MIT */
using System;

/*
 * Methods that call each other as a number says, 25 deep, so that nearly every walk is a call path of its own, as in
 * parsers and visitors of trees. The program counts its calls itself.
 */
static class Walks {
	const int Depth = 25, Methods = 8;

	static readonly int[] made = new int [Methods];
	static int turns;
	static uint seed = 1;

	static uint Next ()
	{
		seed ^= seed << 13;
		seed ^= seed >> 17;
		return seed ^= seed << 5;
	}

	static int Turn (int depth)
	{
		turns++;
		if (depth == 0)
			return 1;
		switch (Next () % Methods) {
		case 0: return M0 (depth - 1);
		case 1: return M1 (depth - 1);
		case 2: return M2 (depth - 1);
		case 3: return M3 (depth - 1);
		case 4: return M4 (depth - 1);
		case 5: return M5 (depth - 1);
		case 6: return M6 (depth - 1);
		default: return M7 (depth - 1);
		}
	}

	static int M0 (int depth) { made [0]++; return Turn (depth) + 0; }
	static int M1 (int depth) { made [1]++; return Turn (depth) + 1; }
	static int M2 (int depth) { made [2]++; return Turn (depth) + 2; }
	static int M3 (int depth) { made [3]++; return Turn (depth) + 3; }
	static int M4 (int depth) { made [4]++; return Turn (depth) + 4; }
	static int M5 (int depth) { made [5]++; return Turn (depth) + 5; }
	static int M6 (int depth) { made [6]++; return Turn (depth) + 6; }
	static int M7 (int depth) { made [7]++; return Turn (depth) + 7; }

	static void Main (string[] args)
	{
		long total = 0;
		for (int i = 0; i < int.Parse (args [0]); i++)
			total += Turn (Depth);
		Console.WriteLine ("total {0}", total);
		Console.WriteLine ("Walks:Turn (int)\t{0}", turns);
		for (int i = 0; i < Methods; i++)
			Console.WriteLine ("Walks:M{0} (int)\t{1}", i, made [i]);
	}
}
