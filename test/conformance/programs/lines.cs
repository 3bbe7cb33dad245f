// SPDX-License-Identifier: MIT
// Stack traces with line numbers: instrumented code must show the lines of the code as it was written. Compiled by
// the SDK's compiler, whose symbols both runtimes read. NoInlining keeps the set of frames the same in every tier.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

public static class Lines
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Throw (int n)
	{
		int a = n * 2;
		a += n > 3 ? 1 : 2;
		if (a > 0)
			throw new InvalidOperationException (
				"thrown on purpose");
		return a;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Middle (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++) {
			sum += i;
			if (sum > 5)
				sum += Throw (i);
		}
		return sum;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int WithFinally (int n)
	{
		try {
			return Middle (n);
		} finally {
			Console.WriteLine ("finally");
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Work ()
	{
		return WithFinally (10);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static T Generic<T> (T value, Func<int> work)
	{
		Console.WriteLine (value);
		work ();
		return value;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Here ()
	{
		var trace = new StackTrace (true);
		for (int i = 0; i < 2; i++)
			Console.WriteLine (trace.GetFrame (i).GetMethod ().Name + ":" + trace.GetFrame (i).GetFileLineNumber ());
	}

	static void Show (Exception e)
	{
		var trace = new StackTrace (e, true);
		for (int i = 0; i < trace.FrameCount; i++) {
			var frame = trace.GetFrame (i);
			Console.WriteLine (frame.GetMethod ().Name + ":" + frame.GetFileLineNumber ());
		}
	}

	public static int Main ()
	{
		Here ();
		try {
			Generic ("value", Work);
		} catch (InvalidOperationException e) {
			Show (e);
		}
		return 0;
	}
}
