#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes rows.cs: for each type of ECMA-335 II.23.1.16 and each shape of struct, methods of every kind that take it,
change it and return it, each of which says so in two lines (log.cs).

    rows.py > rows.cs
"""
import sys

# Name, type, two values. A struct's values are made by its row in STRUCTS.
PRIMITIVES = [
    ("Bool", "bool", "true", "false"), ("Char", "char", "'a'", "'\\u1234'"), ("I1", "sbyte", "-5", "7"),
    ("U1", "byte", "200", "3"), ("I2", "short", "-30000", "12"), ("U2", "ushort", "65000", "17"),
    ("I4", "int", "-123456789", "42"), ("U4", "uint", "4123456789", "5"), ("I8", "long", "-1234567890123L", "1"),
    ("U8", "ulong", "18000000000000000000", "2"), ("R4", "float", "3.5f", "-0.25f"),
    ("R8", "double", "-1e300", "double.NaN"), ("I", "System.IntPtr", "(System.IntPtr) 123456789012",
                                               "(System.IntPtr) (-1)"),
    ("U", "System.UIntPtr", "(System.UIntPtr) 123456789012", "System.UIntPtr.Zero"),
    ("Text", "string", '"first"', '"the second"'), ("Object", "object", "new Node (1)", '"text"'),
    ("Vector", "int[]", "new int[3]", "null"), ("Matrix", "int[,]", "new int[2, 3]", "new int[0, 0]"),
    ("Jagged", "int[][]", "new int[1][]", "new int[0][]"), ("Class", "Node", "new Node (2)", "null"),
    ("Derived", "Node", "new Sealed (3)", "new Node (4)"), ("Final", "Sealed", "new Sealed (5)", "new Sealed (6)"),
    ("Interface", "INode", "new Sealed (7)", "new Node (8)"), ("Delegate", "System.Action", "Make.Nothing", "null"),
    ("Enum1", "Enum1", "Enum1.A", "Enum1.B"), ("Enum4", "Enum4", "Enum4.A", "Enum4.B"),
    ("Enum8", "Enum8", "Enum8.A", "Enum8.B"),
    ("MaybeInt", "int?", "77", "null"), ("MaybeGuid", "System.Guid?", "Make.Guid", "null"),
    ("Guid", "System.Guid", "Make.Guid", "System.Guid.Empty"),
    ("Date", "System.DateTime", "new System.DateTime (2001, 2, 3)", "System.DateTime.MaxValue"),
    ("Decimal", "decimal", "-12345678901234567890.5m", "1m"),
    ("Pair", "KeyValuePair<string, int>", 'new KeyValuePair<string, int> ("key", 9)',
     "new KeyValuePair<string, int> (null, 8)"),
    ("Tuple", "System.ValueTuple<string, long, bool>", 'new System.ValueTuple<string, long, bool> ("one", 2, true)',
     "default (System.ValueTuple<string, long, bool>)"),
    ("ListInt", "List<int>", "new List<int> ()", "null"), ("ListText", "List<string>", "new List<string> ()", "null"),
    ("Dictionary", "Dictionary<string, int>", "new Dictionary<string, int> ()", "null"),
    ("OfText", "G<string>", 'new G<string> { Value = "of text", Number = 1 }', "default (G<string>)"),
    ("OfInt", "G<int>", "new G<int> { Value = 5, Number = 6 }", "default (G<int>)"),
    ("OfOf", "G<G<string>>", 'new G<G<string>> { Value = new G<string> { Value = "inner", Number = 3 }, Number = 4 }',
     "default (G<G<string>>)"),
    ("One", "OneReference", 'new OneReference { Text = "one" }', "default (OneReference)"),
    ("Two", "TwoReferences", 'new TwoReferences { Text = "a", Node = new Node (9), Number = 10 }',
     "default (TwoReferences)"),
    ("Doubles", "Doubles", "new Doubles { A = 1.5, B = 2.5, C = -3.5 }", "default (Doubles)"),
    ("Union", "Union", "new Union { Whole = 0x0102030405060708 }", "new Union { Low = 7 }"),
]
POINTERS = [("IntPointer", "int*", "(int*) 4096", "null"), ("VoidPointer", "void*", "(void*) 8192", "null")]
# Size: the fields of a struct of that size. Others are a buffer.
FIELDS = {1: ["byte"], 2: ["short"], 3: ["byte"] * 3, 4: ["int"], 5: ["byte"] * 5, 8: ["long"], 12: ["int"] * 3,
          16: ["long"] * 2, 24: ["long"] * 3, 32: ["long"] * 4, 64: ["long"] * 8}
# Mono passes no more than some thousand bytes; the CLR 65,535.
BUFFERS = [65, 200, 4096, 65528]

HEAD = """// Written by rows.py.
using System.Collections.Generic;
using System.Runtime.InteropServices;

