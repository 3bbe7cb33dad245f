// SPDX-License-Identifier: MIT
//
// il.cs - writes shapes-il.dll: bodies that no C# compiler writes.
//
//   dotnet exec il.dll FOLDER-OF-REFERENCE-ASSEMBLIES OUTPUT
using System;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

static class Writer
{
	static TypeBuilder type;
	static Type Int, Obj;
	static FieldBuilder faults;

	static MethodBuilder Method (string name, Action<ILGenerator, MethodBuilder> body, params Type[] parameters)
	{
		var method = type.DefineMethod (name, MethodAttributes.Public | MethodAttributes.Static, Int, parameters);
		body (method.GetILGenerator (), method);
		return method;
	}

	static void Arguments (ILGenerator il, int count)
	{
		for (int i = 0; i < count; i++)
			il.Emit (OpCodes.Ldarg, (short) i);
	}

	// if (arg 0 == 0) return `result ()`
	static void StopAtZero (ILGenerator il, Action result)
	{
		var go = il.DefineLabel ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Brtrue, go);
		result ();
		il.Emit (OpCodes.Ret);
		il.MarkLabel (go);
	}

	static void OneLess (ILGenerator il)
	{
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
	}

	static void Tail (ILGenerator il, OpCode call, MethodInfo target)
	{
		il.Emit (OpCodes.Tailcall);
		il.Emit (call, target);
		il.Emit (OpCodes.Ret);
	}

	static void CountDown (ILGenerator il, MethodBuilder self)
	{
		StopAtZero (il, () => il.Emit (OpCodes.Ldarg_1));
		OneLess (il);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Ldc_I4_3);
		il.Emit (OpCodes.Add);
		Tail (il, OpCodes.Call, self);
	}

	// Two methods that end in each other; both must exist before either has a body.
	static void EvenAndOdd ()
	{
		var even = type.DefineMethod ("IsEven", MethodAttributes.Public | MethodAttributes.Static, Int, new[] { Int });
		var odd = type.DefineMethod ("IsOdd", MethodAttributes.Public | MethodAttributes.Static, Int, new[] { Int });
		foreach (var (one, other, result) in new[] { (even, odd, 1), (odd, even, 0) }) {
			var il = one.GetILGenerator ();
			StopAtZero (il, () => il.Emit (OpCodes.Ldc_I4, result));
			OneLess (il);
			Tail (il, OpCodes.Call, other);
		}
	}

	static void CountGeneric ()
	{
		var method = type.DefineMethod ("CountGeneric", MethodAttributes.Public | MethodAttributes.Static);
		var parameter = method.DefineGenericParameters ("T")[0];
		method.SetParameters (Int, parameter);
		method.SetReturnType (Int);
		var il = method.GetILGenerator ();
		StopAtZero (il, () => il.Emit (OpCodes.Ldc_I4_7));
		OneLess (il);
		il.Emit (OpCodes.Ldarg_1);
		Tail (il, OpCodes.Call, method.MakeGenericMethod (parameter));
	}

	static void TailIndirect (ILGenerator il, MethodBuilder self)
	{
		StopAtZero (il, () => il.Emit (OpCodes.Ldc_I4_8));
		OneLess (il);
		il.Emit (OpCodes.Ldftn, self);
		il.Emit (OpCodes.Tailcall);
		il.EmitCalli (OpCodes.Calli, CallingConventions.Standard, Int, new[] { Int }, null);
		il.Emit (OpCodes.Ret);
	}

	static void TailVirtual ()
	{
		var constructor = type.DefineDefaultConstructor (MethodAttributes.Public);
		var method = type.DefineMethod ("Virtual", MethodAttributes.Public | MethodAttributes.Virtual, Int,
			new[] { Int });
		var il = method.GetILGenerator ();
		var go = il.DefineLabel ();
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Brtrue, go);
		il.Emit (OpCodes.Ldc_I4_5);
		il.Emit (OpCodes.Ret);
		il.MarkLabel (go);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		Tail (il, OpCodes.Callvirt, method);
		Method ("TailVirtual", (g, self) => { Arguments (g, 2); Tail (g, OpCodes.Callvirt, method); }, type, Int);
	}

	static void AddTo (ILGenerator il, int amount)
	{
		il.Emit (OpCodes.Ldsfld, faults);
		il.Emit (OpCodes.Ldc_I4, amount);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Stsfld, faults);
	}

	static void Fault (ILGenerator il, MethodInfo divide)
	{
		var result = il.DeclareLocal (Int);
		il.BeginExceptionBlock ();
		Arguments (il, 2);
		il.Emit (OpCodes.Call, divide);
		il.Emit (OpCodes.Stloc, result);
		il.BeginFaultBlock ();
		AddTo (il, 1);
		il.EndExceptionBlock ();
		il.Emit (OpCodes.Ldloc, result);
		il.Emit (OpCodes.Ret);
	}

	static void FaultInFilter (ILGenerator il, MethodInfo divide, MethodInfo fault)
	{
		var result = il.DeclareLocal (Int);
		il.BeginExceptionBlock ();
		Arguments (il, 2);
		il.Emit (OpCodes.Call, fault);
		il.Emit (OpCodes.Stloc, result);
		il.BeginExceptFilterBlock ();
		il.Emit (OpCodes.Pop);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Call, divide);
		il.BeginCatchBlock (null);
		il.Emit (OpCodes.Pop);
		il.Emit (OpCodes.Ldc_I4_M1);
		il.Emit (OpCodes.Stloc, result);
		AddTo (il, 10);
		il.EndExceptionBlock ();
		il.Emit (OpCodes.Ldloc, result);
		il.Emit (OpCodes.Ret);
	}

	// The first instruction is the target of a jump: the call happens once, the loop many times.
	static void BackToZero (ILGenerator il, MethodBuilder self)
	{
		var start = il.DefineLabel ();
		il.MarkLabel (start);
		OneLess (il);
		il.Emit (OpCodes.Starg_S, (byte) 0);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Brtrue, start);
		il.Emit (OpCodes.Ldc_I4_6);
		il.Emit (OpCodes.Ret);
	}

	static void Jump (ILGenerator il, MethodInfo target) => il.Emit (OpCodes.Jmp, target);

	// It has a local, so that its header has a field for the depth of its stack.
	static void DeepStack (ILGenerator il, MethodBuilder self)
	{
		var sum = il.DeclareLocal (Int);
		Arguments (il, 1);
		il.Emit (OpCodes.Stloc, sum);
		il.Emit (OpCodes.Ldloc, sum);
		il.Emit (OpCodes.Ldc_I4_2);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ret);
	}

	// .maxstack 65535, as some compilers write it everywhere; the generator counts.
	static void ClaimDeepStack (string file)
	{
		byte[] bytes = File.ReadAllBytes (file);
		using var image = new PEReader (new MemoryStream (bytes));
		var metadata = image.GetMetadataReader ();
		foreach (var handle in metadata.MethodDefinitions) {
			var method = metadata.GetMethodDefinition (handle);
			if (metadata.GetString (method.Name) != "DeepStack")
				continue;
			int rva = method.RelativeVirtualAddress;
			var section = image.PEHeaders.SectionHeaders[image.PEHeaders.GetContainingSectionIndex (rva)];
			int header = rva - section.VirtualAddress + section.PointerToRawData;
			bytes[header + 2] = bytes[header + 3] = 0xFF;
		}
		File.WriteAllBytes (file, bytes);
	}

	static void AddThree (ILGenerator il)
	{
		Arguments (il, 1);
		il.Emit (OpCodes.Ldc_I4_3);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ret);
	}

	// Native code calls it; the runtime makes a plain call of what says `tail.` there.
	static void NativeTail (MetadataLoadContext context, MethodInfo target)
	{
		var attribute = context.LoadFromAssemblyName ("System.Runtime.InteropServices")
			.GetType ("System.Runtime.InteropServices.UnmanagedCallersOnlyAttribute");
		var method = Method ("NativeTail", (il, self) => {
			Arguments (il, 1);
			Tail (il, OpCodes.Call, target);
		}, Int);
		method.SetCustomAttribute (new CustomAttributeBuilder (attribute.GetConstructor (Type.EmptyTypes), []));
	}

	static int Main (string[] args)
	{
		var resolver = new PathAssemblyResolver (Directory.GetFiles (args[0], "*.dll"));
		using var context = new MetadataLoadContext (resolver, "System.Runtime");
		Int = context.CoreAssembly.GetType ("System.Int32");
		Obj = context.CoreAssembly.GetType ("System.Object");
		var assembly = new PersistedAssemblyBuilder (new AssemblyName ("shapes-il"), context.CoreAssembly);
		type = assembly.DefineDynamicModule ("shapes-il").DefineType ("Il", TypeAttributes.Public, Obj);
		faults = type.DefineField ("Faults", Int, FieldAttributes.Public | FieldAttributes.Static);
		Method ("CountDown", CountDown, Int, Int);
		EvenAndOdd ();
		CountGeneric ();
		Method ("TailIndirect", TailIndirect, Int);
		TailVirtual ();
		var divide = Method ("Divide", (il, self) => {
			Arguments (il, 2); il.Emit (OpCodes.Div); il.Emit (OpCodes.Ret);
		}, Int, Int);
		var add = Method ("Add", (il, self) => { Arguments (il, 2); il.Emit (OpCodes.Add); il.Emit (OpCodes.Ret); },
			Int, Int);
		Method ("Jump", (il, self) => Jump (il, add), Int, Int);
		Method ("JumpDivide", (il, self) => Jump (il, divide), Int, Int);
		Method ("TailDivide", (il, self) => { Arguments (il, 2); Tail (il, OpCodes.Call, divide); }, Int, Int);
		var fault = Method ("Fault", (il, self) => Fault (il, divide), Int, Int);
		Method ("FaultInFilter", (il, self) => FaultInFilter (il, divide, fault), Int, Int);
		Method ("BackToZero", BackToZero, Int);
		Method ("DeepStack", DeepStack, Int);
		NativeTail (context, Method ("AddThree", (il, self) => AddThree (il), Int));
		type.CreateType ();
		assembly.Save (args[1]);
		ClaimDeepStack (args[1]);
		return 0;
	}
}
