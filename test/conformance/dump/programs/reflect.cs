// SPDX-License-Identifier: MIT
// What System.Reflection tells of a program, in the words of the dump module: an oracle where Mono cannot run it.
//
// Mono's spelling of names is written anew here, over System.Type. mirror.cs shows on Mono itself that it is right.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;

public static class Reflect
{
	const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance |
		BindingFlags.Static | BindingFlags.DeclaredOnly;

	static readonly Dictionary<string, string> Primitives = new Dictionary<string, string> {
		{ "System.Void", "void" }, { "System.Boolean", "bool" }, { "System.Char", "char" }, { "System.SByte", "sbyte" },
		{ "System.Byte", "byte" }, { "System.Int16", "int16" }, { "System.UInt16", "uint16" },
		{ "System.Int32", "int" },
		{ "System.UInt32", "uint" }, { "System.Int64", "long" }, { "System.UInt64", "ulong" },
		{ "System.Single", "single" }, { "System.Double", "double" }, { "System.IntPtr", "intptr" },
		{ "System.UIntPtr", "uintptr" }, { "System.String", "string" }, { "System.Object", "object" },
		{ "System.TypedReference", "typedbyref" } };

	static Assembly own;
	static TextWriter writer;
	static string subject;

	// --- names

	static bool IsFunction (Type t)
	{
		var property = typeof (Type).GetProperty ("IsFunctionPointer");
		return property != null && (bool) property.GetValue (t, null);
	}

	static string Suffix (Type t)
	{
		return t.IsPointer ? "*" : t.IsByRef ? "&" : "[" + new string (',', t.GetArrayRank () - 1) + "]";
	}

	static string Nested (Type t, char separator, Func<string, string> name)
	{
		string own_name = name (t.Name);
		if (t.IsNested)
			return Nested (t.DeclaringType, separator, name) + separator + own_name;
		return string.IsNullOrEmpty (t.Namespace) ? own_name : t.Namespace + "." + own_name;
	}

	// A definition that stands alone, or as the element of an array, goes without its parameters.
	static string ClassName (Type t)
	{
		return t.IsGenericTypeDefinition ? Nested (t, '/', n => n) : FullName (t);
	}

	static string FullName (Type t)
	{
		string name;
		if (IsFunction (t))
			return "*()";
		if (t.IsArray)
			return ClassName (t.GetElementType ()) + Suffix (t);
		if (t.HasElementType)
			return FullName (t.GetElementType ()) + Suffix (t);
		if (t.IsGenericParameter)
			return t.Name;
		if (!t.IsGenericType)
			return Primitives.TryGetValue (t.FullName, out name) && !t.IsNested && t.Assembly == typeof (int).Assembly
				? name : Nested (t, '/', n => n);
		return Nested (t, '/', n => n) + "<" + string.Join (", ", t.GetGenericArguments ().Select (FullName)) + ">";
	}

	static string WithoutArity (string name)
	{
		int tick = name.IndexOf ('`');
		return tick < 0 ? name : name.Substring (0, tick);
	}

	static string TypeName (Type t)
	{
		if (IsFunction (t))
			return "System.MonoFNPtrFakeClass";
		if (t.HasElementType)
			return TypeName (t.GetElementType ()) + Suffix (t);
		if (t.IsGenericParameter)
			return t.Name;
		string name = Nested (t, '.', WithoutArity);
		string arguments = string.Join (",", t.GetGenericArguments ().Select (TypeName));
		return t.IsGenericType ? name + "<" + arguments + ">" : name;
	}

	// Custom modifiers stand behind what they modify: required ones after optional ones, as far as compilers mix them.
	static string Modified (Type t, Type[] required, Type[] optional)
	{
		string modifiers = string.Concat (optional.Reverse ().Select (m => " modopt(" + FullName (m) + ")")) +
			string.Concat (required.Reverse ().Select (m => " modreq(" + FullName (m) + ")"));
		return t.IsByRef ? FullName (t.GetElementType ()) + modifiers + "&" : FullName (t) + modifiers;
	}

	static string Modified (ParameterInfo p)
	{
		return Modified (p.ParameterType, p.GetRequiredCustomModifiers (), p.GetOptionalCustomModifiers ());
	}

	static string MethodName (MethodBase m, bool withArguments)
	{
		string name = ClassName (m.DeclaringType) + ":" + m.Name;
		if (m.IsGenericMethod)
			name += "<" + string.Join (", ", m.GetGenericArguments ().Select (FullName)) + ">";
		return withArguments ? name + " (" + string.Join (",", m.GetParameters ().Select (Modified)) + ")" : name;
	}

