// SPDX-License-Identifier: MIT
//
// late.cs - does, again and again until standard input ends, what raises each event that a runtime may grant to who
// comes late. `late HELPER FOLDER`: a library to load and unload, and a folder for a file that is no image.
using System;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Finalised { ~Finalised () { } }
class Token { public Token Next; public byte [] Load = new byte [40]; }
class Small { public Small Next; }
class Holder<T> { public T Get () { return default (T); } }

static class Late
{
	static volatile bool stops;
	public static object sink;
	static readonly object door = new object ();

	static bool Wants (Exception e) { return e.Message.Length > 0; }

	static void Exceptions ()
	{
		try {
			try {
				throw new InvalidOperationException ("on purpose");
			} finally {
				sink = null;
			}
		} catch (InvalidOperationException e) when (Wants (e)) {
			sink = e;
		}
	}

	// The class library that this is compiled with knows no load contexts.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Load (string helper)
	{
		Type contexts = Type.GetType ("System.Runtime.Loader.AssemblyLoadContext, System.Private.CoreLib");
		object context = Activator.CreateInstance (contexts, new object [] { "one", true });
		MethodInfo load = contexts.GetMethod ("LoadFromAssemblyPath");
		var assembly = (Assembly) load.Invoke (context, new object [] { helper });
		sink = assembly.GetType ("Helper").GetMethod ("Answer").Invoke (null, null);
		Type holder = typeof (Holder<>).MakeGenericType (assembly.GetType ("Helper"));
		sink = Activator.CreateInstance (holder);
		sink = null;
		contexts.GetMethod ("Unload").Invoke (context, null);
	}

	static void Load_what_is_none (string file)
	{
		try { Assembly.LoadFrom (file); } catch (BadImageFormatException) { }
		try { Assembly.LoadFrom (file + ".absent"); } catch (FileNotFoundException) { }
	}

	public static int Same (int number) { return number; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Generate ()
	{
		var method = new DynamicMethod ("Generated", typeof (int), Type.EmptyTypes, typeof (Late).Module);
		ILGenerator il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Call, typeof (Late).GetMethod ("Same"));
		il.Emit (OpCodes.Ret);
		sink = ((Func<int>) method.CreateDelegate (typeof (Func<int>))) ();
	}

	static void Threads ()
	{
		var thread = new Thread (() => sink = new object ()) { Name = "brief" };
		thread.Start ();
		thread.Join ();
	}

	// One waits until it has the monitor, another gives up.
	static void Contend ()
	{
		var waiting = new Thread (() => { lock (door) { } });
		var giving_up = new Thread (() => { if (Monitor.TryEnter (door, 5)) Monitor.Exit (door); });
		lock (door) {
			waiting.Start ();
			giving_up.Start ();
			giving_up.Join ();
			while ((waiting.ThreadState & ThreadState.WaitSleepJoin) == 0)
				Thread.Sleep (1);
		}
		waiting.Join ();
	}

	static void Handles ()
	{
		for (int kind = 0; kind < 4; kind++)
			GCHandle.Alloc (kind == 3 ? (object) new byte [16] : new object (), (GCHandleType) kind).Free ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static Token Allocate ()
	{
		Token first = null;
		for (int i = 0; i < 2000; i++) {
			sink = new byte [100 + i % 50]; // garbage between them
			first = new Token { Next = first };
			sink = new Finalised ();
		}
		return first;
	}

	static void Collect ()
	{
		Token first = Allocate ();
		GC.Collect (2, GCCollectionMode.Forced, true, true);
		GC.WaitForPendingFinalizers ();
		GC.KeepAlive (first);
	}

	static int Main (string [] arguments)
	{
		string bad = Path.Combine (arguments [1], "text.dll");
		File.WriteAllText (bad, "this is no image at all");
		Small kept = null;
		for (int i = 0; i < 12345; i++)
			kept = new Small { Next = kept };
		Console.WriteLine ("ready");
		Console.ReadLine ();
		var work = new Thread (() => {
			while (!stops) {
				Exceptions ();
				Load (arguments [0]);
				Load_what_is_none (bad);
				Generate ();
				Threads ();
				Contend ();
				Handles ();
				Collect ();
			}
		});
		work.Start ();
		while (Console.ReadLine () != null) {
		}
		stops = true;
		work.Join ();
		GC.KeepAlive (kept);
		Console.WriteLine ("unharmed");
		return 3;
	}
}
