// SPDX-License-Identifier: MIT
//
// log.cs - what the programs of this folder say of their calls: one line at the beginning and at the end of a method.
//
//   > Class.Method this=VALUE (VALUE|VALUE)             at the beginning
//   < Class.Method this=VALUE (VALUE|VALUE) = VALUE ;VALUE      at the end: the result, and local 0
//
// A value is told from its own bytes where it is a primitive type, field by field where it is a struct, and by class
// and contents where it is a reference. callvalues.c says the same from outside.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

public static class Log {
	public static bool On = true;
	static readonly StringBuilder text = new StringBuilder ();

	public static void E (string method, string self, params string[] arguments)
	{
		text.Append ("> ").Append (method).Append (" this=").Append (self ?? "-").Append (" (");
		text.Append (string.Join ("|", arguments)).Append (")\n");
	}

	public static void L (string method, string self, string result, string local, params string[] arguments)
	{
		text.Append ("< ").Append (method).Append (" this=").Append (self ?? "-").Append (" (");
		text.Append (string.Join ("|", arguments)).Append (") = ").Append (result ?? "-");
		text.Append (" ;").Append (local ?? "").Append ('\n');
	}

	public static void Print ()
	{
		Console.Out.Write (text.ToString ());
		Console.Out.Flush ();
	}

	static string Hex (byte[] bytes)
	{
		return BitConverter.ToString (bytes).Replace ("-", "").ToLowerInvariant ();
	}

	/* A pointer or a function pointer. */
	public static string P (long address)
	{
		return Hex (BitConverter.GetBytes (address));
	}

	public static unsafe string P (void *address)
	{
		return P ((long) address);
	}

	public static string V<T> (T value)
	{
		return Of (typeof (T), value);
	}

	/* What a `ref` points to, and `this` of a struct. */
	public static string R<T> (T value)
	{
		return "&" + Of (typeof (T), value);
	}

	/* Types whose names begin so are told as the bytes that they are, or their sum. */
	static string Raw (object value)
	{
		GCHandle handle = GCHandle.Alloc (value, GCHandleType.Pinned);
		int size = Marshal.SizeOf (value);
		byte[] bytes = new byte[size];
		Marshal.Copy (handle.AddrOfPinnedObject (), bytes, 0, size);
		handle.Free ();
		if (size <= 64)
			return Hex (bytes);
		ulong sum = 0;
		for (int i = 0; i < size / 8; i++)
			sum = (sum ^ BitConverter.ToUInt64 (bytes, 8 * i)) * 0x100000001b3;
		for (int i = size / 8 * 8; i < size; i++)
			sum = (sum ^ bytes[i]) * 0x100000001b3;
		return "sum " + Hex (BitConverter.GetBytes (sum));
	}

	static string Primitive (Type type, object value)
	{
		if (value is bool) return (bool) value ? "01" : "00";
		if (value is byte) return Hex (new [] { (byte) value });
		if (value is sbyte) return Hex (new [] { (byte) (sbyte) value });
		if (value is char) return Hex (BitConverter.GetBytes ((char) value));
		if (value is short) return Hex (BitConverter.GetBytes ((short) value));
		if (value is ushort) return Hex (BitConverter.GetBytes ((ushort) value));
		if (value is int) return Hex (BitConverter.GetBytes ((int) value));
		if (value is uint) return Hex (BitConverter.GetBytes ((uint) value));
		if (value is long) return Hex (BitConverter.GetBytes ((long) value));
		if (value is ulong) return Hex (BitConverter.GetBytes ((ulong) value));
		if (value is float) return Hex (BitConverter.GetBytes ((float) value));
		if (value is double) return Hex (BitConverter.GetBytes ((double) value));
		if (value is IntPtr) return P ((long) (IntPtr) value);
		if (value is UIntPtr) return P ((long) (ulong) (UIntPtr) value);
		throw new Exception ("no such primitive type: " + type);
	}

	static string Reference (object value)
	{
		if (value == null)
			return "null";
		if (value is string)
			return "\"" + value + "\"";
		FieldInfo id = value.GetType ().GetField ("Id");
		return value.GetType ().Name + (id != null ? "#" + id.GetValue (value) : "");
	}

	static unsafe string Of (Type type, object value)
	{
		if (type.IsPointer)
			return P ((long) Pointer.Unbox (value));
		if (!type.IsValueType)
			return Reference (value);
		if (type.IsEnum)
			type = Enum.GetUnderlyingType (type);
		if (value is Enum)
			value = Convert.ChangeType (value, type);
		if (type.IsPrimitive)
			return Primitive (type, value);
		if (type.IsGenericType && type.GetGenericTypeDefinition () == typeof (Nullable<>)) {
			Type inner = type.GetGenericArguments ()[0];
			return value == null ? "none" : "some " + Of (inner, value);
		}
		if (type.Name.StartsWith ("Raw"))
			return type.Name + "{" + Raw (value) + "}";
		FieldInfo[] fields = type.GetFields (BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
		Array.Sort (fields, (a, b) => a.MetadataToken.CompareTo (b.MetadataToken));
		List<string> parts = new List<string> ();
		foreach (FieldInfo field in fields)
			parts.Add (Of (field.FieldType, field.GetValue (value)));
		return type.Name + "{" + string.Join (",", parts) + "}";
	}
}
