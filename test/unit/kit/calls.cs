// SPDX-License-Identifier: MIT
// One program, several lives: calls.exe WHAT.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

class P
{
	static int Fib (int n)
	{
		return n < 2 ? n : Fib (n - 1) + Fib (n - 2);
	}

	static void Leaf (int depth)
	{
		if (depth == 0)
			throw new InvalidOperationException ("deep");
		try {
			Leaf (depth - 1);
		} finally {
			Finally ();
		}
	}

	static void Finally ()
	{
	}

	static void Catcher ()
	{
		try {
			Leaf (10);
		} catch (InvalidOperationException) {
			AfterCatch ();
		}
	}

	static void AfterCatch ()
	{
	}

	static void Exceptions ()
	{
		for (int i = 0; i < 100; i++)
			Catcher ();
		for (int i = 0; i < 100; i++) {
			try {
				int.Parse ("not a number");
			} catch (FormatException) {
				AfterCatch ();
			}
		}
	}

	static T Same<T> (T value)
	{
		return value;
	}

	static IEnumerable<int> Numbers (int n)
	{
		for (int i = 0; i < n; i++)
			yield return Same (i);
	}

	static void Generics ()
	{
		Console.WriteLine (Numbers (50).Select (x => x + 1).Sum ());
		Same ("text");
	}

	static void Worker ()
	{
		Fib (20);
	}

	static void Threads ()
	{
		var threads = new List<Thread> ();
		for (int i = 0; i < 4; i++) {
			var thread = new Thread (Worker) { Name = "worker " + i };
			thread.Start ();
			threads.Add (thread);
		}
		threads.ForEach (t => t.Join ());
	}

	static void Deep (int n)
	{
		if (n > 0)
			Deep (n - 1);
	}

	static void Endless ()
	{
		for (long i = 0; ; i++) {
			Finally ();
			if (i % 100000 == 0)
				Console.WriteLine (i);
		}
	}

	static int Main (string[] args)
	{
		switch (args[0]) {
		case "fib": Console.WriteLine (Fib (int.Parse (args[1]))); break;
		case "exceptions": Exceptions (); break;
		case "generics": Generics (); break;
		case "threads": Threads (); break;
		case "deep":
			var thread = new Thread (() => Deep (1000000), 512 << 20);
			thread.Start ();
			thread.Join ();
			break;
		case "endless": Endless (); break;
		case "sleep":
			Console.WriteLine ("sleeping");
			Thread.Sleep (int.Parse (args[1]));
			break;
		case "unhandled": Fib (5); throw new InvalidOperationException ("nobody catches this");
		case "exit": Fib (5); Environment.Exit (7); break;
		}
		return 3;
	}
}
