// SPDX-License-Identifier: MIT
//
// stacks.cs - stacks of every kind, each with a landmark on top: an exception, a new method, a new object.
//
// Nothing here is inlined, so what stands on a stack is what the source says.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;

// The module tells of allocations of classes of that name.
class Mark<T> { public T Value; }
class MarkPlain { public int Value; }

class Trouble : Exception
{
	public Trouble (string message) : base (message) { }
}

interface IWork { int Work (int value); }

struct Worker : IWork
{
	public int Base;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public int Work (int value)
	{
		return Stacks.Landmark (value + Base);
	}
}

class Virtual
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	public virtual int Work (int value) { return Stacks.Landmark (value); }

	public int this[int index] {
		[MethodImpl (MethodImplOptions.NoInlining)]
		get { int twice = index * 2; return Stacks.Landmark (twice); }
	}
}

class Overrides : Virtual
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	public override int Work (int value)
	{
		int sum = 0;
		for (int i = 0; i < 2; i++)
			sum += base.Work (value + i);
		return sum;
	}
}

class Generic<T>
{
	public T Held;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public int Work (T value) { Held = value; return Stacks.Landmark (1); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Shared (int value) { return Stacks.Landmark (value); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public int Method<U> (U value) { return Stacks.Landmark (2) + Work (Held); }

	public class Nested
	{
		[MethodImpl (MethodImplOptions.NoInlining)]
		public int Work () { return Stacks.Landmark (3); }
	}
}

static class Loud
{
	public static readonly int Value;

	static Loud ()
	{
		Value = Stacks.Landmark (5);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Touch () { return Value; }
}

static class Stacks
{
	static int caught;

	// On top of every stack: a throw, then an allocation.
	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Landmark (int value)
	{
		try {
			Throw ("landmark");
		} catch (Trouble) {
			caught++;
		}
		object mark = Make ();
		return mark == null ? 0 : value;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static object Make ()
	{
		return new MarkPlain ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Throw (string message)
	{
		caught++;
		throw new Trouble (message);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Deep (int depth)
	{
		if (depth == 0)
			return Landmark (0);
		return Deep (depth - 1) + 1;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Even (int n) { return n == 0 ? Landmark (1) : Odd (n - 1) + 1; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Odd (int n) { return n == 0 ? Landmark (2) : Even (n - 1) + 1; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Generics ()
	{
		int sum = new Generic<int> ().Work (1);
		sum += new Generic<string> ().Work ("a");
		sum += Generic<object>.Shared (1);
		sum += Generic<long>.Shared (1);
		sum += new Generic<string> ().Method<string> ("b");
		sum += new Generic<int> ().Method<int> (3);
		sum += new Generic<string>.Nested ().Work ();
		sum += new Generic<int>.Nested ().Work ();
		return sum;
	}

	// One argument is a reference: Mono has code for each such instance, the CLR shares it.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Mixed ()
	{
		int sum = new Generic<string> ().Method<int> (1);
		sum += new Generic<int> ().Method<string> ("x");
		sum += new Generic<KeyValuePair<string, int>> ().Work (new KeyValuePair<string, int> ());
		return sum;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int NullReference (string text)
	{
		int before = 3;
		try {
			return text.Length + before;
		} catch (NullReferenceException) {
			return before;
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Divide (int by)
	{
		int before = 7;
		return before / by;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Faults ()
	{
		int sum = NullReference (null);
		try {
			sum += Divide (0);
		} catch (DivideByZeroException) {
			sum++;
		}
		return sum;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int InFinally ()
	{
		int sum = 0;
		try {
			sum += Landmark (1);
		} finally {
			sum += Landmark (2);
		}
		return sum;
	}

	// An exception goes through two finally blocks.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Unwinds (int depth)
	{
		try {
			if (depth == 0)
				Throw ("unwinds");
			return Unwinds (depth - 1);
		} finally {
			caught++;
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Unwound ()
	{
		try {
			return Unwinds (1);
		} catch (Trouble) {
			return 1;
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int InCatch ()
	{
		try {
			Throw ("first");
		} catch (Trouble) {
			return Landmark (4);
		}
		return 0;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Again (bool wrap)
	{
		try {
			Throw ("again");
		} catch (Trouble trouble) {
			if (wrap)
				throw new InvalidOperationException ("wrapped", trouble);
			throw;
		}
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Rethrows ()
	{
		int sum = 0;
		try { Again (false); } catch (Trouble) { sum++; }
		try { Again (true); } catch (InvalidOperationException) { sum++; }
		return sum;
	}

	static IEnumerable<int> Numbers (int count)
	{
		for (int i = 0; i < count; i++)
			yield return Landmark (i);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Iterates ()
	{
		int sum = 0;
		IEnumerator<int> numbers = Numbers (2).GetEnumerator ();
		while (numbers.MoveNext ())
			sum += numbers.Current;
		numbers.Dispose ();
		return sum;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Delegates ()
	{
		int captured = 2;
		Func<int, int> lambda = x => Landmark (x + captured);
		Func<int, int> closed = new Virtual ().Work;
		return lambda (1) + closed (2) + new[] { 1 }.Select (x => Landmark (x)).Sum ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Invokes ()
	{
		MethodInfo method = typeof (Stacks).GetMethod ("Deep", BindingFlags.Static | BindingFlags.NonPublic);
		return (int) method.Invoke (null, new object[] { 1 });
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Emits ()
	{
		var made = new DynamicMethod ("Made", typeof (int), new[] { typeof (int) }, typeof (Stacks).Module);
		ILGenerator il = made.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Call, typeof (Stacks).GetMethod ("Landmark"));
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ret);
		return ((Func<int, int>) made.CreateDelegate (typeof (Func<int, int>))) (4);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int OnThread ()
	{
		int result = 0;
		var thread = new Thread (() => result = Deep (2));
		thread.Start ();
		thread.Join ();
		return result;
	}

	// Code that gets hot is compiled again while its old body still runs: the same offsets mean other IL there.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Hot (int turns)
	{
		int sum = 0;
		for (int i = 0; i < turns; i++)
			sum += Small (i);
		int last = Landmark (1);
		return sum + last;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Small (int value) { return value & 3; }

	static int Main (string[] args)
	{
		IWork work = new Worker { Base = 2 };
		Virtual overrides = new Overrides ();
		int sum = Landmark (1) + Deep (3) + Even (5) + work.Work (2);
		sum += overrides.Work (1) + overrides[3];
		sum += Generics ();
		sum += Mixed ();
		sum += Loud.Touch ();
		sum += Faults ();
		sum += InFinally () + InCatch () + Rethrows () + Unwound ();
		sum += Iterates () + Delegates ();
		sum += Invokes () + Emits ();
		sum += OnThread ();
		for (int i = 0; i < 40; i++)
			sum += Small (i);
		sum += Hot (200000);
		sum += Deep (200);
		Console.WriteLine (sum);
		return 0;
	}
}
