// SPDX-License-Identifier: MIT
// Methods made at run time, which call the program's own and throw through them.
using System;
using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;

namespace Own
{
	class Failure : Exception { public Failure (string text) : base (text) { } }

	public class Program
	{
		public static int Twice (int i) { return 2 * i; }
		public static int Throw (int i) { throw new Failure ("made " + i); }

		static Func<int, int> Calling (string name)
		{
			var method = new DynamicMethod ("calls " + name, typeof (int), new [] { typeof (int) },
				typeof (Program).Module);
			ILGenerator il = method.GetILGenerator ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Call, typeof (Program).GetMethod (name));
			il.Emit (OpCodes.Ldc_I4_1);
			il.Emit (OpCodes.Add);
			il.Emit (OpCodes.Ret);
			return (Func<int, int>) method.CreateDelegate (typeof (Func<int, int>));
		}

		// A finally block of a dynamic method, between two frames of the program's.
		static Func<int, int> Finally ()
		{
			var method = new DynamicMethod ("finally", typeof (int), new [] { typeof (int) }, typeof (Program).Module);
			ILGenerator il = method.GetILGenerator ();
			LocalBuilder result = il.DeclareLocal (typeof (int));
			il.BeginExceptionBlock ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Call, typeof (Program).GetMethod ("Throw"));
			il.Emit (OpCodes.Stloc, result);
			il.BeginFinallyBlock ();
			il.Emit (OpCodes.Ldarg_0);
			il.Emit (OpCodes.Call, typeof (Program).GetMethod ("Twice"));
			il.Emit (OpCodes.Pop);
			il.EndExceptionBlock ();
			il.Emit (OpCodes.Ldloc, result);
			il.Emit (OpCodes.Ret);
			return (Func<int, int>) method.CreateDelegate (typeof (Func<int, int>));
		}

		static void Try (Func<int, int> body, int i)
		{
			try { Console.WriteLine (body (i)); } catch (Failure e) { Console.WriteLine (e.Message); }
		}

		static Func<int, int> Expressed ()
		{
			var i = Expression.Parameter (typeof (int), "i");
			var call = Expression.Call (typeof (Program).GetMethod ("Twice"), i);
			return Expression.Lambda<Func<int, int>> (Expression.Add (call, Expression.Constant (10)), i).Compile ();
		}

		static int Main ()
		{
			var twice = Calling ("Twice");
			for (int i = 0; i < 5; i++)
				Try (twice, i);
			Try (Calling ("Throw"), 1);
			Try (Finally (), 2);
			Try (Expressed (), 3);
			return 0;
		}
	}
}
