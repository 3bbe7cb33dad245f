// SPDX-License-Identifier: MIT
// What a program says of itself: how often each line ran, and which way each condition went.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

static class M {
	const int Lines = 3000, Ways = 4;
	static readonly int[] lines = new int[Lines];
	static readonly int[] ways = new int[Lines * Ways * 2];

	// A line that begins with this ran.
	public static void L ([CallerLineNumber] int line = 0)
	{
		Interlocked.Increment (ref lines[line]);
	}

	// The same in an expression.
	public static T V<T> (T value, [CallerLineNumber] int line = 0)
	{
		Interlocked.Increment (ref lines[line]);
		return value;
	}

	// A condition that is branched on, the `which`-th of its line; the first marks the line.
	public static bool If (bool way, int which = 0, [CallerLineNumber] int line = 0)
	{
		if (which == 0)
			Interlocked.Increment (ref lines[line]);
		Interlocked.Increment (ref ways[(line * Ways + which) * 2 + (way ? 1 : 0)]);
		return way;
	}

	// The same for a line that another marker marks.
	public static bool Way (bool way, int which = 0, [CallerLineNumber] int line = 0)
	{
		Interlocked.Increment (ref ways[(line * Ways + which) * 2 + (way ? 1 : 0)]);
		return way;
	}

	static readonly string[] known = { "" };

	public static void Write (string file)
	{
		if (file == null)
			return;
		using (var writer = new StreamWriter (file))
			for (int line = 0; line < Lines; line++) {
				if (lines[line] != 0)
					writer.Write ("line {0} {1}\n", line, lines[line]);
				for (int i = line * Ways; i < (line + 1) * Ways; i++)
					if (ways[2 * i] + ways[2 * i + 1] != 0)
						writer.Write ("ways {0} {1} {2}\n", line, ways[2 * i], ways[2 * i + 1]);
			}
	}

	// Runs what a class of the program has to show.
	public static void Run (string name, Action run)
	{
		try {
			run ();
			Console.WriteLine (name);
		} catch (Exception e) {
			Console.WriteLine ("{0}: {1}", name, e);
		}
	}
}
