// SPDX-License-Identifier: MIT
// Properties of all kinds.
using System;
using System.Collections.Generic;

public class Plain
{
	public int Auto { get; set; }
	public int GetOnly { get; } = 3;
	public int SetOnly { set { } }
	public static string Static { get; set; }
	public int PrivateSet { get; private set; }
	protected internal long Near { get; set; }
	public virtual object Virtual { get; set; }
	int Private { get; set; }
	public int Expression => Private + 1;
	public ref int Ref { get { return ref cells[0]; } }
	static int[] cells = new int[1];
	public int? Nullable { get; set; }
	public Plain Self { get { return this; } }
	public unsafe int* Pointer { get { return null; } }
	public int[,] Array { get; set; }
	internal Func<int, string> Function { get; set; }
}

public abstract class Base
{
	public abstract int A { get; set; }
	public virtual int V { get { return 1; } protected set { } }
	public virtual int W { get; set; }
}

public class Derived : Base
{
	public override int A { get; set; }
	public override int V { get { return 2; } }
	public new int W { get; set; }
}

public interface IProps
{
	int Get { get; }
	int Set { set; }
	string Both { get; set; }
}

public struct Value : IProps
{
	public int Get => 1;
	public int Set { set { } }
	string IProps.Both { get; set; }
	public static Value Default { get; } = new Value ();
}

public class Generic<T, U>
{
	public T First { get; set; }
	public U Second { get; private set; }
	public Dictionary<T, U> Both { get; }
	public static Generic<U, T> Turned { get; set; }
	public T[] this[U u] { get { return null; } }
	public class In { public T Value { get; set; } }
}

public static class Program
{
	public static int Main ()
	{
		var p = new Plain { Auto = 1 };
		p.Ref = 4;
		Console.WriteLine (p.Auto + p.GetOnly + p.Ref + p.Expression + new Derived ().V + new Generic<int,
			string> ().First + new Generic<int, string>.In ().Value + Value.Default.Get);
		return 0;
	}
}
