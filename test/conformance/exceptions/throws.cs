// SPDX-License-Identifier: MIT
//
// throws.cs - throws and catches, so often on so many threads, until it is killed when COUNT is 0.
//
//   throws.exe THREADS COUNT
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class Oops : Exception
{
	public Oops (int number) : base ("number " + number) { }
}

static class Throws
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw (int number)
	{
		throw new Oops (number);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Down (int depth, int number)
	{
		if (depth > 0)
			Down (depth - 1, number);
		else
			Throw (number);
		GC.KeepAlive (depth);
	}

	static void Work (int count)
	{
		for (int i = 0; i < count || count == 0; i++)
			try {
				Down (i % 20, i);
			} catch (Oops) {
			}
	}

	static int Main (string[] args)
	{
		var threads = new Thread[int.Parse (args[0])];
		for (int i = 0; i < threads.Length; i++) {
			threads[i] = new Thread (() => Work (int.Parse (args[1]))) { Name = "thrower " + i };
			threads[i].Start ();
		}
		Console.WriteLine ("started");
		foreach (var thread in threads)
			thread.Join ();
		Console.WriteLine ("done");
		return 3;
	}
}
