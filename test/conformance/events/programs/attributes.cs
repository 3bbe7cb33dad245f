// SPDX-License-Identifier: MIT
// Attributes are made when reflection asks for them: constructors and setters run from inside the runtime.
using System;
using System.Linq;
using System.Reflection;

namespace Own
{
	class Failure : Exception { }

	[AttributeUsage (AttributeTargets.All, AllowMultiple = true)]
	class NoteAttribute : Attribute
	{
		readonly string text;
		public NoteAttribute (string text) { this.text = text; }
		public int Number { get; set; }
		public override string ToString () { return text + Number; }
	}

	class BrokenAttribute : Attribute { public BrokenAttribute () { throw new Failure (); } }

	[Note ("class", Number = 1)]
	class Noted
	{
		[Note ("field")] public int Field = 0;
		[Note ("method", Number = 2)] public void Method ([Note ("parameter")] int p) { }
		[Broken] public void Broken () { }
	}

	class Program
	{
		static void Show (ICustomAttributeProvider where)
		{
			foreach (object note in where.GetCustomAttributes (typeof (NoteAttribute), false))
				Console.WriteLine (note);
		}

		static int Main ()
		{
			MethodInfo method = typeof (Noted).GetMethod ("Method");
			Show (typeof (Noted));
			Show (typeof (Noted).GetField ("Field"));
			Show (method);
			Show (method.GetParameters () [0]);
			try {
				typeof (Noted).GetMethod ("Broken").GetCustomAttributes (false);
			} catch (Exception e) {
				Console.WriteLine ((e as Failure ?? e.InnerException).GetType ().Name);
			}
			return 0;
		}
	}
}
