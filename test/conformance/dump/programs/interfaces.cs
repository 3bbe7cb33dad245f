// SPDX-License-Identifier: MIT
// Hierarchies of interfaces.
using System;
using System.Collections;
using System.Collections.Generic;

public interface IRoot { void Root (); }
public interface ILeft : IRoot { void Left (); }
public interface IRight : IRoot { void Right (); }
public interface IBottom : ILeft, IRight { new void Root (); void Bottom (); }
public interface IGeneric<T> : IComparable<T> { T Get (); IGeneric<U> As<U> (); }
public interface IDeep<T> : IGeneric<IGeneric<T>>, IEnumerable<T[]>, IBottom { }

public class Diamond : IBottom
{
	public void Left () { }
	public virtual void Right () { }
	void IRoot.Root () { }
	void IBottom.Root () { }
	public void Root () { }
	public void Bottom () { }
}

public class Again : Diamond, IRoot, IRight { public override void Right () { } public new void Root () { } }

public abstract class Partly : ILeft, IDisposable
{
	public abstract void Left ();
	public abstract void Root ();
	void IDisposable.Dispose () { }
}

public class Inherits : Base, IRoot { }
public class Base { public void Root () { } }

public struct Value : IRoot, IEquatable<Value>, IComparable, IGeneric<Value>
{
	public void Root () { }
	public bool Equals (Value v) { return true; }
	public int CompareTo (object o) { return 0; }
	public int CompareTo (Value v) { return 0; }
	public Value Get () { return this; }
	public IGeneric<U> As<U> () { return null; }
}

public class List2<T> : List<T>, IGeneric<List2<T>>
{
	public List2<T> Get () { return this; }
	public IGeneric<U> As<U> () { return null; }
	public int CompareTo (List2<T> l) { return 0; }
}

public class Dict : IDictionary<string, Value[]>
{
	public Value[] this[string k] { get { return null; } set { } }
	public ICollection<string> Keys { get { return null; } }
	public ICollection<Value[]> Values { get { return null; } }
	public int Count { get { return 0; } }
	public bool IsReadOnly { get { return true; } }
	public void Add (string k, Value[] v) { }
	public void Add (KeyValuePair<string, Value[]> p) { }
	public void Clear () { }
	public bool Contains (KeyValuePair<string, Value[]> p) { return false; }
	public bool ContainsKey (string k) { return false; }
	public void CopyTo (KeyValuePair<string, Value[]>[] a, int i) { }
	public IEnumerator<KeyValuePair<string, Value[]>> GetEnumerator () { return null; }
	IEnumerator IEnumerable.GetEnumerator () { return null; }
	public bool Remove (string k) { return false; }
	public bool Remove (KeyValuePair<string, Value[]> p) { return false; }
	public bool TryGetValue (string k, out Value[] v) { v = null; return false; }
}

public static class Program
{
	public static int Main ()
	{
		IRoot[] all = { new Diamond (), new Again (), new Inherits (), new Value () };
		foreach (var r in all) r.Root ();
		Console.WriteLine (all.Length + new Dict ().Count + new List2<int> ().Count);
		return 0;
	}
}
