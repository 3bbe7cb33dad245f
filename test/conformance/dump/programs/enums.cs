// SPDX-License-Identifier: MIT
// Enums of every base type.
using System;
using System.Collections.Generic;

public enum B : byte { Zero, Max = byte.MaxValue }
public enum Sb : sbyte { Min = sbyte.MinValue, Zero = 0 }
public enum S : short { Min = short.MinValue }
public enum Us : ushort { Max = ushort.MaxValue }
public enum I { Min = int.MinValue, Same = Min, Next }
public enum Ui : uint { Max = uint.MaxValue }
public enum L : long { Min = long.MinValue, Max = long.MaxValue }
public enum Ul : ulong { Max = ulong.MaxValue }
[Flags] public enum Bits { None, One = 1, Two = 2, Four = 4, All = One | Two | Four }
public enum Nothing { }

public class Outer<T>
{
	public enum In : short { A, B }
	public In Field;
	public static In Static = In.B;
}

public class Fields
{
	public B A;
	public Sb C;
	public S D;
	public Us E;
	public I F;
	public Ui G;
	public L H;
	public Ul J;
	public Bits K;
	public Nothing M;
	public DayOfWeek N;
	public Bits? O;
	public Outer<int>.In P;
}

public static class Program
{
	public static Bits Take (B a, Sb b, S c, Us d, I e, Ui f, L g, Ul h, Bits i, Nothing j, DayOfWeek k,
		ConsoleKey l, Outer<string>.In m, Enum n)
	{
		return i;
	}
	public static void Compound (B[] a, Sb[,] b, ref S c, out Us d, I? e, List<Ui> f, Dictionary<L, Ul> g,
		Outer<Bits>.In[] h)
	{
		d = 0;
	}
	public static unsafe void Pointers (B* a, L** b, Outer<int>.In* c) { }
	public static T Same<T> (T t) where T : struct { return t; }
	public static int Main ()
	{
		Console.WriteLine (Same (Bits.Two) + " " + Same (L.Max) + Outer<int>.Static + (Bits) 9 + new Fields ().K
			+ Take (0, 0, 0, 0, 0, 0, 0, 0, Bits.Four, 0, 0, 0, 0, B.Max));
		return 0;
	}
}
