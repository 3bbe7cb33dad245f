#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What call contexts show, on Mono and on CoreCLR: for each call what the program itself says of it.

The program (rows.py, special.cs, log.cs) says it for the first call of each kind; the module callvalues.c says it for
every call, also when its code was compiled better. modern.exe is the same by the SDK's compiler, and modern.cs;
awaits.exe and open.exe are for .NET 10 alone. Modules that import some getters, or none, get what they may.
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import harness  # noqa: E402

# Name: how often each call is made, and the environment. Code is compiled again after 30 calls.
SETTINGS = {
    "default": (10, {}),
    "hot": (250, {"DOTNET_TC_CallCountingDelayMs": "0", "DOTNET_TC_BackgroundWorkerTimeoutMs": "0"}),
    "no-tiering": (3, {"DOTNET_TieredCompilation": "0"}),
    "no-pgo": (100, {"DOTNET_TieredPGO": "0", "DOTNET_TC_QuickJitForLoops": "0", "DOTNET_TC_CallCountingDelayMs": "0"}),
    "no-r2r": (3, {"DOTNET_ReadyToRun": "0"}),
    "no-concurrent-gc": (3, {"DOTNET_gcConcurrent": "0", "DOTNET_GCgen0size": "100000"}),
}

FIRST = ["default", "no-tiering"]

# In methods of a generic class over a struct with references .NET 8 and 9 do not say which class it is when the method
# is compiled: doc/differences.md.
UNKNOWN = re.compile(r"^[<>] Generic`1\.Keep .*(\|(G`1\{)+(KeyValuePair|ValueTuple|G)`|of unknown size|BAD SIZE 0)")

# Values have so many words on CoreCLR; an integer takes one.
WORDS = 120

PARTS = ["results", "lookup", "ungranted"]


def within_words(line):
    """What a context of CoreCLR shows of more values than it has words for: doc/differences.md."""
    match = re.match(r"(. X150\.Call this=- \()(.*)\)( = .* ;)?$", line)
    if not match:
        return line
    arguments = match[2].split("|")
    return match[1] + "|".join(arguments[:WORDS] + ["NULL"] * len(arguments[WORDS:])) + ")" + (
        " = NULL ;" if match[3] else "")


def expected_lines(out, times, with_locals, all_words):
    """Each line that must be there, in their order, and how often."""
    lines = collections.Counter()
    for line in out.splitlines():
        line = line if all_words else within_words(line)
        once = line[2:3] == "*"
        line = line[:2] + line[3:] if once else line
        if line[0] == "<" and not with_locals:
            line = line[:line.rindex(";") + 1]
        lines[line] += 1 if once else times
    return lines


def read_lines(file):
    lines = {}
    for line in file.read_text(errors="replace").splitlines():
        count, _, text = line.partition(" ")
        lines[text] = int(count)
    return lines


