// SPDX-License-Identifier: MIT
// Static abstract members, generic math, default interface methods, generic attributes, covariant results.
using System;
using System.Collections.Generic;
using System.Numerics;

namespace Interfaces;

public interface IShape<TSelf> where TSelf : IShape<TSelf>
{
	static abstract TSelf Create (int n);
	static virtual string Name => typeof (TSelf).Name;
	static abstract TSelf operator + (TSelf a, TSelf b);
	static abstract bool operator == (TSelf a, TSelf b);
	static abstract bool operator != (TSelf a, TSelf b);
	static abstract implicit operator int (TSelf s);
	static abstract event Action Made;
	static int Count { get; set; }
	int Size { get; }
	int Twice () => Size * 2;
	private int Hidden () => 1;
	protected static int Protected () => 2;
	sealed int Sealed () => Hidden () + Protected ();
}

public struct Square : IShape<Square>
{
	public int Size { get; init; }
	public static event Action? Made;
	public static Square Create (int n) { Made?.Invoke (); return new Square { Size = n }; }
	public static Square operator + (Square a, Square b) => new () { Size = a.Size + b.Size };
	public static bool operator == (Square a, Square b) => a.Size == b.Size;
	public static bool operator != (Square a, Square b) => !(a == b);
	public static implicit operator int (Square s) => s.Size;
	static string IShape<Square>.Name => "square";
	int IShape<Square>.Twice () => -1;
	public override bool Equals (object? o) => o is Square s && s == this;
	public override int GetHashCode () => Size;
}

public interface IBase { object Make (); string Say () => "base"; }
public interface IMiddle : IBase { string IBase.Say () => "middle"; }
public interface IOther : IBase { string IBase.Say () => "other"; }
public class Both : IMiddle, IOther { public virtual object Make () => 1; string IBase.Say () => "both"; }
public class Covariant : Both { public override string Make () => "text"; }

public static class Math<T> where T : INumber<T>, IMinMaxValue<T>
{
	public static T Sum (IEnumerable<T> all) { T s = T.Zero; foreach (T t in all) s += t; return T.Clamp (s,
		T.MinValue, T.MaxValue); }
	public static TOther Convert<TOther> (T t) where TOther : INumberBase<TOther> => TOther.CreateChecked (t);
	public static T operator_like (T a, T b) => checked (a + b);
}

public struct Checked
{
	public static Checked operator checked + (Checked a, Checked b) => a;
	public static Checked operator + (Checked a, Checked b) => b;
	public static Checked operator >>> (Checked a, int b) => a;
	public static explicit operator checked int (Checked c) => 1;
	public static explicit operator int (Checked c) => 0;
}

[AttributeUsage (AttributeTargets.All, AllowMultiple = true)]
public class MarkAttribute<T> (params T[] all) : Attribute { public T? Named { get; set; }
	public int Length => all.Length; }

[Mark<int> (1, 2, Named = 3), Mark<string> ("a", Named = null), Mark<Type> (typeof (List<>))]
public class Marked<[Mark<DayOfWeek> (DayOfWeek.Friday)] T> { [return: Mark<byte> (7)] public T? M ([Mark<char>
	('c')] T t) => t; }
