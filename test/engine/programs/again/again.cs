// SPDX-License-Identifier: MIT
// Probes come and go while this runs (again.c): small methods that are inlined, loops, recursion, generics, exceptions
// that pass frames of either kind, and calls that are under way when the probes change. `again WARM CALLS`
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

static class Again
{
	static int Small (int a)
	{
		return a + 1;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Caller (int a)
	{
		return Small (a) + Small (a + 1);
	}

	static int Down (int n)
	{
		return n == 0 ? 0 : 1 + Down (n - 1);
	}

	static T Same<T> (T value)
	{
		return value;
	}

	static int Thrower (int n)
	{
		if (n == 0)
			throw new InvalidOperationException ();
		return Thrower (n - 1) + 1;
	}

	static int Catcher (int n)
	{
		try {
			return Thrower (n);
		} catch (InvalidOperationException) {
			return -1;
		}
	}

	// Calls itself while the order is given between: the outer frame has the body from before.
	internal static int Across (int depth, Action between)
	{
		if (depth == 0) {
			between ();
			throw new InvalidOperationException ();
		}
		try {
			return Across (depth - 1, between);
		} catch (InvalidOperationException) when (depth == 2) {
			return 7;
		}
	}

	internal static int Work (int calls)
	{
		int sum = 0;
		for (int i = 0; i < calls; i++)
			sum += Caller (i) + Down (2) + Same (i) + Same ("x").Length + Catcher (1);
		return sum;
	}
}

static class Program
{
	static void Order (string name)
	{
		Thread thread = new Thread (() => { });
		thread.Name = "order " + name;
		thread.Start ();
		thread.Join ();
	}

	static void Count (string name, int calls)
	{
		Order ("count");
		Console.WriteLine (name + " " + Again.Work (calls));
		Order (name);
	}

	static bool Seen ()
	{
		File.Delete ("seen");
		Order ("seen");
		Again.Work (10);
		Order ("seen");
		return File.Exists ("seen");
	}

	// Changed once no call, or each one, is told; more calls pass meanwhile, so tiers change as well.
	static void Change (string order, bool seen)
	{
		Order (order);
		while (Seen () != seen)
			Thread.Sleep (1);
	}

	static int Main (string[] args)
	{
		int warm = int.Parse (args[0]), calls = int.Parse (args[1]);
		for (int i = 0; i < 30; i++) {
			Again.Work (warm);
			Thread.Sleep (5);
		}
		bool begins = Seen ();
		Count ("first", calls);
		for (int round = 0; round < 3; round++) {
			Change (begins ? "off" : "on", !begins);
			Count ("changed" + round, calls);
			Change (begins ? "on" : "off", begins);
			Count ("back" + round, calls);
		}
		Console.WriteLine (Again.Across (2, () => Change (begins ? "off" : "on", !begins)));
		Count ("across", calls);
		return 0;
	}
}
