// SPDX-License-Identifier: MIT
//
// load.cs - much at once: threads that allocate, throw, contend, make handles, compile, start and end others, load and
// unload. What it prints depends on the number of rounds only, whatever anybody does to its timing.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Failure : Exception { public Failure (string text) : base (text) { } }
class Finalised { public static int Made; public Finalised () { Interlocked.Increment (ref Made); } ~Finalised () { } }
class Token { public int Count; }

class Load
{
	static int rounds;
	[ThreadStatic] public static object sink;
	static readonly Token token = new Token ();

	// --- allocation ---

	static int Allocate ()
	{
		for (int i = 0; i < rounds; i++) {
			for (int k = 0; k < 40; k++)
				sink = new byte [k * 100];
			sink = new Finalised ();
			sink = "number " + i;
			if (i % 50 == 0)
				sink = new byte [200000];
			if (i % 100 == 0)
				GC.Collect (i / 100 % 3);
		}
		return rounds;
	}

	// --- exceptions ---

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Fall (int depth)
	{
		if (depth == 0)
			throw new Failure ("bottom");
		try {
			Fall (depth - 1);
		} finally {
			sink = null;
		}
	}

	static bool Wants (Failure e, bool answer) { return answer && e.Message.Length > 0; }

	static bool WantsAfterAll (Failure e)
	{
		try { Fall (1); } catch (Failure) { sink = e; }
		return true;
	}

	static int Throw ()
	{
		int caught = 0;
		for (int i = 0; i < rounds; i++) {
			try { Fall (i % 7); } catch (Failure) { caught++; }
			try {
				try { Fall (2); } catch (Failure e) when (Wants (e, i % 2 == 0)) { caught++; }
			} catch (Failure) {
				caught++;
			}
			try { Fall (1); } catch (Failure e) when (WantsAfterAll (e)) { caught++; }
			try {
				try { Fall (1); } catch (Failure) { throw; }
			} catch (Failure) {
				caught++;
			}
			try {
				try { Fall (1); } finally { Fall (0); }
			} catch (Failure) {
				caught++;
			}
			try {
				typeof (Load).GetMethod ("Reflected").Invoke (null, null);
			} catch (TargetInvocationException) {
				caught++;
			}
		}
		return caught;
	}

	public static void Reflected () { Fall (1); }

	// --- threads ---

	static int Threads ()
	{
		int ran = 0;
		for (int i = 0; i < rounds / 4; i++) {
			var threads = new Thread [4];
			for (int k = 0; k < threads.Length; k++) {
				threads [k] = new Thread (() => { sink = new object (); Interlocked.Increment (ref ran); });
				if (k % 2 == 0)
					threads [k].Name = "short " + k;
				threads [k].Start ();
			}
			foreach (Thread thread in threads)
				thread.Join ();
		}
		return ran;
	}

	// --- monitors ---

	// One wait for a lock, whatever the machine does meanwhile.
	static void Contest ()
	{
		var gate = new object ();
		var waits = new Thread (() => { lock (gate) passed++; });
		lock (gate) {
			waits.Start ();
			while ((waits.ThreadState & ThreadState.WaitSleepJoin) == 0)
				Thread.Sleep (1);
		}
		waits.Join ();
	}

	static int passed;

	static int Contend ()
	{
		Contest ();
		for (int i = 0; i < rounds; i++) {
			lock (token) {
				token.Count++;
				if (i % 16 == 0)
					Thread.Sleep (1);
				if (i % 64 == 0)
					Monitor.Wait (token, 1);
			}
			if (Monitor.TryEnter (token, i % 3))
				Monitor.Exit (token);
		}
		return rounds;
	}

	// --- handles ---

	static int Handles ()
	{
		var handles = new Queue<GCHandle> ();
		for (int i = 0; i < rounds * 8; i++) {
			object target = i % 4 == 3 ? (object) new byte [16] : new Token ();
			handles.Enqueue (GCHandle.Alloc (target, (GCHandleType) (i % 4)));
			if (handles.Count > 100)
				handles.Dequeue ().Free ();
		}
		while (handles.Count > 0)
			handles.Dequeue ().Free ();
		return rounds;
	}

