// SPDX-License-Identifier: MIT
// objects.cs - objects of every kind in static fields of every kind. Look () throws and catches a Checkpoint: the
// module objects.c then reads what stands in the fields. What the program prints of them itself is what the module
// must find.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Checkpoint : Exception {
	public Checkpoint (string name) : base (name) {}
}

enum Small : sbyte { Low = -3, High = 100 }
enum Plain { Zero, One }
[Flags] enum Large : ulong { Top = 0x8000000000000000, All = 0xFFFFFFFFFFFFFFFF }

struct Point { public int x, y; }
struct Mixed { public byte small; public string text; public double number; public short tail; }
struct Nested { public Point first; public Mixed second; public Point? third; }
[StructLayout (LayoutKind.Explicit, Size = 24)]
struct Overlaid {
	[FieldOffset (0)] public int whole;
	[FieldOffset (0)] public byte low;
	[FieldOffset (3)] public byte high;
	[FieldOffset (16)] public string text;
}
[StructLayout (LayoutKind.Sequential, Pack = 1)] struct Packed { public byte a; public long b; public short c; }
struct Pair<A, B> { public A a; public B b; }

class Base { public int number = 1; public string text = "base"; protected byte tail = 9; }
class Derived : Base { public double real = 1.5; public new int number = 2; public Derived next; public Point point; }
sealed class Bits { public bool yes = true; public char letter = 'q'; public object own; }
class Generic<T> {
	public static T value;
	public static int count;
	[ThreadStatic] public static T local;
	public T instance;
	public class Inner<U> { public static Dictionary<T, U> none; public static Pair<T, U> pair; public U inner; }
}

interface IOne { string One (); string Two (int number); }
interface IGeneric<T> { string Of (T value); string Any<U> (U value); }
interface IDerived : IOne { string Three (); }
abstract class Root : IOne, IGeneric<int> {
	public virtual string One () { return ""; }
	public virtual string Two (int number) { return ""; }
	public virtual string Two (long number) { return ""; }
	public abstract string Three ();
	public string Plain () { return ""; }
	string IGeneric<int>.Of (int value) { return ""; }
	public virtual string Any<U> (U value) { return ""; }
	public virtual string Hidden () { return ""; }
}
class Middle : Root, IDerived {
	public override string One () { return ""; }
	public override string Three () { return ""; }
	public new virtual string Hidden () { return ""; }
	string IOne.Two (int number) { return ""; }
	public override string ToString () { return ""; }
}
sealed class Leaf : Middle, IGeneric<string> {
	public sealed override string Two (int number) { return ""; }
	public override string Any<U> (U value) { return ""; }
	public override string Hidden () { return ""; }
	public string Of (string value) { return ""; }
}
class Holder<T> : IGeneric<T> {
	public virtual string Of (T value) { return ""; }
	public virtual string Any<U> (U value) { return ""; }
}
class HolderOfInt : Holder<int> { public override string Of (int value) { return ""; } }

static class Virtuals {
	public static Root middle = new Middle (), leaf = new Leaf ();
	public static object ofText = new Holder<string> (), ofInt = new HolderOfInt ();
}

static class Simple {
	public static bool yes = true, no;
	public static sbyte i1 = -128;
	public static byte u1 = 255;
	public static char letter = '\u20AC';
	public static short i2 = -32768;
	public static ushort u2 = 65535;
	public static int i4 = int.MinValue;
	public static uint u4 = uint.MaxValue;
	public static long i8 = long.MinValue;
	public static ulong u8 = ulong.MaxValue;
	public static float r4 = 1.25f;
	public static double r8 = -2.5e300;
	public static IntPtr word = (IntPtr) (-7);
	public static UIntPtr uword = (UIntPtr) 7;
	public static Small small = Small.Low;
	public static Plain plain = Plain.One;
	public static Large large = Large.Top;
	public static decimal exact = 1234567890.0987654321m;
}

