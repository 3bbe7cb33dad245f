// SPDX-License-Identifier: MIT
//
// members.cs - every kind of member and relation, for the questions of members.c. The fields of Subjects name the
// arrays, instances and pointers that are asked about besides the definitions.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Runtime.InteropServices;

public delegate void Plain (int number);
public delegate TOut Converter<in TIn, out TOut> (TIn value);

public enum Small : byte { None, One, Two = 200 }
public enum Wide : long { Least = long.MinValue, Most = long.MaxValue }
public enum Usual { A, B, C }

public interface IBase { int Count { get; } event EventHandler Moved; }
public interface IOther { void Do (); }
public interface IDerived : IBase, IOther { }
public interface IProducer<out T> { T Get (); }
public interface IConsumer<in T> { void Put (T value); }
public interface IBoth<T> : IProducer<T>, IConsumer<T> { T this [int index] { get; set; } }

public abstract class Animal : IOther
{
	public const int Legs = 4;
	public const string Sound = "what\u00e4";
	public const Usual Kind = Usual.B;
	public const object Nothing = null;
	public const double Weight = 1.5;
	public static int Alive;
	public static readonly string Latin = "animalia";
	[ThreadStatic] public static int OfThread;
	protected internal int age;
	private byte tag;
	internal Animal friend;
	public event Plain Fed;
	public static event EventHandler Born { add { } remove { } }
	public int Age { get { return age; } protected set { age = value; } }
	public abstract string Name { get; }
	public string this [int index, string key] { get { return key; } set { tag = (byte) index; } }
	public static int Total { get { return Alive; } set { Alive = value; } }
	public int WriteOnly { set { age = value; } }
	public virtual void Do () { if (Fed != null) Fed (tag); }
	void IOther.Do () { }
	protected class Inner { public int one; public class Innermost { } }
	private struct Hidden { public int two; }
	public enum Mood { Good, Bad }
}

public class Dog : Animal, IDerived, IEquatable<Dog>
{
	public new int age;
	public volatile int bark;
	public override string Name { get { return "dog"; } }
	public int Count { get { return 0; } }
	public event EventHandler Moved;
	public bool Equals (Dog other) { return Moved == null; }
	public static Dog operator + (Dog a, Dog b) { return a; }
	public void Params (int first, ref string second, out double third, [In] byte[] fourth,
		params object[] fifth) { third = 1; }
	[DllImport ("nothing")] public static extern int Native ([MarshalAs (UnmanagedType.LPWStr)] string text,
		[MarshalAs (UnmanagedType.Bool)] bool flag);
	public int Optional (int a = 3, string b = "x") { return a; }
}

public sealed class Puppy : Dog { public string toy; }

public struct Empty { }
public struct Point { public int x, y; public static Point Origin; public int Sum { get { return x + y; } } }
public struct Mixed { public byte a; public long b; public byte c; public string d; public Point e; public Small f; }
[StructLayout (LayoutKind.Explicit)] public struct Union { [FieldOffset (0)] public int i;
[FieldOffset (0)] public float f; [FieldOffset (8)] public long l; }
[StructLayout (LayoutKind.Sequential, Pack = 1)] public struct Packed { public byte a; public int b; public short c; }
[StructLayout (LayoutKind.Sequential, Size = 40)] public struct Sized { public byte a; }
public unsafe struct Fixed { public fixed int buffer [5]; }
[StructLayout (LayoutKind.Sequential)] public class Sequential { public byte a; public int b; public byte c;
public object d; public long e; }
public class Automatic { public byte a; public int b; public byte c; public object d; public long e;
public short f; public bool g; }
public class AutomaticChild : Automatic { public byte h; public string i; public int j; }

public class Box<T>
{
	public T value;
	public T[] many;
	public List<T> list;
	public Box<Box<T>> deeper;
	public static T shared;
	public static int counter;
	public T Value { get { return value; } set { this.value = value; } }
	public event Converter<T, string> Converted;
	public virtual TResult Convert<TResult> (T input, TResult fallback) { if (Converted != null) shared = input;
	return fallback; }
	public static void Same<U> () { } public static void Same () { }
	public static void Other () { } public static void Other<U> () { }
	public class Nested { public T inner; public class Deep<U> { public T t; public U u; } }
	public struct Value2 { public T first; public int second; }
	public enum Level { Low, High }
}

