// SPDX-License-Identifier: MIT
//
// il_programs.cs - shapes of code in which an inserted instruction in the wrong place shows: loops to the first
// instruction, regions that begin and end everywhere, filters, switches, iterators, calls with prefixes.
using System;
using System.Collections.Generic;

static class Program
{
	static int depth;

	static int Loop (int n)
	{
		int sum = 0;
		do {
			sum += n;
		} while (--n > 0);
		return sum;
	}

	static string Nested (int kind)
	{
		string trace = "";
		try {
			try {
				try {
					if (kind == 1)
						throw new InvalidOperationException ("one");
					if (kind == 2)
						throw new ArgumentException ("two");
					if (kind == 3)
						return trace + "returned";
					trace += "body ";
				} finally {
					trace += "finally ";
				}
			} catch (InvalidOperationException e) when (e.Message.Length == 3 && kind == 1) {
				trace += "filtered ";
			} catch (ArgumentException e) {
				trace += e.GetType ().Name + " ";
				if (kind == 2)
					throw new Exception ("again", e);
			}
		} catch (Exception e) {
			trace += e.Message + " ";
		} finally {
			depth++;
		}
		return trace + "end";
	}

	static int Switch (int i)
	{
		switch (i) {
		case 0: return 10;
		case 1: goto case 3;
		case 2: i += 5; break;
		case 3: return i * 2;
		case 5: return -1;
		}
		return i;
	}

	static string ByName (string name)
	{
		switch (name) {
		case "a": return "first";
		case "bb": return "second";
		case "ccc": return "third";
		case "dddd": return "fourth";
		case "eeeee": return "fifth";
		case "ffffff": return "sixth";
		case "ggggggg": return "seventh";
		default: return "none";
		}
	}

	static IEnumerable<int> Numbers (int count)
	{
		try {
			for (int i = 0; i < count; i++) {
				if (i % 3 == 2)
					continue;
				yield return i;
			}
		} finally {
			depth += 100;
		}
	}

	static string Name<T> (T value) where T : IComparable<T>
	{
		return value.CompareTo (default (T)) + typeof (T).Name + value.ToString ();
	}

	static long Locked (object o)
	{
		long total = 0;
		for (int i = 0; i < 5; i++)
			lock (o) {
				if (i == 3)
					continue;
				total += i;
			}
		return total;
	}

	static unsafe int Stack (int n)
	{
		int* values = stackalloc int[n];
		for (int i = 0; i < n; i++)
			values[i] = i * i;
		return values[n - 1];
	}

	static int Main ()
	{
		Console.WriteLine (Loop (10));
		for (int i = 0; i < 4; i++)
			Console.WriteLine (Nested (i));
		for (int i = -1; i < 7; i++)
			Console.Write (Switch (i) + " ");
		Console.WriteLine ();
		for (int i = 0; i < 9; i++)
			Console.Write (ByName (new string ((char)('a' + i - 1), i)) + " ");
		Console.WriteLine ();
		foreach (int i in Numbers (8))
			Console.Write (i + " ");
		Console.WriteLine (depth);
		Console.WriteLine (Name (7) + Name ("x") + Name (2.5));
		Console.WriteLine (Locked (new object ()) + " " + Stack (9));
		Func<int, Func<int, int>> add = a => b => a + b + depth;
		Console.WriteLine (add (1) (2));
		return 42;
	}
}
