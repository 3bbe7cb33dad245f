#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a module that listens to nothing costs a program that collects, or compiles, all the time.

The ways take turns in pairs, each first as often as last: no module against no module, which is the noise; an idle
module, which sets no callback; a module whose call filter wants no method; Mono that stands by. Given are the medians
of the pairs' ratios, of elapsed and of CPU time, each with an interval that holds the median with 95 % likelihood.

  idle.py --build DIR [--pairs N] [--runtimes mono,clr10] [--ways WORD] [--longer N]
"""
import os
import pathlib
import resource
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

PROGRAMS = [("collecting", "gc", 2000), ("compiling", "jit", 4000)]
WAYS = [("no module", None), ("an idle module", "empty:"), ("a filter that wants nothing", "empty:nothing"),
        ("standing by", "monocle:standby")]  # this one on Mono


def interval(values):
    """Order statistics around the median: between them lies the true one in 95 of 100 cases."""
    values = sorted(values)
    aside = int(len(values) / 2 - 0.98 * len(values) ** 0.5)
    return values[max(0, aside)], values[min(len(values) - 1, len(values) - 1 - aside)]


class Idle(harness.Suite):
    def seconds(self, command, env):
        """Elapsed and CPU seconds."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        seen = harness.run(command, env, cwd=self.work, timeout=120)
        elapsed, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        self.outputs.add((seen.code, seen.out))
        return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def pairs(self, command, bare, env):
        """Ratios of elapsed and of CPU time, and the medians without a module."""
        rows = []
        for number in range(self.options.pairs):
            first = number % 2 == 0
            a = self.seconds(command, bare if first else env)
            b = self.seconds(command, env if first else bare)
            rows.append((a, b) if first else (b, a))
        ratios = [[with_it[i] / without[i] for without, with_it in rows] for i in (0, 1)]
        return ratios, [statistics.median(without[i] for without, _ in rows) for i in (0, 1)]

    def program(self, runtime, name, what, rounds):
        command = (["mono"] if runtime.kind == "mono" else runtime.prefix) + [
            self.build.path / "test/bench/heavy.exe", what, str(rounds)]
        bare = harness.bare_environment()
        self.outputs = set()
        for way, module in WAYS:
            is_wanted = self.options.ways in way and (runtime.kind == "mono" or module != "monocle:standby")
            if not is_wanted:
                continue
            env = harness.profile_environment(self.build, runtime, [module]) if module else bare
            ratios, base = self.pairs(command, bare, env)
            cells = ["%.3f (%.3f .. %.3f)" % (statistics.median(r), *interval(r)) for r in ratios]
            within = all(low <= 1.0 or statistics.median(r) <= 1.01 for r in ratios for low in [interval(r)[0]])
            print("%-6s %-11s %-28s %5.2f s x %-24s CPU %5.2f s x %s%s" %
                  (runtime, name, way, base[0], cells[0], base[1], cells[1], "" if within else " !"))
            sys.stdout.flush()
        self.check(len(self.outputs) == 1, "%s, %s: the same output every time" % (runtime, name), self.outputs)


def main():
    suite = Idle("idle", __doc__)
    suite.parser.add_argument("--runtimes", default="mono,clr10")
    suite.parser.add_argument("--pairs", type=int, default=20)
    suite.parser.add_argument("--smoke", action="store_true", help="one short pair: does everything run?")
    suite.parser.add_argument("--ways", default="", help="those with this in their names")
    suite.parser.add_argument("--longer", type=int, default=1, help="programs run so many times as long")
    options = suite.parse()
    if options.smoke:
        options.pairs = 2
    if not (suite.build.path / "test/bench/heavy.exe").exists():
        suite.skip("heavy.exe", "not compiled: mcs was absent")
        return suite.finish()
    print("%d pairs, load %.1f" % (options.pairs, os.getloadavg()[0]))
    for runtime in suite.runtimes(options.runtimes.split(",")):
        for name, what, rounds in PROGRAMS:
            suite.program(runtime, name, what, rounds // 20 if options.smoke else rounds * options.longer)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
