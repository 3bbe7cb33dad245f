// SPDX-License-Identifier: MIT
//
// callers.cs - every method's name says who calls it: NAME_3 is called by NAME_2, that by NAME_1, that by Main (or,
// for threads, by nobody). So each stack that a walk finds can be checked without knowing anything else. A method whose
// name ends in t may be missing: its call may replace its frame. even and odd call each other in turn.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

struct Wrap<T> { public T Value; public long Other; }

struct Four { public long A, B, C, D; }

abstract class Shape
{
	public abstract int virt_3 (int x);
}

sealed class Round : Shape
{
	[MethodImpl (MethodImplOptions.NoInlining)] public override int virt_3 (int x) { return virt_4 (x) + 1; }
	[MethodImpl (MethodImplOptions.NoInlining)] static int virt_4 (int x) { return x * 7 + 3; }
}

sealed class Square : Shape
{
	[MethodImpl (MethodImplOptions.NoInlining)] public override int virt_3 (int x) { return x + 2; }
}

interface ISide { int iface_3 (int x); }
class One : ISide { [MethodImpl (MethodImplOptions.NoInlining)] public int iface_3 (int x) { return x * 3; } }
class Two : ISide { [MethodImpl (MethodImplOptions.NoInlining)] public int iface_3 (int x) { return x * 5; } }
class Three : ISide { [MethodImpl (MethodImplOptions.NoInlining)] public int iface_3 (int x) { return x * 9; } }
class Box<T> : ISide
{
	static int count;
	[MethodImpl (MethodImplOptions.NoInlining)]
	public int iface_3 (int x) { return typeof (T).Name.Length + x + count++; }
}

static class Callers
{
	const MethodImplOptions Own = MethodImplOptions.NoInlining;
	static volatile int sink;
	static int rounds;

	// Leaves without a frame, of a few instructions: most samples are in a prologue or an epilogue.
	[MethodImpl (Own)] static int tiny_3 (int x) { return x * 3 + 1; }
	[MethodImpl (Own)]
	static int tiny_2 (int x) { int r = 0; for (int i = 0; i < 40; i++) r += tiny_3 (i) ^ x; return r; }
	[MethodImpl (Own)] static int tiny_1 () { int r = 0; for (int i = 0; i < 40; i++) r += tiny_2 (i); return r; }

	// Frames without a frame pointer, two in a row.
	[MethodImpl (Own)] static int thin_5 (int x) { return x + 9; }
	[MethodImpl (Own)] static int thin_4 (int x) { return thin_5 (x) + 1; }
	[MethodImpl (Own)] static int thin_3 (int x) { return thin_4 (x) + 2; }
	[MethodImpl (Own)] static int thin_2 (int x) { return thin_3 (x) + 3; }
	[MethodImpl (Own)] static int thin_1 () { int r = 0; for (int i = 0; i < 600; i++) r += thin_2 (i); return r; }

	// All saved registers are saved.
	[MethodImpl (Own)] static int saves_4 (int x) { return x ^ 5; }
	[MethodImpl (Own)]
	static int saves_3 (int a, int b, int c, int d, int e, int f)
	{
		return saves_4 (a) * b + saves_4 (c) * d + saves_4 (e) * f + saves_4 (f) * a + (a ^ b ^ c ^ d ^ e ^ f);
	}
	[MethodImpl (Own)] static int saves_2 (int x) { return saves_3 (x, x + 1, x + 2, x + 3, x + 4, x + 5) + 1; }
	[MethodImpl (Own)] static int saves_1 () { int r = 0; for (int i = 0; i < 300; i++) r += saves_2 (i); return r; }

	// Locals that take pages: probed on entry.
	[MethodImpl (Own)] static unsafe void pages_4 (byte* p, int n) { p[n] = 1; p[0]++; }
	[MethodImpl (Own)]
	static unsafe int pages_3 (int x)
	{
		Big big;
		pages_4 (big.Bytes, x & 1023);
		return big.Bytes[x & 1023];
	}
	[MethodImpl (Own)]
	[SkipLocalsInit]
	static unsafe int pages_2 (int x)
	{
		Small small;
		pages_3b ((byte*) &small, x & 15);
		return pages_3 (x) + small.Bytes[1];
	}
	[MethodImpl (Own)] static unsafe void pages_3b (byte* p, int n) { p[n]++; }
	[MethodImpl (Own)] static int pages_1 () { int r = 0; for (int i = 0; i < 6; i++) r += pages_2 (i); return r; }
	unsafe struct Big { public fixed byte Bytes[40000]; }
	unsafe struct Small { public fixed byte Bytes[9000]; }

