// SPDX-License-Identifier: MIT
//
// trees.cs - small call trees that exceptions unwind: recursions with every kind of block. A method tells where it
// stands, by the depth that its caller hands on, so the program knows its own call tree: `trees CASE...`, all without.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading.Tasks;

class Lost : Exception
{
	public readonly int Level;
	public int Depth; // of the method that threw it last, which a filter runs above

	public Lost (int depth, int level)
	{
		Depth = depth;
		Level = level;
	}
}

class Other : Exception
{
}

// What is told stands in no tree.
static class Told
{
	static readonly StringBuilder lines = new StringBuilder ();

	public static void Call (int depth, [CallerMemberName] string name = null)
	{
		lines.Append (' ', depth).Append (name).Append ('\n');
	}

	public static void Print ()
	{
		Console.Write (lines);
		lines.Clear ();
	}
}

static class Trees
{
	static void Note (int d)
	{
		Told.Call (d);
	}

	static bool Ask (int d, bool answer)
	{
		Told.Call (d);
		return answer;
	}

	static void Throw (int d, int level = 0)
	{
		Told.Call (d);
		throw new Lost (d, level);
	}

	// Calls an action, and takes what comes out.
	static void Try (int d, Action<int> action)
	{
		Told.Call (d);
		try {
			action (d + 1);
		} catch (Lost) {
			Note (d + 1);
		} catch (Other) {
			Note (d + 1);
		}
		Note (d + 1);
	}

	// --- one method --------------------------------------------------------------------------------------------------

