// SPDX-License-Identifier: MIT
// A program with a shape worth a picture: three pieces of work of different cost, one of them throwing now and then.
using System;
using System.Collections.Generic;

public static class Numbers
{
	public static int Fib (int n)
	{
		return n < 2 ? n : Fib (n - 1) + Fib (n - 2);
	}

	static bool IsPrime (int n)
	{
		for (int d = 2; d * d <= n; d++)
			if (n % d == 0)
				return false;
		return n > 1;
	}

	public static int CountPrimes (int limit)
	{
		int count = 0;
		for (int n = 0; n < limit; n++)
			if (IsPrime (n))
				count++;
		return count;
	}
}

public class Sorter<T> where T : IComparable<T>
{
	readonly T[] items;

	public Sorter (T[] items)
	{
		this.items = items;
	}

	void Swap (int i, int j)
	{
		T item = items[i];
		items[i] = items[j];
		items[j] = item;
	}

	int Partition (int low, int high)
	{
		T pivot = items[(low + high) / 2];
		while (low <= high) {
			while (items[low].CompareTo (pivot) < 0)
				low++;
			while (items[high].CompareTo (pivot) > 0)
				high--;
			if (low <= high)
				Swap (low++, high--);
		}
		return low;
	}

	public void Sort (int low, int high)
	{
		if (low >= high)
			return;
		int middle = Partition (low, high);
		Sort (low, middle - 1);
		Sort (middle, high);
	}
}

public static class Parser
{
	static int Parse (string text)
	{
		if (text.Length == 0)
			throw new FormatException ("empty");
		int value = 0;
		foreach (char c in text)
			value = value * 10 + (c - '0');
		return value;
	}

	public static int ParseAll (IEnumerable<string> texts)
	{
		int sum = 0;
		foreach (string text in texts) {
			try {
				sum += Parse (text);
			} catch (FormatException) {
				sum--;
			}
		}
		return sum;
	}
}

public static class Demo
{
	static int SortRandom (int count)
	{
		var items = new int[count];
		for (int i = 0; i < count; i++)
			items[i] = (int) ((i * 2654435761L) % 100003);
		new Sorter<int> (items).Sort (0, count - 1);
		return items[count / 2];
	}

	static IEnumerable<string> Texts (int count)
	{
		for (int i = 0; i < count; i++)
			yield return i % 50 == 0 ? "" : i.ToString ();
	}

	public static int Main (string[] args)
	{
		int n = args.Length > 0 ? int.Parse (args[0]) : 24;
		Console.WriteLine ("fib " + Numbers.Fib (n));
		Console.WriteLine ("primes " + Numbers.CountPrimes (n * 4000));
		Console.WriteLine ("median " + SortRandom (n * 5000));
		Console.WriteLine ("parsed " + Parser.ParseAll (Texts (n * 100)));
		return 0;
	}
}
