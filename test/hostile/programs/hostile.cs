// SPDX-License-Identifier: MIT
// A program that does to its process what a profiler must survive. `hostile FILE MODE...`: a known amount of work (1000
// calls of Leaf), so that its profile can be checked, then each mode in turn; most of them end the process.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

public static class Hostile
{
	[DllImport ("libc")] static extern int fork ();
	[DllImport ("libc")] static extern void _exit (int code);
	[DllImport ("libc")] static extern void abort ();
	[DllImport ("libc")] static extern int kill (int pid, int signal);
	[DllImport ("libc")] static extern int getpid ();
	[DllImport ("libc")] static extern int setsid ();
	[DllImport ("libc")] static extern int close (int fd);
	[DllImport ("libc")] static extern int open (string path, int flags, int mode);
	[DllImport ("libc")] static extern int chdir (string path);
	[DllImport ("libc")] static extern int waitpid (int pid, out int status, int options);
	[DllImport ("libc")] static extern int execv (string path, string[] argv);
	[DllImport ("libc")] static extern IntPtr write (int fd, byte[] text, IntPtr length);

	const int SIGINT = 2, SIGKILL = 9, SIGTERM = 15;
	static int sum;

	static int Leaf (int n)
	{
		return n ^ 1;
	}

	static void Work ()
	{
		for (int i = 0; i < 1000; i++)
			sum += Leaf (i);
	}

	// What a forked child does: its calls belong to nobody's profile.
	static int ChildWork (int n)
	{
		int total = 0;
		for (int i = 0; i < n; i++)
			total += ChildLeaf (i);
		return total;
	}

	static int ChildLeaf (int n)
	{
		return n + 1;
	}

	// Without the class library: a forked child has one thread, and no garbage collector to wait for.
	static void Say (byte[] text)
	{
		write (1, text, (IntPtr) text.Length);
	}

	static readonly byte[] childDone = { (byte) 'c', (byte) 'h', (byte) 'i', (byte) 'l', (byte) 'd', (byte) '\n' };
	static readonly byte[] nothing = new byte[0];

	static void ChildEnd (int code)
	{
		ChildWork (500);
		Say (childDone);
		_exit (code);
	}

	static void Prepare ()
	{
		// Everything the child needs is compiled and bound before it is born.
		int status;
		Say (nothing);
		waitpid (-1, out status, 1);
		getpid ();
	}

	static int Fork ()
	{
		Prepare ();
		int pid = fork ();
		if (pid == 0)
			ChildEnd (7);
		int status;
		waitpid (pid, out status, 0);
		Console.WriteLine ("child ended " + ((status >> 8) & 255) + " signal " + (status & 127));
		Work ();
		return 0;
	}

	static int ForkExec ()
	{
		Prepare ();
		int pid = fork ();
		if (pid == 0) {
			execv ("/bin/echo", new[] { "echo", "from the child", null });
			_exit (99);
		}
		int status;
		waitpid (pid, out status, 0);
		Console.WriteLine ("child ended " + ((status >> 8) & 255));
		return 0;
	}

	static int Exec ()
	{
		Console.Out.Flush ();
		execv ("/bin/echo", new[] { "echo", "replaced", null });
		return 99;
	}

	static int Daemonise ()
	{
		Prepare ();
		if (fork () != 0)
			_exit (0);
		setsid ();
		if (fork () != 0)
			_exit (0);
		ChildEnd (0);
		return 0;
	}

	static int CloseAll ()
	{
		for (int fd = 3; fd < 1024; fd++)
			close (fd);
		Work ();
		GC.Collect ();
		Say (childDone);
		return 0;
	}

	// Whoever still writes to "stderr" now writes into the program's own file.
	static int Reuse (string file)
	{
		for (int fd = 0; fd < 3; fd++)
			close (fd);
		for (int fd = 0; fd < 3; fd++)
			open (file, 2 | 64, 420);
		Work ();
		Say (childDone);
		return 8;
	}

	static int ChangeDirectory ()
	{
		chdir ("/");
		Console.WriteLine (Environment.CurrentDirectory);
		return 0;
	}

