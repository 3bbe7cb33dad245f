// SPDX-License-Identifier: MIT
//
// main.cs - runs the shapes named on the command line, or all of them. Each prints what it computed; nothing it prints
// or calls depends on time, on the number of processors, or on which thread was faster.
using System;
using System.Collections.Generic;

static class Shapes
{
	static readonly Dictionary<string, Action> All = new () {
		["recursion"] = Recursion.Run,
		["finally"] = Finally.Run,
		["filters"] = Filters.Run,
		["rethrow"] = Rethrow.Run,
		["native"] = Native.Run,
		["cctor"] = StaticConstructors.Run,
		["async"] = Async.Run,
		["iterators"] = Iterators.Run,
		["generics"] = Generics.Run,
		["interfaces"] = Interfaces.Run,
		["spans"] = Spans.Run,
		["inlined"] = Inlined.Run,
		["threads"] = Threads.Run,
		["faults"] = Faults.Run,
		["dispose"] = Disposing.Run,
		["varargs"] = VarArgs.Run,
		["pointers"] = Pointers.Run,
		["contexts"] = Contexts.Run,
		["emit"] = Emit.Run,
		["closures"] = Closures.Run,
		["dynamic"] = Dynamic.Run,
		["jumps"] = Jumps.Run,
		["frameworks"] = Frameworks.Run,
		["reflection"] = Reflecting.Run,
		["structs"] = Structs.Run,
		["escape"] = Escape.Run,
		["torture"] = Torture.Run,
	};

	static int Main (string[] names)
	{
		foreach (var name in names.Length > 0 ? names : new List<string> (All.Keys).ToArray ()) {
			Console.WriteLine ("== " + name);
			All[name] ();
		}
		return 42;
	}
}
