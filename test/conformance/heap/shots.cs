// SPDX-License-Identifier: MIT
// Objects for shots of the heap: builds them, says so by a file, and goes on once the shot was taken (shots.c).
using System;
using System.IO;
using System.Threading;

class Leaf { public int id; public Leaf next; }
struct Pair { public Leaf first; public long second; }
class Twig<T> { public T value; }
class Branch
{
	public Leaf[] leaves;
	public Pair[] pairs = new Pair[3];
	public int[,] grid = new int[2, 2];
	public Twig<string> twig = new Twig<string> ();
}

static class Shots
{
	const int Branches = 200, Leaves = 50;
	static Branch[] all;

	static void Build ()
	{
		all = new Branch[Branches];
		for (int i = 0; i < Branches; i++) {
			var branch = new Branch { leaves = new Leaf[Leaves] };
			for (int j = 0; j < Leaves; j++)
				branch.leaves[j] = new Leaf { id = j, next = j > 0 ? branch.leaves[j - 1] : null };
			all[i] = branch;
		}
	}

	static bool Await (string file)
	{
		for (int tries = 0; tries < 3000; tries++) {
			if (File.Exists (file))
				return true;
			Thread.Sleep (10);
		}
		return false;
	}

	static int Main (string[] arguments)
	{
		Build ();
		File.WriteAllText (arguments[0] + ".ready", "");
		Console.WriteLine (Await (arguments[0] + ".taken") ? "taken" : "not taken");
		Console.WriteLine (all.Length);
		if (arguments.Length > 1 && arguments[1] == "exit")
			Environment.Exit (3);
		return 3;
	}
}