public interface INode {}
public class Node : INode { public int Id; public Node (int id) { Id = id; } }
public sealed class Sealed : Node { public Sealed (int id) : base (id) {} }
public enum Enum1 : byte { A = 200, B = 1 }
public enum Enum4 { A = -7, B = 8 }
public enum Enum8 : long { A = -1234567890123, B = 9 }
public struct G<T> { public T Value; public int Number; }
public struct OneReference { public string Text; }
public struct TwoReferences { public string Text; public Node Node; public int Number; }
public struct Doubles { public double A, B, C; }
[StructLayout (LayoutKind.Explicit, Size = 16)] public struct Union {
	[FieldOffset (0)] public long Whole;
	[FieldOffset (0)] public byte Low;
	[FieldOffset (6)] public short High;
	[FieldOffset (12)] public int Far;
}
public static class Make {
	public static System.Guid Guid = new System.Guid ("00112233-4455-6677-8899-aabbccddeeff");
	public static System.Action Nothing = delegate {};
}
"""

SAME = """
public static class Shared {
	public static T Same<T> (T x, T y)
	{
		T local = x;
		if (Log.On) Log.E ("Shared.Same", null, Log.V (x), Log.V (y));
		x = y;
		if (Log.On) Log.L ("Shared.Same", null, Log.V (local), Log.V (local), Log.V (x), Log.V (y));
		return local;
	}
}
public class Generic<T> {
	public int Id = 3;
	public T Keep (int n, T x, G<T> y)
	{
		T local = y.Value;
		if (Log.On) Log.E ("Generic`1.Keep", Log.V (this), Log.V (n), Log.V (x), Log.V (y));
		x = local;
		if (Log.On) Log.L ("Generic`1.Keep", Log.V (this), Log.V (x), Log.V (local), Log.V (n), Log.V (x), Log.V (y));
		return x;
	}
}
"""

STRUCT = """
public unsafe struct V%(name)s {
	public int Id;
	public %(type)s Field;
	public %(type)s Inner (%(type)s x)
	{
		%(type)s local = Field;
		if (Log.On) Log.E ("V%(name)s.Inner", Log.R (this), %(x)s);
		Id++;
		Field = x;
		if (Log.On) Log.L ("V%(name)s.Inner", Log.R (this), %(local)s, %(local)s, %(x)s);
		return local;
	}
}
"""

CLASS = """
public unsafe class C%(name)s {
	public int Id;
	public static %(type)s First () { return %(a)s; }
	public static %(type)s Second () { return %(b)s; }
	public static %(type)s Static (%(type)s x, int n, %(type)s y)
	{
		%(type)s local = x;
		if (Log.On) Log.E ("C%(name)s.Static", null, %(x)s, Log.V (n), %(y)s);
		x = y;
		if (Log.On) Log.L ("C%(name)s.Static", null, %(local)s, %(local)s, %(x)s, Log.V (n), %(y)s);
		return local;
	}
	public %(type)s Instance (double d, %(type)s x)
	{
		%(type)s local = x;
		if (Log.On) Log.E ("C%(name)s.Instance", Log.V (this), Log.V (d), %(x)s);
		d += Id;
		if (Log.On) Log.L ("C%(name)s.Instance", Log.V (this), %(x)s, %(local)s, Log.V (d), %(x)s);
		return x;
	}
	public static void Ref (ref %(type)s x, %(type)s y)
	{
		%(type)s local = x;
		if (Log.On) Log.E ("C%(name)s.Ref", null, "&" + %(x)s, %(y)s);
		x = y;
		if (Log.On) Log.L ("C%(name)s.Ref", null, null, %(local)s, "&" + %(x)s, %(y)s);
	}
	public static void Out (%(type)s y, out %(type)s x)
	{
		%(type)s local = y;
		if (Log.On) Log.E ("C%(name)s.Out", null, %(y)s, "&?");
		x = y;
		if (Log.On) Log.L ("C%(name)s.Out", null, null, %(local)s, %(y)s, "&" + %(x)s);
	}
	public static void Run ()
	{
		%(type)s a = First (), b = Second ();
		Static (a, 5, b);
		Static (b, 6, a);
		new C%(name)s { Id = 2 }.Instance (0.5, a);
		Ref (ref a, b);
		Out (a, out b);
%(more)s	}
}
"""

# Mono crashes where reflection reads a field that is a pointer; type arguments cannot be pointers.
MORE = """		new V%(name)s { Id = 1, Field = First () }.Inner (b);
		Shared.Same<%(type)s> (First (), b);
		new Generic<%(type)s> ().Keep (8, b, new G<%(type)s> { Value = First (), Number = 1 });
