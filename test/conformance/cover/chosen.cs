// SPDX-License-Identifier: MIT
// What is chosen and left out: each method is named in cover.py.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;

class MineAttribute : Attribute {}

static class Chosen {
	public static int Auto { get; set; }
	public static int Own { get { return 1; } }

	[ExcludeFromCodeCoverage]
	public static int Hidden { get { return new[] { 1 }.Select (x => x + 1).Sum (); } }

	[ExcludeFromCodeCoverage]
	static IEnumerable<int> HiddenNumbers ()
	{
		Func<int> one = () => 1;
		yield return one ();
	}

	static IEnumerable<int> Numbers ()
	{
		Func<int> one = () => 1;
		yield return one ();
	}

	[Mine]
	static void Marked () { Console.WriteLine ("marked"); }

	static int Main ()
	{
		Auto = Hidden + Own;
		Marked ();
		Console.WriteLine (Numbers ().Concat (HiddenNumbers ()).Sum () + Outer.Inner.One () + Gone.Inner.One () + Auto);
		Console.WriteLine (Made.One () + MadeIn.Obj ());
		return 0;
	}
}

class Outer {
	public class Inner {
		public static int One () { return 1; }
	}
}

[ExcludeFromCodeCoverage]
class Gone {
	public static int Two () { return 2; }
	public class Inner {
		public static int One () { return 1; }
	}
}

[System.CodeDom.Compiler.GeneratedCode ("a generator", "1")]
class Made {
	public static int One () { return 1; }
}

class MadeIn {
#line 1 "obj/Made.g.cs"
	public static int Obj () { return 1; }
}
