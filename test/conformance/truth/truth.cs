// SPDX-License-Identifier: MIT
// Burns known shares of its processor time in known methods, measures them with each thread's own clock, and prints
// them: NAME <tab> NANOSECONDS. A sampler has to find the same shares.
//
//   truth.exe SECONDS [THREADS [PERCENT]]
//
// PERCENT makes Victim that much more work than Reference, which does the same otherwise.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

struct Time {
	public long Seconds, Nanoseconds;
}

delegate long Work ();

class Share {
	public string Name;
	public double Wanted;
	public Work Run;
	public long Spent;

	public Share (string name, double wanted, Work run)
	{
		Name = name;
		Wanted = wanted;
		Run = run;
	}
}

// What is called from the batches, each in another shape of machine code.
static class Shapes {
	[MethodImpl (MethodImplOptions.NoInlining)]
	public static long Tiny (long x) { return x * 31 + 7; }

	public static long Inlined (long x) { return x * 33 + 11; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static long Generic<T> (T item, long x) where T : IComparable<T> { return x + item.CompareTo (item) + 1; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static long Spill (long a, long b, long c, long d, long e, long f, long g, long h)
	{
		long x = a ^ b, y = c ^ d, z = e ^ f, w = g ^ h;
		for (int i = 0; i < 4; i++) {
			x += y * a + b;
			y += z * c + d;
			z += w * e + f;
			w += x * g + h;
		}
		return x ^ y ^ z ^ w;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static long Frame (long x)
	{
		Buffer64 b = new Buffer64 ();
		b.A = x;
		b.B = x + 1;
		Fill (ref b);
		return b.A + b.H;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Fill (ref Buffer64 b) { b.H = b.A * b.B; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static long Tier (long x, int seed)
	{
		for (int i = 0; i < 8; i++)
			x = x * 5 + seed;
		return x;
	}
}

struct Buffer64 {
	public long A, B, C, D, E, F, G, H;
}

static class Truth {
	[DllImport ("libc", EntryPoint = "clock_gettime")]
	static extern int ClockGetTime (int clock, out Time time);

	[DllImport ("libc", EntryPoint = "memset")]
	static extern IntPtr MemSet (IntPtr at, int value, IntPtr size);

	static int percent;
	static long sink;

	static long Cpu ()
	{
		Time time;
		ClockGetTime (3, out time); // CLOCK_THREAD_CPUTIME_ID
		return time.Seconds * 1000000000 + time.Nanoseconds;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Loop ()
	{
		long x = 1;
		for (int i = 0; i < 2000000; i++)
			x = x * 6364136223846793005 + 1442695040888963407;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long TinyCalls ()
	{
		long x = 1;
		for (int i = 0; i < 500000; i++)
			x = Shapes.Tiny (x);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long InlinedCalls ()
	{
		long x = 1;
		for (int i = 0; i < 1000000; i++)
			x = Shapes.Inlined (x);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long SharedGenerics ()
	{
		long x = 1;
		for (int i = 0; i < 20000; i++)
			x = Shapes.Generic<string> ("text", x);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long ValueGenerics ()
	{
		long x = 1;
		for (int i = 0; i < 300000; i++)
			x = Shapes.Generic<long> (i, x);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Tiers ()
	{
		long x = 1;
		for (int i = 0; i < 100000; i++)
			x = Shapes.Tier (x, i);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Spills ()
	{
		long x = 1;
		for (int i = 0; i < 50000; i++)
			x = Shapes.Spill (x, i, 3, 4, 5, 6, 7, 8);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Frames ()
	{
		long x = 1;
		for (int i = 0; i < 200000; i++)
			x = Shapes.Frame (x);
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Strings ()
	{
		StringBuilder text = new StringBuilder ();
		for (int i = 0; i < 3000; i++)
			text.Append (i.ToString ()).Append (',');
		return text.ToString ().IndexOf ("2999", StringComparison.Ordinal);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Allocations ()
	{
		long x = 0;
		for (int i = 0; i < 20000; i++)
			x += new byte[64].Length;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Native ()
	{
		IntPtr buffer = Marshal.AllocHGlobal (1 << 16);
		for (int i = 0; i < 500; i++)
			MemSet (buffer, i, new IntPtr (1 << 16));
		Marshal.FreeHGlobal (buffer);
		return 1;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Spin (int rounds)
	{
		long x = 1;
		for (int i = 0; i < rounds; i++)
			x = x * 3 + i;
		return x;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Reference () { return Spin (400000); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Victim () { return Spin (400000 + 4000 * percent); }

	// Reference and Victim run equally often, so that the clock and the sampler say how much slower one of them is.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static long Pair (Share reference, Share victim)
	{
		return Measure (reference) + Measure (victim);
	}

	static long Measure (Share share)
	{
		long before = Cpu ();
		long result = share.Run ();
		share.Spent += Cpu () - before;
		return result;
	}

	static Share[] Shares ()
	{
		return new Share[] {
			new Share ("Loop", 0.24, Loop),
			new Share ("TinyCalls", 0.13, TinyCalls),
			new Share ("InlinedCalls", 0.08, InlinedCalls),
			new Share ("SharedGenerics", 0.06, SharedGenerics),
			new Share ("ValueGenerics", 0.06, ValueGenerics),
			new Share ("Tiers", 0.08, Tiers),
			new Share ("Spills", 0.06, Spills),
			new Share ("Frames", 0.06, Frames),
			new Share ("Strings", 0.07, Strings),
			new Share ("Allocations", 0.03, Allocations),
			new Share ("Native", 0.05, Native),
			new Share ("Reference", 0.04, Reference),
			new Share ("Victim", 0.04, Victim),
		};
	}

	static Share MostBehind (Share[] shares, long spent)
	{
		Share found = shares[0];
		foreach (Share share in shares)
			if (share.Wanted * spent - share.Spent > found.Wanted * spent - found.Spent)
				found = share;
		return found;
	}

	static void Burn (Share[] shares, long nanoseconds)
	{
		Share reference = shares[shares.Length - 2], victim = shares[shares.Length - 1];
		long began = Cpu (), spent = 0;
		while ((spent = Cpu () - began) < nanoseconds) {
			Share next = MostBehind (shares, spent);
			sink += next == reference || next == victim ? Pair (reference, victim) : Measure (next);
		}
	}

	static void Main (string[] arguments)
	{
		double seconds = double.Parse (arguments[0], System.Globalization.CultureInfo.InvariantCulture);
		int count = arguments.Length > 1 ? int.Parse (arguments[1]) : 1;
		percent = arguments.Length > 2 ? int.Parse (arguments[2]) : 0;
		Share[][] all = new Share[count][];
		Thread[] threads = new Thread[count];
		for (int i = 0; i < count; i++) {
			Share[] own = all[i] = Shares ();
			threads[i] = new Thread (delegate () { Burn (own, (long) (seconds * 1e9)); });
			threads[i].Start ();
		}
		foreach (Thread thread in threads)
			thread.Join ();
		for (int s = 0; s < all[0].Length; s++) {
			long spent = 0;
			foreach (Share[] own in all)
				spent += own[s].Spent;
			Console.WriteLine (all[0][s].Name + "\t" + spent);
		}
	}
}
