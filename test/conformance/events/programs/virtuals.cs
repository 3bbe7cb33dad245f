// SPDX-License-Identifier: MIT
// Virtual calls, interfaces, explicit and default implementations by inheritance, hiding, base calls.
using System;

namespace Own
{
	interface INamed { string Name (); }
	interface IOther { string Name (); }

	class Animal : INamed
	{
		public virtual string Name () { return "animal"; }
		public string Hidden () { return "a"; }
	}

	class Dog : Animal, IOther
	{
		public override string Name () { return "dog " + base.Name (); }
		string IOther.Name () { return "other"; }
		public new string Hidden () { return "d"; }
	}

	sealed class Puppy : Dog
	{
		public override string Name () { return "small " + base.Name (); }
	}

	abstract class Step
	{
		protected Step () { Console.WriteLine (What ()); }
		protected abstract string What ();
	}

	class Late : Step
	{
		readonly string what = "initialised";
		protected override string What () { return what ?? "too early"; }
		public string Again () { return What (); }
	}

	struct Counter : INamed
	{
		int count;
		public string Name () { count++; return "count " + count; }
		public override string ToString () { return "struct"; }
	}

	class Program
	{
		static int Main ()
		{
			Animal [] all = { new Animal (), new Dog (), new Puppy () };
			foreach (Animal animal in all) {
				Console.WriteLine (animal.Name () + animal.Hidden () + ((INamed) animal).Name ());
				var other = animal as IOther;
				if (other != null)
					Console.WriteLine (other.Name () + ((Dog) animal).Hidden ());
			}
			Console.WriteLine (new Late ().Again ());
			INamed boxed = new Counter ();
			boxed.Name ();
			Console.WriteLine (boxed.Name () + boxed);
			return 0;
		}
	}
}
