// SPDX-License-Identifier: MIT
// Events of all kinds.
using System;

public interface ISource { event EventHandler Changed; event Action<int> Counted; }

public class Source : ISource
{
	public event EventHandler Changed;
	public virtual event Action<int> Counted;
	public static event Action Global;
	private event Func<int, string> Hidden;
	internal event EventHandler<UnhandledExceptionEventArgs> Custom { add { Changed += null; } remove { } }
	protected event Action A, B;
	public void Raise ()
	{
		if (Changed != null) Changed (this, EventArgs.Empty);
		if (Counted != null) Counted (1);
		if (Global != null) Global ();
		if (Hidden != null) Hidden (1);
		if (A != null) A ();
		if (B != null) B ();
	}
}

public abstract class Base { public abstract event Action E; public virtual event Action F { add { } remove { } } }

public class Derived : Base
{
	public override event Action E;
	public sealed override event Action F;
	public new void ToString () { if (E != null) E (); if (F != null) F (); }
}

public class Generic<T> where T : EventArgs
{
	public event EventHandler<T> Happened;
	public static event Action<Generic<T>> All;
	event Action<T[]> Explicit { add { } remove { } }
	public void Raise (T t) { if (Happened != null) Happened (this, t); if (All != null) All (this); }
}

public struct Value { public event Action E; public void R () { if (E != null) E (); } }

public static class Program
{
	public static int Main ()
	{
		int n = 0;
		var s = new Source ();
		s.Changed += (a, b) => n++;
		s.Counted += x => n += x;
		Source.Global += () => n += 5;
		s.Raise ();
		new Generic<EventArgs> ().Raise (null);
		Console.WriteLine (n);
		return 0;
	}
}
