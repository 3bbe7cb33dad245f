// SPDX-License-Identifier: MIT
// Structs, operators, properties, indexers, conversions, parameters by reference, variable numbers of arguments.
using System;

namespace Own
{
	struct Vector
	{
		public double X, Y;
		public Vector (double x, double y) { X = x; Y = y; }
		public static Vector operator + (Vector a, Vector b) { return new Vector (a.X + b.X, a.Y + b.Y); }
		public static Vector operator - (Vector a) { return new Vector (-a.X, -a.Y); }
		public static bool operator == (Vector a, Vector b) { return a.X == b.X && a.Y == b.Y; }
		public static bool operator != (Vector a, Vector b) { return !(a == b); }
		public static implicit operator Vector (int i) { return new Vector (i, i); }
		public static explicit operator int (Vector v) { return (int) (v.X + v.Y); }
		public override bool Equals (object o) { return o is Vector && this == (Vector) o; }
		public override int GetHashCode () { return (int) this; }
		public double Length { get { return Math.Sqrt (X * X + Y * Y); } }
	}

	class Table
	{
		readonly int [] cells = new int [9];
		public int this [int row, int column] {
			get { return cells [3 * row + column]; }
			set { cells [3 * row + column] = value; }
		}
		public int Size { get; private set; }
		public Table () { Size = 3; }
	}

	struct Large { public long A, B, C, D; public Large (long a) { A = a; B = 2 * a; C = 3 * a; D = 4 * a; } }

	class Program
	{
		static void Swap (ref int a, ref int b) { int c = a; a = b; b = c; }
		static bool Parse (string text, out int value) { value = text.Length; return value > 2; }
		static int Sum (params int [] values) { int sum = 0; foreach (int v in values) sum += v; return sum; }
		static Large Grow (Large large, int by) { return new Large (large.A + large.D + by); }
		static int Optional (int a, int b = 2, string c = "c") { return a + b + c.Length; }
		static float Mixed (byte a, short b, long c, float d, double e, char f, bool g, decimal h)
		{
			return a + b + c + d + (float) e + f + (g ? 1 : 0) + (float) h;
		}

		static int Main ()
		{
			Vector v = new Vector (1, 2) + 3;
			Console.WriteLine ((int) -v + " " + (v == new Vector (4, 5)) + " " + v.Equals ((object) v)
				+ (int) v.Length);
			var table = new Table ();
			for (int i = 0; i < table.Size; i++)
				table [i, i] = i + 1;
			Console.WriteLine (table [0, 0] + table [1, 1] + table [2, 2]);
			int a = 1, b = 2, n;
			Swap (ref a, ref b);
			Console.WriteLine (a + " " + b + Parse ("word", out n) + n + Sum () + Sum (1, 2, 3)
				+ Optional (1) + Optional (1, 5));
			Console.WriteLine (Grow (new Large (5), 7).D);
			Console.WriteLine ((int) Mixed (1, 2, 3, 4, 5, 'a', true, 6.5m));
			return 0;
		}
	}
}
