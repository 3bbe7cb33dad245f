#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`monocle report` and `mprof-report` say the same of the same file of Mono's log profiler, table by table.

Methods and locks of one name are added up on both sides. mprof-report knows no type for an object whose type was told
later in the file; so its rows are at most ours, and what it lacks is in "unresolved class (nil)". It adds up the totals
of recursive calls, so that own times are compared and not totals. Samples, which take time, are compared with --full.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

import mprof
import package

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402

UNRESOLVED = "unresolved class (nil)"
CALL = re.compile(r"^ *(\d+) +(\d+) +(\d+) (.+)$")
COLLECTIONS = re.compile(r"^\tGen(\d) collections: (\d+), max time: (\d+)us, total time: (\d+)us")
HANDLES = re.compile(r"^\tGC handles (\w+): created: (\d+), destroyed: (\d+), max: (\d+)")
LOCK = re.compile(r"^\tLock object (0x[0-9a-f]+): (\d+) contentions")
WAIT = re.compile(r"^\t\t([\d.]+) secs total wait time")
KINDS = {"weak": "weak handle", "weaktrack": "weak tracking handle", "normal": "normal handle",
         "pinned": "pinned handle"}


class Test(harness.Suite):
    def log(self, what, options, arguments):
        """The file, and mprof-report of it."""
        path = self.work / (what + ".mlpd")
        env = package.environment(self.build, self.mono, "log:nodefaults,%s,output=%s" % (options, path))
        command = [*self.mono.command(self.build.path / "test/conformance/internals/shapes.exe"), *arguments]
        done = harness.run(command, env, cwd=self.work, timeout=120)
        if not self.check(done.code == 7 and path.exists(), what + ": the program runs", done):
            return None, None
        report, why = mprof.read(path)
        self.check(report, what + ": mprof-report reads the file", why)
        return path, report

    def monocle(self, *words):
        done = subprocess.run([str(self.build.monocle), *map(str, words)], capture_output=True, text=True, timeout=120,
                              cwd=self.work, env=harness.bare_environment())
        self.check(done.returncode == 0, " ".join(map(str, words)), done.stderr)
        return done.stdout

    def report(self, path, topic, *words):
        """{name: {column: amount}}, and the comments."""
        text = self.monocle("report", "--format=json", "--topic=" + topic, *words, path)
        data = json.loads(text) if text else {"methods": [], "comments": []}
        return {row["method"]: row for row in data["methods"]}, data["comments"]

    def same(self, what, ours, theirs):
        odd = ["%s: %s, mprof-report %s" % (k, ours.get(k), theirs.get(k)) for k in sorted({*ours, *theirs}, key=str)
               if ours.get(k) != theirs.get(k)]
        self.check(theirs and not odd, what, odd[:8] or "there is nothing")

    # --- topics -------------------------------------------------------------------------------------------------------

    def calls(self, what, path, report):
        counts, own, rows = collections.Counter(), collections.Counter(), collections.Counter()
        for found in filter(None, map(CALL.match, report.sections["Method call"])):
            counts[found.group(4)] += int(found.group(3))
            own[found.group(4)] += int(found.group(2))
            rows[found.group(4)] += 1
        ours, _ = self.report(path, "calls", "-n", "0")
        self.same(what + ": counts of calls", {n: r["calls"] for n, r in ours.items()}, counts)
        odd = ["%s: %d ns, mprof-report %d ms" % (n, r["self_ns"], own[n]) for n, r in ours.items()
               if not own[n] <= r["self_ns"] / 1e6 < own[n] + rows[n]]
        self.check(not odd, what + ": own times", odd[:8])

    def types(self, what, ours, theirs):
        """Both are {type: (objects, bytes)}."""
        unknown = theirs.pop(UNRESOLVED, (0, 0))
        sums = [tuple(map(sum, zip((0, 0), *rows.values()))) for rows in (ours, theirs)]
        whole = tuple(map(sum, zip(sums[1], unknown)))
        self.check(sums[0] == whole and theirs, what + ": all objects", (sums, unknown))
        odd = ["%s: %s, mprof-report %s" % (n, r, theirs.get(n)) for n, r in ours.items()
               if not theirs.get(n, (0, 0))[0] <= r[0] <= theirs.get(n, (0, 0))[0] + unknown[0]]
        self.check(not odd and set(theirs) <= set(ours), what + ": types", odd[:8] or sorted(set(theirs) - set(ours)))

    def allocations(self, what, path, report):
        ours, _ = self.report(path, "alloc", "-n", "0")
        ours = {n: (r["self_alloc_objects"], r["self_alloc_space_bytes"]) for n, r in ours.items()
                if r["self_alloc_objects"]}
        self.types(what + ": allocations", ours, report.allocations())

    def exceptions(self, what, path, report):
        theirs = report.figures("Exception")
        ours, _ = self.report(path, "exceptions", "-n", "0")
        found = {"Throws": sum(r["self_exceptions"] for r in ours.values())}
        for name in ("catch", "filter", "finally", "fault"):
            clauses = ours.get(name + " clause", {}).get("self_clauses", 0)
            found.update({"Executed %s clauses" % name: clauses} if clauses else {})
        self.same(what + ": exceptions", found, theirs)
        if "Allocation" in report.sections:
            oops = ours.get("Oops", {}).get("self_exceptions", 0)
            self.check(oops >= 1000, what + ": type of exceptions", (oops, sorted(ours)))

    def monitor(self, what, path, report):
        theirs, waits = collections.Counter(), collections.Counter()
        for line in report.sections["Monitor lock"]:
            lock, wait = LOCK.match(line), WAIT.match(line)
            if lock:
                name = "lock " + lock.group(1)
                theirs[name] += int(lock.group(2))
            elif wait:
                waits[name] += float(wait.group(1))
        ours, comments = self.report(path, "monitor", "-n", "0")
        locks = {n: r for n, r in ours.items() if n.startswith("lock 0x")}
        self.same(what + ": locks", {n: r["self_contentions"] for n, r in locks.items()}, +theirs)
        odd = ["%s: %d ns, mprof-report %f s" % (n, r["self_delay_ns"], waits[n]) for n, r in locks.items()
               if abs(r["self_delay_ns"] / 1e9 - waits[n]) > 1e-6]
        self.check(not odd, what + ": waits", odd)
        figures = report.figures("Monitor lock")
        said = "monitor: acquired %d times after waiting, given up %d times" % (figures["Lock acquired"],
                                                                                figures["Lock failures"])
        self.check(said in comments, what + ": locks that were had", (comments, figures))

    def collections(self, what, path, report):
        theirs, ours = {}, {}
        for found in filter(None, map(COLLECTIONS.match, report.sections["GC"])):
            theirs[int(found.group(1))] = tuple(map(int, found.groups()[1:]))
        text = self.monocle("report", "--format=tsv", "--tree", "-n", "0", "--topic=gc", path)
        head, *lines = [line.split("\t") for line in text.splitlines()]
        for cells in lines:
            row = dict(zip(head, cells))
            if row["depth"] == "1":
                generation = int(row["method"].split()[-1])
                ours[generation] = [int(row["total_collections"]), 0, int(row["total_gc_time_ns"]) // 1000]
            else:
                ours[generation][1] = max(ours[generation][1], int(row["self_gc_time_ns"]) // 1000)
        self.same(what + ": collections", {g: tuple(r) for g, r in ours.items()}, theirs)
        figures = report.figures("GC")
        said = "gc: heap resized %d times, to %d bytes at most; %d objects moved" % (
            figures["GC resizes"], figures["Max heap size"], figures["Object moves"])
        comments = self.report(path, "gc")[1]
        self.check(said in comments, what + ": the heap", (comments, figures))

    def handles(self, what, path, report):
        found = filter(None, map(HANDLES.match, report.sections["GC"]))
        theirs = {KINDS[m.group(1)]: (int(m.group(2)), int(m.group(3))) for m in found}
        ours, _ = self.report(path, "handles", "-n", "0")
        ours = {n: (r["self_created"], r["self_destroyed"]) for n, r in ours.items() if n in KINDS.values()}
        ours.pop("pinned handle", None)  # mprof-report counts them, and does not show them
        self.same(what + ": handles", ours, theirs)

    def heap_shots(self, what, path, report):
        shots = report.heap_shots()
        self.check(shots, what + ": there are heap shots")
        for number, theirs in enumerate(shots, 1):
            ours, _ = self.report(path, "heapshot", "--shot=%d" % number, "-n", "0")
            ours = {n: (r["self_inuse_objects"], r["self_inuse_space_bytes"]) for n, r in ours.items()
                    if r["self_inuse_objects"]}
            self.types("%s, shot %d" % (what, number), ours, theirs)

    def samples(self, what, path, report):
        ours, _ = self.report(path, "samples", "-n", "0")
        hits = collections.Counter({n: r["self_samples"] for n, r in ours.items() if r["self_samples"]})
        unknown = hits.pop("[unknown]", 0)
        theirs = collections.Counter()
        for found in filter(None, map(mprof.HIT.match, report.sections["Statistical samples"])):
            theirs[found.group(2)] += int(found.group(1))
        self.same(what + ": hits", hits, theirs)
        self.check(unknown == report.figures("Statistical samples").get("Unresolved hits"), what + ": unresolved hits",
                   (unknown, report.sections["Statistical samples"][:4]))

    # --- what is written ----------------------------------------------------------------------------------------------

    def written(self, what, path, read):
        """What `convert` writes of the file: mprof-report says the same of it."""
        target = self.work / (what + ".written.mlpd")
        self.monocle("convert", "--to=mlpd", "--value=" + what, path, "-o", target)
        report, why = mprof.read(target)
        if self.check(report, what + ", written: mprof-report reads it", why):
            read(what + ", written", target, report)
            self.check(not report.noise, what + ", written: mprof-report has no complaint", report.noise)


def main():
    test = Test("agree", __doc__.splitlines()[0])
    test.parse()
    runtimes = test.runtimes(["mono"])
    if not shutil.which("mprof-report"):
        test.skip("mprof-report", "it is not installed", "mono")
    elif runtimes and not package.missing(test, "log"):
        test.mono = runtimes[0]
        events = "alloc,exception,monitor,gc,gchandle"
        for what, options in ("calls", "calls,calldepth=1000000," + events), ("stacks", "zip," + events):
            path, report = test.log(what, options, ["all"])
            if report:
                for topic in (test.allocations, test.exceptions, test.monitor, test.collections, test.handles):
                    topic(what, path, report)
            if report and what == "calls":
                test.calls(what, path, report)
                test.written(what, path, test.calls)
        path, report = test.log("heap", "heapshot", ["all"])
        if report:
            test.heap_shots("heap", path, report)
        path, report = test.log("samples", "sample=1000", ["burn", "400"]) if test.options.full else (None, None)
        if report:
            test.samples("samples", path, report)
            ours, _ = test.report(path, "samples", "-n", "0")
            hits = {n: r["self_samples"] for n, r in ours.items() if r["self_samples"]}
            test.written("samples", path, lambda what, path, report: test.same(what, hits, report.hits()))
    return test.finish()


if __name__ == "__main__":
    sys.exit(main())
