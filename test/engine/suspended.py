#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Methods that the runtime itself suspends, on .NET 10 with a switch: each segment is entered once and left once.

A program counts its own segments and failures, and the tokens module must have counted the same. The programs of other
suites that have async methods, compiled so, run in the same process: their output is that of a bare run, and calls nest
on every thread. With --full it is so in each setting, what `calls` charges is asked, and walks in the middle of
segments are compared with the runtime's.
"""
import re
import sys

import configurations
import harness

SUSPENDS = {"DOTNET_RuntimeAsync": "1"}
PROGRAMS = [("suspended", "1"), ("language",), ("async",), ("asyncs",), ("clauses", "inside"), ("clauses", "callers"),
            ("shapes",)]
IMAGES = list(dict.fromkeys(name for name, *_ in PROGRAMS))
OWN = re.compile(r"^= (\w+) (\d+) (\d+)$", re.M)
NAME = re.compile(r":(\w+)(<[^(]*>)? \(")


class Suspended(configurations.EngineSuite):
    def same(self, what, seen):
        self.check((seen.code, seen.out) == (0, self.plain.out), what + ": output as without a profiler", seen)
        self.check("could not be given" not in seen.err, what + ": every method has its probes", seen.err)

    def contexts(self, runtime, command):
        """With the values of every call, all of them read, calls still nest, and the programs say what they say."""
        what, file = "%s, contexts" % runtime, self.work / "everything.txt"
        env = harness.profile_environment(
            self.build, runtime, ["everything:image=%s,output=%s" % ("+".join(IMAGES), file)], SUSPENDS)
        self.same(what, harness.run(runtime.prefix + [str(c) for c in command], env, self.work))
        counts = [int(n) for n in file.read_text().split()] if file.exists() else [0] * 6
        enter, left, unshown, read = counts[0], sum(counts[1:4]), counts[4], counts[5]
        self.check(enter and enter == left, what + ": calls nest", counts)
        self.check(read and not unshown, what + ": there are contexts, and values", counts)

    def segments(self, runtime, command, name):
        what = "%s, %s" % (runtime, name)
        settings = dict(SUSPENDS, **configurations.SETTINGS[name])
        seen, counts = self.under(runtime, command, ["image=" + image for image in IMAGES], settings)
        self.same(what, seen)
        if not self.check(counts is not None, what + ": the module wrote its counts", seen):
            return
        self.sound(what, counts)
        told = {}
        for key, row in counts.rows.items():
            found = NAME.search(counts.names[key]) if key[0] == "suspended" else None
            if found:
                old = told.get(found[1], (0, 0))
                told[found[1]] = (old[0] + row.enter, old[1] + row.exception)
        own = {m[1]: (int(m[2]), int(m[3])) for m in OWN.finditer(seen.out)}
        self.check(len(own) > 20, what + ": the program counted its own", seen)
        wrong = ["%s: the program counted %s, the module %s" % (n, c, told.get(n))
                 for n, c in own.items() if n in told and told[n] != c]
        missing = [n for n in own if n not in told and n not in ("AllEnded", "Iterates")]
        self.check(not wrong and not missing, what + ": the module counted the same",
                   "\n    " + "\n    ".join(wrong + missing))

    def both(self, runtime, folder):
        command = self.each([[folder / (name + ".dll"), *args] for name, *args in PROGRAMS])
        self.plain = self.bare(runtime, command, SUSPENDS)
        ended = re.findall("^=> (\\d+)$", self.plain.out, re.M)
        self.check(self.plain.code == 0 and ended == ["0"] * (len(PROGRAMS) - 1) + ["42"], "%s: they run" % runtime,
                   self.plain)
        for name in ("default", "no-tiering", "osr") if self.options.full else ("default",):
            self.segments(runtime, command, name)
        if self.options.full or runtime.name == "clr10":
            self.contexts(runtime, command)

    def calls(self, runtime, folder):
        """The module calls charges what ran, not the wait, of which a half is for a machine that is busy."""
        what, wait, file = "%s: the module calls" % runtime, 500, self.work / "calls.pb.gz"
        env = harness.profile_environment(self.build, runtime, ["calls:threshold=1ns,args,result,output=%s" % file],
                                          SUSPENDS)
        seen = harness.run(runtime.prefix + [str(folder / "suspended.dll"), "waits", str(wait)], env, self.work)
        told = harness.run([str(self.build.monocle), "report", "--format=tsv", str(file)], env, self.work)
        if not self.check(seen.code == 0 and told.code == 0, what + ": there is a profile", [str(seen), str(told)]):
            return
        rows = [line.split("\t") for line in told.out.splitlines()]
        row = next((r for r in rows if "Program:Waits " in r[0]), ["", "0", "0", "0"])
        self.check(row[1] == "3", what + ": three segments", told)
        self.check(int(row[2]) < wait * 1000000, what + ": two waits cost less than one", row)
        self.check("lost" not in told.out, what + ": nothing is lost", told)
        slow = harness.run([str(self.build.monocle), "report", "--slow", str(file)], env, self.work)
        results = sorted(re.findall(r"Program\.Waits \(%d\) = (.*)" % wait, slow.out))
        self.check(results == ["2", "?", "?"], what + ": what it returned is what is in its task", slow)

    def agree(self, runtime, folder):
        """Walks in the middle of segments see what the runtime sees."""
        what, file = "%s: stacks" % runtime, self.work / "agree.txt"
        env = harness.profile_environment(self.build, runtime, ["agree:output=%s,every=16" % file], SUSPENDS)
        seen = harness.run(runtime.prefix + [str(folder / "suspended.dll")], env, self.work)
        text = file.read_text() if file.exists() else ""
        rows = [line.split() for line in text.splitlines() if line.startswith("= ")]
        compared = sum(int(r[2]) for r in rows)
        self.check(seen.code == 0 and compared > 500, what + ": there is something to compare", seen)
        different, lost = (sum(int(r[i]) for r in rows) for i in (3, 4))
        # Code that nobody announced has its name a moment after it is met first; the module waits for that a while.
        unnamed = len(re.findall(r"^  walked\n    \? ", text, re.M))
        # .NET 11 hides the code that makes a method's task.
        self.check(unnamed * 50 <= compared and ((different - unnamed) * 1000 <= compared or
                                                 (runtime.name == "clr11" and is_thunk_hidden(text))),
                   what + ": are those of the runtime", text[:3000])
        self.check(lost == 0, what + ": reach their roots", text[:3000])


def is_thunk_hidden(text):
    """Does each pair of stacks differ by frames alone that the runtime hides, which are the callers of their method?"""
    pairs = re.findall(r"^  asked\n((?:    .*\n)*)  walked\n((?:    .*\n)*)", text, re.M)
    for asked, walked in pairs:
        asked, walked = asked.splitlines(), iter(walked.splitlines())
        if not all(frame in walked for frame in asked):
            return False
    return bool(pairs)


def main():
    suite = Suspended("engine-suspended", __doc__)
    suite.parse()
    folder = suite.programs()
    folder = folder / "suspended" if folder else None
    if folder and not (folder / "suspended.dll").exists():
        suite.skip("programs", "the SDK is older than .NET 10", "coreclr")
        folder = None
    for runtime in suite.runtimes(["clr10", "clr11"]) if folder else []:
        suite.both(runtime, folder)
        if suite.options.full:
            suite.calls(runtime, folder)
            suite.agree(runtime, folder)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
