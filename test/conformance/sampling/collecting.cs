// SPDX-License-Identifier: MIT
// Collects and computes: collecting.exe ROUNDS THREADS. At the end, the CPU time of the runtime's own threads that
// collect, by the system's count: "collectors NANOSECONDS".
using System;
using System.IO;
using System.Threading;

class Node
{
	public Node Left, Right;
	public int[] Payload;
}

static class Program
{
	static long sum;

	static Node Build (int depth)
	{
		Node node = new Node ();
		node.Payload = new int [8];
		if (depth > 0) {
			node.Left = Build (depth - 1);
			node.Right = Build (depth - 1);
		}
		return node;
	}

	static long Compute (int turns)
	{
		long x = 17;
		for (int i = 0; i < turns; i++)
			x = x * 31 + i % 7;
		return x;
	}

	static void Work (int rounds)
	{
		Node[] recent = new Node [32]; // what survives a collection or two
		for (int i = 0; i < rounds; i++) {
			recent [i % recent.Length] = Build (10);
			Interlocked.Add (ref sum, Compute (20000));
		}
	}

	static long UsedByCollectors ()
	{
		long used = 0;
		foreach (string task in Directory.GetDirectories ("/proc/self/task"))
			try {
				if (File.ReadAllText (task + "/comm").StartsWith (".NET Server GC"))
					used += long.Parse (File.ReadAllText (task + "/schedstat").Split (' ') [0]);
			} catch (IOException) { // the thread has ended
			}
		return used;
	}

	static int Main (string[] args)
	{
		int rounds = int.Parse (args [0]);
		Thread[] threads = new Thread [int.Parse (args [1])];
		for (int i = 0; i < threads.Length; i++) {
			threads [i] = new Thread (() => Work (rounds));
			threads [i].Start ();
		}
		foreach (Thread thread in threads)
			thread.Join ();
		Console.WriteLine ("collectors {0}", UsedByCollectors ());
		return sum != 1 ? 5 : 6;
	}
}
