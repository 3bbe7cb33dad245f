// SPDX-License-Identifier: MIT
// Tells of itself by reflect.cs: on Mono, what reflection tells must be what the runtime's own functions tell.
using System;
using System.Collections.Generic;
using System.IO;

namespace Shapes
{
	public class Outer<T>
	{
		public T Value;
		public Outer<T> Same;
		public Outer<T>[] Many;
		public volatile int Volatile;
		public class Inner<U>
		{
			public Dictionary<T, Inner<U>[,]> Map;
			public Outer<int>.Inner<List<U[]>> Other;
			public V Method<V> (T t, ref U u, out V v, params Inner<V>[] all) { v = default (V); return v; }
		}
		public struct Plain { public T T; public Outer<T>.Plain[] Nested () { return null; } }
		public enum Kind : short { A, B }
		public delegate Kind Function (Outer<T> o, Kind? k);
	}
	public interface IThing
	{
		int this[int i, string s] { get; set; }
		event Action<IThing> Changed;
		unsafe void M (int* p, void** q, TypedReference r);
	}
	public abstract class Thing : Outer<string>.Inner<int>, IThing
	{
		public virtual int this[int i, string s] { get { return i; } set { } }
		public event Action<IThing> Changed;
		public unsafe void M (int* p, void** q, TypedReference r) { if (Changed != null) Changed (this); }
		protected abstract Outer<object>.Kind Abstract (DayOfWeek d, IntPtr p, UIntPtr q);
		public static int Guarded (string s)
		{
			try { try { return int.Parse (s); } finally { Console.Out.Flush (); } }
			catch (FormatException e) when (e.Message.Length > 1) { return -1; }
			catch { return -2; }
		}
	}
}

public static class Program
{
	public static int Main (string[] args) { Reflect.Dump (typeof (Program).Assembly, Console.Out); return 0; }
}
