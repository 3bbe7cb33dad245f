// SPDX-License-Identifier: MIT
// Code of every kind that a program makes while it runs, made before anybody looks: `emitted`. A thread for each kind,
// called as the kind is, waits below a method that was made, and another one computes in two of them. Standard input
// says what happens then: "throw" throws from such a method, "more" makes another class in an assembly that is there,
// and a new one, "gone" lets the collector take what may go. Each is answered by its word; the end of input ends all.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;

public interface IService
{
	int Turn (int number);
}

public class Service : IService
{
	public virtual int Turn (int number) => Emitted.Meet (number);
}

public class Logged : DispatchProxy
{
	protected override object Invoke (MethodInfo method, object[] arguments) =>
		method.Invoke (new Service (), arguments);
}

// Of the copy that is loaded from bytes.
public static class Copied
{
	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Turn (Func<int, int> meet, int number) => meet (number) + 0;
}

public static class Emitted
{
	static readonly ManualResetEventSlim stop = new ();
	static readonly List<Thread> threads = new ();
	static int met, wrong;
	static volatile bool stops;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public static int Meet (int number)
	{
		Interlocked.Increment (ref met);
		stop.Wait ();
		return number;
	}

	static void Begin (string name, Func<int, int> turn)
	{
		int before = met;
		var thread = new Thread (() => {
			if (turn (7) != 7)
				Interlocked.Increment (ref wrong);
		}) { Name = name };
		threads.Add (thread);
		thread.Start ();
		while (Volatile.Read (ref met) == before)
			Thread.Sleep (1);
	}

	// --- what is made ------------------------------------------------------------------------------------------------

	static readonly MethodInfo meet = typeof (Emitted).GetMethod ("Meet");
	const MethodAttributes Static = MethodAttributes.Public | MethodAttributes.Static;

