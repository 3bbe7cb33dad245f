// SPDX-License-Identifier: MIT
// Arrays of every rank and nesting.
using System;
using System.Collections.Generic;

public struct Point { public int X, Y; }
public enum Suit { Clubs, Hearts }

public class Grid<T>
{
	public T[] Line;
	public T[,] Plane;
	public T[,,] Cube;
	public T[][,] Planes;
	public T[,][] Lines;
	public Grid<T[]>[] Grids;
}

public static class Program
{
	public static int[] One (int[] a) { return a; }
	public static int[,] Two (int[,] a) { return a; }
	public static int[,,] Three (int[,,] a) { return a; }
	public static int[,,,,,,,] Eight (int[,,,,,,,] a) { return a; }
	public static int[][] Jagged (int[][] a, int[][][] b, int[][][][][] c) { return a; }
	public static int[,][] Mixed (int[,][] a, int[][,] b, int[,][,,][] c, int[][,,][][,] d) { return a; }
	public static void Elements (string[,] a, object[][] b, Point[,,] c, Suit[][,] d, List<int[]>[] e,
		Dictionary<string[,], int[][]>[,] f, Grid<Point[]>[] g)
	{
	}
	public static void References (ref int[] a, ref int[,] b, out int[][] c, out Point[,][] d)
	{
		c = null;
		d = null;
	}
	public static void Any (Array a, IList<int[]> b, IEnumerable<Point[,]> c, params object[][] d) { }
	public static T[,] Make<T> (T[] a, T[,,] b, T[][][] c) { return new T[2, 2]; }
	public static int Main ()
	{
		int[,] two = { { 1, 2 }, { 3, 4 } };
		int[][] jagged = { new[] { 1 }, new[] { 2, 3 } };
		var bounded = Array.CreateInstance (typeof (int), new[] { 2 }, new[] { 5 });
		var grid = new Grid<Point> { Line = new Point[1], Plane = new Point[1, 1], Cube = new Point[1, 1, 1] };
		bounded.SetValue (9, 6);
		Console.WriteLine (Two (two)[1, 1] + Jagged (jagged, null, null)[1][1] + (int) bounded.GetValue (6)
			+ grid.Line.Length + Make<int> (null, null, null).Length);
		return 0;
	}
}