	// --- compiling ---

	static int Compile ()
	{
		int sum = 0;
		for (int i = 0; i < rounds / 4; i++) {
			var method = new DynamicMethod ("made " + i, typeof (int), Type.EmptyTypes, typeof (Load).Module);
			ILGenerator il = method.GetILGenerator ();
			il.Emit (OpCodes.Ldc_I4, i);
			il.Emit (OpCodes.Ret);
			sum += ((Func<int>) method.CreateDelegate (typeof (Func<int>))) ();
		}
		return sum;
	}

	// --- loading and unloading ---

	static string helper;

	// Statics are the domain's: this one has its own.
	static void LoadHere ()
	{
		string folder = AppDomain.CurrentDomain.BaseDirectory;
		Assembly assembly = Assembly.LoadFrom (Path.Combine (folder, "events-helper.dll"));
		assembly.GetType ("Helper").GetMethod ("Answer").Invoke (null, null);
	}

	// The class library that this is compiled with knows no load contexts.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int LoadInContext (Type contexts)
	{
		object context = Activator.CreateInstance (contexts, new object [] { "one", true });
		MethodInfo load = contexts.GetMethod ("LoadFromAssemblyPath");
		var assembly = (Assembly) load.Invoke (context, new object [] { helper });
		var answer = (int) assembly.GetType ("Helper").GetMethod ("Answer").Invoke (null, null);
		contexts.GetMethod ("Unload").Invoke (context, null);
		return answer;
	}

	// The other runtime has no domains to make.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void LoadInDomain ()
	{
		AppDomain domain = AppDomain.CreateDomain ("one");
		domain.DoCallBack (LoadHere);
		AppDomain.Unload (domain);
	}

	// Mono itself does not survive some thousands of domains.
	const int most_domains = 200;
	static int domains;

	static int LoadAndUnload ()
	{
		Type contexts = Type.GetType ("System.Runtime.Loader.AssemblyLoadContext, System.Private.CoreLib");
		for (int i = 0; i < rounds / 20; i++) {
			if (contexts != null) {
				LoadInContext (contexts);
				GC.Collect ();
				GC.WaitForPendingFinalizers ();
			} else if (domains++ < most_domains) {
				LoadInDomain ();
			}
			try { Assembly.LoadFrom (helper + ".absent"); } catch (FileNotFoundException) { }
		}
		return rounds / 20;
	}

	// `load ROUNDS [SECONDS]`: once, or again and again for so long. Each time the same is to come out.
	static int Main (string [] args)
	{
		rounds = int.Parse (args [0]);
		var until = DateTime.UtcNow.AddSeconds (args.Length > 1 ? int.Parse (args [1]) : 0);
		helper = Path.Combine (Path.GetDirectoryName (typeof (Load).Assembly.Location), "events-helper.dll");
		var what = new Func<int> [] { Allocate, Allocate, Throw, Throw, Threads, Contend, Contend, Contend, Handles,
			Compile, LoadAndUnload };
		string first = All (what), last = first;
		while (DateTime.UtcNow < until && last == first)
			last = All (what);
		Console.Write (last);
		return 3;
	}

	static string All (Func<int> [] what)
	{
		var results = new int [what.Length];
		var threads = new Thread [what.Length];
		token.Count = Finalised.Made = 0;
		for (int i = 0; i < what.Length; i++) {
			int own = i;
			threads [i] = new Thread (() => results [own] = what [own] ());
			threads [i].Start ();
		}
		foreach (Thread thread in threads)
			thread.Join ();
		string text = "";
		for (int i = 0; i < what.Length; i++)
			text += what [i].Method.Name + " " + results [i] + "\n";
		return text + token.Count + " " + Finalised.Made + "\n";
	}
}
