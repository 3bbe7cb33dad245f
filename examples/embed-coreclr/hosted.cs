// SPDX-License-Identifier: MIT
// The program that embed-coreclr.c starts. `mono` and coreclr_execute_assembly () begin with Main, hostfxr with Enter.
using System;

static class Hosted
{
	static int Main ()
	{
		return Greeter.Run ();
	}

	public static int Enter (IntPtr arguments, int size)
	{
		return Greeter.Run ();
	}
}

class Greeter
{
	readonly int number;

	Greeter (int number)
	{
		this.number = number;
	}

	public static int Run ()
	{
		int failures = 0;
		for (int i = 0; i < 10; i++) {
			try {
				new Greeter (i).Greet ();
			} catch (InvalidOperationException) {
				failures++;
			}
		}
		Console.WriteLine ("{0} greeted, {1} failed", 10 - failures, failures);
		return 0;
	}

	void Greet ()
	{
		if (number % 3 == 0)
			throw new InvalidOperationException ();
		Write ();
	}

	void Write ()
	{
		Console.WriteLine ("hello, number {0}", number);
	}
}
