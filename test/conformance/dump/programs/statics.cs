// SPDX-License-Identifier: MIT
// Static members of all kinds.
using System;
using System.Collections.Generic;

public class Plain
{
	public static int I = 1;
	public static string S = "s";
	public static object O = new object ();
	public static readonly DateTime When = new DateTime (2020, 1, 2);
	[ThreadStatic] public static int T;
	[ThreadStatic] static string ts;
	public static int[] A = { 1, 2, 3 };
	public static Struct St;
	public static Struct? Ns;
	public const int C = 5;
	public volatile int V;
	public static volatile bool Vs;
	internal static IntPtr P;
	protected static Enumeration E = Enumeration.B;
	static Plain () { I++; ts = "t"; }
	public static string Ts { get { return ts; } }
}

public struct Struct
{
	public static Struct Zero;
	public static readonly Struct One = new Struct { X = 1 };
	public int X;
	public static int Count;
	[ThreadStatic] public static Struct PerThread;
}

public enum Enumeration { A, B }

public class Generic<T>
{
	public static T Value;
	public static int Count;
	public static List<T> List = new List<T> ();
	public static Dictionary<T, Generic<T>> Map;
	[ThreadStatic] public static T PerThread;
	static Generic () { Count = 7; }
	public class Inner { public static T[] Values; }
}

public static class Helpers
{
	public static readonly int A = 1, B = A + 1;
	public static Func<int, int> F = x => x + 1;
	static Helpers () { }
	public static int Twice (this int i) { return 2 * i; }
}

public class BeforeFieldInit { public static int X = Program.Count++; }
public class Derived : Plain { public static new int I = 100; public static int Own; }
public interface IStatic { int M (); }

public static class Program
{
	public static int Count;
	public static int Main ()
	{
		Generic<int>.Value = 3;
		Generic<string>.Value = "x";
		Generic<Struct>.Inner.Values = null;
		Struct.PerThread.X = 2;
		Plain.T = 4;
		Console.WriteLine (Plain.I + Plain.Ts + Struct.One.X + Generic<int>.Count + Helpers.F (1).Twice ()
			+ BeforeFieldInit.X + Derived.I + Plain.Vs);
		return 0;
	}
}
