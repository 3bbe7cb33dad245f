// SPDX-License-Identifier: MIT
// Constants: literal fields of every type, and default values of parameters.
using System;
using System.Runtime.InteropServices;

public enum E : short { A = -3, B = 7 }

public static class Literals
{
	public const bool T = true, F = false;
	public const char C = '\u00e9';
	public const sbyte Sb = -128;
	public const byte B = 255;
	public const short S = -32768;
	public const ushort Us = 65535;
	public const int I = int.MinValue;
	public const uint U = uint.MaxValue;
	public const long L = long.MinValue;
	public const ulong Ul = ulong.MaxValue;
	public const float Fl = 1.5f, Nan = float.NaN;
	public const double D = Math.PI, Inf = double.PositiveInfinity;
	public const string Text = "text", Empty = "", Null = null, Wide = "日本\0x";
	public const object Nothing = null;
	public const decimal Dec = 12.34m;
	public const E Value = E.B;
	public const Type NoType = null;
	public const int[] NoArray = null;
}

public class Defaults
{
	public int All (bool a = true, char b = 'x', sbyte c = -1, byte d = 2, short e = -3, ushort f = 4, int g = 5,
		uint h = 6, long i = -7, ulong j = 8, float k = 9.5f, double l = -10.5, string m = "eleven",
		string n = null, object o = null, E p = E.A, decimal q = 1.5m, DateTime r = default (DateTime),
		int? s = null, int? t = 3, Defaults u = null)
	{
		return g;
	}
	public int Params (int a, params object[] b) { return b.Length; }
	public void Optional ([Optional] int a, [Optional, DefaultParameterValue ("d")] string b, [In] int c,
		[Out] int d)
	{
	}
	public T Generic<T> (T a = default (T), int b = Literals.I) { return a; }
	public int this[int a, int b = 4] { get { return a + b; } } public delegate int D (int a = 3, string b = "z");
}

public static class Program
{
	public static int Main ()
	{
		var d = new Defaults ();
		Console.WriteLine (d.All () + d.Params (1, 2, 3) + d.Generic<int> () + d[1] + Literals.Text);
		return 0;
	}
}
