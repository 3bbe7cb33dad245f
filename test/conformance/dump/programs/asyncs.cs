// SPDX-License-Identifier: MIT
// Async methods, which compilers turn into structs.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

public class Worker<T>
{
	public async Task<T> Echo (T t) { await Task.Yield (); return t; }
	public async Task<List<U>> Both<U> (Task<U> a, T t) where U : class
	{
		var l = new List<U> ();
		l.Add (await a);
		return l;
	}
}

public static class Program
{
	static async Task Plain () { await Task.Delay (1); }
	static async Task<int> Sum (params Task<int>[] tasks)
	{
		int s = 0;
		foreach (var t in tasks) s += await t;
		return s;
	}
	static async Task<string> Guarded (bool fail)
	{
		try { await Plain (); if (fail) throw new InvalidOperationException ("x"); return "ok"; }
		catch (InvalidOperationException e) { return e.Message; }
		finally { Console.WriteLine ("finally"); }
	}
	static async void Forget () { await Plain (); }
	static Func<Task<int>> Lambda (int n) { return async () => { await Plain (); return n; }; }
	public static int Main ()
	{
		Forget ();
		Console.WriteLine (Sum (new Worker<int> ().Echo (3), Lambda (4) ()).Result + Guarded (false).Result
			+ Guarded (true).Result);
		Console.WriteLine (new Worker<int> ().Both (new Worker<string> ().Echo ("a"), 1).Result.Count);
		return 0;
	}
}
