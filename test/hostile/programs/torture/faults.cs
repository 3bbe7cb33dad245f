// SPDX-License-Identifier: MIT
//
// faults.cs - exceptions by the thousand: of the hardware, out of filters, through async methods, off deep stacks.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

static class Faults
{
	sealed class Node
	{
		public Node Next;
		public int Value;
	}

	sealed class FilterBoom : Exception
	{
	}

	const int Megabyte = 1 << 20;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Value (Node node)
	{
		return node.Next.Value;
	}

	static int NullStorm (int rounds)
	{
		var node = new Node ();
		int caught = 0;
		for (int i = 0; i < rounds; i++) {
			try {
				Value (node);
			} catch (NullReferenceException) {
				caught += Torture.One (i);
			}
		}
		return caught;
	}

	static int NullReferences ()
	{
		int caught = 0;
		Torture.InParallel (4, n => Interlocked.Add (ref caught, NullStorm (Torture.Of (1000))));
		Console.WriteLine ("caught " + caught);
		return 0;
	}

	// Chains of objects that survive a few collections, so that there is something to move and to promote.
	static int Allocate (int rounds)
	{
		Node list = null;
		int kept = 0;
		for (int i = 0; i < rounds; i++) {
			list = new Node { Next = i % 100 == 0 ? null : list, Value = Torture.Leaf (i) };
			kept += list.Next == null ? 1 : 0;
		}
		return kept;
	}

	static int CollectionStorm ()
	{
		int kept = 0;
		int rounds = Torture.Of (20000);
		Torture.UnderCollections (() => Torture.InParallel (4, n => Interlocked.Add (ref kept, Allocate (rounds))));
		Console.WriteLine ("kept " + kept);
		return 0;
	}

	static int BothStorms ()
	{
		int caught = 0;
		Torture.UnderCollections (() => Torture.InParallel (4, n => {
			Interlocked.Add (ref caught, NullStorm (Torture.Of (200)));
			Torture.ThrowAndCatch (Torture.Of (200));
		}));
		Console.WriteLine ("caught " + caught);
		return 0;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool BadFilter ()
	{
		throw new FilterBoom ();
	}

	static int Filtered (int n)
	{
		try {
			return Torture.Throw (n % 4);
		} catch (Boom) when (BadFilter ()) {
			return 1000000;
		} finally {
			Torture.Leaf (n);
		}
	}

	static int ThrowingFilters ()
	{
		int caught = 0;
		for (int i = 0; i < Torture.Of (1000); i++) {
			try {
				Filtered (i);
			} catch (Boom) {
				caught++;
			}
		}
		Console.WriteLine ("caught " + caught);
		return 0;
	}

	static int Descend (int depth, bool throws)
	{
		if (depth > 0)
			return Torture.One (depth) + Descend (depth - 1, throws);
		GC.Collect ();
		if (throws)
			throw new Boom ("from below");
		return 0;
	}

	static int DeepStack ()
	{
		string text = "";
		Torture.InParallel (1, n => {
			text = "reached " + Descend (Torture.Of (100000), false);
			try {
				Descend (Torture.Of (10000), true);
			} catch (Boom) {
				text += ", caught";
			}
		}, 256 * Megabyte);
		Console.WriteLine (text);
		return 0;
	}

	// How often it is thrown on its way through tasks is the runtime's choice.
	sealed class LateBoom : Exception
	{
	}

	static async Task<int> AsyncThrow (int depth)
	{
		await Task.Yield ();
		Torture.Leaf (depth);
		if (depth == 0)
			throw new LateBoom ();
		return await AsyncThrow (depth - 1) + 1;
	}

	static async Task<int> AsyncCatch (int rounds)
	{
		int caught = 0;
		for (int i = 0; i < rounds; i++) {
			try {
				await AsyncThrow (3);
			} catch (LateBoom) {
				caught++;
			}
		}
		return caught;
	}

	static int AsyncExceptions ()
	{
		var tasks = new Task<int>[4];
		for (int i = 0; i < tasks.Length; i++)
			tasks[i] = AsyncCatch (Torture.Of (100));
		Task.WaitAll (tasks);
		int caught = 0;
		foreach (Task<int> task in tasks)
			caught += task.Result;
		Console.WriteLine ("caught " + caught);
		return 0;
	}

	public static readonly Func<int>[] Programs = {
		NullReferences, CollectionStorm, BothStorms, ThrowingFilters, DeepStack, AsyncExceptions
	};
}
