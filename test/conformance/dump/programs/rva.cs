// SPDX-License-Identifier: MIT
// Fields with initial data in the image.
using System;

public static class Data
{
	public static readonly byte[] Bytes = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
	public static readonly int[] Ints = { 1, -2, 3, -4, 5, 0x7fffffff };
	public static readonly long[] Longs = { 1, long.MinValue, 3 };
	public static readonly double[] Doubles = { 1.5, -2.5, double.NaN };
	public static readonly char[] Chars = { 'a', 'b', 'c', 'd', 'é' };
	public static readonly short[,] Grid = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
	public static readonly ushort[] Same1 = { 1, 2, 3, 4, 5 };
	public static readonly ushort[] Same2 = { 1, 2, 3, 4, 5 };
	public static readonly bool[] Bools = { true, false, true, true, false };
	public static readonly string[] Texts = { "a", "b" };
}

public static class Program
{
	static int Local ()
	{
		int[] primes = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37 };
		int s = 0;
		foreach (int p in primes) s += p;
		return s;
	}
	static string Switch (string s)
	{
		switch (s)
		{
			case "one":
			return "1";
			case "two":
			return "2";
			case "three":
			return "3";
			case "four":
			return "4";
			case "five":
			return "5";
			case "six":
			return "6";
			case "seven":
			return "7";
			default:
			return "?";
		}
	}
	public static int Main ()
	{
		Console.WriteLine (Local () + Data.Bytes.Length + Data.Ints[5] + Data.Grid[2, 2] + Switch ("six"));
		return 0;
	}
}
