// SPDX-License-Identifier: MIT
// Writes assemblies while it runs, and runs them:
//   dynamic ROUNDS
// Each has a generic class with a nested one, an enum, a struct and a generic method; half of them can be collected. A
// method that belongs to no type is compiled too. Prints a sum.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

static class Dynamic {
	// static int Add (T value, List<string> list, ref int sum): what it is given, plus one.
	static void Write_method (TypeBuilder type, string name, bool generic)
	{
		var method = type.DefineMethod (name, MethodAttributes.Public | MethodAttributes.Static);
		Type value = generic ? method.DefineGenericParameters ("U")[0] : typeof (int);
		method.SetReturnType (typeof (int));
		method.SetParameters (value, typeof (List<string>), typeof (int).MakeByRefType ());
		var il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_2);
		il.Emit (OpCodes.Ldind_I4);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ret);
	}

	static Type Write (string name, AssemblyBuilderAccess access)
	{
		var assembly = AssemblyBuilder.DefineDynamicAssembly (new AssemblyName (name), access);
		var module = assembly.DefineDynamicModule (name);
		var colour = module.DefineEnum ("Made.Colour", TypeAttributes.Public, typeof (byte));
		colour.DefineLiteral ("Red", (byte) 1);
		colour.CreateType ();
		var point = module.DefineType ("Made.Point", TypeAttributes.Public | TypeAttributes.Sealed, typeof (ValueType));
		point.DefineField ("X", typeof (int), FieldAttributes.Public);
		Write_method (point, "OfPoint", false);
		point.CreateType ();
		var type = module.DefineType ("Made.While.Running", TypeAttributes.Public | TypeAttributes.Class);
		Write_method (type, "Add", false);
		Write_method (type, "Generic", true);
		var inner = type.DefineNestedType ("Inner", TypeAttributes.NestedPublic);
		inner.DefineGenericParameters ("T");
		Write_method (inner, "Deep", false);
		var made = type.CreateType ();
		inner.CreateType ();
		return made;
	}

	static int Call (MethodInfo method)
	{
		object[] arguments = { 0, null, 4 };
		if (method.ContainsGenericParameters)
			arguments[0] = null;
		if (method.IsGenericMethodDefinition)
			method = method.MakeGenericMethod (typeof (string));
		return (int) method.Invoke (null, arguments);
	}

	static int Free_method ()
	{
		var method = new DynamicMethod ("Free", typeof (int), new[] { typeof (int) });
		var il = method.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ret);
		return ((Func<int, int>) method.CreateDelegate (typeof (Func<int, int>))) (7);
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Round (int round)
	{
		var type = Write ("Made" + round % 2, round % 2 == 0 ? AssemblyBuilderAccess.Run
			: AssemblyBuilderAccess.RunAndCollect);
		int sum = Call (type.GetMethod ("Add")) + Call (type.GetMethod ("Generic")) + Free_method ();
		sum += Call (type.Assembly.GetType ("Made.Point").GetMethod ("OfPoint"));
		return sum + Call (type.GetNestedType ("Inner").MakeGenericType (typeof (int)).GetMethod ("Deep"));
	}

	static int Main (string[] args)
	{
		int rounds = int.Parse (args[0]), sum = 0;
		for (int round = 0; round < rounds; round++) {
			sum += Round (round);
			if (round % 10 != 9)
				continue;
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
		Console.WriteLine ($"{rounds} rounds, sum {sum}");
		return 0;
	}
}
