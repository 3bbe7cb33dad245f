// SPDX-License-Identifier: MIT
//
// throwing.cs - throws COUNT exceptions at a stack of DEPTH frames, five times over; prints microseconds per throw.
//
//   throwing.exe COUNT DEPTH
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

class Oops : Exception
{
	public Oops (string message) : base (message) { }
}

static class Throwing
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw ()
	{
		throw new Oops ("thrown");
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Down (int depth)
	{
		if (depth > 0) {
			Down (depth - 1);
			return;
		}
		try {
			Throw ();
		} catch (Oops) {
		}
	}

	static void Main (string[] args)
	{
		int count = int.Parse (args[0]), depth = int.Parse (args[1]) - 3;
		for (int i = 0; i < 2000; i++)
			Down (depth);
		for (int round = 0; round < 5; round++) {
			var watch = Stopwatch.StartNew ();
			for (int i = 0; i < count; i++)
				Down (depth);
			Console.WriteLine ("{0:0.000}", watch.Elapsed.TotalMilliseconds * 1000 / count);
		}
	}
}
