// SPDX-License-Identifier: MIT
//
// frames.cs - writes down frames of its own: token and native offset for the module, and what the runtime says of them.
//
//   frames.exe QUERIES
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

interface IShape { int Area (int scale); }

struct Square : IShape
{
	public int Side;
	[MethodImpl (MethodImplOptions.NoInlining)]
	int IShape.Area (int scale)
	{
		int area = Side * Side;
		Frames.Here ();
		return area * scale;
	}
}

class Base
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	public virtual string Name (string prefix)
	{
		Frames.Here ();
		return prefix + "base";
	}
}

class Derived : Base
{
	public override string Name (string prefix)
	{
		string own = "derived";
		for (int i = 0; i < 2; i++) {
			own += i;
			Frames.Here ();
		}
		return base.Name (prefix) + own;
	}

	public int this[int index] {
		[MethodImpl (MethodImplOptions.NoInlining)]
		get {
			Frames.Here ();

			return index * 2;
		}
	}
}

static class Frames
{
	static TextWriter queries;
	static readonly HashSet<string> seen = new HashSet<string> ();

	// The frames of this assembly above the caller's, the caller's first.
	[MethodImpl (MethodImplOptions.NoInlining)]
	public static void Here ()
	{
		foreach (var frame in new StackTrace (1, true).GetFrames ()) {
			MethodBase method = frame.GetMethod ();
			if (method == null || method.Module != typeof (Frames).Module)
				continue;
			string line = string.Format ("{0:x8} {1} {2} {3} {4}", method.MetadataToken, frame.GetNativeOffset (),
				frame.GetILOffset (), frame.GetFileLineNumber (), Path.GetFileName (frame.GetFileName () ?? "-"));
			if (seen.Add (line))
				queries.WriteLine (line);
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Branches (int value)
	{
		if (value > 3) {
			Here ();
			value++;
		} else {
			value--;
			Here ();
		}
		switch (value) {
		case 0: Here (); break;
		case 1: value += 2; Here (); break;
		default:
			Here ();
			break;
		}
		return value;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throws (string text)
	{
		Here ();
		throw new InvalidOperationException (
			text);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Handlers (string text)
	{
		int result = 0;
		try {
			Here ();
			Throws (text);
		} catch (InvalidOperationException e) {
			Here ();
			result += e.Message.Length;
		} finally {
			result++;
			Here ();
		}
		return result;
	}

	static IEnumerable<int> Numbers (int count)
	{
		for (int i = 0; i < count; i++) {
			Here ();
			yield return i;
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Many (long a, double b, byte c, string d)
	{
		long sum = 0;
		Here (); for (int i = 0; i < 3; i++) { sum += i; Here (); } Here ();
		sum += (long) b
			+ c
			+ Long (d);
		return sum;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Long (string text)
	{
		Here ();
		return text.Length;
	}

	static int Main (string[] args)
	{
		queries = new StreamWriter (args[0]);
		int total = Branches (1) + Branches (2) + Branches (7) + Handlers ("four");
		IShape shape = new Square { Side = 3 };
		total += shape.Area (2);
		Base derived = new Derived ();
		total += derived.Name ("p").Length + ((Derived) derived)[4];
		foreach (int number in Numbers (3))
			total += number;
		Func<int, int> lambda = x => {
			Here ();
			return x + 1;
		};
		total += lambda (1);
		total += (int) Many (1, 2.5, 3, "text");
		queries.Close ();
		Console.WriteLine (total);
		return total % 100;
	}
}
