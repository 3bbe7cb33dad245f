// SPDX-License-Identifier: MIT
//
// symbols_oracle.cs - what System.Reflection.Metadata reads, in the lines of symbols_dump.c.
//
//   symbols_oracle points IMAGE [PDB]
//   symbols_oracle attributes IMAGE
using System;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text;

static class Oracle
{
	static readonly TextWriter Out =
		new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false), 1 << 16) { NewLine = "\n" };

	static string Hex(byte[] bytes) => Convert.ToHexString(bytes).ToLowerInvariant();
	static string Hex(MetadataReader r, GuidHandle h) => h.IsNil ? "" : Hex(r.GetGuid(h).ToByteArray());
	static string Token(Handle h) => MetadataTokens.GetToken(h).ToString("x8");

	static void Points(MetadataReader pdb)
	{
		uint number = 0;
		foreach (var handle in pdb.Documents)
		{
			var d = pdb.GetDocument(handle);
			string hash = d.Hash.IsNil ? "" : Hex(pdb.GetBlobBytes(d.Hash)), algorithm = Hex(pdb, d.HashAlgorithm);
			Out.WriteLine($"D\t{++number}\t{pdb.GetString(d.Name)}\t{Hex(pdb, d.Language)}\t{algorithm}\t{hash}");
		}
		foreach (var handle in pdb.MethodDebugInformation)
		{
			var info = pdb.GetMethodDebugInformation(handle);
			var method = handle.ToDefinitionHandle();
			foreach (var p in info.GetSequencePoints())
				Point(method, p);
			var kickoff = info.GetStateMachineKickoffMethod();
			if (!kickoff.IsNil)
				Out.WriteLine($"K\t{Token(method)}\t{Token(kickoff)}");
			foreach (var s in pdb.GetLocalScopes(method))
				Scope(pdb, method, pdb.GetLocalScope(s));
		}
	}

	static void Point(MethodDefinitionHandle method, SequencePoint p)
	{
		string range = $"{p.StartLine}\t{p.StartColumn}\t{p.EndLine}\t{p.EndColumn}\t0";
		Out.WriteLine($"P\t{Token(method)}\t{p.Offset}\t{MetadataTokens.GetRowNumber(p.Document)}\t" +
			(p.IsHidden ? "0\t0\t0\t0\t1" : range));
	}

	static void Scope(MetadataReader pdb, MethodDefinitionHandle method, LocalScope scope)
	{
		Out.WriteLine($"S\t{Token(method)}\t{scope.StartOffset}\t{scope.EndOffset}\t{scope.GetLocalConstants().Count}");
		foreach (var v in scope.GetLocalVariables().Select(pdb.GetLocalVariable))
			Out.WriteLine($"V\t{v.Index}\t{pdb.GetString(v.Name)}\t{(int)v.Attributes & 1}");
	}

	static void Attributes(MetadataReader image)
	{
		foreach (var handle in image.CustomAttributes)
		{
			var attribute = image.GetCustomAttribute(handle);
			Out.WriteLine($"A\t{Token(attribute.Parent)}\t{Token(attribute.Constructor)}");
		}
	}

	static void Main(string[] args)
	{
		using var pe = new PEReader(new MemoryStream(File.ReadAllBytes(args[1])));
		if (args[0] == "attributes")
			Attributes(pe.GetMetadataReader());
		else if (args.Length > 2)
			Points(MetadataReaderProvider.FromPortablePdbStream(File.OpenRead(args[2])).GetMetadataReader());
		else
			Points(pe.ReadEmbeddedPortablePdbDebugDirectoryData(pe.ReadDebugDirectory().First(
				e => e.Type == DebugDirectoryEntryType.EmbeddedPortablePdb)).GetMetadataReader());
		Out.Flush();
	}
}
