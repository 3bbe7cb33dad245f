// SPDX-License-Identifier: MIT
//
// loader.cs - runs a program whose image comes from memory: loader.exe IMAGE ARGUMENT...
using System;
using System.IO;
using System.Linq;
using System.Reflection;

static class Loader
{
	static int Main (string[] args)
	{
		Assembly program = Assembly.Load (File.ReadAllBytes (args[0]));
		return (int) program.EntryPoint.Invoke (null, new object[] { args.Skip (1).ToArray () });
	}
}
