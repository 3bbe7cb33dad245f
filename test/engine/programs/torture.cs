// SPDX-License-Identifier: MIT
//
// torture.cs - a reproducible random walk through calls, handlers, filters and finally blocks of many forms at once.
using System;
using System.Runtime.CompilerServices;

static class Torture
{
	sealed class Odd : Exception { public int At; public Odd (int at) => At = at; }

	// One step per call, decided by the state only: the same calls happen wherever and however this runs.
	struct Dice
	{
		public uint State;
		[MethodImpl (MethodImplOptions.AggressiveInlining)]
		public int Roll (int sides) { State = State * 1664525 + 1013904223; return (int) (State >> 16) % sides; }
	}
	static Dice dice;
	static int budget;
	static long sum;

	static int Step (int depth)
	{
		if (--budget < 0 || depth > 60)
			return depth;
		sum = sum * 31 + depth;
		switch (dice.Roll (14)) {
		case 0: return Plain (depth + 1);
		case 1: return Catch (depth + 1);
		case 2: return Final (depth + 1);
		case 3: return Filter (depth + 1);
		case 4: return Generic<int> (depth + 1);
		case 5: return Generic<string> (depth + 1);
		case 6: return Generic<Dice> (depth + 1);
		case 7: throw new Odd (depth);
		case 8: throw new Deep (depth);
		case 9: return Nested (depth + 1);
		case 10: return Lambda (() => Step (depth + 1));
		case 11: return Small (depth + 1);
		case 12: return Fault (null, depth);
		default: return Step (depth + 1) + Step (depth + 2);
		}
	}

	static int Plain (int depth) => Step (depth) + Step (depth);
	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static int Small (int depth) => Smaller (depth) + 1;
	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static int Smaller (int depth) => depth % 5 == 4 ? throw new Odd (depth) : Step (depth);
	static int Lambda (Func<int> f) => f ();
	static int Fault (int[] none, int depth) => depth % 2 == 0 ? none.Length : depth / (depth - depth);

	static int Catch (int depth)
	{
		try {
			return Step (depth);
		} catch (Odd e) {
			return e.At + Step (depth);
		} catch (NullReferenceException) {
			throw new Deep (depth);
		}
	}

	static int Final (int depth)
	{
		try {
			return Step (depth);
		} finally {
			sum += Guard (depth);
			if (dice.Roll (4) == 0)
				Step (depth + 1);
		}
	}

	static int Guard (int depth)
	{
		try {
			return Step (depth);
		} catch (Exception e) when (e is Odd or DivideByZeroException) {
			return 1;
		} catch {
			return 2;
		}
	}

	static bool Decide (Exception e, int depth)
	{
		sum++;
		return dice.Roll (3) switch { 0 => Step (depth) > 0, 1 => e is Deep, _ => Guard (depth) == 1 };
	}

	static int Filter (int depth)
	{
		try {
			return Step (depth);
		} catch (Exception e) when (Decide (e, depth + 1)) {
			return Step (depth);
		} finally {
			sum += 3;
		}
	}

	static int Generic<T> (int depth)
	{
		try {
			return typeof (T) == typeof (int) ? Step (depth) : Other<T, T[]> (depth);
		} catch (Odd) when (typeof (T).IsValueType) {
			return Step (depth);
		}
	}

	static int Other<T, U> (int depth)
	{
		try {
			return Step (depth) + (dice.Roll (2) == 0 ? Generic<U> (depth + 2) : 0);
		} finally {
			sum ^= depth;
		}
	}

	static int Nested (int depth)
	{
		try {
			try {
				try {
					return Step (depth);
				} catch (Odd) {
					Step (depth);
					throw;
				} finally {
					Guard (depth + 1);
				}
			} catch (Deep e) when (Decide (e, depth)) {
				throw new Odd (depth);
			}
		} catch (Odd) when (depth % 3 != 0) {
			return Guard (depth);
		}
	}

	static void Walk (uint seed)
	{
		dice.State = seed;
		budget = 400;
		try {
			sum += Step (0);
		} catch (Exception e) {
			sum += e.GetType ().Name.Length;
		}
	}

	public static void Run ()
	{
		for (uint seed = 0; seed < 400; seed++)
			Walk (seed * 7919);
		Console.WriteLine (sum);
	}
}
