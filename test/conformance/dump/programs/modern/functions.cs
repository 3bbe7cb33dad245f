// SPDX-License-Identifier: MIT
// Function pointers, unmanaged callers, module initialisers, skipped locals.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Functions;

public static unsafe class Pointers
{
	public static delegate*<int, string, void> Managed;
	public static delegate* unmanaged<int*, nint> Native;
	public static delegate* unmanaged[Cdecl]<ref int, int> C;
	public static delegate* unmanaged[Stdcall, SuppressGCTransition]<void> Quick;
	public static delegate*<delegate*<int>, delegate* unmanaged[Thiscall]<void*, void>> Nested;
	public static void*[]? Table;
	public static delegate*<int, void>[]? Functions;
	public static delegate*<int, void>* Function;
	public static int Call (delegate*<int, int> f, int n) => f (n);
	public static T Generic<T> (delegate*<ref T, in T, out T, ref readonly T> f, T t) => f (ref t, in t, out t);
	static int Twice (int n) => 2 * n;
	public static int Run () { delegate*<int, int> f = &Twice; return Call (f, 3) + f (4); }
	[UnmanagedCallersOnly (CallConvs = new[] { typeof (CallConvCdecl) }, EntryPoint = "callback")] public static int
		Callback (int a, byte* b) => a;
	[ModuleInitializer] internal static void Started () { }
	[SkipLocalsInit] public static int Skipped () { int* p = stackalloc int[4]; return p[0] - p[0]; }
	[DllImport ("libc"), SuppressGCTransition] public static extern int getpid ();
}

public struct Callbacks
{
	public unsafe delegate* unmanaged<int, int> Field;
	public unsafe delegate*<Callbacks*, void> Self;
}
