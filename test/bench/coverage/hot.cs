// SPDX-License-Identifier: MIT
// Hot loops, each the best of seven runs after the compiler has had its time; coverage.py does not run it: see
// doc/performance.md.
using System;
using System.Diagnostics;
class Hot {
	static int Fib (int n) { if (n < 2) return n; return Fib (n - 1) + Fib (n - 2); }
	static long Loop (int n) {
		long s = 0;
		for (int i = 0; i < n; i++) {
			s += i;
			if ((i & 7) == 3)
				s ^= i;
		}
		return s;
	}
	static int Sieve (bool[] a) {
		int count = 0;
		Array.Clear (a, 0, a.Length);
		for (int i = 2; i < a.Length; i++) {
			if (a[i])
				continue;
			count++;
			for (int j = i * 2; j < a.Length; j += i)
				a[j] = true;
		}
		return count;
	}
	static double Matrix (double[,] a, double[,] b, double[,] c, int n) {
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++) {
				double s = 0;
				for (int k = 0; k < n; k++)
					s += a[i, k] * b[k, j];
				c[i, j] = s;
			}
		return c[n - 1, n - 1];
	}
	struct V { int x; public int X { get { return x; } set { x = value; } } }
	static int Props (int n) {
		V v = new V ();
		for (int i = 0; i < n; i++)
			v.X = v.X + 1;
		return v.X;
	}
	static int Hash (string s, int n) {
		int h = 0;
		for (int i = 0; i < n; i++)
			foreach (char c in s)
				h = h * 31 + c;
		return h;
	}
	static void Time (string name, Action a) {
		double best = 1e9;
		a ();
		a ();
		System.Threading.Thread.Sleep (150);
		a ();
		for (int i = 0; i < 7; i++) {
			var watch = Stopwatch.StartNew ();
			a ();
			best = Math.Min (best, watch.Elapsed.TotalMilliseconds);
		}
		Console.WriteLine ("{0,-8} {1,8:f2}", name, best);
	}
	static void Main () {
		var a = new bool[200000];
		var m = new double[100, 100];
		var m2 = new double[100, 100];
		var m3 = new double[100, 100];
		Time ("fib", () => Fib (28));
		Time ("loop", () => Loop (10000000));
		Time ("sieve", () => Sieve (a));
		Time ("matrix", () => Matrix (m, m2, m3, 100));
		Time ("props", () => Props (10000000));
		Time ("hash", () => Hash ("the quick brown fox", 500000));
	}
}
