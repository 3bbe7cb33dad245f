// SPDX-License-Identifier: MIT
// Generic instances nested ten deep, and wide ones.
using System;
using System.Collections.Generic;

public class G<T>
{
	public T Value;
	public G<T> Same;
	public G<G<T>> Up (G<T> a, T[] b) { return null; }
}

public struct S<T> { public T Value; public int After; }

public class Wide<T0, T1, T2, T3, T4, T5, T6, T7>
{
	public T0 A;
	public T7 H;
	public Wide<T7, T6, T5, T4, T3, T2, T1, T0> Turned;
}

public static class Program
{
	public static G<G<G<G<G<G<G<G<G<G<int>>>>>>>>>> Ten;
	public static S<S<S<S<S<S<S<S<S<S<byte>>>>>>>>>> Structs;
	public static G<S<G<S<G<S<G<S<G<S<string>>>>>>>>>> Mixed;
	public static Dictionary<string, List<Dictionary<int, KeyValuePair<string[], G<S<DateTime?>>>>>> Framework;
	public static Wide<int, string, object, S<int>, G<int>, int[], int?, Wide<int, int, int, int, int, int, int,
		int>> WideOne;
	public static G<G<G<G<G<G<G<G<G<G<T>>>>>>>>>> Make<T> (G<G<G<G<G<T>>>>> a, S<S<S<S<S<T[]>>>>>[] b,
		ref G<S<T>> c)
	{
		return null;
	}
	public static Func<Func<Func<int, string>, Func<string, int>>, Action<Action<G<int>>, Action<S<int>>>>
		Functions (Lazy<Lazy<Lazy<int>>> a)
	{
		return null;
	}
	public static int? Nullables (int? a, S<int>? b, DateTime?[] c, ref KeyValuePair<int?, int?>? d) { return a; }
	public static Tuple<int, Tuple<string, Tuple<G<int>, Tuple<S<long>>>>> Tuples (Tuple<int, int, int, int, int,
		int, int, Tuple<int>> a)
	{
		return null;
	}
	public static int Main ()
	{
		G<S<int>> c = null;
		Make<S<int>> (null, null, ref Other.Cell);
		Ten = new G<G<G<G<G<G<G<G<G<G<int>>>>>>>>>> ();
		Console.WriteLine ((Ten.Up (null, null) == null) + " " + Structs.After + " " + (c == null));
		return 0;
	}
}

static class Other { public static G<S<S<int>>> Cell; }