	// Space taken while the method runs.
	[MethodImpl (Own)]
	static unsafe int alloca_3 (byte* p, int n) { int r = 0; for (int i = 0; i < n; i++) r += p[i]; return r; }
	[MethodImpl (Own)]
	static unsafe int alloca_2 (int n) { byte* p = stackalloc byte[n]; p[0] = 3; return alloca_3 (p, n) + 1; }
	[MethodImpl (Own)]
	static int alloca_1 () { int r = 0; for (int i = 1; i < 60; i++) r += alloca_2 (i * 3); return r; }

	// Structs by value and by hidden reference, arguments on the stack.
	[MethodImpl (Own)] static Four structs_3 (Four a, Four b, int x) { a.A += b.B + x; return a; }
	[MethodImpl (Own)]
	static long structs_2 (int x)
	{
		Four f = new Four { A = x, B = 2 };
		f = structs_3 (f, f, x);
		return f.A + structs_3 (f, f, 1).B;
	}
	[MethodImpl (Own)]
	static int structs_1 () { long r = 0; for (int i = 0; i < 300; i++) r += structs_2 (i); return (int) r; }

	// Floating point, with 256-bit registers where there are any.
	[MethodImpl (Own)]
	static float wide_3 (float[] a, float[] b)
	{
		float r = 0;
		for (int i = 0; i < a.Length; i += System.Numerics.Vector<float>.Count)
			r += System.Numerics.Vector.Dot (new System.Numerics.Vector<float> (a, i),
				new System.Numerics.Vector<float> (b, i));
		return r;
	}
	static readonly float[] floats = new float[64];
	[MethodImpl (Own)] static float wide_2 (float x) { return wide_3 (floats, floats) + x; }
	[MethodImpl (Own)]
	static int wide_1 () { float r = 0; for (int i = 0; i < 150; i++) r += wide_2 (i); return (int) r; }

	// Recursion, and in turn: two of the same in a row would be one that was left out.
	[MethodImpl (Own)] static int even (int n) { return n == 0 ? 1 : odd (n - 1) + 1; }
	[MethodImpl (Own)] static int odd (int n) { return n == 0 ? 0 : even (n - 1) * 3; }
	[MethodImpl (Own)] static int turn_1 () { int r = 0; for (int i = 0; i < 12; i++) r += even (60) + 1; return r; }

	// Virtual, interface (few and many classes), shared generic.
	static readonly Shape[] shapes = { new Round (), new Square (), new Round () };
	static readonly ISide[] sides = { new One (), new Two (), new Three (), new Box<string> (),
		new Box<object> (), new Box<int> () };
	[MethodImpl (Own)] static int virt_2 (Shape s, int x) { return s.virt_3 (x) + 1; }
	[MethodImpl (Own)]
	static int virt_1 () { int r = 0; for (int i = 0; i < 400; i++) r += virt_2 (shapes[i % 3], i); return r; }
	[MethodImpl (Own)] static int iface_2 (ISide s, int x) { return s.iface_3 (x) + 1; }
	[MethodImpl (Own)]
	static int iface_1 ()
	{
		int r = 0;
		for (int i = 0; i < 400; i++) r += iface_2 (sides[i % sides.Length], i);
		return r;
	}
	[MethodImpl (Own)] static int gen_3<T> (T x) { return x == null ? 0 : typeof (T) == typeof (int) ? 4 : 5; }
	[MethodImpl (Own)] static int gen_2<T> (T x) { return gen_3<T> (x) + gen_3<T> (x); }
	[MethodImpl (Own)]
	static int gen_1 ()
	{
		int r = 0;
		for (int i = 0; i < 300; i++) r += gen_2 ("a") + gen_2 (3) + gen_2 (new object ()) + gen_2 (2.0);
		return r;
	}

	// A call that may replace the frame of its caller.
	[MethodImpl (Own)] static int tail_4 (int x, int y) { return x * y + 3; }
	[MethodImpl (Own)] static int tail_3t (int x, int y) { return tail_4 (x + 1, y ^ 3); }
	[MethodImpl (Own)] static int tail_2 (int x) { return tail_3t (x, x + 2) + 1; }
	[MethodImpl (Own)] static int tail_1 () { int r = 0; for (int i = 0; i < 600; i++) r += tail_2 (i); return r; }

