// SPDX-License-Identifier: MIT
// A compiled expression of calls that a compiler inlines: of a method that has another one wait until standard input
// ends, and of an accessor. Says "ready" when it waits; the exit code is the expression's value.
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

	static int Handles (Order order)
	{
		return Waits () + order.Number;
	}

	static int Main ()
	{
		var order = Expression.Parameter (typeof (Order), "order");
		var handles = typeof (Inlined).GetMethod ("Handles", BindingFlags.NonPublic | BindingFlags.Static);
		var sum = Expression.Add (Expression.Call (handles, order), Expression.Property (order, "Number"));
		return Expression.Lambda<Func<Order, int>> (sum, order).Compile () (new Order { Number = 21 });
	}
}
