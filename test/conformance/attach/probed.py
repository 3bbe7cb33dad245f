#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of a program that runs: what an attach counts, and what becomes of the program.

  probed.py --build DIR [--runtimes clr8,...] [--rounds N] [--habits NAME,...]

The program counts its own calls (probed.cs), and is told when to make them, so that no call is under way when an attach
begins or ends, unless the test wants that. All is asked of one such program, and of one with all habits (target.cs).
With --full each habit has a program of its own, which does not pause, and threads call that never stop.
"""
import collections
import re
import signal
import subprocess
import sys

import attach
import harness

OWN = re.compile(r"^(?:Probed:|Holder`1<\w+>:)(\w+)")
LINE = re.compile(r"^\s*[\d.]+\s+(\d+)\s+(method_\w+) method=(.*?\))")
CALLS = "events:only=method_enter+method_leave+method_exception_leave,callspec=program"
HABITS = "throws,collects,threads,generates,unloads,emits,forks,exits,dies"


class Probed(attach.Attach):
    def start(self, runtime, settings=None):
        return attach.Target(self, runtime, program="probed.exe", settings=settings)

    def tell(self, target, line):
        """What the program says that it has called since the line before."""
        target.process.stdin.write(line + "\n")
        target.process.stdin.flush()
        pairs = [word.split("=") for word in target.process.stdout.readline().split()]
        return {name: int(count) for name, count in pairs if int(count)}

    def begin(self, target, profile, file):
        """An attach at work, with all probes in their places, and ready for Ctrl-C."""
        folder = self.work / ("run-%d-%s" % (target.pid, file.name))
        folder.mkdir(exist_ok=True)
        child = subprocess.Popen([self.build.monocle, "attach", str(target.pid), "--duration=2m",
                                  "--profile=" + profile, "-o", file], cwd=self.work, text=True,
                                 env=harness.bare_environment({"TMPDIR": str(folder)}), stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        self.check("profiling process" in child.stderr.readline(), "an attach begins")
        harness.wait_for(lambda: child.poll() is not None or list(folder.glob("*/*.loaded")))
        return child

    def stop(self, child, what, is_first=True):
        """Who comes first is told that Monocle stays."""
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        told = "stays in it, idle" in err
        self.check(child.returncode == 0 and told == is_first, what + " ends", (child.returncode, out, err))

    def counted(self, file, pattern=OWN):
        report = harness.run([self.build.monocle, "report", "--format=tsv", file], harness.bare_environment())
        counts = collections.Counter()
        for line in report.out.splitlines()[1:]:
            found = pattern.match(line)
            if found:
                counts[found.group(1)] += int(line.split("\t")[1])
        return counts

    def counts(self, runtime, target):
        """Warm methods, small ones that were inlined, generic ones, exceptions; again, and samples between."""
        for turn in ("first", "second", "third"):
            what, file = "%s: the %s attach" % (runtime, turn), self.work / ("%s-%s.pb.gz" % (runtime, turn))
            child = self.begin(target, "calls:callspec=program", file)
            own = [self.tell(target, "7"), self.tell(target, "11")]
            self.stop(child, what, turn == "first")
            after = self.tell(target, "5")
            counts = self.counted(file)
            for name in own[0]:
                self.check(counts[name] == own[0][name] + own[1][name], "%s counts each call of %s" % (what, name),
                           (counts[name], own[0][name], own[1][name]))
            self.check(after["Small"] == 5 * 22, what + " is over for the program", after)
            if turn == "first":
                self.sample_between(target, runtime)

    def sample_between(self, target, runtime):
        file = self.work / ("%s-sample.pb.gz" % runtime)
        ps = harness.run([self.build.monocle, "ps"], harness.bare_environment()).out
        self.check(re.search(r"^%d .*yes \(standby\) +none " % target.pid, ps, re.M), "%s: ps says that it stands by" %
                   runtime, ps)
        # Which has the heap collected, by a thread of ours; what comes next shows that it could leave.
        seen = harness.run([self.build.monocle, "stack", "--async", target.pid], harness.bare_environment())
        self.check((seen.code, seen.err) == (0, ""), "%s: async methods after calls" % runtime, seen)
        seen = self.attach(target, "-q", "--profile=sample:freq=100", "--duration=300ms", "-o", file)
        self.check(seen.code == 0 and file.exists(), "%s: samples after calls" % runtime, seen)
        refused = self.attach(target, "-q", "--profile=calls:callspec=M:No:")
        self.check(refused.code and "callspec" in refused.err, "%s: a wrong callspec is told" % runtime, refused)

    def end(self, target, runtime):
        self.ended(target, "%s: the program noticed nothing" % runtime)

    def precompiled(self, runtime, target):
        """Of libraries that are compiled ahead: what has run, has not, was inlined; and of one that comes later."""
        file = self.work / ("%s-library.pb.gz" % runtime)
        spec = "callspec=System.Collections.NonGeneric,callspec=System.Collections.Specialized"
        child = self.begin(target, "calls:" + spec, file)
        self.tell(target, "6")
        self.tell(target, "cold")
        self.stop(child, "%s: precompiled methods" % runtime, False)
        counts = self.counted(file, re.compile(r"^System\.Collections\.([\w.]+:[\w.]+)"))
        wanted = {"CollectionBase:Clear": 12, "CollectionBase:OnClear": 12, "CollectionBase:get_InnerList": 12,
                  "Stack:Push": 1, "Stack:Peek": 1, "Stack:Pop": 1, "Specialized.StringCollection:Add": 1}
        seen = {name: counts[name] for name in wanted}
        self.check(seen == wanted, "%s: calls of precompiled methods" % runtime, str(counts))
        told = self.attach(target, "-q", "--profile=calls:callspec=T:System.String", "--duration=50ms", "-o", file)
        self.check("methods of System.Private.CoreLib are not counted" in told.err, "%s: what is left out is told" %
                   runtime, told)

    def balance(self, file):
        """Leaves that no enter belongs to, and calls that were entered, of each thread of a log."""
        open_calls, strays, entered = collections.defaultdict(list), [], collections.Counter()
        for line in file.read_text().splitlines():
            found = LINE.match(line)
            if not found:
                continue
            thread, event, method = found.groups()
            if event == "method_enter":
                open_calls[thread].append(method)
                entered[method] += 1
            elif open_calls[thread] and open_calls[thread][-1] == method:
                open_calls[thread].pop()
            else:
                strays.append(line)
        return strays, entered, {thread: calls for thread, calls in open_calls.items() if calls}

    def frames(self, runtime, target):
        """Calls that are under way when an attach begins, or ends, and return or throw in this one or the next."""
        held = "Probed:Held (bool)"
        for kind in ("hold", "fail"):
            what = "%s: a call that will %s" % (runtime, "throw" if kind == "fail" else "return")
            files = [self.work / ("%s-%s-%d.log" % (runtime, kind, number)) for number in range(3)]
            self.tell(target, kind)
            for number, file in enumerate(files):
                child = self.begin(target, CALLS, file)
                freed = self.tell(target, "free")
                self.tell(target, "2")
                if number < 2:
                    self.tell(target, kind)
                self.stop(child, what, False)
                strays, entered, left = self.balance(file)
                self.check(not strays, "%s is not left where it was not entered (%d)" % (what, number), strays)
                self.check(entered[held] == (number < 2), "%s is entered once (%d)" % (what, number), entered)
                # The program may still be on its way out of what it answered with.
                open_ones = [calls for calls in left.values() if calls != ["Probed:Answer ()"]]
                self.check(all(calls[-1] == held for calls in open_ones) and (number < 2 or not open_ones),
                           "%s: all others are left (%d)" % (what, number), left)
                self.check(kind == "fail" or freed.get("Plain") == 1, what + " goes on", freed)

    def rounds(self, runtime):
        """Threads that never stop meanwhile."""
        target = self.start(runtime)
        self.tell(target, "busy")
        before = None
        for number in range(self.options.rounds):
            profile = ("calls:callspec=program,threads", "sample:freq=500", "calls:callspec=all,time=none")[number % 3]
            seen = self.attach(target, "-q", "--profile=%s,output=/dev/null" % profile, "--duration=%dms" %
                               (20 + 40 * (number % 4)))
            now = target.left()
            before = before or now
            good = seen.code == 0 and not now["modules"] and target.process.poll() is None
            if not self.check(good, "%s: round %d" % (runtime, number), (str(seen), now)):
                break
        self.check(now["descriptors"] <= before["descriptors"] + 1, "%s: no descriptor stays" % runtime, (before, now))
        print("%s: RSS %d KiB after the first round, %d after the last" % (runtime, before["rss"], now["rss"]))
        self.end(target, runtime)

    def one(self, runtime):
        target = self.start(runtime)
        self.counts(runtime, target)
        self.precompiled(runtime, target)
        self.frames(runtime, target)
        self.end(target, runtime)
        target = attach.Target(self, runtime, [attach.TOGETHER, "5"])
        target.begin()
        child = self.begin(target, "calls:callspec=program", self.work / "habits.pb.gz")
        harness.wait_for(lambda: "Target:Three" in self.report(target.pid, "--format=tsv"))
        self.stop(child, "%s: an attach to a program with habits" % runtime)
        self.ended(target, "%s: a program with habits noticed nothing" % runtime)

    def called_habit(self, runtime, habit):
        target = attach.Target(self, runtime, habit)
        target.begin()
        what = "%s, a program that %s, calls" % (runtime, habit)
        for _ in range(1 if habit in attach.ENDS else 3):
            seen = self.attach(target, "-q", "--profile=calls:callspec=program,output=/dev/null", "--duration=200ms")
        target.process.stdin.close()
        wanted = (attach.ENDS[habit], "") if habit in attach.ENDS else (3, "unharmed\n")
        code, said = target.end()
        self.check((code, said.replace("another\n", "")) == wanted, what + ": unharmed", (code, said, str(seen)))

    def without_rejit(self, runtime):
        """A runtime that is told to give no further bodies after an attach."""
        target = self.start(runtime, {"DOTNET_ProfApi_RejitOnAttach": "0"})
        file = self.work / ("%s-none.pb.gz" % runtime)
        seen = self.attach(target, "-q", "--profile=calls:callspec=program", "--duration=100ms", "-o", file)
        self.check(seen.code and "ReJIT" in seen.err, "%s: calls are refused where the runtime refuses" % runtime, seen)
        seen = self.attach(target, "-q", "--profile=sample", "--duration=100ms", "-o", file)
        self.check(seen.code == 0 and not seen.err, "%s: samples are not" % runtime, seen)
        self.end(target, runtime)


def main():
    suite = Probed("probed", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--rounds", type=int, default=6)
    suite.parser.add_argument("--habits", default=HABITS)
    options = suite.parse("clr10", harness.NET)
    for runtime in suite.runtimes():
        suite.one(runtime)
        suite.without_rejit(runtime)
        if options.full and options.rounds:
            suite.rounds(runtime)
        for habit in filter(None, options.habits.split(",")) if options.full else ():
            suite.called_habit(runtime, habit)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
