// SPDX-License-Identifier: MIT
// A compiled expression of calls that a compiler inlines: of a method that has another one wait until standard input
// ends, and of an accessor. Says "ready" when it waits; the exit code is the expression's value. With an argument the
// same is computed by methods that the compiler makes parts of each other.
using System;
using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.CompilerServices;

class Order
{
	public int Number { get; set; }
}

static class Inlined
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Waits ()
	{
		Console.WriteLine ("ready");
		return Console.In.ReadToEnd ().Length;
	}

	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static int Handles (Order order)
	{
		int length = Waits ();
		if (length > 0)
			return length + order.Number;
		return order.Number;
	}

	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static int Inner (Order order)
	{
		int handled = Handles (order);
		return order.Number > 0 ? handled : -handled;
	}

	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static int Outer (Order order)
	{
		int number = order.Number;
		return Inner (order) + number;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Compiled (Order order)
	{
		return Outer (order);
	}

	static int Main (string[] args)
	{
		if (args.Length > 0)
			return Compiled (new Order { Number = 21 });
		var order = Expression.Parameter (typeof (Order), "order");
		var handles = typeof (Inlined).GetMethod ("Handles", BindingFlags.NonPublic | BindingFlags.Static);
		var sum = Expression.Add (Expression.Call (handles, order), Expression.Property (order, "Number"));
		return Expression.Lambda<Func<Order, int>> (sum, order).Compile () (new Order { Number = 21 });
	}
}
