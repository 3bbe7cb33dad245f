// SPDX-License-Identifier: MIT
// Finally blocks on every way out: falling through, return, break, continue, goto, lock, using, foreach.
using System;
using System.Collections;
using System.Collections.Generic;

namespace Own
{
	class Resource : IDisposable
	{
		readonly string name;
		public Resource (string name) { this.name = name; Program.Say ("+" + name); }
		public void Dispose () { Program.Say ("-" + name); }
	}

	class Items : IEnumerable<int>, IEnumerator<int>
	{
		int at;
		public IEnumerator<int> GetEnumerator () { at = 0; return this; }
		IEnumerator IEnumerable.GetEnumerator () { return GetEnumerator (); }
		public int Current { get { return at; } }
		object IEnumerator.Current { get { return at; } }
		public bool MoveNext () { return ++at < 5; }
		public void Reset () { }
		public void Dispose () { Program.Say ("."); }
	}

	class Program
	{
		static string log = "";

		public static void Say (string what) { log += what; }

		static int Returns (int n)
		{
			try {
				if (n > 2)
					return n;
				try { return -n; } finally { Say ("i"); }
			} finally {
				Say ("o");
			}
		}

		static void Loops ()
		{
			for (int i = 0; i < 6; i++) {
				try {
					if (i == 1)
						continue;
					if (i == 4)
						break;
					Say (i.ToString ());
				} finally {
					Say ("f");
				}
			}
		}

		static void Jumps ()
		{
			int count = 0;
		again:
			try {
				if (count++ < 2)
					goto again;
			} finally {
				Say ("j");
			}
		}

		static int Disposes ()
		{
			using (var a = new Resource ("a"))
			using (var b = new Resource ("b"))
				foreach (int i in new Items ())
					if (i == 3)
						return i;
			return 0;
		}

		static void Locks (object token) { lock (token) Say ("l"); }

		static int Main ()
		{
			for (int i = 0; i < 5; i++) {
				Returns (i);
				Loops ();
				Jumps ();
				Disposes ();
				Locks (log);
			}
			Console.WriteLine (log);
			return 0;
		}
	}
}
