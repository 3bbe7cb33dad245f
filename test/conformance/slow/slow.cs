// SPDX-License-Identifier: MIT
// Calls of all lengths, and what they were given. Of each call of Slow:Work it prints a line "NUMBER INSIDE OUTSIDE":
// nanoseconds by its own clock, between the first and the last line of the method and around the call. With "hang" it
// prints "ready" and waits for its end.
using System;
using System.Diagnostics;
using System.Threading;

enum Colour : byte { Red = 1, Green = 2, Blue = 200 }
[Flags] enum Bits { None = 0, One = 1, Two = 2, Big = 1 << 30 }
struct Pair { public int X; public string Y; public long Z; }
class Thing { }
class Special : Thing { }

static class Slow
{
	const int Threads = 4, Each = 500;
	static readonly long[] inside = new long[Threads * Each], outside = new long[Threads * Each];
	static volatile bool hanging;

	static long Now ()
	{
		return (long) (Stopwatch.GetTimestamp () * (1e9 / Stopwatch.Frequency));
	}

	static void Pass (int microseconds, bool busy)
	{
		if (!busy && microseconds >= 1000)
			Thread.Sleep (microseconds / 1000);
		else
			for (long end = Now () + microseconds * 1000L; Now () < end;)
				;
	}

	static long Work (int number, string text, double fraction, bool busy, Colour colour, Thing thing, Pair pair,
	                  int? maybe)
	{
		long begun = Now ();
		Pass (pair.X, busy);
		inside[number] = Now () - begun;
		return number * 1000L;
	}

	static void Worker (object which)
	{
		for (int i = 0; i < Each; i++) {
			int number = (int) which * Each + i;
			bool busy = i % 10 == 0;
			Pair pair = new Pair { X = busy ? 300 * (i / 10 % 15) : i % 2 == 0 ? 20 : i % 7 * 1000, Y = "y" };
			long begun = Now ();
			Work (number, "call " + number, number + 0.5, busy, i % 2 == 0 ? Colour.Red : Colour.Blue,
			      i % 3 == 0 ? new Special () : i % 3 == 1 ? new Thing () : null, pair,
			      i % 2 == 0 ? number : (int?) null);
			outside[number] = Now () - begun;
		}
	}

	static int Down (int depth)
	{
		if (depth > 0)
			return Down (depth - 1) + 1;
		Thread.Sleep (3);
		return 0;
	}

	static int Throws (string reason)
	{
		Thread.Sleep (3);
		throw new InvalidOperationException (reason);
	}

	static void Catches (string reason)
	{
		try {
			Throws (reason);
		} catch (InvalidOperationException) {
		}
	}

	static string Text (string text) { Thread.Sleep (3); return text; }
	static char Character (char c) { Thread.Sleep (3); return c; }
	static Colour Colours (Colour a, Bits b) { Thread.Sleep (3); return a; }
	static Thing Things (Thing thing, object boxed, int[] numbers) { Thread.Sleep (3); return thing; }
	static ulong Numbers (sbyte a, byte b, short c, ushort d, uint e, long f, ulong g, float h)
	{
		Thread.Sleep (3);
		return g;
	}
	static Pair Structs (Pair pair, DateTime when, Guid id, decimal money) { Thread.Sleep (3); return pair; }
	static long? Maybe (long? some, Colour? colour, IntPtr native, double number) { Thread.Sleep (3); return some; }
	static void References (ref int a, out string b) { Thread.Sleep (3); a++; b = "b"; }
	static T Generic<T> (T value) { Thread.Sleep (3); return value; }
	static int Many (int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
	{
		Thread.Sleep (3);
		return j;
	}

	static void Values ()
	{
		int number = 4;
		string text;
		Text ("a \"quoted\" \\ line\n\u00e9\u4e2d\U0001f600\u202e\u0000");
		Text (new string ('x', 1000));
		Text (null);
		Text ("");
		Character ('\'');
		Character ('\u00e9');
		Colours (Colour.Green, Bits.One | Bits.Two);
		Colours ((Colour) 77, Bits.Big);
		Things (new Special (), 5, new int[3]);
		Things (null, "boxed", null);
		Numbers (-1, 255, -32768, 65535, 4000000000, long.MinValue, ulong.MaxValue, 0.1f);
		Structs (new Pair (), new DateTime (2000, 1, 1), Guid.Empty, 1.5m);
		Maybe (7, Colour.Blue, (IntPtr) (-2), -1e300);
		Maybe (null, null, IntPtr.Zero, double.NaN);
		References (ref number, out text);
		Generic (5);
		Generic ("five");
		Many (0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	}

	static void Hang (int number, string why)
	{
		hanging = true;
		Thread.Sleep (Timeout.Infinite);
	}

	static void Main (string[] arguments)
	{
		if (arguments.Length > 0 && arguments[0] == "hang") {
			Text ("before");
			Thread.Sleep (20);
			Console.WriteLine ("ready");
			Hang (42, "for ever");
		}
		Thread[] threads = new Thread[Threads];
		for (int i = 0; i < Threads; i++) {
			threads[i] = new Thread (Worker) { Name = "worker " + i };
			threads[i].Start (i);
		}
		foreach (Thread thread in threads)
			thread.Join ();
		Down (5);
		Catches ("because");
		Values ();
		new Thread (() => Hang (43, "at the end")) { IsBackground = true }.Start ();
		while (!hanging)
			Thread.Yield ();
		Thread.Sleep (20);
		for (int i = 0; i < inside.Length; i++)
			Console.WriteLine ("{0} {1} {2}", i, inside[i], outside[i]);
	}
}
