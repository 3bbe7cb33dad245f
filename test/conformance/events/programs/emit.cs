// SPDX-License-Identifier: MIT
// Writes tails.exe: calls that take their caller's place, and a fault clause, which no C# compiler makes. Run by Mono
// while the tests are built (`emit.exe FOLDER`), because only its class library can save an assembly.
using System;
using System.Reflection;
using System.Reflection.Emit;

static class Emit
{
	const MethodAttributes Static = MethodAttributes.Public | MethodAttributes.Static;
	static TypeBuilder program;

	static MethodBuilder Method (string name, Type result, params Type [] parameters)
	{
		MethodBuilder method = program.DefineMethod (name, Static, result, parameters);
		method.SetImplementationFlags (MethodImplAttributes.IL | MethodImplAttributes.NoInlining);
		return method;
	}

	static void Tail (ILGenerator il, MethodInfo method)
	{
		il.Emit (OpCodes.Tailcall);
		il.Emit (method.IsVirtual ? OpCodes.Callvirt : OpCodes.Call, method);
		il.Emit (OpCodes.Ret);
	}

	// static int NAME (int n): n == 0 ? atZero : OTHER (n - 1), in its own place.
	static void Countdown (MethodBuilder method, MethodInfo other, int at_zero)
	{
		ILGenerator il = method.GetILGenerator ();
		Label more = il.DefineLabel ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Brtrue, more);
		il.Emit (OpCodes.Ldc_I4, at_zero);
		il.Emit (OpCodes.Ret);
		il.MarkLabel (more);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		Tail (il, other);
	}

	static MethodInfo Throwing ()
	{
		MethodBuilder thrower = Method ("Throw", typeof (void)), tail = Method ("ThrowInItsPlace", typeof (void));
		ILGenerator il = thrower.GetILGenerator ();
		il.Emit (OpCodes.Ldstr, "thrown");
		il.Emit (OpCodes.Newobj, typeof (InvalidOperationException).GetConstructor (new [] { typeof (string) }));
		il.Emit (OpCodes.Throw);
		Tail (tail.GetILGenerator (), thrower);
		return tail;
	}

	static MethodInfo Faulting (MethodInfo thrower, MethodInfo say)
	{
		MethodBuilder method = Method ("Fault", typeof (void));
		ILGenerator il = method.GetILGenerator ();
		il.BeginExceptionBlock ();
		il.Emit (OpCodes.Call, thrower);
		il.BeginFaultBlock ();
		il.Emit (OpCodes.Ldstr, "fault");
		il.Emit (OpCodes.Call, say);
		il.EndExceptionBlock ();
		il.Emit (OpCodes.Ret);
		return method;
	}

	static MethodInfo Say ()
	{
		MethodBuilder method = Method ("Say", typeof (void), typeof (string));
		ILGenerator il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Call, typeof (Console).GetMethod ("WriteLine", new [] { typeof (string) }));
		il.Emit (OpCodes.Ret);
		return method;
	}

	static MethodBuilder Entry (MethodInfo say, MethodInfo fault, params MethodInfo [] countdowns)
	{
		MethodBuilder main = Method ("Main", typeof (int));
		ILGenerator il = main.GetILGenerator ();
		foreach (MethodInfo countdown in countdowns) {
			il.Emit (OpCodes.Ldc_I4, 100);
			il.Emit (OpCodes.Call, countdown);
			il.Emit (OpCodes.Call, typeof (Console).GetMethod ("WriteLine", new [] { typeof (int) }));
		}
		for (int i = 0; i < 2; i++) {
			il.BeginExceptionBlock ();
			il.Emit (OpCodes.Call, fault);
			il.BeginCatchBlock (typeof (InvalidOperationException));
			il.Emit (OpCodes.Callvirt, typeof (Exception).GetProperty ("Message").GetGetMethod ());
			il.Emit (OpCodes.Call, say);
			il.EndExceptionBlock ();
		}
		il.Emit (OpCodes.Ldc_I4_0);
		il.Emit (OpCodes.Ret);
		return main;
	}

	public static void Main (string [] args)
	{
		var name = new AssemblyName ("tails");
		AssemblyBuilder assembly = AppDomain.CurrentDomain.DefineDynamicAssembly (name, AssemblyBuilderAccess.Save,
			args [0]);
		ModuleBuilder module = assembly.DefineDynamicModule ("tails.exe", "tails.exe");
		program = module.DefineType ("Own.Program", TypeAttributes.Public);
		MethodBuilder self = Method ("Self", typeof (int), typeof (int));
		MethodBuilder even = Method ("Even", typeof (int), typeof (int));
		MethodBuilder odd = Method ("Odd", typeof (int), typeof (int));
		Countdown (self, self, 5);
		Countdown (even, odd, 1);
		Countdown (odd, even, 0);
		MethodInfo say = Say ();
		assembly.SetEntryPoint (Entry (say, Faulting (Throwing (), say), self, even, odd));
		program.CreateType ();
		assembly.Save ("tails.exe");
	}
}
