// SPDX-License-Identifier: MIT
// Structs and classes whose layout the program fixes, and some whose layout is the runtime's.
using System;
using System.Runtime.InteropServices;

public struct Empty { }
public struct OneByte { public byte B; }

public struct Mixed
{
	public byte A;
	public int B;
	public byte C;
	public long D;
	public short E;
}

[StructLayout (LayoutKind.Sequential, Pack = 1)]
public struct Packed1
{
	public byte A;
	public int B;
	public byte C;
	public long D;
	public short E;
}

[StructLayout (LayoutKind.Sequential, Pack = 2)]
public struct Packed2
{
	public byte A;
	public int B;
	public byte C;
	public long D;
	public short E;
}

[StructLayout (LayoutKind.Sequential, Pack = 4)]
public struct Packed4
{
	public byte A;
	public int B;
	public byte C;
	public long D;
	public double E;
}

[StructLayout (LayoutKind.Sequential, Size = 64)] public struct Sized { public int A; }
[StructLayout (LayoutKind.Sequential, Pack = 1, Size = 3)] public struct Three { public byte A, B, C; }

[StructLayout (LayoutKind.Explicit)]
public struct Union
{
	[FieldOffset (0)] public int I;
	[FieldOffset (0)] public float F;
	[FieldOffset (0)] public byte B0;
	[FieldOffset (1)] public byte B1;
	[FieldOffset (3)] public byte B3;
}

[StructLayout (LayoutKind.Explicit, Size = 32)]
public struct ExplicitSized
{
	[FieldOffset (8)] public long L;
	[FieldOffset (16)] public Union U;
}

[StructLayout (LayoutKind.Explicit)]
public struct WithReference
{
	[FieldOffset (0)] public object O;
	[FieldOffset (8)] public int I;
	[FieldOffset (8)] public uint U;
}

public struct Nested
{
	public byte A;
	public Mixed M;
	public Packed1 P;
	public Empty E;
	public OneByte O;
	public Union U;
}

public struct Bools
{
	public bool A;
	public char B;
	public bool C;
	public decimal D;
	public DateTime T;
	public Guid G;
	public IntPtr P;
}

public struct Floats
{
	public float A;
	public double B;
	public float C;
}

public struct References
{
	public object A;
	public int B;
	public string C;
	public byte D;
	public int[] E;
}

public struct Generic<T>
{
	public byte A;
	public T B;
	public byte C;
}

public class Auto
{
	public byte A;
	public object B;
	public int C;
	public long D;
	public string E;
	public short F;
}

[StructLayout (LayoutKind.Sequential)]
public class SequentialClass
{
	public byte A;
	public int B;
	public long C;
	public byte D;
}

[StructLayout (LayoutKind.Explicit)]
public class ExplicitClass
{
	[FieldOffset (0)] public int A;
	[FieldOffset (4)] public int B;
	[FieldOffset (8)] public long C;
}

public class Base { public int A; public byte B; }
public class Derived : Base { public byte C; public int D; }
public class Derived2 : Derived { public object O; public Packed1 P; }

[StructLayout (LayoutKind.Auto)]
public struct AutoStruct
{
	public byte A;
	public long B;
	public byte C;
	public int D;
}

public static class Program
{
	public static Generic<byte> Gb;
	public static Generic<long> Gl;
	public static Generic<Mixed> Gm;
	public static Generic<Generic<short>> Gg;
	public static Generic<string> Gs;
	public static Mixed? Maybe;
	public static Three[] Threes = new Three[2];
	public static unsafe int Main ()
	{
		object[] boxes = { new Empty (), new OneByte (), new Mixed (), new Packed1 (), new Packed2 (),
			new Packed4 (), new Sized (), new Three (), new Union (), new ExplicitSized (), new WithReference (),
			new Nested (), new Bools (), new Floats (), new References (), Gb, Gl, Gm, Gg, Gs, new Auto (),
			new SequentialClass (), new ExplicitClass (), new Base (), new Derived (), new Derived2 (),
			new AutoStruct () };
		Console.WriteLine (sizeof (Mixed) + " " + sizeof (Packed1) + " " + sizeof (Packed2) + " " + sizeof (Sized)
			+ " " + sizeof (Three) + " " + sizeof (Union) + " " + boxes.Length);
		return 0;
	}
}
