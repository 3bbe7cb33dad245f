#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bodies that take time: what `calls` costs methods that stay in a loop and return what no register keeps.

Each kernel (test/engine/programs/kernels) is timed by the CPU clock of its thread, bare and under `calls` in turn, in
one process after the other. A time is the median call of the best process; a ratio is the median over the pairs of
neighbours, since the machine's clock may rise and fall meanwhile.
"""
import collections
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "engine"))
import configurations  # noqa: E402
from configurations import harness  # noqa: E402

BOUND = 1.02


class Bench(configurations.EngineSuite):
    def measure(self, runtime, modules, rounds, exe, times):
        """Adds one process: the median nanoseconds of each kernel."""
        output = self.work / "kernels.pb.gz"
        env = harness.bare_environment()
        if modules:
            env = harness.profile_environment(self.build, runtime, [m + ":output=%s" % output for m in modules])
        seen = harness.run(runtime.prefix + [exe, "time", str(rounds)], env, cwd=self.work, timeout=600)
        output.unlink(missing_ok=True)
        if not self.check(seen.code == 0, "%s %s runs" % (runtime, modules or "bare"), seen):
            return
        for line in seen.out.splitlines():
            name, _, median = line.split("\t")
            times.setdefault((runtime.name, name, bool(modules)), []).append(int(median))

    def table(self, runtimes, times):
        names = list(collections.OrderedDict.fromkeys(name for _, name, _ in times))
        print("us a call, bare and under calls; what calls makes of it, %d pairs" % len(next(iter(times.values()))))
        print("%-18s" % "" + "".join("%30s" % r for r in runtimes))
        for name in names:
            cells = []
            for runtime in runtimes:
                bare, ours = times[runtime.name, name, False], times[runtime.name, name, True]
                ratio = statistics.median(o / b for o, b in zip(ours, bare))
                cells.append("%9.1f %9.1f %8.3f%s" % (min(bare) / 1000, min(ours) / 1000, ratio,
                                                      " !" if ratio > BOUND else "  "))
            print(("%-18s" % name + " ".join(cells)).rstrip())


def main():
    suite = Bench("bench-kernels", __doc__)
    suite.parser.add_argument("--runtimes", default=harness.NET)
    suite.parser.add_argument("--calls", type=int, default=200, help="timed calls of each kernel in a process")
    suite.parser.add_argument("--processes", type=int, default=5)
    suite.parser.add_argument("--smoke", action="store_true", help="one short process: does everything run?")
    options = suite.parse()
    if options.smoke:
        options.calls, options.processes, options.runtimes = 1, 1, "clr10"
    folder = suite.programs()
    runtimes = suite.runtimes(options.runtimes.split(",")) if folder else []
    times = {}
    for _ in range(options.processes):
        for runtime in runtimes:
            for modules in ([], ["calls"]):
                suite.measure(runtime, modules, options.calls, folder / "kernels.dll", times)
    if times and not suite.failed:
        suite.table(runtimes, times)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
