// SPDX-License-Identifier: MIT
//
// weak.cs - what a collection in the middle of a call, or after one, finds dead.
//
// A row whose name begins with "in use" is about a value that the program itself needs no more, but that a call context
// shows at the leave; no other may depend on contexts.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

public class Thing {
	public static int Finalized;
	public WeakReference Self;
	public Thing Next;
	public Thing () { Self = new WeakReference (this); }
	~Thing () { Interlocked.Increment (ref Finalized); }

	[MethodImpl (MethodImplOptions.NoInlining)]
	public bool Collects (WeakReference self)
	{
		return Weak.IsDead (self);
	}
}

public struct Holder {
	public Thing Thing;
	public int Number;
}

public static class Weak {
	static readonly ConditionalWeakTable<object, Thing> table = new ConditionalWeakTable<object, Thing> ();
	static readonly Thing[] stock = new Thing[1];

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static bool IsDead (WeakReference what)
	{
		GC.Collect ();
		GC.WaitForPendingFinalizers ();
		GC.Collect ();
		return !what.IsAlive;
	}

	static void Say (string what, bool dead)
	{
		Console.WriteLine (what + ": " + (dead ? "dead" : "alive"));
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static WeakReference Put ()
	{
		stock[0] = new Thing ();
		return stock[0].Self;
	}

	/* What was put, which nobody else has any more. */
	[MethodImpl (MethodImplOptions.NoInlining)]
	static Thing Take ()
	{
		Thing thing = stock[0];
		stock[0] = null;
		return thing;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static Holder Hold ()
	{
		return new Holder { Thing = Take () };
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool Unused (Thing thing, WeakReference self)
	{
		return IsDead (self);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool Dropped (Thing thing, WeakReference self)
	{
		thing = null;
		return IsDead (self);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool DroppedStruct (Holder holder, WeakReference self)
	{
		holder = default (Holder);
		return IsDead (self);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool DroppedByRef (ref Thing thing, WeakReference self)
	{
		thing = null;
		return IsDead (self);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool DroppedGeneric<T> (T thing, WeakReference self)
	{
		thing = default (T);
		return IsDead (self);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool UnusedLocal (WeakReference self)
	{
		Thing local = Take ();
		local.Next = null;
		return IsDead (self);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool DroppedLocal (WeakReference self)
	{
		Thing local = Take ();
		local.Next = local;
		local = null;
		return IsDead (self);
	}

	static Thing Pass (Thing thing)
	{
		return thing;
	}

	/* Callees that are inlined have their copies in this frame. */
	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool Inlined (WeakReference self)
	{
		stock[0] = Pass (stock[0]);
		stock[0] = null;
		return IsDead (self);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Use (Thing thing)
	{
		thing.Next = null;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static bool Called (WeakReference self)
	{
		Use (stock[0]);
		Take ();
		return IsDead (self);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static WeakReference[] Keyed ()
	{
		object key = new object ();
		Thing value = new Thing ();
		table.Add (key, value);
		return new [] { new WeakReference (key), value.Self };
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Many ()
	{
		Thing last = null;
		for (int i = 0; i < 1000; i++)
			last = Pass (new Thing { Next = i % 2 == 0 ? last : null });
		GC.KeepAlive (last);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void InUse ()
	{
		WeakReference self = Put ();
		Say ("in use: an argument", Unused (Take (), self));
		self = Put ();
		Say ("in use: this", Take ().Collects (self));
		self = Put ();
		Say ("in use: a local", UnusedLocal (self));
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void NotInUse ()
	{
		WeakReference self = Put ();
		Say ("an argument that is overwritten", Dropped (Take (), self));
		self = Put ();
		Say ("a struct that is overwritten", DroppedStruct (Hold (), self));
		self = Put ();
		Say ("behind a reference", DroppedByRef (ref stock[0], self));
		self = Put ();
		Say ("of a type parameter", DroppedGeneric (Take (), self));
		self = Put ();
		Say ("a local that is overwritten", DroppedLocal (self));
		self = Put ();
		Say ("what an inlined method took and returned", Inlined (self));
		self = Put ();
		Say ("what a method took and another returned", Called (self));
		WeakReference[] pair = Keyed ();
		Say ("a key of a table", IsDead (pair[0]));
		Say ("the value of that key", IsDead (pair[1]));
	}

	public static void Main ()
	{
		InUse ();
		NotInUse ();
		int before = Thing.Finalized;
		Many ();
		IsDead (new WeakReference (null));
		Console.WriteLine ("finalized: " + (Thing.Finalized - before));
	}
}
