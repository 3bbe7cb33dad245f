// SPDX-License-Identifier: MIT
// Does what each line asks, and answers it with a line: known counts between what others do to the process.
using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Program
{
	static long sum;
	static volatile bool spins;

	[DllImport ("libc")] static extern int close (int fd);
	[DllImport ("libc")] static extern int fork ();
	[DllImport ("libc")] static extern int waitpid (int pid, IntPtr status, int options);
	[DllImport ("libc")] static extern void _exit (int code);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Work (int i) { sum += i; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Work (string count) { for (int i = 0; i < int.Parse (count); i++) Work (i); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw (string count)
	{
		for (int i = 0; i < int.Parse (count); i++)
			try { throw new InvalidOperationException (); } catch (InvalidOperationException) { sum++; }
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Burn (string milliseconds)
	{
		double end = Used () + int.Parse (milliseconds);
		while (Used () < end)
			for (int i = 0; i < 3000000; i++) sum += i & 7;
	}

	// Until it may rest: not much, and again and again.
	static void Spin () { for (; spins; Thread.Sleep (20)) Burn ("2"); }

	static double Used () { return Process.GetCurrentProcess ().TotalProcessorTime.TotalMilliseconds; }

	static void Threads (Action work)
	{
		var threads = new Thread[4];
		for (int i = 0; i < threads.Length; i++) (threads[i] = new Thread (() => work ())).Start ();
		foreach (var thread in threads) thread.Join ();
	}

	// Not the three that it speaks with. What the runtime itself has open dies with them, which it survives.
	static void CloseAll () { for (int fd = 3; fd < 4096; fd++) close (fd); }

	// A child has a copy of the runtime's locks, whoever held them: it has nothing to find.
	static void Fork ()
	{
		Marshal.Prelink (typeof (Program).GetMethod ("_exit", BindingFlags.Static | BindingFlags.NonPublic));
		int child = fork ();
		if (child == 0) _exit (0);
		waitpid (child, IntPtr.Zero, 0);
	}

	static int Main ()
	{
		string line;
		Console.WriteLine ("ready");
		while ((line = Console.ReadLine ()) != null) {
			string[] words = line.Split (' ');
			var watch = Stopwatch.StartNew ();
			switch (words[0]) {
			case "work": Work (words[1]); break;
			case "threads": Threads (() => Work (words[1])); break;
			case "throw": Throw (words[1]); break;
			case "burn": Burn (words[1]); break;
			case "spin": spins = true; new Thread (Spin) { IsBackground = true }.Start (); break;
			case "rest": spins = false; break;
			case "close": CloseAll (); break;
			case "fork": Fork (); break;
			}
			Console.WriteLine ("done {0}", watch.ElapsedMilliseconds);
		}
		return 3;
	}
}
