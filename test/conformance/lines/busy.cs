// SPDX-License-Identifier: MIT
//
// busy.cs - work on known lines. A line with WORK N does N units of it, one with CALL N calls what does them. Lines
// with HARD begin with a value on the evaluation stack when the compiler optimises.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

class Busy {
	static int unit;
	static uint state = 1;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static uint Lines (uint x)
	{ // BEGIN Lines
		for (int i = 0; i < 1 * unit; i++) x = x * 1664525 + (x >> 7 ^ 1013904223) / (x % 97 + 3); // WORK 1
		for (int i = 0; i < 2 * unit; i++) x = x * 1664525 + (x >> 7 ^ 1013904223) / (x % 97 + 3); // WORK 2
		for (int i = 0; i < 3 * unit; i++) x = x * 1664525 + (x >> 7 ^ 1013904223) / (x % 97 + 3); // WORK 3
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Spin (int units)
	{ // BEGIN Spin
		uint x = state;
		for (int i = 0; i < units * unit; i++) x = x * 1664525 + (x >> 7 ^ 1013904223) / (x % 97 + 3); // WORK 8
		state = x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Calls ()
	{ // BEGIN Calls
		Spin (1); // CALL 1
		Spin (3); // CALL 3
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static uint Value (int units)
	{ // BEGIN Value
		Spin (units);
		return state;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static uint Hard ()
	{ // BEGIN Hard
		uint x = Value (1); // HARD 1
		x += Value (1); // HARD 1
		return x;
	}

	static IEnumerable<uint> Iterate ()
	{ // BEGIN Iterate
		uint x = state;
		for (int i = 0; i < 2 * unit; i++) x = x * 1664525 + (x >> 7 ^ 1013904223) / (x % 97 + 3); // WORK 2
		yield return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Lambda (Func<uint, uint> work)
	{ // BEGIN Lambda
		state = work (state); // CALL 2
	}

	static void Main (string [] args)
	{
		int rounds = args.Length > 0 ? int.Parse (args [0]) : 3000;
		for (int round = 0; round < rounds; round++) {
			unit = 1000 + round * 7919 % 2000; // rounds of one length could keep step with the sampler
			state = Lines (state); // CALL 6
			Calls (); // CALL 4
			state = Hard (); // CALL 2
			foreach (uint x in Iterate ()) // CALL 2, but mcs says nothing of the calls at a loop's end
				state = x;
			Lambda (x => {
				for (int i = 0; i < 2 * unit; i++) x = x * 1664525 + (x >> 7 ^ 1013904223) / (x % 97 + 3); // WORK 2
				return x;
			});
		}
		Console.WriteLine (state != 0);
	}
}
