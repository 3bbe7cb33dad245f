#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a sample costs, with a handler that does nothing and with the module `sample`: CPU time of the whole process,
samples on against off.

Busy threads do the same work with and without samples in turn, inside one process; processes with the one handler and
with the other take turns. A figure is the mean of the pairs' ratios without their outer tenths, with its 95 % interval
(bootstrap); so is the difference between the handlers (*more*). The *kernel* alone takes its turn as well: a program in
C with an empty handler (samples_floor.c). Mono's own sampler stands beside, by the same module file. Then: how long a
collection takes while threads are sampled, and what exceptions cost once they are announced.

  sampling.py --build DIR [--rounds N] [--pairs N] [--threads N] [--rates N,N] [--runtimes clr10,mono] [--smoke]
"""
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

PROCESS = 1
HANDLERS = "empty", "sample"


def trimmed(values):
    cut = len(values) // 10
    kept = sorted(values)[cut:len(values) - cut or None]
    return statistics.fmean(kept)


def resampled(values, rounds=2000, seed=1):
    chance = random.Random(seed)
    return [trimmed(chance.choices(values, k=len(values))) for _ in range(rounds)]


def middle(values):
    """What holds 95 % of them."""
    values = sorted(values)
    return values[int(len(values) * 0.025)], values[int(len(values) * 0.975)]


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

    def kernel(self, frequency):
        options = self.options
        seen = harness.run([str(self.build.path / "test/bench/samples-floor")] + [
            frequency, options.pairs, options.milliseconds, options.threads], harness.bare_environment(), timeout=1200)
        return [line.split("\t")[1:] for line in seen.out.splitlines()]

    def ratios(self, runtime, engine, work, frequency, handler):
        options = self.options
        numbers = options.pairs, options.milliseconds, options.threads
        rows = self.kernel(frequency) if handler == "kernel" else self.start(
            runtime, ["pairs", PROCESS, frequency, work, *numbers], engine=engine, handler=handler)
        return [100 * (int(on) / int(off) - 1) for off, on in rows]

    def overhead(self, runtime, engine, work, frequency):
        handlers = HANDLERS + (("kernel",) if (engine, work) == ("perf", "compute") else ())
        costs = {handler: [] for handler in handlers}
        for _ in range(self.options.rounds):
            for handler in handlers:
                costs[handler] += self.ratios(runtime, engine, work, frequency, handler)
        means = {handler: resampled(costs[handler], seed=seed) for seed, handler in enumerate(handlers) if
                 costs[handler]}
        found = [(handler, trimmed(costs[handler]), middle(means[handler])) for handler in means]
        if means.keys() >= set(HANDLERS):
            empty, sample = HANDLERS
            found.append(("more", trimmed(costs[sample]) - trimmed(costs[empty]),
                          middle([b - a for a, b in zip(means[empty], means[sample])])))
        for what, mean, (low, high) in found:
            print("%-6s %-6s %-9s %-6s %6d Hz  %+6.2f %%  [%+.2f, %+.2f]" % (
                "-" if what == "kernel" else runtime, engine or "-", work, what, frequency, mean, low, high))
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
    suite.parser.add_argument("--rounds", type=int, default=3, help="processes of each kind")
    suite.parser.add_argument("--pairs", type=int, default=30, help="in a process")
    suite.parser.add_argument("--milliseconds", type=int, default=300, help="of CPU time, all threads together")
    suite.parser.add_argument("--rates", default="100,1000,10000")
    suite.parser.add_argument("--works", default="compute,allocate")
    suite.parser.add_argument("--threads", type=int, default=2, help="that are busy")
    suite.parser.add_argument("--runtimes", default="clr10,mono")
    suite.parser.add_argument("--engines", default="perf,timer,paced")
    suite.parser.add_argument("--smoke", action="store_true")
    options = suite.parse()
    if not (suite.build.path / "test/conformance/sampling/sampling.exe").exists():
        suite.skip("sampling", "not compiled: mcs was absent", "mono")
        return suite.finish()
    if options.smoke:
        options.rounds, options.pairs, options.milliseconds = 1, 2, 20
        options.engines, options.rates = "perf", "1000"
    rates = [int(rate) for rate in options.rates.split(",")]
    for runtime in suite.runtimes(options.runtimes.split(",")):
        is_clr = runtime.kind == "coreclr"
        for engine in options.engines.split(",") if is_clr else [""]:
            for work in options.works.split(",") if engine in ("perf", "") else ("compute",):
                for frequency in rates if engine != "timer" else rates[:1]:
                    suite.overhead(runtime, engine, work, frequency)
        if is_clr:
            for frequency in rates[1:]:
                suite.pauses(runtime, frequency)
            suite.exceptions(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
