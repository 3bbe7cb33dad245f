#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same module file and the same .exe on Mono and on CoreCLR: the counts of every method must be equal.

Mono is the oracle. The module `counter` compares enters and every kind of exit; the real module `calls` is asked by way
of `monocle report`, and its calls are compared with what the counter says on the same runtime.

  calls.py --build DIR [--full] [--runtimes mono,clr8,...] [--modules counter,calls] [--programs NAME,...]
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import counts  # noqa: E402
import harness  # noqa: E402

# The smoke test has counted fib.
FIRST = ["demo", "fibmt", "leaf", "exceptions", "generics", "language", "il", "lines"]
PROGRAMS = FIRST + ["fib"]
# Of these on .NET 8 and 9, whose compilers look for helpers and write exits in other ways; and the real module of them.
OLDER = ["language", "il"]
REAL = ["demo", "fibmt", "exceptions", "language", "il"]

# What the counts must be whatever both runtimes agree on: the method, and its calls by the argument of each tier.
EXACT = {
    "fib": ("Fib:Calc (int)", {"32": 7049155}),
    "fibmt": ("FibMt:Calc (int)", {"25": 4 * 242785, "32": 4 * 7049155}),
    "leaf": ("Leaf:Add (int,int)", {"10000000": 10000000, "100000000": 100000000}),
}

# Some of a program's calls, chosen by options: of which methods, and how many of them are missing.
CHOSEN = {
    "demo": [
        ("include='T:Par*,M:Numb*:*Prime?',include=M:Numb?rs:I*,exclude='M:*:*All,N:No.*'",
         r"Parser:Parse |Numbers:(CountPrimes|IsPrime) ", {}),
        ("trigger=M:Parser:ParseA??", r"Parser:|Demo/<Texts>.*:(?!\.ctor)", {}),
        ("trigger=exception:*.FormatExcept*,include=T:Parser", "Parser:Parse ", {"Parser:Parse (string)": 1}),
    ],
}

SETTINGS = {
    "default": {},
    "no-tiering": {"DOTNET_TieredCompilation": "0"},
    "no-r2r": {"DOTNET_ReadyToRun": "0"},
    "no-pgo": {"DOTNET_TieredPGO": "0"},
}


