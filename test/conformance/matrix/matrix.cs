// SPDX-License-Identifier: MIT
// Leads the module matrix.c through the contexts, one at a time.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Space
{
	public class MarkedAttribute : Attribute
	{
		public MarkedAttribute (int number)
		{
		}
	}

	public interface IThing
	{
	}

	[Marked (1)]
	public class Subject : IThing
	{
		[Marked (2)]
		public int Field;
		public static int Shared;
		public int? Maybe;

		[Marked (3)]
		public string Property { get; set; }

		[Marked (4)]
		public event Action Happened;

		public class Nested
		{
		}

		[Marked (5)]
		[MethodImpl (MethodImplOptions.NoInlining)]
		public int Method ([Marked (6)] string text, int[] numbers)
		{
			int sum = Maybe.HasValue ? 100 : 0;
			try {
				sum += text.Length + numbers.Length + Field;
			} finally {
				sum += Happened == null ? 0 : 1000;
			}
			return sum;
		}
	}

	public class Special : Exception
	{
		public string Text = "text";
		public int[] Numbers = { 10, 20, 30 };
		public object Boxed = 40;
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
		throw new Space.Special ();
	}

	static void Catches ()
	{
		try {
			Throws ();
		} catch (Space.Special) {
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
		Space.Subject.Shared = 5;
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
