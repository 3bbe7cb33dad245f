#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every answer of the introspection functions about a program, on Mono and on CoreCLR: they must be equal.

The programs run one after the other in one process on each runtime. The dump module (module/) walks their images when
the process ends and writes one line per answer; what it asks stands in module/answers.def. Each line of one side must
be on the other with the same value, or a row of differences.tsv covers it; a row that covers nothing fails as well.

Programs that Mono cannot run (programs/modern) print themselves what System.Reflection tells (programs/reflect.cs), in
the words of the answers; mirror.exe shows on Mono that those are the right words.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import answers  # noqa: E402
import harness  # noqa: E402

LEAST = 50000  # answers that are compared with each runtime
SHOWN = 25     # differences that are printed for one program

# Programs of several assemblies; the others have one, which bears their name.
IMAGES = {"user": "user;library"}

# Programs that print what reflection tells of them, in an order of its own; and those that need .NET.
MIRRORS = {"mirror", "modern"}
MODERN = "modern"


class Dump(harness.Suite):
    def __init__(self):
        super().__init__("dump", __doc__)
        self.compared = 0
        self.whole = True  # all programs are there and asked for: the totals must be right, too

    def programs(self):
        """The files that the build made of programs/, by name."""
        folder = self.build.path / "test/conformance/dump/programs"
        return {p.stem: p for p in sorted(folder.glob("*.exe")) + sorted(folder.glob("modern/*.exe"))}

    def ask(self, runtime, programs):
        """Runs the programs under the module: {name: (what it printed, its answers)}."""
        folder, listed = self.work / runtime.name, self.work / "programs"
        folder.mkdir()
        listed.write_text("".join("%s\n" % path for path in programs.values()))
        desc = "dump:output=%s,images=%s" % (folder, "+".join(IMAGES.get(name, name) for name in programs))
        env = harness.profile_environment(self.build, runtime, [desc])
        seen = harness.run(runtime.command(self.build.exe("each")) + [listed, "apart"], env, cwd=self.work, timeout=300)
        parts = re.split(r"^each (.*)\n", seen.out, flags=re.M)
        printed = dict(zip(parts[1::2], parts[2::2]))
        self.check(seen.code == 0 and list(printed) == list(programs), "%s: the programs end well" % runtime, seen)
        return {name: (printed.get(name), self.read("%s on %s" % (name, runtime), folder / (name + ".tsv"), seen))
                for name in programs}

    def read(self, what, file, seen):
        try:
            return answers.read_answers(file)
        except (answers.Broken, ValueError) as error:
            self.fail(what, "%s\n%s" % (error, seen))
            return None

    def compare(self, program, runtime, mono, clr, differences):
        """`mono` and `clr` are (output, answers)."""
        what = "%s on %s" % (program, runtime)
        shown = [sorted(out.split("\n")) if program in MIRRORS else out for out, _ in (mono, clr)]
        self.check(shown[0] == shown[1], what + ": output as on Mono", shown)
        expected, got = mono[1], clr[1]
        if expected is None or got is None:
            return
        self.compared += len(expected)
        bad = list(differences.compare(program, expected, got))
        self.check(not bad, "%s: %d answers as on Mono" % (what, len(expected)),
                   "%d differ\n    %s" % (len(bad), "\n    ".join(bad[:SHOWN])))

    def mirror(self, what, output, got):
        """What the program prints of itself must be what the module was told."""
        lines = [line for line in output.split("\n") if line]
        told = set(got)
        bad = ["reflection: %s" % line for line in lines if line not in told]
        self.compared += len(lines)
        self.check(lines and not bad, "%s: %d answers as reflection has them" % (what, len(lines)),
                   "%d differ\n    %s" % (len(bad), "\n    ".join(bad[:SHOWN])))

    def mirrors(self, runtime, told):
        for name in MIRRORS & set(told):
            output, got = told[name]
            if output is not None and got is not None:
                self.mirror("%s on %s" % (name, runtime), output, got)

    def compare_all(self, runtime, monos, clrs):
        differences = answers.Differences(runtime.name)
        self.compared = 0
        self.mirrors(runtime, clrs)
        for program, mono in monos.items():
            self.compare(program, runtime, mono, clrs[program], differences)
        print("%s: %d answers about %d programs compared with Mono's" % (runtime, self.compared, len(monos)))
        if not self.whole:
            return
        self.check(self.compared >= LEAST, "%s: at least %d answers" % (runtime, LEAST), self.compared)
        covered = sum(differences.used.values())
        self.check(covered * 100 < self.compared, "%s: %d answers differ as the table says, not one in a hundred" %
                   (runtime, covered), self.compared)
        for name in differences.unused():
            self.fail("%s: the class of differences %s" % (runtime, name), "it covers nothing any more")
        for name, times in sorted(differences.used.items()):
            self.check(times > 0, "%s: %s, %d times" % (runtime, name, times))


def main():
    suite = Dump()
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--programs", default="", help="some of them only, separated by commas")
    options = suite.parse(first="mono,clr8,clr10")  # .NET 8 describes pointers in another way than 9 and 10
    runtimes = suite.runtimes()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    programs = suite.programs()
    for name, needs in (("arrays", "mcs"), ("ilnames", "the IL assembler"), (MODERN, "the SDK's compiler")):
        if name not in programs:
            suite.skip(name + " and its like", "not compiled: %s was absent" % needs, "coreclr")
            suite.whole = False
    if options.programs:
        programs, suite.whole = {name: programs[name] for name in options.programs.split(",")}, False
    if not programs:
        suite.skip("all programs", "there are none")
    elif mono:
        monos = suite.ask(mono, {name: path for name, path in programs.items() if name != MODERN})
        suite.mirrors(mono, monos)
        for runtime in runtimes:
            if runtime is not mono:
                suite.compare_all(runtime, monos, suite.ask(runtime, programs))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
