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

	static void Greet ()
	{
		Write ();
		Write ();
	}

	static void Write ()
	{
		Console.WriteLine ("hello");
	}
}
