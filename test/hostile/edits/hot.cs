// SPDX-License-Identifier: MIT
// Runs the library that deltas.cs makes, and edits it while it runs, as `dotnet watch` does: `hot FOLDER [EDITS
// [THREADS]]`. It works before each edit and after the last one, and waits for a line; "end" ends it. The threads call
// a method that is edited all the time.
#if NAMESAKE
extern alias own;
#endif
using System;
using System.IO;
using System.Reflection;
using System.Reflection.Metadata;
using System.Threading;

#if OLD
// What compilers wrote before there was the constructor that takes a number.
[assembly: System.Diagnostics.Debuggable (true, true)]
#elif NAMESAKE
[assembly: own::System.Diagnostics.Debuggable ((own::System.Diagnostics.DebuggableAttribute.DebuggingModes) 0x107)]
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
		var leaves = edited.GetMethod ("Unchanged").CreateDelegate<Func<int, int>> ();
		var wait = edited.GetMethod ("Wait").CreateDelegate<Func<string>> ();
		for (int i = args.Length > 2 ? int.Parse (args[2]) : 0; i > 0; i--)
			new Thread (() => {
				for (;;)
					leaves (5);
			}) { IsBackground = true }.Start ();
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
