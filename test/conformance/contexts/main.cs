// SPDX-License-Identifier: MIT
//
// main.cs - all rows so many times, the first time aloud; `large`: those that Mono refuses, too.
using System;

public static class XMain {
	static void Run (bool large)
	{
		Rows.Run ();
		Special.Run ();
#if MODERN
		XModern.Run ();
#endif
		if (large)
			Rows.RunLargest ();
	}

	public static void Main (string[] args)
	{
		Log.E ("*XMain.Main", null, Log.V (args));
		bool large = args.Length > 1;
		Run (large);
		Log.On = false;
		for (int i = int.Parse (args[0]); i > 1; i--)
			Run (large);
		Log.L ("*XMain.Main", null, null, null, Log.V (args));
		Log.Print ();
	}
}
