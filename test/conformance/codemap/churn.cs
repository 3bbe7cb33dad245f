// SPDX-License-Identifier: MIT
// Code that comes and goes, so that its memory is used again at once:
//   churn SECONDS THREADS
// Each thread makes collectible assemblies, dynamic methods and generic instances over types that go with them, runs
// each for some milliseconds and lets it go. Prints how many sums came out wrong.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;

public static class Churn
{
	static volatile bool over;
	static int wrong;

	// int (int n): the sum of `factor` n times, in a loop that calls a method which stays.
	static void Write_loop (ILGenerator il, int factor)
	{
		var again = il.DefineLabel ();
		var sum = il.DeclareLocal (typeof (int));
		il.MarkLabel (again);
		il.Emit (OpCodes.Ldloc, sum);
		il.Emit (OpCodes.Ldc_I4, factor);
		il.Emit (OpCodes.Call, typeof (Churn).GetMethod ("Same"));
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Stloc, sum);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		il.Emit (OpCodes.Starg_S, (byte) 0);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Brtrue, again);
		il.Emit (OpCodes.Ldloc, sum);
		il.Emit (OpCodes.Ret);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Same (int value)
	{
		int x = value;
		for (int i = 0; i < 20; i++)
			x ^= i;
		for (int i = 0; i < 20; i++)
			x ^= i;
		return x;
	}

	static Type Made (int number)
	{
		var assembly = AssemblyBuilder.DefineDynamicAssembly (new AssemblyName ("Made" + number),
			AssemblyBuilderAccess.RunAndCollect);
		var type = assembly.DefineDynamicModule ("Made" + number).DefineType ("Made.Type" + number % 50,
			TypeAttributes.Public | TypeAttributes.Sealed | TypeAttributes.SequentialLayout, typeof (ValueType));
		type.DefineField ("X", typeof (int), FieldAttributes.Public);
		var method = type.DefineMethod ("Loop" + number % 7, MethodAttributes.Public | MethodAttributes.Static,
			typeof (int), new[] { typeof (int) });
		Write_loop (method.GetILGenerator (), number % 100);
		return type.CreateType ();
	}

	static void Check (int sum, int n, int number)
	{
		if (sum != n * (number % 100))
			Interlocked.Increment (ref wrong);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Of_assembly (int number, int n)
	{
		Type type = Made (number);
		var loop = (Func<int, int>) type.GetMethod ("Loop" + number % 7).CreateDelegate (typeof (Func<int, int>));
		Check (loop (n), n, number);
		var list = (System.Collections.IList) Activator.CreateInstance (typeof (List<>).MakeGenericType (type));
		object one = Activator.CreateInstance (type);
		for (int i = 0; i < 500; i++)
			list.Add (one);
		if (list.Count != 500)
			Interlocked.Increment (ref wrong);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Of_method (int number, int n)
	{
		var method = new DynamicMethod ("dynamic" + number % 11, typeof (int), new[] { typeof (int) },
			typeof (Churn).Module);
		Write_loop (method.GetILGenerator (), number % 100);
		Check (((Func<int, int>) method.CreateDelegate (typeof (Func<int, int>))) (n), n, number);
	}

	static void Run (object first)
	{
		for (int number = (int) first; !over; number++) {
			if (number % 3 == 0)
				Of_assembly (number, 20000);
			else
				Of_method (number, 5000);
			if (number % 20 == 0) {
				GC.Collect ();
				GC.WaitForPendingFinalizers ();
			}
		}
	}

	static int Main (string[] args)
	{
		var threads = new Thread[int.Parse (args[1])];
		for (int i = 0; i < threads.Length; i++)
			(threads[i] = new Thread (Run)).Start (i * 1000);
		Thread.Sleep (int.Parse (args[0]) * 1000);
		over = true;
		foreach (var thread in threads)
			thread.Join ();
		Console.WriteLine ("wrong sums: {0}", wrong);
		return wrong;
	}
}