static class Literals {
	public const bool Yes = true;
	public const sbyte I1 = -1;
	public const byte U1 = 200;
	public const char Letter = 'L';
	public const short I2 = -300;
	public const ushort U2 = 40000;
	public const int I4 = -70000;
	public const uint U4 = 3000000000;
	public const long I8 = -5000000000;
	public const ulong U8 = 10000000000000000000;
	public const float R4 = 0.5f;
	public const double R8 = 2.25;
	public const Small Small = global::Small.High;
	public const Large Large = global::Large.All;
	public const string None = null;
	public const object Nothing = null;
}

static class Texts {
	public static string empty = "", none, ascii = "hello", zero = "a\0b", accents = "\u00E9t\u00E9", euro = "\u20AC";
	public static string beyond = "\U0001F600!", half = "x\uD800y", made = new string ('m', 300);
	public static readonly string once = "readonly";
}

static class Structs {
	public static Point point = new Point { x = 1, y = -2 };
	public static Mixed mixed = new Mixed { small = 1, text = "mixed", number = 0.5, tail = -4 };
	public static Nested nested =
		new Nested { first = { x = 3 }, second = { text = "deep" }, third = new Point { y = 5 } };
	public static Overlaid overlaid = new Overlaid { whole = 0x01020304, text = "over" };
	public static Packed packed = new Packed { a = 1, b = 2, c = 3 };
	public static Pair<int, string> pair = new Pair<int, string> { a = 6, b = "six" };
	public static Pair<byte, Pair<long, byte>> pairs = new Pair<byte, Pair<long, byte>> { a = 1, b = { a = 2, b = 3 } };
	public static int? some = 5, nothing;
	public static Point? place = new Point { x = 8 };
}

static class Boxes {
	public static object yes = true, i1 = (sbyte) -1, u1 = (byte) 2, letter = 'B', i2 = (short) -3, u2 = (ushort) 4;
	public static object i4 = -5, u4 = 6u, i8 = -7L, u8 = 8UL, r4 = 9.5f, r8 = 10.5, word = (IntPtr) 11;
	public static object small = Small.High, large = Large.Top, point = new Point { x = 12, y = 13 };
	public static object mixed = new Mixed { text = "boxed" }, some = (int?) 14, none = (int?) null, text = "text";
	public static object pair = new Pair<string, long> { a = "p", b = 15 };
	public static ValueType value = new Packed { b = 16 };
	public static Enum enumeration = Plain.One;
	public static IComparable comparable = 17;
}

static class Arrays {
	public static bool[] yes = { true, false };
	public static sbyte[] i1 = { -1, 1 };
	public static byte[] u1 = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
	public static char[] letters = { 'a', '\u20AC' };
	public static short[] i2 = { -2 };
	public static ushort[] u2 = { 2 };
	public static int[] i4 = { 1, 2, 3 };
	public static uint[] u4 = { 4 };
	public static long[] i8 = { 1, -1 };
	public static ulong[] u8 = { 8 };
	public static float[] r4 = { 0.5f };
	public static double[] r8 = { 0.25, -0.25, 4 };
	public static IntPtr[] words = { (IntPtr) 3 };
	public static string[] texts = { "one", null, "three" };
	public static object[] objects = { 1, "two", null, new Point { x = 3 }, new int[] { 4 } };
	public static Small[] smalls = { Small.Low, Small.High };
	public static Point[] points = { new Point { x = 1 }, new Point { y = 2 } };
	public static Mixed[] mixed = { new Mixed { text = "m", tail = 1 }, new Mixed () };
	public static Packed[] packed = { new Packed { a = 1 }, new Packed { c = 2 } };
	public static Pair<int, string>[] pairs = { new Pair<int, string> { b = "b" } };
	public static Base[] bases = { new Derived (), new Base () };
	public static Array array = new int[] { 5 };
	public static int[] none = new int[0], missing;
	public static int[,] square = { { 1, 2, 3 }, { 4, 5, 6 } };
	public static byte[,,] cube = { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } };
	public static string[,] words2 = { { "a", null } };
	public static Mixed[,] mixed2 = { { new Mixed { number = 2 } } };
	public static int[][] jagged = { new[] { 1 }, null, new[] { 2, 3 } };
	public static int[][,] jagged2 = { new[,] { { 9 } } };
	public static Array bounded = Array.CreateInstance (typeof (short), new[] { 3 }, new[] { 5 });
	public static Array bounded2 = Array.CreateInstance (typeof (long), new[] { 2, 2 }, new[] { -1, 7 });
	public static int[] big = new int[50000];
}

