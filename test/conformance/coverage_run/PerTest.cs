// SPDX-License-Identifier: MIT
//
// PerTest.cs - a hundred tests, one after the other, with a hook after each of them that asks for a snapshot.
//
//   PerTest.exe [MONOCLE]     by a file, or by `monocle snapshot` when MONOCLE is given and nobody watches a folder
using System;
using System.Diagnostics;
using System.IO;
using System.Threading;

static class Hook
{
	static readonly string folder = Environment.GetEnvironmentVariable ("MONOCLE_SNAPSHOT_DIR");
	static readonly int pid = Process.GetCurrentProcess ().Id;

	public static void AfterTest (string name, string monocle)
	{
		if (folder != null) {
			string want = Path.Combine (folder, name + ".want");
			File.WriteAllText (want, pid.ToString ());
			while (File.Exists (want))
				Thread.Sleep (1);
		} else if (monocle != null) {
			var start = new ProcessStartInfo (monocle, "snapshot " + pid + " --reset -o " + name + ".mcov");
			start.UseShellExecute = false;
			start.RedirectStandardOutput = true;
			using (var process = Process.Start (start)) {
				process.StandardOutput.ReadToEnd ();
				process.WaitForExit ();
			}
		}
	}
}

static class Code
{
	public static int Half (int n)
	{
		if (n % 2 == 0)
			return n / 2;
		return 3 * n + 1;
	}

	public static int Steps (int n)
	{
		int steps = 0;
		while (n != 1) {
			n = Half (n);
			steps++;
		}
		return steps;
	}
}

static class Tests
{
	static void Main (string[] args)
	{
		for (int test = 1; test <= 100; test++) {
			Code.Steps (test);
			Hook.AfterTest ("t" + test, args.Length > 0 ? args[0] : null);
		}
	}
}