public class IntBox : Box<int>, IBoth<string>, IProducer<object>
{
	public string Get () { return null; }
	object IProducer<object>.Get () { return null; }
	public void Put (string value) { }
	public string this [int index] { get { return null; } set { } }
}
public class Constrained<T, U> where T : Animal, new () where U : struct { public T animal; public U value; }
public class Covariant : IProducer<Dog>, IConsumer<Animal> { public Dog Get () { return null; }
	public void Put (Animal a) { } }
public class Shadow : Dog { public new int Count { get { return 1; } } public static new int Alive; }
public static class Statics
{
	public static byte small; public static long big; public static string text; public static Point point;
	public static object any;
	public static readonly int[] data = { 1, 2, 3, 4, 5, 6, 7 };
	public static Dog First (this Dog dog) { return dog; }
}
public class Sequence : IEnumerable<int>, IList {
	public IEnumerator<int> GetEnumerator () { yield return 1; yield return 2; }
	IEnumerator IEnumerable.GetEnumerator () { return GetEnumerator (); }
	public int Add (object o) { return 0; } public void Clear () { } public bool Contains (object o) { return false; }
	public int IndexOf (object o) { return 0; } public void Insert (int i, object o) { } public bool IsFixedSize {
		get { return false; } }
	public bool IsReadOnly { get { return true; } } public void Remove (object o) { } public void RemoveAt (int i) { }
	public object this [int i] { get { return null; } set { } } public void CopyTo (Array a, int i) { }
		public int Count { get { return 0; } }
	public bool IsSynchronized { get { return false; } } public object SyncRoot { get { return null; } }
}

public interface ISpeaks { string Say (); int Say (int times); }
public interface ISpeaks<T> { T Say (T what); }
public struct Speaker : ISpeaks, ISpeaks<int>
{
	public string Say () { return ""; }
	int ISpeaks.Say (int times) { return times; }
	public int Say (int what) { return what; }
	public override string ToString () { return ""; }
}
public class Talker : ISpeaks, ISpeaks<string>
{
	public virtual string Say () { return ""; }
	public int Say (int times) { return times; }
	string ISpeaks<string>.Say (string what) { return what; }
	public virtual string Say (string what) { return what; }
}
public class Whisperer : Talker
{
	public override string Say () { return "."; }
	public override string Say (string what) { return "."; }
	public override int GetHashCode () { return 0; }
	public new int Say (int times) { return 0; }
}
public static class Constraints
{
	public static string OfObject<T> (T it) { return it.ToString () + it.GetHashCode () + it.Equals (it); }
	public static string OfInterface<T> (T it) where T : ISpeaks { return it.Say () + it.Say (2); }
	public static int OfGeneric<T> (T it) where T : ISpeaks<int> { return it.Say (2); }
	public static void OfMany<A, B, C, D, F, G> (A a, B b, C c, D d, F f, G g)
		where A : Talker, ISpeaks, IOther where B : A where C : B, IOther where D : struct, ISpeaks
		where F : class, ISpeaks<F> where G : ISpeaks<A>, ISpeaks<int>
	{
	}
	public static string OfGenericString<T> (T it) where T : ISpeaks<string> { return it.Say (""); }
}

namespace Access
{
	public class Owner
	{
		public int open; private int closed; protected int family; internal int assembly;
		protected internal int either; private protected int both;
		public void Open () { } private void Closed () { closed = family = assembly = either = both; }
			protected void Family () { } internal void Assembly () { }
		protected internal void Either () { } private protected void Both () { }
		private class Nested { private int deep; public int shown; void Use () { deep++; } }
		internal class AssemblyNested { public int shown; public void Use () { } public class Inside {
			public void Use () { } } }
		protected internal class EitherNested { public void Use () { } protected void Ours () { } }
		public class PublicNested { internal void Use () { } private class Hidden { public int shown;
		public void Use () { } } }
		protected class FamilyNested { public int shown; public void Use () { } public class Inside {
			public void Use () { } } }
	}
	public class Heir : Owner { void Mine () { } private class Child { public int shown; void Use () { }
		public void Shown () { } } }
	class Stranger { void Look () { } }
	public class GenericOwner<T> { private T closed; protected T family; void Use () { closed = family; } }
	public class GenericHeir : GenericOwner<int> { void Mine () { } }
}

