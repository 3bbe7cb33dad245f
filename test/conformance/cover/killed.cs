// SPDX-License-Identifier: MIT
// Says after each line that it ran, until it is killed.
using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;

static class Killed {
	[DllImport ("libc")] static extern int fork ();
	[DllImport ("libc")] static extern int waitpid (int pid, IntPtr status, int options);
	[DllImport ("libc")] static extern void _exit (int code);

	static int Step (int n)
	{
		switch (n) {
		case 0:
			return 1; // step 0
		case 1:
			return 2; // step 1
		case 2:
			return 4; // step 2
		case 3:
			return 8; // step 3
		case 4:
			return 16; // step 4
		case 5:
			return 32; // step 5
		case 6:
			return 64; // step 6
		case 7:
			return 128; // step 7
		default:
			return 0;
		}
	}

	static void Main (string[] arguments)
	{
		if (arguments[0] == "fork") {
			int pid = 0;
			Marshal.Prelink (typeof (Killed).GetMethod ("_exit", BindingFlags.Static | BindingFlags.NonPublic));
			for (int i = 0; i < 2; i++)
				pid = i == 0 ? waitpid (-1, IntPtr.Zero, 1) + Step (100) : fork ();
			if (pid == 0)
				_exit (Step (3));
			waitpid (pid, IntPtr.Zero, 0);
			Step (4);
			return;
		}
		int pause = int.Parse (arguments[0]);
		for (int i = 0; i < 8; i++) {
			Step (i);
			Console.WriteLine (i + " " + Stopwatch.GetTimestamp () * 1000 / Stopwatch.Frequency);
			Thread.Sleep (pause);
		}
		Console.WriteLine ("all");
		Thread.Sleep (Timeout.Infinite);
	}
}
