// SPDX-License-Identifier: MIT
// Loads and unloads a collectible assembly, from its file and from memory in turn:
//   unload ROUNDS GUEST [BATCH]
// Prints the sum of what the guest answered, and at ten times "sample ROUND MALLOC RSS", the bytes that malloc has
// handed out and those of the process.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Loader;

static class Unload {
	struct MallocInfo {
		public nint Arena, OrdBlocks, SmBlocks, HBlocks, HBlkHd, UsmBlks, FsmBlks, UordBlks, FordBlks, KeepCost;
	}

	[DllImport ("libc")] static extern MallocInfo mallinfo2 ();

	// In frames of their own, so that nothing here keeps the context alive.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Round (int round, string path, byte[] bytes, out WeakReference context)
	{
		var guest = new AssemblyLoadContext ("guest" + round, isCollectible: true);
		var assembly = round % 2 == 0 ? guest.LoadFromAssemblyPath (path)
			: guest.LoadFromStream (new MemoryStream (bytes));
		var run = assembly.GetType ("Guest.Entry").GetMethod ("Run").CreateDelegate<Func<int, int>> ();
		int result = run (round);
		context = new WeakReference (guest);
		guest.Unload ();
		return result;
	}

	static int Alive (List<WeakReference> contexts)
	{
		contexts.RemoveAll (c => !c.IsAlive);
		return contexts.Count;
	}

	static void Collect (List<WeakReference> contexts)
	{
		for (int tries = 0; tries < 50 && Alive (contexts) > 0; tries++) {
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
	}

	static void Sample (int round)
	{
		MallocInfo info = mallinfo2 ();
		long pages = long.Parse (File.ReadAllText ("/proc/self/statm").Split (' ')[1]);
		Console.WriteLine ($"sample {round} {info.UordBlks + info.HBlkHd} {pages * 4096}");
	}

	static int Main (string[] args)
	{
		int rounds = int.Parse (args[0]), batch = args.Length > 2 ? int.Parse (args[2]) : 20;
		byte[] bytes = File.ReadAllBytes (args[1]);
		var contexts = new List<WeakReference> ();
		long sum = 0;
		for (int round = 0; round < rounds; round++) {
			sum += Round (round, args[1], bytes, out var context);
			contexts.Add (context);
			if (round % batch == batch - 1)
				Collect (contexts);
			if (round % (rounds / 10) == rounds / 10 - 1)
				Sample (round + 1);
		}
		Collect (contexts);
		Console.WriteLine ($"{rounds} rounds, sum {sum}, {contexts.Count} contexts left");
		return contexts.Count == 0 ? 0 : 1;
	}
}
