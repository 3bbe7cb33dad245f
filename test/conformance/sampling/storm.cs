// SPDX-License-Identifier: MIT
//
// storm.cs - everything at once that could meet a sample at a bad moment, for a number of seconds: `storm SECONDS
// [PART,PART...]`. Each part counts its rounds and finds out by itself when something is wrong; one that stands still
// for long ends the program with 9. The counts go to stdout, what is wrong to stderr.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Failure : Exception { }

class Storm
{
	[DllImport ("libc", SetLastError = true)] static extern int poll (IntPtr fds, IntPtr count, int milliseconds);
	[DllImport ("libc")] static extern IntPtr malloc (IntPtr size);
	[DllImport ("libc")] static extern void free (IntPtr block);
	[DllImport ("libdl.so.2")] static extern IntPtr dlopen (string path, int flags);
	[DllImport ("libdl.so.2")] static extern int dlclose (IntPtr library);

	const int EINTR = 4;
	static volatile bool over;
	static int wrong;
	static string nothing = null;
	[ThreadStatic] public static object sink;

	static void Check (bool good, string what)
	{
		if (good)
			return;
		if (Interlocked.Increment (ref wrong) < 10)
			Console.Error.WriteLine ("wrong: " + what);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Fault (int depth)
	{
		return depth == 0 ? nothing.Length : Fault (depth - 1) + 1;
	}

	static void Faults ()
	{
		for (int i = 0; i < 20; i++) {
			bool caught = false;
			try { Fault (i % 4); } catch (NullReferenceException) { caught = true; }
			Check (caught, "a NullReferenceException came to nobody");
		}
	}

	static int zero = 0;

	static void Divide ()
	{
		int caught = 0;
		try { sink = 1 / zero; } catch (DivideByZeroException) { caught++; }
		try { Throw (5); } catch (Failure) { caught++; }
		try { try { Throw (1); } finally { caught++; } } catch (Failure) { caught++; }
		Check (caught == 4, "an exception was lost");
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw (int depth)
	{
		if (depth == 0)
			throw new Failure ();
		Throw (depth - 1);
	}

	static void Allocate ()
	{
		var list = new List<byte []> ();
		for (int k = 0; k < 400; k++)
			list.Add (new byte [k * 40 + 8]);
		sink = list;
		Check (list.Sum (a => a.Length) == 400 * 8 + 40 * 399 * 200, "an array lost its length");
	}

	static int collections;

	static void Collect ()
	{
		GC.Collect (collections++ % 3);
		Thread.Sleep (5);
	}

	static void Threads ()
	{
		int ran = 0;
		var threads = new Thread [4];
		for (int k = 0; k < threads.Length; k++) {
			threads [k] = new Thread (() => {
				int sum = 0;
				for (int i = 0; i < 20000; i++)
					sum += i * i;
				sink = sum;
				Interlocked.Increment (ref ran);
			});
			threads [k].Start ();
		}
		foreach (Thread thread in threads)
			thread.Join ();
		Check (ran == 4, "a thread did not run");
	}

	static void Pool ()
	{
		using (var done = new CountdownEvent (8)) {
			for (int i = 0; i < 8; i++)
				ThreadPool.QueueUserWorkItem (state => { Allocate (); done.Signal (); });
			done.Wait ();
		}
	}

	static int compiled;

	static void Compile ()
	{
		int number = ++compiled;
		var method = new DynamicMethod ("made " + number, typeof (int), new [] { typeof (int) }, typeof (Storm).Module);
		ILGenerator il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4, number);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ret);
		var made = (Func<int, int>) method.CreateDelegate (typeof (Func<int, int>));
		int sum = 0;
		for (int i = 0; i < 200; i++)
			sum += made (i);
		Check (sum == 200 * number + 199 * 100, "a dynamic method counts wrongly");
	}

	// Collectible code comes and goes.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Load ()
	{
		Type contexts = Type.GetType ("System.Runtime.Loader.AssemblyLoadContext, System.Private.CoreLib");
		if (contexts == null)
			return;
		string helper = Path.Combine (Path.GetDirectoryName (typeof (Storm).Assembly.Location), "storm-helper.dll");
		object context = Activator.CreateInstance (contexts, new object [] { "one", true });
		MethodInfo load = contexts.GetMethod ("LoadFromAssemblyPath");
		var assembly = (Assembly) load.Invoke (context, new object [] { helper });
		MethodInfo answer = assembly.GetType ("Helper").GetMethod ("Answer");
		for (int i = 0; i < 50; i++)
			Check ((int) answer.Invoke (null, null) == 42, "a collectible method answers wrongly");
		contexts.GetMethod ("Unload").Invoke (context, null);
	}

