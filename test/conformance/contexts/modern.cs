// SPDX-License-Identifier: MIT
//
// modern.cs - calls with types that only the CLR knows, as the SDK's compiler makes them.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

public ref struct RefHolder {
	public ref int Target;
	public int Number;
}

public ref struct TextHolder {
	public ref string Target;
	public ReadOnlySpan<char> Span;
}

[InlineArray (4)] public struct RawInts { int first; }
[InlineArray (100)] public struct RawLongs { long first; }
[InlineArray (3)] public struct Texts { string first; }

public interface IAdds<T> where T : IAdds<T> {
	static abstract T Add (T a, in T b);
	static virtual string Name (string before) => before;
}

public struct XAdds : IAdds<XAdds> {
	public string Text;
	public short Number;
	public static XAdds Add (XAdds a, in XAdds b)
	{
		if (Log.On) Log.E ("XAdds.Add", null, Log.V (a), Log.R (b));
		a.Number += b.Number;
		a.Text += b.Text;
		if (Log.On) Log.L ("XAdds.Add", null, Log.V (a), null, Log.V (a), Log.R (b));
		return a;
	}
}

public static unsafe class XModern {
	static string S (Span<int> span)
	{
		return "Span`1{&" + (span.Length > 0 ? Log.V (span[0]) : "null") + "," + Log.V (span.Length) + "}";
	}

	static string S (ReadOnlySpan<char> span)
	{
		return "ReadOnlySpan`1{&" + (span.Length > 0 ? Log.V (span[0]) : "null") + "," + Log.V (span.Length) + "}";
	}

	static string S (RefHolder holder)
	{
		return "RefHolder{" + Log.R (holder.Target) + "," + Log.V (holder.Number) + "}";
	}

	static string S (TextHolder holder)
	{
		return "TextHolder{" + Log.R (holder.Target) + "," + S (holder.Span) + "}";
	}

	static string S (TypedReference typed)
	{
		long* words = (long*) &typed;
		return Log.P (words[0]) + Log.P (words[1]);
	}

	static string S (RawInts ints)
	{
		return "RawInts{" + Log.V (ints[0]) + Log.V (ints[1]) + Log.V (ints[2]) + Log.V (ints[3]) + "}";
	}

	static string S (in RawLongs longs)
	{
		ulong sum = 0;
		foreach (long value in longs)
			sum = (sum ^ (ulong) value) * 0x100000001b3;
		return "RawLongs{sum " + Log.P ((long) sum) + "}";
	}

	static Span<int> Spans (Span<int> a, ReadOnlySpan<char> b)
	{
		if (Log.On) Log.E ("XModern.Spans", null, S (a), S (b));
		a = a.Slice (1);
		b = "changed";
		if (Log.On) Log.L ("XModern.Spans", null, S (a), null, S (a), S (b));
		return a;
	}

	static RefHolder Refs (RefHolder a, TextHolder b)
	{
		if (Log.On) Log.E ("XModern.Refs", null, S (a), S (b));
		a.Number++;
		b.Target = "new";
		if (Log.On) Log.L ("XModern.Refs", null, S (a), null, S (a), S (b));
		return a;
	}

	static ref readonly string Found (string[] where, scoped in Raw24 what, ref readonly double d)
	{
		if (Log.On) Log.E ("XModern.Found", null, Log.V (where), Log.R (what), Log.R (d));
		if (Log.On) Log.L ("XModern.Found", null, Log.R (where[1]), null, Log.V (where), Log.R (what), Log.R (d));
		return ref where[1];
	}

	static ref int Element (int[] where, int i)
	{
		if (Log.On) Log.E ("XModern.Element", null, Log.V (where), Log.V (i));
		if (Log.On) Log.L ("XModern.Element", null, Log.R (where[i]), null, Log.V (where), Log.V (i));
		return ref where[i];
	}

