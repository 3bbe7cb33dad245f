// SPDX-License-Identifier: MIT
//
// kernels.cs - methods that stay in a loop, with values that no register keeps across a probe.
//
//   kernels run                  prints what each of them returns, and what a probe must not keep alive
//   kernels time ROUNDS [NAME]   the least and the median CPU time of a call, in nanoseconds:
//                                NAME <tab> LEAST <tab> MEDIAN
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Threading;

public struct Pair { public double X, Y; }
public struct Mixed { public long N; public double X; }
public struct Triple { public double X, Y, Z; }
public struct Single4 { public float X, Y, Z, W; }
public struct One { public double X; }

public struct Holder { public object Kept; public double X; }
public struct Wide { public double A, B, C, D, E, F, G, H; public string Name; }
public unsafe struct Page { public fixed double All[2048]; }
[InlineArray (2048)] public struct Row { double first; }
public enum Colour { Red, Green, Blue }

// A loop that takes time, and a result that is a double, a vector or made of them.
public static class Kernels
{
	const int STEPS = 100000;
	public static readonly double[] doubles = Fill ();
	public static readonly double[] sink = new double[STEPS];

	static double[] Fill ()
	{
		double[] all = new double[STEPS];
		for (int i = 0; i < STEPS; i++)
			all[i] = i * 1e-3;
		return all;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static double Double ()
	{
		double x = 0;
		for (int i = 0; i < STEPS; i++)
			x = x * 0.999 + 1.5;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static double DoubleArguments (double a, double b)
	{
		double x = a;
		for (int i = 0; i < STEPS; i++)
			x = x * a + b;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static double Sum (double[] all)
	{
		double x = 0;
		for (int i = 0; i < all.Length; i++)
			x += all[i];
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static float Float (float a)
	{
		float x = 0;
		for (int i = 0; i < STEPS; i++)
			x = x * 0.999f + a;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static double Polynomial (double x, double a, double b, double c)
	{
		double y = 0;
		for (int i = 0; i < STEPS; i++) {
			y += ((a * x + b) * x + c);
			x += 1e-6;
		}
		return y;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static double Early (double[] all, double limit)
	{
		double x = 0;
		for (int i = 0; i < all.Length; i++) {
			x += all[i];
			if (x > limit)
				return x;
		}
		return -x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Pair TwoRegisters (double a)
	{
		Pair p = default;
		for (int i = 0; i < STEPS; i++) {
			p.X = p.X * 0.999 + a;
			p.Y = p.Y * 0.998 + p.X;
		}
		return p;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Mixed MixedRegisters (double a)
	{
		Mixed m = default;
		for (int i = 0; i < STEPS; i++) {
			m.N += i ^ m.N;
			m.X = m.X * 0.999 + a;
		}
		return m;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static One Wrapped (double a)
	{
		One o = default;
		for (int i = 0; i < STEPS; i++)
			o.X = o.X * 0.999 + a;
		return o;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Triple InMemory (double a)
	{
		Triple t = default;
		for (int i = 0; i < STEPS; i++) {
			t.X = t.X * 0.999 + a;
			t.Y = t.Y * 0.998 + t.X;
			t.Z = t.Z * 0.997 + t.Y;
		}
		return t;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Single4 FourFloats (float a)
	{
		Single4 s = default;
		for (int i = 0; i < STEPS; i++) {
			s.X = s.X * 0.999f + a;
			s.Y = s.Y * 0.998f + s.X;
			s.Z = s.Z * 0.997f + s.Y;
			s.W = s.W * 0.996f + s.Z;
		}
		return s;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Complex Complex (Complex c)
	{
		Complex z = default;
		for (int i = 0; i < STEPS; i++)
			z = z * z * 0.5 + c;
		return z;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Vector128<double> Vector128 (Vector128<double> a)
	{
		Vector128<double> x = default;
		for (int i = 0; i < STEPS; i++)
			x = System.Runtime.Intrinsics.Vector128.Add (System.Runtime.Intrinsics.Vector128.Multiply (x, 0.999), a);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Vector256<float> Vector256 (Vector256<float> a)
	{
		Vector256<float> x = default;
		for (int i = 0; i < STEPS; i++)
			x = System.Runtime.Intrinsics.Vector256.Add (System.Runtime.Intrinsics.Vector256.Multiply (x, 0.999f), a);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Vector<double> VectorT (Vector<double> a)
	{
		Vector<double> x = default;
		for (int i = 0; i < STEPS; i++)
			x = x * 0.999 + a;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static Vector3 Vector3 (Vector3 a)
	{
		Vector3 x = default;
		for (int i = 0; i < STEPS; i++)
			x = x * 0.999f + a;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static decimal Decimal (decimal a)
	{
		decimal x = 0;
		for (int i = 0; i < STEPS / 10; i++)
			x += a;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static long Long (long a)
	{
		long x = 0;
		for (int i = 0; i < STEPS; i++)
			x = x * 3 + (a ^ i);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int NoResult (double[] to, double a)
	{
		double x = 0;
		for (int i = 0; i < to.Length; i++) {
			x = x * 0.999 + a;
			to[i] = x;
		}
		return to.Length;
	}

	// Seven doubles live through the loop and none of them is returned.
	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Locals (double a, double b, double c, double d)
	{
		double x = 0, y = 0, z = 0;
		for (int i = 0; i < STEPS; i++) {
			x = x * a + b;
			y = y * c + x;
			z = z * d + y;
		}
		return (int) (x + y + z);
	}
}

// Arguments and results of every kind through a loop.
public class Shapes
{
	double scale = 2;

	public double Instance (double a, int n)
	{
		for (int i = 0; i < n; i++)
			a = a * scale + i;
		return a;
	}

	public static T Generic<T> (T a, T b, int n) where T : INumber<T>
	{
		for (int i = 0; i < n; i++)
			a = a + b;
		return a;
	}

	public static T Last<T> (T first, T[] all, double weight)
	{
		T last = first;
		for (int i = 0; i < all.Length * weight; i++)
			last = all[i];
		return last;
	}

	public static double? Nullable (double? a, int n)
	{
		for (int i = 0; i < n; i++)
			a = a + i;
		return n > 100 ? null : a;
	}

	public static double Spans (ReadOnlySpan<double> all, Span<double> to, double a)
	{
		for (int i = 0; i < all.Length; i++)
			to[i] = all[i] * a;
		return to[0] + to[all.Length - 1];
	}

	public static (double, string, int) Tuple ((double X, string Name) t, int n)
	{
		for (int i = 0; i < n; i++)
			t.X += i;
		return (t.X, t.Name + n, n);
	}

	public static Wide Large (Wide w, int n, Colour colour)
	{
		for (int i = 0; i < n; i++)
			(w.A, w.B, w.C, w.D, w.E, w.F, w.G, w.H) = (w.H, w.A, w.B, w.C, w.D, w.E, w.F, w.G + (int) colour);
		return w;
	}

	public static void References (ref double a, in double b, out float c, double d)
	{
		c = 0;
		for (int i = 0; i < 10; i++) {
			a += b * d;
			c += (float) a;
		}
	}

	public static ref double Found (double[] all, double wanted)
	{
		for (int i = 0; i < all.Length; i++)
			if (all[i] == wanted)
				return ref all[i];
		throw new ArgumentException ("wanted " + wanted.ToString (CultureInfo.InvariantCulture));
	}

	public static unsafe double Pointers (double* all, int n, delegate*<double, double> map)
	{
		double sum = 0;
		for (int i = 0; i < n; i++)
			sum += map (all[i]);
		return sum;
	}

	// Ten arguments in vector registers and on the stack, one that is assigned, one whose address is taken.
	public static double Many (double a, double b, double c, double d, double e, double f, double g, double h, double i,
	                           double j)
	{
		double[] seen = new double[1];
		for (int n = 0; n < 5; n++) {
			a = a * b - c + d * e - f + g * h - i + j;
			Take (ref b, seen);
		}
		return a + seen[0];
	}

	static void Take (ref double x, double[] to) => to[0] += x *= 0.5;

	public static double Caught (double a, string[] texts)
	{
		double sum = 0;
		foreach (string text in texts)
			try {
				sum += a * double.Parse (text, CultureInfo.InvariantCulture);
			} catch (FormatException) when (a > 1) {
				sum -= a;
			} finally {
				sum += 0.5;
			}
		return sum;
	}

	public static double Thrown (double a)
	{
		for (int i = 0; ; i++)
			if (i * a > 10)
				throw new InvalidOperationException ("at " + i);
	}

	public static IEnumerable<double> Iterator (double a, int n)
	{
		for (int i = 0; i < n; i++)
			yield return a *= 1.5;
	}

	public static float Recursive (float a, int n)
	{
		float sum = 0;
		for (int i = 0; i < n; i++)
			sum += Recursive (a / 2, n - 1) + a;
		return sum;
	}

	public static double Switched (double a, int n)
	{
	again:
		switch (n--) {
		case 0: return a;
		case 1: a += 1; goto again;
		case 2: a *= 3; goto again;
		default: a -= 0.25; goto again;
		}
	}

	// Levels of this take 13 of 16 MiB of stack: there is no room for another copy of the page, nor of the row.
	public static unsafe double Nested (Page page, int n)
	{
		double sum = 0;
		for (int i = 0; i < 3; i++)
			sum += page.All[i];
		return n == 0 ? sum : sum + Nested (page, n - 1);
	}

	public static double Nested (Row row, int n)
	{
		double sum = 0;
		for (int i = 0; i < 3; i++)
			sum += row[i];
		return n == 0 ? sum : sum + Nested (row, n - 1);
	}

	// What a probe copies must not outlive what the program lets go.
	[MethodImpl (MethodImplOptions.NoInlining)]
	public static bool LetsGo (Holder holder, int n)
	{
		WeakReference weak = new WeakReference (holder.Kept);
		for (int i = 0; i < n; i++)
			holder.X += i;
		double x = holder.X;
		holder = default;
		Collect ();
		return !weak.IsAlive && x > 0;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static Holder Fresh () => new Holder { Kept = new object (), X = 1 };

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static bool ArgumentIsLetGo () => LetsGo (Fresh (), 10);

	[MethodImpl (MethodImplOptions.NoInlining)]
	static Holder Made (WeakReference[] weak, double x)
	{
		Holder made = default;
		for (int i = 0; i < 3; i++)
			made.X += x;
		made.Kept = new object ();
		weak[0] = new WeakReference (made.Kept);
		return made;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static double Used (WeakReference[] weak) => Made (weak, 1.5).X;

	public static bool ResultIsLetGo ()
	{
		WeakReference[] weak = new WeakReference[1];
		double x = Used (weak);
		Collect ();
		return !weak[0].IsAlive && x == 4.5;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Collect ()
	{
		GC.Collect ();
		GC.WaitForPendingFinalizers ();
		GC.Collect ();
	}
}

public static class Program
{
	[DllImport ("libc", EntryPoint = "clock_gettime")]
	static extern int ClockGetTime (int clock, out Timespec time);

	struct Timespec { public long Seconds, Nanoseconds; }

	const int THREAD_CPU_TIME = 3;

	static long Now ()
	{
		ClockGetTime (THREAD_CPU_TIME, out Timespec t);
		return t.Seconds * 1000000000 + t.Nanoseconds;
	}

	static int rounds;
	static string only;

	static void Show (string name, object result) =>
		Console.WriteLine ("{0} {1}", name, Convert.ToString (result, CultureInfo.InvariantCulture));

	// Long enough for the code to have climbed to its last tier.
	static void Time<T> (string name, Func<T> body)
	{
		long[] times = new long[rounds];
		for (int turn = 0; turn < 4; turn++) {
			for (int i = 0; i < 50; i++)
				body ();
			Thread.Sleep (250);
		}
		for (int i = 0; i < rounds; i++) {
			long begin = Now ();
			body ();
			times[i] = Now () - begin;
		}
		Array.Sort (times);
		Console.WriteLine ("{0}\t{1}\t{2}", name, times[0], times[rounds / 2]);
	}

	static void Kernel<T> (string name, Func<T> body)
	{
		if (only != null && only != name)
			return;
		if (rounds > 0)
			Time (name, body);
		else
			Show (name, body ());
	}

	static void RunKernels ()
	{
		Kernel ("double", () => Kernels.Double ());
		Kernel ("double-arguments", () => Kernels.DoubleArguments (0.999, 1.5));
		Kernel ("sum", () => Kernels.Sum (Kernels.doubles));
		Kernel ("float", () => Kernels.Float (1.5f));
		Kernel ("polynomial", () => Kernels.Polynomial (1, 2, 3, 4));
		Kernel ("early", () => Kernels.Early (Kernels.doubles, 1e300));
		Kernel ("two-registers", () => Kernels.TwoRegisters (1.5).Y);
		Kernel ("mixed-registers", () => Kernels.MixedRegisters (1.5).X);
		Kernel ("wrapped", () => Kernels.Wrapped (1.5).X);
		Kernel ("in-memory", () => Kernels.InMemory (1.5).Z);
		Kernel ("four-floats", () => Kernels.FourFloats (1.5f).W);
		Kernel ("complex", () => Kernels.Complex (new Complex (0.1, 0.2)));
		Kernel ("vector128", () => Kernels.Vector128 (Vector128.Create (1.5)));
		Kernel ("vector256", () => Kernels.Vector256 (Vector256.Create (1.5f)));
		Kernel ("vector-t", () => Kernels.VectorT (new Vector<double> (1.5))[0]);
		Kernel ("vector3", () => Kernels.Vector3 (new Vector3 (1.5f)));
		Kernel ("decimal", () => Kernels.Decimal (1.5m));
		Kernel ("long", () => Kernels.Long (3));
		Kernel ("no-result", () => Kernels.NoResult (Kernels.sink, 1.5));
		Kernel ("locals", () => Kernels.Locals (0.999, 1.5, 0.5, 0.25));
	}

	static void OnStack (int bytes, Action body)
	{
		Thread thread = new Thread (() => body (), bytes);
		thread.Start ();
		thread.Join ();
	}

	static unsafe void RunShapes ()
	{
		double[] four = { 1, 2, 3, 4 };
		double a = 1;
		Show ("instance", new Shapes ().Instance (1.5, 10));
		Show ("generic", Shapes.Generic (1.5, 0.25, 10));
		Show ("generic float", Shapes.Generic (1.5f, 0.25f, 10));
		Show ("generic long", Shapes.Generic (1L, 2L, 10));
		Show ("generic decimal", Shapes.Generic (1m, 2m, 10));
		Show ("last", Shapes.Last ("none", new[] { "a", "b" }, 1));
		Show ("last struct", Shapes.Last (new Holder (), new[] { new Holder { X = 3 } }, 1).X);
		Show ("nullable", Shapes.Nullable (1.5, 10));
		Show ("nullable null", Shapes.Nullable (1.5, 101));
		Show ("spans", Shapes.Spans (four, new double[4], 1.5));
		Show ("tuple", Shapes.Tuple ((1.5, "n"), 10));
		Wide wide = Shapes.Large (new Wide { A = 1, B = 2, H = 8, Name = "w" }, 10, Colour.Blue);
		Show ("large", wide.A + " " + wide.B + " " + wide.C + " " + wide.H + " " + wide.Name);
		Shapes.References (ref a, 0.5, out float c, 2);
		Show ("references", a + " " + c);
		Shapes.Found (four, 3) = 7;
		Show ("found", four[2]);
		fixed (double* p = four)
			Show ("pointers", Shapes.Pointers (p, 4, &Math.Sqrt));
		Show ("many", Shapes.Many (1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
		Show ("caught", Shapes.Caught (1.5, new[] { "1", "x", "2" }));
		try {
			Shapes.Thrown (0.25);
		} catch (InvalidOperationException e) {
			Show ("thrown", e.Message);
		}
		Show ("iterator", string.Join (" ", Shapes.Iterator (1, 5)));
		Show ("recursive", Shapes.Recursive (1, 5));
		Show ("switched", Shapes.Switched (1, 9));
		OnStack (16 << 20, () => Show ("nested pages", Shapes.Nested (new Page (), 400)));
		OnStack (16 << 20, () => Show ("nested rows", Shapes.Nested (new Row (), 400)));
		Show ("argument let go", Shapes.ArgumentIsLetGo ());
		Show ("result let go", Shapes.ResultIsLetGo ());
	}

	public static void Main (string[] args)
	{
		CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
		rounds = args[0] == "time" ? int.Parse (args[1]) : 0;
		only = args.Length > 2 ? args[2] : null;
		RunKernels ();
		if (args[0] == "run")
			RunShapes ();
	}
}
