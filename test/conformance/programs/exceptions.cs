// SPDX-License-Identifier: MIT
// Every way out of a method that is not a return. Each case has methods of its own, so that their counts can be
// compared one by one; nothing here depends on line numbers, inlining or timing.
using System;
using System.Collections.Generic;
using System.Reflection;

public class Oops : Exception
{
	public readonly int Code;

	public Oops (int code) : base ("oops " + code)
	{
		Code = code;
	}
}

public static class ThroughTenFrames
{
	static int Down (int depth)
	{
		if (depth == 0)
			throw new Oops (10);
		return Down (depth - 1) + 1;
	}

	static int Catch (int depth)
	{
		try {
			return Down (depth);
		} catch (Oops e) {
			return e.Code;
		}
	}

	public static int Run ()
	{
		int sum = 0;
		for (int i = 0; i < 20; i++)
			sum += Catch (9);
		return sum;
	}
}

public static class Finally
{
	static int counter;

	static void Cleanup ()
	{
		counter++;
	}

	static void Throws (int n)
	{
		try {
			if (n % 2 == 0)
				throw new Oops (n);
			counter += 10;
		} finally {
			Cleanup ();
		}
	}

	static void Middle (int n)
	{
		try {
			Throws (n);
		} finally {
			Cleanup ();
		}
	}

	static void Swallow (int n)
	{
		try {
			Middle (n);
		} catch (Oops) {
			counter += 1000;
		}
	}

	public static int Run ()
	{
		for (int i = 0; i < 10; i++)
			Swallow (i);
		return counter;
	}
}

public static class ThrowInFinally
{
	static void First ()
	{
		throw new Oops (1);
	}

	static void Second ()
	{
		throw new Oops (2);
	}

	static void Supersede ()
	{
		try {
			First ();
		} finally {
			Second ();
		}
	}

	static void CaughtInside ()
	{
		try {
			First ();
		} finally {
			try {
				Second ();
			} catch (Oops) {
			}
		}
	}

	static int Code (Action action)
	{
		try {
			action ();
		} catch (Oops e) {
			return e.Code;
		}
		return 0;
	}

	public static int Run ()
	{
		return Code (Supersede) * 10 + Code (CaughtInside);
	}
}

public static class Filters
{
	static bool Accept (Oops e, int code)
	{
		return e.Code == code;
	}

	static void Throw (int code)
	{
		throw new Oops (code);
	}

	static int Inner (int code)
	{
		try {
			Throw (code);
		} catch (Oops e) when (Accept (e, 1)) {
			return 1;
		} catch (Oops e) when (Accept (e, 2)) {
			return 2;
		}
		return 0;
	}

	static int Outer (int code)
	{
		try {
			return Inner (code);
		} catch (Oops e) when (Accept (e, 3)) {
			return 3;
		} catch (Exception) {
			return 4;
		}
	}

	public static int Run ()
	{
		return Outer (1) * 1000 + Outer (3) * 100 + Outer (5) * 10 + Inner (2);
	}
}

// A filter that throws counts as one that refuses.
public static class ThrowingFilter
{
	static bool Bad (Oops e)
	{
		throw new InvalidOperationException ("filter");
	}

	static void Throw (int code)
	{
		throw new Oops (code);
	}

	static int Inner (int code)
	{
		try {
			Throw (code);
		} catch (Oops e) when (Bad (e)) {
			return 2;
		}
		return 0;
	}

	public static int Run ()
	{
		try {
			return Inner (1);
		} catch (Exception) {
			return 4;
		}
	}
}

public static class Rethrow
{
	static void Throw ()
	{
		throw new Oops (7);
	}

	static void Same ()
	{
		try {
			Throw ();
		} catch (Oops) {
			throw;
		}
	}

	static void Wrapped ()
	{
		try {
			Same ();
		} catch (Oops e) {
			throw new InvalidOperationException ("wrapped", e);
		}
	}

	static int Catch ()
	{
		try {
			Wrapped ();
		} catch (InvalidOperationException e) {
			return ((Oops) e.InnerException).Code;
		}
		return 0;
	}

	public static int Run ()
	{
		int sum = 0;
		for (int i = 0; i < 5; i++)
			sum += Catch ();
		return sum;
	}
}