	// Loops that run long on their first call: their code is replaced while they run. Each type has code of its own.
	[MethodImpl (Own)] static int osr_3 (int x) { return x * 5 + 1; }
	[MethodImpl (Own)]
	static int osr_2<T> (int n)
	{
		int r = 0;
		T t = default (T);
		for (int i = 0; i < n; i++) r += osr_3 (i) + (t == null ? 1 : 0);
		return r;
	}
	[MethodImpl (Own)]
	static int osr_2m<T> (int n, int a, int b, int c)
	{
		int r = 0;
		Four f = new Four ();
		for (int i = 0; i < n; i++) {
			f.A += osr_3 (i) + a;
			r += osr_3 (b + i) * c;
			if ((i & 7) == 0) r += osr_3 (r);
		}
		return r + (int) f.A + typeof (T).Name.Length;
	}
	[MethodImpl (Own)]
	static int osr_1 ()
	{
		int r = 0;
		Type type = typeof (int);
		var flags = BindingFlags.Static | BindingFlags.NonPublic;
		MethodInfo one = typeof (Callers).GetMethod ("osr_2", flags), two = typeof (Callers).GetMethod ("osr_2m",
			flags);
		type = wraps[Math.Min (rounds, wraps.Length - 1)];
		if (type == null)
			return 0;
		r += ((Func<int, int>) Delegate.CreateDelegate (typeof (Func<int, int>),
			one.MakeGenericMethod (type))) (4000000);
		r += ((Func<int, int, int, int, int>) Delegate.CreateDelegate (typeof (Func<int, int, int, int, int>),
			two.MakeGenericMethod (type))) (2000000, 1, 2, 3);
		return r;
	}
	static readonly Type[] wraps = MakeTypes (60);
	static Type[] MakeTypes (int n)
	{
		var list = new Type[n];
		Type type = typeof (int);
		for (int i = 0; i < n - 1; i++)
			list[i] = type = typeof (Wrap<>).MakeGenericType (type);
		return list;
	}

	// Handlers: what is called from catch, filter and finally.
	[MethodImpl (Own)]
	static int catch_3 (int x) { int r = 0; for (int i = 0; i < 300; i++) r += catch_4 (i) + x; return r; }
	[MethodImpl (Own)] static int catch_4 (int x) { return x ^ 3; }
	[MethodImpl (Own)] static void catch_throws (int x) { if (x >= 0) throw new InvalidOperationException (); }
	[MethodImpl (Own)]
	static int catch_2 (int x)
	{
		try { catch_throws (x); return 1; } catch (InvalidOperationException) { return catch_3 (x) + 1; }
	}
	[MethodImpl (Own)] static int catch_1 () { int r = 0; for (int i = 0; i < 8; i++) r += catch_2 (i); return r; }
	[MethodImpl (Own)]
	static bool filter_3 (int x) { int r = 0; for (int i = 0; i < 300; i++) r += filter_4 (i) + x; return r != 1; }
	[MethodImpl (Own)] static int filter_4 (int x) { return x ^ 5; }
	[MethodImpl (Own)]
	static int filter_2 (int x)
	{
		try { catch_throws (x); return 1; } catch (InvalidOperationException) when (filter_3 (x)) { return 2; }
	}
	[MethodImpl (Own)] static int filter_1 () { int r = 0; for (int i = 0; i < 8; i++) r += filter_2 (i); return r; }
	[MethodImpl (Own)] static int finally_3 (int x) { return x * 3; }
	[MethodImpl (Own)]
	static int finally_2 (int x)
	{
		int r = 0;
		try { r = finally_3 (x); } finally { r += finally_3 (r); sink = r; }
		return r;
	}
	[MethodImpl (Own)]
	static int finally_1 () { int r = 0; for (int i = 0; i < 600; i++) r += finally_2 (i); return r; }
	[MethodImpl (Own)] static int fault_4 (int x) { return x ^ 9; }
	[MethodImpl (Own)]
	static int fault_3 (int x) { int r = 0; for (int i = 0; i < 300; i++) r += fault_4 (i) + x; return r; }
	[MethodImpl (Own)]
	static int fault_2 (int x)
	{
		int r = 0;
		try { try { catch_throws (x); } finally { r = fault_3 (x); } } catch (InvalidOperationException) { r++; }
		return r;
	}
	[MethodImpl (Own)] static int fault_1 () { int r = 0; for (int i = 0; i < 8; i++) r += fault_2 (i); return r; }

