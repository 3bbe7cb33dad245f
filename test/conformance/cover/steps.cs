// SPDX-License-Identifier: MIT
// Calls the method that each line of its input names, and answers: what a snapshot must have, and what the next.
using System;

static class Steps
{
	static int First (int x) { return x + 1; }

	static int Second (int x) { return x + 2; }

	static void Main ()
	{
		int sum = 0;
		string line;
		Console.WriteLine ("ready");
		while ((line = Console.ReadLine ()) != null) {
			for (int i = 0; i < 100; i++)
				sum = line == "first" ? First (sum) : Second (sum);
			Console.WriteLine (sum);
		}
	}
}
