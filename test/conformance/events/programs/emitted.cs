// SPDX-License-Identifier: MIT
// An assembly made at run time: its types derive from the program's, and are called by them.
using System;
using System.Reflection;
using System.Reflection.Emit;

namespace Own
{
	public abstract class Shape
	{
		public abstract int Area (int side);
		public int Both (int side) { return Area (side) + Helper (side); }
		public virtual int Helper (int side) { return side; }
	}

	class Program
	{
		static Type Make ()
		{
			var name = new AssemblyName ("made");
			AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly (name, AssemblyBuilderAccess.Run);
			ModuleBuilder module = assembly.DefineDynamicModule ("made");
			TypeBuilder type = module.DefineType ("Made", TypeAttributes.Public, typeof (Shape));
			MethodBuilder area = type.DefineMethod ("Area", MethodAttributes.Public | MethodAttributes.Virtual,
				typeof (int), new [] { typeof (int) });
			ILGenerator il = area.GetILGenerator ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Ldarg_1);
			il.Emit (OpCodes.Callvirt, typeof (Shape).GetMethod ("Helper"));
			il.Emit (OpCodes.Ldarg_1);
			il.Emit (OpCodes.Mul);
			il.Emit (OpCodes.Ret);
			return type.CreateType ();
		}

		static int Main ()
		{
			var shape = (Shape) Activator.CreateInstance (Make ());
			for (int i = 0; i < 4; i++)
				Console.WriteLine (shape.Both (i));
			return 0;
		}
	}
}
