// SPDX-License-Identifier: MIT
// A startup hook: IMAGES assemblies of the platform are loaded, and with GAPS=FILE a thread that wakes up each 200
// microseconds, before all others where that is allowed, writes a line for each moment of at least a millisecond in
// which it did not run: when it began, how long it was, in nanoseconds of CLOCK_MONOTONIC.
using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;

static class StartupHook
{
	const long Least = 1000000;
	const int SCHED_FIFO = 1;

	[DllImport ("libc")] static extern int sched_setscheduler (int pid, int policy, ref int priority);
	[DllImport ("libc")] static extern int usleep (uint microseconds);

	static void Watch (object path)
	{
		int priority = 1;
		if (sched_setscheduler (0, SCHED_FIFO, ref priority) != 0)
			Console.Error.WriteLine ("no priority over others");
		using (var file = new StreamWriter ((string) path) { AutoFlush = true }) {
			long last = Stopwatch.GetTimestamp ();
			for (;;) {
				long now = Stopwatch.GetTimestamp ();
				if (now - last >= Least) {
					file.WriteLine (last + "\t" + (now - last));
					now = Stopwatch.GetTimestamp ();
				}
				last = now;
				usleep (200);
			}
		}
	}

	public static void Initialize ()
	{
		int wanted = int.Parse (Environment.GetEnvironmentVariable ("IMAGES") ?? "0");
		var platform = (string) AppDomain.CurrentDomain.GetData ("TRUSTED_PLATFORM_ASSEMBLIES");
		foreach (string path in platform.Split (':')) {
			if (wanted == 0)
				break;
			try {
				Assembly.Load (new AssemblyName (Path.GetFileNameWithoutExtension (path)));
				wanted--;
			} catch (Exception) { // a library without metadata, or a part of it
			}
		}
		string gaps = Environment.GetEnvironmentVariable ("GAPS");
		if (gaps != null)
			new Thread (Watch) { IsBackground = true, Name = "watch" }.Start (gaps);
	}
}