	static int Code (Type t)
	{
		if (IsFunction (t))
			return 0x1b;
		if (t.IsByRef)
			return Code (t.GetElementType ());
		if (t.IsPointer)
			return 0x0f;
		if (t.IsArray)
			return t.GetArrayRank () == 1 ? 0x1d : 0x14;
		if (t.IsGenericParameter)
			return t.DeclaringMethod != null ? 0x1e : 0x13;
		if (t.IsGenericType)
			return 0x15;
		int primitive = Array.IndexOf (new[] { "void", "bool", "char", "sbyte", "byte", "int16", "uint16", "int",
			"uint", "long", "ulong", "single", "double", "string" }, FullName (t));
		if (primitive >= 0)
			return primitive + 1;
		switch (FullName (t)) {
		case "typedbyref": return 0x16;
		case "intptr": return 0x18;
		case "uintptr": return 0x19;
		case "object": return 0x1c;
		default: return t.IsValueType ? 0x11 : 0x12;
		}
	}

	// --- answers

	static void Say (string key, string value)
	{
		writer.WriteLine (Escaped (subject) + "\t" + key + "\t" + Escaped (value));
	}

	static string Escaped (string text)
	{
		Func<char, bool> odd = c => c == '\\' || c < ' ';
		return string.Concat (text.Select (c => odd (c) ? "\\x" + ((int) c).ToString ("x2") : c.ToString ()));
	}

	static void Text (string key, string value) { Say (key, value == null ? "NULL" : "\"" + value + "\""); }
	static void Hex (string key, int value) { Say (key, "0x" + value.ToString ("x8")); }
	static void Yes (string key, bool value) { Say (key, value ? "yes" : "no"); }
	static void Number (string key, int value) { Say (key, value.ToString ()); }

	static void Bytes (string key, byte[] bytes)
	{
		ulong hash = 0xcbf29ce484222325;
		foreach (byte b in bytes)
			hash = unchecked ((hash ^ b) * 0x100000001b3);
		string text = string.Concat (bytes.Take (96).Select (b => b.ToString ("x2")));
		Say (key, bytes.Length + ":" + text + (bytes.Length > 96 ? "..." + hash.ToString ("x16") : ""));
	}

	static void Class (string key, Type t)
	{
		bool has_token = t != null && !t.HasElementType && !t.IsGenericParameter && !IsFunction (t) &&
			t.Assembly == own;
		Say (key, t == null ? "NULL" : ClassName (t) + (has_token ? " 0x" + t.MetadataToken.ToString ("x8") : ""));
	}

	static void Method (string key, MethodBase m)
	{
		Say (key, m == null ? "NULL" : MethodName (m, true) + " 0x" + m.MetadataToken.ToString ("x8"));
	}

	static void TypeAnswers (string prefix, Type t, string modified)
	{
		bool byref = t.IsByRef;
		Type element = byref ? t.GetElementType () : t;
		Text (prefix + " name", TypeName (t));
		Text (prefix + " full name", modified);
		Hex (prefix + " code", Code (t));
		Yes (prefix + " byref", byref);
		Yes (prefix + " void", t == typeof (void));
		Yes (prefix + " parameter", !byref && element.IsGenericParameter);
		Yes (prefix + " reference", !element.IsValueType && !element.IsPointer && !element.IsGenericParameter &&
			!IsFunction (element));
	}

	static void MethodAnswers (MethodBase m)
	{
		var method = m as MethodInfo;
		var parameters = m.GetParameters ();
		subject = "method " + own.GetName ().Name + " 0x" + m.MetadataToken.ToString ("x8");
		Text ("name", m.Name);
		Text ("full name", MethodName (m, true));
		Text ("short full name", MethodName (m, false));
		Hex ("token", m.MetadataToken);
		Hex ("flags", (int) m.Attributes);
		Hex ("iflags", (int) m.GetMethodImplementationFlags ());
		Number ("parameters", parameters.Length);
		Yes ("instance", !m.IsStatic);
		Class ("class", m.DeclaringType);
		Text ("desc with namespaces", string.Join (",", parameters.Select (Modified)));
		Method ("of its token", m);
		TypeAnswers ("result", method != null ? method.ReturnType : typeof (void),
			method != null ? Modified (method.ReturnParameter) : "void");
		foreach (var p in parameters) {
			Text ("parameter " + p.Position + " named", p.Name ?? "");
			TypeAnswers ("parameter " + p.Position, p.ParameterType, Modified (p));
		}
		if (m.GetMethodBody () != null)
			BodyAnswers (m.GetMethodBody ());
	}

