#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples on real runtimes: the same module and the same program on Mono and on CoreCLR.

What the functions answer is Mono's on both, and threads are sampled by the engine that the system permits. With --full:
rates are what was asked for, by each engine: in mode PROCESS by the CPU time of each thread on CoreCLR (Mono hits every
thread whenever the process has used a period), in mode REAL by the clock. A thread that has made thousands of faults is
sampled as any other.

  sampling.py --build DIR [--runtimes mono,clr8,...]
"""
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

ALL_ANSWERS = (1 << 18) - 1
PROCESS, REAL = 1, 2
# Engine, frequency, busy threads, share of the asked rate that may be missing. Events miss what passes in the kernel,
# 2 to 6 % here; timers see a thread at the kernel's tick only, and the pacer has to get a CPU first: on a busy machine
# both are late.
RATES = [("perf", 100, 1, 0.25), ("perf", 1000, 1, 0.2), ("perf", 10000, 1, 0.2), ("perf", 1000, 2, 0.2),
         ("perf", 10000, 2, 0.2), ("timer", 100, 2, 0.8), ("paced", 1000, 2, 0.8)]


class Sampling(harness.Suite):
    def start(self, runtime, options, arguments, env=None, wrapper=()):
        """Runs sampling.exe under the module hits; its rows [(name, hits, CPU ns)] and what the module wrote."""
        file = self.work / "hits.tsv"
        file.unlink(missing_ok=True)
        exe = self.build.path / "test/conformance/sampling/sampling.exe"
        words = [arguments[0], str(self.build.module("hits"))] + [str(a) for a in arguments[1:]]
        env = harness.profile_environment(self.build, runtime, ["hits:%s%s" % (file, options)], env or {})
        # --debug would keep Mono's JIT from optimising.
        prefix = ["mono"] if runtime.kind == "mono" else runtime.prefix
        seen = harness.run(list(wrapper) + prefix + [str(exe)] + words, env, cwd=self.work, timeout=240)
        what = "%s: %s" % (runtime, " ".join(str(a) for a in arguments))
        self.check(seen.code == 5, what + ": the program ends as it should", seen)
        rows = [line.split("\t") for line in seen.out.splitlines() if line.count("\t") == 2]
        wrote = {}
        if self.check(file.exists(), what + ": the module is told of the end", seen):
            wrote = dict(line.split("\t") for line in file.read_text().splitlines())
            self.check(wrote["wrong"] == "0", what + ": ip is where the context was interrupted", wrote)
        return [(name, int(hits), int(cpu)) for name, hits, cpu in rows], wrote, seen

    def answers(self, runtime):
        rows, wrote, seen = self.start(runtime, ",answers", ["rates", PROCESS, 500, 1, 0, 300])
        got = int(wrote.get("answers", 0))
        missing = [i for i in range(18) if not got >> i & 1]
        self.check(not missing, "%s: the functions answer as Mono documents" % runtime, missing)
        self.check(wrote.get("hits") == wrote.get("others") and int(wrote.get("hits", 0)) > 10,
                   "%s: both handles are told of every sample" % runtime, wrote)
        self.check("set True" in seen.out, "%s: the owner sets the mode" % runtime, seen)
        self.check(dict((r[0], r[1]) for r in rows).get("after") == 0, "%s: mode NONE ends it" % runtime, rows)

    def process_rate(self, runtime, engine, frequency, busy, slack):
        """On CoreCLR: each busy thread is hit in proportion to its CPU time, sleeping ones are not."""
        what = "%s, %s, %d Hz, %d threads" % (runtime, engine, frequency, busy)
        # Events count CPU time and 500 of them are plenty; timers and the pacer depend on what runs beside.
        milliseconds = 500 if engine == "perf" and frequency >= 1000 else 1500
        rows, wrote, seen = self.start(runtime, "", ["rates", PROCESS, frequency, busy, 2, milliseconds],
                                       {"MONOCLE_SAMPLER": engine})
        if "cannot be had" in seen.err:
            self.skip(what, "the system refuses perf events")
            return
        for name, hits, cpu in rows:
            share = hits / (cpu * frequency / 1e9) if cpu else 0
            if name == "busy":
                self.check(1 - slack <= share <= 1.05, what + ": the rate is what was asked for", "%.3f" % share)
            elif name == "sleeping":
                self.check(hits <= 2 * cpu * frequency / 1e9 + 2, what + ": sleeping threads are left alone",
                           (hits, cpu))
            if self.options.verbose:
                print("     %-9s %6d hits %8.3f s CPU  %.3f of the rate" % (name, hits, cpu / 1e9, share))

    def refused(self, runtime, frequency, engine, slack):
        """Nobody says MONOCLE_SAMPLER, and the system refuses perf events."""
        what = "%s without perf events, %d Hz" % (runtime, frequency)
        wrapper = [self.build.path / "test/conformance/sampling/refuse"]
        words = ["throws", PROCESS, frequency, 1, 1500]
        rows, wrote, seen = self.start(runtime, ",freq=%d,mode=process" % frequency, words, wrapper=wrapper)
        self.check("engine:" + engine in wrote, what + ": threads are sampled by other means", wrote)
        if self.options.full:
            share = [hits / (cpu * frequency / 1e9) for name, hits, cpu in rows if name == "busy" and cpu]
            self.check(share and 1 - slack < share[0] < 1.05, what + ": the rate is what was asked for", share)
        self.check("monocle:" not in seen.err or "instead of" in seen.err, what + ": nothing to complain of", seen)

    def without_privilege(self, runtime):
        """As nobody; perf events of one's own threads need no privilege where perf_event_paranoid is 2 or less."""
        what = "%s as nobody" % runtime
        if os.getuid() != 0 or not shutil.which("setpriv"):
            self.skip(what, "needs root and setpriv")
            return
        paranoid = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
        permitted = paranoid.exists() and int(paranoid.read_text()) <= 2
        self.work.chmod(0o777)
        wrapper = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
        rows, wrote, seen = self.start(runtime, "", ["throws", PROCESS, 1000, 1, 1000], wrapper=wrapper)
        if not wrote and "denied" in (seen.err + seen.out):
            self.skip(what, "nobody may not read the build folder")
            return
        self.check(("engine:perf" in wrote) == permitted, what + ": the engine is what is permitted", wrote)
        if self.options.full:
            share = [hits / (cpu / 1e6) for name, hits, cpu in rows if name == "busy" and cpu]
            self.check(share and share[0] > (0.8 if permitted else 0.2), what + ": the rate is what was asked for",
                       share)

    def real_rate(self, runtime, frequency):
        """Everybody is hit as often as everybody else, asleep or not."""
        what = "%s, REAL %d Hz" % (runtime, frequency)
        rows, wrote, seen = self.start(runtime, "", ["rates", REAL, frequency, 0, 3, 1500])
        hits = [r[1] for r in rows if r[0] == "sleeping"]
        self.check(len(hits) == 3 and min(hits) > 0.5 * frequency * 1.5, what + ": sleeping threads are hit", hits)
        self.check(hits and max(hits) - min(hits) <= 0.1 * max(hits) + 3, what + ": all alike", hits)

    def faults(self, runtime):
        what = "%s, after 3000 faults" % runtime
        rows, wrote, seen = self.start(runtime, "", ["throws", PROCESS, 1000, 3000, 1000])
        self.check("caught 3000" in seen.out, what + ": each came", seen)
        share = [hits / (cpu / 1e6) for name, hits, cpu in rows if name == "busy" and cpu]
        self.check(share and share[0] > 0.6, what + ": the thread is still sampled", share)


def main():
    suite = Sampling("sampling", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse()
    if not (suite.build.path / "test/conformance/sampling/sampling.exe").exists():
        suite.skip("sampling", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in suite.runtimes():
        suite.answers(runtime)
        if runtime.kind == "coreclr":
            suite.refused(runtime, 100, "timer", 0.8)
            suite.refused(runtime, 1000, "paced", 0.8)
            suite.without_privilege(runtime)
        if options.full:
            suite.real_rate(runtime, 200)
        if options.full and runtime.kind == "coreclr":
            suite.faults(runtime)
            for engine, frequency, busy, slack in RATES:
                suite.process_rate(runtime, engine, frequency, busy, slack)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
