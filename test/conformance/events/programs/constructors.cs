// SPDX-License-Identifier: MIT
// Static constructors: in order, once, failing, failing again, and on two threads.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Own
{
	class Failure : Exception { public Failure (string text) : base (text) { } }

	class First
	{
		public static int Value;
		static First () { Value = Second.Value + 1; }
	}

	class Second
	{
		public static int Value;
		static Second () { Value = 41; }
		public static void Touch () { Value++; }
	}

	class Failing
	{
		static Failing () { Thrower.Throw ("in the constructor"); }
		[MethodImpl (MethodImplOptions.NoInlining)]
		public Failing () { }
	}

	class Catching
	{
		public static string Said;
		static Catching () { try { Thrower.Throw ("caught"); } catch (Failure e) { Said = e.Message; } }
		[MethodImpl (MethodImplOptions.NoInlining)]
		public Catching () { }
	}

	class Generic<T>
	{
		public static string Name;
		static Generic () { Name = typeof (T).Name; }
		public string Get () { return Name; }
	}

	static class Thrower
	{
		[MethodImpl (MethodImplOptions.NoInlining)]
		public static void Throw (string what) { throw new Failure (what); }
	}

	class Program
	{
		[MethodImpl (MethodImplOptions.NoInlining)]
		static object Make () { return new Failing (); }

		[MethodImpl (MethodImplOptions.NoInlining)]
		static object MakeCatching () { return new Catching (); }

		static void Try ()
		{
			try { Make (); } catch (TypeInitializationException e) { Console.WriteLine (e.InnerException.Message); }
		}

		static int Main ()
		{
			Second.Touch ();
			Console.WriteLine (new First () != null && First.Value == 43);
			Try ();
			Try ();
			MakeCatching ();
			Console.WriteLine (Catching.Said);
			Console.WriteLine (new Generic<int> ().Get () + new Generic<string> ().Get ()
				+ new Generic<object> ().Get ());
			var thread = new Thread (Try);
			thread.Start ();
			thread.Join ();
			return 0;
		}
	}
}
