// SPDX-License-Identifier: MIT
// Virtual slots: abstract, virtual, override, sealed, new; constructors and finalisers; covariance.
using System;

public abstract class A
{
	public abstract int M ();
	public virtual int V () { return 1; }
	protected virtual void P () { }
	public int N () { return 2; }
	public override string ToString () { return "A"; }
	protected A () { }
	public A (int i) : this () { }
	internal A (string s, params int[] r) { }
	static A () { }
	~A () { }
	protected internal abstract void G<T> (T t);
	protected virtual void Q () { }
}

public class B : A
{
	public override int M () { return 3; }
	public sealed override int V () { return 4; }
	public new int N () { return 5; }
	protected override void P () { }
	protected internal override void G<T> (T t) { }
	private B (long l) : base (1) { }
	public B () { }
	public static B Make () { return new B (1L); }
}

public sealed class C : B
{
	public new int V () { return 6; }
	public override int M () { return base.M (); }
	public override bool Equals (object o) { return this == o; }
	public override int GetHashCode () { return 1; }
	protected override void P () { }
	public new void G<T> (T t) { }
	~C () { }
}

public class Overloads
{
	public void M () { }
	public void M (int a) { }
	public void M (long a) { }
	public void M (int a, int b) { }
	public void M (ref int a) { }
	public void M (int[] a) { }
	public void M (params object[] a) { }
	public void M<T> () { }
	public void M<T> (T t) { }
	public void M<T, U> (T t, U u) { }
	public static void M (string s) { }
	public int M (B b) { return 1; }
	public int m () { return 2; }
}

public class Hides<T>
{
	public virtual T M (T t, string s) { return t; }
	public virtual void M (int i, object o) { }
}

public class HidesInt : Hides<int>
{
	public override void M (int i, object o) { }
	public override int M (int t, string s) { return 1; }
}

public abstract class Shape { public abstract Shape Clone (); }
public class Circle : Shape { public override Shape Clone () { return new Circle (); } }

public static class Program
{
	public static int Main ()
	{
		A a = new C ();
		object[] strings = new string[1];
		A[] many = new C[2];
		many[0] = (C) a;
		new Overloads ().M<int, string> (1, "");
		Console.WriteLine (a.M () + a.V () + a.N () + ((C) a).V () + strings.Length + B.Make ().M ());
		return 0;
	}
}
