// SPDX-License-Identifier: MIT
//
// code.cs - code that comes into being while the program runs, and goes again.
using System;
using System.Collections.Generic;
using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

static class Code
{
	static readonly MethodInfo leaf = typeof (Torture).GetMethod ("Leaf");
	static readonly MethodInfo thrower = typeof (Torture).GetMethod ("Throw");

	static void EmitTwiceLeaf (ILGenerator il)
	{
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Call, leaf);
		il.Emit (OpCodes.Call, leaf);
		il.Emit (OpCodes.Ret);
	}

	static int EmittedAssemblies ()
	{
		int sum = 0;
		for (int i = 0; i < Torture.Of (20); i++) {
			var assembly = AssemblyBuilder.DefineDynamicAssembly (new AssemblyName ("Emitted" + i),
				i % 2 == 0 ? AssemblyBuilderAccess.Run : AssemblyBuilderAccess.RunAndCollect);
			ModuleBuilder module = assembly.DefineDynamicModule ("module");
			for (int j = 0; j < 10; j++) {
				TypeBuilder type = module.DefineType ("Type" + j, TypeAttributes.Public);
				MethodBuilder method = type.DefineMethod ("Twice", MethodAttributes.Public | MethodAttributes.Static,
					typeof (int), new[] { typeof (int) });
				EmitTwiceLeaf (method.GetILGenerator ());
				Type made = type.CreateType ();
				sum += (int) made.GetMethod ("Twice").Invoke (null, new object[] { i + j });
			}
			GC.Collect ();
		}
		Console.WriteLine ("sum " + sum);
		return 0;
	}

	static int DynamicMethods ()
	{
		int sum = 0, caught = 0;
		for (int i = 0; i < Torture.Of (500); i++) {
			var method = new DynamicMethod ("Twice" + i, typeof (int), new[] { typeof (int) }, typeof (Torture).Module);
			EmitTwiceLeaf (method.GetILGenerator ());
			sum += ((Func<int, int>) method.CreateDelegate (typeof (Func<int, int>))) (i);

			method = new DynamicMethod ("Thrower" + i, typeof (int), new[] { typeof (int) }, typeof (Torture).Module);
			ILGenerator il = method.GetILGenerator ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Call, thrower);
			il.Emit (OpCodes.Ret);
			try {
				((Func<int, int>) method.CreateDelegate (typeof (Func<int, int>))) (i % 4);
			} catch (Boom) {
				caught++;
			}
			if (i % 100 == 0)
				GC.Collect ();
		}
		Console.WriteLine ("sum " + sum + " caught " + caught);
		return 0;
	}

	static int Expressions ()
	{
		int sum = 0;
		for (int i = 0; i < Torture.Of (100); i++) {
			ParameterExpression n = Expression.Parameter (typeof (int), "n");
			Expression body = Expression.Call (leaf, Expression.Add (n, Expression.Constant (i)));
			Expression careful = Expression.TryCatch (
				Expression.Add (body, Expression.Call (thrower, Expression.Constant (i % 3))),
				Expression.Catch (typeof (Boom), Expression.Call (leaf, n)));
			sum += Expression.Lambda<Func<int, int>> (careful, n).Compile () (7);
		}
		Console.WriteLine ("sum " + sum);
		return 0;
	}

	// What is called as often as a library decides.
	static int Uncounted (int n)
	{
		return n ^ 1;
	}

	static int CountMatches (string text, int i)
	{
		var regex = new Regex ("(a{" + (i % 5 + 1) + "}|b+|[c-f]{2})(x?)" + i + "*$", RegexOptions.Compiled);
		return regex.Matches (text).Count + regex.Replace (text, m => "" + Uncounted (m.Length)).Length;
	}

	static int CompiledRegexes ()
	{
		int sum = 0;
		for (int i = 0; i < Torture.Of (20); i++)
			sum += CountMatches ("aab" + new string ('b', i) + "cdxx" + new string ('a', 5), i);
		Console.WriteLine ("sum " + sum);
		return 0;
	}

	struct Pair<T>
	{
		public T First, Second;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int NestedClass<T> (int depth)
	{
		return depth == 0 ? Torture.Leaf (typeof (T).IsClass ? 1 : 0) : NestedClass<List<T>> (depth - 1) + 1;
	}

	// The struct of depth N has 2^N fields; it is only named, never made.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int NestedStruct<T> (int depth)
	{
		return depth == 0 ? Torture.Leaf (typeof (T).IsValueType ? 1 : 0) : NestedStruct<Pair<T>> (depth - 1) + 1;
	}

	static int DeepGenerics ()
	{
		Console.WriteLine (NestedClass<string> (60) + " " + NestedClass<int> (60) + " " + NestedStruct<byte> (10));
		try {
			ThrowGeneric<List<Dictionary<string, Pair<int>>>> (20);
		} catch (Boom) {
			Console.WriteLine ("caught");
		}
		return 0;
	}

	static void ThrowGeneric<T> (int depth)
	{
		if (depth == 0)
			Torture.Throw (2);
		ThrowGeneric<T[]> (depth - 1);
	}

	// A collectible load context with a copy of this assembly: its Leaf is called, its Boom is thrown, it is unloaded.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static WeakReference LoadAndRun ()
	{
		Type contexts = Type.GetType ("System.Runtime.Loader.AssemblyLoadContext, System.Private.CoreLib", true);
		object context = Activator.CreateInstance (contexts, "torture", true);
		var copy = (Assembly) contexts.GetMethod ("LoadFromAssemblyPath").Invoke (context,
			new object[] { typeof (Code).Assembly.Location });
		MethodInfo method = copy.GetType ("Torture").GetMethod ("ThrowAndCatch");
		method.Invoke (null, new object[] { 10 });
		contexts.GetMethod ("Unload").Invoke (context, null);
		return new WeakReference (copy);
	}

	static int CollectibleContexts ()
	{
		var copies = new List<WeakReference> ();
		for (int i = 0; i < Torture.Of (20); i++)
			copies.Add (LoadAndRun ());
		// Ends when the last one is gone: a profiler that holds one would never let it.
		while (copies.Exists (copy => copy.IsAlive)) {
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
		Console.WriteLine ("unloaded " + copies.Count);
		return 0;
	}

	static int Loop (int rounds)
	{
		int sum = 0;
		for (int i = 0; i < rounds; i++) {
			sum = unchecked (sum * 31 + Torture.Leaf (i));
			if (i % 1000 == 0) {
				try {
					Torture.Throw (1);
				} catch (Boom) {
					sum++;
				}
			}
		}
		return sum;
	}

	// One call, one loop: it can only become fast code by being replaced on the stack.
	static int LongLoop ()
	{
		Console.WriteLine ("sum " + Loop (Torture.Of (300000)));
		return 0;
	}

	[DllImport ("libc")] static extern void qsort (int[] items, IntPtr count, IntPtr size, Compare compare);
	[UnmanagedFunctionPointer (CallingConvention.Cdecl)] delegate int Compare (ref int a, ref int b);
	[UnmanagedFunctionPointer (CallingConvention.Cdecl)] delegate int Unary (int n);

	static int CompareItems (ref int a, ref int b)
	{
		Uncounted (a);
		return a - b;
	}

	// A delegate as a function pointer, called by `calli` out of code that was emitted.
	static Func<IntPtr, int, int> EmitPointerCall ()
	{
		var method = new DynamicMethod ("Calli", typeof (int), new[] { typeof (IntPtr), typeof (int) },
			typeof (Torture).Module);
		ILGenerator il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Ldarg_0);
		il.EmitCalli (OpCodes.Calli, CallingConvention.Cdecl, typeof (int), new[] { typeof (int) });
		il.Emit (OpCodes.Ret);
		return (Func<IntPtr, int, int>) method.CreateDelegate (typeof (Func<IntPtr, int, int>));
	}

	static int FunctionPointers ()
	{
		Unary unary = Torture.Leaf;
		IntPtr pointer = Marshal.GetFunctionPointerForDelegate (unary);
		Func<IntPtr, int, int> call = EmitPointerCall ();
		int sum = 0;
		Torture.UnderCollections (() => {
			for (int i = 0; i < Torture.Of (20000); i++)
				sum = unchecked (sum * 31 + call (pointer, i));
		});
		GC.KeepAlive (unary);
		var items = new int[64];
		for (int i = 0; i < items.Length; i++)
			items[i] = i * 37 % 64;
		qsort (items, (IntPtr) items.Length, (IntPtr) 4, CompareItems);
		Console.WriteLine ("sum " + sum + " first " + items[0] + " last " + items[63]);
		return 0;
	}

	public static readonly Func<int>[] Programs = {
		EmittedAssemblies, DynamicMethods, Expressions, CompiledRegexes, DeepGenerics, CollectibleContexts, LongLoop,
		FunctionPointers
	};
}
