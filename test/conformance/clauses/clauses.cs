// SPDX-License-Identifier: MIT
//
// clauses.cs - every way into a handler: what modules are told of each must be what real Mono tells, in order.
//
// A method calls Mark () where it matters what comes before and after. Nothing here fails a check that the same method
// catches: Mono compiles such a throw to a jump.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

class Failure : Exception { public int Code; public Failure (int code) : base ("failure " + code) { Code = code; } }
class Other : Exception { }
class Derived : Failure { public Derived () : base (100) { } }

static class Base
{
	public static int Marks;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static void Mark (int place) { Marks += place; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static void Throw (int code)
	{
		switch (code) {
		case 0: return;
		case 1: throw new Failure (1);
		case 2: throw new Other ();
		case 3: throw new Derived ();
		default: throw new Failure (code);
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static bool Yes (int place) { Marks += place; return true; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static bool No (int place) { Marks += place; return false; }
}

/* --- nothing is thrown -------------------------------------------------------------------------------------------- */

static class Normal
{
	static void Falls_through () { try { Base.Mark (1); } finally { Base.Mark (2); } }

	static int Returns (int n)
	{
		try {
			try { if (n > 3) return n; Base.Mark (1); } finally { Base.Mark (2); }
			return 1;
		} finally { Base.Mark (3); }
	}

	static void Breaks ()
	{
		for (int i = 0; i < 5; i++) {
			try {
				if (i == 1) continue;
				if (i == 3) break;
				Base.Mark (i);
			} finally { Base.Mark (10); }
		}
	}

	static void Side_by_side ()
	{
		try { Base.Mark (1); } finally { Base.Mark (2); }
		try { Base.Mark (3); } finally { Base.Mark (4); }
	}

	static void Inside_finally ()
	{
		try { Base.Mark (1); }
		finally {
			try { Base.Mark (2); } finally { Base.Mark (3); }
			Base.Mark (4);
		}
	}

	static void Empty () { try { } finally { Base.Mark (1); } }
	static void Does_nothing () { try { Base.Mark (1); } finally { } }

	static void Goes_out ()
	{
		int n = 0;
	again:
		try {
			try { if (n++ < 2) goto again; } finally { Base.Mark (1); }
		} finally { Base.Mark (2); }
	}

	static void Locks (object token) { lock (token) { Base.Mark (1); } }

	static int Uses ()
	{
		using (var a = new Used (1))
		using (var b = new Used (2))
			return a.Number + b.Number;
	}

	static int Iterates ()
	{
		int sum = 0;
		foreach (int n in new List<int> { 1, 2, 3 })
			sum += n;
		foreach (int n in (IEnumerable<int>) new [] { 4, 5 })
			sum += n;
		return sum;
	}

	static int Recurses (int depth)
	{
		try { return depth == 0 ? 0 : 1 + Recurses (depth - 1); } finally { Base.Mark (depth); }
	}

	static void Catches_nothing ()
	{
		try { Base.Mark (1); } catch (Failure) { Base.Mark (2); } finally { Base.Mark (3); }
	}

	static int Hot (int n) { try { return n + 1; } finally { sum += n; } }
	static int sum;

	public static void Run ()
	{
		Falls_through ();
		Returns (1);
		Returns (5);
		Breaks ();
		Side_by_side ();
		Inside_finally ();
		Empty ();
		Does_nothing ();
		Goes_out ();
		Locks (new object ());
		Uses ();
		Iterates ();
		Recurses (3);
		Catches_nothing ();
		for (int i = 0; i < 40; i++)
			Hot (i);
	}
}

class Used : IDisposable
{
	public int Number;
	public Used (int number) { Number = number; }
	public void Dispose () { Base.Mark (Number); }
}

/* --- caught, unwound ---------------------------------------------------------------------------------------------- */

static class Thrown
{
	static void Catches (int code) { try { Base.Throw (code); } catch (Failure) { Base.Mark (1); } }

	static void Finally (int code) { try { Base.Throw (code); } finally { Base.Mark (1); } }

	static void Nested_finallys (int code)
	{
		try {
			try {
				try { Base.Throw (code); } finally { Base.Mark (1); }
			} finally { Base.Mark (2); }
		} finally { Base.Mark (3); }
	}

	static void Deep (int depth, int code)
	{
		if (depth == 0)
			Base.Throw (code);
		try { Deep (depth - 1, code); } finally { Base.Mark (depth); }
	}

	static void Which (int code)
	{
		try { Base.Throw (code); }
		catch (Derived) { Base.Mark (1); }
		catch (Other) { Base.Mark (2); }
		catch (Failure) { Base.Mark (3); }
	}

	static void All (int code)
	{
		try { Base.Throw (code); } catch (Other) { Base.Mark (1); } catch { Base.Mark (2); } finally { Base.Mark (3); }
	}

	static void Passes_catch (int code) { try { Base.Throw (code); } catch (Other) { Base.Mark (1); } }

	static void Outside_of_try (int code)
	{
		try { Base.Mark (1); } catch (Failure) { Base.Mark (2); } finally { Base.Mark (3); }
		Base.Throw (code);
	}

	static void Inner_catch_fits_not (int code)
	{
		try {
			try { Base.Throw (code); } catch (Other) { Base.Mark (1); } finally { Base.Mark (2); }
		} catch (Failure) { Base.Mark (3); }
	}

	static void Second_in_the_same (int code)
	{
		try { Base.Throw (code); } catch (Failure) { Base.Mark (1); }
		try { Base.Throw (code); } finally { Base.Mark (2); }
	}

	static void Passes_locks (object token, int code) { lock (token) { Base.Throw (code); } }

	static void Passes_using (int code) { using (var a = new Used (7)) Base.Throw (code); }

	static void Null (string text) { try { Base.Mark (text.Length); } catch (NullReferenceException)
		{ Base.Mark (1); } }
	static int Zero (int n) { try { return 10 / n; } catch (DivideByZeroException) { return Base.Marks; } finally
		{ Base.Mark (1); } }

	static void Caught (Action action) { try { action (); } catch (Exception) { Base.Mark (9); } }

	static void Twice ()
	{
		for (int i = 0; i < 2; i++)
			try { Deep (2, 1); } catch (Failure) { Base.Mark (i); }
	}

	public static void Run ()
	{
		Catches (1);
		Caught (() => Catches (2));
		Caught (() => Finally (1));
		Caught (() => Nested_finallys (2));
		Caught (() => Deep (3, 1));
		for (int code = 1; code <= 3; code++)
			Which (code);
		for (int code = 0; code <= 2; code++)
			All (code);
		Caught (() => Passes_catch (1));
		Caught (() => Outside_of_try (1));
		Inner_catch_fits_not (1);
		Caught (() => Inner_catch_fits_not (2));
		Caught (() => Second_in_the_same (1));
		Caught (() => Passes_locks (new object (), 1));
		Caught (() => Passes_using (1));
		Null (null);
		Zero (0);
		Zero (2);
		Twice ();
		Caught (() => Base.Throw (1));
	}
}

/* --- leaving a catch block ---------------------------------------------------------------------------------------- */

static class Leaving
{
	static void Through_finally (int code)
	{
		try { Base.Throw (code); } catch (Failure) { Base.Mark (1); } finally { Base.Mark (2); }
	}

	static int Returns (int code)
	{
		try {
			try { Base.Throw (code); } catch (Failure) { return 1; } finally { Base.Mark (1); }
			return 2;
		} finally { Base.Mark (3); }
	}

	static void Goes_on_in_try (int code)
	{
		try {
			try { Base.Throw (code); } catch (Failure) { Base.Mark (1); }
			Base.Mark (2);
		} finally { Base.Mark (3); }
	}

	static void At_the_end_of_try (int code)
	{
		try {
			try { Base.Throw (code); } catch (Failure) { Base.Mark (1); }
		} finally { Base.Mark (3); }
	}

	static void Retries ()
	{
		for (int i = 3; i >= 0; i--) {
			try { Base.Throw (i); break; } catch (Failure) { if (i == 3) continue; Base.Mark (i); }
			catch (Other) { continue; }
			finally { Base.Mark (10); }
		}
	}

	static int Finally_in_catch (int code)
	{
		try { Base.Throw (code); }
		catch (Failure) {
			try { Base.Mark (1); return 1; } finally { Base.Mark (2); }
		}
		return 0;
	}

	static void Catch_in_catch (int code)
	{
		try { Base.Throw (code); }
		catch (Failure) {
			try { Base.Throw (2); } catch (Other) { Base.Mark (1); } finally { Base.Mark (2); }
			Base.Mark (3);
		}
		finally { Base.Mark (4); }
	}

	static int Out_of_both (int code)
	{
		try {
			try { Base.Throw (code); }
			catch (Failure) {
				try { Base.Throw (2); } catch (Other) { return 5; } finally { Base.Mark (2); }
			}
			finally { Base.Mark (3); }
		} finally { Base.Mark (4); }
		return 0;
	}

	static void Calls_finallys (int depth)
	{
		try { Base.Throw (1); }
		catch (Failure) { Base.Mark (1); }
		finally { if (depth > 0) Calls_finallys (depth - 1); Nothing_thrown (); }
	}

	static void Nothing_thrown () { try { Base.Mark (1); } finally { Base.Mark (2); } }

	static void Called_in_catch ()
	{
		try { Base.Throw (1); } catch (Failure) { Nothing_thrown (); Through_finally (3); }
	}

	static void Try_in_finally (int code)
	{
		try { Base.Throw (code); } catch (Failure) { Base.Mark (1); }
		finally {
			try { Base.Mark (2); } finally { Base.Mark (3); }
			try { Base.Throw (2); } catch (Other) { Base.Mark (4); }
		}
	}

	public static void Run ()
	{
		Through_finally (1);
		Through_finally (0);
		Returns (1);
		Returns (0);
		Goes_on_in_try (1);
		At_the_end_of_try (1);
		Retries ();
		Finally_in_catch (1);
		Catch_in_catch (1);
		Out_of_both (1);
		Calls_finallys (2);
		Called_in_catch ();
		Try_in_finally (1);
		Try_in_finally (0);
	}
}

/* --- filters ------------------------------------------------------------------------------------------------------ */

static class Filters
{
	static void Accepts (int code) { try { Base.Throw (code); } catch (Failure) when (Base.Yes (1)) { Base.Mark (2); } }

	static void Refuses (int code)
	{
		try { Base.Throw (code); } catch (Failure) when (Base.No (1)) { Base.Mark (2); } catch (Failure)
			{ Base.Mark (3); }
	}

	static void Passes (int code) { try { Base.Throw (code); } catch (Failure) when (Base.No (1)) { Base.Mark (2); } }

	static void Several (int code)
	{
		try { Base.Throw (code); }
		catch (Other) when (Base.Yes (1)) { Base.Mark (1); }
		catch (Failure f) when (f.Code == 5 && Base.Yes (2)) { Base.Mark (2); }
		catch (Failure f) when (f.Code == 6 && Base.Yes (3)) { Base.Mark (3); }
		finally { Base.Mark (4); }
	}

	static void With_finallys (int code)
	{
		try {
			try { Base.Throw (code); } finally { Base.Mark (1); }
		} catch (Failure) when (Base.Yes (2)) { Base.Mark (3); } finally { Base.Mark (4); }
	}

	static bool Tries (int n) { try { Base.Mark (n); return n > 1; } finally { Base.Mark (n); } }
	static bool Catches (int n) { try { Base.Throw (2); } catch (Other) { Base.Mark (n); } return n > 1; }

	static void Filter_tries (int code) { try { Base.Throw (code); } catch (Failure) when (Tries (2))
		{ Base.Mark (3); } }
	static void Filter_catches (int code) { try { Base.Throw (code); } catch (Failure) when (Catches (2))
		{ Base.Mark (3); } }

	static void Outer (int code)
	{
		try { Passes (code); } catch (Failure) when (Tries (1)) { Base.Mark (1); } catch (Failure) when (Catches (2))
			{ Base.Mark (2); }
	}

	static void Rethrows (int code)
	{
		try { Base.Throw (code); } catch (Failure) when (Base.Yes (1)) { Base.Mark (2); throw; }
	}

	static void Caught (Action action) { try { action (); } catch (Exception) { Base.Mark (9); } }

	public static void Run ()
	{
		Accepts (1);
		Caught (() => Accepts (2));
		Refuses (1);
		Caught (() => Passes (1));
		for (int code = 5; code <= 7; code++)
			Caught (() => Several (code));
		Several (2);
		With_finallys (1);
		Filter_tries (1);
		Filter_catches (1);
		Outer (1);
		Caught (() => Rethrows (1));
	}
}

/* --- one exception after another ---------------------------------------------------------------------------------- */

static class Again
{
	static void Rethrows (int code)
	{
		try { Base.Throw (code); } catch (Failure) { Base.Mark (1); throw; } finally { Base.Mark (2); }
	}

	static void Throws_itself (int code)
	{
		try { Base.Throw (code); } catch (Failure f) { Base.Mark (1); throw f; }
	}

	static void Throws_another (int code)
	{
		try { Base.Throw (code); } catch (Failure) { Base.Throw (2); } finally { Base.Mark (2); }
	}

	static void Wraps (int code)
	{
		try { Base.Throw (code); } catch (Failure f) { throw new InvalidOperationException ("wrapped", f); }
	}

	static void Finally_throws (int code)
	{
		try { Base.Throw (code); } finally { Base.Throw (2); }
	}

	static void Finally_throws_in_try (int code)
	{
		try {
			try { Base.Throw (code); } finally { Base.Throw (2); }
		} catch (Other) { Base.Mark (1); } finally { Base.Mark (2); }
	}

	static void Finally_catches (int code)
	{
		try { Base.Throw (code); }
		finally {
			try { Base.Throw (2); } catch (Other) { Base.Mark (1); } finally { Base.Mark (2); }
			Base.Mark (3);
		}
	}

	static void Finally_calls (int code)
	{
		try { Base.Throw (code); } finally { Caught (() => Finally_catches (1)); Base.Mark (5); }
	}

	static void Rethrows_from_inner (int code)
	{
		try {
			try { Base.Throw (code); } catch (Failure) { throw; }
		} catch (Failure) { Base.Mark (1); throw; }
	}

	static void Rethrows_after_another (int code)
	{
		try { Base.Throw (code); }
		catch (Failure) {
			try { Base.Throw (2); } catch (Other) { Base.Mark (1); }
			throw;
		}
	}

	static void Catch_ends_by_another (int code)
	{
		try {
			try { Base.Throw (code); }
			catch (Failure) {
				try { Base.Throw (2); } finally { Base.Mark (1); }
			}
		} catch (Other) { Base.Mark (2); }
	}

	static void Normal_finally_throws (int code)
	{
		try {
			try { Base.Mark (1); } finally { Base.Throw (code); }
		} catch (Failure) { Base.Mark (2); }
	}

	static void Caught (Action action) { try { action (); } catch (Exception) { Base.Mark (9); } }

	static void Goes_around ()
	{
		for (int i = 0; i < 3; i++)
			try { Rethrows (1); } catch (Failure) when (Base.Yes (i)) { if (i < 2) continue; } finally
				{ Base.Mark (i); }
	}

	public static void Run ()
	{
		Caught (() => Rethrows (1));
		Caught (() => Throws_itself (1));
		Caught (() => Throws_another (1));
		Caught (() => Wraps (1));
		Caught (() => Finally_throws (1));
		Caught (() => Finally_throws_in_try (1));
		Caught (() => Finally_catches (1));
		Caught (() => Finally_calls (1));
		Caught (() => Rethrows_from_inner (1));
		Caught (() => Rethrows_after_another (1));
		Catch_ends_by_another (1);
		Normal_finally_throws (1);
		Goes_around ();
	}
}

/* --- handlers inside of handlers ---------------------------------------------------------------------------------- */

static class Inside
{
	static void Finallys_in_catch (int code)
	{
		try { Base.Throw (code); }
		catch (Failure) {
			try { Base.Mark (1); }
			finally {
				try { Base.Mark (2); } finally { Base.Mark (3); }
			}
		}
	}

	static void Catch_in_finally ()
	{
		try { Base.Mark (0); }
		finally {
			try { Base.Throw (2); } catch (Other) {
				try { Base.Mark (2); } finally { Base.Mark (3); }
			}
		}
	}

	static void All_in_finally_in_catch (int code)
	{
		try { Base.Throw (code); }
		catch (Failure) {
			try { Base.Mark (1); }
			finally {
				try {
					try { Base.Throw (2); } catch (Other) { Base.Mark (2); } finally { Base.Mark (3); }
				} finally { Base.Mark (5); }
				try { Base.Mark (6); } finally { Base.Mark (7); }
			}
		}
	}

	static int Normal () { try { Base.Mark (1); } finally { Base.Mark (2); } return 1; }

	static void Behind_filter (int code)
	{
		try {
			try { Base.Throw (code); }
			catch (Failure) when (Normal () == 1) {
				try { Base.Mark (1); return; } finally { Base.Mark (2); }
			}
		} finally { Base.Mark (3); }
	}

	static void While_unwinding (int code)
	{
		try {
			try { Base.Throw (code); }
			finally {
				try {
					try { Base.Throw (2); } catch (Other) { Base.Mark (2); }
				} finally { Base.Mark (1); }
			}
		} catch (Failure) { }
	}

	static void Out_of_the_inner_one ()
	{
		for (int i = 0; i < 2; i++) {
			try {
				try { Base.Throw (1); }
				catch (Failure) {
					try {
						try { Base.Throw (2); } catch (Other) { if (i == 0) continue; } finally { Base.Mark (1); }
					} finally { Base.Mark (2); }
					Base.Mark (4);
				}
			} finally { Base.Mark (3); }
		}
	}

	static void Deep (int depth)
	{
		try { Base.Throw (1); }
		catch (Failure) {
			try { if (depth > 0) Deep (depth - 1); } finally { Base.Mark (depth); }
		}
		finally { if (depth > 1) Deep (depth - 2); }
	}

	static void Throws_deep (int depth)
	{
		try { Base.Throw (1); }
		catch (Failure) {
			try { if (depth > 0) Throws_deep (depth - 1); else Base.Throw (2); } finally { Base.Mark (depth); }
		}
	}

	/* Where an exception that a handler threw passes the frame: does a clause stand around the handler, around it? */
	static void Out_of_catch (int code)
	{
		try {
			try { Base.Throw (code); } catch (Failure) { Base.Throw (2); }
		} catch (Derived) { Base.Mark (1); }
	}

	static void Out_of_unguarded_catch (int code)
	{
		try { Base.Throw (code); } catch (Derived) { Base.Mark (1); } catch (Failure) { Base.Throw (2); }
	}

	static void Recurses (int depth)
	{
		if (depth == 0) {
			Base.Throw (2);
		} else if (depth % 2 == 0) {
			try { Base.Throw (1); } catch (Failure) { Recurses (depth - 1); }
		} else {
			Recurses (depth - 1);
		}
	}

	static void Caught (Action action) { try { action (); } catch (Exception) { Base.Mark (9); } }

	public static void Run ()
	{
		Finallys_in_catch (1);
		Catch_in_finally ();
		All_in_finally_in_catch (1);
		Behind_filter (1);
		While_unwinding (1);
		Out_of_the_inner_one ();
		Deep (4);
		Caught (() => Throws_deep (3));
		Caught (() => Out_of_catch (1));
		Caught (() => Out_of_unguarded_catch (1));
		Caught (() => Recurses (5));
	}
}

/* --- until the code is hot ---------------------------------------------------------------------------------------- */

static class Hot
{
	static int sum;

	static int Returns (int n) { try { return n + 1; } finally { sum += n; } }
	static void Does_nothing (int n) { try { if (n % 8 == 0) Base.Throw (1); } catch (Failure) { } }
	static void Several (int n)
	{
		try { if (n % 16 == 0) Base.Throw (n % 3 + 1); } catch (Derived) { } catch (Other) { } catch (Failure) { }
		finally { }
	}
	static void Passes (int n) { try { Several (n); if (n % 32 == 0) Base.Throw (2); } finally { sum++; } }

	public static void Run ()
	{
		for (int i = 0; i < 300; i++) {
			for (int k = 0; k < 20; k++)
				Returns (k);
			Does_nothing (i);
			try { Passes (i); } catch (Other) when (i % 64 == 0) { sum--; } catch (Other) { sum++; }
			if (i % 100 == 99)
				Thread.Sleep (200);
		}
	}
}

/* --- who calls whom ----------------------------------------------------------------------------------------------- */

class Fails_to_start { public static int Number = 1; static Fails_to_start () { try { Base.Throw (1); } finally
	{ Base.Mark (1); } } }
class Starts { public static int Number; static Starts () { try { Base.Throw (1); } catch (Failure) { Number = 1; }
finally { Base.Mark (1); } } }

class Made
{
	public Made (int code) { try { Base.Throw (code); } finally { Base.Mark (1); } }
}

struct Value
{
	public int Number;
	public int Try () { try { Base.Throw (Number); return 1; } catch (Failure) { return Number; } finally
		{ Base.Mark (Number); } }
}

class Generic<T>
{
	public static T Try<U> (T value, U other, int code)
	{
		try { Base.Throw (code); } catch (Failure) { Base.Mark (1); } finally { Base.Mark (2); }
		return value;
	}

	public static void Passes (T value, int code) { try { Base.Throw (code); } finally { Base.Mark (2); } }
}

static class Callers
{
	[DllImport ("libc")] static extern void qsort (int [] array, IntPtr count, IntPtr size, Compare compare);
	delegate int Compare (IntPtr a, IntPtr b);

	static int Compares (IntPtr a, IntPtr b)
	{
		int x = Marshal.ReadInt32 (a), y = Marshal.ReadInt32 (b);
		try { Base.Throw (x > y ? 1 : 0); return -1; } catch (Failure) { return 1; } finally { Base.Mark (1); }
	}

	static void Sorts ()
	{
		int [] array = { 2, 1 };
		try { qsort (array, (IntPtr) 2, (IntPtr) 4, Compares); } finally { Base.Mark (2); }
	}

	static void Throws_within (int code) { try { Base.Throw (code); } finally { Base.Mark (3); } }

	static void Invokes ()
	{
		MethodInfo method = typeof (Callers).GetMethod ("Throws_within", BindingFlags.NonPublic | BindingFlags.Static);
		try { method.Invoke (null, new object [] { 1 }); } catch (TargetInvocationException) { Base.Mark (4); }
		finally { Base.Mark (5); }
		method.Invoke (null, new object [] { 0 });
	}

	static void Static_constructors ()
	{
		try { Base.Mark (Starts.Number); } finally { Base.Mark (1); }
		try { Touches (); } catch (TypeInitializationException) { Base.Mark (2); }
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Touches () { try { Base.Mark (Number ()); } finally { Base.Mark (6); } }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Number () { return Fails_to_start.Number; }

	static void Constructors ()
	{
		new Made (0);
		try { new Made (1); } catch (Failure) { Base.Mark (1); }
		Value v = new Value ();
		v.Try ();
		v.Number = 1;
		v.Try ();
	}

	static void Generics ()
	{
		Generic<int>.Try (1, "x", 1);
		Generic<string>.Try ("x", 1.0, 1);
		Generic<string>.Try<object> ("x", null, 0);
		try { Generic<string>.Passes ("x", 1); } catch (Failure) { Base.Mark (1); }
		try { Generic<long>.Passes (1, 1); } catch (Failure) { Base.Mark (1); }
	}

	static IEnumerable<int> Numbers (int code)
	{
		try { yield return 1; Base.Throw (code); yield return 2; } finally { Base.Mark (1); }
	}

	static void Iterators ()
	{
		foreach (int n in Numbers (0))
			Base.Mark (n);
		foreach (int n in Numbers (0))
			break;
		try { foreach (int n in Numbers (1)) Base.Mark (n); } catch (Failure) { Base.Mark (3); }
		try { foreach (int n in Numbers (0)) Base.Throw (1); } catch (Failure) { Base.Mark (3); }
	}

	static async Task<int> Awaits (int code)
	{
		try {
			await Task.FromResult (1);
			Base.Throw (code);
			return 1;
		} catch (Failure) { Base.Mark (1); return 2; } finally { Base.Mark (2); }
	}

	static async Task Outer_awaits () { try { await Awaits (0); await Awaits (1); } finally { Base.Mark (4); } }

	static void Asyncs () { Outer_awaits ().Wait (); }

	static void Delegates ()
	{
		Action<int> several = Throws_within;
		several += Throws_within;
		several (0);
		try { several (1); } catch (Failure) { Base.Mark (1); }
		try { several.DynamicInvoke (1); } catch (TargetInvocationException e) when (e.InnerException is Failure)
			{ Base.Mark (2); }
	}

	static void Threads ()
	{
		for (int i = 0; i < 2; i++) {
			var thread = new Thread (() => { try { Throws_within (1); } catch (Failure) { Base.Mark (1); } finally
				{ Base.Mark (2); } });
			thread.Start ();
			thread.Join ();
		}
	}

	public static void Run ()
	{
		Sorts ();
		Invokes ();
		Static_constructors ();
		Constructors ();
		Generics ();
		Iterators ();
		Asyncs ();
		Delegates ();
		Threads ();
	}
}

/* --- the class library, which is precompiled ---------------------------------------------------------------------- */

static class Library
{
	static IEnumerable<int> Fails () { yield return 1; Base.Throw (1); }
	static void Caught (Action action) { try { action (); } catch (Exception) { Base.Mark (9); } }

	class Backwards : IComparer<int>
	{
		public int Compare (int x, int y) { Base.Throw (1); return 0; }
	}

	public static void Run ()
	{
		for (int i = 0; i < 2; i++) {
			Caught (() => new List<int> (Fails ()));
			Caught (() => string.Join (",", Fails ()));
			Caught (() => Array.Sort (new int [] { 3, 1, 2 }, new Backwards ()));
			Caught (() => { var lazy = new Lazy<int> (() => { Base.Throw (1); return 1; }); Base.Mark (lazy.Value); });
			Caught (() => System.IO.File.ReadAllText ("/nowhere/nothing"));
			Caught (() => System.IO.File.ReadAllBytes ("/nowhere/nothing"));
			Caught (() => int.Parse ("none"));
			Caught (() => Convert.FromBase64String ("?"));
			Caught (() => new HashSet<int> (Fails ()));
			Caught (() => Activator.CreateInstance (typeof (Made), new object [] { 1 }));
			var now = TaskContinuationOptions.ExecuteSynchronously;
			Caught (() => Task.FromResult (1).ContinueWith (t => Base.Throw (1), now).Wait ());
		}
	}
}

static class Program
{
	static int Main (string [] args)
	{
		foreach (string topic in args)
			switch (topic) {
			case "normal": Normal.Run (); break;
			case "thrown": Thrown.Run (); break;
			case "leaving": Leaving.Run (); break;
			case "filters": Filters.Run (); break;
			case "again": Again.Run (); break;
			case "inside": Inside.Run (); break;
			case "callers": Callers.Run (); break;
			case "hot": Hot.Run (); break;
			case "library": Library.Run (); break;
			}
		Console.WriteLine (Base.Marks + " done");
		return 0;
	}
}
