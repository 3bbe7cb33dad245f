#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What modules are told of whole programs, on Mono and on CoreCLR: every event at once, program by program.

The programs of programs/ (programs.tsv has a row for each) are compiled once and run under the module `events`, one
after the other in a process (../programs/each.cs), or in one of their own where how they end matters. What both
runtimes must tell alike is compared in order per thread (story.py); differences are known by name (differences.tsv),
each must occur and has its row in doc/differences.md. Every log is held against the rules of what has no counterpart
(rules.py). A program that dies must die as it does alone, and its log keeps what it had.

Other compilers make other code of the same programs: sdk.tsv has them as the SDK builds them, Debug and Release. Then
those that share a process are asked, and with --full the others.

  recorder.py --build DIR [--full] [--runtimes mono,clr8,...] [--programs NAME,...] [--all]
              [--compiled mcs|debug|release]
"""
import collections
import difflib
import pathlib
import re
import shutil
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import rows  # noqa: E402
import rules  # noqa: E402
import story  # noqa: E402

BUFFER = 1 << 26
READY = b"method_leave method=Own.Program:Ready "  # a program that dies waits until this is in the log
FIRST_SETTINGS = [{}, {"DOTNET_gcConcurrent": "0"}]
Run = collections.namedtuple("Run", "what kind runtime settings orderly log seen")
Program = collections.namedtuple("Program", "program how process topic")
Difference = collections.namedtuple("Difference", "name programs runtimes side kind pattern reason")


def read_rows(name):
    lines = (HERE / name).read_text().splitlines()[1:]
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def text_of(settings):
    return " ".join("%s=%s" % item for item in settings.items())


class Differences:
    """The known ones; which have been seen."""

    def __init__(self):
        self.rows = [Difference(*row) for row in read_rows("differences.tsv")]
        self.seen = set()

    def of(self, program, runtime, side):
        """What is known to differ on this side when this runtime is compared with Mono."""
        return [(d, re.compile(d.pattern)) for d in self.rows
                if side in d.side.split(",") and re.fullmatch(d.programs, program)
                and re.fullmatch(d.runtimes, runtime)]

    def cut(self, program, runtime, side):
        """A function that takes these from a story."""
        rows = [(d, p) for d, p in self.of(program, runtime, side) if d.kind != "fault"]

        def apply(words, others):
            for difference, pattern in rows:
                found = getattr(self, difference.kind)(words, pattern, others)
                if found != words:
                    self.seen.add(difference)
                words = found
            return words
        return apply

    def expected(self, programs, runtime, fault):
        """Whether a rule is known to be broken like this by one of the programs."""
        for program in programs:
            for difference, pattern in self.of(program, runtime, "clr"):
                if difference.kind == "fault" and pattern.search(fault):
                    self.seen.add(difference)
                    return True
        return False

    @staticmethod
    def absent(words, pattern, _others):
        """Words that this side has alone, or now and then."""
        return [word for word in words if not pattern.search(word)]

    @staticmethod
    def elsewhere(words, pattern, others):
        """Calls that another thread makes."""
        return words if others is None else story.without_calls(words, pattern, others)

    @staticmethod
    def again(words, pattern, _others):
        """Throws of an exception that no method of the program's was entered after: it has been thrown before."""
        kept, before = [], ""
        for word in words:
            if not (pattern.search(word) and (before.startswith("unwound") or not before)):
                kept.append(word)
            before = word
        return kept

    @staticmethod
    def late(words, pattern, _others):
        """Words whose place differs: they are compared at the end, in order."""
        moved = [word for word in words if pattern.search(word)]
        return [word for word in words if not pattern.search(word)] + moved


