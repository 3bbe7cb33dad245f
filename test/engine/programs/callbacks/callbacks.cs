// SPDX-License-Identifier: MIT
//
// callbacks.cs - native threads call managed methods of all shapes while Main collects as fast as it can.
//
//   callbacks LIBRARY [rounds=N] [calls=N] [threads=N] [only=NAME] [limit=MS]
//
// A round: the threads of callbacks.c call every shape, Main collects until they are through, then once more while all
// of them wait in native code. A thread that came back to native code in cooperative mode makes that collection wait
// for ever, which the library's watch ends. Prints how long collections took, and the longest.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

sealed class Sorry : Exception
{
	public readonly int Level;
	public Sorry (int level) => Level = level;
}

public static class Open
{
	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	public static int SmallPublic (int n) => n + 3;
}

// Each takes a number and answers it and three more.
static unsafe class Shapes
{
	[DllImport ("callbacks")]
	static extern int callbacks_add_one (int n);
	[DllImport ("callbacks", EntryPoint = "callbacks_add_one"), SuppressGCTransition]
	static extern int add_one_suppressed (int n);
	[DllImport ("callbacks")]
	static extern int callbacks_call (delegate* unmanaged<int, int> function, int n);

	static int total;
	static object kept;

	[UnmanagedCallersOnly]
	static int Plain (int n) => n + 3;

	[UnmanagedCallersOnly]
	static int Calls (int n) => Three () + n;

	static int Three () => 3;

	[UnmanagedCallersOnly]
	static void Nothing (int n) => total = n;

	[UnmanagedCallersOnly]
	static double Floating (double n) => n + 3;

	[UnmanagedCallersOnly]
	static int Allocates (int n)
	{
		kept = new byte[n & 1023];
		return n + 3;
	}

	[UnmanagedCallersOnly]
	static int Branches (int n)
	{
		if ((n & 1) == 0)
			return n + 3;
		if ((n & 2) == 0)
			return Three () + n;
		switch (n & 12) {
		case 4: return n + 2 + 1;
		case 8: return n + Three ();
		default: return 3 + n;
		}
	}

	[UnmanagedCallersOnly]
	static int Catches (int n)
	{
		try {
			throw new Sorry (n);
		} catch (Sorry e) {
			return e.Level + 3;
		}
	}

	static int Throws (int n) => throw new Sorry (n);

	[UnmanagedCallersOnly]
	static int CatchesFromBelow (int n)
	{
		int result = 0;
		try {
			result = (n & 7) == 0 ? Throws (n) : n;
		} catch (Sorry e) when (e.Level == n) {
			result = e.Level;
		}
		return result + 3;
	}

	[UnmanagedCallersOnly]
	static int Finally (int n)
	{
		try {
			n++;
			total = n;
		} finally {
			n += 2;
		}
		return n;
	}

	[UnmanagedCallersOnly]
	static void FinallyLast (int n)
	{
		try {
			total = n;
		} finally {
			total++;
		}
	}

	[UnmanagedCallersOnly]
	static int Loops (int n)
	{
		int sum = 0;
		for (int i = 0; i < 200; i++)
			sum += i & n;
		total = sum;
		return n + 3;
	}

	[UnmanagedCallersOnly]
	static int LoopsCalling (int n)
	{
		int sum = 0;
		for (int i = 0; i < 100; i++)
			sum += Three ();
		return n + sum - 297;
	}

	static T Same<T> (T value) => value;

	[UnmanagedCallersOnly]
	static int Generic (int n) => Same (n) + Same ("abc").Length;

	[UnmanagedCallersOnly]
	static int Nested (int n) => callbacks_call (&Calls, n);

	[UnmanagedCallersOnly]
	static int NestedDeeper (int n) => callbacks_call (&NestedCatching, callbacks_call (&Catches, n) - 3);

	[UnmanagedCallersOnly]
	static int NestedCatching (int n)
	{
		try {
			return callbacks_call (&Plain, Throws (n));
		} catch (Sorry e) {
			return callbacks_call (&Plain, e.Level);
		}
	}

	// What follows the last native call is the way back to native code.
	[UnmanagedCallersOnly]
	static int Inlined (int n) => callbacks_add_one (callbacks_add_one (callbacks_add_one (n)));

	[UnmanagedCallersOnly]
	static int Suppressed (int n)
	{
		n = add_one_suppressed (add_one_suppressed (n));
		return callbacks_add_one (n);
	}

	[UnmanagedCallersOnly, MethodImpl (MethodImplOptions.Synchronized)]
	static int Synchronized (int n) => n + 3;

	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static int Small (int n) => n + 3;

	[MethodImpl (MethodImplOptions.AggressiveInlining)]
	static void SmallNothing (int n) => total = n;

	// What is inlined last ends with a probe of its own.
	[UnmanagedCallersOnly]
	static int Inlines (int n) => Small (n);

	[UnmanagedCallersOnly]
	static void InlinesNothing (int n) => SmallNothing (n);

	[UnmanagedCallersOnly]
	static int InlinesUnprobed (int n) => Math.Max (Math.Abs (n), Math.Clamp (n + 3, 3, 1 << 20));

	// --- the same by stubs of the runtime -------------------------------------------------------------------------

	static int Static (int n) => n + 3;

	static int StaticCatching (int n)
	{
		try {
			return Throws (n);
		} catch (Sorry e) {
			return e.Level + 3;
		}
	}

	sealed class Closure
	{
		public int Three = 3;
		public int Add (int n) => n + Three;
	}

	// --- every function of the library's list takes a number and answers one --------------------------------------

