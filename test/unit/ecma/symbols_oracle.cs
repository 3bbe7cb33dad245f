// SPDX-License-Identifier: MIT
//
// symbols_oracle.cs - what System.Reflection.Metadata reads, in the lines of symbols_dump.c.
//
//   symbols_oracle points IMAGE [PDB]
//   symbols_oracle attributes IMAGE
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
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
		var provider = new Types(image);
		foreach (var handle in image.CustomAttributes)
		{
			var attribute = image.GetCustomAttribute(handle);
			Out.WriteLine($"A\t{Token(attribute.Parent)}\t{Token(attribute.Constructor)}");
			var value = attribute.DecodeValue(provider);
			foreach (var argument in value.FixedArguments)
				Value("F", null, argument.Value);
			foreach (var a in value.NamedArguments)
				Value(a.Kind == CustomAttributeNamedArgumentKind.Field ? "N" : "R", a.Name, a.Value);
		}
	}

	static void Value(string role, string name, object value)
	{
		string text = value switch
		{
			null => "null",
			string s => '"' + Hex(Encoding.UTF8.GetBytes(s)) + '"',
			ImmutableArray<CustomAttributeTypedArgument<string>> array => "[" + array.Length,
			bool b => b ? "1" : "0",
			char c => ((int)c).ToString(),
			float f => BitConverter.SingleToUInt32Bits(f).ToString(),
			double d => BitConverter.DoubleToUInt64Bits(d).ToString(),
			sbyte or short or int or long => Convert.ToInt64(value).ToString(),
			_ => value.ToString(),
		};
		Out.WriteLine($"{role}\t{name}\t{text}");
		if (value is ImmutableArray<CustomAttributeTypedArgument<string>> elements)
			foreach (var element in elements)
				Value("E", null, element.Value);
	}

	// A type is a name. Enums of other images count as int, as they do for a reader that sees no other image.
	sealed class Types : ICustomAttributeTypeProvider<string>
	{
		readonly MetadataReader image;
		readonly Dictionary<string, TypeDefinitionHandle> definitions = new();

		public Types(MetadataReader image)
		{
			this.image = image;
			foreach (var handle in image.TypeDefinitions)
				definitions[Name(handle)] = handle;
		}

		string Name(TypeDefinitionHandle handle)
		{
			var type = image.GetTypeDefinition(handle);
			string name = image.GetString(type.Name), space = image.GetString(type.Namespace);
			if (!type.GetDeclaringType().IsNil)
				return Name(type.GetDeclaringType()) + "+" + name;
			return space == "" ? name : space + "." + name;
		}

		public string GetPrimitiveType(PrimitiveTypeCode code) => code.ToString();
		public string GetSystemType() => "System.Type";
		public bool IsSystemType(string type) => type == "System.Type";
		public string GetSZArrayType(string element) => element + "[]";
		public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle type, byte kind) => Name(type);
		public string GetTypeFromSerializedName(string name) => name;

		public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte kind)
		{
			var type = reader.GetTypeReference(handle);
			string space = reader.GetString(type.Namespace), name = reader.GetString(type.Name);
			return space + "." + name + (space == "System" && name == "Type" ? "" : ", elsewhere");
		}

		public PrimitiveTypeCode GetUnderlyingEnumType(string type)
		{
			string[] parts = type.Split(", ");
			string self = image.IsAssembly ? image.GetString(image.GetAssemblyDefinition().Name) : null;
			if ((parts.Length > 1 && parts[1] != self) || !definitions.TryGetValue(parts[0], out var handle))
				return PrimitiveTypeCode.Int32;
			foreach (var field in image.GetTypeDefinition(handle).GetFields().Select(image.GetFieldDefinition))
				if ((field.Attributes & System.Reflection.FieldAttributes.Static) == 0)
					return (PrimitiveTypeCode)image.GetBlobReader(field.Signature).ReadBytes(2)[1];
			return PrimitiveTypeCode.Int32;
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
