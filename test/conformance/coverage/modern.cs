// SPDX-License-Identifier: MIT
// What .NET 8 and later know. Marked as classic.cs is.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

static class Values {
	static async ValueTask<int> Value (bool late)
	{
		if (M.If (late))
			await Task.Yield ();
		return M.V (2);
	}

	[AsyncMethodBuilder (typeof (PoolingAsyncValueTaskMethodBuilder<>))]
	static async ValueTask<int> Pooled (int n)
	{
		M.L ();
		await Task.Yield ();
		return M.V (n);
	}

	public static void Run ()
	{
		M.L (); Console.WriteLine (Value (true).AsTask ().Result + Value (false).Result);
		for (int i = 0; M.If (i < 3); i++)
			M.V (Pooled (i).AsTask ().Result);
	}
}

static class Streams {
	sealed class Owned : IAsyncDisposable {
		public async ValueTask DisposeAsync ()
		{
			M.L ();
			await Task.Yield ();
			M.L ();
		}
	}

	static async IAsyncEnumerable<int> Numbers (int n, [EnumeratorCancellation] CancellationToken stop = default)
	{
		try {
			for (int i = 0; M.If (i < n); i++) {
				M.L ();
				await Task.Yield ();
				yield return M.V (i);
				M.L ();
			}
		} finally {
			M.L ();
			await Task.Yield ();
		}
	}

	static async Task All ()
	{
		int sum = 0;
		await foreach (int n in Numbers (3)) //= 1:3
			M.V (sum += n);
		await foreach (int n in Numbers (9).ConfigureAwait (false)) { //= 0:2
			if (M.If (n == 1))
				break;
			M.V (sum += n);
		}
		await using (new Owned ()) {
			M.L ();
			await Task.Yield ();
		}
		await using var last = M.V (new Owned ());
		M.L (); Console.WriteLine (sum);
	}

	public static void Run ()
	{
		M.L (); All ().Wait ();
	}
}

static class Spans {
	static int Sum (ReadOnlySpan<int> numbers)
	{
		int sum = 0;
		foreach (int n in numbers) //= 2:7
			M.V (sum += n);
		return M.V (sum);
	}

	static string Shape (int[] numbers)
	{
		return M.V ("") + numbers switch { //= none
			[] => M.V ("none"),
			[var one] => M.V ("one " + one),
			[1, .., var last] => M.V ("ends with " + last),
			[..] => M.V ("some"),
		};
	}

	public static void Run ()
	{
		Span<int> few = stackalloc int[] { 1, 2, 3 };
		List<int> list = [.. few, 4, .. Enumerable.Range (5, M.V (2))]; //= any
		M.L (); Console.WriteLine (Sum (few) + Sum ([1, 2, 3, 4]));
		M.L (); Console.WriteLine (Shape ([]) + Shape ([3]) + Shape ([1, 2, 9]) + Shape ([2, 2]));
		M.L (); Console.WriteLine (list[^1] + list.ToArray ()[1..3][0]);
		M.L (); Console.WriteLine ($"{few.Length,3} {few[0]:x} {(few.Length > 2 ? "long" : "short")}"); //= 0:1
	}
}

interface INumber {
	static abstract INumber Zero { get; }
	int Plain () { return M.V (1); }
}

struct Number : INumber {
	public static INumber Zero { get { return M.V (new Number ()); } }
}

static class Interfaces {
	static int Get<T> () where T : INumber { return M.V (0) + T.Zero.Plain (); }

	public static void Run ()
	{
		M.L (); Console.WriteLine (Get<Number> ());
		checked {
			try {
				M.V (1);
				Console.WriteLine (M.V (nint.MaxValue) + 1);
				M.L ();
			} catch (OverflowException) {
				M.L ();
			}
		}
	}
}

static class Hot {
	static int Step (int n)
	{
		if (M.If (n % 3 == 0))
			return M.V (1);
		return M.V (2);
	}

	// Long enough for on-stack replacement, and called often enough for the last tier.
	public static void Run ()
	{
		int sum = 0;
		for (int i = 0; M.If (i < 100000); i++)
			sum += M.V (Step (i));
		M.L (); Console.WriteLine (sum);
	}
}

static class Modern {
	static int Main (string[] args)
	{
		M.Run ("values", Values.Run);
		M.Run ("streams", Streams.Run);
		M.Run ("spans", Spans.Run);
		M.Run ("interfaces", Interfaces.Run);
		M.Run ("hot", Hot.Run);
		M.Write (args.Length > 0 ? args[0] : null); //= 0:1
		return 5;
	}
}
