// SPDX-License-Identifier: MIT
// Assemblies that a program makes while it runs: each method counts itself in Count, and the module must have counted
// the same. Prints "= NAME CALLS FAILURES". `made.dll collect` makes them collectible, and makes them ROUNDS times.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

public static class Count
{
	sealed class Row { public int Calls, Failures; }
	static readonly ConcurrentDictionary<string, Row> rows = new ();

	public static void Call (string name) => Interlocked.Increment (ref rows.GetOrAdd (name, _ => new Row ()).Calls);
	public static void Fail (string name) => Interlocked.Increment (ref rows.GetOrAdd (name, _ => new Row ()).Failures);

	public static void Print ()
	{
		foreach (var (name, row) in rows.OrderBy (r => r.Key, StringComparer.Ordinal))
			Console.WriteLine ("= {0} {1} {2}", name, row.Calls, row.Failures);
	}
}

public struct Pair { public double X; public string Y; }

public interface IWork { long Work (int n, string text); }

static class Maker
{
	static readonly MethodInfo call = typeof (Count).GetMethod ("Call"), fail = typeof (Count).GetMethod ("Fail");

	static ILGenerator Begin (MethodBuilder method)
	{
		ILGenerator il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldstr, method.Name);
		il.Emit (OpCodes.Call, call);
		return il;
	}

	const MethodAttributes Static = MethodAttributes.Public | MethodAttributes.Static;

	// static double Loop (double x, int n): floating-point values across a loop, and locals.
	static MethodBuilder Loop (TypeBuilder type)
	{
		Type[] parameters = { typeof (double), typeof (int) };
		MethodBuilder method = type.DefineMethod ("Loop", Static, typeof (double), parameters);
		ILGenerator il = Begin (method);
		LocalBuilder sum = il.DeclareLocal (typeof (double)), pair = il.DeclareLocal (typeof (Pair));
		Label again = il.DefineLabel ();
		il.MarkLabel (again);
		il.Emit (OpCodes.Ldloc, sum);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Stloc, sum);
		il.Emit (OpCodes.Ldloca, pair);
		il.Emit (OpCodes.Ldloc, sum);
		il.Emit (OpCodes.Stfld, typeof (Pair).GetField ("X"));
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		il.Emit (OpCodes.Starg_S, (byte) 1);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Brtrue, again);
		il.Emit (OpCodes.Ldloca, pair);
		il.Emit (OpCodes.Ldfld, typeof (Pair).GetField ("X"));
		il.Emit (OpCodes.Ret);
		return method;
	}

	// static int Down (int n): calls itself by `tail.`
	static MethodBuilder Down (TypeBuilder type)
	{
		MethodBuilder method = type.DefineMethod ("Down", Static, typeof (int), new [] { typeof (int) });
		ILGenerator il = Begin (method);
		Label more = il.DefineLabel ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Brtrue, more);
		il.Emit (OpCodes.Ldc_I4_7);
		il.Emit (OpCodes.Ret);
		il.MarkLabel (more);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		il.Emit (OpCodes.Tailcall);
		il.Emit (OpCodes.Call, method);
		il.Emit (OpCodes.Ret);
		return method;
	}

	// static void Throws (): throws.
	static MethodBuilder Throws (TypeBuilder type)
	{
		MethodBuilder method = type.DefineMethod ("Throws", Static, typeof (void), Type.EmptyTypes);
		ILGenerator il = Begin (method);
		il.Emit (OpCodes.Ldstr, "Throws");
		il.Emit (OpCodes.Call, fail);
		il.Emit (OpCodes.Newobj, typeof (InvalidOperationException).GetConstructor (Type.EmptyTypes));
		il.Emit (OpCodes.Throw);
		return method;
	}

	// static int Catches (): what Throws throws.
	static MethodBuilder Catches (TypeBuilder type, MethodInfo throws)
	{
		MethodBuilder method = type.DefineMethod ("Catches", Static, typeof (int), Type.EmptyTypes);
		ILGenerator il = Begin (method);
		LocalBuilder result = il.DeclareLocal (typeof (int));
		il.BeginExceptionBlock ();
		il.Emit (OpCodes.Call, throws);
		il.BeginCatchBlock (typeof (InvalidOperationException));
		il.Emit (OpCodes.Pop);
		il.Emit (OpCodes.Ldc_I4_5);
		il.Emit (OpCodes.Stloc, result);
		il.BeginFinallyBlock ();
		il.Emit (OpCodes.Nop);
		il.EndExceptionBlock ();
		il.Emit (OpCodes.Ldloc, result);
		il.Emit (OpCodes.Ret);
		return method;
	}

	// static int FromNative (int n): native code calls it.
	static void FromNative (TypeBuilder type, MethodInfo callee)
	{
		Type[] parameters = { typeof (int) };
		MethodBuilder method = type.DefineMethod ("FromNative", Static, typeof (int), parameters);
		ConstructorInfo attribute = typeof (UnmanagedCallersOnlyAttribute).GetConstructor (Type.EmptyTypes);
		method.SetCustomAttribute (new CustomAttributeBuilder (attribute, new object[0]));
		ILGenerator il = Begin (method);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Call, callee);
		il.Emit (OpCodes.Ret);
	}

	// static T Same<T> (T x), and a generic class with T Swap (T)
	static MethodBuilder Same (TypeBuilder type)
	{
		MethodBuilder method = type.DefineMethod ("Same", Static);
		GenericTypeParameterBuilder t = method.DefineGenericParameters ("T")[0];
		method.SetReturnType (t);
		method.SetParameters (t);
		ILGenerator il = Begin (method);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ret);
		return method;
	}

	static Type Box (ModuleBuilder module)
	{
		TypeBuilder type = module.DefineType ("Box", TypeAttributes.Public);
		GenericTypeParameterBuilder t = type.DefineGenericParameters ("T")[0];
		FieldBuilder field = type.DefineField ("value", t, FieldAttributes.Public);
		type.DefineDefaultConstructor (MethodAttributes.Public);
		MethodBuilder method = type.DefineMethod ("Swap", MethodAttributes.Public, t, new Type[] { t });
		ILGenerator il = Begin (method);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldfld, TypeBuilder.GetField (type.MakeGenericType (t), field));
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Stfld, TypeBuilder.GetField (type.MakeGenericType (t), field));
		il.Emit (OpCodes.Ret);
		return type.CreateType ();
	}

	// long IWork.Work (int n, string text): all of them.
	static Type Worker (ModuleBuilder module, int extra)
	{
		TypeBuilder type = module.DefineType ("Made.Worker", TypeAttributes.Public, typeof (object));
		type.AddInterfaceImplementation (typeof (IWork));
		MethodBuilder loop = Loop (type), down = Down (type), same = Same (type);
		MethodBuilder catches = Catches (type, Throws (type));
		FromNative (type, down);
		for (int i = 0; i < extra; i++) {
			ILGenerator more = Begin (type.DefineMethod ("Extra", Static, typeof (void), Type.EmptyTypes));
			more.Emit (OpCodes.Ret);
		}
		const MethodAttributes Virtual = MethodAttributes.Public | MethodAttributes.Virtual;
		Type[] parameters = { typeof (int), typeof (string) };
		MethodBuilder work = type.DefineMethod ("Work", Virtual, typeof (long), parameters);
		ILGenerator il = Begin (work);
		il.Emit (OpCodes.Ldc_R8, 0.5);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Call, loop);
		il.Emit (OpCodes.Conv_I8);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Call, down);
		il.Emit (OpCodes.Conv_I8);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Call, catches);
		il.Emit (OpCodes.Conv_I8);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ldarg_2);
		il.Emit (OpCodes.Call, same.MakeGenericMethod (typeof (string)));
		il.Emit (OpCodes.Callvirt, typeof (string).GetProperty ("Length").GetGetMethod ());
		il.Emit (OpCodes.Call, same.MakeGenericMethod (typeof (int)));
		il.Emit (OpCodes.Conv_I8);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ret);
		return type.CreateType ();
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static unsafe long Use (string name, AssemblyBuilderAccess access, int extra)
	{
		AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly (new AssemblyName (name), access);
		ModuleBuilder module = assembly.DefineDynamicModule (name);
		Type worker = Worker (module, extra);
		IWork work = (IWork) Activator.CreateInstance (worker);
		long sum = 0;
		for (int i = 1; i < 60; i++)
			sum += work.Work (i, "text");
		Type box = Box (module); // written while methods of the module have probes
		foreach (Type t in new [] { typeof (int), typeof (string), typeof (Pair) }) {
			Type made = box.MakeGenericType (t);
			object one = Activator.CreateInstance (made);
			object value = t == typeof (string) ? "in" : Activator.CreateInstance (t);
			for (int i = 0; i < 3; i++)
				sum += made.GetMethod ("Swap").Invoke (one, new [] { value }) == null ? 1 : 0;
		}
		var native = (delegate* unmanaged<int, int>) worker.GetMethod ("FromNative").MethodHandle.GetFunctionPointer ();
		for (int i = 0; i < 3; i++) {
			sum += native (i);
			GC.Collect (0);
		}
		foreach (MethodInfo method in worker.GetMethods ())
			if (method.Name == "Extra")
				method.Invoke (null, null);
		return sum;
	}
}

static class Program
{
	static int Main (string[] args)
	{
		bool collect = args.Length > 0;
		AssemblyBuilderAccess access = collect ? AssemblyBuilderAccess.RunAndCollect : AssemblyBuilderAccess.Run;
		Console.WriteLine (Maker.Use ("first", access, 300));
		Parallel.For (0, 8, i => Maker.Use ("next", access, 1));
		for (int i = 0; collect && i < int.Parse (args[0]); i++) {
			Maker.Use ("round", access, 0);
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
		Count.Print ();
		return 0;
	}
}
