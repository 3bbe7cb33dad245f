// SPDX-License-Identifier: MIT
// Every operator that can be overloaded.
using System;

public struct V
{
	public int I;
	public V (int i) { I = i; }
	public static V operator + (V a) { return a; }
	public static V operator - (V a) { return new V (-a.I); }
	public static V operator ! (V a) { return a; }
	public static V operator ~ (V a) { return new V (~a.I); }
	public static V operator ++ (V a) { return new V (a.I + 1); }
	public static V operator -- (V a) { return new V (a.I - 1); }
	public static bool operator true (V a) { return a.I != 0; }
	public static bool operator false (V a) { return a.I == 0; }
	public static V operator + (V a, V b) { return new V (a.I + b.I); }
	public static V operator + (V a, int b) { return new V (a.I + b); }
	public static V operator + (int a, V b) { return new V (a + b.I); }
	public static V operator - (V a, V b) { return new V (a.I - b.I); }
	public static V operator * (V a, V b) { return new V (a.I * b.I); }
	public static V operator / (V a, V b) { return new V (a.I / b.I); }
	public static V operator % (V a, V b) { return new V (a.I % b.I); }
	public static V operator & (V a, V b) { return new V (a.I & b.I); }
	public static V operator | (V a, V b) { return new V (a.I | b.I); }
	public static V operator ^ (V a, V b) { return new V (a.I ^ b.I); }
	public static V operator << (V a, int b) { return new V (a.I << b); }
	public static V operator >> (V a, int b) { return new V (a.I >> b); }
	public static bool operator == (V a, V b) { return a.I == b.I; }
	public static bool operator != (V a, V b) { return a.I != b.I; }
	public static bool operator < (V a, V b) { return a.I < b.I; }
	public static bool operator > (V a, V b) { return a.I > b.I; }
	public static bool operator <= (V a, V b) { return a.I <= b.I; }
	public static bool operator >= (V a, V b) { return a.I >= b.I; }
	public static implicit operator V (int i) { return new V (i); }
	public static implicit operator long (V v) { return v.I; }
	public static explicit operator int (V v) { return v.I; }
	public static explicit operator byte (V v) { return (byte) v.I; }
	public static explicit operator string (V v) { return v.I.ToString (); }
	public static explicit operator V[] (V v) { return new[] { v }; }
	public override bool Equals (object o) { return o is V && (V) o == this; }
	public override int GetHashCode () { return I; }
	public override string ToString () { return "V" + I; }
}

public class Money<T>
{
	public T A;
	public static Money<T> operator + (Money<T> a, T b) { return a; }
	public static implicit operator T (Money<T> m) { return m.A; }
	public static explicit operator Money<T> (T t) { return null; }
}

public static class Program
{
	public static int Main ()
	{
		V a = 3, b = new V (4);
		int m = new Money<int> { A = 1 } + 2;
		Console.WriteLine (a + b * a - b / a % b + " " + (a < b) + (int) (a << 2) + m + ((V[]) a).Length
			+ (a ? 1 : 2));
		return 0;
	}
}
