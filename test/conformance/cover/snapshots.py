#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Snapshots of a running program: each has what ran since it was reset, on every runtime and in both modes.

  snapshots.py --build DIR [--runtimes mono,clr8,...]
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import harness  # noqa: E402
import mcov  # noqa: E402


class Program:
    """It answers each line with a line."""

    def __init__(self, suite, runtime, mode):
        self.suite, self.out = suite, suite.work / ("%s-%s-now.mcov" % (runtime.name, mode))
        self.file = suite.work / ("%s-%s.mcov" % (runtime.name, mode))
        desc = "cover:mode=%s,output=%s" % (mode, self.file)
        command = runtime.command(suite.build.path / "test/conformance/cover/steps.exe")
        self.process = subprocess.Popen(command, env=harness.profile_environment(suite.build, runtime, [desc]),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def snapshot(self, what, *options):
        """How often the two methods ran."""
        outcome = harness.run([self.suite.build.path / "monocle", "snapshot", str(what), "-o", self.out, *options],
                              harness.bare_environment())
        if outcome.code or outcome.err:
            return str(outcome)
        hits = {method.name.split()[0]: method.points[0].hits for method in mcov.File(self.out).methods}
        return hits.get("First", 0), hits.get("Second", 0)

    def end(self):
        self.process.communicate()


def check(suite, runtime, mode):
    program = Program(suite, runtime, mode)
    pid = program.process.pid
    # On Mono the counters are Mono's, which count in either mode.
    often = 100 if mode == "count" or runtime.kind == "mono" else 1
    program.say("first")
    steps = [("a process by its number", program.snapshot(pid), (often, 0)),
             ("its file", program.snapshot(program.file), (often, 0)),
             ("the one that resets", program.snapshot(pid, "--reset"), (often, 0))]
    program.say("second")
    steps.append(("the one after that", program.snapshot(pid, "--reset"), (0, often)))
    program.say("first")
    program.say("first")
    steps.append(("what ran twice", program.snapshot(pid), (often * 2 if often > 1 else 1, 0)))
    program.end()
    steps.append(("a process that has ended", program.snapshot(program.file), (often * 2 if often > 1 else 1, 0)))
    for what, seen, wanted in steps:
        suite.check(seen == wanted, "%s, mode=%s: %s" % (runtime, mode, what), seen)


def main():
    suite = harness.Suite("snapshots", __doc__.split("\n")[0])
    suite.parser.add_argument("--runtimes")
    options = suite.parse("mono," + harness.TO_10)
    if not (suite.build.path / "test/conformance/cover/steps.exe").exists():
        suite.skip("all of it", "the program is not compiled (mcs)")
        return suite.finish()
    for runtime in suite.runtimes():
        for mode in ("hit", "count"):
            check(suite, runtime, mode)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
