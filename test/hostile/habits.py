#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modules with bad habits: the program does what it does alone, and what is counted beside the habits is exact.

The first tier has all habits in one process. With --full each has its own, and runtimes take turns; --every tries each
on all of them.
"""
import pathlib
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402
import rows  # noqa: E402
from outputs import stable  # noqa: E402

PROGRAM, CODE = "Mixture", 5
THROWS, ENTERS = rows.LIVED, rows.LIVED + 1000

# Each habit of stubborn.c: how often it was followed at least, and on which kinds of runtimes.
HABITS = {
    "none": (0, rows.BOTH),
    "slow": (5, rows.BOTH),
    "inside": (THROWS + 1, rows.BOTH),
    "outside": (100, rows.BOTH),
    "handles": (1000, rows.BOTH),
    "sample": (0, rows.BOTH),
    "collect": (1, rows.CLR),
    "null": (0, rows.BOTH),
    "exit": (0, rows.BOTH),
}


class Habits(harness.Suite):
    def command(self, host):
        return host.command(self.build.path / "test/hostile/programs/torture.exe") + ["1", PROGRAM]

    def under(self, what, host, modules, says=0):
        """Runs the program under `modules`; `says` lines of ours are in order."""
        bare = self.bare(self.command(host))
        seen = harness.run(self.command(host), harness.profile_environment(self.build, host, modules), cwd=self.work)
        same = (seen.code, seen.out, stable(seen.err, False)) == (bare.code, bare.out, stable(bare.err, False))
        self.check(same and bare.code == CODE and not seen.timeout, what + ": the program does what it does alone",
                   seen)
        ours = [line for line in seen.err.splitlines() if line.startswith("monocle:")]
        self.check(len(ours) == says, "%s: %d lines of ours" % (what, says), seen.err)

    def numbers(self, path):
        return [int(word) for word in path.read_text().split()] if path.exists() else []

    def habits(self, host, names):
        what = "%s module that is stubborn: %s" % (host, ", ".join(names))
        file = self.work / ("%s-%s" % (host, "-".join(names)))
        self.under(what, host, ["stubborn:%s,%s" % ("+".join(names), file)])
        numbers = self.numbers(file)
        self.check(numbers[:2] == [THROWS, ENTERS], what + ": what another handle counts is exact", numbers)
        self.check(len(numbers) == 2 + len(names), what + ": it has all habits", numbers)
        for name, number in zip(names, numbers[2:]):
            self.check(number >= HABITS[name][0], "%s: %s was followed" % (what, name), number)

    def forty(self, host, more=(), says=0):
        """Forty different modules at once."""
        what = "%s forty modules" % host
        folder = self.work / ("forty-%s" % host)
        folder.mkdir()
        names = ["many%d" % number for number in range(40)]
        self.under(what, host, ["%s:%s" % (name, folder / name) for name in names] + list(more), says)
        counts = [self.numbers(folder / name) for name in names]
        self.check(counts == [[THROWS]] * 40, what + ": each counts exactly", counts)

    def often(self, host, is_long=False):
        """Named two hundred times: CoreCLR's host starts it once, as Mono documents; Mono starts it each time."""
        what = "%s one module, two hundred times" % host
        file = self.work / ("often-%s" % host)
        times = 200 if host.kind == "mono" else 1
        modules = ["stubborn:none,%s" % file] * 200
        if is_long:
            modules[0] += "," + "x" * 100000
            self.forty(host, modules, says=200 - times)
        else:
            self.under(what, host, modules, says=200 - times)
        numbers = self.numbers(file)
        self.check(numbers == [THROWS * times, ENTERS * times, 0], what + ": started %d times" % times, numbers)

    def long(self, host):
        what = "%s a desc of 100 KB" % host
        file = self.work / ("long-%s" % host)
        self.under(what, host, ["stubborn:none,%s,%s" % (file, "x" * 100000)])
        self.check(self.numbers(file) == [THROWS, ENTERS, 0], what + ": counts exactly", self.numbers(file))


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    suite = Habits("habits", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--every", action="store_true", help="every habit on every runtime")
    options = suite.parse(full="clr10,clr8,mono,clr9,clr11")
    if not (suite.build.path / "test/hostile/programs/torture.exe").exists() or not suite.build.module("stubborn"):
        suite.skip("modules", "not compiled: mcs or Mono's headers were absent", "mono")
        return suite.finish()
    hosts = suite.runtimes()
    if not options.full and not options.every:
        for host in hosts:
            suite.habits(host, [name for name, (least, kinds) in HABITS.items() if host.kind in kinds])
            suite.often(host, is_long=True)
        return suite.finish()
    tries = [(lambda host, name=name: suite.habits(host, [name]), kinds) for name, (least, kinds) in HABITS.items()]
    tries += [(suite.forty, rows.BOTH), (suite.often, rows.BOTH), (suite.long, rows.BOTH)]
    for number, (attempt, kinds) in enumerate(tries):
        fitting = [host for host in hosts if host.kind in kinds]
        # Two of the four runtimes take turns.
        taken = fitting if options.every else (fitting[number % max(len(fitting), 1):] + fitting)[:2]
        for host in dict.fromkeys(taken):
            attempt(host)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
