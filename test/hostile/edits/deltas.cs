// SPDX-License-Identifier: MIT
// Compiles a library, edits it ten times, and writes what the compiler of `dotnet watch` makes of that: the library and
// its symbols, and for each edit what MetadataUpdater.ApplyUpdate takes, 1.metadata, 1.code and 1.symbols to 10. Edit N
// changes every method but one, puts N lines above all of them, and adds methods and a class; N.cs is its text. An even
// edit leaves Wait () with the instructions that it had.
// `deltas REFERENCES LIBRARY`, where REFERENCES is a folder.
using System;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

static class Deltas {
	const int Edits = 10;
	const string Text = @"using System;
using System.Diagnostics;
public class Box<T> {
	public static string Name (T value)
	{
		int local = EDIT;
		return typeof (T).Name + value + local;
	}
}
public static class Edited {
	public static int Unchanged (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum += Leaf (i); // Unchanged
		return sum;
	}
	static int Leaf (int i)
	{
		double half = i * 0.5;
		int leaf = EDIT;
		return leaf + (int) half;
	}
	static string Show<T> (T value)
	{
		string shown = value + ""EDIT"";
		return shown;
	}
	static int Throws (int n)
	{
		int deeper = EDIT + n;
		if (n > 0)
			return Throws (n - 1);
		throw new InvalidOperationException (""thrown "" + deeper); // Throws
	}
	static int Caught (int n)
	{
		int seen = EDIT;
		try {
			return Throws (n); // Caught
		} catch (InvalidOperationException e) when (e.Message.Length > seen - 100) {
			seen += e.Message.Length + 1000 * new StackTrace (e, true).GetFrame (0).GetFileLineNumber ();
		} finally {
			seen++;
		}
		return seen;
	}
	public static string Wait ()
	{
		string prompt = ""EDIT"";ODD
		Console.WriteLine (""ready "" + prompt);
		return HELD (); // Wait
	}
	public static string Work ()
	{
		string said = ""EDIT: "" + Unchanged (5) + Show (1) + Show (""s"") + Caught (3) + Box<int>.Name (3);
		Func<int, int> twice = n => n * 2 + EDIT;
		return said + twice (4) + ADDED;
	}
MORE}
";

	// What each edit adds to the class, and beside it.
	const string Member = @"	static string NewEDIT (int n)
	{
		string made = ""new "" + n + EDIT;
		return made + new FreshEDIT ().Say (new Box<FreshEDIT> (), n);
	}
	static string HeldEDIT ()
	{
		return Console.ReadLine ();
	}
";
	const string Class = @"public class FreshEDIT {
	public string Say (Box<FreshEDIT> box, int n)
	{
		return n + box.ToString ();
	}
}
";

	static string Each (int edit, string text)
	{
		return string.Concat (Enumerable.Range (1, edit).Select (i => text.Replace ("EDIT", i.ToString ())));
	}

	static string TextOf (int edit)
	{
		return new string ('\n', edit) + Text.Replace ("EDIT", edit.ToString ())
			.Replace ("ADDED", edit == 0 ? "0" : "New" + edit + " (7)")
			.Replace ("ODD", edit % 2 == 0 ? "" : " prompt += string.Empty;")
			.Replace ("HELD", edit == 0 ? "Console.ReadLine" : "Held" + edit)
			.Replace ("MORE", Each (edit, Member)) + Each (edit, Class);
	}

	static CSharpCompilation Compile (int edit, string path, string folder)
	{
		var references = new[] { "System.Runtime.dll", "System.Console.dll", "System.Diagnostics.StackTrace.dll" }
			.Select (name => MetadataReference.CreateFromFile (Path.Combine (folder, name)));
		var source = SourceText.From (TextOf (edit), System.Text.Encoding.UTF8);
		var tree = CSharpSyntaxTree.ParseText (source, path: path);
		return CSharpCompilation.Create ("edited", new[] { tree }, references,
			new CSharpCompilationOptions (OutputKind.DynamicallyLinkedLibrary,
				optimizationLevel: OptimizationLevel.Debug));
	}

	static int Main (string[] args)
	{
		string references = args[0], library = args[1], folder = Path.GetDirectoryName (library);
		string path = Path.Combine (folder, "edited.cs");
		for (int edit = 0; edit <= Edits; edit++)
			File.WriteAllText (edit == 0 ? path : Path.Combine (folder, edit + ".cs"), TextOf (edit));
		CSharpCompilation before = Compile (0, path, references);
		MemoryStream image = new (), symbols = new ();
		var made = before.Emit (image, symbols,
			options: new EmitOptions (debugInformationFormat: DebugInformationFormat.PortablePdb));
		if (!made.Success)
			throw new InvalidOperationException (string.Join ("\n", made.Diagnostics));
		File.WriteAllBytes (Path.ChangeExtension (library, "pdb"), symbols.ToArray ());
		using var module = ModuleMetadata.CreateFromImage (image.ToArray ());
		EmitBaseline baseline = EmitBaseline.CreateInitialBaseline (before, module, handle => default,
			handle => default, true);
		for (int edit = 1; edit <= Edits; edit++) {
			CSharpCompilation after = Compile (edit, path, references);
			ISymbol Find (Compilation c, string type, string name)
			{
				return c.GetTypeByMetadataName (type).GetMembers (name).Single ();
			}
			SemanticEdit Update (string type, string name)
			{
				return new SemanticEdit (SemanticEditKind.Update, Find (before, type, name), Find (after, type, name));
			}
			var edits = new[] { "Leaf", "Show", "Throws", "Caught", "Wait", "Work" }
				.Select (name => Update ("Edited", name)).Append (Update ("Box`1", "Name"))
				.Concat (new[] { Find (after, "Edited", "New" + edit), Find (after, "Edited", "Held" + edit),
					after.GetTypeByMetadataName ("Fresh" + edit) }
					.Select (symbol => new SemanticEdit (SemanticEditKind.Insert, null, symbol)));
			MemoryStream metadata = new (), code = new (), delta = new ();
			var result = after.EmitDifference (baseline, edits, s => false, metadata, code, delta);
			if (!result.Success)
				throw new InvalidOperationException (string.Join ("\n", result.Diagnostics));
			foreach (var (name, bytes) in new[] { ("metadata", metadata), ("code", code), ("symbols", delta) })
				File.WriteAllBytes (Path.Combine (folder, edit + "." + name), bytes.ToArray ());
			baseline = result.Baseline;
			before = after;
		}
		File.WriteAllBytes (library, image.ToArray ());
		return 0;
	}
}
