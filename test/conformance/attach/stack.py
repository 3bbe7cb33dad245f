#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle stack: threads that wait in known methods (blocked.cs) are found there, each of them, at the right line.

  stack.py --build DIR [--runtimes mono,clr8,...] [--threads N]
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
import harness  # noqa: E402
from attach import environment  # noqa: E402

KINDS = ("TakesLock", "Sleeps", "WaitsForEvent", "WaitsForPulse", "WaitsForTask")


def marked_lines():
    lines = (HERE / "blocked.cs").read_text().splitlines()
    return {match.group(1): number for number, line in enumerate(lines, 1)
            for match in [re.search(r"// at (\w+)$", line)] if match}


class Stacks(harness.Suite):
    def stack(self, pid, *arguments):
        return harness.run([self.build.monocle, "stack", pid, *arguments], harness.bare_environment(), cwd=self.work,
                           timeout=60)

    def every_thread(self, what, seen, count):
        """Blocks of text, one for each name: '"Sleeps", 40 threads' and its frames."""
        blocks = [block.splitlines() for block in seen.out.split("\n\n")[1:]]
        for kind in KINDS:
            own = [block for block in blocks if block[0].startswith('"%s"' % kind)]
            found = sum(int((re.search(r", (\d+) threads", block[0]) or [0, "1"])[1]) for block in own)
            place = "Blocked.%s ()  blocked.cs:%d" % (kind, marked_lines()[kind])
            self.check(found == count, "%s: %d threads in %s" % (what, count, kind), (found, seen.out[:2000]))
            self.check(own and all(any(place in line for line in block) for block in own),
                       "%s: %s waits where it does" % (what, kind), (place, own))
        reader = [block for block in blocks if block[0] == '"Reads"']
        self.check(reader and "Blocked.Reads ()  blocked.cs:%d" % marked_lines()["Reads"] in "\n".join(reader[0]),
                   what + ": who reads is found", reader)

    def one(self, runtime):
        exe, count = self.build.path / "test/conformance/attach/blocked.exe", self.options.threads // len(KINDS)
        target = subprocess.Popen(runtime.command(exe) + [str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True, env=environment(self, runtime), cwd=self.work)
        self.check(target.stdout.readline() == "ready\n", "%s: the program is ready" % runtime)
        seen = self.stack(target.pid)
        self.check(seen.code == 0 and not seen.err, "%s: stack succeeds" % runtime, seen)
        self.check(re.search(r", taken in \d[\d.]* m?s\n", seen.out), "%s: the head says how long it took" % runtime,
                   seen.out[:200])
        self.check("no source lines" not in seen.out, "%s: nobody misses lines" % runtime, seen.out[:200])
        self.every_thread(str(runtime), seen, count)
        again = self.stack(target.pid, "--fold")
        for kind in KINDS:  # On a busy machine one of them may not have come to its place of waiting yet.
            found = re.search(r'^(\d+) threads: "%s"$' % kind, again.out, re.M)
            self.check(found and int(found[1]) > count * 0.8, "%s: equal stacks of %s are folded" % (runtime, kind),
                       again)
        only = self.stack(target.pid, "--thread=Slee*", "--mine")
        self.check("Blocked.Sleeps" in only.out and "TakesLock" not in only.out and "Thread.Sleep" not in only.out,
                   "%s: threads and frames can be chosen" % runtime, only)
        out, _ = target.communicate(timeout=60)
        self.check((target.returncode, out) == (3, "unharmed\n"), "%s: the program is unharmed" % runtime,
                   (target.returncode, out))

    def refusals(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        for arguments, words in (([gone.pid], "no process"), (["a", "b"], "one process"), ([], "one process"),
                                 (["no-such-program"], "no-such-program")):
            seen = harness.run([self.build.monocle, "stack", *arguments], harness.bare_environment(), timeout=60)
            self.check(seen.code and words in seen.err and not seen.out, "refused: %s" % arguments, seen)


def main():
    suite = Stacks("stack", __doc__)
    suite.parser.add_argument("--runtimes", default="clr8,clr9,clr10")
    suite.parser.add_argument("--threads", type=int, default=200)
    options = suite.parse()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        suite.one(runtime)
    suite.refusals()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