class Conformance(harness.Suite):
    def command(self, runtime, program):
        """The least work in the first tier, the most in the second."""
        arguments = list(EXACT[program][1]) if program in EXACT else [None]
        argument = arguments[-1 if self.options.full else 0]
        return runtime.command(self.build.exe(program)) + ([argument] if argument else [])

    def run_under(self, runtime, program, modules, settings):
        env = harness.profile_environment(self.build, runtime, modules, settings)
        return harness.run(self.command(runtime, program), env, cwd=self.work, timeout=300)

    def same_output(self, what, runtime, program, settings, seen):
        """A profiled program's behaviour never changes."""
        bare = self.bare(self.command(runtime, program), settings)
        good = (bare.code, bare.out) == (seen.code, seen.out) and not seen.timeout
        return self.check(good, what + ": output as without a profiler", "%s\n--- bare\n%s" % (seen, bare))

    def counter(self, runtime, program, settings_name):
        """What a run under the counter says, {method: Row}; None when there is nothing to compare. It is asked once."""
        key = runtime.name, program, settings_name
        if key not in self.counted:
            self.counted[key] = self.count(runtime, program, settings_name)
        return self.counted[key]

    def count(self, runtime, program, settings_name):
        what = "counter %s %s %s" % (runtime, settings_name, program)
        settings = SETTINGS[settings_name]
        file = self.work / ("%s-%s-%s.tsv" % (runtime, settings_name, program))
        seen = self.run_under(runtime, program, ["counter:image=%s,output=%s" % (program, file)], settings)
        self.same_output(what, runtime, program, settings, seen)
        if not self.check(file.exists(), what + ": the module wrote its counts", seen):
            return None
        rows, lost = counts.read_counter(file)
        self.check(lost == 0, what + ": no event lost", lost)
        return rows

    def check_exact(self, what, program, calls):
        if program in EXACT:
            method, expected = EXACT[program][0], list(EXACT[program][1].values())[-1 if self.options.full else 0]
            self.check(calls.get(method) == expected, "%s: %s is called %d times" % (what, method, expected),
                       "%s" % calls.get(method))

    def check_rows(self, runtime, program, settings_name, rows, differences):
        what = "counter %s %s %s" % (runtime, settings_name, program)
        rows = differences.canonical(rows)
        self.check_exact(what, program, {m: r.enter for m, r in rows.items()})
        bad = list(differences.unbalanced(rows, runtime.kind == "mono"))
        self.check(not bad, what + ": as many exits as enters", "\n    " + "\n    ".join(bad))
        return rows

    def compare_program(self, mono, others, program, settings_names):
        differences = counts.Differences(program)
        reference = None
        if mono:
            rows = self.counter(mono, program, "default")
            if rows is None:
                return
            reference = self.check_rows(mono, program, "default", rows, differences)
        for runtime in others:
            for name in settings_names:
                self.compare_one(runtime, program, name, reference, differences)

    def compare_one(self, runtime, program, settings_name, reference, differences):
        rows = self.counter(runtime, program, settings_name)
        if rows is None:
            return
        rows = self.check_rows(runtime, program, settings_name, rows, differences)
        if reference is None:
            return
        bad = list(differences.compare(reference, rows))
        self.check(not bad, "counter %s %s %s: counts as on Mono" % (runtime, settings_name, program),
                   "\n    " + "\n    ".join(bad))

    def calls(self, runtime, program, settings_name):
        """The real module against the counter, on the same runtime."""
        what = "calls %s %s %s" % (runtime, settings_name, program)
        settings = SETTINGS[settings_name]
        file = self.work / ("%s-%s-%s.pb.gz" % (runtime, settings_name, program))
        seen = self.run_under(runtime, program, ["calls:output=%s" % file], settings)
        self.same_output(what, runtime, program, settings, seen)
        if not self.check(file.exists(), what + ": there is a profile", seen):
            return
        report = harness.run([self.build.monocle, "report", "--format=tsv", file], harness.bare_environment())
        if not self.check(report.code == 0, what + ": monocle report reads it", report):
            return
        got = counts.read_report(report.out)
        self.check_exact(what, program, got)
        rows = self.counter(runtime, program, settings_name)
        if rows is not None:
            self.compare_calls(what, program, got, rows)
        for row in CHOSEN.get(program, []):
            self.chosen(runtime, program, what, got, *row)

    def chosen(self, runtime, program, what, every, options, names, missing):
        """What is chosen by names or by a trigger is counted as it was among all calls."""
        file = self.work / ("%s-%s-chosen.pb.gz" % (runtime, program))
        self.run_under(runtime, program, ["calls:time=none,%s,output=%s" % (options, file)], {})
        report = harness.run([self.build.monocle, "report", "--format=tsv", file], harness.bare_environment())
        got = counts.read_report(report.out)
        wanted = {m: n - missing.get(m, 0) for m, n in every.items() if re.match(names, m)}
        self.check(got == wanted and got, "%s: %s" % (what, options), "got %s, wanted %s" % (got, wanted))

    def compare_calls(self, what, program, got, rows):
        differences = counts.Differences(program)
        wanted = {m: r.enter for m, r in differences.canonical(rows).items() if r.enter}
        got = {m: n for m, n in got.items() if not differences.rule(m, "ignore")}
        bad = ["%s: calls %s, counter %s" % (m, got.get(m), wanted.get(m))
               for m in sorted(set(got) | set(wanted)) if got.get(m) != wanted.get(m)]
        self.check(not bad, what + ": calls as the counter saw them", "\n    " + "\n    ".join(bad))

    def documented(self):
        """Every class of difference is explained to users."""
        text = (harness.TOP / "doc" / "differences.md").read_text()
        for rule in counts.read_rules():
            self.check("`%s`" % rule.id in text, "doc/differences.md explains " + rule.id)


def settings_of(runtime, program, names):
    """The yardsticks are run in every setting; the settings mean nothing to Mono."""
    return names if runtime.kind == "coreclr" and program in EXACT else ["default"]


def main():
    suite = Conformance("conformance", __doc__)
    suite.parser.add_argument("--modules", default="counter,calls")
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--programs")
    suite.parser.add_argument("--settings")
    options = suite.parse("mono," + harness.TO_10)
    settings = (options.settings or (",".join(SETTINGS) if options.full else "default")).split(",")
    runtimes, suite.counted = suite.runtimes(), {}
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    suite.documented()
    modules = options.modules.split(",")
    for program in options.programs.split(",") if options.programs else PROGRAMS if options.full else FIRST:
        older = options.full or options.programs or program in OLDER
        asked = [r for r in runtimes if older or r.name not in ("clr8", "clr9")]
        if not suite.build.exe(program).exists():
            suite.skip(program, "not compiled: mcs (or the SDK's compiler) was absent", "mono")
            continue
        if "counter" in modules:
            suite.compare_program(mono, [r for r in asked if r is not mono], program, settings)
        for runtime in asked if "calls" in modules else ():
            real = program in REAL and runtime.name not in ("clr8", "clr9")
            for name in settings_of(runtime, program, settings) if options.full or real else ():
                suite.calls(runtime, program, name)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
