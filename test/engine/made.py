#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assemblies that a program makes while it runs (AssemblyBuilder), kept and collected, have exact calls.

Their methods count themselves, and the tokens module must have counted the same; its output is that of a bare run. The
module `everything` reads the values of each call, and `calls` names the methods. With --full each runtime is asked in
each setting.
"""
import re
import sys

import configurations
import harness

OWN = re.compile(r"^= (\w+) (\d+) (\d+)$", re.M)
NAME = re.compile(r":(\w+)(<[^(]*>)? \(")
IMAGES = ["first", "next", "round"]


def told_by(counts):
    """Calls and failures by the method's name."""
    told = {}
    for key, row in counts.rows.items():
        name = NAME.search(counts.names[key])
        if name:
            old = told.get(name[1], (0, 0))
            told[name[1]] = (old[0] + row.enter, old[1] + row.exception)
    return told


class Made(configurations.EngineSuite):
    def alone(self, runtime, exe, args):
        """What the program says alone, which no setting and no runtime changes: asked once."""
        key = tuple(args)
        if key not in self.said:
            self.said[key] = self.bare(runtime, [exe] + args)
        return self.said[key]

    def counts(self, runtime, exe, name, args):
        what, settings = "%s, %s %s" % (runtime, name, " ".join(args)), configurations.SETTINGS[name]
        bare = self.alone(runtime, exe, args)
        seen, counts = self.under(runtime, [exe] + args, ["image=" + i for i in IMAGES], settings)
        self.check((bare.code, bare.out, seen.err) == (seen.code, seen.out, ""), what + ": output as bare", seen)
        own = {m[1]: (int(m[2]), int(m[3])) for m in OWN.finditer(seen.out)}
        if self.check(seen.code == 0 and counts and len(own) == 9, what + ": both count", seen):
            self.sound(what, counts)
            told = {name: row for name, row in told_by(counts).items() if name != ".ctor"}
            self.check(told == own, what + ": the module counted what the program did", [told, own])

    def contexts(self, runtime, exe, args):
        what, file = "%s, contexts %s" % (runtime, " ".join(args)), self.work / "everything.txt"
        bare = self.alone(runtime, exe, args)
        env = harness.profile_environment(self.build, runtime, ["everything:image=first,output=%s" % file])
        seen = harness.run(runtime.prefix + [str(exe)] + args, env, self.work)
        self.check((bare.code, bare.out, seen.err) == (seen.code, seen.out, ""), what + ": output as bare", seen)
        counts = [int(n) for n in file.read_text().split()] if file.exists() else [0] * 6
        self.check(counts[0] and counts[0] == sum(counts[1:4]), what + ": calls nest", counts)
        self.check(counts[5] and not counts[4], what + ": there are contexts, and values", counts)

    def names(self, runtime, exe):
        file = self.work / "calls.pb.gz"
        env = harness.profile_environment(self.build, runtime, ["calls:callspec=T:Made.*,output=%s" % file])
        harness.run(runtime.prefix + [str(exe)], env, self.work)
        told = harness.run([str(self.build.monocle), "report", "--format=tsv", str(file)], env, self.work)
        self.check("Made.Worker:Same<int> (int)\t531\t" in told.out and "lost" not in told.out,
                   "%s: calls names them" % runtime, told)


def main():
    suite = Made("engine-made", __doc__)
    suite.said = {}
    suite.parser.add_argument("--configurations", default="default,no-tiering")
    options = suite.parse()
    folder = suite.programs()
    for runtime in suite.runtimes(suite.net) if folder else []:
        exe = folder / "made.dll"
        if not options.full:
            suite.counts(runtime, exe, "default", ["1"])
        if options.full:
            for name in options.configurations.split(","):
                for args in ([], ["5"]):
                    suite.counts(runtime, exe, name, args)
            suite.contexts(runtime, exe, [])
        if options.full or runtime.name in suite.newer:
            suite.contexts(runtime, exe, ["5" if options.full else "1"])
            suite.names(runtime, exe)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