	[UnmanagedCallersOnly]
	static int ThroughNothing (int n)
	{
		((delegate* unmanaged<int, void>) &Nothing) (n);
		((delegate* unmanaged<int, void>) &FinallyLast) (n);
		((delegate* unmanaged<int, void>) &InlinesNothing) (n);
		return n + 3;
	}

	[UnmanagedCallersOnly]
	static int ThroughFloating (int n) => (int) ((delegate* unmanaged<double, double>) &Floating) (n);

	[UnmanagedFunctionPointer (CallingConvention.Cdecl)]
	delegate int Function (int n);

	static readonly List<Function> delegates = new () { Static, StaticCatching, new Closure ().Add, n => n + 3 };

	// A method whose IL a profiler cannot change inlines one whose IL it changed.
	static Type Emitted ()
	{
		var name = new AssemblyName ("emitted");
		var assembly = AssemblyBuilder.DefineDynamicAssembly (name, AssemblyBuilderAccess.Run);
		var type = assembly.DefineDynamicModule ("emitted").DefineType ("Emitted", TypeAttributes.Public);
		var method = type.DefineMethod ("EmittedInlines", MethodAttributes.Public | MethodAttributes.Static,
		                                typeof (int), new[] { typeof (int) });
		var attribute = typeof (UnmanagedCallersOnlyAttribute).GetConstructor (Type.EmptyTypes);
		method.SetCustomAttribute (new CustomAttributeBuilder (attribute, new object[0]));
		var il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Call, typeof (Open).GetMethod ("SmallPublic"));
		il.Emit (OpCodes.Ret);
		return type.CreateType ();
	}

	static void Add (Dictionary<string, nint> all, Type type)
	{
		foreach (var method in type.GetMethods (BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)) {
			var parameters = method.GetParameters ();
			if (method.IsDefined (typeof (UnmanagedCallersOnlyAttribute)) && method.ReturnType == typeof (int) &&
			    parameters.Length == 1 && parameters[0].ParameterType == typeof (int))
				all[method.Name] = method.MethodHandle.GetFunctionPointer ();
		}
	}

	public static Dictionary<string, nint> All ()
	{
		SmallNothing (Small (Open.SmallPublic (Three ()))); // what the profiler has met may be inlined
		var all = new Dictionary<string, nint> ();
		Add (all, typeof (Shapes));
		Add (all, typeof (Il));
		Add (all, Emitted ());
		for (int i = 0; i < delegates.Count; i++)
			all["Delegate" + i] = Marshal.GetFunctionPointerForDelegate (delegates[i]);
		return all;
	}
}

static unsafe class Hunt
{
	[DllImport ("callbacks")]
	static extern int callbacks_start (uint count, nint* list, uint list_count, nint limit);
	[DllImport ("callbacks")]
	static extern void callbacks_settle ();
	[DllImport ("callbacks")]
	static extern void callbacks_round (uint count);
	[DllImport ("callbacks")]
	static extern int callbacks_settled ();
	[DllImport ("callbacks")]
	static extern void callbacks_collecting (int begins);
	[DllImport ("callbacks")]
	static extern nuint callbacks_stop (nuint* ret_calls);

	static readonly int[] histogram = new int[32];
	static long longest;
	static int collections;

	static void Collect ()
	{
		callbacks_collecting (1);
		long began = Stopwatch.GetTimestamp ();
		GC.Collect (collections % 16 == 0 ? 2 : 0, GCCollectionMode.Forced, blocking: true);
		long us = (long) Stopwatch.GetElapsedTime (began).TotalMicroseconds;
		callbacks_collecting (0);
		longest = Math.Max (longest, us);
		histogram[us == 0 ? 0 : (int) Math.Log2 (us)]++;
		collections++;
	}

	static void Round (uint calls)
	{
		callbacks_round (calls);
		do
			Collect ();
		while (callbacks_settled () == 0);
		Collect ();
	}

	static void PrintTimes ()
	{
		for (int i = 0; i < histogram.Length; i++)
			if (histogram[i] != 0)
				Console.Error.WriteLine ($"{histogram[i],8} collections took {1L << i} us or more");
		Console.Error.WriteLine ($"longest {longest} us of {collections} collections");
	}

	static int Main (string[] args)
	{
		var options = new Dictionary<string, string> { ["rounds"] = "100", ["calls"] = "10", ["threads"] = "8",
		                                               ["only"] = "", ["limit"] = "10000" };
		foreach (string option in args[1..])
			options[option.Split ('=')[0]] = option.Split ('=')[1];
		nint library = NativeLibrary.Load (args[0]);
		NativeLibrary.SetDllImportResolver (typeof (Hunt).Assembly, (name, assembly, path) => library);
		var functions = new List<nint> ();
		foreach (var (name, function) in Shapes.All ())
			if (options["only"] == "" || options["only"] == name)
				functions.Add (function);
		fixed (nint* list = functions.ToArray ())
			if (callbacks_start (uint.Parse (options["threads"]), list, (uint) functions.Count,
			                     nint.Parse (options["limit"])) != 0)
				return 2;
		callbacks_settle ();
		int rounds = int.Parse (options["rounds"]);
		for (int i = 0; i < rounds; i++)
			Round (uint.Parse (options["calls"]));
		nuint calls = 0;
		nuint wrong = callbacks_stop (&calls);
		PrintTimes ();
		Console.WriteLine ($"{functions.Count} functions, {rounds} rounds, {calls} calls, {wrong} wrong answers");
		return wrong == 0 ? 0 : 1;
	}
}