	static void BodyAnswers (MethodBody body)
	{
		Bytes ("code", body.GetILAsByteArray ());
		Number ("max stack", body.MaxStackSize);
		Number ("locals", body.LocalVariables.Count);
		foreach (var local in body.LocalVariables)
			TypeAnswers ("local " + local.LocalIndex, local.LocalType, FullName (local.LocalType));
		Number ("clauses", body.ExceptionHandlingClauses.Count);
		int i = 0;
		foreach (var clause in body.ExceptionHandlingClauses) {
			string prefix = "clause " + i++;
			Number (prefix + " kind", (int) clause.Flags);
			Number (prefix + " try offset", clause.TryOffset);
			Number (prefix + " try length", clause.TryLength);
			Number (prefix + " handler offset", clause.HandlerOffset);
			Number (prefix + " handler length", clause.HandlerLength);
			if (clause.Flags == ExceptionHandlingClauseOptions.Clause)
				Class (prefix + " catches", clause.CatchType);
			if (clause.Flags == ExceptionHandlingClauseOptions.Filter)
				Number (prefix + " filter offset", clause.FilterOffset);
		}
	}

	static void FieldAnswers (FieldInfo f)
	{
		subject = "field " + own.GetName ().Name + " 0x" + f.MetadataToken.ToString ("x8");
		Text ("name", f.Name);
		// Mono leaves out what a nested class is nested in.
		string parent = f.DeclaringType.IsNested ? f.DeclaringType.Name : ClassName (f.DeclaringType);
		Text ("full name", parent + ":" + f.Name);
		Hex ("flags", (int) f.Attributes);
		Hex ("token", f.MetadataToken);
		Class ("parent", f.DeclaringType);
		TypeAnswers ("type", f.FieldType,
			Modified (f.FieldType, f.GetRequiredCustomModifiers (), f.GetOptionalCustomModifiers ()));
	}

	static void PropertyAnswers (PropertyInfo p)
	{
		subject = "property " + own.GetName ().Name + " 0x" + p.MetadataToken.ToString ("x8");
		Text ("name", p.Name);
		Hex ("flags", (int) p.Attributes);
		Class ("parent", p.DeclaringType);
		Method ("getter", p.GetGetMethod (true));
		Method ("setter", p.GetSetMethod (true));
	}

	static void EventAnswers (EventInfo e)
	{
		subject = "event " + own.GetName ().Name + " 0x" + e.MetadataToken.ToString ("x8");
		Text ("name", e.Name);
		Hex ("flags", (int) e.Attributes);
		Class ("parent", e.DeclaringType);
		Method ("add", e.GetAddMethod (true));
		Method ("remove", e.GetRemoveMethod (true));
	}

	static void ClassAnswers (Type t)
	{
		subject = "class " + own.GetName ().Name + " 0x" + t.MetadataToken.ToString ("x8");
		Text ("name", t.Name);
		Text ("namespace", t.IsNested ? "" : t.Namespace ?? "");
		Text ("type name", TypeName (t));
		Text ("full name", ClassName (t));
		Hex ("flags", (int) t.Attributes);
		Hex ("token", t.MetadataToken);
		Yes ("value type", t.IsValueType);
		Yes ("enum", t.IsEnum);
		Yes ("delegate", t.IsSubclassOf (typeof (MulticastDelegate)));
		Yes ("interface", t.IsInterface);
		Class ("nesting", t.DeclaringType);
		Class ("parent", t.BaseType);
		Say ("enum base", t.IsEnum ? FullName (Enum.GetUnderlyingType (t)) : "NULL");
		Number ("fields", t.GetFields (Declared).Length);
		Number ("methods", t.GetMethods (Declared).Length + t.GetConstructors (Declared).Length);
		Number ("properties", t.GetProperties (Declared).Length);
		Number ("events", t.GetEvents (Declared).Length);
	}

	public static void Dump (Assembly assembly, TextWriter output)
	{
		own = assembly;
		writer = output;
		foreach (Type t in assembly.GetTypes ()) {
			ClassAnswers (t);
			foreach (var f in t.GetFields (Declared))
				FieldAnswers (f);
			foreach (var p in t.GetProperties (Declared))
				PropertyAnswers (p);
			foreach (var e in t.GetEvents (Declared))
				EventAnswers (e);
			foreach (var m in t.GetMethods (Declared))
				MethodAnswers (m);
			foreach (var c in t.GetConstructors (Declared))
				MethodAnswers (c);
		}
	}
}