	static void Finally (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Finally (d + 1, n - 1);
		} finally {
			Note (d + 1);
		}
	}

	static void Finallies (int d, int n)
	{
		Told.Call (d);
		try {
			try {
				try {
					if (n == 0)
						Throw (d + 1);
					Finallies (d + 1, n - 1);
				} finally {
					Note (d + 1);
				}
				Note (d + 1);
			} finally {
				Note (d + 1);
				Note (d + 1);
			}
		} finally {
			Note (d + 1);
		}
	}

	static void Plain (int d, int n)
	{
		Told.Call (d);
		if (n == 0)
			throw new Lost (d, n);
		Plain (d + 1, n - 1);
	}

	static void Some (int d, int n)
	{
		Told.Call (d);
		if (n == 0)
			throw new Lost (d, n);
		if (n % 2 == 0) {
			Some (d + 1, n - 1);
			return;
		}
		try {
			Some (d + 1, n - 1);
		} finally {
			Note (d + 1);
		}
	}

	static int Middle (int d, int n, int at)
	{
		Told.Call (d);
		if (n == at)
			try {
				return Middle (d + 1, n - 1, at);
			} catch (Lost) {
				return 7;
			}
		if (n == 0)
			throw new Lost (d, n);
		return Middle (d + 1, n - 1, at) + 1;
	}

	static int MiddleNotes (int d, int n, int at)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			return MiddleNotes (d + 1, n - 1, at) + 1;
		} catch (Lost e) when (Ask (e.Depth + 1, n == at)) {
			Note (d + 1);
			return 7;
		} finally {
			Note (d + 1);
		}
	}

	static void Rethrow (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Rethrow (d + 1, n - 1);
		} catch (Lost) {
			Note (d + 1);
			throw;
		}
	}

	static void RethrowSome (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			RethrowSome (d + 1, n - 1);
		} catch (Lost) when (n % 2 == 0) {
			Note (d + 1);
			throw;
		} finally {
			Note (d + 1);
		}
	}

	static void Exchange (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Exchange (d + 1, n - 1);
		} catch (Lost) {
			Note (d + 1);
			throw new Other ();
		} catch (Other) {
			Note (d + 1);
			throw new Lost (d, n);
		}
	}

	static void Again (int d, int n)
	{
		Told.Call (d);
		for (int i = 0; i < 3; i++)
			try {
				if (n == 0)
					throw new Lost (d, n);
				Again (d + 1, n - 1);
				Note (d + 1);
			} catch (Lost) {
				Note (d + 1);
				if (i == 2)
					throw;
			}
	}

	static void Typed (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Typed (d + 1, n - 1);
		} catch (Other) {
			Note (d + 1);
		}
	}

	static void Filtered (int d, int n, int at)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Filtered (d + 1, n - 1, at);
		} catch (Lost e) when (Ask (e.Depth + 1, n == at)) {
			Note (d + 1);
		}
		Note (d + 1);
	}

	static bool AskDeep (int d, int n)
	{
		Told.Call (d);
		try {
			Finally (d + 1, n);
		} catch (Lost) {
			Note (d + 1);
		}
		return n % 2 == 1;
	}

	// What the filter asks throws and catches in frames of the methods that wait.
	static void FilteredDeep (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			FilteredDeep (d + 1, n - 1);
		} catch (Lost e) when (AskDeep (e.Depth + 1, n)) {
			Note (d + 1);
			e.Depth = d;
			throw;
		} finally {
			Note (d + 1);
		}
	}

	// --- in blocks ---------------------------------------------------------------------------------------------------

	// A return leads to the finally block, which throws.
	static void FromFinally (int d, int n)
	{
		Told.Call (d);
		try {
			Note (d + 1);
			if (n > 9)
				return;
		} finally {
			if (n == 0)
				throw new Lost (d, n);
			FromFinally (d + 1, n - 1);
			Note (d + 1);
		}
	}

	static void FromFinallies (int d, int n)
	{
		Told.Call (d);
		try {
			try {
				Note (d + 1);
			} finally {
				if (n == 0)
					throw new Lost (d, n);
				FromFinallies (d + 1, n - 1);
			}
		} finally {
			Note (d + 1);
		}
	}

	static void FromCatch (int d, int n)
	{
		Told.Call (d);
		try {
			throw new Other ();
		} catch (Other) {
			Note (d + 1);
			if (n == 0)
				throw new Lost (d, n);
			FromCatch (d + 1, n - 1);
		} finally {
			Note (d + 1);
		}
	}

	// The block that runs because of an exception ends in another one.
	static void Replaced (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Other ();
			Replaced (d + 1, n - 1);
		} finally {
			Note (d + 1);
			if (n % 2 == 0)
				Throw (d + 1, n);
		}
	}

	static void CaughtInFinally (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			CaughtInFinally (d + 1, n - 1);
		} finally {
			try {
				Finally (d + 1, 2);
			} catch (Lost) {
				Note (d + 1);
			}
			if (n > 1)
				Try (d + 1, e => CaughtInFinally (e + 1, 0), n);
		}
	}

	// A lambda tells nothing of itself: one more is there.
	static void Try (int d, Action<int> action, int n)
	{
		Told.Call (d);
		try {
			action (d + 1);
		} catch (Lost) {
			Note (d + 1);
		} finally {
			Note (d + 1);
		}
	}

	static void InAll (int d, int n)
	{
		Told.Call (d);
		try {
			throw new Other ();
		} catch (Other) {
			try {
				Note (d + 1);
			} finally {
				try {
					if (n == 0)
						throw new Lost (d, n);
					InAll (d + 1, n - 1);
				} catch (Lost) {
					Note (d + 1);
					if (n % 2 == 1)
						throw;
				} finally {
					Note (d + 1);
				}
			}
			Note (d + 1);
		}
	}

	// --- several methods ---------------------------------------------------------------------------------------------

	static void Odd (int d, int n)
	{
		Told.Call (d);
		try {
			Even (d + 1, n - 1);
		} finally {
			Note (d + 1);
		}
	}

	static void Even (int d, int n)
	{
		Told.Call (d);
		if (n <= 0)
			throw new Lost (d, n);
		try {
			Odd (d + 1, n - 1);
		} finally {
			Note (d + 1);
		}
	}

	static void Ping (int d, int n)
	{
		Told.Call (d);
		Pong (d + 1, n);
		Note (d + 1);
	}

	static void Pong (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Ping (d + 1, n - 1);
		} catch (Lost e) when (e.Level != n) {
			Note (d + 1);
			if (n % 2 == 0)
				throw;
		} finally {
			Note (d + 1);
		}
	}

	static void Small (int d, int n)
	{
		Told.Call (d);
		if (n == 0)
			throw new Lost (d, n);
	}

	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static void Smaller (int d, int n)
	{
		Told.Call (d);
		Small (d + 1, n);
	}

	static void Inlining (int d, int n)
	{
		Told.Call (d);
		try {
			Smaller (d + 1, n);
			Inlining (d + 1, n - 1);
		} finally {
			Note (d + 1);
		}
	}

	// --- kinds of methods --------------------------------------------------------------------------------------------

	static void Generic<T> (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Generic<T> (d + 1, n - 1);
		} finally {
			Note (d + 1);
		}
	}

	static void Growing<T> (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Growing<List<T>> (d + 1, n - 1);
		} catch (Lost e) when (Ask (e.Depth + 1, n == 2)) {
			Note (d + 1);
			e.Depth = d;
			throw;
		} finally {
			Note (d + 1);
		}
	}

	static int GenericMiddle<T> (int d, int n, int at)
	{
		Told.Call (d);
		if (n == at)
			try {
				return GenericMiddle<T> (d + 1, n - 1, at);
			} catch (Lost) {
				return 7;
			}
		if (n == 0)
			throw new Lost (d, n);
		return GenericMiddle<T> (d + 1, n - 1, at) + 1;
	}

	// Long enough that another body takes over the frame.
	static int Looping (int d, int n, int at)
	{
		Told.Call (d);
		int sum = 0;
		for (int i = 0; i < 60000; i++)
			sum += i ^ n;
		for (int i = 0; i < 2; i++)
			try {
				if (n == 0)
					throw new Lost (d, n);
				sum += Looping (d + 1, n - 1, at);
			} catch (Lost e) when (Ask (e.Depth + 1, n % 3 == at)) {
				Note (d + 1);
				e.Depth = d;
				if (i == 1)
					throw;
			} finally {
				Note (d + 1);
			}
		return sum;
	}

	static int LoopingMiddle (int d, int n, int at)
	{
		Told.Call (d);
		int sum = 0;
		for (int i = 0; i < 60000; i++)
			sum += i ^ n;
		if (n == at)
			try {
				return LoopingMiddle (d + 1, n - 1, at) + sum;
			} catch (Lost) {
				return 7;
			}
		if (n == 0)
			throw new Lost (d, n);
		return LoopingMiddle (d + 1, n - 1, at) + sum;
	}

	static unsafe int OnStack (int d, int n)
	{
		Told.Call (d);
		byte* some = stackalloc byte[100 * n + 40];
		some[n] = (byte) n;
		try {
			if (n == 0)
				throw new Lost (d, n);
			return OnStack (d + 1, n - 1) + some[n];
		} finally {
			Note (d + 1);
		}
	}

	static unsafe int OnStackMiddle (int d, int n, int at)
	{
		Told.Call (d);
		byte* some = stackalloc byte[100 * n + 40];
		some[n] = (byte) n;
		if (n == at)
			try {
				return OnStackMiddle (d + 1, n - 1, at) + some[n];
			} catch (Lost) {
				return 7;
			}
		if (n == 0)
			throw new Lost (d, n);
		return OnStackMiddle (d + 1, n - 1, at) + some[n];
	}

	static unsafe void OnStackFinallies (int d, int n)
	{
		Told.Call (d);
		byte* some = stackalloc byte[100 * n + 40];
		some[n] = (byte) n;
		try {
			try {
				Note (d + 1);
			} finally {
				if (n == 0)
					throw new Lost (d, some[n]);
				OnStackFinallies (d + 1, n - 1);
			}
		} finally {
			Note (d + 1);
		}
	}

	static void LoopingFinallies (int d, int n)
	{
		Told.Call (d);
		int sum = 0;
		for (int i = 0; i < 60000; i++)
			sum += i ^ n;
		try {
			try {
				if (sum != 1)
					Note (d + 1);
			} finally {
				if (n == 0)
					throw new Lost (d, n);
				LoopingFinallies (d + 1, n - 1);
			}
		} finally {
			Note (d + 1);
		}
	}

	struct Large
	{
		public decimal A, B, C, D, E, F, G, H;
	}

	static Large Big (int d, int n, Large a, ref Large b)
	{
		Told.Call (d);
		Large local = a;
		local.A += b.B + n;
		try {
			if (n == 0)
				throw new Lost (d, n);
			return Big (d + 1, n - 1, local, ref local);
		} finally {
			Note (d + 1);
			b.C = local.A;
		}
	}

	static void Nothing (int d, string text, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				text = text.Substring (text.Length).Length == 0 ? null : text;
			if (text.Length > 0)
				Nothing (d + 1, text, n - 1);
		} catch (NullReferenceException) {
			Note (d + 1);
			if (n == 2)
				throw new Lost (d, n);
			throw;
		} finally {
			Note (d + 1);
		}
	}

	static int Divide (int d, int n)
	{
		Told.Call (d);
		try {
			return 5 / n + Divide (d + 1, n - 1);
		} catch (DivideByZeroException) when (Ask (d + n + 1, n == 2)) {
			Note (d + 1);
			throw new Lost (d, n);
		} finally {
			Note (d + 1);
		}
	}

	class Node
	{
		readonly Node inner;

		public Node (int d, int n)
		{
			try {
				if (n == 0)
					throw new Lost (d, n);
				inner = new Node (d + 1, n - 1);
			} finally {
				Note (d + 1);
			}
		}
	}

	abstract class Shape
	{
		public virtual void Draw (int d, int n)
		{
			Told.Call (d);
			try {
				if (n == 0)
					throw new Lost (d, n);
				Next ().Draw (d + 1, n - 1);
			} finally {
				Note (d + 1);
			}
		}

		protected abstract Shape Next ();
	}

	class Round : Shape
	{
		protected override Shape Next ()
		{
			return new Square ();
		}
	}

	class Square : Shape
	{
		protected override Shape Next ()
		{
			return new Round ();
		}

		public override void Draw (int d, int n)
		{
			Told.Call (d);
			try {
				base.Draw (d + 1, n);
			} finally {
				Note (d + 1);
			}
		}
	}

	struct Value
	{
		int kept;

		public void Walk (int d, int n)
		{
			Told.Call (d);
			try {
				if (n == 0)
					throw new Lost (d, n);
				kept += n;
				Walk (d + 1, n - 1);
			} finally {
				Note (d + 1);
			}
		}
	}

	// --- with code of the library between ----------------------------------------------------------------------------

	static void Each (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			Array.ForEach (new[] { d + 1 }, new Step (n - 1).Run);
		} finally {
			Note (d + 1);
		}
	}

	class Step
	{
		readonly int n;
		public Step (int n)
		{
			this.n = n;
		}

		public void Run (int d)
		{
			Told.Call (d);
			try {
				Each (d + 1, n);
			} finally {
				Note (d + 1);
			}
		}
	}

	static void Reflected (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			typeof (Trees).GetMethod ("Reflected", BindingFlags.NonPublic | BindingFlags.Static)
			    .Invoke (null, new object[] { d + 1, n - 1 });
		} catch (TargetInvocationException e) {
			Note (d + 1);
			throw e.InnerException;
		} finally {
			Note (d + 1);
		}
	}

	static class Unset
	{
		public static int Zero = Fail ();

		static Unset ()
		{
			Told.Call (4, ".cctor");
			try {
				Finally (5, 2);
			} finally {
				Note (5);
			}
		}

		static int Fail ()
		{
			return 5;
		}
	}

	static void Initialised (int d)
	{
		Told.Call (d);
		try {
			Note (d + 1);
			Unset.Zero++;
		} catch (TypeInitializationException) {
			Note (d + 1);
			throw new Lost (d, 0);
		}
	}

	static void Locked (int d, int n)
	{
		Told.Call (d);
		lock (typeof (Trees)) {
			if (n == 0)
				throw new Lost (d, n);
			Locked (d + 1, n - 1);
		}
	}

	class Owned : IDisposable
	{
		public int D;

		public void Dispose ()
		{
			Told.Call (D);
		}
	}

	static void Using (int d, int n)
	{
		Told.Call (d);
		using (new Owned { D = d + 1 })
			Using (d + 1, 10 / n > 0 ? n - 1 : n);
	}

	static void UsingAll (int d, int n)
	{
		Told.Call (d);
		try {
			Using (d + 1, n);
		} catch (DivideByZeroException) {
			Note (d + 1);
			throw new Lost (d, n);
		}
	}

	// --- what the compiler makes: the program does not tell all of it -----------------------------------------------

	static void Pass ()
	{
	}

	static bool Allow (bool answer)
	{
		return answer;
	}

	static IEnumerable<int> Count (int n)
	{
		try {
			if (n == 0)
				throw new Lost (0, n);
			yield return n;
			foreach (int i in Count (n - 1))
				yield return i;
		} finally {
			Pass ();
		}
	}

	static void Iterated (int d)
	{
		Told.Call (d);
		int sum = 0;
		foreach (int i in Count (3))
			sum += i;
	}

	static void Broken (int d)
	{
		Told.Call (d);
		foreach (int i in Count (3))
			if (i == 2)
				Throw (d + 1);
	}

	static async Task<int> Later (int n)
	{
		try {
			if (n == 0)
				throw new Lost (0, n);
			return await Later (n - 1) + 1;
		} finally {
			Pass ();
		}
	}

	static async Task<int> LaterMiddle (int n, int at)
	{
		try {
			if (n == 0)
				throw new Lost (0, n);
			return await LaterMiddle (n - 1, at) + 1;
		} catch (Lost) when (Allow (n == at)) {
			Pass ();
			return 7;
		} finally {
			Pass ();
		}
	}

	static void Asynchronous (int d)
	{
		Told.Call (d);
		LaterMiddle (4, 2).Wait ();
		Later (3).GetAwaiter ().GetResult ();
	}

	static void Local (int d)
	{
		int seen = 0;
		Told.Call (d);
		void Inner (int n)
		{
			try {
				seen++;
				if (n == 0)
					throw new Lost (0, n);
				Inner (n - 1);
			} finally {
				Pass ();
			}
		}
		Inner (4);
	}

	static void Lambda (int d)
	{
		Action<int> inner = null;
		Told.Call (d);
		inner = n => {
			try {
				if (n == 0)
					throw new Lost (0, n);
				inner (n - 1);
			} catch (Lost) when (Allow (n == 2)) {
				Pass ();
				throw;
			} finally {
				Pass ();
			}
		};
		inner (4);
	}

	// A filter that throws has said no.
	static void ThrowingFilter (int d, int n)
	{
		Told.Call (d);
		try {
			if (n == 0)
				throw new Lost (d, n);
			ThrowingFilter (d + 1, n - 1);
		} catch (Lost e) when (AskThrowing (e.Depth + 1)) {
			Note (d + 1);
		} finally {
			Note (d + 1);
		}
	}

	static bool AskThrowing (int d)
	{
		Told.Call (d);
		Finally (d + 1, 2);
		return true;
	}

	static readonly List<KeyValuePair<string, Action<int>>> cases = new List<KeyValuePair<string, Action<int>>> ();

	static void Add (string name, Action<int> action)
	{
		cases.Add (new KeyValuePair<string, Action<int>> (name, action));
	}

	static void AddAll ()
	{
		Large large = new Large ();
		Add ("finally", d => Finally (d, 4));
		Add ("finallies", d => Finallies (d, 3));
		Add ("plain", d => Plain (d, 4));
		Add ("some", d => Some (d, 5));
		Add ("middle", d => Middle (d, 4, 2));
		Add ("middle-outermost", d => Middle (d, 4, 4));
		Add ("middle-innermost", d => Middle (d, 4, 1));
		Add ("middle-notes", d => MiddleNotes (d, 4, 2));
		Add ("rethrow", d => Rethrow (d, 4));
		Add ("rethrow-some", d => RethrowSome (d, 4));
		Add ("exchange", d => Exchange (d, 4));
		Add ("again", d => Again (d, 2));
		Add ("typed", d => Typed (d, 4));
		Add ("filtered", d => Filtered (d, 4, 2));
		Add ("filtered-out", d => Filtered (d, 4, 9));
		Add ("filtered-deep", d => FilteredDeep (d, 4));
		Add ("from-finally", d => FromFinally (d, 3));
		Add ("from-finallies", d => FromFinallies (d, 3));
		Add ("from-catch", d => FromCatch (d, 3));
		Add ("replaced", d => Replaced (d, 4));
		Add ("caught-in-finally", d => CaughtInFinally (d, 3));
		Add ("in-all", d => InAll (d, 4));
		Add ("odd", d => Odd (d, 5));
		Add ("ping", d => Ping (d, 4));
		Add ("inlining", d => Inlining (d, 3));
		Add ("generic-int", d => Generic<int> (d, 4));
		Add ("generic-string", d => Generic<string> (d, 4));
		Add ("growing-string", d => Growing<string> (d, 4));
		Add ("growing-int", d => Growing<int> (d, 4));
		Add ("generic-middle", d => GenericMiddle<string> (d, 4, 2));
		Add ("on-stack", d => OnStack (d, 4));
		Add ("on-stack-middle", d => OnStackMiddle (d, 4, 2));
		Add ("on-stack-finallies", d => OnStackFinallies (d, 3));
		Add ("looping", d => Looping (d, 4, 1));
		Add ("looping-middle", d => LoopingMiddle (d, 4, 2));
		Add ("looping-finallies", d => LoopingFinallies (d, 3));
		Add ("big", d => Big (d, 3, large, ref large));
		Add ("nothing", d => Nothing (d, "x", 4));
		Add ("divide", d => Divide (d, 4));
		Add ("node", d => new Node (d, 4));
		Add ("shape", d => new Round ().Draw (d, 4));
		Add ("value", d => new Value ().Walk (d, 4));
		Add ("each", d => Each (d, 3));
		Add ("reflected", d => Reflected (d, 3));
		Add ("initialised", d => Initialised (d));
		Add ("locked", d => Locked (d, 3));
		Add ("using", d => UsingAll (d, 3));
		Add ("iterated", d => Iterated (d));
		Add ("broken", d => Broken (d));
		Add ("asynchronous", d => Asynchronous (d));
		Add ("local", d => Local (d));
		Add ("lambda", d => Lambda (d));
		Add ("throwing-filter", d => ThrowingFilter (d, 2));
	}

	static void Case (string name, Action<int> action)
	{
		Console.WriteLine ("== " + name);
		try {
			action (3);
		} catch (Lost) {
		} catch (Other) {
		}
		Told.Print ();
	}

	static void Main (string[] names)
	{
		AddAll ();
		foreach (KeyValuePair<string, Action<int>> c in cases)
			if (names.Length == 0 || Array.IndexOf (names, c.Key) >= 0)
				Case (c.Key, c.Value);
	}
}
