// SPDX-License-Identifier: MIT
// Constraints and variance of type parameters.
using System;
using System.Collections.Generic;

public interface IOut<out T> { T Get (); }
public interface IIn<in T> { void Put (T t); }
public interface IBoth<in TIn, out TOut> : IIn<TIn>, IOut<TOut> { TOut Map (TIn t); }
public delegate TOut Converter2<in TIn, out TOut> (TIn t);
public class Animal { }
public class Cat : Animal, IComparable<Cat> { public int CompareTo (Cat c) { return 0; } }
public class ByClass<T> where T : class { public T V; }
public class ByStruct<T> where T : struct { public T V; public T? N; }
public class ByNew<T> where T : new () { public T Make () { return new T (); } }
public class ByBase<T> where T : Animal { public T V; }
public class ByInterface<T> where T : IComparable<T>, IDisposable { }

public class ByOther<T, TOther> where T : TOther where TOther : Animal, new ()
{
	public TOther Up (T t) { return t; }
}

public class Itself<T> where T : Itself<T> { public T Me; }
public class Me : Itself<Me> { }
public class All<T> where T : Animal, IComparable<T>, IEnumerable<Dictionary<T, All<T>>>, new () { }

public static class Program
{
	public static T Max<T> (T a, T b) where T : IComparable<T> { return a.CompareTo (b) > 0 ? a : b; }
	public static void Many<T, TKey, TValue> (T t) where T : class, IDictionary<TKey, TValue>, new ()
		where TKey : struct where TValue : T
	{
	}
	public static IOut<Animal> Up (IOut<Cat> cats) { return cats; }
	public static IIn<Cat> Down (IIn<Animal> animals) { return animals; }
	public static int Main ()
	{
		Console.WriteLine (Max (3, 4) + " " + new ByNew<Cat> ().Make () + " " + new ByOther<Cat,
			Animal> ().Up (new Cat ()) + new ByStruct<int> ().N);
		Console.WriteLine (new Me ().Me == null && Up (null) == null && Down (null) == null);
		return new ByClass<string> ().V == null && new ByBase<Cat> ().V == null ? 0 : 1;
	}
}
