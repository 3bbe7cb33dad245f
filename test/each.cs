// SPDX-License-Identifier: MIT
//
// each.cs - runs programs one after another in one process: `each FILE`, which has a line for each program, its path
// and its arguments with tabs between them. Each is announced by a line, and its exit code is another.
using System;
using System.IO;
using System.Reflection;
using System.Threading;

static class Each
{
	static int Run (string[] words)
	{
		MethodInfo main = Assembly.LoadFrom (words[0]).EntryPoint;
		var arguments = new string[words.Length - 1];
		Array.Copy (words, 1, arguments, 0, arguments.Length);
		object code = main.Invoke (null, main.GetParameters ().Length > 0 ? new object[] { arguments } : null);
		return code is int ? (int) code : 0;
	}

	static int Main (string[] files)
	{
		foreach (string line in File.ReadAllLines (files[0])) {
			string[] words = line.Split ('\t');
			SynchronizationContext.SetSynchronizationContext (null); // the last one may have left its own
			Console.WriteLine ("== " + words[0]);
			Console.WriteLine ("=> " + Run (words));
		}
		return 0;
	}
}
