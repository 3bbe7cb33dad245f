// SPDX-License-Identifier: MIT
// Every primitive type as parameter, result, field, array element and type argument.
using System;
using System.Collections.Generic;

public struct Scalars
{
	public bool Bool;
	public char Char;
	public sbyte SByte;
	public byte Byte;
	public short Short;
	public ushort UShort;
	public int Int;
	public uint UInt;
	public long Long;
	public ulong ULong;
	public float Float;
	public double Double;
	public decimal Decimal;
	public IntPtr Native;
	public UIntPtr UNative;
}

public class References
{
	public object Object;
	public string String;
	public Type Type;
	public Array Array;
	public Delegate Delegate;
	public Enum Enum;
	public ValueType Value;
	public Exception Exception;
	public DateTime When;
	public TimeSpan Span;
	public Guid Guid;
}

public static class Program
{
	public static bool Bool (bool b) { return !b; }
	public static char Char (char c) { return c; }
	public static sbyte SByte (sbyte v) { return v; }
	public static byte Byte (byte v) { return v; }
	public static short Short (short v) { return v; }
	public static ushort UShort (ushort v) { return v; }
	public static int Int (int v) { return v; }
	public static uint UInt (uint v) { return v; }
	public static long Long (long v) { return v; }
	public static ulong ULong (ulong v) { return v; }
	public static float Float (float v) { return v; }
	public static double Double (double v) { return v; }
	public static decimal Decimal (decimal v) { return v; }
	public static IntPtr Native (IntPtr v) { return v; }
	public static UIntPtr UNative (UIntPtr v) { return v; }
	public static object Object (object v) { return v; }
	public static string String (string v) { return v; }
	public static void Void () { }
	public static void All (bool a, char b, sbyte c, byte d, short e, ushort f, int g, uint h, long i, ulong j,
		float k, double l, decimal m, IntPtr n, UIntPtr o, object p, string q)
	{
	}
	public static void Arrays (bool[] a, char[] b, sbyte[] c, byte[] d, short[] e, ushort[] f, int[] g, uint[] h,
		long[] i, ulong[] j, float[] k, double[] l, decimal[] m, IntPtr[] n, UIntPtr[] o, object[] p, string[] q)
	{
	}
	public static void References (ref bool a, ref char b, ref sbyte c, ref byte d, ref short e, ref ushort f,
		ref int g, ref uint h, ref long i, ref ulong j, ref float k, ref double l, ref decimal m, ref IntPtr n,
		ref UIntPtr o, ref object p, ref string q)
	{
	}
	public static void Instances (List<bool> a, List<char> b, List<sbyte> c, List<byte> d, List<short> e,
		List<ushort> f, List<int> g, List<uint> h, List<long> i, List<ulong> j, List<float> k, List<double> l,
		List<decimal> m, List<IntPtr> n, List<UIntPtr> o, List<object> p, List<string> q)
	{
	}
	public static void Framework (Type a, Array b, Delegate c, MulticastDelegate d, Enum e, ValueType f,
		Exception g, DateTime h, Guid i, TimeSpan j, RuntimeTypeHandle k, RuntimeMethodHandle l,
		RuntimeFieldHandle m, Attribute n, IDisposable o, IComparable p, DayOfWeek q, Version r)
	{
	}
	public static Scalars Scalars (Scalars s, References r) { s.Int += 1; return s; }
	public static int Main ()
	{
		Console.WriteLine (Scalars (new Scalars { Int = 41 }, new References ()).Int);
		return 0;
	}
}