static class Instances {
	public static object plain = new object ();
	public static Base own = new Base ();
	public static Base derived = new Derived { next = new Derived { point = new Point { x = 3, y = 4 } } };
	public static Bits bits = new Bits { own = "own" };
	public static Generic<int> ofInt = new Generic<int> { instance = 3 };
	public static Generic<string> ofText = new Generic<string> { instance = "three" };
	public static Generic<Point> ofPoint = new Generic<Point> { instance = { x = 4 } };
	public static object inner = new Generic<int>.Inner<string> { inner = "inside" };
	public static object innerLong = new Generic<string>.Inner<long> { inner = 7 };
}

static class Locals {
	[ThreadStatic] public static int number;
	[ThreadStatic] public static string text;
	[ThreadStatic] public static Point point;
	[ThreadStatic] public static double real;
}

class Untouched { public static int number = Program.Loud (); public static string text = "never"; }

static class State {
	public static object victim, kept, pinned, fresh;
	public static int zero, oldest, generation, thread;
	public static int last;
}

/* The program's own handles lead to it. */
class Held {
	public static Held kept;
	public int number = 7; /* only what has no references can be pinned */
}

/* A thread of the module's own calls it. */
static class Native {
	public delegate int Entry (int number);
	static readonly Entry kept = number => number * 2 + 2;
	public static IntPtr entry = Marshal.GetFunctionPointerForDelegate (kept);
}

class Fallen {
	public int number;
	~Fallen () { State.last = number; }
}

class Payload { public int number; public string text; public Payload (int n) { number = n; text = "payload " + n; } }

static class Program {
	public static int Loud () { Console.WriteLine ("a static constructor ran"); return 1; }

	[MethodImpl (MethodImplOptions.NoInlining)]
	static void Look (string name)
	{
		State.zero = GC.CollectionCount (0);
		State.oldest = GC.CollectionCount (GC.MaxGeneration);
		State.thread = Thread.CurrentThread.ManagedThreadId;
		try {
			throw new Checkpoint (name);
		} catch (Checkpoint) {
		}
	}

	/* The module looks at things while this method is entered. */
	[MethodImpl (MethodImplOptions.NoInlining)]
	static int Probed (int number) { return number + 1; }

	/* What the program sees, for the fields that one line can show. */
	static void Print (Type type)
	{
		foreach (FieldInfo field in type.GetFields (BindingFlags.Static | BindingFlags.Public)) {
			object value = field.GetValue (null);
			if (value == null)
				Console.WriteLine ("{0}.{1} = null", type.Name, field.Name);
			else if (value is string && ((string) value).IndexOf ('\0') < 0 && field.Name != "half")
				Console.WriteLine ("{0}.{1} = \"{2}\"", type.Name, field.Name, value);
			else if (field.FieldType.IsEnum)
				Console.WriteLine ("{0}.{1} = {2}", type.Name, field.Name,
				                   Convert.ChangeType (value, Enum.GetUnderlyingType (field.FieldType)));
			else if (value is bool || value is char)
				Console.WriteLine ("{0}.{1} = {2}", type.Name, field.Name, Convert.ToInt32 (value));
			else if (field.FieldType.IsPrimitive && !(value is float || value is double))
				Console.WriteLine ("{0}.{1} = {2}", type.Name, field.Name, value);
		}
	}

	static void OnThread (string name, ThreadStart body)
	{
		Thread thread = new Thread (body);
		thread.Name = name;
		thread.Start ();
		thread.Join ();
	}