	static void Malloc ()
	{
		var blocks = new IntPtr [64];
		for (int i = 0; i < 2000; i++) {
			free (blocks [i % 64]);
			blocks [i % 64] = malloc ((IntPtr) (i * 37 % 5000 + 1));
		}
		foreach (IntPtr block in blocks)
			free (block);
	}

	static readonly string [] libraries = { "libz.so.1", "libm.so.6", "libresolv.so.2", "libutil.so.1" };
	static int opened;

	static void Open ()
	{
		IntPtr library = dlopen (libraries [opened++ % libraries.Length], 2);
		if (library != IntPtr.Zero)
			dlclose (library);
	}

	static void Children ()
	{
		using (Process child = Process.Start (new ProcessStartInfo ("/bin/echo", "child") {
			UseShellExecute = false, RedirectStandardOutput = true })) {
			string said = child.StandardOutput.ReadToEnd ();
			child.WaitForExit ();
			Check (said == "child\n" && child.ExitCode == 0, "a child ended with " + child.ExitCode);
		}
	}

	static int interrupted;

	static void Wait ()
	{
		if (poll (IntPtr.Zero, IntPtr.Zero, 1) < 0 && Marshal.GetLastWin32Error () == EINTR)
			Interlocked.Increment (ref interrupted);
	}

	static readonly object token = new object ();
	static int held;

	static void Contend ()
	{
		for (int i = 0; i < 200; i++)
			lock (token) {
				Check (++held == 1, "two threads have the lock");
				held--;
			}
		Thread.Yield ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Deep (int depth)
	{
		return depth == 0 ? 1 : Deep (depth - 1) + 1;
	}

	// Ends a few kilobytes above the end of the stack, where a signal still has to find its place.
	static void Recurse ()
	{
		var thread = new Thread (() => Check (Deep (1500) == 1501, "recursion counts wrongly"), 256 * 1024);
		thread.Start ();
		thread.Join ();
	}

	static readonly Action [] parts = { Faults, Faults, Divide, Allocate, Collect, Threads, Pool, Compile, Load, Malloc,
		Open, Children, Wait, Contend, Contend, Recurse };

	static bool StandsStill (long [] rounds, long [] before, string [] names)
	{
		for (int i = 0; i < rounds.Length; i++)
			if (Volatile.Read (ref rounds [i]) == before [i]) {
				Console.Error.WriteLine ("wrong: " + names [i] + " stands still");
				return true;
			}
		return false;
	}

	static int Main (string [] args)
	{
		int seconds = int.Parse (args [0]);
		Action [] chosen = args.Length > 1
			? parts.Where (p => args [1].Split (',').Contains (p.Method.Name)).ToArray () : parts;
		string [] names = chosen.Select (p => p.Method.Name).ToArray ();
		var rounds = new long [chosen.Length];
		var threads = new List<Thread> ();
		for (int i = 0; i < chosen.Length; i++) {
			int own = i;
			var thread = new Thread (() => {
				while (!over) {
					chosen [own] ();
					Interlocked.Increment (ref rounds [own]);
				}
			}) { IsBackground = true };
			threads.Add (thread);
			thread.Start ();
		}
		var clock = Stopwatch.StartNew ();
		var before = new long [chosen.Length];
		for (int next = 60; clock.Elapsed.TotalSeconds < seconds; Thread.Sleep (50))
			if (clock.Elapsed.TotalSeconds > next) {
				if (StandsStill (rounds, before, names))
					Environment.Exit (9);
				Array.Copy (rounds, before, rounds.Length);
				next += 60;
			}
		over = true;
		foreach (Thread thread in threads)
			if (!thread.Join (60000)) {
				Console.Error.WriteLine ("wrong: a thread does not end");
				Environment.Exit (9);
			}
		for (int i = 0; i < chosen.Length; i++)
			Console.WriteLine (names [i] + "\t" + rounds [i]);
		Console.WriteLine ("interrupted\t" + interrupted);
		return wrong == 0 ? 3 : 8;
	}
}