	// Out and in again.
	delegate int Compare (IntPtr a, IntPtr b);
	[DllImport ("libc", EntryPoint = "qsort")] static extern unsafe void native_sort (int* items, nint count,
		nint size, Compare compare);
	[DllImport ("libc", EntryPoint = "qsort")] static extern unsafe void native_sort2 (int* items, nint count,
		nint size, delegate* unmanaged<int*, int*, int> compare);
	[DllImport ("libc", EntryPoint = "toupper"), SuppressGCTransition] static extern int native_toupper (int c);
	[DllImport ("libc", EntryPoint = "strtol",
		CharSet = CharSet.Ansi)] static extern nint native_strtol (string text, IntPtr end, int numeric_base);
	[MethodImpl (Own)] static unsafe int pinvoke_3 (IntPtr a, IntPtr b) { return pinvoke_4 (*(int*) a, *(int*) b); }
	[MethodImpl (Own)] static int pinvoke_4 (int a, int b) { return a < b ? -1 : a > b ? 1 : 0; }
	static readonly Compare compare = pinvoke_3;
	[MethodImpl (Own)]
	static unsafe int pinvoke_2 (int x)
	{
		int* items = stackalloc int[24];
		for (int i = 0; i < 24; i++) items[i] = (i * x) % 24;
		native_sort (items, 24, 4, compare);
		return items[3];
	}
	[MethodImpl (Own)]
	static int pinvoke_1 () { int r = 0; for (int i = 1; i < 8; i++) r += pinvoke_2 (i); return r; }
	[UnmanagedCallersOnly] static unsafe int unmanaged_3 (int* a, int* b) { return unmanaged_4 (*a, *b); }
	[MethodImpl (Own)] static int unmanaged_4 (int a, int b) { return a < b ? -1 : a > b ? 1 : 0; }
	[MethodImpl (Own)]
	static unsafe int unmanaged_2 (int x)
	{
		int* items = stackalloc int[24];
		for (int i = 0; i < 24; i++) items[i] = (i * x) % 24;
		native_sort2 (items, 24, 4, &unmanaged_3);
		return items[3];
	}
	[MethodImpl (Own)]
	static int unmanaged_1 () { int r = 0; for (int i = 1; i < 8; i++) r += unmanaged_2 (i); return r; }
	[MethodImpl (Own)]
	static int plain_2 (int x) { return native_toupper (x) + (int) native_strtol ("1234567", IntPtr.Zero, 10); }
	[MethodImpl (Own)] static int plain_1 () { int r = 0; for (int i = 0; i < 100; i++) r += plain_2 (i); return r; }

	// Delegates: closed, open, of several; lambdas are checked by the method that they call.
	[MethodImpl (Own)] static int deleg_3 (int x) { return x + 3; }
	[MethodImpl (Own)] static int deleg_2 (Func<int, int> f, int x) { return f (x) + 1; }
	static readonly Func<int, int> open_delegate = deleg_3;
	static readonly Func<int, int> many = (Func<int, int>) Delegate.Combine (new Func<int, int> (deleg_3),
		new Func<int, int> (deleg_3));
	[MethodImpl (Own)]
	static int deleg_1 ()
	{
		int r = 0;
		for (int i = 0; i < 300; i++) r += deleg_2 (open_delegate, i) + deleg_2 (many, i);
		return r;
	}
	[MethodImpl (Own)] static int lambda_3 (int x) { return x * 3; }
	[MethodImpl (Own)]
	static int lambda_2 (int[] list, int k)
	{
		return list.Select (x => lambda_3 (x) + k).Where (x => (x & 1) == 0).Sum ();
	}
	static readonly int[] numbers = Enumerable.Range (0, 30).ToArray ();
	[MethodImpl (Own)]
	static int lambda_1 () { int r = 0; for (int i = 0; i < 20; i++) r += lambda_2 (numbers, i); return r; }

