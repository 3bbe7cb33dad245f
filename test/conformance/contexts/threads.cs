// SPDX-License-Identifier: MIT
//
// threads.cs - four threads call methods with objects that are new each time, while collections move them about. Each
// kind of call is told once; all come equally often.
using System;
using System.Runtime.InteropServices;
using System.Threading;

public struct G<T> { public T Value; public int Number; }

public class XThing {
	public int Id;
	public string Text;

	public string Take (string a, G<string> b, object c, ref string d)
	{
		if (Log.On) Log.E ("XThing.Take", Log.V (this), Log.V (a), Log.V (b), Log.V (c), Log.R (d));
		string before = a;
		a = b.Value + Id;
		b.Value = new string ('z', Id);
		c = new XThing { Id = Id + 1 };
		d = a;
		if (!Log.On)
			return before;
		Log.L ("XThing.Take", Log.V (this), Log.V (before), null, Log.V (a), Log.V (b), Log.V (c), Log.R (d));
		return before;
	}

	public static G<string> Give (int id, XThing thing)
	{
		if (Log.On) Log.E ("XThing.Give", null, Log.V (id), Log.V (thing));
		G<string> result = new G<string> { Value = thing.Text + id, Number = id };
		thing = null;
		if (Log.On) Log.L ("XThing.Give", null, Log.V (result), null, Log.V (id), Log.V (thing));
		return result;
	}

	[DllImport ("libc", SetLastError = true)] static extern int close (int fd);

	public static int Close (int fd)
	{
		if (Log.On) Log.E ("XThing.Close", null, Log.V (fd));
		int result = close (fd);
		if (Log.On) Log.L ("XThing.Close", null, Log.V (result), null, Log.V (fd));
		return result;
	}
}

public static class Threads {
	const int THREADS = 4, COLLECTIONS = 100, ROUNDS = 400, EBADF = 9;
	static int rounds, wrong;
	static volatile bool stops;

	static void Round ()
	{
		for (int i = 1; i < 9; i++) {
			XThing thing = new XThing { Id = i, Text = new string ((char) ('a' + i), i) };
			string text = "by reference " + i;
			G<string> given = XThing.Give (i, thing);
			string taken = thing.Take (new string ('x', i), given, new XThing { Id = 10 * i }, ref text);
			XThing.Close (-i);
			if (Marshal.GetLastWin32Error () != EBADF || taken.Length != i || text != given.Value + i)
				Interlocked.Increment (ref wrong);
		}
	}

	static void Rounds ()
	{
		for (; !stops; Interlocked.Increment (ref rounds))
			Round ();
	}

	public static void Main ()
	{
		Thread[] threads = new Thread[THREADS];
		Round ();
		Log.On = false;
		for (int i = 0; i < THREADS; i++) {
			threads[i] = new Thread (Rounds);
			threads[i].Start ();
		}
		for (int i = 0; i < COLLECTIONS || rounds < ROUNDS; i++)
			GC.Collect (i % 8 == 0 ? 2 : 0);
		stops = true;
		foreach (Thread thread in threads)
			thread.Join ();
		Log.Print ();
		Console.Error.WriteLine ("{0} rounds, {1} wrong", rounds + 1, wrong);
	}
}
