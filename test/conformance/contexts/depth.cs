// SPDX-License-Identifier: MIT
//
// depth.cs - how much stack a call takes that has ten arguments, one of them a struct of 60 bytes.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

public struct Sixty {
	public int A, B, C, D, E, F, G, H, I, J, K, L, M, N, O;
}

public static unsafe class Depth {
	static long top, bottom;
	static int frames;

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Recurse (int n, long a, string b, Sixty c, double d, object e, int f, int g, byte h, string i)
	{
		frames++;
		bottom = (long) &n;
		if (top == 0)
			top = bottom;
		RuntimeHelpers.EnsureSufficientExecutionStack ();
		return Recurse (n + 1, a + n, b, c, d, e, f, g, h, i) + n + c.A + f + g + h;
	}

	public static void Main ()
	{
		Thread thread = new Thread (() => {
			try {
				Recurse (0, 0, "b", new Sixty { A = 1 }, 1.5, null, 2, 3, 4, "i");
			} catch (InsufficientExecutionStackException) {
			}
		}, 1536 * 1024);
		thread.Start ();
		thread.Join ();
		Console.WriteLine ("{0} frames of {1} bytes", frames, (top - bottom) / (frames - 1));
	}
}
