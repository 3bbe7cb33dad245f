// SPDX-License-Identifier: MIT
// Explicit implementations of interface members, also of generic interfaces.
using System;
using System.Collections;
using System.Collections.Generic;

namespace N
{
	public interface IA
	{
		int M (int a);
		int P { get; set; }
		event EventHandler E;
		int this[int i] { get; }
	}
	public interface IB<T>
	{
		T M (T a);
		T P { get; set; }
		event EventHandler<EventArgs> E;
		T this[T i, string s] { get; set; }
		void G<U> (T t, U u);
	}
	public class Both : IA, IB<string>, IB<List<int[]>>
	{
		int IA.M (int a) { return a; }
		int IA.P { get; set; }
		event EventHandler IA.E { add { } remove { } }
		int IA.this[int i] { get { return i; } }
		string IB<string>.M (string a) { return a; }
		string IB<string>.P { get; set; }
		event EventHandler<EventArgs> IB<string>.E { add { } remove { } }
		string IB<string>.this[string i, string s] { get { return s; } set { } }
		void IB<string>.G<U> (string t, U u) { }
		List<int[]> IB<List<int[]>>.M (List<int[]> a) { return a; }
		List<int[]> IB<List<int[]>>.P { get { return null; } set { } }
		event EventHandler<EventArgs> IB<List<int[]>>.E { add { } remove { } }
		List<int[]> IB<List<int[]>>.this[List<int[]> i, string s] { get { return i; } set { } }
		void IB<List<int[]>>.G<U> (List<int[]> t, U u) { }
		public int M (int a) { return -a; }
	}
	public class Generic<T> : IB<T>, IEnumerable<T>, IComparable<Generic<T>>
	{
		T IB<T>.M (T a) { return a; }
		T IB<T>.P { get; set; }
		event EventHandler<EventArgs> IB<T>.E { add { } remove { } }
		T IB<T>.this[T i, string s] { get { return i; } set { } }
		void IB<T>.G<U> (T t, U u) { }
		IEnumerator IEnumerable.GetEnumerator () { return null; }
		IEnumerator<T> IEnumerable<T>.GetEnumerator () { return null; }
		int IComparable<Generic<T>>.CompareTo (Generic<T> o) { return 3; }
	}
	public struct Disposable : IDisposable, IFormattable
	{
		void IDisposable.Dispose () { }
		string IFormattable.ToString (string f, IFormatProvider p) { return f; }
	}
}

public static class Program
{
	public static int Main ()
	{
		N.IA a = new N.Both ();
		N.IB<int> b = new N.Generic<int> ();
		b.G (1, "");
		Console.WriteLine (a.M (1) + a[2] + b.M (3) + ((IComparable<N.Generic<int>>) b).CompareTo (null)
			+ ((N.IB<string>) a).M ("x").Length);
		return 0;
	}
}