	static int PrintEnvironment ()
	{
		var names = new List<string> ();
		foreach (DictionaryEntry entry in Environment.GetEnvironmentVariables ())
			names.Add (entry.Key + "=" + entry.Value);
		names.Sort (string.CompareOrdinal);
		foreach (string name in names)
			Console.WriteLine (name);
		return 0;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Thrower (int depth)
	{
		if (depth == 0)
			throw new InvalidOperationException ("on purpose");
		Thrower (depth - 1);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Traces ()
	{
		try {
			Thrower (3);
		} catch (InvalidOperationException e) {
			Console.WriteLine (e.ToString ());
		}
		Console.WriteLine (Environment.StackTrace);
		return 0;
	}

	static int Unhandled ()
	{
		Thrower (2);
		return 99;
	}

	static int UnhandledInThread ()
	{
		var thread = new Thread (() => Thrower (1));
		thread.Start ();
		thread.Join ();
		return 99;
	}

	static int ExitInThread ()
	{
		new Thread (() => Environment.Exit (4)).Start ();
		Thread.Sleep (Timeout.Infinite);
		return 99;
	}

	static int Signal (int number)
	{
		Console.WriteLine ("before");
		Console.Out.Flush ();
		kill (getpid (), number);
		Thread.Sleep (30000);
		return 99;
	}

	static int Overflow (int n)
	{
		return Overflow (n + 1) + Overflow (n + 2);
	}

	static int Abort ()
	{
		abort ();
		return 99;
	}

	static int ExitNow ()
	{
		Environment.Exit (3);
		return 99;
	}

	// Native code that faults: on Mono the same report as an abort, out of another signal's handler.
	static int Fault ()
	{
		Marshal.WriteInt32 (new IntPtr (unchecked ((int) 0xfff00000) * 0x1000L), 1);
		return 99;
	}

	static int FailFast ()
	{
		Environment.FailFast ("on purpose");
		return 99;
	}

	static int started;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Other (int n)
	{
		return n == 1000 ? Interlocked.Increment (ref started) : n;
	}

	static int BackgroundThreads ()
	{
		for (int i = 0; i < 4; i++) {
			var thread = new Thread (() => {
				for (int n = 0; ; n++)
					Other (n);
			});
			thread.IsBackground = true;
			thread.Start ();
		}
		while (Volatile.Read (ref started) < 4)
			Thread.Yield ();
		return 6;
	}

	// Ends amid threads that work, on one of them, and when all have worked for a while.
	static int Busy (Func<int> end)
	{
		for (int i = 0; i < 3; i++) {
			bool ends = i == 0;
			new Thread (() => {
				UseProcessor (ends ? 300 : double.PositiveInfinity);
				end ();
			}).Start ();
		}
		Thread.Sleep (Timeout.Infinite);
		return 99;
	}

	// Aborts threads that sleep, again and again: Mono walks the stack of each on the thread that aborts it.
	static int AbortThreads ()
	{
		for (int round = 0; round < 40; round++) {
			var threads = new Thread [50];
			for (int i = 0; i < threads.Length; i++) {
				threads [i] = new Thread (() => Thread.Sleep (Timeout.Infinite));
				threads [i].Start ();
			}
			foreach (Thread thread in threads)
				thread.Abort ();
			foreach (Thread thread in threads)
				thread.Join ();
		}
		return 7;
	}

	static int urgent;

	static void OnUrgent (object context)
	{
		Interlocked.Increment (ref urgent);
	}

	// Takes SIGURG over while threads work, by a class that Mono does not have, and says how many came.
	static int TakeUrgent ()
	{
		const string space = "System.Runtime.InteropServices.";
		const string where = ", System.Runtime.InteropServices, PublicKeyToken=b03f5f7f11d50a3a";
		Type registration = Type.GetType (space + "PosixSignalRegistration" + where);
		if (registration == null)
			return 98;
		for (int i = 0; i < 2; i++)
			new Thread (() => {
				while (true)
					ChildWork (10000);
			}) { IsBackground = true }.Start ();
		UseProcessor (200);
		MethodInfo create = registration.GetMethod ("Create");
		ParameterInfo[] parameters = create.GetParameters ();
		Delegate handler = Delegate.CreateDelegate (parameters[1].ParameterType,
			typeof (Hostile).GetMethod ("OnUrgent", BindingFlags.Static | BindingFlags.NonPublic));
		create.Invoke (null, new object[] { Enum.ToObject (parameters[0].ParameterType, 23), handler });
		UseProcessor (800);
		Console.WriteLine ("urgent " + urgent);
		return 6;
	}

	static void UseProcessor (double milliseconds)
	{
		double begin = Process.GetCurrentProcess ().TotalProcessorTime.TotalMilliseconds;
		while (Process.GetCurrentProcess ().TotalProcessorTime.TotalMilliseconds < begin + milliseconds)
			ChildWork (10000);
	}

	static int Run (string mode, string file)
	{
		switch (mode) {
		case "return": return 5;
		case "exit": return ExitNow ();
		case "exit-thread": return ExitInThread ();
		case "background": return BackgroundThreads ();
		case "unhandled": return Unhandled ();
		case "unhandled-thread": return UnhandledInThread ();
		case "failfast": return FailFast ();
		case "abort": return Abort ();
		case "fault": return Fault ();
		case "urgent": return TakeUrgent ();
		case "abort-busy": return Busy (Abort);
		case "failfast-busy": return Busy (FailFast);
		case "fault-busy": return Busy (Fault);
		case "abort-threads": return AbortThreads ();
		case "overflow": return Overflow (0);
		case "sigint": return Signal (SIGINT);
		case "sigterm": return Signal (SIGTERM);
		case "sigkill": return Signal (SIGKILL);
		case "fork": return Fork ();
		case "fork-exec": return ForkExec ();
		case "exec": return Exec ();
		case "daemonise": return Daemonise ();
		case "close-all": return CloseAll ();
		case "reuse": return Reuse (file);
		case "chdir": return ChangeDirectory ();
		case "environment": return PrintEnvironment ();
		case "traces": return Traces ();
		}
		return 98;
	}

	public static int Main (string[] args)
	{
		Work ();
		int code = 0;
		for (int i = 1; i < args.Length; i++) {
			Say (System.Text.Encoding.ASCII.GetBytes (args[i] + ":\n"));
			code = Run (args[i], args[0]);
		}
		return code;
	}
}
