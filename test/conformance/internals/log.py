#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mono's own log profiler, the file that Mono's package brings, says of a program on CoreCLR what it says on Mono.

shapes.cs does known things in known numbers. `mprof-report`, which comes with Mono, reads what each runtime left, and
each of its sections is compared as far as two runtimes can agree (doc/mono-modules.md). With --full samples are
counted, and twelve threads do it all at once under each kind of garbage collector: nothing may hang, and no call may be
missing.

  log.py --build DIR [--full] [--runtimes mono,clr8,...] [--runs N] [--only PART,...]
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import mprof  # noqa: E402
import package  # noqa: E402

EVENTS = "calls,alloc,gc,monitor,exception,counter,calldepth=1000000"
OWN = re.compile(r"(Node|Leaf|Kept|Oops|Pair|Shapes)\b")
THREADS = 12
COLLECTORS = {
    "workstation": {},
    "non-concurrent": {"DOTNET_gcConcurrent": "0"},
    "server": {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "4"},
    "server, non-concurrent": {"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "4", "DOTNET_gcConcurrent": "0"},
}


def own(table):
    """The program's own rows."""
    return {name: value for name, value in table.items() if OWN.match(name)}


def counts(table):
    return {name: count for name, (count, _) in own(table).items()}


class Log(harness.Suite):
    def run_log(self, what, runtime, options, arguments, settings=None):
        """A run under the profiler, which the program must not notice: the report, or None."""
        exe, out = self.build.path / "test/conformance/internals/shapes.exe", self.work / "out.mlpd"
        out.unlink(missing_ok=True)
        env = package.environment(self.build, runtime, "log:%s,output=%s" % (options, out), settings)
        command = runtime.command(exe) + arguments
        seen = harness.run(command, env, cwd=self.work, timeout=60)
        bare = self.bare(command)  # collectors change nothing that it prints
        self.check((seen.code, seen.out, seen.err, seen.timeout) == (bare.code, bare.out, bare.err, False),
                   what + ": the program does what it does without it", "%s\n--- bare\n%s" % (seen, bare))
        report, why = mprof.read(out)
        self.check(report, what + ": mprof-report reads the file", why)
        return report

    def same(self, what, mine, theirs):
        odd = ["%s: %s, on Mono %s" % (k, mine.get(k), theirs.get(k)) for k in sorted({*mine, *theirs})
               if mine.get(k) != theirs.get(k)]
        self.check(theirs and not odd, "%s: %d rows as on Mono" % (what, len(theirs)), odd or "Mono has none")

    # --- one thread at a time -----------------------------------------------------------------------------------------

    def shapes(self, runtime):
        what = "%s, events" % runtime
        report = self.run_log(what, runtime, EVENTS, ["all"])
        nothing = self.run_log(what + ", idle", runtime, "exception", ["none"])
        return report and nothing and (report, nothing)

    def exceptions(self, reports):
        """What the program threw, beyond what runtimes throw at themselves."""
        busy, idle = (report.figures("Exception") for report in reports)
        return {name: busy[name] - idle.get(name, 0) for name in busy if name != "Executed finally clauses"}

    def compare_shapes(self, runtime, mine, theirs):
        what = "%s, events" % runtime
        report, known = mine[0], theirs[0]
        self.check("unmatched leave" not in report.noise, what + ": each leave has its enter", report.noise)
        self.same(what + ", calls", own(report.calls()), own(known.calls()))
        self.same(what + ", allocations", counts(report.allocations()), counts(known.allocations()))
        sizes = {n: size // count for n, (count, size) in own(report.allocations()).items() if count and "[" not in n}
        self.check(sizes.get("Node") == 32 and sizes.get("Leaf") == 24, what + ": sizes of objects", sizes)
        self.same(what + ", exceptions", self.exceptions(mine), self.exceptions(theirs))
        # How many are told of that no exception led to is each runtime's own.
        finals = report.figures("Exception").get("Executed finally clauses", 0)
        self.check(1000 <= finals < 1100, what + ": finally clauses", finals)
        oldest = max(report.collections(), default=0)
        self.check(7 <= report.collections().get(oldest, 0) <= 9, what + ": collections", report.collections())
        locks = report.figures("Monitor lock")
        waits, got = locks.get("Lock contentions", 0), locks.get("Lock acquired")
        self.check(3 <= waits <= 6 and got == waits, what + ": contended locks", report.sections["Monitor lock"])
        workers = {"worker %d" % i for i in range(4)}
        self.check(workers <= set(report.threads()), what + ": names of threads", report.threads())
        self.check(any("shapes, Version=0.0.0.0" in line for line in report.sections["Metadata"]),
                   what + ": assemblies", report.sections["Metadata"])
        self.check(report.figures("JIT").get("Compiled methods", 0) > 20, what + ": compiled methods",
                   report.sections["JIT"])
        for section in "Counters", "Domain":
            self.check(report.sections[section], "%s: there is a section %s" % (what, section), list(report.sections))

    def heap(self, runtime):
        report = self.run_log("%s, heap shots" % runtime, runtime, "heapshot", ["all"])
        shots = report.heap_shots() if report else []
        self.check(shots, "%s, heap shots: there are some" % runtime, report and list(report.sections))
        # Mono scans stacks conservatively: what a thread that has ended was given may still be found there.
        return {name: n for name, n in counts(shots[-1]).items() if "AnonStorey" not in name} if shots else {}

    def sample(self, runtime):
        """Samples are where the time went: three parts of four in one method, a part in the other."""
        what = "%s, samples" % runtime
        report = self.run_log(what, runtime, "sample=1000", ["burn", "700"])
        hits = report.hits() if report else {}
        heavy, light = (hits.get("Shapes:%s (int)" % name, 0) for name in ("Heavy", "Light"))
        self.check(heavy + light > 100, what + ": they are in the program's methods", hits)
        share = heavy / (heavy + light or 1)
        self.check(0.61 < share < 0.89, what + ": they are where the time went", "%.3f of %d" % (share, heavy + light))

    # --- many at once -------------------------------------------------------------------------------------------------

    def storm(self, runtime, name, settings):
        what = "%s, %s collector" % (runtime, name)
        report = self.run_log(what, runtime, EVENTS + ",maxframes=8", ["storm", str(THREADS)], settings)
        if not report:
            return
        made, deep = THREADS * 1000 * 5, THREADS * 20 * 21
        expected = {"Node:.ctor ()": made, "Shapes:MakeNode (Node,int)": made, "Shapes:Deep (int)": deep,
                    "Shapes:Throw (int)": THREADS * 10, "Shapes:Storm (int)": 1}
        calls = report.calls()
        self.check(expected == {n: calls.get(n) for n in expected}, what + ": no call is missing", calls)
        self.check("unmatched leave" not in report.noise or runtime.kind == "mono", what + ": leaves", report.noise)
        # The reader takes threads one by one, and may not have met a class yet that another thread has told of.
        found = report.allocations()
        nodes, unknown = found.get("Node", (0, 0))[0], found.get("unresolved class (nil)", (0, 0))[0]
        self.check(nodes <= made <= nodes + unknown, what + ": no object is missing", (nodes, unknown))
        total = sum(report.collections().values())
        self.check(total >= THREADS, what + ": %d collections" % total, report.sections["GC"])
        names = {"rage %d" % i for i in range(THREADS)}
        self.check(names <= set(report.threads()), what + ": names of threads", report.threads())


def main():
    suite = Log("log", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--runs", type=int, default=1, help="of twelve threads under each collector")
    suite.parser.add_argument("--only")
    options = suite.parse()
    parts = options.only.split(",") if options.only else ["events", "heap"] + ["sample", "storm"] * options.full
    if package.missing(suite, "log"):
        return suite.finish()
    runtimes = suite.runtimes()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    if not mono or not (suite.build.path / "test/conformance/internals/shapes.exe").exists():
        suite.skip("log", "no Mono to compare with, or no mcs", "mono")
        return suite.finish()
    events = suite.shapes(mono) if "events" in parts else None
    live = suite.heap(mono) if "heap" in parts else None
    for runtime in runtimes:
        if events and runtime is not mono:
            mine = suite.shapes(runtime)
            if mine:
                suite.compare_shapes(runtime, mine, events)
        if live and runtime is not mono:
            suite.same("%s, heap shots" % runtime, suite.heap(runtime), live)
        if "sample" in parts:
            suite.sample(runtime)
        for name, settings in COLLECTORS.items() if "storm" in parts else ():
            if runtime is not mono or not settings:
                for _ in range(options.runs):
                    suite.storm(runtime, name, settings)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
