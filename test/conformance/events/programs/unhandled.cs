// SPDX-License-Identifier: MIT
// An exception that nobody catches ends the program.
using System;

namespace Own
{
	class Failure : Exception { public Failure (string text) : base (text) { } }

	class Program
	{
		static void OnUnhandled (object sender, UnhandledExceptionEventArgs e)
		{
			Console.WriteLine (e.ExceptionObject.GetType ());
			Console.Out.Flush ();
		}

		static void Throw (int depth)
		{
			if (depth == 0)
				throw new Failure ("nobody catches it");
			try { Throw (depth - 1); } catch (ArgumentException) { }
		}

		static void Ready () { }

		static int Main ()
		{
			AppDomain.CurrentDomain.UnhandledException += OnUnhandled;
			try { Throw (1); } catch (Failure e) { Console.WriteLine (e.Message); }
			Console.Out.Flush ();
			Ready ();
			Apart.Await ();
			Throw (3);
			return 0;
		}
	}
}
