#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every answer of the introspection functions about a program, on Mono and on CoreCLR: they must be equal.

The dump module (module/) walks the program's own images when the program ends and writes one line per answer; what it
asks stands in module/answers.def. The same .exe runs on each runtime. Each line of one side must be on the other with
the same value, or a row of differences.tsv covers it; a row that covers nothing fails as well.

Programs that Mono cannot run (programs/modern) print themselves what System.Reflection tells (programs/reflect.cs), in
the words of the answers; mirror.exe shows on Mono that those are the right words.
"""
import concurrent.futures
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import answers  # noqa: E402
import harness  # noqa: E402

LEAST = 50000  # answers that are compared with each runtime
SHOWN = 25     # differences that are printed for one program

# Programs of several assemblies; the others have one, which bears their name.
IMAGES = {"user": "user;library"}

# Programs that print what reflection tells of them, in an order of its own.
MIRRORS = {"mirror"}


class Dump(harness.Suite):
    def __init__(self):
        super().__init__("dump", __doc__)
        self.compared = 0
        self.whole = True  # all programs are there and asked for: the totals must be right, too

    def programs(self):
        """The folder with what the build made of programs/, and its names."""
        folder = self.build.path / "test/conformance/dump/programs"
        return folder, sorted(p.stem for p in folder.glob("*.exe"))

    def ask(self, runtime, exe):
        """Runs the program under the module: its outcome, and the file of answers."""
        file = self.work / ("%s-%s.tsv" % (exe.stem, runtime))
        desc = "dump:output=%s,images=%s" % (file, IMAGES.get(exe.stem, exe.stem))
        env = harness.profile_environment(self.build, runtime, [desc])
        return harness.run(runtime.command(exe), env, cwd=self.work, timeout=120), file

    def read(self, what, outcome, file):
        try:
            return answers.read_answers(file)
        except (answers.Broken, ValueError) as error:
            self.fail(what, "%s\n%s" % (error, outcome))
            return None

    def compare(self, program, runtime, mono, clr, differences):
        """`mono` and `clr` are (outcome, file)."""
        what = "%s on %s" % (program, runtime)
        shown = [(o.code, sorted(o.out.split("\n")) if program in MIRRORS else o.out) for o in (mono[0], clr[0])]
        self.check(shown[0] == shown[1], what + ": output as on Mono", "%s\n--- mono\n%s" % (clr[0], mono[0]))
        expected, got = self.read(program + " on mono", *mono), self.read(what, *clr)
        if expected is None or got is None:
            return
        if program in MIRRORS:
            self.mirror(program + " on mono", mono[0].out, expected)
            self.mirror(what, clr[0].out, got)
        self.compared += len(expected)
        bad = list(differences.compare(program, expected, got))
        self.check(not bad, "%s: %d answers as on Mono" % (what, len(expected)),
                   "%d differ\n    %s" % (len(bad), "\n    ".join(bad[:SHOWN])))

    def mirror(self, what, output, got):
        """What the program prints of itself must be what the module was told."""
        lines = [line.split("\t") for line in output.split("\n") if line]
        bad = ["%s: %s: reflection %s, answer %s" % (s, k, v, got.get((s, k)))
               for s, k, v in lines if got.get((s, k)) != v]
        self.compared += len(lines)
        self.check(lines and not bad, "%s: %d answers as reflection has them" % (what, len(lines)),
                   "%d differ\n    %s" % (len(bad), "\n    ".join(bad[:SHOWN])))

    def modern(self, runtime, folder):
        """The programs that Mono cannot run."""
        for exe in sorted((folder / "modern").glob("*.exe")):
            what = "%s on %s" % (exe.stem, runtime)
            outcome, file = self.ask(runtime, exe)
            got = self.read(what, outcome, file)
            if got is not None and self.check(outcome.code == 0, what + ": ends well", outcome):
                self.mirror(what, outcome.out, got)

    def compare_all(self, mono, runtime, folder, programs):
        differences = answers.Differences(runtime.name)
        before = self.compared
        # Two at a time: the runtimes start slowly, and their own threads idle meanwhile.
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [(p, pool.submit(self.ask, mono, folder / (p + ".exe")),
                     pool.submit(self.ask, runtime, folder / (p + ".exe"))) for p in programs]
            for program, on_mono, on_clr in jobs:
                self.compare(program, runtime, on_mono.result(), on_clr.result(), differences)
        if not self.options.programs:
            self.modern(runtime, folder)
        count = self.compared - before
        print("%s: %d answers about %d programs compared with Mono's" % (runtime, count, len(programs)))
        if not self.whole:
            return
        self.check(count >= LEAST, "%s: at least %d answers" % (runtime, LEAST), count)
        covered = sum(differences.used.values())
        self.check(covered * 100 < count, "%s: %d answers differ as the table says, not one in a hundred" %
                   (runtime, covered), count)
        for name in differences.unused():
            self.fail("%s: the class of differences %s" % (runtime, name), "it covers nothing any more")
        for name, times in sorted(differences.used.items()):
            self.check(times > 0, "%s: %s, %d times" % (runtime, name, times))


def main():
    suite = Dump()
    suite.parser.add_argument("--runtimes", default="mono,clr8,clr9,clr10")
    suite.parser.add_argument("--programs", default="", help="some of them only, separated by commas")
    options = suite.parse()
    runtimes = suite.runtimes(options.runtimes.split(","))
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    folder, programs = suite.programs()
    if options.programs:
        programs, suite.whole = options.programs.split(","), False
    for name, needs in (("arrays", "mcs"), ("ilnames", "the IL assembler"), ("modern/modern", "the SDK's compiler")):
        if not (folder / (name + ".exe")).exists():
            suite.skip(name + " and its like", "not compiled: %s was absent" % needs, "coreclr")
            suite.whole = False
    if not programs:
        suite.skip("all programs", "there are none")
    elif mono:
        for runtime in runtimes:
            if runtime is not mono:
                suite.compare_all(mono, runtime, folder, programs)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
