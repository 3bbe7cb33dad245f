#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The call-engine table: what an enter and a leave cost, on CoreCLR and on Mono, by the same module file.

Configurations are run in turn, several rounds, so that a slow minute of the machine hits all of them. A figure is the
median over all repetitions of all rounds, in nanoseconds per call; "pair" is what is above the bare runtime. Ratios are
given of the medians, which count, and of the minima, which a busy machine disturbs less.
"""
import collections
import math
import pathlib
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

LOOPS = ("fib", "inlined leaf", "plain leaf")

# label, runtime, modules, share of the calls (log writes every call to a file).
Configuration = collections.namedtuple("Configuration", "label runtime modules share")
CONFIGURATIONS = [
    Configuration("coreclr bare", "clr10", [], 1),
    Configuration("coreclr bare calli", "clr10", [], 1),
    Configuration("coreclr empty", "clr10", ["empty:loops"], 1),
    Configuration("coreclr contexts", "clr10", ["contexts:loops"], 1),
    Configuration("coreclr contexts, read", "clr10", ["contexts:loops,read"], 1),
    Configuration("coreclr calls", "clr10", ["calls:output=@"], 1),
    Configuration("coreclr calls, threshold", "clr10", ["calls:threshold=1s,output=@"], 1),
    Configuration("coreclr calls, no times", "clr10", ["calls:time=none,output=@"], 1),
    Configuration("mono bare", "mono", [], 1),
    Configuration("mono empty", "mono", ["empty:loops"], 1),
    Configuration("mono contexts", "mono", ["contexts:loops"], 1),
    Configuration("mono contexts, read", "mono", ["contexts:loops,read"], 1),
    Configuration("mono calls", "mono", ["calls:output=@"], 1),
    Configuration("mono calls, threshold", "mono", ["calls:threshold=1s,output=@"], 1),
    Configuration("mono calls, no times", "mono", ["calls:time=none,output=@"], 1),
    Configuration("mono log:calls", "mono", ["log:nodefaults,calls,callspec=loops,calldepth=100,output=@"], 0.02),
]

CALLI = "coreclr bare calli"

# Label, bound, and the two configurations whose pairs are compared.
BOUNDS = [
    ("coreclr empty / bare calli", math.inf, "coreclr empty", CALLI),
    ("coreclr empty / mono empty", 0.5, "coreclr empty", "mono empty"),
    ("contexts: coreclr / mono", 0.3, "coreclr contexts", "mono contexts"),
    ("the same, read", 0.7, "coreclr contexts, read", "mono contexts, read"),
    ("mono calls / mono log:calls", 1 / 8, "mono calls", "mono log:calls"),
    ("coreclr calls / mono calls", 1.0, "coreclr calls", "mono calls"),
]


class Bench(harness.Suite):
    def measure(self, configuration, runtime, calls, repetitions, samples):
        """Adds one round's samples, ns per call by loop; False when the run failed."""
        output = self.work / "bench-output"
        modules = [m.replace("@", str(output)) for m in configuration.modules]
        env = harness.bare_environment()
        if modules:
            env = harness.profile_environment(self.build, runtime, modules)
        program = [self.build.path / "test/bench/loops.exe"]
        if configuration.label == CALLI:
            program = [self.calli, self.build.module("empty")]
        count = max(1000, int(calls * configuration.share))
        # --debug would switch off optimisations of Mono's JIT that the comparison should keep.
        prefix = ["mono"] if runtime.kind == "mono" else runtime.prefix
        seen = harness.run(prefix + program + [str(count), str(repetitions)], env, cwd=self.work, timeout=600)
        for file in self.work.glob("bench-output*"):
            file.unlink()
        if not self.check(seen.code == 0, configuration.label + " runs", seen):
            return False
        for line in seen.out.splitlines():
            loop, made, nanoseconds = line.split("\t")
            samples[configuration.label, loop].append(int(nanoseconds) / int(made))
        return True

    def compile_calli(self, runtime):
        """The loops with hand-written probes need function pointers, so the SDK's compiler and .NET's own libraries."""
        self.calli = self.work / "calli.exe"
        here, root = pathlib.Path(__file__).resolve().parent, pathlib.Path(runtime.prefix[0]).resolve().parent
        compiler = sorted(root.glob("sdk/*/Roslyn/bincore/csc.dll"))
        libraries = root / "shared/Microsoft.NETCore.App" / runtime.version
        names = ("System.Private.CoreLib", "System.Runtime", "System.Console", "System.Runtime.InteropServices")
        if not compiler:
            return False
        options = ["-nologo", "-noconfig", "-nostdlib", "-unsafe", "-optimize+", "-out:%s" % self.calli]
        references = ["-r:%s" % (libraries / (n + ".dll")) for n in names]
        seen = harness.run([root / "dotnet", "exec", compiler[-1]] + options + references + [here / "calli.cs"],
                           harness.bare_environment(), timeout=120)
        shutil.copy(here.parent / "conformance/programs/runtimeconfig.json", self.work / "calli.runtimeconfig.json")
        return self.check(seen.code == 0, "the loops with hand-written probes compile", seen)

    def available(self, configuration, runtimes):
        runtime = runtimes.get(configuration.runtime)
        if configuration.label == CALLI and not (runtime and self.compile_calli(runtime)):
            return False
        names = [m.split(":")[0] for m in configuration.modules]
        missing = [n for n in names if n != "log" and not self.build.module(n)]
        if missing:
            self.skip(configuration.label, "no module %s in this build" % missing[0])
        return configuration.runtime in runtimes and not missing

    def table(self, configurations, samples):
        print("ns per call, median (min) of %d samples" % len(next(iter(samples.values()))))
        print("%-26s" % "" + "".join("%20s" % loop for loop in LOOPS))
        for c in configurations:
            cells = [samples[c.label, loop] for loop in LOOPS]
            print("%-26s" % c.label + "".join("%12.2f (%5.2f)" % (statistics.median(s), min(s)) if s else "%20s" % "-"
                                              for s in cells))

    def pair(self, label, loop, samples, typical=statistics.median):
        """What a pair costs above the bare runtime; None when it was not measured."""
        runtime = label.split()[0]
        ours, bare = samples.get((label, loop)), samples.get((runtime + " bare", loop))
        if not ours or not bare:
            return None
        return typical(ours) - typical(bare)

    def pairs(self, configurations, samples):
        print("\nns per pair of enter and leave (above bare)")
        for c in configurations:
            cells = [self.pair(c.label, loop, samples) for loop in LOOPS]
            if c.modules or c.label == CALLI:
                print("%-26s" % c.label + "".join("%20s" % ("-" if v is None else "%.2f" % v) for v in cells))

    def ratios(self, samples, title, typical):
        print("\nratios of pairs, %s" % title)
        for label, bound, above, below in BOUNDS:
            cells = []
            for loop in LOOPS:
                a, b = self.pair(above, loop, samples, typical), self.pair(below, loop, samples, typical)
                cells.append("-" if a is None or not b else "%.3f%s" % (a / b, "" if a / b <= bound else " !"))
            print("%-26s" % label + "".join("%20s" % c for c in cells) + "   <= %.3f" % bound)


def main():
    suite = Bench("bench", __doc__)
    suite.parser.add_argument("--calls", type=int, default=20000000)
    suite.parser.add_argument("--repetitions", type=int, default=5)
    suite.parser.add_argument("--rounds", type=int, default=3)
    suite.parser.add_argument("--smoke", action="store_true", help="one short round: does everything run?")
    options = suite.parse()
    if options.smoke:
        options.calls, options.repetitions, options.rounds = 100000, 1, 1
    runtimes = {r.name: r for r in suite.runtimes(["mono", "clr10"])}
    configurations = [c for c in CONFIGURATIONS if suite.available(c, runtimes)]
    samples = collections.defaultdict(list)
    for _ in range(options.rounds):
        for c in configurations:
            suite.measure(c, runtimes[c.runtime], options.calls, options.repetitions, samples)
    if samples:
        suite.table(configurations, samples)
        suite.pairs(configurations, samples)
        suite.ratios(samples, "medians", statistics.median)
        suite.ratios(samples, "minima", min)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