"""


# So many arguments, of so many of these types in turn.
MANY = {20: 6, 60: 6, 150: 1}
MIX = [("int", "%d"), ("string", '"text %d"'), ("double", "%d.5"), ("Raw3", "new Raw3 { F1 = %d }"), ("byte", "%d"),
       ("G<string>", 'new G<string> { Value = "g", Number = %d }')]


def many(count):
    kinds = [MIX[i % MANY[count]] for i in range(count)]
    parameters = ", ".join("%s a%d" % (kind, i) for i, (kind, _) in enumerate(kinds))
    said = ", ".join("Log.V (a%d)" % i for i in range(count))
    values = ", ".join(value % i for i, (_, value) in enumerate(kinds))
    method = """
public static class X%d {
	public static string Call (%s)
	{
		if (Log.On) Log.E ("X%d.Call", null, %s);
		%s
		if (Log.On) Log.L ("X%d.Call", null, Log.V ("called"), null, %s);
		return "called";
	}
}
""" % (count, parameters, count, said, "a0 = 3;" if MANY[count] == 1 else "a5.Number = 3;", count, said)
    return method, "X%d.Call (%s);" % (count, values)


def structs():
    for size, fields in FIELDS.items():
        names = ["F%d" % i for i in range(len(fields))]
        yield "Raw%d" % size, "public struct Raw%d { %s }\n" % (
            size, " ".join("public %s %s;" % pair for pair in zip(fields, names))), (
            "new Raw%d { %s }" % (size, ", ".join("%s = %d" % (n, 11 * (i + 1)) for i, n in enumerate(names))))
    for size in BUFFERS:
        yield "Raw%d" % size, """public unsafe struct Raw%d {
	public fixed byte Bytes[%d];
	public static Raw%d Make ()
	{
		Raw%d made = new Raw%d ();
		for (int i = 0; i < %d; i++)
			made.Bytes[i] = (byte) (i * 7 + 1);
		return made;
	}
}
""" % (size, size, size, size, size, size), "Raw%d.Make ()" % size


def main():
    rows, out = list(PRIMITIVES), sys.stdout
    out.write(HEAD)
    for name, definition, value in structs():
        out.write(definition)
        rows.append((name[3:], name, value, "default (%s)" % name))
    out.write(SAME)
    for name, kind, a, b in rows + POINTERS:
        say = "Log.P (%s)" if "*" in kind else "Log.V (%s)"
        values = {"name": name, "type": kind, "a": a, "b": b}
        values.update({v: say % v for v in ("x", "y", "local")})
        values["more"] = "" if "*" in kind else MORE % values
        out.write(("" if "*" in kind else STRUCT % values) + CLASS % values)
    calls = []
    for count in MANY:
        method, call = many(count)
        out.write(method)
        calls.append(call)
    out.write("\npublic static class Many {\n\tpublic static void Run ()\n\t{\n\t\t%s\n\t}\n}\n" %
              "\n\t\t".join(calls))
    out.write("\npublic static class Rows {\n\tpublic static void Run ()\n\t{\n")
    for name, *_ in rows[:-1] + POINTERS:
        out.write("\t\tC%s.Run ();\n" % name)
    out.write("\t}\n\tpublic static void RunLargest ()\n\t{\n\t\tC%s.Run ();\n\t}\n}\n" % rows[-1][0])


if __name__ == "__main__":
    main()
