#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a sample costs, with a handler that does nothing and with the module `sample`: CPU time of the whole process,
samples on against off.

Busy threads do the same work with and without samples in turn, inside one process; a figure is the mean of the pairs' ratios
without their outer tenths, with its 95 % interval (bootstrap). Mono's own sampler stands beside, by the same module
file. Then: how long a collection takes while threads are sampled, and what exceptions cost once they are announced.

  sampling.py --build DIR [--pairs N] [--threads N] [--runtimes clr10,mono] [--smoke]
"""
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

PROCESS = 1
RATES = [100, 1000, 10000]


def trimmed(values):
    cut = len(values) // 10
    kept = sorted(values)[cut:len(values) - cut or None]
    return statistics.fmean(kept)


def interval(values, rounds=2000):
    chance = random.Random(1)
    means = sorted(trimmed([chance.choice(values) for _ in values]) for _ in range(rounds))
    return means[int(rounds * 0.025)], means[int(rounds * 0.975)]


class Bench(harness.Suite):
    def start(self, runtime, words, module=True, engine="", handler="empty"):
        exe = self.build.path / "test/conformance/sampling/sampling.exe"
        library = str(self.build.module("hits"))
        settings = {"MONOCLE_SAMPLER": engine} if engine else {}
        env = harness.bare_environment(settings)
        if module:
            # The first module chooses when samples are taken; the second one takes them as well.
            modules = {"sample": ["hits:/dev/null,empty", "sample:output=%s" % (self.work / "bench.pb.gz")]}
            modules = modules.get(handler, ["hits:/dev/null,%s" % handler])
            env = harness.profile_environment(self.build, runtime, modules, settings)
        prefix = ["mono"] if runtime.kind == "mono" else runtime.prefix
        seen = harness.run(prefix + [str(exe), words[0], library] + [str(w) for w in words[1:]], env, timeout=1200)
        self.check(seen.code == 5, "%s: %s runs" % (runtime, " ".join(str(w) for w in words)), seen)
        return [line.split("\t")[1:] for line in seen.out.splitlines() if "\t" in line]

    def overhead(self, runtime, engine, work, frequency, handler="empty"):
        options = self.options
        rows = self.start(runtime, ["pairs", PROCESS, frequency, work, options.pairs, options.milliseconds,
                                    options.threads],
                          engine=engine, handler=handler)
        if not rows:
            return
        ratios = [100 * (int(on) / int(off) - 1) for off, on in rows]
        low, high = interval(ratios)
        print("%-6s %-6s %-9s %-6s %6d Hz  %+6.2f %%  [%+.2f, %+.2f]  %d pairs" % (
            runtime, engine or "-", work, handler, frequency, trimmed(ratios), low, high, len(ratios)))
        sys.stdout.flush()

    def pauses(self, runtime, frequency):
        rows = self.start(runtime, ["pauses", PROCESS, frequency, 2 if self.options.smoke else 40])
        for on in "0", "1":
            took = sorted(int(ns) / 1000 for which, ns in rows if which == on)
            if took:
                print("%-6s a collection, %-18s median %7.0f us  p90 %7.0f  p99 %7.0f  (%d)" % (
                    runtime, "%d Hz" % frequency if on == "1" else "no samples", statistics.median(took),
                    took[len(took) * 9 // 10], took[len(took) * 99 // 100], len(took)))

    def exceptions(self, runtime):
        costs = {}
        for label, module in ("bare", False), ("announced", True):
            rows = self.start(runtime, ["price", 100 if self.options.smoke else 20000], module=module)
            costs[label] = statistics.median(int(ns) / int(count) for count, ns in rows) if rows else 0
        print("%-6s throw and catch: %.0f ns bare, %.0f ns announced" % (runtime, costs["bare"], costs["announced"]))


def main():
    suite = Bench("bench-sampling", __doc__)
    suite.parser.add_argument("--pairs", type=int, default=60)
    suite.parser.add_argument("--milliseconds", type=int, default=200, help="of CPU time, all threads together")
    suite.parser.add_argument("--threads", type=int, default=2, help="that are busy")
    suite.parser.add_argument("--runtimes", default="clr10,mono")
    suite.parser.add_argument("--engines", default="perf,timer,paced")
    suite.parser.add_argument("--smoke", action="store_true")
    options = suite.parse()
    if not (suite.build.path / "test/conformance/sampling/sampling.exe").exists():
        suite.skip("sampling", "not compiled: mcs was absent", "mono")
        return suite.finish()
    if options.smoke:
        options.pairs, options.milliseconds, options.engines, RATES[:] = 2, 20, "perf", [1000]
    for runtime in suite.runtimes(options.runtimes.split(",")):
        is_clr = runtime.kind == "coreclr"
        for engine in options.engines.split(",") if is_clr else [""]:
            for work in ("compute", "allocate") if engine in ("perf", "") else ("compute",):
                for frequency in RATES if engine != "timer" else RATES[:1]:
                    for handler in "empty", "sample":
                        suite.overhead(runtime, engine, work, frequency, handler)
        if is_clr:
            for frequency in RATES[1:]:
                suite.pauses(runtime, frequency)
            suite.exceptions(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
