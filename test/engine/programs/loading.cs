// SPDX-License-Identifier: MIT
//
// loading.cs - code that comes and goes: collectible contexts, emitted assemblies, dynamic methods.
using System;
using System.IO;
using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

// What is loaded again into each collectible context: this very assembly.
public static class Loaded
{
	class Holder<T> { public static int Count; public int Add (int n) => n == 3 ? throw new Deep (n) : Count += n; }

	public static int Work (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			try {
				sum += new Holder<int> ().Add (i) + new Holder<string> ().Add (i) + new Holder<Loaded2> ().Add (i);
			} catch (Deep) {
				sum += 1000;
			}
		return sum;
	}
	struct Loaded2 { }
}

static class Contexts
{
	sealed class Own : AssemblyLoadContext
	{
		public Own () : base ("own", true) { }
		protected override Assembly Load (AssemblyName name) => null;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Once (out WeakReference alive)
	{
		var context = new Own ();
		var assembly = context.LoadFromStream (
			new MemoryStream (File.ReadAllBytes (typeof (Contexts).Assembly.Location)));
		var work = assembly.GetType ("Loaded").GetMethod ("Work").CreateDelegate<Func<int, int>> ();
		int result = work (6) + work (4);
		alive = new WeakReference (context);
		context.Unload ();
		return result;
	}

	public static void Run ()
	{
		int sum = 0, gone = 0;
		for (int i = 0; i < 10; i++) {
			sum += Once (out WeakReference alive);
			for (int j = 0; j < 20 && alive.IsAlive; j++) {
				GC.Collect ();
				GC.WaitForPendingFinalizers ();
			}
			gone += alive.IsAlive ? 0 : 1;
		}
		Console.WriteLine (sum + " " + gone);
	}
}

public static class Emit
{
	public static int Callee (int n) => n == 2 ? throw new Deep (n) : n + 1;

	static void Body (ILGenerator il)
	{
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Call, typeof (Emit).GetMethod ("Callee"));
		il.Emit (OpCodes.Ldc_I4_3);
		il.Emit (OpCodes.Mul);
		il.Emit (OpCodes.Ret);
	}

	static Func<int, int> Dynamic ()
	{
		var method = new DynamicMethod ("dynamic", typeof (int), new[] { typeof (int) }, typeof (Emit).Module, true);
		Body (method.GetILGenerator ());
		return method.CreateDelegate<Func<int, int>> ();
	}

	static Func<int, int> Built (AssemblyBuilderAccess access)
	{
		var assembly = AssemblyBuilder.DefineDynamicAssembly (new AssemblyName ("built"), access);
		var type = assembly.DefineDynamicModule ("built").DefineType ("Built", TypeAttributes.Public);
		var method = type.DefineMethod ("Run", MethodAttributes.Public | MethodAttributes.Static,
			typeof (int), new[] { typeof (int) });
		Body (method.GetILGenerator ());
		return type.CreateType ().GetMethod ("Run").CreateDelegate<Func<int, int>> ();
	}

	static Func<int, int> Compiled ()
	{
		var n = Expression.Parameter (typeof (int));
		var body = Expression.TryCatch (Expression.Call (typeof (Emit).GetMethod ("Callee"), n),
			Expression.Catch (typeof (InvalidOperationException), Expression.Constant (1)));
		return Expression.Lambda<Func<int, int>> (body, n).Compile ();
	}

	static int Ask (Func<int, int> f, int n)
	{
		try {
			return f (n);
		} catch (Deep e) {
			return -e.Level;
		}
	}

	public static void Run ()
	{
		for (int round = 0; round < 3; round++) {
			Func<int, int>[] all = { Dynamic (), Built (AssemblyBuilderAccess.Run),
				Built (AssemblyBuilderAccess.RunAndCollect), Compiled () };
			foreach (var f in all)
				for (int i = 0; i < 4; i++)
					Console.Write (Ask (f, i) + " ");
			Console.WriteLine ();
			GC.Collect ();
		}
	}
}
