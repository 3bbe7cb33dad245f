// SPDX-License-Identifier: MIT
// Objects of many kinds: classes, boxed structs, arrays, delegates, closures, by reflection, uninitialised, cloned.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;

namespace Own
{
	class Plain { public int Number; }
	class Derived : Plain { public string Text = "text"; }
	class Generic<T> { public T Value = default (T); }
	class Copied { public int Number; public Copied Copy () { return (Copied) MemberwiseClone (); } }
	struct Point { public int X, Y; }
	struct Boxed { public int X; }
	enum Colour { Red, Green }
	delegate int Function (int i);

	unsafe class Program
	{
		static object sink;

		[MethodImpl (MethodImplOptions.NoInlining)]
		static void Keep (object o) { sink = o; }

		static Function Closure (int n) { return i => i + n; }
		static T Make<T> () where T : new () { return new T (); }

		static int Main ()
		{
			for (int i = 0; i < 50; i++) {
				Keep (new Plain { Number = i });
				Keep (new Derived ());
				Keep (new Generic<int> ());
				Keep (new Generic<string> ());
				Keep (new Boxed { X = i });
				Keep (Colour.Green);
				Keep (new Plain [i]);
				Keep (new Point [2, 3]);
				Keep (new byte* [3]);
				Keep (new Point** [2, 3]);
				Keep (new void* [1] []);
				Keep (Array.CreateInstance (typeof (int*), new [] { 2 }, new [] { 1 }));
				Keep (Closure (i));
				Keep (Make<Derived> ());
				Keep (new Copied { Number = i }.Copy ());
				Keep (Activator.CreateInstance (typeof (Plain)));
				Keep (FormatterServices.GetUninitializedObject (typeof (Derived)));
				Keep (Array.CreateInstance (typeof (Plain), 3));
			}
			Console.WriteLine (sink.GetType ());
			return 0;
		}
	}
}
