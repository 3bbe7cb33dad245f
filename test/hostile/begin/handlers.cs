// SPDX-License-Identifier: MIT
// Tells of its exceptions before it ends by one.
using System;
static class P {
	static void Main () {
		AppDomain.CurrentDomain.FirstChanceException += (s, e) => Console.WriteLine ("first " + e.Exception.Message);
		AppDomain.CurrentDomain.UnhandledException += (s, e) => Console.WriteLine ("unhandled " + e.IsTerminating);
		try { throw new Exception ("caught"); } catch (Exception) { }
		throw new Exception ("not caught");
	}
}
