#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exception_clause and the object of method_exception_leave, on Mono and on CoreCLR.

Programs that reach handlers in every way (clauses.cs, and clauses-il.il for what no C# compiler writes) are compiled
once. Of each thread all that the module `events` is told about exceptions and calls of the program's own methods is
compared with real Mono's, line by line, in order. The class library's precompiled methods are CoreCLR's own: there
settings that make different machine code of the same IL must tell the same.

  clauses.py --build DIR [--full] [--runtimes mono,clr8,...]
"""
import difflib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "events")]
import harness  # noqa: E402
import story  # noqa: E402
import topics as events  # noqa: E402

SETTINGS = [{}, {"DOTNET_TieredCompilation": "0"}, {"DOTNET_TieredPGO": "0"}, {"DOTNET_ReadyToRun": "0"},
            {"DOTNET_gcServer": "1"}, {"DOTNET_TC_BackgroundWorkerTimeoutMs": "0", "DOTNET_TC_CallCountThreshold": "2"}]
PROGRAMS = {"clauses": ["normal", "thrown", "leaving", "filters", "again", "inside", "callers", "hot"],
            "clauses-il": []}
CALLS = "only=exception_throw+exception_clause+method,calls"
SAID = ("method", "index", "type", "exception")
BARE = "only=exception_throw+exception_clause"

TOLD = ("exception_clause", "method_enter", "method_leave", "method_exception_leave", "method_tail_call")

# Methods of the class library and of the runtime, which are other ones on Mono.
FOREIGN = re.compile(r"System\.|Microsoft\.|Interop|Internal\.|\(wrapper|(string|object|int|uintptr):")


def word(line):
    values = line.values
    if line.event == "exception_throw":
        # Mono's console asks for a culture that is not there, and catches the answer.
        return None if "CultureNotFound" in values["exception"] else "throw " + values["exception"]
    if line.event not in TOLD:
        return None
    if FOREIGN.match(values["method"]):
        return None
    rest = " ".join(values[k] for k in ("index", "type", "exception") if k in values)
    return "%s %s %s" % (line.event, values["method"], rest)


def without_second_throw(words):
    """An exception that MethodInfo.Invoke () wraps: Mono and .NET 9 and 10 throw it once more where it leaves."""
    wrapped = "throw System.Reflection.TargetInvocationException"
    return [w for i, w in enumerate(words) if not (w == "throw Failure" and words[i + 1:i + 2] == [wrapped])]


def own(lines):
    return [without_second_throw(t) for t in events.per_thread(lines, word)]


def clauses(lines):
    """All that is said of clauses, the class library's included, in the order of each thread."""
    def words(line):
        return line.event == "exception_clause" and " ".join(line.values[k] for k in SAID)
    return events.per_thread(lines, words)


def difference(mine, monos):
    flat = [[w for thread in side for w in thread] for side in (monos, mine)]
    return "\n".join([""] + list(difflib.unified_diff(*flat, "Mono", "CoreCLR", lineterm="", n=2))[:30])


class Clauses(harness.Suite):
    def exe(self, name):
        return self.build.path / "test/conformance/clauses" / (name + ".exe")

    def log(self, runtime, program, topics, options, settings):
        file = self.work / "clauses.log"
        file.unlink(missing_ok=True)
        module = "events:%s,buffer=%d,output=%s" % (options, events.BUFFER, file)
        env = harness.profile_environment(self.build, runtime, [module], settings)
        seen = harness.run(runtime.command(self.exe(program)) + topics, env, self.work)
        what = "%s on %s %s" % (program, runtime, " ".join("%s=%s" % s for s in settings.items()))
        self.check(seen.code == 0 and seen.out.endswith("done\n"), what + ": the program runs as it would", seen)
        lines = story.Log(file.read_text()).lines if file.exists() else []
        return what, lines, seen

    def settings(self, clr, clrs, options):
        """All on the newest runtime with --full; without calls the compiler's choices make no difference."""
        if options == BARE:
            return SETTINGS[:1] if self.options.full or clr is clrs[-1] else []
        return SETTINGS[:(2, 6)[clr is clrs[-1]] if self.options.full else (1, 2)[clr is clrs[-1]]]

    def compare(self, mono, clrs, program, topics, options):
        told = "with calls" if options == CALLS else "without calls"
        _, lines, seen = self.log(mono, program, topics, options, {})
        monos, output = own(lines), seen.out
        self.check(sum(w.startswith("exception_clause") for t in monos for w in t) > 10 * len(topics or [1]),
                   "%s: Mono tells of clauses" % program)
        for clr in clrs:
            for settings in self.settings(clr, clrs, options):
                what, lines, seen = self.log(clr, program, topics, options, settings)
                mine = own(lines)
                self.check(seen.out == output, what + ": the same output", (seen.out, output))
                self.check(mine == monos, "%s: as on Mono, %s" % (what, told), difference(mine, monos))

    def library(self, clrs):
        for clr in clrs:
            _, lines, _ = self.log(clr, "clauses", ["library"], BARE, {})
            told = clauses(lines)
            count = sum(FOREIGN.match(w) is not None for t in told for w in t)
            self.check(count >= 12, "%s: the class library's clauses are told" % clr, told)
            for settings in SETTINGS[1:4] if self.options.full else SETTINGS[1:2]:
                what, lines, _ = self.log(clr, "clauses", ["library"], BARE, settings)
                mine = clauses(lines)
                self.check(mine == told, what + ": other code, the same clauses", difference(mine, told))


def main():
    suite = Clauses("clauses", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse("mono," + harness.TO_10)
    runtimes = suite.runtimes()
    if not suite.exe("clauses").exists() or not suite.build.module("events"):
        suite.skip("clauses", "not compiled: mcs or libffi was absent", "mono")
        return suite.finish()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    clrs = [r for r in runtimes if r is not mono]
    for program, topics in PROGRAMS.items() if mono else ():
        if not suite.exe(program).exists():
            suite.skip(program, "there is no IL assembler")
            continue
        suite.compare(mono, clrs, program, topics, CALLS)
        suite.compare(mono, clrs, program, topics, BARE)
    suite.library(clrs if suite.options.full else clrs[-1:])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
