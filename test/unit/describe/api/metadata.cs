// SPDX-License-Identifier: MIT
// What test_answers.py looks at besides the core library: each kind of row that mcs writes.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Security.Permissions;

[assembly: AssemblyTitle ("title")]
[assembly: AssemblyVersion ("1.2.3.4")]

public interface I1 { int P { get; } event EventHandler E; }
public interface I2<T> { void M (T t); }

public class Outer : I1, I2<string>, IDisposable {
	public class In1 { public class Deep {} public class Deep2 {} }
	public struct In2 { int x; }
	public int P { get { return 1; } }
	public event EventHandler E;
	public void M (string s) {}
	public void Dispose () {}
	[Obsolete ("old")] public string Q { get; set; }
	public int this [int i] { get { return i; } }
	[DllImport ("libc")] static extern int getpid ([MarshalAs (UnmanagedType.LPStr)] string s);
	[DllImport ("libc")] static extern int many ([MarshalAs (UnmanagedType.LPArray, SizeConst = 4)] int[] a,
		[MarshalAs (UnmanagedType.LPArray, SizeParamIndex = 1)] int[] b, [MarshalAs (UnmanagedType.Bool)] bool c,
		[MarshalAs (UnmanagedType.LPArray, ArraySubType = UnmanagedType.LPWStr, SizeParamIndex = 1, SizeConst = 3)]
		string[] d,
		[MarshalAs (UnmanagedType.CustomMarshaler, MarshalType = "Marshaler", MarshalCookie = "cookie")] object e,
		[MarshalAs (UnmanagedType.SafeArray, SafeArraySubType = VarEnum.VT_I4)] int[] f);
}

[StructLayout (LayoutKind.Explicit, Size = 24, Pack = 4)]
public struct Ex { [FieldOffset (0)] public int a; [FieldOffset (8)] public long b; }

[StructLayout (LayoutKind.Sequential, Pack = 2)]
public struct Sq {
	[MarshalAs (UnmanagedType.ByValTStr, SizeConst = 10)] public string s;
	[MarshalAs (UnmanagedType.ByValArray, SizeConst = 10, ArraySubType = UnmanagedType.U2)] public int[] a;
}

public enum Color { R, G, B = 7 }

public class Gen<T, U> where T : struct {
	public class Nested<V> { public T t; public U[] u; public Dictionary<T, V> v; public Nested<U> n; }
	public class Plain {
		public T Of (U u, Func<T, U> f) { T t = default (T); Gen<T, string>.Plain p = null; return t; }
	}
	public static W Method<W> (T t, ref W w, out U[,] u) where W : new ()
	{
		u = null;
		var l = new List<W> ();
		return l [0];
	}
}

namespace N.S { public class Spaced { public class Inner {} } }

public class MineException : Exception {}

[Obsolete]
public class Q {
	const int K = 5;
	const string S = "x";
	const double D = 1.5;
	public static int[] arr = { 1, 2, 3, 4, 5, 6, 7 };
	public unsafe int* pointer;
	[SecurityPermission (SecurityAction.Demand, UnmanagedCode = true)] static void Sec () {}
	[return: Obsolete2] static int Opt ([Obsolete2] int a = 3, string s = null, [In, Out] object o = null) { return a; }

	static int Clauses (object o)
	{
		try {
			try {
				return o.GetHashCode ();
			} catch (MineException) {
				return 1;
			} catch (ArgumentException e) when (e.Message.Length > 3) {
				return 2;
			} finally {
				Console.Write ("");
			}
		} catch {
			return 3;
		}
	}

	static string Switches (int i, double d, float f, long l)
	{
		switch (i) {
		case 0: return "zero";
		case 1: return "\u00e4\n\"quoted\"";
		case 2: return d.ToString ();
		case 3: return (1.5 + d).ToString ();
		case 4: return (0.1f + f).ToString ();
		case 5: return (l + 0x123456789abL).ToString ();
		default: return i == 1000 ? "thousand" : i < -5 ? typeof (List<int>).Name : null;
		}
	}

	static unsafe void Fixed (byte[] b) { fixed (byte* p = b) { int* q = stackalloc int [4]; q [1] = p [0]; } }

	public static int Main ()
	{
		Console.WriteLine (arr.Length);
		return 0;
	}
}

[AttributeUsage (AttributeTargets.All)]
public class Obsolete2Attribute : Attribute {}
