// SPDX-License-Identifier: MIT
// Runs programs one after the other in one process: each.exe LIST. A line of LIST is an assembly and its arguments, with
// tabs between them. The exit code is the sum of theirs.
using System;
using System.IO;
using System.Linq;
using System.Reflection;

static class Each
{
	static int Main (string[] args)
	{
		int sum = 0;
		foreach (string line in File.ReadAllLines (args[0])) {
			string[] words = line.TrimEnd ('\t').Split ('\t');
			MethodInfo main = Assembly.LoadFrom (words[0]).EntryPoint;
			sum += ((Func<string[], int>) Delegate.CreateDelegate (typeof (Func<string[], int>), main)) (
				words.Skip (1).ToArray ());
		}
		return sum;
	}
}
