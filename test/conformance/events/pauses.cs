// SPDX-License-Identifier: MIT
// Four threads fill the heap and drop most of it again; each asks for collections of all generations now and then.
using System;
using System.Collections.Generic;
using System.Threading;

static class Pauses
{
	static void Fill ()
	{
		var kept = new List<byte []> ();
		object last = null;
		for (int i = 0; i < 40000; i++) {
			last = new byte [2000];
			if (i % 50 == 0)
				kept.Add (new byte [500]);
			if (i % 4000 == 0)
				GC.Collect (i % 8000 == 0 ? 2 : 0, GCCollectionMode.Forced, i % 16000 != 0);
		}
		GC.KeepAlive (last);
		GC.KeepAlive (kept);
	}

	static int Main ()
	{
		var threads = new Thread [4];
		for (int i = 0; i < threads.Length; i++) {
			threads [i] = new Thread (Fill);
			threads [i].Start ();
		}
		foreach (var thread in threads)
			thread.Join ();
		GC.Collect ();
		Console.WriteLine ("done");
		return 3;
	}
}
