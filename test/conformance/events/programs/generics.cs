// SPDX-License-Identifier: MIT
// Generic classes and methods over values, references and each other; virtual generic methods; constraints.
using System;
using System.Collections.Generic;

namespace Own
{
	class Box<T>
	{
		T value;
		public Box (T value) { this.value = value; }
		public T Get () { return value; }
		public Box<U> Map<U> (Func<T, U> f) { return new Box<U> (f (value)); }
		public static int Count<V> (V v) where V : ICollection<T> { return v.Count; }
	}

	interface IVisitor { string Visit<T> (T value); }
	class Namer : IVisitor { public virtual string Visit<T> (T value) { return typeof (T).Name; } }
	class Louder : Namer { public override string Visit<T> (T value) { return base.Visit (value) + "!"; } }

	struct Pair<A, B> : IComparable<Pair<A, B>> where A : IComparable<A>
	{
		public A First;
		public B Second;
		public Pair (A a, B b) { First = a; Second = b; }
		public int CompareTo (Pair<A, B> other) { return First.CompareTo (other.First); }
	}

	class Program
	{
		static T Largest<T> (params T [] values) where T : IComparable<T>
		{
			T most = values [0];
			foreach (T value in values)
				if (value.CompareTo (most) > 0)
					most = value;
			return most;
		}

		static T Make<T> () where T : new () { return new T (); }

		static int Depth<T> (int more) { return more == 0 ? 0 : 1 + Depth<Box<T>> (more - 1); }

		static int Main ()
		{
			var box = new Box<int> (3).Map (i => i + 0.5).Map (d => d.ToString ().Length).Map (n => new object ());
			Console.WriteLine (box.Get () != null);
			Console.WriteLine (Box<string>.Count (new List<string> { "a", "b" }));
			IVisitor visitor = new Louder ();
			Console.WriteLine (visitor.Visit (1) + visitor.Visit ("s") + visitor.Visit (new Box<int> (1)));
			Console.WriteLine (Largest (3, 9, 4) + Largest ("x", "zz", "y"));
			Console.WriteLine (Largest (new Pair<int, string> (1, "a"), new Pair<int, string> (2, "b")).Second);
			Console.WriteLine (Make<Namer> ().Visit (2) + Make<DateTime> ().Year);
			Console.WriteLine (Depth<int> (3));
			return 0;
		}
	}
}
