// SPDX-License-Identifier: MIT
// Runs the library that deltas.cs makes, and edits it while it runs, as `dotnet watch` does: `hot FOLDER [EDITS]`. It
// works before each edit and after the last one, and waits for a line; "end" ends it.
using System;
using System.IO;
using System.Reflection;
using System.Reflection.Metadata;

#if OLD
// What compilers wrote before there was the constructor that takes a number.
[assembly: System.Diagnostics.Debuggable (true, true)]
#endif

static class Hot {
	static byte[] Read (string folder, int edit, string what)
	{
		return File.ReadAllBytes (Path.Combine (folder, edit + "." + what));
	}

	static int Main (string[] args)
	{
		int edits = args.Length > 1 ? int.Parse (args[1]) : 10;
		Assembly library = Assembly.LoadFrom (Path.Combine (args[0], "edited.dll"));
		Type edited = library.GetType ("Edited");
		var work = edited.GetMethod ("Work").CreateDelegate<Func<string>> ();
		var wait = edited.GetMethod ("Wait").CreateDelegate<Func<string>> ();
		for (int edit = 0; edit <= edits; edit++) {
			if (edit > 0)
				MetadataUpdater.ApplyUpdate (library, Read (args[0], edit, "metadata"), Read (args[0], edit, "code"),
					Read (args[0], edit, "symbols"));
			Console.WriteLine (work ());
			if (wait () == "end")
				break;
		}
		return 9;
	}
}
