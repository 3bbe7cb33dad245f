// SPDX-License-Identifier: MIT
// Has every method of the class library's core compiled, and says which cannot be. Type parameters become object, or
// what else their constraints allow. `prepare STEP`: of each STEP-th type alone.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

static class Prepare {
	const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static |
		BindingFlags.Instance | BindingFlags.DeclaredOnly;
	static readonly Type[] arguments = { typeof (object), typeof (int), typeof (DayOfWeek), typeof (byte) };
	static int prepared, open;
	static readonly SortedDictionary<string, int> refused = new ();

	static Type[] Arguments (Type[] parameters, Type argument)
	{
		return Array.ConvertAll (parameters, p => argument);
	}

	// The handles of a type's arguments; null: none fits. An empty array: there are no parameters.
	static Type[] ArgumentsOf (Type type)
	{
		if (!type.IsGenericTypeDefinition)
			return Type.EmptyTypes;
		foreach (Type argument in arguments)
			try {
				Type[] all = Arguments (type.GetGenericArguments (), argument);
				type.MakeGenericType (all);
				return all;
			} catch (Exception) {
			}
		return null;
	}

	static Type[] ArgumentsOf (MethodBase method)
	{
		if (!method.IsGenericMethodDefinition)
			return Type.EmptyTypes;
		foreach (Type argument in arguments)
			try {
				Type[] all = Arguments (method.GetGenericArguments (), argument);
				((MethodInfo) method).MakeGenericMethod (all);
				return all;
			} catch (Exception) {
			}
		return null;
	}

	static void One (Type type, MethodBase method)
	{
		if (method.IsAbstract || method.GetMethodBody () == null)
			return;
		Type[] ofType = ArgumentsOf (type), ofMethod = ArgumentsOf (method);
		if (ofType == null || ofMethod == null) {
			open++;
			return;
		}
		try {
			var handles = new List<RuntimeTypeHandle> ();
			foreach (Type t in ofType)
				handles.Add (t.TypeHandle);
			foreach (Type t in ofMethod)
				handles.Add (t.TypeHandle);
			if (handles.Count > 0)
				RuntimeHelpers.PrepareMethod (method.MethodHandle, handles.ToArray ());
			else
				RuntimeHelpers.PrepareMethod (method.MethodHandle);
			prepared++;
		} catch (Exception e) {
			string what = e.GetType ().Name + " " + type + "." + method.Name;
			refused[what] = refused.GetValueOrDefault (what) + 1;
		}
	}

	static void Main (string[] args)
	{
		int step = int.Parse (args[0]);
		foreach (Type type in typeof (object).Assembly.GetTypes ().Where ((type, i) => i % step == 0)) {
			foreach (MethodInfo method in type.GetMethods (All))
				One (type, method);
			foreach (ConstructorInfo constructor in type.GetConstructors (All))
				One (type, constructor);
		}
		Console.WriteLine ($"{prepared} compiled, {open} without arguments");
		foreach (var (what, times) in refused)
			Console.WriteLine ($"{times} {what}");
	}
}
