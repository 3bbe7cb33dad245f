// SPDX-License-Identifier: MIT
//
// awaits.cs - methods that the runtime suspends. Each segment has an enter and a leave: when a method is suspended its
// context shows nothing, and when it returns the result is what is in its task.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

/* An await of it suspends, always. */
public readonly struct Later : ICriticalNotifyCompletion {
	public Later GetAwaiter () { return this; }
	public bool IsCompleted { get { return false; } }
	public void GetResult () { }
	public void OnCompleted (Action what) { Task.Run (what); }
	public void UnsafeOnCompleted (Action what) { Task.Run (what); }
}

public struct Mixed {
	public long A;
	public string B;
	public double C;
}

/* What a method says of its segments: `self` and the arguments as they are then. */
public static class Told {
	public static void Begin (string method, string self, params string[] arguments)
	{
		if (Log.On)
			Log.E (method, self, arguments);
	}

	public static void Suspended (string method, int arguments)
	{
		string[] nothing = new string[arguments];
		Array.Fill (nothing, "NULL");
		if (Log.On)
			Log.L (method, null, "NULL", null, nothing);
	}

	public static void End (string method, string self, string result, params string[] arguments)
	{
		if (Log.On)
			Log.L (method, self, result, null, arguments);
	}
}

public struct XPoint {
	public int X;

	/* Its `this` is an address, which is not there any more when it is resumed. */
	public async Task<int> Twice (int n)
	{
		Told.Begin ("XPoint.Twice", Log.R (this), Log.V (n));
		int x = X;
		Told.Suspended ("XPoint.Twice", 1);
		await new Later ();
		Told.Begin ("XPoint.Twice", null, Log.V (n));
		Told.End ("XPoint.Twice", null, Log.V (2 * n + x), Log.V (n));
		return 2 * n + x;
	}
}

public class XAwait {
	public int Id = 1;

	async Task<int> Number (int n, string s)
	{
		Told.Begin ("XAwait.Number", "XAwait#1", Log.V (n), Log.V (s));
		Told.Suspended ("XAwait.Number", 2);
		await new Later ();
		Told.Begin ("XAwait.Number", "XAwait#1", Log.V (n), Log.V (s));
		n += 5;
		s = null;
		Told.End ("XAwait.Number", "XAwait#1", Log.V (n), Log.V (n), Log.V (s));
		return n;
	}

	/* Nothing is suspended, and so it is one segment. */
	static async ValueTask<double> Plain (double a, long b)
	{
		Told.Begin ("XAwait.Plain", null, Log.V (a), Log.V (b));
		await Task.CompletedTask;
		Told.End ("XAwait.Plain", null, Log.V (a + b), Log.V (a), Log.V (b));
		return a + b;
	}

	static async Task<Mixed> Struct (Mixed m, object o)
	{
		Told.Begin ("XAwait.Struct", null, Log.V (m), Log.V (o));
		Told.Suspended ("XAwait.Struct", 2);
		await new Later ();
		GC.Collect ();
		Told.Begin ("XAwait.Struct", null, Log.V (m), Log.V (o));
		m.B += "!";
		m.A++;
		Told.End ("XAwait.Struct", null, Log.V (m), Log.V (m), Log.V (o));
		return m;
	}

	static async ValueTask<T> Same<T> (T x, T y)
	{
		Told.Begin ("XAwait.Same", null, Log.V (x), Log.V (y));
		Told.Suspended ("XAwait.Same", 2);
		await new Later ();
		Told.Begin ("XAwait.Same", null, Log.V (x), Log.V (y));
		x = y;
		Told.End ("XAwait.Same", null, Log.V (x), Log.V (x), Log.V (y));
		return x;
	}

	/* Two are suspended, the inner one first. */
	async Task Outer (byte n)
	{
		Told.Begin ("XAwait.Outer", "XAwait#1", Log.V (n));
		string text = await Inner ("in");
		Told.Begin ("XAwait.Outer", "XAwait#1", Log.V (n));
		if (text != "in and out")
			throw new Exception (text);
		if (Log.On)
			Log.L ("XAwait.Outer", "XAwait#1", "NULL", null, Log.V (n));
	}

	static async Task<string> Inner (string s)
	{
		Told.Begin ("XAwait.Inner", null, Log.V (s));
		Told.Suspended ("XAwait.Inner", 1);
		Told.Suspended ("XAwait.Outer", 1);
		await new Later ();
		Told.Begin ("XAwait.Inner", null, Log.V (s));
		string result = s + " and out";
		Told.End ("XAwait.Inner", null, Log.V (result), Log.V (s));
		return result;
	}

	/* It is resumed in its handler, where a part of the arguments is as it was and a part is not. */
	static async Task<long> Catches (int n, string s)
	{
		Told.Begin ("XAwait.Catches", null, Log.V (n), Log.V (s));
		try {
			n = 3;
			await Fails ();
		} catch (InvalidOperationException) {
			Told.Begin ("XAwait.Catches", null, Log.V (n), Log.V (s));
			s = "caught";
		}
		Told.End ("XAwait.Catches", null, Log.V (4L), Log.V (n), Log.V (s));
		return 4;
	}

	static async Task Fails ()
	{
		Told.Begin ("XAwait.Fails", null);
		Told.Suspended ("XAwait.Fails", 0);
		Told.Suspended ("XAwait.Catches", 2);
		await new Later ();
		Told.Begin ("XAwait.Fails", null);
		throw new InvalidOperationException ();
	}

	async Task Run ()
	{
		int number = await Number (37, "text");
		double sum = await Plain (1.5, 2);
		Mixed mixed = await Struct (new Mixed { A = 1, B = "b", C = 0.5 }, "object");
		await Outer (7);
		long caught = await Catches (1, "s");
		if (await Same (1, 2) != 2 || await Same ("a", "b") != "b" || (await Same (mixed, mixed)).A != 2)
			throw new Exception ("not the same");
		int twice = await new XPoint { X = 3 }.Twice (4);
		if (number != 42 || sum != 3.5 || mixed.A != 2 || mixed.B != "b!" || caught != 4 || twice != 11)
			throw new Exception ("wrong");
	}

	public static int Main (string[] args)
	{
		MethodInfo method = typeof (XAwait).GetMethod ("Run", BindingFlags.NonPublic | BindingFlags.Instance);
		if (((int) method.MethodImplementationFlags & 0x2000) == 0)
			return 77;
		Log.E ("*XAwait.Main", null, Log.V (args));
		XAwait one = new XAwait ();
		int times = int.Parse (args[0]);
		for (int i = 0; i < times; i++) {
			one.Run ().GetAwaiter ().GetResult ();
			Log.On = false;
		}
		Log.On = true;
		Log.L ("*XAwait.Main", null, Log.V (0), null, Log.V (args));
		Log.Print ();
		return 0;
	}
}
