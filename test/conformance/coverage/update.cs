// SPDX-License-Identifier: MIT
// Compiles a library, loads it, runs it, changes one of its methods and adds another, as `dotnet watch` does, and runs
// it again.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

static class Update {
	const string First = @"public static class Changed {
	public static int Run (int n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum += i > 3 ? 1 : 2;
		return sum;
	}
	public static int Same (int n)
	{
		if (n > 2)
			return Run (n);
		return n;
	}
}";

	static CSharpCompilation Compile (string text)
	{
		var references = ((string) AppContext.GetData ("TRUSTED_PLATFORM_ASSEMBLIES")).Split (':')
			.Where (p => Path.GetFileName (p).StartsWith ("System."))
			.Select (p => MetadataReference.CreateFromFile (p));
		var source = SourceText.From (text, System.Text.Encoding.UTF8);
		return CSharpCompilation.Create ("changed", new[] { CSharpSyntaxTree.ParseText (source, path: "/changed.cs") },
			references, new CSharpCompilationOptions (OutputKind.DynamicallyLinkedLibrary));
	}

	static IMethodSymbol Method (Compilation compilation, string name)
	{
		return (IMethodSymbol) compilation.GetTypeByMetadataName ("Changed").GetMembers (name).Single ();
	}

	static int Main (string[] args)
	{
		CSharpCompilation before = Compile (First), after = before;
		var image = new MemoryStream ();
		var symbols = new MemoryStream ();
		before.Emit (image, symbols,
			options: new EmitOptions (debugInformationFormat: DebugInformationFormat.PortablePdb));
		string file = Path.Combine (args[0], "changed.dll");
		File.WriteAllBytes (file, image.ToArray ());
		File.WriteAllBytes (Path.ChangeExtension (file, "pdb"), symbols.ToArray ());
		Assembly library = Assembly.LoadFrom (file);
		var run = library.GetType ("Changed").GetMethod ("Same").CreateDelegate<Func<int, int>> ();
		Console.WriteLine (run (6) + run (1));
		using var module = ModuleMetadata.CreateFromImage (image.ToArray ());
		EmitBaseline baseline = EmitBaseline.CreateInitialBaseline (before, module, handle => default,
			handle => default, true);
		for (int round = 1; round < 4; round++) {
			string added = string.Concat (Enumerable.Range (1, round).Select (i =>
				"	static int New" + i + " (int n) { return n > 2 ? n * 100 : " + i + "; }\n"));
			after = Compile (First.Replace ("? 1 : 2", "? " + (10 * round) + " : New" + round + " (i)")
				.Replace ("	public static int Same", added + "	public static int Same"));
			MemoryStream metadata = new (), code = new (), delta = new ();
			var edits = new[] {
				new SemanticEdit (SemanticEditKind.Update, Method (before, "Run"), Method (after, "Run")),
				new SemanticEdit (SemanticEditKind.Insert, null, Method (after, "New" + round)),
			};
			var result = after.EmitDifference (baseline, edits, s => false, metadata, code, delta);
			if (!result.Success)
				throw new InvalidOperationException (string.Join ("\n", result.Diagnostics));
			MetadataUpdater.ApplyUpdate (library, metadata.ToArray (), code.ToArray (), delta.ToArray ());
			baseline = result.Baseline;
			before = after;
			Console.WriteLine (run (6) + run (1));
		}
		return 9;
	}
}
