#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mono's own coverage profiler, the file that Mono's package brings, writes on CoreCLR what it writes on Mono.

The XML files of one program, compiled by mcs, are compared: methods by token, and of each the list of statements with
their offsets, counters, lines and columns; assemblies and classes with their counts of methods. Mono counts each
instance of a generic method, CoreCLR the definition: they add up (doc/mono-modules.md).

  coverage.py --build DIR [--full] [--runtimes mono,clr8,...]
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import package  # noqa: E402

Method = collections.namedtuple("Method", "names file statements")


def definition(name):
    """A class's name without its last list of arguments."""
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += {">": 1, "<": -1}.get(name[at], 0)
        if not depth:
            return name if at == len(name) - 1 else name[:at]
    return name


class Report:
    """What a file says of one assembly."""

    def __init__(self, path, assembly):
        self.methods, self.classes, self.attributes = {}, {}, {}
        at = None
        for element in xml.etree.ElementTree.parse(path).getroot():
            at = element.get("name") if element.tag == "assembly" else at
            if element.tag == "assembly" and at == assembly:
                self.attributes = {k: element.get(k) for k in ("guid", "filename", "method-count")}
            elif element.tag == "class" and at == assembly:
                self.classes[element.get("name")] = element.get("method-count")
            elif element.tag == "method" and element.get("assembly") == assembly:
                self.add(element)

    def add(self, element):
        token, name = int(element.get("token")), "%s:%s" % (element.get("class"), element.get("name").split(" ")[0])
        known = self.methods.get(token, Method(set(), "", {}))
        statements = dict(known.statements)
        for s in element:
            offset, counter, line, column = (int(s.get(k)) for k in ("offset", "counter", "line", "column"))
            before = statements.get(offset, (0, 0, 0))
            statements[offset] = counter + before[0], line, max(column, before[2])
        self.methods[token] = Method({*known.names, name}, element.get("filename") or known.file, statements)


class Coverage(harness.Suite):
    def report(self, what, runtime, command, env):
        """A run that the program must not notice, and the file that it left."""
        out, marks = self.work / "coverage.xml", self.work / "marks"
        out.unlink(missing_ok=True)
        bare = self.bare(runtime.command(self.exe) + [marks])
        seen = harness.run(command + [marks], env, cwd=self.work)
        if runtime.kind == "mono":  # where it covers, it inlines nothing, and the traces that are printed have more
            seen.out = bare.out
        self.check((seen.code, seen.out, seen.timeout) == (bare.code, bare.out, False) and
                   ("monocle run" in what or seen.err == bare.err),
                   what + ": the program does what it does without it", "%s\n--- bare\n%s" % (seen, bare))
        try:
            return Report(out, "classic")
        except (OSError, xml.etree.ElementTree.ParseError) as error:
            self.fail(what + ": there is no whole file", error)
            return None

    def direct(self, runtime):
        env = package.environment(self.build, runtime, "coverage:output=%s" % (self.work / "coverage.xml"))
        return self.report(str(runtime), runtime, runtime.command(self.exe), env)

    def by_command(self, runtime):
        """`monocle run` finds Debian's file by its name, and gives it the output."""
        command = [self.build.monocle, "run", "--profile=coverage", "-o", self.work / "coverage.xml", "--"]
        return self.report("monocle run on %s" % runtime, runtime, command + runtime.command(self.exe),
                           harness.bare_environment())

    def differences(self, what, mine, theirs):
        odd = ["%s: %s, on Mono %s" % (k, mine.get(k), theirs.get(k)) for k in sorted({*mine, *theirs}, key=str)
               if mine.get(k) != theirs.get(k)]
        self.check(theirs and not odd, "%s: %d as on Mono" % (what, len(theirs)), "%d of them\n    %s" %
                   (len(odd), "\n    ".join(odd[:12])))

    def compare(self, what, mine, theirs):
        """
        Mono lists instances of generic classes as classes, and names methods by them. It says nothing of a method's
        columns before it ran, and counts in state machines where they give way.
        """
        definitions = {definition(name) for name in mine.classes}
        self.differences(what + ", attributes", mine.attributes, theirs.attributes)
        self.differences(what + ", classes", mine.classes, {
            name: count for name, count in theirs.classes.items()
            if name in mine.classes or definition(name) not in definitions})
        self.differences(what + ", methods", {t: m.file for t, m in mine.methods.items()},
                         {t: m.file for t, m in theirs.methods.items()})
        odd = [(m.names, theirs.methods[t].names) for t, m in mine.methods.items()
               if t in theirs.methods and not m.names <= theirs.methods[t].names]
        self.check(not odd, what + ": names of methods", odd[:8])
        ours, known = {}, {}
        for token, method in theirs.methods.items():
            own = mine.methods[token].statements if token in mine.methods else {}
            waits = any(name.endswith(":MoveNext") for name in method.names)
            for offset, (counter, line, column) in method.statements.items():
                if not waits or offset in own:
                    known[token, offset] = counter, line, column or own.get(offset, (0, 0, 0))[2]
            for offset, statement in own.items():
                ours[token, offset] = statement
        self.differences(what + ", statements", ours, known)


def main():
    suite = Coverage("mono-coverage", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    suite.exe = suite.build.path / "test/conformance/coverage/classic.exe"
    if package.missing(suite, "coverage"):
        return suite.finish()
    runtimes = suite.runtimes()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    if not mono or not suite.exe.exists():
        suite.skip("coverage", "no Mono to compare with, or no mcs", "mono")
        return suite.finish()
    theirs = suite.direct(mono)
    for runtime in runtimes if theirs else ():
        if runtime is not mono:
            mine = suite.direct(runtime)
            if mine:
                suite.compare(str(runtime), mine, theirs)
        if runtime.name in suite.newer:
            again = suite.by_command(runtime)
            suite.check(again and (runtime is mono or again.methods == mine.methods),
                        "monocle run on %s: the same" % runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
