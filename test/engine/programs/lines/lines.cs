// SPDX-License-Identifier: MIT
//
// lines.cs - prints stack traces from many places of many bodies, with file, line and IL offset of each frame.
// No method of it may be inlined nor end in a call that can become a jump: a probe changes what the compiler does
// there, and with it the frames that are seen.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

static class Lines
{
	const MethodImplOptions Never = MethodImplOptions.NoInlining;

	[MethodImpl (Never)]
	static void Show (string title, StackTrace trace)
	{
		Console.WriteLine ("-- " + title);
		for (int i = 0; i < trace.FrameCount; i++) {
			var frame = trace.GetFrame (i);
			var method = frame.GetMethod ();
			if (method == null || method.Module != typeof (Lines).Module)
				continue;
			Console.WriteLine ("{0}.{1} IL_{2:x4} {3}:{4}:{5}", method.DeclaringType, method, frame.GetILOffset (),
				System.IO.Path.GetFileName (frame.GetFileName ()), frame.GetFileLineNumber (),
				frame.GetFileColumnNumber ());
		}
	}

	[MethodImpl (Never)]
	static void After () { }

	[MethodImpl (Never)]
	static T After<T> (T value) { return value; }

	[MethodImpl (Never)]
	static void Here (string title)
	{
		Show (title, new StackTrace (true));
		Console.WriteLine (Environment.StackTrace);
	}

	[MethodImpl (Never)]
	static int Throw (string text, int n)
	{
		if (n > 0)
			return Throw (text, n - 1)
				+ n;
		if (text == null)
			throw new ArgumentNullException (
				"text");
		object o = text.Length > 3 ? null : text;
		return o
			.GetHashCode ();
	}

	[MethodImpl (Never)]
	static void Catch (string title, Action action)
	{
		try {
			action ();
		} catch (Exception e) {
			Show (title, new StackTrace (e, true));
			Console.WriteLine (e);
		}
	}

	[MethodImpl (Never)]
	static int Long (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++) {
			switch (i) {
			case 0:
				sum += 1;
				break;
			case 1:
				Here ("case 1");
				break;
			case 2:
				try {
					Throw (null, 0);
				} catch (ArgumentNullException) {
					Here ("catch");
				} finally {
					Here ("finally");
				}
				break;
			default:
				foreach (int j in Enumerable.Range (0, 2))
					sum += j
						/ (n - 1 - i);
				break;
			}
		}
		return sum;
	}

	[MethodImpl (Never)]
	static void Rethrow (int how)
	{
		try {
			Throw ("long text", how);
		} catch (NullReferenceException e) {
			if (how == 0)
				throw;
			if (how == 1)
				throw e;
			throw new InvalidOperationException ("wrapped",
				e);
		} finally {
			if (how == 3)
				Throw (null,
					1);
		}
	}

	[MethodImpl (Never)]
	static T Generic<T> (T value, Func<T, int> f)
	{
		f (
			value);
		return value;
	}

	static IEnumerable<int> Iterator (int n)
	{
		for (int i = 0; i < n; i++)
			yield return 10
				/ (2 - i);
	}

	static async Task<int> Async (int n)
	{
		await Task.CompletedTask;
		if (n == 0)
			return Throw (null,
				1);
		return
			await Async (n - 1);
	}

	class Constructed
	{
		readonly int a = Throw ("a", 0);
		readonly int b = Throw (null, 0);
		[MethodImpl (Never)] public Constructed () { Console.WriteLine (a + b); }
		public int this[int i] { [MethodImpl (Never)] get { return i == 0 ? Throw (null, 0) : i; } }
		[MethodImpl (Never)] public Constructed (int n) : this () { After (); After (n); }
		[MethodImpl (Never)] public Constructed (string s) { a = b = s.Length; }
	}

	static void Main ()
	{
		for (int round = 0; round < 3; round++) {
			Here ("main");
			Catch ("recursion", () => After (Throw (null, 3)));
			Catch ("null", () => After (Throw ("long text", 1)));
			Catch ("long", () => After (Long (5)));
			for (int i = 0; i < 4; i++)
				Catch ("rethrow", () => { Rethrow (i); After (); });
			Catch ("generic", () => After (Generic ("x", x => After (Generic (x.Length,
				y => After (Throw (null, y)))))));
			Catch ("iterator", () => After (Iterator (3)
				.Where (i => i > 0)
				.Sum ()));
			Catch ("async", () => { Async (2)
				.Wait (); After (); });
			Catch ("constructor", () => After (new Constructed (1)));
			Catch ("indexer", () => After (new Constructed ("")[0]));
			Catch ("null string", () => After (new Constructed (null)));
		}
	}
}
