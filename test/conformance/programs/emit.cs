// SPDX-License-Identifier: MIT
// Writes il.exe: what no C# compiler makes. Run by Mono while the tests are built (`emit.exe FOLDER`), because only its
// class library can save an assembly.
using System;
using System.Reflection;
using System.Reflection.Emit;

public static class Emit
{
	const MethodAttributes Static = MethodAttributes.Public | MethodAttributes.Static;
	static TypeBuilder type;

	static MethodBuilder Method (string name, Type result, params Type[] parameters)
	{
		var method = type.DefineMethod (name, Static, result, parameters);
		method.SetImplementationFlags (MethodImplAttributes.IL | MethodImplAttributes.NoInlining);
		return method;
	}

	// int Sum (int n, int sum): calls itself by `tail.`; deep enough to overflow the stack if the prefix got lost.
	static MethodInfo TailSelf ()
	{
		var method = Method ("Sum", typeof (int), typeof (int), typeof (int));
		var il = method.GetILGenerator ();
		var more = il.DefineLabel ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Brtrue, more);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Ret);
		il.MarkLabel (more);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Tailcall);
		il.Emit (OpCodes.Call, method);
		il.Emit (OpCodes.Ret);
		return method;
	}

	// int Even (int n) and int Odd (int n): call each other by `tail.`.
	static MethodInfo TailMutual ()
	{
		var even = Method ("Even", typeof (int), typeof (int));
		var odd = Method ("Odd", typeof (int), typeof (int));
		HalfOfMutual (even.GetILGenerator (), odd, 1);
		HalfOfMutual (odd.GetILGenerator (), even, 0);
		return even;
	}

	static void HalfOfMutual (ILGenerator il, MethodInfo other, int atZero)
	{
		var more = il.DefineLabel ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Brtrue, more);
		il.Emit (OpCodes.Ldc_I4, atZero);
		il.Emit (OpCodes.Ret);
		il.MarkLabel (more);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		il.Emit (OpCodes.Tailcall);
		il.Emit (OpCodes.Call, other);
		il.Emit (OpCodes.Ret);
	}

	static MethodInfo Thrower ()
	{
		var method = Method ("Throw", typeof (void));
		var il = method.GetILGenerator ();
		il.Emit (OpCodes.Newobj, typeof (InvalidOperationException).GetConstructor (Type.EmptyTypes));
		il.Emit (OpCodes.Throw);
		return method;
	}

	// void Faulting (): a fault clause, which runs on the exceptional way only.
	static MethodInfo Faulting (MethodInfo thrower, FieldInfo faults)
	{
		var method = Method ("Faulting", typeof (void));
		var il = method.GetILGenerator ();
		il.BeginExceptionBlock ();
		il.Emit (OpCodes.Call, thrower);
		il.BeginFaultBlock ();
		il.Emit (OpCodes.Ldsfld, faults);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Stsfld, faults);
		il.EndExceptionBlock ();
		il.Emit (OpCodes.Ret);
		return method;
	}

	// int Catching (): a clause at offset 0 of the body, and a result that crosses the end of the block in a local.
	static MethodInfo Catching (MethodInfo faulting)
	{
		var method = Method ("Catching", typeof (int));
		var il = method.GetILGenerator ();
		var result = il.DeclareLocal (typeof (int));
		il.BeginExceptionBlock ();
		il.Emit (OpCodes.Call, faulting);
		il.BeginCatchBlock (typeof (InvalidOperationException));
		il.Emit (OpCodes.Pop);
		il.Emit (OpCodes.Ldc_I4_7);
		il.Emit (OpCodes.Stloc, result);
		il.EndExceptionBlock ();
		il.Emit (OpCodes.Ldloc, result);
		il.Emit (OpCodes.Ret);
		return method;
	}

	// int Loop (int n): its first instruction is the target of a branch.
	static MethodInfo BranchToStart ()
	{
		var method = Method ("Loop", typeof (int), typeof (int));
		var il = method.GetILGenerator ();
		var start = il.DefineLabel ();
		il.MarkLabel (start);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		il.Emit (OpCodes.Starg_S, (byte) 0);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Brtrue, start);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ret);
		return method;
	}

	static void Print (ILGenerator il, MethodInfo method, params int[] arguments)
	{
		foreach (int argument in arguments)
			il.Emit (OpCodes.Ldc_I4, argument);
		il.Emit (OpCodes.Call, method);
		il.Emit (OpCodes.Call, typeof (Console).GetMethod ("WriteLine", new[] { typeof (int) }));
	}

	public static int Main (string[] args)
	{
		var assembly = AppDomain.CurrentDomain.DefineDynamicAssembly (new AssemblyName ("il"),
			AssemblyBuilderAccess.Save, args[0]);
		type = assembly.DefineDynamicModule ("il.exe", "il.exe").DefineType ("IL", TypeAttributes.Public);
		var faults = type.DefineField ("faults", typeof (int), FieldAttributes.Public | FieldAttributes.Static);
		var main = Method ("Main", typeof (int));
		var il = main.GetILGenerator ();
		Print (il, TailSelf (), 1000000, 0);
		Print (il, TailMutual (), 1000001);
		Print (il, Catching (Faulting (Thrower (), faults)));
		Print (il, BranchToStart (), 100);
		il.Emit (OpCodes.Ldsfld, faults);
		il.Emit (OpCodes.Ret);
		type.CreateType ();
		assembly.SetEntryPoint (main);
		assembly.Save ("il.exe");
		return 0;
	}
}
