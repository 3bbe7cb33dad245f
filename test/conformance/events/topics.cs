// SPDX-License-Identifier: MIT
//
// topics.cs - one topic per run: what modules are told of it is compared between runtimes. Every topic makes the same
// events each time, whatever the machine is doing.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Token { }
class Finalised { public static int Count; ~Finalised () { Count++; } }
class Resurrected { public static Resurrected Back; ~Resurrected () { Back = this; } }

class Failure : Exception { public Failure (string text) : base (text) { } }
class OtherFailure : Failure { public OtherFailure () : base ("other") { } }

class Topics
{
	public static object sink;

	// --- collections ---

	static void Collections ()
	{
		for (int i = 0; i < 5; i++)
			GC.Collect ();
		for (int i = 0; i < 3; i++)
			GC.Collect (0);
		GC.Collect ();
	}

	// --- finalisation ---

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Drop ()
	{
		for (int i = 0; i < 20; i++)
			sink = new Finalised ();
		sink = new Resurrected ();
		sink = null;
	}

	static void Finalisation ()
	{
		var thread = new Thread (Drop); // its stack is gone with it
		thread.Start ();
		thread.Join ();
		for (int i = 0; i < 3; i++) {
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
		Console.WriteLine (Finalised.Count + " " + (Resurrected.Back != null));
		GC.KeepAlive (Resurrected.Back);
	}

	// --- monitors ---

	// Until the other one waits for it, or has given up.
	static void Hold (object token, Action<object> contender, bool gives_up)
	{
		var ready = new ManualResetEvent (false);
		Thread thread;
		lock (token) {
			thread = new Thread (() => { ready.Set (); contender (token); });
			thread.Start ();
			ready.WaitOne ();
			if (gives_up)
				thread.Join ();
			while (!gives_up && (thread.ThreadState & ThreadState.WaitSleepJoin) == 0)
				Thread.Sleep (1);
		}
		thread.Join ();
	}

	static void Enter (object token) { lock (token) sink = token; }
	static void Give_up (object token) { Console.WriteLine (Monitor.TryEnter (token, 20)); }
	static void Try (object token) { Console.WriteLine (Monitor.TryEnter (token)); }

	static void Monitors ()
	{
		var token = new Token ();
		lock (token) sink = token;
		Hold (token, Enter, false);
		Hold (token, Give_up, true);
		Hold (token, Try, true);
		Hold (token, Enter, false);
	}

	// --- handles ---

	static void Handles ()
	{
		var token = new Token ();
		foreach (GCHandleType type in new [] { GCHandleType.Normal, GCHandleType.Weak,
		         GCHandleType.WeakTrackResurrection, GCHandleType.Pinned, GCHandleType.Normal }) {
			GCHandle handle = GCHandle.Alloc (token, type);
			handle.Free ();
		}
		GCHandle a = GCHandle.Alloc (token), b = GCHandle.Alloc (token, GCHandleType.Weak);
		a.Free ();
		b.Free ();
	}

	// --- exceptions ---

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw (int kind)
	{
		switch (kind) {
		case 0: throw new Failure ("one");
		case 1: throw new OtherFailure ();
		case 2: throw new InvalidOperationException ("two");
		case 3: Nothing ().ToString (); break;
		case 4: sink = kind / (kind - 4); break;
		}
	}

	static object Nothing () { return null; }

	static void Exceptions ()
	{
		for (int kind = 0; kind < 5; kind++)
			try { Throw (kind); } catch (Exception) { }
		try {
			try { Throw (0); } finally { sink = null; }
		} catch (Failure) { }
		try {
			try { Throw (1); } catch (Failure) { throw; }
		} catch (Failure) { }
		try {
			try { Throw (0); } catch (Failure) { Throw (1); }
		} catch (Failure) { }
		try {
			try { Throw (0); } finally { try { Throw (2); } catch (InvalidOperationException) { } }
		} catch (Failure) { }
		var thread = new Thread (() => { try { Throw (1); } catch (Failure) { } });
		thread.Start ();
		thread.Join ();
	}

	// --- threads ---

	static void Threads ()
	{
		for (int i = 0; i < 3; i++) {
			var thread = new Thread (() => { sink = null; });
			thread.Name = "worker " + i;
			thread.Start ();
			thread.Join ();
		}
		var late = new Thread (() => { Thread.CurrentThread.Name = "named later \u00e9"; });
		late.Start ();
		late.Join ();
	}

	// --- loading ---

	static void Loading ()
	{
		string folder = System.IO.Path.GetDirectoryName (typeof (Topics).Assembly.Location);
		Assembly helper = Assembly.LoadFrom (System.IO.Path.Combine (folder, "events-helper.dll"));
		Console.WriteLine (helper.GetType ("Helper").GetMethod ("Answer").Invoke (null, null));
		try { Assembly.LoadFrom (System.IO.Path.Combine (folder, "absent.dll")); }
		catch (System.IO.FileNotFoundException) { }
	}

	static int Main (string [] args)
	{
		switch (args [0]) {
		case "collections": Collections (); break;
		case "finalisation": Finalisation (); break;
		case "monitors": Monitors (); break;
		case "handles": Handles (); break;
		case "exceptions": Exceptions (); break;
		case "threads": Threads (); break;
		case "loading": Loading (); break;
		case "nothing": break;
		}
		Console.WriteLine ("done");
		return 0;
	}
}
