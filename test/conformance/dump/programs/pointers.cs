// SPDX-License-Identifier: MIT
// Unsafe code: pointers of every depth, fixed buffers, stackalloc, pinned locals.
using System;

public enum Colour : byte { Red, Green }

public unsafe struct Node
{
	public Node* Next;
	public int Value;
	public Colour Colour;
	public void* Any;
	public Node** Table;
}

public unsafe struct Buffers
{
	public fixed byte Bytes[16];
	public fixed int Ints[4];
	public fixed char Chars[8];
	public fixed double Doubles[3];
	public fixed bool Bools[2];
	public fixed long Longs[1];
	public int After;
}

public unsafe class Holder
{
	public int* P;
	public Node*[] Nodes;
	public Node*[,] Grid;
	public delegate void* Handler (int* a, ref byte* b);
	public Handler H;
}

public static unsafe class Program
{
	public static void* Void (void* a, void** b, void*** c) { return a; }
	public static int* Ints (int* a, int** b, int*** c, int*[] d, int**[][] e, int*[,] f) { return a; }
	public static void Others (bool* a, char* b, sbyte* c, byte* d, short* e, ushort* f, uint* g, long* h, ulong* i,
		float* j, double* k, decimal* l, IntPtr* m, UIntPtr* n, Colour* o, Node* p, DateTime* q, Buffers* r)
	{
	}
	public static int Walk (Node* n) { int sum = 0; for (; n != null; n = n->Next) sum += n->Value; return sum; }
	public static int Pin (byte[] bytes, string text, int[,] grid)
	{
		fixed (byte* b = bytes) fixed (char* c = text) fixed (int* g = &grid[0, 0]) return *b + *c + *g;
	}
	public static int Stack (int n)
	{
		int* a = stackalloc int[n];
		for (int i = 0; i < n; i++) a[i] = i;
		return a[n - 1];
	}
	public static int Sizes () { return sizeof (Node) + sizeof (Buffers) + sizeof (Colour) + sizeof (decimal); }
	public static int Main ()
	{
		Node a = new Node { Value = 1 }, b = new Node { Value = 2, Next = &a };
		Buffers f;
		f.Bytes[3] = 7;
		f.After = 1;
		Console.WriteLine (Walk (&b) + Pin (new byte[] { 1 }, "a", new int[1, 1]) + Stack (5) + Sizes ()
			+ f.Bytes[3]);
		return new Holder ().P == null ? 0 : 1;
	}
}