	static void CollectAll ()
	{
		for (int i = 0; i < 3; i++) {
			GC.Collect (GC.MaxGeneration, GCCollectionMode.Forced, true, true);
			GC.WaitForPendingFinalizers ();
		}
	}

	static void Waste ()
	{
		for (int i = 0; i < 1000; i++)
			State.fresh = new byte[100];
	}

	static void MakeVictims ()
	{
		Waste ();
		State.victim = new Fallen { number = 41 };
		Waste ();
		State.kept = new Payload (42);
		Waste ();
		State.pinned = new Payload (43);
		State.fresh = new Payload (44);
		Look ("handles made");
		State.victim = State.kept = State.pinned = null;
	}

	static void MakeHandles (List<GCHandle> made)
	{
		Held.kept = new Held ();
		made.Add (GCHandle.Alloc (Held.kept));
		made.Add (GCHandle.Alloc (Held.kept, GCHandleType.Weak));
		made.Add (GCHandle.Alloc (Held.kept, GCHandleType.WeakTrackResurrection));
		made.Add (GCHandle.Alloc (new Held (), GCHandleType.Weak));
		Waste ();
	}

	static void HoldObjects ()
	{
		List<GCHandle> made = new List<GCHandle> ();
		OnThread ("holder", delegate { MakeHandles (made); });
		Look ("handles of the program");
		CollectAll ();
		Look ("handles of the program");
		for (int i = 0; i < 3; i++)
			made[i].Free ();
		Look ("handles of the program");
		made[3].Free ();
	}

	/* The module asked for a collection, which may come later. */
	static void AwaitCollection (int before)
	{
		for (int i = 0; i < 500 && GC.CollectionCount (GC.MaxGeneration) == before; i++)
			Thread.Sleep (10);
		Console.WriteLine ("collected: {0}", GC.CollectionCount (GC.MaxGeneration) > before);
	}

	static void Main ()
	{
		Arrays.bounded.SetValue ((short) 55, 6);
		Arrays.bounded2.SetValue (77L, 0, 7);
		Generic<int>.value = 21;
		Generic<int>.count = 1;
		Generic<int>.local = 31;
		Generic<string>.value = "twenty-two";
		Generic<string>.count = 2;
		Generic<string>.local = "thirty-two";
		Generic<Point>.value = new Point { x = 23 };
		Generic<int>.Inner<string>.pair = new Pair<int, string> { a = 24, b = "pair" };
		Generic<string>.Inner<long>.pair = new Pair<string, long> { a = "long", b = 25 };
		Locals.number = 1;
		Locals.text = "main";
		Locals.point = new Point { x = 2 };
		Locals.real = 0.125;
		foreach (Type type in new[] { typeof (Simple), typeof (Literals), typeof (Texts) })
			Print (type);
		foreach (Type type in new[] { typeof (Structs), typeof (Boxes), typeof (Arrays), typeof (Instances),
		                             typeof (Virtuals) })
			RuntimeHelpers.RunClassConstructor (type.TypeHandle);
		Look ("everything");
		State.fresh = new Payload (40);
		State.zero = Probed (1);
		CollectAll ();
		State.zero = Probed (2);
		OnThread ("worker", delegate {
			Locals.number = 100;
			Locals.text = "worker";
			Look ("thread");
		});
		OnThread ("victims", MakeVictims);
		CollectAll ();
		Look ("handles checked");
		CollectAll ();
		Console.WriteLine ("finalized: {0}", State.last);
		Look ("handles freed");
		CollectAll ();
		Look ("nothing left");
		HoldObjects ();
		RuntimeHelpers.RunClassConstructor (typeof (Native).TypeHandle);
		Look ("own threads");
		int before = GC.CollectionCount (GC.MaxGeneration);
		Look ("collect");
		AwaitCollection (before);
		before = GC.CollectionCount (GC.MaxGeneration);
		Look ("collect on a thread");
		AwaitCollection (before);
		GC.KeepAlive (State.fresh);
	}
}
