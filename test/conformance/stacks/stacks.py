#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks: mono_stack_walk () shows the same frames on CoreCLR as on Mono, from every event where it may be called.

stacks.c walks in exception_throw, jit_begin, jit_done, class_loaded and gc_allocation, and writes down the program's
own frames with IL offset and line. Compared are methods (their definitions: the CLR does not keep the type arguments of
shared code), and lines where code is compiled without optimisation: the CLR keeps offsets of statements and Mono those
of calls, and optimised code has a map with few of them.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import harness  # noqa: E402

SETTINGS = {
    "default": {},
    "no-r2r": {"DOTNET_ReadyToRun": "0"},
    "no-tiering": {"DOTNET_TieredCompilation": "0"},
    "no-quick-jit": {"DOTNET_TC_QuickJit": "0"},
}
OPTIMISED = ("no-tiering", "no-quick-jit")
HOT = "Stacks:Hot"  # optimised in any setting, while it runs
SAID = "monocle: "
FRAME = re.compile(r"^(.*)@(-?\d+):(\d+)$")
DUMPED = re.compile(r"^monocle:   at (.*) \[0x\w+\] in \S*stacks\.cs:(\d+)$", re.M)
ARGUMENTS = re.compile(r"<[^<>]*>")


def plain(name):
    """A method's name without what its type arguments say: Gen`1<int>:M<T_REF> (T_REF) is Gen`1:M."""
    kept = re.sub(r"<(\w*)>(?=[cm]__)", r"{\1}", name.split(" (")[0])
    while ARGUMENTS.search(kept):
        kept = ARGUMENTS.sub("", kept)
    return kept


class Stack:
    def __init__(self, fields):
        self.event, self.subject = fields[0], plain(fields[1])
        self.frames, self.il = [], []
        for text in fields[2:]:
            match = FRAME.match(text)
            if match:
                self.frames.append((plain(match.group(1)), int(match.group(3))))
                self.il.append(int(match.group(2)))
            elif text != "*":
                self.frames.append((text, 0))

    def __str__(self):
        return "%s %s: %s" % (self.event, self.subject, " < ".join("%s:%d" % frame for frame in self.frames[:9]))


class Seen:
    def __init__(self, path):
        lines = path.read_text(errors="replace").splitlines() if path.exists() else []
        self.complete = bool(lines) and lines[-1] == "end"
        rows = [line.split("\t") for line in lines[:-1]]
        self.bad = [row for row in rows if row[0] == "bad"]
        self.entered = [int(n) for row in rows if row[0] == "entered" for n in row[1:]]
        self.stacks = [Stack(row) for row in rows if row[0] not in ("bad", "entered")]

    def of(self, *events):
        return [stack for stack in self.stacks if stack.event in events]


def same(theirs, ours, lines):
    """On CoreCLR a static constructor runs when its class is used, in the method that uses it: one frame more."""
    frames = [(name, line if lines and name != HOT else None) for name, line in theirs.frames]
    for i, (name, _) in enumerate(frames):
        if name == "Loud:.cctor":
            frames.insert(i + 1, ("Loud:Touch", None))
    return len(frames) == len(ours.frames) and all(
        a[0] == b[0] and (a[1] is None or a[1] == b[1]) for a, b in zip(frames, ours.frames))


def is_rest(theirs, ours):
    """Is one the outer part of the other?"""
    names = [name for name, _ in ours.frames]
    return names and names == [name for name, _ in theirs.frames][-len(names):]


