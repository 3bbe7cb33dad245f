// SPDX-License-Identifier: MIT
// Custom attributes: every type of argument, on everything that can bear one.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

[assembly: All (Text = "assembly")]
[assembly: Numbers (1, 2, 3, 4, 5, 6, 7, 8, 1.5f, 2.5, 'c', true)]
[module: All]
public enum Small : byte
{
	A = 200
}

public enum Wide : long { B = long.MinValue }

[AttributeUsage (AttributeTargets.All, AllowMultiple = true, Inherited = false)]
public class AllAttribute : Attribute
{
	public AllAttribute () { }
	public AllAttribute (string s) { }
	public AllAttribute (Type t) { }
	public AllAttribute (object o) { }
	public AllAttribute (Small s, Wide w) { }
	public AllAttribute (params int[] a) { }
	public AllAttribute (string[] s, Type[] t, object[] o, Small[] e) { }
	public string Text { get; set; }
	public object Any { get; set; }
	public Type Kind;
	public Small[] Smalls;
	public long Field;
	public object[] Things { get; set; }
	public class NestedAttribute : Attribute { public NestedAttribute (DayOfWeek d) { } }
}

[AttributeUsage (AttributeTargets.All)]
public class NumbersAttribute : Attribute
{
	public NumbersAttribute (sbyte a, byte b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j,
		char k, bool l)
	{
	}
}

[All, All ("text"), All (typeof (List<>)), All ((object) 5), All (Any = typeof (int[])), All ((object) Small.A),
	All ((object) null)]
[All (Small.A, Wide.B), All (1, 2, 3), All (new int[0]), All (new[] { "a", null, "" },
	new[] { typeof (Dictionary<string, int[]>), null }, new object[] { 1, "x", typeof (void), Small.A, 2L },
	new[] { Small.A })]
[All ("ünï ✓", Text = null, Any = Wide.B, Smalls = new[] { Small.A }, Field = -1, Things = new object[] { null })]
[Serializable, Obsolete ("old"), AllAttribute.Nested (DayOfWeek.Friday)]
public class Target<[All ("parameter")] T> where T : class
{
	[All ("field"), NonSerialized] public int Field;
	[All ("property")] public int Property { [All ("getter")] get; [All ("setter")] [param: All ("value")] set; }
	[All ("event")] [field: All ("field of the event")] [method: All ("both")] public event Action Event;
	[All ("constructor")] public Target () { if (Event != null) Event (); }
	[All ("method")]
	[return: All ("result")]
	public int Method<[All] TU> ([All ("a")] int a, [All ("b"), Optional, DefaultParameterValue (3)] int b)
	{
		return a;
	}
	[MethodImpl (MethodImplOptions.NoInlining | MethodImplOptions.Synchronized)] public void Impl () { }
	[All] public class Inner { }
	[Flags, All] public enum Flags { [All ("member")] None }
	[All] public delegate void D ([All] int a);
	[All] public interface I { [All] void M (); }
	[All, StructLayout (LayoutKind.Sequential, Pack = 1)]
	public struct S
	{
		[MarshalAs (UnmanagedType.I1)] public bool B;
	}
}

public static class Program
{
	public static int Main ()
	{
		Console.WriteLine (new Target<string> ().Method<int> (1));
		return 0;
	}
}