public static class Nested
{
	static void Throw (int code)
	{
		throw new Oops (code);
	}

	// An exception is thrown, travels and is caught while another one is being handled.
	static int InsideCatch (int depth)
	{
		try {
			Throw (depth);
		} catch (Oops e) {
			return e.Code + (depth > 0 ? InsideCatch (depth - 1) : 0);
		}
		return -1;
	}

	static int LoopWithTry (int n)
	{
		int caught = 0;
		for (int i = 0; i < n; i++) {
			try {
				if (i % 3 == 0)
					Throw (i);
			} catch (Oops) {
				caught++;
				continue;
			}
			caught += 100;
		}
		return caught;
	}

	public static int Run ()
	{
		return InsideCatch (4) + LoopWithTry (9);
	}
}

public static class Hardware
{
	class Box
	{
		public int Value;
	}

	static int Null (Box box)
	{
		return box.Value;
	}

	static int Divide (int a, int b)
	{
		return a / b;
	}

	static int Bounds (int[] array, int index)
	{
		return array[index];
	}

	static string Cast (object o)
	{
		return (string) o;
	}

	static int Over (int a)
	{
		return checked (a + 1);
	}

	static string Caught (Func<object> action)
	{
		try {
			return action ().ToString ();
		} catch (Exception e) {
			return e.GetType ().Name;
		}
	}

	public static string Run ()
	{
		return string.Join (",", Caught (() => Null (null)), Caught (() => Divide (1, 0)),
			Caught (() => Bounds (new int[2], 2)), Caught (() => Cast (new Box ())),
			Caught (() => Over (int.MaxValue)), Caught (() => Null (new Box { Value = 5 })));
	}
}

public static class Constructors
{
	class FailsInConstructor
	{
		public FailsInConstructor (int n)
		{
			if (n > 0)
				throw new Oops (n);
		}
	}

	class FailsInField : FailsInConstructor
	{
		readonly int field = Compute ();

		static int Compute ()
		{
			return 3;
		}

		public FailsInField () : base (4)
		{
		}

		public override string ToString ()
		{
			return field.ToString ();
		}
	}

	static class FailsInStatic
	{
		public static readonly int Value = Fail ();

		static int Fail ()
		{
			throw new Oops (6);
		}
	}

	static string Name (Func<object> action)
	{
		try {
			return action ().GetType ().Name;
		} catch (Exception e) {
			return e.GetType ().Name;
		}
	}

	public static string Run ()
	{
		return string.Join (",", Name (() => new FailsInConstructor (0)), Name (() => new FailsInConstructor (1)),
			Name (() => new FailsInField ()), Name (() => FailsInStatic.Value), Name (() => FailsInStatic.Value));
	}
}

public static class ThroughFramework
{
	static int Compare (string a, string b)
	{
		throw new Oops (8);
	}

	public static int Invoked ()
	{
		throw new Oops (9);
	}

	// The exception crosses frames of the framework that are not instrumented.
	static string Sort ()
	{
		try {
			new List<string> { "b", "a" }.Sort (Compare);
		} catch (InvalidOperationException e) {
			return e.InnerException.Message;
		}
		return "";
	}

	static string Invoke ()
	{
		try {
			typeof (ThroughFramework).GetMethod ("Invoked").Invoke (null, null);
		} catch (TargetInvocationException e) {
			return e.InnerException.Message;
		}
		return "";
	}

	public static string Run ()
	{
		return Sort () + "," + Invoke ();
	}
}

public static class Program
{
	public static int Main ()
	{
		Console.WriteLine ("ThroughTenFrames " + ThroughTenFrames.Run ());
		Console.WriteLine ("Finally " + Finally.Run ());
		Console.WriteLine ("ThrowInFinally " + ThrowInFinally.Run ());
		Console.WriteLine ("Filters " + Filters.Run ());
		Console.WriteLine ("ThrowingFilter " + ThrowingFilter.Run ());
		Console.WriteLine ("Rethrow " + Rethrow.Run ());
		Console.WriteLine ("Nested " + Nested.Run ());
		Console.WriteLine ("Hardware " + Hardware.Run ());
		Console.WriteLine ("Constructors " + Constructors.Run ());
		Console.WriteLine ("ThroughFramework " + ThroughFramework.Run ());
		return 3;
	}
}
