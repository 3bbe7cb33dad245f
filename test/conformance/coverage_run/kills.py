#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program is killed (-9) at random moments: what its own journal says that ran is in the coverage file.

  kills.py --build DIR [--runtime mono|clr8|...] [--times N]

The program calls one small method after the other, again and again, and after each call writes the method's number and
the time to its journal (write(2), so that it outlives the program). On CoreCLR all that the journal has must be in the
file; on Mono, whose counters are read once a second, what is older than that.
"""
import collections
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent.parent / "command")]
import cover_file
import harness

METHODS = 2000
ROW = struct.Struct("<iq")
SOURCE = """
using System;
using System.Diagnostics;
using System.IO;
using System.Threading;

static class Journal
{
	static int n;
%(methods)s
	static void Call (int i)
	{
		switch (i) {
%(cases)s
		}
	}

	static void Write (Stream journal, int number, long when)
	{
		byte[] row = new byte[12];
		Buffer.BlockCopy (BitConverter.GetBytes (number), 0, row, 0, 4);
		Buffer.BlockCopy (BitConverter.GetBytes (when), 0, row, 4, 8);
		journal.Write (row, 0, row.Length);
		journal.Flush ();
	}

	static void Main (string[] args)
	{
		var journal = new FileStream (args[0], FileMode.Create, FileAccess.Write, FileShare.ReadWrite, 1);
		int calls = int.Parse (args[1]);
		Write (journal, -1, Process.GetCurrentProcess ().Id);
		while (true) {
			for (int i = 0; i < %(count)d; i++) {
				Call (i);
				Write (journal, i, (DateTime.UtcNow.Ticks - 621355968000000000) / 10000);
				if (i %% calls == 0)
					Thread.Sleep (2);
			}
		}
	}
}
"""


class Kills(harness.Suite):
    def __init__(self):
        super().__init__("cover-kills", __doc__.split("\n", 1)[0])
        self.parser.add_argument("--runtime", default="clr10")
        self.parser.add_argument("--times", type=int)

    def compile(self):
        text = SOURCE % {"count": METHODS,
                         "methods": "\n".join("\tstatic void M%d () { n++; }" % i for i in range(METHODS)),
                         "cases": "\n".join("\t\tcase %d: M%d (); break;" % (i, i) for i in range(METHODS))}
        (self.work / "journal.cs").write_text(text)
        made = harness.run(["mcs", "-debug", "-out:journal.exe", "journal.cs"], harness.bare_environment(), self.work)
        shutil.copy(HERE.parent / "programs/runtimeconfig.json", self.work / "journal.runtimeconfig.json")
        return self.check(made.code == 0, "the program compiles", made)

    def rows(self):
        data = (self.work / "journal").read_bytes() if (self.work / "journal").exists() else b""
        return [ROW.unpack_from(data, at) for at in range(0, len(data) - ROW.size + 1, ROW.size)]

    def begin(self, runtime, mode):
        """The process of `monocle run`, once the program runs, and the program's number."""
        for name in ("journal", "out.mcov"):
            (self.work / name).unlink(missing_ok=True)
        command = [self.build.monocle, "run", "--profile=cover:mode=" + mode, "-o", "out.mcov", "--",
                   *runtime.command("journal.exe"), "journal", "1" if runtime.kind == "mono" else "4"]
        run = subprocess.Popen([str(word) for word in command], cwd=self.work, stderr=subprocess.PIPE, text=True,
                               env=harness.bare_environment({"TMPDIR": str(self.work)}))
        deadline = time.monotonic() + 60
        while len(self.rows()) < 2 and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        rows = self.rows()
        return run, rows[0][1] if len(rows) > 1 else None

    @staticmethod
    def ran(hits):
        found = collections.Counter()
        for (_, name, line, _), hit in hits.items():
            match = re.match(r"M(\d+) \(", name)
            if match and line is not None:
                found[int(match[1])] = max(found[int(match[1])], hit)
        return found

    def once(self, runtime, mode, seconds):
        """The age, in milliseconds, of the youngest row before which nothing is lost; None after a failure."""
        what = "%s, mode=%s, killed after %.3f s" % (runtime, mode, seconds)
        run, pid = self.begin(runtime, mode)
        if not self.check(pid, what + ": the program runs", run.poll()):
            run.kill()
            return None
        time.sleep(seconds)
        now = time.time() * 1000
        os.kill(pid, signal.SIGKILL)
        said = run.communicate(timeout=60)[1]
        if not self.check(run.returncode == 128 + signal.SIGKILL and (self.work / "out.mcov").exists(),
                          what + ": there is a file", said):
            return None
        return self.judge(runtime, what, mode, now, said)

    def judge(self, runtime, what, mode, now, said):
        found = self.ran(cover_file.load(self.work / "out.mcov")[1])
        rows = self.rows()[1:]
        journal, lost = collections.Counter(), []
        for number, when in rows:
            journal[number] += 1
            if (journal[number] if mode == "count" else 1) > found[number]:
                lost.append(now - when)
        oldest = max(lost, default=0)
        # Mono is asked once a second, if the machine is not too busy then.
        if runtime.kind != "mono" or self.options.full:
            self.check(oldest <= (1500 if runtime.kind == "mono" else 0), what + ": nothing is lost",
                       "%d of %d, the oldest of %d ms\n%s" % (len(lost), len(rows), oldest, said))
        last = rows[-1][0] if rows else 0
        more = [i for i in found if mode == "count" and found[i] > journal[i] + (i == (last + 1) % METHODS)]
        self.check(not more, "%s: nothing is too much" % what, more)
        return oldest

    def main(self):
        options = self.parse()
        for runtime in self.runtimes([options.runtime]):
            if not shutil.which("mcs"):
                self.skip(str(runtime), "mcs is not installed", "mono")
                continue
            if not self.compile():
                continue
            chance = harness.chance(1)
            ages = []
            for turn in range(options.times or (10 if options.full else 4)):
                is_asked = runtime.kind == "mono" and options.full  # once a second
                seconds = chance.uniform(1, 3.5) if is_asked else chance.uniform(0, 1.2)
                ages.append(self.once(runtime, "count" if turn % 2 else "hit", seconds))
            print("%s: killed %d times; the oldest that was lost was %d ms old"
                  % (runtime, len(ages), max(age or 0 for age in ages)))
        return self.finish()


if __name__ == "__main__":
    sys.exit(Kills().main())
