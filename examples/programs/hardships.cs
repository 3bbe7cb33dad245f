// SPDX-License-Identifier: MIT
// What a module with a runtime of its own could spoil: signals that the runtime makes exceptions of, arithmetic,
// threads that are stopped for collections, the exit code. Calls of its methods: 48,013.
using System;
using System.Threading;

static class Hardships
{
	class Node
	{
		public Node Next;
		public int Value;
	}

	static int Main ()
	{
		Console.WriteLine ("null: " + Catches (Dereference) + ", zero: " + Catches (DivideByZero));
		Console.WriteLine ("index: " + Catches (Index));
		Console.WriteLine ("1/0: " + (Divide (1, 0) > double.MaxValue) + ", 0/0: " + double.IsNaN (Divide (0, 0)));
		Thread[] threads = new Thread[4];
		for (int i = 0; i < threads.Length; i++)
			(threads[i] = new Thread (Allocate)).Start ();
		foreach (Thread thread in threads)
			thread.Join ();
		Console.WriteLine ("done");
		return 3;
	}

	static string Catches (Func<int> function)
	{
		try {
			return function ().ToString ();
		} catch (Exception e) {
			return e.GetType ().Name;
		}
	}

	static int Dereference ()
	{
		Node none = GC.CollectionCount (0) < 0 ? new Node () : null;
		return none.Value;
	}

	static int DivideByZero ()
	{
		int zero = GC.CollectionCount (0) < 0 ? 1 : 0;
		return 1 / zero;
	}

	static int Index ()
	{
		return new int[1][GC.CollectionCount (0) < 0 ? 0 : 1];
	}

	static double Divide (double a, double b)
	{
		return a / b;
	}

	static void Allocate ()
	{
		Node list = null;
		for (int i = 0; i < 6000; i++) {
			list = Push (i % 100 == 0 ? null : list, i);
			if (i % 500 == 0)
				GC.Collect ();
		}
	}

	static Node Push (Node list, int value)
	{
		Node node = new Node ();
		node.Next = list;
		node.Value = value;
		return node;
	}
}
