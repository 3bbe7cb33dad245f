#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle stack: threads that wait in known methods (blocked.cs) are found there, each of them, at the right line, and
with what they wait for.

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

KINDS = {"TakesLock": "waiting for a lock", "Sleeps": "sleeping", "WaitsForEvent": "waiting for an event",
         "WaitsForPulse": "waiting for a pulse", "WaitsForTask": "waiting for a task"}
ALONE = {"Reads": "reading", "Computes": "running"}


def state_of(runtime, kind):
    """A thread that waits for a lock has no frame of the framework on .NET 8 and 9."""
    return "waiting" if kind == "TakesLock" and str(runtime) in ("clr8", "clr9") else KINDS[kind]


def threads_of(block):
    return int((re.search(r", (\d+) threads", block[0]) or [0, "1"])[1])


def marked_lines():
    lines = (HERE / "blocked.cs").read_text().splitlines()
    return {match.group(1): number for number, line in enumerate(lines, 1)
            for match in [re.search(r"// at (\w+)$", line)] if match}


class Stacks(harness.Suite):
    def stack(self, pid, *arguments):
        self.folders().mkdir(exist_ok=True)
        return harness.run([self.build.monocle, "stack", pid, *arguments],
                           harness.bare_environment({"TMPDIR": str(self.folders())}), cwd=self.work, timeout=60)

    def folders(self):
        """Where the command makes the folder of its run."""
        return self.work / "folders"

    def again_and_again(self, what, pid):
        """Each ends before the runtime has let go, which the next one waits for. Nothing is left at the end."""
        for i in range(5 if self.options.full else 2):
            seen = self.stack(pid, "--thread=Main")
            self.check(seen.code == 0 and '"Main"' in seen.out and not seen.err, "%s: stack %d in a row" % (what, i),
                       seen)
        self.check(harness.wait_for(lambda: not list(self.folders().iterdir())), what + ": no folder is left",
                   list(self.folders().iterdir()))

    def blocks(self, seen):
        """Blocks of text, one for each name and state: '"Sleeps", 40 threads, sleeping' and its frames."""
        return [block.splitlines() for block in seen.out.split("\n\n")[1:]]

    def on_their_way(self, runtime, seen):
        """The blocks of threads that have not come to their place of waiting yet."""
        return [block for block in self.blocks(seen) for kind in KINDS
                if block[0].startswith('"%s"' % kind) and not block[0].endswith(", " + state_of(runtime, kind))]

    def settled(self, good, pid, *arguments):
        """The first stacks in which all threads wait: "ready" is said by a program that cannot know that they do, and
        whose stack was taken has to come back to its wait."""
        return harness.settled(lambda: self.stack(pid, *arguments), good)

    def every_thread(self, runtime, seen, count):
        what, late = str(runtime), self.on_their_way(runtime, seen)
        blocks = self.blocks(seen)
        for kind in KINDS:
            own = [block for block in blocks if block[0].startswith('"%s"' % kind)]
            found = sum(threads_of(block) for block in own)
            place = "Blocked.%s ()  blocked.cs:%d" % (kind, marked_lines()[kind])
            self.check(found == count, "%s: %d threads in %s" % (what, count, kind), (found, seen.out[:2000]))
            self.check(own and all(any(place in line for line in block) for block in own),
                       "%s: %s waits where it does" % (what, kind), (place, own))
        self.check(not late, "%s: all threads do what they do" % what, late)
        plumbing = re.findall(r"WaitSubsystem|Lock\.TryEnter|CallEntryPoint", seen.out)
        self.check(not plumbing, "%s: nobody sees how the runtime waits" % what, (plumbing, seen.out[:4000]))
        for kind, state in ALONE.items():
            own = [block for block in blocks if block[0] == '"%s", %s' % (kind, state)]
            self.check(own and "Blocked.%s ()  blocked.cs:%d" % (kind, marked_lines()[kind]) in "\n".join(own[0]),
                       "%s: who is %s is found" % (what, state), seen.out[:4000])

    def one(self, runtime):
        exe, count = self.build.path / "test/conformance/attach/blocked.exe", self.options.threads // len(KINDS)
        target = subprocess.Popen(runtime.command(exe) + [str(count), "computes"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True, env=environment(self, runtime), cwd=self.work)
        self.check(target.stdout.readline() == "ready\n", "%s: the program is ready" % runtime)
        seen = self.settled(lambda seen: not self.on_their_way(runtime, seen), target.pid)
        self.check(seen.code == 0 and not seen.err, "%s: stack succeeds" % runtime, seen)
        self.check(re.search(r", taken in \d[\d.]* m?s\n", seen.out), "%s: the head says how long it took" % runtime,
                   seen.out[:200])
        self.check("no source lines" not in seen.out, "%s: nobody misses lines" % runtime, seen.out[:200])
        self.every_thread(runtime, seen, count)
        heads = {kind: '%d threads: "%s", %s' % (count, kind, state_of(runtime, kind)) for kind in KINDS}
        again = self.settled(lambda seen: set(heads.values()) <= set(seen.out.splitlines()), target.pid, "--fold")
        for kind, head in heads.items():
            self.check(head in again.out.splitlines(), "%s: equal stacks of %s are folded" % (runtime, kind), again)
        only = self.stack(target.pid, "--thread=Slee*", "--mine")
        self.check("Blocked.Sleeps" in only.out and "TakesLock" not in only.out and "Thread.Sleep" not in only.out,
                   "%s: threads and frames can be chosen" % runtime, only)
        self.again_and_again(str(runtime), target.pid)
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
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--threads", type=int)
    # .NET 8 does not say that a lock is what is waited for, and .NET 11 waits in managed code.
    options = suite.parse("mono,clr8,clr10,clr11")
    options.threads = options.threads or (200 if options.full else 40)
    for runtime in suite.runtimes():
        suite.one(runtime)
    suite.refusals()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
