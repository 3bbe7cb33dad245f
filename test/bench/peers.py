#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What sampling adds to the processor time of a program with two busy threads, beside others who sample.

    peers.py [--build DIR] [--rounds N] [--work N] [--trace DOTNET-TRACE]

dotnet-trace is left out where it is not installed; Debian's mono-runtime brings `log`.

All runs of a round follow each other in changing order; a figure is the median over rounds of what a run used beyond
the bare run of its round, with a 95 % interval of that median. The program says what the process used while it worked,
the sampler's own threads included; start and end are not in it.
"""
import os
import shutil
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 2)[0])
import harness
from idle import interval


class Peers(harness.Suite):
    def used(self, command, env):
        seen = harness.run(command, env, cwd=self.work, timeout=300)
        lines = seen.out.split("\n")
        found = [int(line) for line in lines if line.strip().isdigit()]
        self.check(seen.code == 0 and found, " ".join(str(word) for word in command[:4]) + " runs", seen)
        for path in self.work.iterdir():
            if path.is_file():
                path.unlink()
        return found[-1] if found else None

    def variants(self, runtimes):
        exe = self.build.path / "test/bench/busy.exe"
        work = [str(self.options.work), "2"]
        trace = self.options.trace or shutil.which("dotnet-trace")
        for runtime in runtimes:
            command = runtime.command(exe) + work
            yield runtime.name, "bare", command, harness.bare_environment()
            modules = [("sample, 100 Hz", "sample:freq=100,output=a.pb.gz"),
                       ("sample, 1 kHz", "sample:freq=1000,output=a.pb.gz"),
                       ("sample, 10 kHz", "sample:freq=10000,output=a.pb.gz")]
            if runtime.kind == "mono":
                modules += [("log:sample, 100 Hz", "log:sample,output=a.mlpd"),
                            ("log:sample=1000", "log:sample=cpu-clock/1000,output=a.mlpd")]
            for label, desc in modules:
                if self.build.module(desc.split(":")[0]) or desc.startswith("log:"):
                    yield runtime.name, label, command, harness.profile_environment(self.build, runtime, [desc])
            if runtime.kind == "coreclr" and trace:
                env = dict(harness.bare_environment(), DOTNET_ROOT=os.path.dirname(os.path.realpath(command[0])))
                collect = [trace, "collect", "-o", "a.nettrace", "--show-child-io", "--"]
                yield runtime.name, "dotnet-trace collect", collect + command, env

    def table(self, runtimes):
        variants = list(self.variants(runtimes))
        found = {variant[:2]: [] for variant in variants}
        chance = harness.chance(1)
        for _ in range(self.options.rounds):
            for name, label, command, env in chance.sample(variants, len(variants)):
                found[name, label].append(self.used(command, env))
        for (name, label), values in found.items():
            bare = found[name, "bare"]
            pairs = [(value, base) for value, base in zip(values, bare) if value and base]
            if label == "bare" or not pairs:
                continue
            more = [100 * (value / base - 1) for value, base in pairs]
            middle, (low, high) = statistics.median(more), interval(more)
            print("%-6s %-22s %+6.2f %%  (95 %%: %+.2f .. %+.2f, %d pairs)" % (
                name, label, middle, low, high, len(pairs)))


def main():
    suite = Peers("peers", __doc__.splitlines()[0])
    suite.parser.add_argument("--rounds", type=int, default=15)
    suite.parser.add_argument("--work", type=int, default=150000)
    suite.parser.add_argument("--trace", help="the command dotnet-trace; found along PATH otherwise")
    options = suite.parse()
    if options.trace:
        options.trace = os.path.abspath(options.trace)
    suite.table(suite.runtimes(["mono", "clr10"]))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
