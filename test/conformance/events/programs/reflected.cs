// SPDX-License-Identifier: MIT
// Exceptions that leave methods which the runtime itself called: by reflection, by name, by a delegate of any type.
using System;
using System.Reflection;

namespace Own
{
	class Failure : Exception { public Failure (string text) : base (text) { } }

	class Target
	{
		public Target () { }
		public Target (string what) { Throw (what); }
		public int Property { get { Throw ("getter"); return 0; } set { } }
		public static void Throw (string what) { throw new Failure (what); }
		public int Add (int a, int b) { return a + b; }
		public override string ToString () { Throw ("text"); return null; }
	}

	class Program
	{
		static void Try (string what, Action body)
		{
			try {
				body ();
				Console.WriteLine (what + " returned");
			} catch (TargetInvocationException e) {
				Console.WriteLine (what + " " + e.InnerException.Message);
			}
		}

		static void Through ()
		{
			var type = typeof (Target);
			var target = new Target ();
			Try ("method", () => type.GetMethod ("Throw").Invoke (null, new object [] { "method" }));
			var constructor = type.GetConstructor (new [] { typeof (string) });
			Try ("constructor", () => constructor.Invoke (new object [] { "made" }));
			Try ("activator", () => Activator.CreateInstance (type, "activated"));
			Try ("property", () => type.GetProperty ("Property").GetValue (target, null));
			Try ("fine", () => type.GetMethod ("Add").Invoke (target, new object [] { 1, 2 }));
			Action<string> action = Target.Throw;
			Try ("delegate", () => action.DynamicInvoke ("late"));
			Try ("nested", () => type.GetMethod ("Throw").Invoke (null, new object [] { "again" }));
		}

		static void Comparing ()
		{
			var numbers = new [] { 2, 1 };
			try {
				Array.Sort (numbers, (a, b) => { Target.Throw ("compared"); return 0; });
			} catch (InvalidOperationException e) {
				Console.WriteLine (e.InnerException.Message);
			}
			try { string.Concat (new Target (), ""); } catch (Failure e) { Console.WriteLine (e.Message); }
		}

		static int Main ()
		{
			for (int i = 0; i < 2; i++)
				Through ();
			Comparing ();
			return 0;
		}
	}
}
