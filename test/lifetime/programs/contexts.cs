// SPDX-License-Identifier: MIT
// Several load contexts hold assemblies of the same names, each pair its own:
//   contexts FOLDER
// FOLDER/a, b and c each have plugin.dll and dep.dll. In `a` the dependency is loaded when it is needed, in `b` before
// the plugin; those of `c` come from memory, three times.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;

class Context : AssemblyLoadContext {
	readonly string folder;

	public Context (string folder, bool collectible) : base (folder, collectible) { this.folder = folder; }

	Assembly From (string name, bool memory)
	{
		string path = Path.Combine (folder, name + ".dll");
		return memory ? LoadFromStream (new MemoryStream (File.ReadAllBytes (path))) : LoadFromAssemblyPath (path);
	}

	protected override Assembly Load (AssemblyName name) => name.Name == "dep" ? From ("dep", false) : null;

	static int Run (string folder, bool first, bool memory, bool collectible)
	{
		var context = new Context (folder, collectible);
		if (first || memory)
			context.From ("dep", memory);
		return (int) context.From ("plugin", memory).GetType ("Plugin").GetMethod ("Run").Invoke (null, null);
	}

	static void Main (string[] args)
	{
		string a = Path.Combine (args[0], "a"), b = Path.Combine (args[0], "b"), c = Path.Combine (args[0], "c");
		Console.WriteLine (Run (a, false, false, true) + Run (b, true, false, true) + Run (c, true, true, true)
			+ Run (c, true, true, false) + Run (c, true, true, true));
	}
}
