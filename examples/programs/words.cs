// SPDX-License-Identifier: MIT
// A program with something to see in a profile: makes a text up, counts its words by their stems, prints the commonest.
using System;
using System.Collections.Generic;
using System.Linq;

sealed class Generator
{
	static readonly string[] roots = { "walk", "talk", "jump", "look", "play", "work", "rest" };
	static readonly string[] endings = { "", "s", "ed", "ing", "ings" };
	uint state = 12345;

	uint Next (int limit)
	{
		state = state * 1664525 + 1013904223;
		return (state >> 8) % (uint) limit;
	}

	public string Word ()
	{
		return roots[Next (roots.Length)] + endings[Next (endings.Length)];
	}
}

static class Stemmer
{
	static readonly string[] suffixes = { "ings", "ing", "ed", "s" };

	public static string Stem (string word)
	{
		foreach (string suffix in suffixes)
			if (word.EndsWith (suffix, StringComparison.Ordinal))
				return Stem (word.Substring (0, word.Length - suffix.Length));
		return word;
	}
}

sealed class Counter
{
	readonly Dictionary<string, int> counts = new Dictionary<string, int> ();

	public void Add (string word)
	{
		int count;
		counts.TryGetValue (word, out count);
		counts[word] = count + 1;
	}

	public IEnumerable<KeyValuePair<string, int>> Top (int limit)
	{
		return counts.OrderByDescending (Count).ThenBy (Word).Take (limit);
	}

	static int Count (KeyValuePair<string, int> pair)
	{
		return pair.Value;
	}

	static string Word (KeyValuePair<string, int> pair)
	{
		return pair.Key;
	}
}

static class Words
{
	static void Main (string[] args)
	{
		int words = args.Length > 0 ? int.Parse (args[0]) : 200000;
		foreach (var pair in Count (words).Top (3))
			Console.WriteLine ("{0} {1}", pair.Key, pair.Value);
	}

	static Counter Count (int words)
	{
		var generator = new Generator ();
		var counter = new Counter ();
		for (int i = 0; i < words; i++)
			counter.Add (Stemmer.Stem (generator.Word ()));
		return counter;
	}
}
