// SPDX-License-Identifier: MIT
// What is loaded and unloaded: every kind of thing that a record is made of, and code that runs all of it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Guest {

public struct Point {
	public int X, Y;

	public Point (int x, int y) { X = x; Y = y; }

	public static Point operator + (Point a, Point b) => new Point (a.X + b.X, a.Y + b.Y);
}

public enum Colour : short { Red, Green = 7 }

public interface IShape { int Area { get; } }

public abstract class Shape : IShape {
	public abstract int Area { get; }

	public event Action<Point> Moved;

	public virtual void Move (Point by) => Moved?.Invoke (by);

	public class Box : Shape {
		readonly Point size;
		public Box (Point size) { this.size = size; }
		public override int Area => size.X * size.Y;
	}
}

public class Cell<T> {
	public static int Made;
	public T Value;

	public Cell (T value) { Value = value; Made++; }

	public Cell<U> Map<U> (Func<T, U> function) => new Cell<U> (function (Value));

	public class Inner<U> {
		public KeyValuePair<T, U> Pair;
		public int Count (T[] list, U[,] table, ref int sum) => sum += list.Length + table.Length;
	}
}

public static class Generic {
	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Size<T, U> (T first, U second) => (first == null ? 0 : 1) + (second == null ? 0 : 2);
}

public static class Entry {
	static readonly Dictionary<Colour, Point> table = new Dictionary<Colour, Point> ();
	static int sum;

	static int Fails (int depth)
	{
		if (depth == 0)
			throw new InvalidOperationException ("guest");
		try {
			return Fails (depth - 1) + 1;
		} finally {
			sum++;
		}
	}

	static IEnumerable<Point> Points (int count)
	{
		for (int i = 0; i < count; i++)
			yield return new Point (i, 2 * i);
	}

	static int Generics ()
	{
		int total = 0;
		var inner = new Cell<Point>.Inner<string> ();
		inner.Count (new Point[3], new string[2, 2], ref total);
		total += new Cell<string> ("a").Map (s => new Point (s.Length, 1)).Value.X;
		total += new Cell<Point> (new Point (3, 4)).Map (p => p.X.ToString ()).Value.Length;
		total += Generic.Size (new Point (), "b") + Generic.Size ("c", "d");
		total += Generic.Size<object, Colour> (null, Colour.Red);
		return total;
	}

	public static int Run (int round)
	{
		sum = 0;
		var list = new List<Point> (Points (5));
		list.Add (list.Aggregate ((a, b) => a + b));
		table[Colour.Green] = list[list.Count - 1];
		Shape box = new Shape.Box (table[Colour.Green]);
		box.Moved += p => sum += p.X;
		box.Move (new Point (round % 2, 0));
		try {
			sum += Fails (3);
		} catch (InvalidOperationException) {
			sum += 100;
		}
		return sum - round % 2 + box.Area + Generics ();
	}
}

}
