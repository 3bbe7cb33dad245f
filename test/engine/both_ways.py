#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same async methods, suspended by the runtime and by state machines of the compiler, are told alike.

A program calls methods on 16 threads, with exceptions and cancellations, and counts the segments of each itself: the
same in each run and in both ways. Each segment is entered once and left once, with values where they are asked for;
calls have the same callers; lines, branches and exceptions the same counts. With --full there are 50,000 calls, in each
setting.
"""
import collections
import re
import sys
import xml.etree.ElementTree

import configurations
import harness
import pprof

SUSPENDS = {"DOTNET_RuntimeAsync": "1"}
THREADS = 16
OWN = re.compile(r"^= (\w+) (\d+) (\d+) (\d+)$", re.M)
MACHINE = re.compile(r"<(\w+)>d__\d+(?:`1)?(?:<.*>)?:MoveNext \(")
NAME = re.compile(r":([^ (<]+)")
# The runtime calls this one for a method that it has suspended.
WITHOUT_CALLER = "UnsafeOnCompleted"


def short(name):
    """(is it a state machine's code, the name of the method in the source)"""
    machine = MACHINE.search(name)
    found = machine or NAME.search(name)
    return bool(machine), found[1] if found else name


def told(counts):
    """Segments and failures, and calls where they are told by themselves, of each method."""
    segments, calls = collections.Counter(), collections.Counter()
    for key, row in counts.rows.items():
        machine, name = short(counts.names[key])
        segments[machine, name] += row.enter
        calls[machine, name] += row.exception
    return segments, calls


def callers(profile):
    """Who calls whom, how often. A method and its state machine are one."""
    found = collections.Counter()
    for stack, values, _ in pprof.load(profile).samples:
        frames = [short(name) for name in stack[:2]]
        callee, caller = frames[0], frames[1] if len(frames) > 1 else (False, "")
        if callee[1] != WITHOUT_CALLER and (callee[1] != caller[1] or not callee[0]):
            found[callee[1], caller[1]] += values[0]
    return found


def points(file):
    """How often each statement ran, by where it begins, and how each branch went, by its line."""
    statements, branches = collections.Counter(), collections.Counter()
    for method in xml.etree.ElementTree.parse(file).iter("Method"):
        for point in method.iter("SequencePoint"):
            statements[int(point.get("sl")), int(point.get("sc"))] += int(point.get("vc"))
        for branch in method.iter("BranchPoint"):
            branches[int(branch.get("sl")), branch.get("path")] += int(branch.get("vc"))
    return statements, branches


class BothWays(configurations.EngineSuite):
    def runs(self, runtime, program, modules, count, threads):
        env = harness.profile_environment(self.build, runtime, modules, SUSPENDS)
        seen = harness.run(runtime.prefix + [str(program), str(count), str(threads)], env, self.work)
        self.check(seen.code == 0 and "could not be given" not in seen.err, "%s: it runs" % runtime, seen)
        return seen

    def count(self, runtime, folder, way, count, setting):
        what = "%s, %s, %s" % (runtime, way, setting)
        settings = dict(SUSPENDS, **configurations.SETTINGS[setting])
        command = [folder / way / "many.dll", count, THREADS]
        plain = self.bare(runtime, command, SUSPENDS)
        seen, counts = self.under(runtime, command, ["image=many"], settings)
        self.check(plain.code == 0 and (seen.code, seen.out) == (0, plain.out), what + ": output as without a profiler",
                   seen)
        if not self.check(counts is not None, what + ": the module wrote its counts", seen):
            return
        self.sound(what, counts)
        is_machine = way == "machines"
        segments, failures = told(counts)
        own = {name: tuple(map(int, numbers)) for name, *numbers in OWN.findall(seen.out)}
        self.check(len(own) == 9 and own["Outer"][2] == count, what + ": the program counted its own", seen)
        wrong = [(name, row, segments[is_machine, name], failures[is_machine, name]) for name, row in own.items()
                 if (segments[is_machine, name], failures[is_machine, name]) != (row[0], 0 if is_machine else row[1])]
        self.check(not wrong, what + ": the module counted the same", wrong)
        wrong = [(name, row[2], segments[False, name]) for name, row in own.items()
                 if is_machine and segments[False, name] != row[2]]
        self.check(not wrong, what + ": and the calls", wrong)

    def values(self, runtime, folder, count):
        what, file = "%s: contexts" % runtime, self.work / "everything.txt"
        self.runs(runtime, folder / "suspended/many.dll", ["everything:image=many,output=%s" % file], count, THREADS)
        counts = [int(n) for n in file.read_text().split()] if file.exists() else [0] * 6
        self.check(counts[0] > count and counts[0] == sum(counts[1:4]), what + ": enters = exits", counts)
        self.check(counts[5] > counts[0] and not counts[4], what + ": with values", counts)

    def compare(self, runtime, folder, count):
        """One thread: counts of coverage are not atomic."""
        trees, covered, thrown = [], [], []
        for way in ("suspended", "machines"):
            name = "%s-%s" % (runtime, way)
            calls, cover, exceptions = (self.work / (name + end) for end in (".calls.pb.gz", ".mcov", ".ex.pb.gz"))
            self.runs(runtime, folder / way / "many.dll",
                      ["calls:callspec=many,output=%s" % calls, "cover:mode=count,output=%s" % cover,
                       "exceptions:output=%s" % exceptions], count, 1)
            opencover = self.work / (name + ".xml")
            made = harness.run([self.build.monocle, "convert", "--to=opencover", "-o", opencover, cover],
                               harness.bare_environment(), self.work)
            if not self.check(made.code == 0 and calls.exists() and exceptions.exists(), name + ": there are profiles",
                              made):
                return
            trees.append(callers(calls))
            covered.append(points(opencover))
            types = collections.Counter()
            for stack, values, _ in pprof.load(exceptions).samples:
                types[stack[0]] += values[1]
            thrown.append(types)
        self.check(len(trees[0]) > 40 and trees[0] == trees[1], "%s: calls have the same callers" % runtime,
                   [trees[0] - trees[1], trees[1] - trees[0]])
        self.lines(runtime, *(statements for statements, _ in covered))
        self.check(len(covered[0][1]) > 20 and covered[0][1] == covered[1][1], "%s: branches have the same counts" %
                   runtime, [one[1] for one in covered])
        self.check(thrown[0] and thrown[0] == thrown[1], "%s: the same exceptions were thrown" % runtime, thrown)

    def lines(self, runtime, one, other):
        """The compiler gives some braces and heads of handlers a point in one way alone."""
        source = (configurations.HERE / "programs/suspended/many.cs").read_text().splitlines()
        both = one.keys() & other.keys()
        wrong = [(place, one[place], other[place]) for place in sorted(both) if one[place] != other[place]]
        self.check(len(both) > 80 and not wrong, "%s: lines have the same counts" % runtime, wrong)
        alone = [source[line - 1].expandtabs(1)[column - 1:] for line, column in one.keys() ^ other.keys()]
        rest = [text for text in alone if not re.match(r"[{}]|catch|finally|when", text)]
        self.check(not rest, "%s: the same lines are there" % runtime, rest)


def main():
    suite = BothWays("engine-both-ways", __doc__)
    suite.parse()
    full = suite.options.full
    folder, count = suite.programs(), 50000 if full else 1600
    if folder and not (folder / "machines/many.dll").exists():
        suite.skip("programs", "the SDK is older than .NET 10", "coreclr")
        folder = None
    for runtime in suite.runtimes(["clr10", "clr11"]) if folder else []:
        for setting in ("default", "no-tiering", "osr") if full else ("default",):
            suite.count(runtime, folder, "suspended", count, setting)
        suite.values(runtime, folder, count)
        if full or runtime.name == "clr11":
            suite.compare(runtime, folder, count // 10)
        if full:
            suite.count(runtime, folder, "machines", count, "default")
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
