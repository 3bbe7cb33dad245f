// SPDX-License-Identifier: MIT
//
// probed.cs - a program that counts its own calls, as it is told by lines of standard input. What it does before the
// first one makes its methods warm. A number: so many rounds, on each of two threads. `hold`, `fail`: a thread stays in
// Held, which will return, or throw; `free`: it does. `cold`: methods run that have not yet. `busy`: four threads do
// rounds until the end. Each line is answered by what was called how often since the one before; at the end comes a
// word of whether all went well.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.Runtime.CompilerServices;
using System.Threading;

class Holder<T>
{
	T held;
	public Holder (T value) { held = value; }
	[MethodImpl (MethodImplOptions.NoInlining)]
	public T Get () { Probed.Count ("Get"); return held; }
}

struct Pair { public int A, B; }

class Owner : CollectionBase { }

static class Probed
{
	static readonly ManualResetEvent gate = new ManualResetEvent (false);
	static readonly List<Thread> threads = new List<Thread> ();
	static volatile bool stops, wrong;
	static readonly SortedDictionary<string, int> counts = new SortedDictionary<string, int> ();
	static int small;
	static long sink;

	public static void Count (string name)
	{
		lock (counts) {
			int n;
			counts.TryGetValue (name, out n);
			counts [name] = n + 1;
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Plain (int number) { Count ("Plain"); return number + 1; }

	// Every compiler puts this into its callers.
	static int Small (int number) { small++; return number * 2; }

	static T Echo<T> (T value) { Count ("Echo"); return value; }

	static int Fib (int n) { Count ("Fib"); return n < 2 ? n : Fib (n - 1) + Fib (n - 2); }

	static void Fails (int depth)
	{
		Count ("Fails");
		if (depth == 0)
			throw new InvalidOperationException ("on purpose");
		Fails (depth - 1);
	}

	static void Catches ()
	{
		Count ("Catches");
		try {
			Fails (3);
		} catch (InvalidOperationException) {
			sink++;
		}
	}

	static IEnumerable<int> Numbers () { yield return 1; yield return 2; }

	static void Round (Owner owner)
	{
		Count ("Round");
		sink += Plain (1) + Small (2) + Echo (3) + Echo ("text").Length + Echo (new Pair ()).A + Fib (5);
		for (int i = 0; i < 10; i++)
			sink += Small (i);
		sink += new Holder<int> (7).Get () + new Holder<string> ("text").Get ().Length;
		Catches ();
		foreach (int number in Numbers ())
			sink += number;
		owner.Clear ();
	}

	static void Rounds (object count)
	{
		var owner = new Owner ();
		for (int i = 0; i < (int) count; i++)
			Round (owner);
	}

	static void Busy ()
	{
		var owner = new Owner ();
		while (!stops) {
			Round (owner);
			wrong |= Fib (5) != 5 || Echo ("text") != "text";
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Held (bool throws)
	{
		Count ("Held");
		gate.WaitOne ();
		if (throws)
			throw new InvalidOperationException ("held");
		return Plain (1);
	}

	static void Hold (object throws)
	{
		try {
			sink += Held ((bool) throws);
		} catch (InvalidOperationException) {
			sink++;
		}
	}

	static void Start (ParameterizedThreadStart what, object argument)
	{
		var thread = new Thread (what);
		thread.Start (argument);
		threads.Add (thread);
	}

	static void Join ()
	{
		gate.Set ();
		foreach (Thread thread in threads)
			thread.Join ();
		threads.Clear ();
		gate.Reset ();
	}

	static void AwaitHeld (int before)
	{
		for (int held = before; held == before; Thread.Sleep (1))
			lock (counts)
				counts.TryGetValue ("Held", out held);
	}

	static void Do (string line)
	{
		int held;
		lock (counts)
			counts.TryGetValue ("Held", out held);
		if (line == "hold" || line == "fail") {
			Start (Hold, line == "fail");
			AwaitHeld (held);
		} else if (line == "free") {
			Join ();
		} else if (line == "cold") { // what has not run yet
			var stack = new Stack ();
			stack.Push (stack);
			sink += stack.Peek () == stack.Pop () ? 1 : 0;
			sink += new StringCollection ().Add ("of an image that is not there yet");
		} else if (line == "busy") {
			for (int i = 0; i < 4; i++)
				Start (delegate { Busy (); }, null);
		} else {
			var other = new Thread (Rounds);
			other.Start (int.Parse (line));
			other.Join ();
			Rounds (int.Parse (line));
		}
	}

	static void Answer ()
	{
		lock (counts) {
			counts ["Small"] = small;
			foreach (var pair in counts)
				Console.Write ("{0}={1} ", pair.Key, pair.Value);
		}
		Console.WriteLine ();
	}

	static int Main ()
	{
		string line;
		gate.Set ();
		Rounds (1500);
		Hold (false);
		Hold (true);
		Thread.Sleep (200);
		Rounds (1500);
		gate.Reset ();
		Console.WriteLine ("warm");
		while ((line = Console.ReadLine ()) != null) {
			lock (counts)
				counts.Clear ();
			small = 0;
			Do (line);
			Answer ();
		}
		stops = true;
		Join ();
		Console.WriteLine (wrong ? "wrong" : "unharmed");
		return 3;
	}
}
