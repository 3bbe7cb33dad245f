// SPDX-License-Identifier: MIT
// Loads itself again and again into contexts that are unloaded while its code is counted:
//   guest ROUNDS
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

static class Guest {
	static int Loop (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum += i % 3 == 0 ? 1 : 2;
		return sum;
	}

	public static int Work (int n)
	{
		int sum = 0;
		foreach (int m in Enumerable.Range (0, n))
			sum += Loop (m) + Box<string>.Size (m) + Box<int>.Size (m);
		return sum;
	}

	static class Box<T> {
		public static int Size (int n)
		{
			if (typeof (T) == typeof (int))
				return n;
			return 2 * n;
		}
	}

	// In frames of their own, so that nothing here keeps the context alive.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static WeakReference Round (ref int sum)
	{
		var context = new AssemblyLoadContext ("guest", isCollectible: true);
		Assembly assembly = context.LoadFromAssemblyPath (typeof (Guest).Assembly.Location);
		var work = assembly.GetType ("Guest").GetMethod ("Work").CreateDelegate<Func<int, int>> ();
		int here = 0;
		var thread = new Thread (() => here = work (40));
		thread.Start ();
		sum += work (50);
		context.Unload ();
		thread.Join ();
		sum += here;
		return new WeakReference (context);
	}

	static int Main (string[] args)
	{
		int rounds = int.Parse (args[0]), sum = Work (20);
		var contexts = new List<WeakReference> ();
		for (int i = 0; i < rounds; i++)
			contexts.Add (Round (ref sum));
		for (int tries = 0; tries < 100 && contexts.Exists (c => c.IsAlive); tries++) {
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
		Console.WriteLine ($"{sum} {contexts.Count (c => c.IsAlive)}");
		return 8;
	}
}
