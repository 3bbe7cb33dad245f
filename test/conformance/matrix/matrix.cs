// SPDX-License-Identifier: MIT
// Leads the module matrix.c through the contexts, one at a time.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Space
{
	public class Subject
	{
		public int Field;

		[MethodImpl (MethodImplOptions.NoInlining)]
		public int Method (string text, int[] numbers)
		{
			return text.Length + numbers.Length + Field;
		}
	}
}

public static class Program
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	static void VisitSignal ()
	{
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void VisitOwnThread ()
	{
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void ArmThread ()
	{
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void ArmCollection ()
	{
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throws ()
	{
		throw new InvalidOperationException ("on purpose");
	}

	static void Catches ()
	{
		try {
			Throws ();
		} catch (InvalidOperationException) {
		}
	}

	static void StartThread ()
	{
		var thread = new Thread (() => { });
		ArmThread ();
		thread.Start ();
		thread.Join ();
	}

	public static int Main ()
	{
		var subject = new Space.Subject ();
		int sum = subject.Method ("text", new int[3]);
		VisitSignal ();
		VisitOwnThread ();
		Catches ();
		sum += new Space.Subject ().Field;
		ArmCollection ();
		GC.Collect ();
		StartThread ();
		Console.WriteLine (sum);
		return 0;
	}
}
