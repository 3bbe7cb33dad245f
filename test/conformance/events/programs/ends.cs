// SPDX-License-Identifier: MIT
// For programs that die: until what has happened is in the log, and the suite makes the file that EVENTS_GO names.
using System;
using System.IO;
using System.Threading;

static class Apart
{
	internal static void Await ()
	{
		string file = Environment.GetEnvironmentVariable ("EVENTS_GO");
		while (file != null && !File.Exists (file))
			Thread.Sleep (5);
	}
}