class Contexts(harness.Suite):
    def parse(self, **runtimes):
        options = super().parse(**runtimes)
        self.here = self.build.path / "test/conformance/contexts"
        return options

    def start(self, runtime, program, arguments, modules, settings=None):
        env = harness.profile_environment(self.build, runtime, modules, settings)
        return harness.run(runtime.command(self.here / program) + arguments, env, cwd=self.work)

    def compare(self, what, runtime, wanted, got):
        if runtime.name in ("clr8", "clr9"):
            wanted, got = ({k: v for k, v in lines.items() if not UNKNOWN.match(k)} for lines in (wanted, got))
        odd = ["%s: %s times" % (k, v) for k, v in wanted.items() if got.get(k) != v]
        odd += ["%s: the module alone, %s times" % (k, v) for k, v in got.items() if k not in wanted]
        self.check(not odd, "%s: %d lines as the program says them" % (what, len(wanted)),
                   "\n    ".join([""] + odd[:20]))
        self.check(list(wanted) == list(got), what + ": in the same order")

    def rows(self, runtime, name, program="contexts.exe", least=900, more=None):
        times, settings = SETTINGS[name]
        settings = dict(settings, **more or {})
        what = "%s %s %s" % (runtime, name, program)
        file = self.work / ("%s-%s-%s.txt" % (runtime, name, program))
        is_mono = runtime.kind == "mono"
        desc = "callvalues:%simage=%s,output=%s" % ("" if is_mono else "locals,", program.partition(".")[0], file)
        seen = self.start(runtime, program, [str(times)] + ([] if is_mono else ["large"]), [desc], settings)
        if not self.check(seen.code == 0 and file.exists() and not seen.err, what + ": runs to its end", seen):
            return
        wanted = expected_lines(seen.out, times, not is_mono, is_mono)
        self.check(len(wanted) > least, what + ": the program says what it does", len(wanted))
        self.compare(what, runtime, wanted, read_lines(file))

    def threads(self, runtime):
        """Objects that collections move about are what the program says, and errno stays."""
        what, file = "%s threads" % runtime, self.work / ("%s-threads.txt" % runtime)
        seen = self.start(runtime, "threads.exe", [], ["callvalues:image=threads,output=%s" % file],
                          {"DOTNET_TieredCompilation": "0"})
        said = re.fullmatch(r"(\d+) rounds, 0 wrong\n", seen.err)
        if self.check(seen.code == 0 and said and file.exists(), what + ": runs to its end", seen):
            self.compare(what, runtime, expected_lines(seen.out, int(said[1]), False, True), read_lines(file))

    def awaits(self, runtime, settings):
        """Methods that the runtime suspends: only the SDK of .NET 10 or later compiles them so."""
        bare = harness.run(runtime.command(self.here / "awaits.exe") + ["1"],
                           harness.bare_environment({"DOTNET_RuntimeAsync": "1"}), cwd=self.work)
        if not (self.here / "awaits.exe").exists() or bare.code == 77:
            self.skip("awaits", "compiled by an SDK that is older than .NET 10", "coreclr")
            return
        for name in settings:
            self.rows(runtime, name, "awaits.exe", 20, {"DOTNET_RuntimeAsync": "1"})

    def parts(self, runtime):
        """Two modules at once get what either imports; contexts are there wherever somebody asked for them."""
        files = {name: self.work / ("%s-%s.txt" % (runtime, name)) for name in PARTS}
        answers = {}
        for names in (["results"], ["lookup"], ["ungranted"], ["results", "lookup"]):
            modules = ["part%s:output=%s" % (name, files[name]) for name in names]
            seen = self.start(runtime, "contexts.exe", ["1"], modules)
            what = "%s %s" % (runtime, " and ".join(names))
            if not self.check(seen.code == 0 and not seen.err, what + ": runs to its end", seen):
                continue
            for name in names:
                words = files[name].read_text().split()
                calls, contexts, own, argument, result = (int(words[i]) for i in (0, 2, 4, 5, 6))
                answers[name, len(names)] = calls, contexts, own, argument, result
        calls = answers["results", 1][0]
        instances = answers["results", 1][1]
        self.check(calls > 300 and instances * 3 == calls, "%s: contexts for a part of the calls" % runtime, answers)
        for key, wanted in {("results", 1): (0, 0, instances // 2), ("results", 2): (0, 0, instances // 2),
                            ("lookup", 1): (instances, instances, instances // 2),
                            ("lookup", 2): (instances, instances, instances // 2),
                            ("ungranted", 1): (0, 0, 0)}.items():
            self.check(answers.get(key) == (calls, instances) + wanted,
                       "%s: %s of %d gets what it may" % (runtime, key[0], key[1]), answers)


def main():
    suite = Contexts("contexts", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--settings")
    options = suite.parse(first=harness.ALL)
    settings = options.settings.split(",") if options.settings else SETTINGS if options.full else FIRST
    runtimes = suite.runtimes()
    if not (suite.here / "contexts.exe").exists():
        suite.skip("contexts", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in runtimes:
        suite.rows(runtime, "default")
        if runtime.name in ("mono", "clr10") or options.full:
            suite.threads(runtime)
            if runtime.kind == "coreclr" and (suite.here / "modern.exe").exists():
                suite.rows(runtime, "default", "modern.exe")
    for runtime in runtimes:
        if runtime.name in ["mono"] + suite.newer:
            suite.parts(runtime)
        if runtime.name == "clr11" and not options.full:
            suite.awaits(runtime, settings)
        if runtime.name in suite.newer:
            if (suite.here / "open.exe").exists():
                suite.rows(runtime, "hot", "open.exe", 8)
            suite.awaits(runtime, settings)
            for name in settings:
                if name != "default":
                    suite.rows(runtime, name)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
