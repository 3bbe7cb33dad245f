#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who calls whom, and how each call ends, in programs that the SDK's compiler built as Debug and as Release.

.NET runs a Debug build without optimisation, and frames and probes of such code are other ones; what mcs builds is
always optimised. The programs of programs.tsv run one after the other in a process (../programs/each.cs). All enters
and exits of each thread are compared with Mono's, in order. trees.cs also says itself where in its call tree it stands.

  callers.py --build DIR [--full] [--runtimes mono,clr8,...]
"""
import collections
import difflib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "events")]
import harness  # noqa: E402
import story  # noqa: E402

BUILDS = "debug", "release"
PROGRAMS = {"trees": [], "exceptions": [], "generics": [], "language": [], "lines": [], "fib": ["12"],
            "fibmt": ["8"], "leaf": ["100"], "throws": ["2", "40"],
            "clauses": ["normal", "thrown", "leaving", "filters", "again", "inside", "callers", "hot"]}
SETTINGS = [{}, {"DOTNET_TieredCompilation": "0"}, {"DOTNET_TieredPGO": "0"},
            {"DOTNET_OSR_HitLimit": "1", "DOTNET_TC_OnStackReplacement_InitialCounter": "1"}]
VERBS = {"method_enter": "enter", "method_leave": "leave", "method_exception_leave": "unwound"}
BUFFER = 1 << 26

# Mono forgets the frames between a throw and a filter that throws: neither their exits nor their blocks come.
FORGOTTEN_CASE = "throwing-filter"
# What the runtimes tell differently, for reasons that doc/differences.md has.
APART = [
    ("exceptions", r"^unwound ThrowingFilter:Throw "),               # the same
    ("exceptions", r" Constructors/<>c:<Run>b__\d+_[34] "),          # Mono's compiler runs the initialiser that fails
    ("language", r":SetStateMachine |\bAsync[:/]"),                  # Mono's class library calls it; the pool resumes
]


def cases(words):
    """The words of trees by its cases: {number: words}."""
    found, number = collections.OrderedDict(), -1
    for word in words:
        if word.startswith("enter Trees:Case "):
            number += 1
        found.setdefault(number, []).append(word)
    return found


def told(out):
    """What trees said: {case: (depth, method) in order}."""
    found = collections.OrderedDict()
    for line in out.splitlines():
        if line.startswith("== "):
            methods = found.setdefault(line[3:], [])
        elif found and line.startswith(" "):
            methods.append((len(line) - len(line.lstrip()), line.strip()))
        elif found:
            break
    return found


def tree(words, names):
    """Where the methods of these names were entered, as told (); an exit that is not the innermost one's is odd."""
    found, opened = [], []
    for word in words:
        verb, method = word.split(" ", 1)
        if method.startswith("Trees:Main "):
            break
        if verb == "enter":
            opened.append(method)
            name = method.split(" (")[0].split(":")[-1].split("<")[0]
            if name in names:
                found.append((len(opened), name))
        elif opened and opened[-1] == method:
            opened.pop()
        else:
            found.append((len(opened), "%s, which is not the innermost" % word))
    return found


def shown(lines):
    return ["%s%s" % (" " * depth, name) for depth, name in lines]


class Callers(harness.Suite):
    def folder(self, build):
        return self.build.path / "test/conformance/callers" / build

    def log_of(self, runtime, build, settings):
        """One process with all programs; {program: its log}, and what they printed."""
        what = "%s on %s %s" % (build, runtime, " ".join("%s=%s" % item for item in settings.items()))
        listed, file = self.work / "programs", self.work / "callers.log"
        listed.write_text("".join("\t".join([str(self.folder(build) / (name + ".exe"))] + arguments) + "\n"
                                  for name, arguments in PROGRAMS.items()))
        file.unlink(missing_ok=True)
        desc = "events:only=method_enter+method_leave+method_exception_leave+thread_name,noindent,buffer=%d," \
               "%s,output=%s" % (BUFFER, ",".join("callspec=" + name for name in PROGRAMS), file)
        env = harness.profile_environment(self.build, runtime, [desc], settings)
        seen = harness.run(runtime.command(self.folder(build) / "each.exe") + [listed, "apart"], env, self.work, 300)
        log = story.Log(file.read_text(errors="replace") if file.exists() else "")
        logs = log.programs()
        self.check(not seen.timeout and not log.lost and list(logs) == list(PROGRAMS), what + ": the log is whole",
                   "%s: %s" % (list(logs), seen))
        return what, {name: logs.get(name, story.Log()) for name in PROGRAMS}, seen.out

    @staticmethod
    def threads(log):
        """The words of each thread."""
        words = collections.OrderedDict()
        for line in log.lines:
            if line.event in VERBS and not line.values["method"].startswith("Told:"):
                words.setdefault(line.thread, []).append("%s %s" % (VERBS[line.event], line.values["method"]))
        return list(words.values())

    def compared(self, name, log):
        """A bag of threads. When the initialiser of a class runs is the runtime's choice: each is one of its own."""
        apart, threads = [], self.threads(log)
        if name == "trees":
            forgotten = self.cases.index(FORGOTTEN_CASE)
            threads = [[word for number, words in cases(thread).items() if number != forgotten for word in words]
                       for thread in threads]
        threads = [story.without_calls(thread, story.INITIALISER, apart) for thread in threads]
        cut = [re.compile(pattern) for program, pattern in APART if program == name]
        words = [tuple(word for word in thread if not any(c.search(word) for c in cut)) for thread in threads + apart]
        return collections.Counter(thread for thread in words if thread)

    def unlike(self, name, known, log):
        """How the threads of a program differ, as text."""
        monos, mine = self.compared(name, known), self.compared(name, log)
        ours = list((mine - monos).elements())
        for a in (monos - mine).elements():
            b = ours.pop(0) if ours else ()
            at = next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), min(len(a), len(b)))
            yield "a thread, word %d of %d" % (at, len(a))
            yield from difflib.ndiff(a[max(0, at - 3):at + 8], b[max(0, at - 3):at + 8])
        for b in ours:
            yield "CoreCLR only: %s" % (b[:10],)

    def check_told(self, what, log, out):
        """The tree that trees.cs says it has."""
        threads = self.threads(log)
        seen = cases(threads[0]) if threads else {}
        for number, (case, lines) in enumerate(told(out).items()):
            found = tree(seen.get(number, []), {name for _, name in lines})
            self.check(found == lines and lines, "%s: %s calls what it says" % (what, case),
                       "\n" + "\n".join(difflib.unified_diff(shown(lines), shown(found), "said", "seen", lineterm="")))

    def go(self, build, mono, clrs):
        known = self.log_of(mono, build, {})[1] if mono else None
        for clr in clrs:
            for settings in SETTINGS if self.options.full else SETTINGS[:1]:
                what, logs, out = self.log_of(clr, build, settings)
                self.cases = list(told(out))
                self.check(len(self.cases) > 50, what + ": every case of trees has run", self.cases)
                self.check_told(what, logs["trees"], out)
                for name in PROGRAMS if known else ():
                    unlike = list(self.unlike(name, known[name], logs[name]))
                    self.check(not unlike, "%s: %s as on Mono" % (what, name), "\n    " + "\n    ".join(unlike))


def main():
    suite = Callers("callers", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    if not suite.build.module("events") or not (suite.folder("debug") / "trees.exe").exists():
        suite.skip("callers", "not compiled: libffi or the SDK was absent", "coreclr")
        return suite.finish()
    runtimes = suite.runtimes()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    for build in BUILDS:
        suite.go(build, mono, [r for r in runtimes if r.kind == "coreclr"])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
