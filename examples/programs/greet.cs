// SPDX-License-Identifier: MIT
// The program that the examples profile, on Mono and on CoreCLR. embed/greet.script is the same for the embedding host.
using System;

static class Greeter
{
	static void Main ()
	{
		Greet ();
		Greet ();
		Greet ();
	}

	// How many lines were written.
	static int Greet ()
	{
		return Write () + Write ();
	}

	static int Write ()
	{
		Console.WriteLine ("hello");
		return 1;
	}
}