	// In the framework's code (compiled ahead), and in the runtime's own.
	struct Key : IComparable<Key> { public int N; [MethodImpl (Own)] public int CompareTo (Key other)
	{
		return sort_3 (N, other.N);
		}
	}
	[MethodImpl (Own)] static int sort_3 (int a, int b) { return a.CompareTo (b); }
	[MethodImpl (Own)] static int sort_2 (Key[] keys) { Array.Sort (keys); return keys[0].N; }
	[MethodImpl (Own)]
	static int sort_1 ()
	{
		var keys = new Key[40];
		for (int i = 0; i < 40; i++) keys[i].N = (i * 17) % 40;
		return sort_2 (keys) + 1;
	}
	[MethodImpl (Own)]
	static int text_2 (int x)
	{
		return (x.ToString () + "/" + (x * 3.5).ToString ("F2")).GetHashCode () + string.Format ("{0:x}", x).Length;
	}
	[MethodImpl (Own)] static int text_1 () { int r = 0; for (int i = 0; i < 30; i++) r += text_2 (i); return r; }
	[MethodImpl (Own)]
	static int alloc_2 (int n)
	{
		var list = new List<object> ();
		for (int i = 0; i < n; i++) list.Add (new byte[i]);
		return list.Count;
	}
	[MethodImpl (Own)] static int alloc_1 () { int r = 0; for (int i = 0; i < 10; i++) r += alloc_2 (60); return r; }
	[MethodImpl (Own)]
	static int casts_3 (object o) { return o is ISide s ? casts_4 (s) : o is string t ? t.Length : 1; }
	[MethodImpl (Own)] static int casts_4 (ISide s) { return 3; }
	static readonly object[] things = { "abc", new One (), 3, new Box<string> (), new object () };
	[MethodImpl (Own)] static int casts_2 (int x) { return casts_3 (things[x % things.Length]) + 1; }
	[MethodImpl (Own)] static int casts_1 () { int r = 0; for (int i = 0; i < 300; i++) r += casts_2 (i); return r; }
	static object barrier_field;
	static readonly object[] cells = new object[16];
	[MethodImpl (Own)] static void barrier_3 (object o, int x) { barrier_field = o; cells[x & 15] = o; }
	[MethodImpl (Own)] static int barrier_2 (int x) { barrier_3 (things[x % 5], x); return x + 1; }
	[MethodImpl (Own)]
	static int barrier_1 () { int r = 0; for (int i = 0; i < 600; i++) r += barrier_2 (i); return r; }

	// A frame that goes on elsewhere: only what runs before the first await has its callers on the stack.
	[MethodImpl (Own)]
	static int async_3 (int x) { int r = 0; for (int i = 0; i < 100; i++) r += async_4 (i) ^ x; return r; }
	[MethodImpl (Own)] static int async_4 (int x) { return x * 3; }
	[MethodImpl (Own)]
	static async Task<int> async_2 (int x) { int r = async_3 (x); if (x < 0) await Task.Yield (); return r; }
	[MethodImpl (Own)]
	static int async_1 () { int r = 0; for (int i = 0; i < 20; i++) r += async_2 (i).Result; return r; }

	// Another thread, whose root is not Main.
	static volatile bool over;
	[MethodImpl (Own)] static int thread_3 (int x) { return x * 3; }
	[MethodImpl (Own)] static int thread_2 (int x) { return thread_3 (x) + 1; }
	static void thread_1 ()
	{
		int r = 0;
		while (!over) { for (int i = 0; i < 1000; i++) r += thread_2 (i); Thread.Sleep (1); }
		sink = r;
	}

	// Thousands of frames; and more than there is room for.
	[MethodImpl (Own)] static int overflow_1 (int n) { return overflow_1 (n + 1) + n; }
	[MethodImpl (Own)] static int down_2 (int n) { return n == 0 ? deep_3 (n) : down_2 (n - 1) + 1; }
	[MethodImpl (Own)]
	static int deep_3 (int x) { int r = 0; for (int i = 0; i < 300000; i++) r += deep_4 (i) ^ x; return r; }
	[MethodImpl (Own)] static int deep_4 (int x) { return x * 3; }
	[MethodImpl (Own)]
	static void deep_1 (double seconds)
	{
		for (var watch = Stopwatch.StartNew (); watch.Elapsed.TotalSeconds < seconds; )
			sink += down_2 (300) + down_2 (3000) + down_2 (9000);
	}

	static void Main (string[] args)
	{
		if (args.Length > 0 && args[0] == "overflow")
			overflow_1 (1);
		if (args.Length > 0 && args[0] == "deep") {
			deep_1 (double.Parse (args[1]));
			Console.WriteLine ("done");
			return;
		}
		long limit = args.Length > 1 && args[0] == "rounds" ? long.Parse (args[1]) : 0;
		double seconds = limit > 0 ? 0 : args.Length > 0 ? double.Parse (args[0]) : 5;
		Func<int>[] all = { tiny_1, thin_1, saves_1, pages_1, alloca_1, structs_1, wide_1, turn_1, virt_1,
			iface_1, gen_1, tail_1,
			osr_1, catch_1, filter_1, finally_1, fault_1, pinvoke_1, unmanaged_1, plain_1, deleg_1, lambda_1,
				sort_1, text_1,
			alloc_1, casts_1, barrier_1, async_1 };
		var other = new Thread (thread_1);
		other.Start ();
		var watch = Stopwatch.StartNew ();
		for (rounds = 0; rounds < limit || watch.Elapsed.TotalSeconds < seconds; rounds++)
			foreach (var one in all) {
				var turn = Stopwatch.StartNew ();
				do
					sink += one ();
				while (limit == 0 && turn.ElapsedMilliseconds < 5 && one != osr_1);
			}
		over = true;
		other.Join ();
		Console.WriteLine ("done");
	}
}
