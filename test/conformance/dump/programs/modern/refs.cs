// SPDX-License-Identifier: MIT
// Spans, ref structs, ref fields, scoped and readonly references, inline arrays.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Refs;

public ref struct Cursor<T>
{
	Span<T> span;
	ref T current;
	ref readonly int limit;
	public readonly ref readonly T Current => ref current;
	public int Length { readonly get => span.Length; init { } }
	public Cursor (Span<T> s, ref readonly int l) { span = s; current = ref s[0]; limit = ref l; }
	public readonly ReadOnlySpan<T>.Enumerator GetEnumerator () => ((ReadOnlySpan<T>) span).GetEnumerator ();
	[UnscopedRef] public ref T First () => ref current;
	public static implicit operator ReadOnlySpan<T> (Cursor<T> c) => c.span;
}

public readonly struct Point
{
	public readonly int X, Y;
	public Point (in int x, in Point other) { X = x; Y = other.Y; }
	public readonly override string ToString () => $"{X},{Y}";
}

[InlineArray (7)] public struct Seven<T> { T first; }
[InlineArray (3)] public struct Three { byte first; }

public struct Holder
{
	public Seven<int> Ints;
	public Three Bytes;
	public Seven<string> Texts;
	public nint N;
	public nuint U;
}

public static class Calls
{
	public static int Sum (ReadOnlySpan<int> a, scoped Span<byte> b, in Point p, ref readonly int r) => a.Length
		+ b.Length + p.X + r;
	public static ref readonly T Pick<T> (ref readonly T a, in T b, bool first) where T : struct => ref first
		? ref a : ref b;
	public static unsafe int Stack (int n)
	{
		Span<int> s = stackalloc int[n];
		Seven<int> i = default;
		i[2] = n;
		return s.Length + i[2];
	}
	public static void Params (params ReadOnlySpan<string> all) { }
	public static Span<char> Chars (Memory<char> m, ArraySegment<byte> s, Range r, Index i) => m.Span[r];
	public static T? Unmanaged<T> (T? t, Half h, Int128 i, UInt128 u, DateOnly d, TimeOnly o) where T : unmanaged
		=> t;
	public static T? Nullable<T> (T? t, string? s) where T : notnull => t;
}
