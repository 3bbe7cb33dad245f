// SPDX-License-Identifier: MIT
//
// seldom.cs - what few programs do, the topics that are asked for: methods made while it runs, what the runtime invokes
// by itself, objects that must move, files that are no images.
using System;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;

class Plain { public static int Value; static Plain () { Value = 1; } public static int Get () { return Value; } }
class Holder<T> { public static int Value; static Holder () { Value = 1; } public static int Get () { return Value; } }
class Broken
{
	public static int Value = 1;
	static Broken () { throw new InvalidOperationException ("broken"); }
	public static int Get () { return Value; }
}

class Target
{
	public Target () { }
	public Target (int number) { }
	public int Length (string text) { return text.Length; }
	public static int Add (int a, int b) { return a + b; }
	public static int Throw () { throw new InvalidOperationException ("thrown"); }
}

class Other<T> { public static T Same (T value) { return value; } }

class Token { public Token Next; public int Number; }

class Seldom
{
	public static object sink;

	// --- dynamic ---

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Make (int number)
	{
		Type [] takes = { typeof (int), typeof (string [,]), typeof (double).MakeByRefType () };
		var method = new DynamicMethod ("Own" + number, typeof (int), takes, typeof (Seldom).Module);
		ILGenerator il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4, number);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ret);
		double unused = 0;
		return ((Work) method.CreateDelegate (typeof (Work))) (number, null, ref unused);
	}

	delegate int Work (int number, string [,] table, ref double value);

	static void Make_some ()
	{
		for (int i = 0; i < 5; i++)
			Console.WriteLine (Make (i));
	}

	static void Dynamic ()
	{
		var thread = new Thread (Make_some); // its stack is gone with it
		thread.Start ();
		thread.Join ();
		for (int i = 0; i < 10; i++) {
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
	}

	// --- invocations ---

	static void Work_once () { sink = null; }

	static void Invocations ()
	{
		Plain.Get ();
		Holder<int>.Get ();
		Holder<string>.Get ();
		for (int i = 0; i < 3; i++)
			typeof (Target).GetMethod ("Add").Invoke (null, new object [] { i, 2 });
		typeof (Target).GetMethod ("Length").Invoke (sink = new Target (), new object [] { "text" });
		typeof (Other<int>).GetMethod ("Same").Invoke (null, new object [] { 1 });
		typeof (Target).GetConstructor (new [] { typeof (int) }).Invoke (new object [] { 1 });
		try { typeof (Target).GetMethod ("Throw").Invoke (null, null); } catch (TargetInvocationException) { }
		try { Broken.Get (); } catch (TypeInitializationException) { }
		var thread = new Thread (Work_once);
		thread.Start ();
		thread.Join ();
	}

	// --- moves ---

	static void Moves ()
	{
		for (int round = 0; round < 3; round++) {
			Token first = null;
			for (int i = 0; i < 2000; i++) {
				sink = new byte [100 + i % 50]; // garbage between them
				first = new Token { Next = first, Number = i };
			}
			GC.Collect (2, GCCollectionMode.Forced, true, true);
			int sum = 0;
			for (Token token = first; token != null; token = token.Next)
				sum += token.Number;
			Console.WriteLine (sum);
		}
	}

	// --- bad images ---

	static void Load (string file)
	{
		try {
			Assembly.LoadFrom (file);
		} catch (BadImageFormatException) {
			Console.WriteLine ("no image");
		} catch (FileNotFoundException) {
			Console.WriteLine ("no file");
		}
	}

	static void Bad_images (string folder)
	{
		string text = Path.Combine (folder, "text.dll"), half = Path.Combine (folder, "half.dll");
		byte [] all = File.ReadAllBytes (typeof (Seldom).Assembly.Location);
		Array.Resize (ref all, all.Length / 2);
		File.WriteAllText (text, "this is no image at all");
		File.WriteAllBytes (half, all);
		Load (text);
		Load (half);
		Load (Path.Combine (folder, "absent.dll"));
	}

	// --- filters that look at exceptions which have just been made, while objects move ---

	public static object kept;

	class Numbered : Exception { public int Number; public object [] Load = { new object () }; }

	static bool Is (Numbered e, int number) { return e.Load.Length == 1 && e.Load [0] != null && e.Number == number; }

	static bool Asked (int number)
	{
		try {
			throw new Numbered { Number = number };
		} catch (Numbered e) when (Is (e, -1)) {
			return false;
		} catch (Numbered e) when (Is (e, number)) {
			return Is (e, number);
		}
	}

	static void Filters ()
	{
		bool over = false;
		int right = 0;
		var collector = new Thread (() => {
			while (!Volatile.Read (ref over)) {
				for (int i = 0; i < 1000; i++)
					kept = new byte [100];
				GC.Collect (0);
			}
		});
		collector.Start ();
		for (int i = 0; i < 100; i++) {
			kept = new byte [1000];
			right += Asked (i) ? 1 : 0;
		}
		Volatile.Write (ref over, true);
		collector.Join ();
		Console.WriteLine (right);
	}

	static int Main (string [] args)
	{
		for (int i = 1; i < args.Length; i++)
			switch (args [i]) {
			case "dynamic": Dynamic (); break;
			case "invocations": Invocations (); break;
			case "moves": Moves (); break;
			case "bad-images": Bad_images (args [0]); break;
			case "filters": Filters (); break;
			}
		Console.WriteLine ("done");
		return 0;
	}
}