	// What is optimised would jump to a method that is called last.
	static void CallMeet (ILGenerator il, OpCode load)
	{
		il.Emit (load);
		il.Emit (OpCodes.Call, meet);
		il.Emit (OpCodes.Ldc_I4_0);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Ret);
	}

	static MethodBuilder DefineTurn (TypeBuilder type, string name = "Turn")
	{
		var method = type.DefineMethod (name, Static, typeof (int), new[] { typeof (int) });
		CallMeet (method.GetILGenerator (), OpCodes.Ldarg_0);
		return method;
	}

	// while (number-- > 0) sum = sum * 31 + number;
	static void DefineSpin (TypeBuilder type)
	{
		var method = type.DefineMethod ("Spin", Static, typeof (int), new[] { typeof (int) });
		var il = method.GetILGenerator ();
		var sum = il.DeclareLocal (typeof (int));
		Label next = il.DefineLabel (), end = il.DefineLabel ();
		il.MarkLabel (next);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_0);
		il.Emit (OpCodes.Ble, end);
		il.Emit (OpCodes.Ldloc, sum);
		il.Emit (OpCodes.Ldc_I4, 31);
		il.Emit (OpCodes.Mul);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Add);
		il.Emit (OpCodes.Stloc, sum);
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldc_I4_1);
		il.Emit (OpCodes.Sub);
		il.Emit (OpCodes.Starg, 0);
		il.Emit (OpCodes.Br, next);
		il.MarkLabel (end);
		il.Emit (OpCodes.Ldloc, sum);
		il.Emit (OpCodes.Ret);
	}

	static Func<int, int> Call (MethodInfo method) => method.CreateDelegate<Func<int, int>> ();

	static ModuleBuilder NewModule (string name, AssemblyBuilderAccess access) =>
		AssemblyBuilder.DefineDynamicAssembly (new AssemblyName (name) { Version = new Version (1, 2, 3, 4) }, access)
			.DefineDynamicModule (name);

	static ModuleBuilder run;
	static Action fail;
	static Func<int, int> spin;

	// class Failure : Exception {}, and a method that throws one.
	static void MakeFailure (TypeBuilder worker)
	{
		var type = run.DefineType ("Made.Failure", TypeAttributes.Public, typeof (Exception));
		var constructor = type.DefineDefaultConstructor (MethodAttributes.Public);
		type.CreateType ();
		var il = worker.DefineMethod ("Fail", Static, typeof (void), Type.EmptyTypes).GetILGenerator ();
		il.Emit (OpCodes.Newobj, constructor);
		il.Emit (OpCodes.Throw);
	}

	static void MakeRun ()
	{
		run = NewModule ("EmittedRun", AssemblyBuilderAccess.Run);
		var worker = run.DefineType ("Made.Worker", TypeAttributes.Public);
		DefineTurn (worker);
		DefineSpin (worker);
		MakeFailure (worker);
		var inner = worker.DefineNestedType ("Inner", TypeAttributes.NestedPublic);
		DefineTurn (inner);
		// Called as the compiler calls what it makes of an async method.
		var later = worker.DefineNestedType ("<Later>d__7", TypeAttributes.NestedPublic);
		DefineTurn (later, "MoveNext");
		var global = run.DefineGlobalMethod ("Everywhere", Static, typeof (int), new[] { typeof (int) });
		CallMeet (global.GetILGenerator (), OpCodes.Ldarg_0);
		run.CreateGlobalFunctions ();
		Type made = worker.CreateType ();
		spin = Call (made.GetMethod ("Spin"));
		fail = made.GetMethod ("Fail").CreateDelegate<Action> ();
		Begin ("run", Call (made.GetMethod ("Turn")));
		Begin ("nested", Call (inner.CreateType ().GetMethod ("Turn")));
		Begin ("machine", Call (later.CreateType ().GetMethod ("MoveNext")));
		Begin ("global", Call (run.GetMethod ("Everywhere")));
	}

	// static int Holder<T>.Turn<U> (T, U, int), and int Pair.Turn (int) of a struct.
	static void MakeOthers ()
	{
		var holder = run.DefineType ("Made.Holder`1", TypeAttributes.Public);
		var t = holder.DefineGenericParameters ("T")[0];
		var turn = holder.DefineMethod ("Turn", Static);
		var u = turn.DefineGenericParameters ("U")[0];
		turn.SetReturnType (typeof (int));
		turn.SetParameters (t, u, typeof (int));
		CallMeet (turn.GetILGenerator (), OpCodes.Ldarg_2);
		Type closed = holder.CreateType ().MakeGenericType (typeof (int));
		MethodInfo of = closed.GetMethod ("Turn").MakeGenericMethod (typeof (long));
		var call = of.CreateDelegate<Func<int, long, int, int>> ();
		Begin ("generic", number => call (1, 2, number));

		var pair = run.DefineType ("Made.Pair", TypeAttributes.Public | TypeAttributes.Sealed, typeof (ValueType));
		pair.DefineField ("first", typeof (int), FieldAttributes.Public);
		var own = pair.DefineMethod ("Turn", MethodAttributes.Public, typeof (int), new[] { typeof (int) });
		CallMeet (own.GetILGenerator (), OpCodes.Ldarg_1);
		object box = Activator.CreateInstance (pair.CreateType ());
		Begin ("struct", box.GetType ().GetMethod ("Turn").CreateDelegate<Func<int, int>> (box));
		run.DefineType ("Made.Unfinished", TypeAttributes.Public); // and never is
	}

	static Func<int, int> MakeBrief (string name)
	{
		var brief = NewModule (name, AssemblyBuilderAccess.RunAndCollect).DefineType ("Brief.Worker");
		DefineTurn (brief);
		DefineSpin (brief);
		Type made = brief.CreateType ();
		spin += Call (made.GetMethod ("Spin"));
		return Call (made.GetMethod ("Turn"));
	}

	// As Castle's DynamicProxy makes them: a class that derives from the program's own, and calls it.
	static void MakeDerived ()
	{
		var module = NewModule ("DynamicProxyGenAssembly2", AssemblyBuilderAccess.Run);
		var type = module.DefineType ("Castle.Proxies.ServiceProxy", TypeAttributes.Public, typeof (Service));
		var turn = type.DefineMethod ("Turn", MethodAttributes.Public | MethodAttributes.Virtual, typeof (int),
		                              new[] { typeof (int) });
		var il = turn.GetILGenerator ();
		il.Emit (OpCodes.Ldarg_0);
		il.Emit (OpCodes.Ldarg_1);
		il.Emit (OpCodes.Call, typeof (Service).GetMethod ("Turn"));
		il.Emit (OpCodes.Ret);
		Begin ("derived", ((Service) Activator.CreateInstance (type.CreateType ())).Turn);
	}

	static void MakeWithoutImage ()
	{
		var method = new DynamicMethod ("Generated", typeof (int), new[] { typeof (int) });
		CallMeet (method.GetILGenerator (), OpCodes.Ldarg_0);
		Begin ("dynamic", method.CreateDelegate<Func<int, int>> ());
		var number = Expression.Parameter (typeof (int));
		var sum = Expression.Add (Expression.Call (meet, number), Expression.Constant (0));
		Begin ("expression", Expression.Lambda<Func<int, int>> (sum, number).Compile ());
	}

	static void MakeCopy ()
	{
		var copy = Assembly.Load (File.ReadAllBytes (typeof (Emitted).Assembly.Location));
		var turn = copy.GetType ("Copied").GetMethod ("Turn").CreateDelegate<Func<Func<int, int>, int, int>> ();
		Begin ("copy", number => turn (Meet, number));
	}

	// --- what happens ------------------------------------------------------------------------------------------------

	static void Work ()
	{
		int first = spin (1000);
		while (!stops)
			foreach (Func<int, int> one in spin.GetInvocationList ())
				if (one (100000) != one (100000) || one (1000) != first)
					wrong++;
	}

	static void Throw ()
	{
		string caught = "";
		try {
			fail ();
		} catch (Exception exception) {
			caught = exception.GetType ().FullName;
		}
		if (caught != "Made.Failure")
			wrong++;
	}

	static void MakeMore ()
	{
		int number = threads.Count;
		var later = run.DefineType ("Made.Later" + number, TypeAttributes.Public);
		DefineTurn (later);
		Begin ("later", Call (later.CreateType ().GetMethod ("Turn")));
		Begin ("brief later", MakeBrief ("EmittedLater" + number));
	}

	// One that nothing uses any more, and that was there before.
	[MethodImpl (MethodImplOptions.NoInlining)]
	static WeakReference MakeGoing ()
	{
		var type = NewModule ("EmittedGone", AssemblyBuilderAccess.RunAndCollect).DefineType ("Brief.Gone");
		var same = type.DefineMethod ("Same", Static, typeof (int), new[] { typeof (int) });
		same.GetILGenerator ().Emit (OpCodes.Ldarg_0);
		same.GetILGenerator ().Emit (OpCodes.Ret);
		Type made = type.CreateType ();
		if (Call (made.GetMethod ("Same")) (7) != 7)
			wrong++;
		kept = made;
		return new WeakReference (made.Assembly);
	}

	static object kept;

	static void Collect (WeakReference going)
	{
		kept = null;
		for (int i = 0; i < 1000 && going.IsAlive; i++) {
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
		if (going.IsAlive)
			wrong++;
	}

	static int Main ()
	{
		MakeRun ();
		MakeOthers ();
		Begin ("collectible", MakeBrief ("EmittedBrief"));
		Begin ("proxy", DispatchProxy.Create<IService, Logged> ().Turn);
		MakeDerived ();
		MakeWithoutImage ();
		MakeCopy ();
		Throw ();
		WeakReference going = MakeGoing ();
		threads.Add (new Thread (Work) { Name = "busy" });
		threads[^1].Start ();
		Console.WriteLine ("ready");
		for (string line; (line = Console.ReadLine ()) != null; Console.WriteLine (line)) {
			if (line == "throw")
				Throw ();
			else if (line == "more")
				MakeMore ();
			else
				Collect (going);
		}
		stops = true;
		stop.Set ();
		threads.ForEach (thread => thread.Join ());
		Console.WriteLine (wrong == 0 ? "unharmed" : wrong + " wrong");
		return 3;
	}
}
