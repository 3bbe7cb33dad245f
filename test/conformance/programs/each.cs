// SPDX-License-Identifier: MIT
// Runs programs one after the other in one process: each.exe LIST [apart]. A line of LIST is an assembly and its
// arguments, with tabs between them. The exit code is the sum of theirs.
//
// With `apart` each has a thread of its own. A line of output and the thread's name say which it is, `each NAME`, and
// the name of another thread that it is `over`. What it left is collected before the next one.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;

static class Each
{
	const int Stack = 1 << 24;

	static T Body<T> (MethodInfo main) where T : class
	{
		return (T) (object) Delegate.CreateDelegate (typeof (T), main);
	}

	static int Run (string line)
	{
		string[] words = line.TrimEnd ('\t').Split ('\t'), arguments = words.Skip (1).ToArray ();
		MethodInfo main = Assembly.LoadFrom (words[0]).EntryPoint;
		bool takes_some = main.GetParameters ().Length > 0;
		if (main.ReturnType == typeof (int))
			return takes_some ? Body<Func<string[], int>> (main) (arguments) : Body<Func<int>> (main) ();
		if (takes_some)
			Body<Action<string[]>> (main) (arguments);
		else
			Body<Action> (main) ();
		return 0;
	}

	static void On_thread (ThreadStart body, string name)
	{
		var thread = new Thread (body, Stack) { Name = name };
		thread.Start ();
		thread.Join ();
	}

	static int Apart (string line)
	{
		int code = 0;
		string name = "each " + Path.GetFileNameWithoutExtension (line.Split ('\t')[0]);
		Console.WriteLine (name);
		On_thread (() => code = Run (line), name);
		On_thread (() => { }, "over");
		for (int i = 0; i < 2; i++) {
			GC.Collect ();
			GC.WaitForPendingFinalizers ();
		}
		return code;
	}

	static int Main (string[] args)
	{
		return File.ReadAllLines (args[0]).Sum (line => args.Length > 1 ? Apart (line) : Run (line));
	}
}