class Recorder(harness.Suite):
    def exe(self, program):
        folder = self.build.path / "test/conformance/events/programs"
        other = folder / self.options.compiled / (program + ".exe")
        return other if other.exists() else folder / (program + ".exe")

    def desc(self, runtime, file, settings, together):
        """All events; roots, which need collections to be blocking, where they are so anyway."""
        concurrent = runtime.kind == "coreclr" and settings.get("DOTNET_gcConcurrent") != "0"
        words = "+".join(rows.words(runtime.kind))
        return "events:only=%s,also=%s,%s%snoindent,buffer=%d,output=%s" % (
            words, words, "without=gc_roots," if concurrent else "",
            "callspec=N:Own," if together else "", BUFFER, file)

    # --- one run ----------------------------------------------------------------------------------------------------

    def let_go(self, file, go, over):
        """Makes the file that a dying program waits for, once its log has what it did."""
        while not over.wait(0.01):
            if file.exists() and READY in file.read_bytes():
                go.touch()
                return

    def watched(self, command, env, file):
        go, over = self.work / "go", threading.Event()
        go.unlink(missing_ok=True)
        thread = threading.Thread(target=self.let_go, args=(file, go, over))
        thread.start()
        try:
            return harness.run(command, dict(env, EVENTS_GO=str(go)), self.work, 300)
        finally:
            over.set()
            thread.join()

    def run(self, what, how, runtime, settings, command, together=False):
        what = "%s on %s %s" % (what, runtime, text_of(settings))
        file = self.work / "recorder.log"
        file.unlink(missing_ok=True)
        env = harness.profile_environment(self.build, runtime, [self.desc(runtime, file, settings, together)], settings)
        seen = self.watched(command, env, file) if how == "dies" else harness.run(command, env, self.work, 300)
        # What many programs print on the older runtimes is compared with what they print on Mono.
        alone = not together or runtime.name in ["mono"] + self.newer
        bare = self.bare(command, settings if how == "dies" else {}) if alone else seen
        good = (seen.code, seen.out) == (bare.code, bare.out)
        if how == "dies" and runtime.kind == "mono":
            good = seen.code == bare.code   # its own crash reports are full of addresses
        elif how == "dies":
            good = good and self.last_words(seen) == self.last_words(bare)
        self.check(good and not seen.timeout, what + ": runs as it would", "%s\n--- alone\n%s" % (seen, bare))
        log = story.Log(file.read_text(errors="replace") if file.exists() else "")
        self.check(log.lines and not log.lost and not log.odd, what + ": the log is whole",
                   (len(log.lines), log.lost, log.odd[:3], str(seen)))
        return Run(what, runtime.kind, runtime, settings, how != "dies", log, seen)

    @staticmethod
    def last_words(seen):
        """
        What a dying program says, but for our lines, for how often a frame is repeated (the compiler decides), and for
        what the repeated one had called when its stack was full.
        """
        lines = [x.strip() for x in seen.err.splitlines() if not x.startswith("monocle: ")]
        folds = [i for i, x in enumerate(lines) if re.match(r"Repeat(ed)? \d+ times", x)]
        again = folds[:1] or [i for i, x in enumerate(lines) if x.startswith("at ") and lines.count(x) > 1][:1]
        if again and any(x.startswith("Stack overflow") for x in lines):
            lines = [x for x in lines[:again[0]] if not x.startswith("at ")] + lines[again[0]:]
        return sorted({x for x in lines if not re.match(r"Repeat(ed)? \d+ times|-+$", x)} - {""})

    # --- comparison -------------------------------------------------------------------------------------------------

    def tell(self, run, program, how, clr):
        """A run as a story that can be compared with that of a CLR, or of Mono where the run is the CLR's."""
        cut = self.differences.cut(program, clr.name, "mono" if run.kind == "mono" else "clr")
        return story.Story(run.log, self.told, how == "pool", cut)

    @staticmethod
    def unlike(mono, mine, prefix):
        """How two stories differ, as text; empty where they do not."""
        size = min(len(mono.main), len(mine.main)) if prefix else None
        a, b = mono.main[:size], mine.main[:size]
        if a != b:
            at = next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), min(len(a), len(b)))
            yield "the main thread, word %d" % at
            yield from difflib.ndiff(a[max(0, at - 3):at + 8], b[max(0, at - 3):at + 8])
        if prefix:
            return
        for who, more in (("Mono only", mono.others - mine.others), ("CoreCLR only", mine.others - mono.others)):
            for words, times in more.items():
                yield "%s, %d times: %s" % (who, times, " | ".join(words[:12]))
        for name in mono.apart:
            if mono.apart[name] != mine.apart[name]:
                bags = collections.Counter(mono.apart[name]), collections.Counter(mine.apart[name])
                yield "%s: Mono only %s, CoreCLR only %s" % (name, bags[0] - bags[1], bags[1] - bags[0])

    def compare(self, program, how, mono, run):
        mine = self.tell(run, program, how, run.runtime)
        unlike = list(self.unlike(mono, mine, how == "dies"))
        self.differing += bool(unlike)
        self.check(not unlike, run.what + ": as on Mono", "\n    " + "\n    ".join(unlike[:30]))
        self.compared += len(mine.main) if how == "dies" else mine.count()

    def collections(self, mono, run):
        """A collection that was asked for goes the same way."""
        ways = set(story.collected(mono.log.lines, "1")), set(story.collected(run.log.lines, "2"))
        self.check(ways[0] and ways[0] == ways[1], run.what + ": collections go as on Mono", ways)

    def judge(self, run, programs):
        broken, count = rules.judge(run.log, run)
        broken = [(rule, [f for f in faults if not self.differences.expected(programs, run.runtime.name, f)])
                  for rule, faults in broken]
        broken = [(rule, faults) for rule, faults in broken if faults]
        self.judged += count
        self.runs += 1
        self.broken += len(broken)
        self.check(not broken, run.what + ": every event keeps its rule", "".join(
            "\n    %s: %d, %s" % (rule, len(faults), "\n        ".join(faults[:4])) for rule, faults in broken))
        self.events.update(line.event for line in run.log.lines)

    def compare_program(self, row, known, run):
        """`known` is Mono's run."""
        monos = self.tell(known, row.program, row.how, run.runtime)
        self.check(len(monos.main) > 1, "%s: something is told on Mono" % row.program, monos.main)
        self.check(row.how == "dies" or run.seen.out == known.seen.out, run.what + ": the same output as on Mono",
                   (run.seen.out, known.seen.out))
        self.compare(row.program, row.how, monos, run)
        if row.how == "collects":
            self.collections(known, run)

    # --- programs in a process of their own, and those that share one -------------------------------------------------

    def settings_of(self, number, runtime, newest):
        """All, or the default ones and with --full another each time on the newest runtime."""
        if self.options.all:
            return rows.SETTINGS
        others = rows.SETTINGS[1:]
        return rows.SETTINGS[:1] + [others[number % len(others)]] * (self.options.full and runtime is newest)

    def alone(self, number, row, mono, clrs):
        def run(runtime, settings):
            run = self.run(row.program, row.how, runtime, settings, runtime.command(self.exe(row.program)))
            self.judge(run, [row.program])
            return run
        known = run(mono, {})
        for clr in clrs:
            for settings in self.settings_of(number, clr, clrs[-1]):
                self.compare_program(row, known, run(clr, settings))

    def together(self, programs, mono, clrs):
        """In the table's order: where Mono has loaded a library for good, it says nothing of it when it comes again."""
        listed = self.work / "programs"
        listed.write_text("".join("%s\n" % self.exe(row.program) for row in programs))
        names = [row.program for row in programs]
        if self.options.compiled != "mcs": # what a program loads is the same, and lies beside it
            shutil.copy(self.exe("tails").with_name("events-helper.dll"), self.exe("each").parent)

        def parts(runtime, settings):
            run = self.run("all", "-", runtime, settings, runtime.command(self.exe("each")) + [listed, "apart"], True)
            self.judge(run, names)
            logs = run.log.programs()
            self.check(list(logs) == names, run.what + ": every program's beginning and end is told",
                       set(names) ^ set(logs))
            return {name: run._replace(what="%s in %s" % (name, run.what), log=logs.get(name, story.Log()))
                    for name in names}
        known = parts(mono, {})
        for clr in clrs:
            both = clr is clrs[-1] and self.options.compiled == "mcs"
            settings = FIRST_SETTINGS if both else FIRST_SETTINGS[:1]
            for one in rows.SETTINGS if self.options.full else settings:
                runs = parts(clr, one)
                for row in programs:
                    self.compare_program(row, known[row.program], runs[row.program])

    # --- all of them ------------------------------------------------------------------------------------------------

    def complete(self):
        """Every event that comes has a word or a rule, and every known difference occurs and is explained."""
        views = set().union(*(events for events, _ in story.APART.values()))
        for event in sorted(rows.COME):
            self.check(event in story.STORY or event in views | rules.JUDGED | rules.ELSEWHERE,
                       "%s is compared or held against a rule" % event)
        return rows.COME

    def go(self, programs, runtimes):
        self.differences, self.events = Differences(), collections.Counter()
        self.compared = self.judged = self.differing = self.broken = self.runs = 0
        self.told = self.complete()
        story.PROGRAMS.update(row.program for row in programs)
        mono = next((r for r in runtimes if r.kind == "mono"), None)
        clrs = [r for r in runtimes if r.kind == "coreclr"]
        start = time.monotonic()
        there = [row for row in programs if mono and self.exe(row.program).exists()]
        for row in programs if mono else []:
            if row not in there:
                self.skip(row.program, "not compiled: mcs was absent", "mono")
        self.together([row for row in there if row.process != "own"], mono, clrs)
        usual = self.options.compiled == "mcs"
        for number, row in enumerate(row for row in there if row.process == "own" and (usual or self.options.full)):
            self.alone(number, row, mono, clrs if self.options.full else clrs[-1:])
        if usual and self.options.full and not self.options.programs and len(clrs) == 3:
            unseen = set(self.differences.rows) - self.differences.seen
            self.check(not unseen, "every known difference occurs", unseen)
        print("%d events of %d programs on %d runtimes, %d runs: %d runs differ from Mono's; %d events held against "
              "their rules, %d broken; %d s" % (self.compared, len(programs), len(runtimes), self.runs, self.differing,
                                                self.judged, self.broken, time.monotonic() - start))


def main():
    suite = Recorder("recorder", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--programs", default="", help="only these")
    suite.parser.add_argument("--all", action="store_true", help="every setting on every .NET for those that die, too")
    suite.parser.add_argument("--compiled", default="mcs", help="by mcs, or by the SDK: debug, release")
    options = suite.parse("mono," + harness.TO_10)
    programs = [Program(*row) for row in read_rows("programs/programs.tsv")]
    if options.programs:
        programs = [row for row in programs if row.program in options.programs.split(",")]
    if not suite.build.module("events"):
        suite.skip("events", "not compiled: libffi was absent")
        return suite.finish()
    suite.go(programs, suite.runtimes())
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
