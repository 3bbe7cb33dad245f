// SPDX-License-Identifier: MIT
// What the class library calls of the program's own: ToString, GetHashCode, Equals, Dispose, IFormattable, comparers.
using System;
using System.Collections.Generic;

namespace Own
{
	class Key
	{
		readonly int number;
		public Key (int number) { this.number = number; }
		public override int GetHashCode () { return number; }
		public override bool Equals (object other) { return other is Key && ((Key) other).number == number; }
		public override string ToString () { return "key " + number; }
	}

	class Formatted : IFormattable
	{
		public string ToString (string format, IFormatProvider provider) { return "as " + format; }
	}

	class Backwards : IComparer<int>
	{
		public int Compare (int a, int b) { return b.CompareTo (a); }
	}

	class Program
	{
		static int Main ()
		{
			var table = new Dictionary<Key, string> { { new Key (1), "one" }, { new Key (2), "two" } };
			Console.WriteLine (table [new Key (1)] + table [new Key (2)] + table.ContainsKey (new Key (3)));
			Console.WriteLine (string.Format ("{0} {1:fine}", new Key (4), new Formatted ()));
			Console.WriteLine (string.Concat (new object [] { new Key (5), new Key (6) }));
			var set = new SortedDictionary<int, int> (new Backwards ()) { { 1, 1 } };
			Console.WriteLine (set.Count);
			Console.WriteLine (object.Equals (new Key (1), new Key (1)));
			return 0;
		}
	}
}