class Stacks(harness.Suite):
    def ask(self, runtime, image, settings=None, events=""):
        out = self.work / "stacks.tsv"
        out.unlink(missing_ok=True)
        desc = "stacks:image=stacks,output=%s%s" % (out, ",events=" + events if events else "")
        seen = harness.run(runtime.command(image), harness.profile_environment(self.build, runtime, [desc], settings),
                           cwd=self.work)
        return seen, Seen(out)

    def untouched(self, what, runtime, image, seen, settings=None):
        bare = self.bare(runtime.command(image), settings)
        self.check((bare.code, bare.out) == (seen.code, seen.out) and SAID not in seen.err,
                   what + ": the program is untouched", "%s\n--- bare\n%s" % (seen, bare))

    def landmarks(self, what, theirs, ours, lines):
        """Throws and allocations, in the order of the program. Each stack as on Mono."""
        pairs = ([s for s in theirs.of("throw", "new") if s.frames[0][0] != "Stacks:Main"],
                 [s for s in ours.of("throw", "new") if s.frames[0][0] != "Stacks:Main"])
        bad = [(str(a), str(b)) for a, b in zip(*pairs) if (a.event, a.subject) != (b.event, b.subject)
               or not same(a, b, lines)]
        self.check(len(pairs[0]) == len(pairs[1]) > 70 and not bad, "%s: %d stacks of throws and allocations as on Mono"
                   % (what, len(pairs[1])), "%d, %d, %s" % (len(pairs[0]), len(pairs[1]), bad[:2]))
        if not lines:
            return
        unknown = [str(s) for s in pairs[1] if -1 in [il for il, f in zip(s.il, s.frames) if f[0] != "Loud:Touch"]]
        self.check(not unknown, what + ": every frame has an IL offset", unknown[:2])

    def compiled(self, what, theirs, ours, lines):
        """The first time that a method is compiled, it is called from where Mono's is."""
        first = ({}, {})
        for stacks, seen in zip(first, (theirs, ours)):
            for stack in seen.of("jit"):
                stacks.setdefault(stack.subject, stack)
        common = [name for name in first[0] if name in first[1]]
        bad = [(str(first[0][name]), str(first[1][name])) for name in common
               if not same(first[0][name], first[1][name], lines) and name != "Loud:.cctor"]
        self.check(len(common) > 30 and not bad,
                   "%s: %d methods are compiled where they are on Mono" % (what, len(common)), bad[:3])

    def paired(self, what, ours):
        """jit_begin and jit_done of one compilation, on one stack."""
        begun = [str(s)[4:] for s in ours.of("jit")]
        done = [str(s)[7:] for s in ours.of("jitted")]
        self.check(begun and set(done) <= set(begun), what + ": a method is done on the stack on which it was begun",
                   [text for text in done if text not in begun][:3])

    def classes(self, what, theirs, ours):
        """Classes come at other moments; what stands on their stacks are calls that the program makes."""
        known = [[frame[0] for frame in s.frames] for s in theirs.stacks + ours.of("throw", "new")]
        calls = {(names[i], names[i + 1]) for names in known for i in range(len(names) - 1)}
        bad = [str(s) for s in ours.of("class") for i in range(len(s.frames) - 1)
               if (s.frames[i][0], s.frames[i + 1][0]) not in calls]
        self.check(len(ours.of("class")) > 5 and not bad, what + ": stacks of classes are stacks of the program",
                   bad[:3])

    def compare(self, runtime, image, settings, theirs):
        what = "%s %s" % (runtime, settings)
        seen, ours = self.ask(runtime, image, SETTINGS[settings])
        self.untouched(what, runtime, image, seen, SETTINGS[settings])
        if not self.check(ours.complete and not ours.bad, what + ": the three walks agree", ours.bad[:3] or seen):
            return
        self.landmarks(what, theirs, ours, settings not in OPTIMISED)
        self.compiled(what, theirs, ours, settings not in OPTIMISED)
        self.paired(what, ours)
        self.classes(what, theirs, ours)

    def probes(self, runtime, image):
        """In a call probe nothing is shown rather than the wrong frames."""
        seen, ours = self.ask(runtime, image, events="enter")
        self.untouched(runtime.name + " in probes", runtime, image, seen)
        self.check(ours.complete and ours.entered[0] > 1000 and ours.entered[1] == 0,
                   "%s: no walk in a call probe begins further out" % runtime, "%s %s" % (ours.entered, seen))

    def handlers(self, runtime, image, theirs):
        """
        Where a method is left by an exception the stack is Mono's; where it has a finally block, what the exception has
        left by then is not shown. In such a block the stack begins with the block's method. .NET 8 and 9 do not say
        lines there, and .NET 8 shows what the first throw has left when an exception is thrown again.
        """
        what = "%s in handlers" % runtime
        seen, ours = self.ask(runtime, image, events="handlers")
        self.untouched(what, runtime, image, seen)
        left = [[s for s in side.of("left") if "Stacks:Main" in dict(s.frames)] for side in (theirs, ours)]
        lines = runtime.name not in ("clr8", "clr9")
        bad = [(str(a), str(b)) for a, b in zip(*left)
               if a.subject != b.subject or not (
                   same(a, b, lines) or a.subject == "Stacks:Unwinds" and is_rest(a, b) or
                   (runtime.name, a.subject) == ("clr8", "Stacks:Again") and is_rest(b, a))]
        self.check(len(left[0]) == len(left[1]) > 10 and not bad,
                   what + ": %d methods are left where they are on Mono" % len(left[1]),
                   ([len(side) for side in left], bad[:3]))
        blocks = [side.of("finally") for side in (theirs, ours)]
        bad = [(str(a), str(b)) for a, b in zip(*blocks)
               if b.subject != a.subject or not b.frames or b.frames[0][0] != b.subject
               or a.frames and not is_rest(a, b)]
        self.check(len(blocks[0]) == len(blocks[1]) == 3 and not bad, what + ": finally blocks run as on Mono",
                   ([len(side) for side in blocks], bad[:3]))

    def dump(self, runtime, image):
        """What mono_threads_request_thread_dump () logs of a thread that waits is what that thread sees itself."""
        log = self.work / "dump.log"
        log.unlink(missing_ok=True)
        seen, ours = self.ask(runtime, image, {"MONOCLE_LOG": str(log)}, events="jit+dump")
        self.untouched(runtime.name + " with a dump", runtime, image, seen)
        text = log.read_text() if log.exists() else ""
        threads = text.split(SAID + '"')
        main = next((t for t in threads if re.search(r" at \S+\.Main \(", t)), "")
        frames = [(plain(name), int(line)) for name, line in DUMPED.findall(main)]
        walked = next((stack.frames for stack in ours.of("jit") if stack.subject == "Stacks:Throw"), [])
        wanted = [(name.replace(":", "."), line) for name, line in walked]
        self.check(text.startswith(SAID + "Full thread dump:\n") and frames == wanted != [],
                   "%s: a dump shows the stack as it is" % runtime, "%s, walked: %s\n%s" % (frames, wanted, text))
        self.check(len(threads) > 2, "%s: a dump shows all threads" % runtime, text)


def main():
    suite = Stacks("stacks", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse()
    runtimes = suite.runtimes()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    image = suite.build.path / "test/conformance/stacks/stacks.exe"
    if not mono or not image.exists():
        suite.skip("stacks", "no mcs, or no Mono to compare with", "mono")
        return suite.finish()
    seen, theirs = suite.ask(mono, image)
    suite.untouched("mono", mono, image, seen)
    suite.check(theirs.complete and not theirs.bad, "mono: the three walks agree", theirs.bad[:3] or seen)
    handled = suite.ask(mono, image, events="handlers")[1]
    for runtime in runtimes:
        if runtime is not mono:
            for settings in SETTINGS if options.full else ("default", "no-tiering"):
                suite.compare(runtime, image, settings, theirs)
            suite.probes(runtime, image)
            suite.handlers(runtime, image, handled)
            suite.dump(runtime, image)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
