// SPDX-License-Identifier: MIT
// A million objects, or a part of them, that refer to each other in a way that both sides know, then one collection of
// everything.
//
//   heap.exe PART [background]
//
// An object has its number in `id`; an array belongs to the one object that holds it. So every object and every
// reference has a name that does not depend on addresses. On the CLR one array is pinned and literals are frozen.
using System;
using System.Reflection;

struct Pair
{
	public Node first;
	public int number;
	public Leaf second;
}

class Leaf
{
	public int id;
}

class Node
{
	public Node left, right;
	public object load;
	public int id;
}

class Holder : Leaf
{
	public Node [] nodes, pinned;
	public Pair [] pairs;
	public byte [] bytes;
	public string literal, made;
}

static class Program
{
	static int Leaves, Nodes, Holders, Large;
	static Holder [] holders;

	static Node [] Pinned (int count)
	{
		foreach (var method in typeof (GC).GetMethods ())
			if (method.Name == "AllocateArray")
				return (Node []) method.MakeGenericMethod (typeof (Node)).Invoke (null, new object [] { count, true });
		return new Node [count];
	}

	static object Load (Leaf [] leaves, int i)
	{
		switch (i % 4) {
		case 0: return leaves [i];
		case 1: return new int [] { i };
		case 2: return "a literal";
		default: return null;
		}
	}

	static Holder Hold (int id, Node [] nodes, Leaf [] leaves)
	{
		// one array is large, one is pinned; most are small
		int count = id == 0 ? Large : id == 1 ? 300 : id % 5;
		var holder = new Holder { id = id, nodes = new Node [count], pairs = new Pair [id % 3] };
		holder.bytes = new byte [id % 9];
		for (int i = 0; i < count; i++)
			holder.nodes [i] = i % 7 == 3 ? null : nodes [(id * 31 + i) % Nodes];
		for (int i = 0; i < holder.pairs.Length; i++)
			holder.pairs [i] = new Pair { first = nodes [(id + i) % Nodes], number = i, second = leaves [id * 2 + i] };
		holder.literal = "a literal";
		holder.made = new string ('x', id % 11);
		if (id == 2) {
			holder.pinned = Pinned (1000);
			for (int i = 0; i < 1000; i++)
				holder.pinned [i] = nodes [i * 3];
		}
		return holder;
	}

	static void Build ()
	{
		var leaves = new Leaf [Leaves];
		for (int i = 0; i < Leaves; i++)
			leaves [i] = new Leaf { id = i };
		var nodes = new Node [Nodes];
		for (int i = 0; i < Nodes; i++)
			nodes [i] = new Node { id = i, load = Load (leaves, i), left = i == 0 ? null : nodes [(i - 1) / 2] };
		for (int i = 0; i < Nodes; i++)
			nodes [i].right = nodes [(int) (i * 7919L % Nodes)];
		holders = new Holder [Holders];
		for (int i = 0; i < Holders; i++)
			holders [i] = Hold (i, nodes, leaves);
		// what nothing else refers to stays
		holders [3].nodes = nodes;
		holders [4].pairs = new Pair [Leaves];
		for (int i = 0; i < Leaves; i++)
			holders [4].pairs [i].second = leaves [i];
	}

	static int Main (string [] args)
	{
		int part = int.Parse (args [0]);
		Leaves = 500000 / part;
		Nodes = 400000 / part;
		Holders = 20000 / part;
		Large = 250000 / part;
		Build ();
		GC.Collect ();
		GC.WaitForPendingFinalizers ();
		GC.Collect ();
		if (args.Length > 1)
			for (int i = 0; i < 5; i++) {
				GC.Collect (2, GCCollectionMode.Forced, false);
				for (int j = 0; j < Holders; j++)
					holders [j].bytes = new byte [j % 9];
				GC.Collect (i % 2, GCCollectionMode.Forced, true);
			}
		GC.KeepAlive (holders);
		Console.WriteLine ("done");
		return 3;
	}
}
