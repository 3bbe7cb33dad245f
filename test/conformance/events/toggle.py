#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Callbacks are set and cleared from eight threads while events flow (toggler.c), on every runtime.

The program runs as it would, ends, and no handle was called more often than one that listened all the time; what that
one was told is whole: a collection that begins ends, a monitor that is waited for is got or given up. With --seconds
the program works for so long without a pause.

  toggle.py --build DIR [--runtimes mono,clr8,...] [--times N] [--seconds N]
"""
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

SOME = ["gc_event", "exception_throw", "thread_started", "jit_begin", "gc_handle_created"]


class Toggle(harness.Suite):
    def counts(self, file):
        rows = [line.split("\t") for line in file.read_text().splitlines()]
        return {row[0]: [int(n) for n in row[1:]] for row in rows}

    def judge(self, what, runtime, counts, alone):
        self.check(counts["sets"][0] > 1000, what + ": callbacks are set and cleared", counts["sets"])
        told = {e: n for e, n in counts.items() if e != "sets"}
        # Nobody else keeps the session open that tells of handles; in a moment, one that comes and goes may miss all.
        by_chance = {"gc_handle_created"} if alone and not self.options.seconds else set()
        silent = [e for e in SOME if not sum(told[e][1:]) and e not in by_chance]
        self.check(not silent, what + ": events reach callbacks that come and go", silent)
        if alone:
            self.check(not any(n[0] for n in told.values()), what + ": nobody listens all the time")
            return
        odd = {e: n for e, n in told.items() if max(n[1:]) > n[0]}
        self.check(not odd, what + ": nobody is called more often than an event comes", odd)
        steady = {e: n[0] for e, n in told.items()}
        throws = 12 * self.options.rounds  # load.cs: two threads, more than six each in a round
        self.check(steady["exception_throw"] >= throws, what + ": every exception is told", (throws, steady))
        self.check(steady["thread_started"] >= self.options.rounds // 4 * 4 + 11, what + ": every thread is told",
                   steady)
        waits = steady["monitor_contention"] - steady["monitor_acquired"] - steady["monitor_failed"]
        if runtime.kind == "coreclr":
            self.check(0 <= waits <= 4, what + ": waits for monitors end", steady)
            self.check(steady["gc_event"] >= 8, what + ": collections are told", steady)
            self.check(steady["gc_finalizing_object"] - steady["gc_finalized_object"] in (0, 1),
                       what + ": finalisation is in pairs",
                       steady)

    def run(self, runtime, alone):
        what = "%s%s" % (runtime, ", nobody else listens" if alone else "")
        file = self.work / "toggler.tsv"
        file.unlink(missing_ok=True)
        exe = self.build.path / "test/conformance/events/events-load.exe"
        command = runtime.command(exe) + [str(self.options.rounds)]
        bare = harness.run(command, harness.bare_environment(), self.work, 600)
        module = "toggler:%s%s" % (file, ",alone" if alone else "")
        env = harness.profile_environment(self.build, runtime, [module])
        start = time.monotonic()
        seen = harness.run(command + [str(self.options.seconds)], env, self.work, 900 + 2 * self.options.seconds)
        self.check((seen.code, seen.out) == (bare.code, bare.out) and seen.code == 3, what + ": runs as it would", seen)
        if self.check(file.exists(), what + ": it is told of the end", seen):
            counts = self.counts(file)
            self.judge(what, runtime, counts, alone)
            print("%s: %d s, %d callbacks set or cleared, %d events heard by handles that come and go" %
                  (what, time.monotonic() - start, counts["sets"][0],
                   sum(sum(n[1:]) for e, n in counts.items() if e != "sets")))
            if self.options.verbose:
                print("%s: %s" % (what, counts))


def main():
    suite = Toggle("events-toggle", __doc__)
    suite.parser.add_argument("--runtimes", default=harness.ALL)
    suite.parser.add_argument("--rounds", type=int, default=100, help="how long the program works")
    suite.parser.add_argument("--seconds", type=int, default=0, help="so many rounds again and again, for so long")
    suite.parser.add_argument("--times", type=int, default=1, help="how often it is run")
    options = suite.parse()
    if not (suite.build.path / "test/conformance/events/events-load.exe").exists():
        suite.skip("toggle", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        for _ in range(options.times):
            suite.run(runtime, False)
            suite.run(runtime, True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
