// SPDX-License-Identifier: MIT
// Computes, allocates and throws: for as many seconds as it is told, or until a line, or the end, comes in.
using System;
using System.Threading;

class Busy
{
	static volatile bool over;
	public static object kept;

	static int Hot (int x)
	{
		for (int i = 0; i < 1000; i++)
			x = x * 31 + i;
		return x;
	}

	static void Compute ()
	{
		int x = 1;
		while (!over)
			x = Hot (x);
		kept = x;
	}

	static void Throw ()
	{
		while (!over) {
			try {
				throw new InvalidOperationException ();
			} catch (InvalidOperationException) {
			}
			kept = new byte[20000];
			Thread.Sleep (1);
		}
	}

	static void Main (string[] args)
	{
		var hot = new Thread (Compute) { Name = "hot-thread" };
		var thrower = new Thread (Throw) { Name = "thrower" };
		hot.Start ();
		thrower.Start ();
		Console.WriteLine ("ready");
		if (args.Length > 0)
			Thread.Sleep (1000 * int.Parse (args[0]));
		else
			Console.ReadLine ();
		over = true;
		hot.Join ();
		thrower.Join ();
	}
}
