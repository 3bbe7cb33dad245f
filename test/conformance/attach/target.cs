// SPDX-License-Identifier: MIT
// A program that runs before anybody looks at it. `target [HABIT,HABIT... [PAUSE]]`: two threads work until standard
// input ends, a third one sleeps. Habits begin with the first line of input, each on a thread of its own; the last line
// of output says whether all went well. Threads rest for PAUSE milliseconds between what they do.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

static class Target
{
	[DllImport ("libc", SetLastError = true)] static extern int fork ();
	[DllImport ("libc")] static extern int waitpid (int pid, out int status, int options);
	[DllImport ("libc")] static extern void _exit (int code);
	[DllImport ("libc")] static extern int close (int fd);
	[DllImport ("libc")] static extern int execv (string path, string[] arguments);
	[DllImport ("libc")] static extern int pthread_sigmask (int how, byte[] set, byte[] old);

	static volatile bool stops, hears;
	static volatile int sink;
	static int wrong;
	static int pause;
	static Func<int, int> generated;

	static void Wrong ([CallerLineNumber] int line = 0)
	{
		Interlocked.Increment (ref wrong);
		Console.WriteLine ("wrong in line " + line);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Spin (int turns)
	{
		int sum = turns;
		for (int i = 0; i < turns; i++)
			sum = sum * 31 + i;
		return sum;
	}

	[MethodImpl (MethodImplOptions.NoInlining)] static void Three () { sink += Spin (300000); }
	[MethodImpl (MethodImplOptions.NoInlining)] static void One () { sink += Spin (100000); }

	// What was generated has no metadata; it is found by its address alone.
	static Func<int, int> Generate ()
	{
		var method = new DynamicMethod ("Generated", typeof (int), new[] { typeof (int) });
		var il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Call, typeof (Target).GetMethod ("Spin", BindingFlags.Static | BindingFlags.NonPublic));
		il.Emit (OpCodes.Ret);
		return (Func<int, int>) method.CreateDelegate (typeof (Func<int, int>));
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw ()
	{
		int caught = 0;
		try {
			throw new InvalidOperationException ("on purpose");
		} catch (InvalidOperationException) {
			caught++;
		}
		if (caught != 1)
			Wrong ();
	}

	static void Work ()
	{
		while (Goes ()) {
			Three ();
			One ();
			sink += generated (20000);
			for (int i = 0; i < 3; i++)
				Throw ();
			if (Spin (1000) != expected)
				Wrong ();
		}
	}

	static int expected;

	static bool Goes ()
	{
		if (pause > 0)
			Thread.Sleep (pause);
		return !stops;
	}

	// --- habits ------------------------------------------------------------------------------------------------------

	// A child has a copy of the runtime's locks, whoever held them: it finds nothing, and compiles nothing.
	static void Forks ()
	{
		Marshal.Prelink (typeof (Target).GetMethod ("_exit", BindingFlags.Static | BindingFlags.NonPublic));
		while (Goes ()) {
			int child = fork ();
			if (child == 0)
				_exit (7);
			int status, ended;
			if (child > 0 && ((ended = waitpid (child, out status, 0)) != child || status != 7 << 8)) {
				Wrong ();
				Console.WriteLine ("waited for {0}: {1}, status 0x{2:x}", child, ended, status);
			}
		}
	}

	static void Starts ()
	{
		while (Goes ())
			using (var child = Process.Start (new ProcessStartInfo ("/bin/true") { UseShellExecute = false })) {
				child.WaitForExit ();
				if (child.ExitCode != 0)
					Wrong ();
			}
	}

	static void Throws ()
	{
		while (Goes ())
			Throw ();
	}

	static void Collects ()
	{
		var kept = new List<byte[]> ();
		while (Goes ()) {
			kept.Add (new byte[10000]);
			if (kept.Count > 200)
				kept.Clear ();
			GC.Collect (kept.Count % 3);
		}
	}

	static void Threads ()
	{
		while (Goes ()) {
			var thread = new Thread (() => sink += Spin (1000)) { Name = "brief" };
			thread.Start ();
			thread.Join ();
		}
	}

	static void Generates ()
	{
		while (Goes ()) {
			sink += Generate () (1000);
			GC.Collect ();
		}
	}

	// A copy of this program in a context of its own, which the class library that this is compiled with does not know.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Use (Type contexts)
	{
		const BindingFlags own = BindingFlags.Static | BindingFlags.NonPublic;
		object context = Activator.CreateInstance (contexts, new object[] { "brief", true });
		var file = new object[] { typeof (Target).Assembly.Location };
		var copy = (Assembly) contexts.GetMethod ("LoadFromAssemblyPath").Invoke (context, file);
		MethodInfo spin = copy.GetType ("Target").GetMethod ("Spin", own);
		if ((int) spin.Invoke (null, new object[] { 1000 }) != expected)
			Wrong ();
		contexts.GetMethod ("Unload").Invoke (context, null);
	}

	static void Unloads ()
	{
		Type contexts = Type.GetType ("System.Runtime.Loader.AssemblyLoadContext, System.Private.CoreLib");
		while (Goes ()) {
			for (int i = 0; i < 5 && contexts != null; i++)
				Use (contexts);
			if (contexts == null)
				AppDomain.Unload (AppDomain.CreateDomain ("brief"));
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
	}

	// A method of an assembly that the collector may take.
	static void Emits ()
	{
		while (Goes ()) {
			var assembly = AssemblyBuilder.DefineDynamicAssembly (new AssemblyName ("Brief"),
			                                                      AssemblyBuilderAccess.RunAndCollect);
			var type = assembly.DefineDynamicModule ("Brief").DefineType ("Emitted", TypeAttributes.Public);
			var method = type.DefineMethod ("Same", MethodAttributes.Public | MethodAttributes.Static, typeof (int),
			                                new[] { typeof (int) });
			var il = method.GetILGenerator ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Ret);
			if ((int) type.CreateType ().GetMethod ("Same").Invoke (null, new object[] { 7 }) != 7)
				Wrong ();
			GC.Collect ();
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Is_aborted ()
	{
		try {
			while (true)
				sink += Spin (1000);
		} catch (ThreadAbortException) {
		}
	}

	// Mono alone has it.
	static void Aborts ()
	{
		while (Goes ()) {
			var thread = new Thread (Is_aborted);
			thread.Start ();
			Thread.Sleep (2);
#pragma warning disable 618
			thread.Abort ();
#pragma warning restore 618
			thread.Join ();
		}
	}

	// Those that a program may close: not what the runtime itself has open, which it would die of.
	static void Closes ()
	{
		while (Goes ()) {
			for (int fd = 512; fd < 2048; fd++)
				close (fd);
			Thread.Sleep (1);
		}
	}

	const int SIGURG = 23, SIG_BLOCK = 0, SIG_UNBLOCK = 1;

	[MethodImpl (MethodImplOptions.NoInlining)] static void Heard () { sink += Spin (100000); }

	// Does not take the signal that Monocle sends until it is told to.
	static void Deaf ()
	{
		var set = new byte[128];
		set[(SIGURG - 1) / 8] = 1 << (SIGURG - 1) % 8;
		if (pthread_sigmask (SIG_BLOCK, set, null) != 0)
			Wrong ();
		Console.WriteLine ("deaf");
		while (!hears && !stops)
			Thread.Sleep (1);
		if (pthread_sigmask (SIG_UNBLOCK, set, null) != 0)
			Wrong ();
		while (Goes ())
			Heard ();
	}

	static void Habit (string name)
	{
		switch (name) {
		case "deaf": Deaf (); break;
		case "forks": Forks (); break;
		case "starts": Starts (); break;
		case "throws": Throws (); break;
		case "collects": Collects (); break;
		case "threads": Threads (); break;
		case "generates": Generates (); break;
		case "closes": Closes (); break;
		case "unloads": Unloads (); break;
		case "emits": Emits (); break;
		case "aborts": Aborts (); break;
		case "execs": Thread.Sleep (150); execv ("/bin/echo", new[] { "echo", "another", null }); break;
		case "exits": Thread.Sleep (150); Environment.Exit (5); break;
		case "dies": Thread.Sleep (150); _exit (6); break;
		}
	}

	static Thread Start (string name, ThreadStart work)
	{
		var thread = new Thread (work) { Name = name, IsBackground = true };
		thread.Start ();
		return thread;
	}

	static int Main (string[] arguments)
	{
		string[] habits = arguments.Length > 0 ? arguments[0].Split (',') : new string[0];
		pause = arguments.Length > 1 ? int.Parse (arguments[1]) : 0;
		expected = Spin (1000);
		generated = Generate ();
		var threads = new List<Thread> { Start ("worker one", Work), Start ("worker two", Work) };
		threads.Add (Start ("sleeper", () => { while (!stops) Thread.Sleep (20); }));
		Console.WriteLine ("ready");
		if (Console.ReadLine () != null)
			foreach (string habit in habits)
				threads.Add (Start ("habit", () => Habit (habit)));
		while (Console.ReadLine () != null)
			hears = true;
		stops = true;
		foreach (var thread in threads)
			thread.Join ();
		Console.WriteLine (wrong == 0 ? "unharmed" : "harmed");
		return wrong == 0 ? 3 : 4;
	}
}
