// SPDX-License-Identifier: MIT
// Assemblies that are loaded by name, by path and from memory, and those that are not found or are no assemblies.
using System;
using System.IO;
using System.Reflection;

namespace Own
{
	class Program
	{
		static string folder;

		static void Answer (Assembly assembly)
		{
			Console.WriteLine (assembly.GetType ("Helper").GetMethod ("Answer").Invoke (null, null));
		}

		static Assembly Resolve (object sender, ResolveEventArgs arguments)
		{
			string name = new AssemblyName (arguments.Name).Name;
			Console.WriteLine ("asked for " + name);
			if (name == "throws")
				throw new InvalidOperationException ("in the handler");
			return name == "elsewhere" ? Assembly.LoadFrom (Path.Combine (folder, "events-helper.dll")) : null;
		}

		static void Try (Func<Assembly> load)
		{
			try { Answer (load ()); } catch (Exception e) { Console.WriteLine (e.GetType ().Name); }
		}

		static int Main ()
		{
			folder = Path.GetDirectoryName (typeof (Program).Assembly.Location);
			Try (() => Assembly.LoadFrom (Path.Combine (folder, "events-helper.dll")));
			Try (() => Assembly.LoadFrom (Path.Combine (folder, "absent.dll")));
			AppDomain.CurrentDomain.AssemblyResolve += Resolve;
			Try (() => Assembly.Load ("elsewhere"));
			Try (() => Assembly.Load ("nowhere"));
			string broken = Path.Combine (Path.GetTempPath (), Path.GetRandomFileName ());
			File.WriteAllText (broken, "no assembly");
			Try (() => Assembly.LoadFrom (broken));
			File.Delete (broken);
			AppDomain.CurrentDomain.AssemblyResolve -= Resolve;
			return 0;
		}
	}
}