	static delegate*<int, int> Pointers (delegate*<int, int> f, delegate* unmanaged<void> g)
	{
		if (Log.On) Log.E ("XModern.Pointers", null, Log.P (f), Log.P (g));
		g = null;
		if (Log.On) Log.L ("XModern.Pointers", null, Log.P (f), null, Log.P (f), Log.P (g));
		return f;
	}

	static Vector128<float> Vectors (Vector128<float> a, Vector256<byte> b, Vector64<int> c, float d)
	{
		if (Log.On) Log.E ("XModern.Vectors", null, Log.V (a), Log.V (b), Log.V (c), Log.V (d));
		for (int i = 0; i < 3; i++)
			a += Vector128.Create (d);
		if (Log.On) Log.L ("XModern.Vectors", null, Log.V (a), null, Log.V (a), Log.V (b), Log.V (c), Log.V (d));
		return a;
	}

	static RawInts Inlined (RawInts a, RawLongs b, Texts c)
	{
		if (Log.On) Log.E ("XModern.Inlined", null, S (a), S (b), Log.V (c));
		a[2]++;
		b[99] = 7;
		c[0] = "changed";
		if (Log.On) Log.L ("XModern.Inlined", null, S (a), null, S (a), S (b), Log.V (c));
		return a;
	}

	static RawLongs Long (RawLongs a, int i)
	{
		if (Log.On) Log.E ("XModern.Long", null, S (a), Log.V (i));
		a[i] = 8;
		if (Log.On) Log.L ("XModern.Long", null, S (a), null, S (a), Log.V (i));
		return a;
	}

	static void Typed (TypedReference a, int b)
	{
		if (Log.On) Log.E ("XModern.Typed", null, S (a), Log.V (b));
		b++;
		if (Log.On) Log.L ("XModern.Typed", null, null, null, S (a), Log.V (b));
	}

	static int Twice (int x)
	{
		if (Log.On) Log.E ("XModern.Twice", null, Log.V (x));
		if (Log.On) Log.L ("XModern.Twice", null, Log.V (2 * x), null, Log.V (x));
		return 2 * x;
	}

	static T Sum<T> (T a, T b) where T : IAdds<T>
	{
		if (Log.On) Log.E ("XModern.Sum", null, Log.V (a), Log.V (b));
		a = T.Add (a, in b);
		if (Log.On) Log.L ("XModern.Sum", null, Log.V (a), null, Log.V (a), Log.V (b));
		return a;
	}

	public static void Run ()
	{
		int number = 5;
		string text = "old";
		double d = 0.5;
		RawInts ints = new RawInts ();
		RawLongs longs = new RawLongs ();
		Texts texts = new Texts ();
		for (int i = 0; i < 4; i++)
			ints[i] = i + 1;
		for (int i = 0; i < 100; i++)
			longs[i] = 3 * i;
		texts[0] = "first";
		texts[2] = "last";
		Spans (new [] { 1, 2 }, "text");
		Spans (stackalloc int[2], default);
		Refs (new RefHolder { Target = ref number, Number = 1 },
		      new TextHolder { Target = ref text, Span = "span" });
		Found (new [] { "a", "b" }, new Raw24 { F1 = 3 }, in d);
		Element (new [] { 4, 5, 6 }, 2) = 7;
		Pointers (&Twice, (delegate* unmanaged<void>) 4096) (21);
		Vectors (Vector128.Create (1f, 2f, 3f, 4f), Vector256.Create ((byte) 9), Vector64.Create (7, 8), 0.25f);
		Inlined (ints, longs, texts);
		Long (longs, 50);
		Typed (__makeref (number), 1);
		Sum (new XAdds { Text = "a", Number = 1 }, new XAdds { Text = "b", Number = 2 });
		Local (3, "local");

		static string Local (int x, string y)
		{
			if (Log.On) Log.E ("?", null, Log.V (x), Log.V (y));
			y += x;
			if (Log.On) Log.L ("?", null, Log.V (y), null, Log.V (x), Log.V (y));
			return y;
		}
	}
}
