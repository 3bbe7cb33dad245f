#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long monocle stack takes: until the text is there, and until the command ends, on a program of 200 threads.

The program is blocked.cs of the conformance tests: its threads wait for locks, events, tasks, and sleep. The runtimes
take turns; given are medians with the quickest and the slowest. The runtime looks every 300 ms whether it can let a
profiler go, and who comes before that waits for it: so there is a pause before each.

  stack.py --build DIR [--rounds N] [--threads N] [--runtimes clr8,...]
"""
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

PAUSE = 0.5  # seconds
KINDS = 5  # of threads that blocked.cs makes


class Stack(harness.Suite):
    def start(self, runtime):
        exe = self.build.path / "test/conformance/attach/blocked.exe"
        target = subprocess.Popen(runtime.command(exe) + [str(self.options.threads // KINDS)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True, cwd=self.work,
                                  env=harness.bare_environment({"TMPDIR": "/tmp"}))
        self.check(target.stdout.readline() == "ready\n", "%s: the program is ready" % runtime)
        return target

    def once(self, runtime, target):
        """Milliseconds until the text, and until the end."""
        time.sleep(PAUSE)
        begun = time.monotonic()
        command = subprocess.Popen([self.build.monocle, "stack", str(target.pid), "--fold"], stdout=subprocess.PIPE,
                                   env=harness.bare_environment(), cwd=self.work)
        text = os.read(command.stdout.fileno(), 1 << 20)
        shown = time.monotonic()
        rest, _ = command.communicate()
        ended = time.monotonic()
        self.check(command.returncode == 0 and b"Blocked.WaitsForPulse" in text + rest, "%s: stacks" % runtime,
                   text + rest)
        return (shown - begun) * 1e3, (ended - begun) * 1e3

    def measure(self, runtimes):
        targets = [(runtime, self.start(runtime), []) for runtime in runtimes]
        for _ in range(self.options.rounds + 1):
            for runtime, target, rows in targets:
                rows.append(self.once(runtime, target))
        for runtime, target, rows in targets:
            cells = ["%4.0f ms (%.0f .. %.0f)" % (statistics.median(c), min(c), max(c)) for c in zip(*rows[1:])]
            print("%-6s first text %s; text %s, end %s" % (runtime, "%4.0f ms" % rows[0][0], *cells))
            target.communicate()


def main():
    suite = Stack("bench-stack", __doc__)
    suite.parser.add_argument("--runtimes", default=harness.NET)
    suite.parser.add_argument("--rounds", type=int, default=15)
    suite.parser.add_argument("--threads", type=int, default=200)
    suite.parse()
    if not (suite.build.path / "test/conformance/attach/blocked.exe").exists():
        suite.skip("blocked.exe", "not compiled: mcs was absent")
        return suite.finish()
    print("%d rounds, %d threads, load %.1f" % (suite.options.rounds, suite.options.threads, os.getloadavg()[0]))
    suite.measure(suite.runtimes(suite.options.runtimes.split(",")))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