public unsafe class Subjects
{
	int i; string s; object o; byte b; char c; bool l; double d; IntPtr n; UIntPtr u; decimal m; DateTime t;
	Guid g; Type type; Enum en; ValueType vt; Array arr; Delegate del; MulticastDelegate mdel; Exception exc;
	int[] ints; uint[] uints; string[] strings; object[] objects; int[][] jagged; int[,] matrix; Dog[] dogs;
	Animal[] animals; Dog[,] dogMatrix; Animal[,] animalMatrix; Usual[] usuals; Point[] points; Small[] smalls;
	byte[] bytes; sbyte[] sbytes; bool[] bools; char[] chars; short[] shorts; ushort[] ushorts; long[] longs;
	IntPtr[] natives; Animal[][] jaggedAnimals; Dog[][] jaggedDogs; ValueType[] valueTypes; Enum[] enums;
	IOther[] others; int?[] nullables;
	int* pointer; int** pointers; Point* pointPointer; void* nothing;
	int? maybe; Point? maybePoint; Usual? maybeUsual;
	Box<int> boxInt; Box<string> boxString; Box<Point> boxPoint; Box<int>.Nested boxNested;
	Box<string>.Nested.Deep<Dog> boxDeep; Box<string>.Value2 boxValue; Box<long>.Level boxLevel; Box<Box<int>> boxBox;
	IProducer<Dog> producesDog; IProducer<Animal> producesAnimal; IProducer<object> producesObject;
	IProducer<int> producesInt; IProducer<ValueType> producesValueType;
	IConsumer<Dog> consumesDog; IConsumer<Animal> consumesAnimal; IConsumer<object> consumesObject;
	IBoth<Dog> bothDog; IBoth<string> bothString;
	Converter<Animal, Dog> narrow; Converter<Dog, Animal> wide; Converter<Dog, Dog> same; Converter<int, int> numbers;
	IProducer<IProducer<Dog>> nestedVariance; IProducer<IProducer<Animal>> nestedVariance2;
	IProducer<IConsumer<Animal>> mixedVariance; IProducer<IConsumer<Dog>> mixedVariance2;
	IProducer<Dog[]> producesDogs; IProducer<Animal[]> producesAnimals;
	IEnumerable<object> objectsE; IEnumerable<Animal> animalsE; IEnumerable<Dog> dogsE; IEnumerable<int> intsE;
	IList<Animal> animalsL; IList<Dog> dogsL; IList<int> intsL; IList<uint> uintsL; ICollection<int> intsC;
	IReadOnlyList<Animal> animalsR; IReadOnlyCollection<object> objectsR; IEnumerable plainE; IList plainL;
	ICollection plainC; ICloneable cloneable; IComparable comparable; IEquatable<Dog> equatable;
	IEquatable<int> equatableInt;
	List<int> listInt; List<Dog> listDog; Dictionary<string, int> dictionary; List<int>.Enumerator enumerator;
	KeyValuePair<string, int> pair;
	Constrained<Dog, int> constrained;
	Action<Dog> actionDog; Action<Animal> actionAnimal; Func<Animal> funcAnimal; Func<Dog> funcDog;
	TypedHolder holder;
	IEnumerable<Usual> usualsE; IEnumerable<IntPtr> nativesE; IList<byte> bytesL; IList<sbyte> sbytesL;
	IList<int[]> intArraysL;IList<object> objectsL;
	uint[][] unsignedJagged; uint* unsignedPointer; ulong[] ulongs; UIntPtr[] unativesA; float[] floats;
	IList<long> longsL; IList<ulong> ulongsL; IEnumerable<UIntPtr> unativesE; IList<bool> boolsL;
	IList<ushort> ushortsL; IList<short> shortsL; IEnumerable<char> charsE; IEnumerable<ValueType> valueTypesE;
	IList<Enum> enumsL; IReadOnlyCollection<IOther> othersR; Dictionary<int, Dog>.KeyCollection keys;
	Nullable<Box<int>.Level> level; IConsumer<IProducer<Dog>> consumesProducer;
	IConsumer<IProducer<Animal>> consumesProducer2; Small[,] smallMatrix; byte[,] byteMatrix; Dog[,,] cube;
	public static void Main () { Console.WriteLine (new Subjects ().GetType ()); new Dog ().First ();
	Generic<int> (1); new Box<string> ().Convert<int> (null, 1);
	Box<int>.Same (); Box<int>.Same<Dog> (); Box<int>.Other (); Box<int>.Other<Dog> (); new Box<Dog>.Nested ();
	System.Threading.Interlocked.CompareExchange<string> (ref Statics.text, "", ""); var p = new int[2, 2]; p[0,
		1] = 2; new Box<int> ().value++; Statics.any = new List<string> { "x" }.ToArray (); }
	static T Generic<T> (T value) { return value; }
	class TypedHolder { }
}
