#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Coverage is what the programs say of themselves, and the same on Mono and on each .NET.

Programs mark each line that they run and each way that a condition goes (marks.cs), and write down how often. Compiled
by mcs and by the SDK's compiler, with and without optimisation, and with methods that the runtime itself suspends, they
run in one process, bare, with executions counted and with hits alone. Lines must be the markers', ways out of branches
as well, points the same on every runtime, and what the programs print, their stack traces included, must stay what it
is.

  coverage.py --build DIR [--runtimes mono,clr8,...]
"""
import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

MARKER = re.compile(r"\bM\.(L \(\)|V \(|If \(|V<)")
WAITS = re.compile(r":(MoveNext|SetStateMachine) ")
SAID = re.compile(r"//(\w*)= (.*)$")
SUSPENDS = {"DOTNET_RuntimeAsync": "1"}
ALL = harness.ALL.split(",")
NET = ALL[1:]
MODES = ("mode=hits,low", "mode=counts,low,contexts,clauses", "mode=hits", "mode=own", "mode=counts,again")
Program = collections.namedtuple("Program", "name sources words runtimes")  # words: its ways are `//WORD=`
PROGRAMS = [Program(*row) for row in (
    ("classic", ["classic.cs"], ["mcs"], ALL),
    ("classic-debug", ["classic.cs"], ["debug", "csc"], ALL),
    ("classic-release", ["classic.cs"], ["release", "csc"], ALL),
    ("newer-debug", ["newer.cs"], ["debug", "csc"], ALL),
    ("newer-release", ["newer.cs"], ["release", "csc"], ALL),
    ("modern-debug", ["modern.cs"], ["debug", "csc"], NET),
    ("modern-release", ["modern.cs"], ["release", "csc"], NET),
    ("modern-embedded", ["modern.cs"], ["release", "csc"], NET),
    ("newer-suspended", ["newer.cs"], ["suspended", "release", "csc"], ["clr10", "clr11"]),  # by the runtime
    ("modern-suspended", ["modern.cs"], ["suspended", "release", "csc"], ["clr10", "clr11"]),
    ("classic-plain", [], [], ALL),  # without symbols
    ("newer-plain", [], [], ALL),
    ("odd", [], [], ALL),  # instructions
    ("lined", [], [], ALL),  # instructions with lines
)]
Point = collections.namedtuple("Point", "token offset counter line column file")
Arm = collections.namedtuple("Arm", "token offset path counter line target switch file")


class Dump:
    """What the module wrote of an image. On Mono instances have counters of their own: they add up on the points of the
    definition."""

    def __init__(self):
        self.points, self.arms, self.names = {}, {}, {}

    def read(self, words):
        if words[0] == "method":
            self.names.setdefault(words[2], words[3])
        elif words[0] == "point":
            point = Point(words[1], *map(int, words[2:6]), words[6])
            key = (point.token, point.offset)
            if key in self.points:
                known = self.points[key]
                point = point._replace(counter=point.counter + known.counter, column=max(point.column, known.column))
            self.points[key] = point
        elif words[0] == "arm":
            arm = Arm(words[1], *map(int, words[2:8]), words[8])
            self.arms[arm.token, arm.offset, arm.path] = arm

    def lines(self, source):
        """How often each line of a file ran: the most of the points that begin there."""
        lines = {}
        for p in self.points.values():
            if p.file.endswith("/" + source):
                lines[p.line] = max(lines.get(p.line, 0), p.counter)
        return lines

    def ways(self, source):
        """The branches of each line: how often each went which way, sorted."""
        branches = collections.defaultdict(list)
        for arm in self.arms.values():
            if arm.file.endswith("/" + source):
                branches[arm.line, arm.token, arm.offset].append(arm.counter)
        lines = collections.defaultdict(list)
        for (line, _, _), counters in sorted(branches.items()):
            lines[line].append(tuple(sorted(counters)))
        return {line: sorted(ways) for line, ways in lines.items()}


class Source:
    """What a source and a run of it say: markers, and the ways that are written beside it."""

    def __init__(self, name, marks, words):
        self.name = name
        self.marked, self.said = set(), {}
        for number, line in enumerate((HERE / name).read_text().splitlines(), 1):
            if MARKER.search(line):
                self.marked.add(number)
            found = {w or "": v for w, v in SAID.findall(line)}
            for word in ["", *words]:
                if word in found:
                    self.said[number] = found[word].strip()
        self.lines = {n: marks.lines.get(n, 0) for n in self.marked}
        self.ways = collections.defaultdict(list)
        for line, ways in marks.ways.items():
            self.ways[line] += [tuple(sorted(w)) for w in ways]
        for line, words in self.said.items():
            if re.match(r"\d", words):
                self.ways[line] += [tuple(sorted(int(n) for n in w.split(":"))) for w in words.split()]


class Dumps(dict):
    """{image: what the module wrote of it}, how the file ends, and how many other events there were."""

    def __init__(self, file):
        self.end, self.events, image = None, 0, Dump()
        for words in (line.split("\t") for line in file.read_text(errors="replace").split("\n")):
            if words[0] == "image":
                image = self.setdefault(words[1], Dump())
            elif words[0] == "sum":
                self.events = int(words[4])
            elif words[0] == "end":
                self.end = words[1]
            else:
                image.read(words)


class Marks:
    def __init__(self, file):
        self.lines, self.ways = {}, collections.defaultdict(list)
        for words in (line.split() for line in file.read_text().splitlines()):
            if words[0] == "line":
                self.lines[int(words[1])] = int(words[2])
            else:
                self.ways[int(words[1])].append((int(words[2]), int(words[3])))


class Coverage(harness.Suite):
    def run(self, runtime, programs, env):
        """All programs, one after the other."""
        rows = ["%s\t%s" % (self.folder / (p.name + ".exe"), self.work / (p.name + ".marks")) for p in programs]
        (self.work / "programs.tsv").write_text("\n".join(rows) + "\n")
        exe = self.build.exe("each")
        return harness.run(runtime.command(exe) + [self.work / "programs.tsv"], env, self.work)

    def dump(self, what, runtime, programs, mode, bare):
        output = self.work / "dump.tsv"
        output.unlink(missing_ok=True)
        images = ",".join("image=" + program.name for program in programs)
        env = harness.profile_environment(self.build, runtime, ["counted:%s,%s,output=%s" % (mode, images, output)],
                                          SUSPENDS)
        seen = self.run(runtime, programs, env)
        if runtime.kind == "mono":  # where it covers, it inlines nothing, and frames are more
            for run in (seen, bare):
                run.out = re.sub(r"(?m)^ +at .*\n", "", run.out)
        self.check((seen.code, seen.out, seen.err) == (bare.code, bare.out, bare.err),
                   what + ": the programs do what they do without us", "%s\nbare: %s" % (seen, bare))
        if not self.check(output.exists(), what + ": the module wrote", seen):
            return None
        dumps = Dumps(output)
        self.check(dumps.end == "ok", what + ": all was written", dumps.end)
        self.check((dumps.events > 0) == ("contexts" in mode or "again" in mode),
                   what + ": events when they are asked for", dumps.events)
        return dumps

    def differences(self, what, mine, theirs, names=("has", "should have")):
        odd = ["%s: %s %s, %s %s" % (k, names[0], mine.get(k), names[1], theirs.get(k))
               for k in sorted(set(mine) | set(theirs)) if mine.get(k) != theirs.get(k)]
        self.check(not odd, what, "%d\n    %s" % (len(odd), "\n    ".join(odd[:12])))

    def check_lines(self, what, dump, source, once):
        lines = dump.lines(source.name)
        marked = {n: min(c, 1) if once else c for n, c in source.lines.items()}
        self.differences(what + ": lines are the markers'", {n: lines.get(n) for n in marked}, marked)

    def check_ways(self, what, dump, source):
        ways = dump.ways(source.name)
        odd = []
        for line in sorted({*ways, *source.ways, *source.said}):
            mine, marked = collections.Counter(ways.get(line, [])), source.ways.get(line, [])
            if source.said.get(line) != "any" and mine != collections.Counter(marked):
                odd.append("%d: has %s, should have %s" % (line, sorted(mine.elements()), marked))
        self.check(not odd, what + ": ways are the markers'", "%d\n    %s" % (len(odd), "\n    ".join(odd[:20])))

    def see(self, what, dump, program, firsts, is_mono):
        marks = Marks(self.work / (program.name + ".marks"))
        for source in (Source(s, marks, program.words) for s in program.sources):
            self.check_lines(what, dump, source, False)
            if dump.arms:
                self.check_ways(what, dump, source)
        if program.name == "lined" and dump.arms:
            self.every_branch(what, dump)
        self.beside(what, dump, firsts, is_mono, program.name in ("odd", "lined"))

    def see_runtime(self, runtime, firsts, is_newer):
        programs = [p for p in PROGRAMS if runtime.name in p.runtimes and (self.folder / (p.name + ".exe")).exists()]
        bare = self.run(runtime, programs, harness.bare_environment(SUSPENDS))
        counted = self.dump(str(runtime), runtime, programs, "mode=counts", bare)
        for program in programs if counted else ():
            what = "%s on %s" % (program.name, runtime)
            if self.check(program.name in counted, what + ": the module wrote of it", list(counted)):
                self.see(what, counted[program.name], program, firsts[program.name], runtime.kind == "mono")
        for mode in MODES if counted and is_newer else ():
            dumps = self.dump("%s, %s" % (runtime, mode), runtime, programs, mode, bare)
            for name, dump in counted.items() if dumps else ():
                self.compare("%s on %s, %s" % (name, runtime, mode), mode, dump, dumps.get(name, Dump()))

    def every_branch(self, what, dump):
        """Where each instruction has a line, a branch went as often as it ran."""
        went = collections.Counter()
        for arm in dump.arms.values():
            went[arm.token, arm.offset] += arm.counter
        self.differences(what + ": branches go as often as they run", went,
                         {k: dump.points[k].counter for k in went})

    def beside(self, what, dump, firsts, is_mono, instructions):
        """Points and ways are those of the first runtime."""
        points = {(dump.names[k[0]], *k): p for k, p in dump.points.items()}
        arms = {(dump.names[k[0]], *k): p for k, p in dump.arms.items()}
        if firsts.points:
            if firsts.is_mono:
                firsts.adapt(points)
            if not firsts.symbols or instructions:
                points = firsts.comparable(points)
            self.differences(what + ": points as on the first runtime", points, firsts.points)
        else:
            firsts.points, firsts.is_mono = points, is_mono
            firsts.symbols = any(p.file != "-" for p in points.values())
        if firsts.arms and arms:
            self.differences(what + ": ways as on the first runtime", arms, firsts.arms)
        firsts.arms = firsts.arms or arms

    def compare(self, what, mode, counted, dump):
        """
        Hits are executions that were any, and counters of the core's own and below 2 GiB are as good. They stand in one
        body with everything else that may, and stay when it is replaced.
        """
        most = 1 if "hits" in mode else 1 << 32
        for name in ("points", "arms") if mode != "mode=own" else ("points",):
            compared = {k for k, p in getattr(counted, name).items() if p.file != "-" or
                        not WAITS.search(counted.names[k[0]])}
            mine = {k: p.counter for k, p in getattr(dump, name).items() if k in compared}
            theirs = {k: min(p.counter, most) for k, p in getattr(counted, name).items() if k in compared}
            self.differences("%s: the same %s" % (what, name), mine, theirs)


class Firsts:
    """What the first runtime said."""

    points = arms = None
    is_mono = symbols = False

    def adapt(self, others):
        """Mono gives methods that never ran no columns, and counts where async methods give way and go on."""
        self.points = {k: p for k, p in self.points.items() if k in others or not k[0].endswith(":MoveNext ()")}
        for key, point in self.points.items():
            if not point.counter and not point.column and key in others:
                self.points[key] = point._replace(column=others[key].column)

    def comparable(self, others):
        """
        Mono says nothing of what nothing reaches, nor, without symbols, of what never ran. Without symbols all that a
        compiler wrote is counted: what a method does when it gives way, too, and whether it has to is no two times
        the same.
        """
        if self.is_mono:
            others = {k: p for k, p in others.items() if p.counter or k in self.points}
        for points in (self.points, others):
            for key, point in points.items():
                if WAITS.search(key[0]):
                    points[key] = point._replace(counter=0)
        return others


def main():
    suite = Coverage("coverage", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    suite.folder = suite.build.path / "test/conformance/coverage"
    missing = [program.name for program in PROGRAMS if not (suite.folder / (program.name + ".exe")).exists()]
    for name in missing:
        suite.skip(name, "it was not compiled")
    if len(missing) == len(PROGRAMS):
        return suite.finish()
    firsts = collections.defaultdict(Firsts)
    for runtime in suite.runtimes():
        suite.see_runtime(runtime, firsts, runtime.name in suite.newer)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
