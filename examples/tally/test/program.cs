// SPDX-License-Identifier: MIT
// program.cs - what the test profiles: ten calls of three methods.
using System;

static class Program
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
