// SPDX-License-Identifier: MIT
//
// open.cs - type parameters that may be ref structs, which .NET 9 brought.
using System;

public ref struct RefHolder {
	public ref int Target;
	public int Number;
}

/* Inside of a method with type parameters nothing can be said of a ref struct, so its caller does. */
public static class Teller {
	public static void Say (string x, int n, string y)
	{
		if (!Log.On)
			return;
		Log.E ("XOpen.Last", "XOpen#1", x, Log.V (n), y);
		Log.L ("XOpen.Last", "XOpen#1", y, null, y, Log.V (n), y);
	}
}

public class XOpen {
	public int Id = 1;

	static string S (Span<int> span)
	{
		return "Span`1{" + Log.R (span[0]) + "," + Log.V (span.Length) + "}";
	}

	static string S (RefHolder holder)
	{
		return "RefHolder{" + Log.R (holder.Target) + "," + Log.V (holder.Number) + "}";
	}

	T Last<T> (T x, int n, T y) where T : allows ref struct
	{
		x = y;
		return x;
	}

	static void Run ()
	{
		XOpen open = new XOpen ();
		int number = 5;
		Span<int> two = new [] { 1, 2 }, three = stackalloc int[] { 3, 4, 5 };
		RefHolder a = new RefHolder { Target = ref number, Number = 1 }, b = new RefHolder { Target = ref two[1] };
		Teller.Say (S (two), 1, S (three));
		open.Last (two, 1, three);
		Teller.Say (S (a), 2, S (b));
		open.Last (a, 2, b);
		Teller.Say (Log.V ("text"), 3, Log.V ((string) null));
		open.Last ("text", 3, null);
		Teller.Say (Log.V (6L), 4, Log.V (7L));
		open.Last (6L, 4, 7L);
	}

	public static void Main (string[] args)
	{
		Log.E ("*XOpen.Main", null, Log.V (args));
		Run ();
		Log.On = false;
		for (int i = int.Parse (args[0]); i > 1; i--)
			Run ();
		Log.L ("*XOpen.Main", null, null, null, Log.V (args));
		Log.Print ();
	}
}
