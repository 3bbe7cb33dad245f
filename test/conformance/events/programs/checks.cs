// SPDX-License-Identifier: MIT
// What the runtime throws by itself: null references, divisions, bounds, casts, overflows; caught by the caller.
using System;
using System.Runtime.CompilerServices;

namespace Own
{
	class Base { public int Field = 1; }
	class Derived : Base { }

	class Program
	{
		static Base nothing;
		static int zero = 0;
		static int most = int.MaxValue;
		static int [] few = new int [2];
		static object number = 5;
		static object [] strings = new string [1];

		[MethodImpl (MethodImplOptions.NoInlining)]
		static int Field () { return nothing.Field; }
		[MethodImpl (MethodImplOptions.NoInlining)]
		static int Divide () { return most / zero; }
		[MethodImpl (MethodImplOptions.NoInlining)]
		static int Index () { return few [most]; }
		[MethodImpl (MethodImplOptions.NoInlining)]
		static object Cast () { return (string) number; }
		[MethodImpl (MethodImplOptions.NoInlining)]
		static int Unbox () { return (int) (object) 5L; }
		[MethodImpl (MethodImplOptions.NoInlining)]
		static int Sum () { return checked (most + few.Length); }
		[MethodImpl (MethodImplOptions.NoInlining)]
		static int Store () { strings [0] = number; return 0; }
		[MethodImpl (MethodImplOptions.NoInlining)]
		static Derived Down () { return (Derived) new Base (); }
		[MethodImpl (MethodImplOptions.NoInlining)]
		static string Call () { return nothing.ToString (); }

		static void Try (Action body)
		{
			try { body (); } catch (Exception e) { Console.WriteLine (e.GetType ().Name); }
		}

		static int Main ()
		{
			for (int i = 0; i < 3; i++) {
				Try (() => Field ());
				Try (() => Divide ());
				Try (() => Index ());
				Try (() => Cast ());
				Try (() => Unbox ());
				Try (() => Sum ());
				Try (() => Store ());
				Try (() => Down ());
				Try (() => Call ());
			}
			return 0;
		}
	}
}
