#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Coverage test by test: each of a hundred tests has a file of what it ran, and together they are the whole.

  pertest.py --build DIR [--runtimes mono,clr8,...]

A hook after each test asks for a snapshot, by a file in a folder that `monocle run --snapshots` watches, or by starting
`monocle snapshot`.
"""
import collections
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent.parent / "command")]
import cover_file
import harness

TESTS = 100


def steps(n):
    """What Code.Steps (n) does: how often Half, and how often with an even and an odd number."""
    even = odd = 0
    while n != 1:
        even, odd, n = (even + 1, odd, n // 2) if n % 2 == 0 else (even, odd + 1, 3 * n + 1)
    return {"return n / 2;": even, "return 3 * n + 1;": odd, "if (n % 2 == 0)": even + odd, "steps++;": even + odd,
            "int steps = 0;": 1, "return steps;": 1}


class PerTest(harness.Suite):
    def __init__(self):
        super().__init__("cover-pertest", __doc__.split("\n", 1)[0])
        self.parser.add_argument("--runtimes", default=harness.FIRST)

    def compile(self):
        shutil.copy(HERE / "PerTest.cs", self.work)
        made = harness.run(["mcs", "-debug", "-out:PerTest.exe", "PerTest.cs"], harness.bare_environment(), self.work)
        shutil.copy(HERE.parent / "programs/runtimeconfig.json", self.work / "PerTest.runtimeconfig.json")
        return self.check(made.code == 0, "the program compiles", made)

    def lines(self, path):
        """Line of Code, by its text -> how often it ran. Only what a test runs: the hook waits as long as it takes."""
        found = collections.Counter()
        text = (HERE / "PerTest.cs").read_text().splitlines()
        for (type_name, _, line, _), hits in cover_file.load(path)[1].items():
            if type_name == "Code" and line is not None:
                key = text[line - 1].strip() if text[line - 1].strip() not in ("{", "}") else line
                found[key] = max(found[key], hits)
        return found

    def cover(self, runtime, folder, mode, *options, arguments=()):
        folder.mkdir()
        command = [self.build.monocle, "run", "-q", "--profile=cover:mode=" + mode, "-o", "all.mcov", *options, "--",
                   *runtime.command(self.work / "PerTest.exe"), *arguments]
        seen = harness.run(command, harness.bare_environment({"TMPDIR": str(self.work)}), folder)
        self.check((seen.code, seen.out, seen.err) == (0, "", ""), "%s: %s runs" % (runtime, folder.name), seen)

    def judge(self, what, folder, mode, all_lines):
        sums = collections.Counter()
        for test in range(1, TESTS + 1):
            path = folder / ("t%d.mcov" % test)
            if not self.check(path.exists(), "%s: test %d has a file" % (what, test)):
                return
            lines, expected = self.lines(path), steps(test)
            if mode == "hit":
                expected = {line: min(count, 1) for line, count in expected.items()}
            wrong = {line: (lines[line], count) for line, count in expected.items() if lines[line] != count}
            self.check(not wrong, "%s: test %d has what it ran" % (what, test), wrong)
            sums.update(lines)
        self.check(+sums == +all_lines, "%s: the tests add up to the whole" % what, "%s\n%s" % (sums, all_lines))

    def compare(self, runtime, mode):
        """Snapshots against a run without."""
        whole, parts = (self.work / ("%s-%s-%s" % (runtime, mode, name)) for name in ("whole", "parts"))
        self.cover(runtime, whole, mode)
        self.cover(runtime, parts, mode, "--snapshots=tests")
        expected = self.lines(whole / "all.mcov")
        what = "%s, mode=%s" % (runtime, mode)
        if mode == "hit":
            expected = collections.Counter()
            for test in range(1, TESTS + 1):
                expected.update(self.lines(parts / "tests" / ("t%d.mcov" % test)))
        self.judge(what, parts / "tests", mode, expected)
        together = self.lines(parts / "all.mcov")
        whole_lines = self.lines(whole / "all.mcov")
        if mode == "hit":
            together, whole_lines = set(+together), set(+whole_lines)
        self.check(together == whole_lines, what + ": the run's file is the whole all the same",
                   "%s\n%s" % (together, whole_lines))
        self.check(cover_file.load(parts / "all.mcov")[0]["processes"] == 1, what + ": it is one process")
        self.check(not list((parts / "tests").glob("*.want*")) and not list((parts / "tests").glob("*.part*")),
                   what + ": nothing is left", list((parts / "tests").iterdir()))

    def command(self, runtime):
        """The same by starting `monocle snapshot`: the rest must be merged by hand."""
        parts = self.work / ("%s-command" % runtime)
        self.cover(runtime, parts, "count", arguments=[self.build.monocle])
        rest = self.lines(parts / "all.mcov")
        self.check(not +rest, "%s: after the last snapshot nothing is left" % runtime, rest)
        self.judge("%s, monocle snapshot" % runtime, parts, "count",
                   self.lines(self.work / ("%s-count-whole" % runtime) / "all.mcov"))
        merged = harness.run([self.build.monocle, "merge", parts, "-o", self.work / "merged.mcov"],
                             harness.bare_environment(), self.work)
        self.check(merged.code == 0 and self.lines(self.work / "merged.mcov") ==
                   self.lines(self.work / ("%s-count-whole" % runtime) / "all.mcov"),
                   "%s: monocle merge makes the whole" % runtime, merged)

    def main(self):
        options = self.parse()
        if not shutil.which("mcs"):
            self.skip("all of it", "mcs is not installed", "mono")
            return self.finish()
        if self.compile():
            for runtime in self.runtimes(options.runtimes.split(",")):
                self.compare(runtime, "count")
                self.command(runtime)
                if runtime.kind == "coreclr":  # Mono's own counters cannot be set back
                    self.compare(runtime, "hit")
        return self.finish()


if __name__ == "__main__":
    sys.exit(PerTest().main())
