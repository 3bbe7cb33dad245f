#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The module `exceptions`: the same types, stacks, counts and messages on CoreCLR as on Mono.

Of each stack the program's own frames are compared, by definition of the method, for exceptions.cs and stacks.cs;
Mono compiles without inlining, as CoreCLR does at first. What differs is in `expected ()` and `differs ()`. The profile
says what the text says. A process that is killed leaves a profile, and many threads that throw lose nothing untold.
"""
import collections
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import harness  # noqa: E402
import pprof  # noqa: E402

FOREIGN = re.compile(r"^(System|Microsoft|Internal|Interop|Mono)\b|^\[|^\(wrapper (?!dynamic-method)")
TYPE = re.compile(r"^ *(\d+) (\S+)$")
STACK = re.compile(r"^ *(\d+)(?: \((\d+) rethrown\))? (.*)$")
ARGUMENTS = re.compile(r"<[^<>]*>")
HEAD = re.compile(r"^# (\d+) thrown, (\d+) rethrown; (\d+) types, (\d+) stacks$", re.M)
SAID = "monocle: "
WRONG = ",depth=0", ",sum", ",depth=5000"
PATIENCE = 100  # seconds


def plain(name):
    """A method's name without types."""
    kept = re.sub(r"<(\w*)>(?=[cm]__)", r"{\1}", name if name.startswith("(") else name.split(" (")[0])
    while ARGUMENTS.search(kept):
        kept = ARGUMENTS.sub("", kept)
    return kept


def read(text):
    """{(type, what, message, own frames): count}."""
    seen, blocks = collections.Counter(), text.split("\n\n")[1:]
    for block in blocks:
        head, *lines = block.splitlines()
        kind, stacks = TYPE.match(head).group(2), []
        for line in lines:
            if line.startswith(" " * 16):
                stacks[-1][1].append(line.strip())
            else:
                stacks.append((STACK.match(line), []))
        for match, frames in stacks:
            own = tuple(plain(f) for f in frames if not FOREIGN.match(f))
            message = "" if kind.startswith("System.") else match.group(3)  # runtimes have words of their own
            again = int(match.group(2) or 0)
            for what, count in (("thrown", int(match.group(1)) - again), ("again", again)):
                if own and count:
                    seen[kind, what, message, own] += count
    return seen


def expected(theirs, runtime):
    """What Mono saw, as CoreCLR does."""
    seen = collections.Counter()
    for (kind, what, message, frames), count in theirs.items():
        if kind == "System.Globalization.CultureNotFoundException":
            continue  # Mono's class library throws it at start
        if what == "again" and "ThroughFramework:Invoke" in frames and runtime.name == "clr8":
            continue  # reflection does not throw it again
        seen[kind, what, message, frames] += count
    return seen


def differs(key):
    """Static constructors run where the class is used; the frames below a filter are still there."""
    return "FailsInStatic" in str(key) or "TypeInitializationException" in key[0] or "ThrowingFilter:Bad" in key[3] \
        or "Loud:.cctor" in key[3]


class Exceptions(harness.Suite):
    def profiled(self, runtime, image, options, *arguments):
        out = self.work / ("out-" + runtime.name)
        out.unlink(missing_ok=True)
        env = harness.profile_environment(self.build, runtime, ["exceptions:output=%s%s" % (out, options)])
        if runtime.kind == "mono":
            env["MONO_ENV_OPTIONS"] += " -O=-inline"
        command = [*runtime.command(image), *arguments]
        return harness.run(command, env, cwd=self.work), out

    def text(self, runtime, image):
        what = "%s on %s" % (image.stem, runtime)
        seen, out = self.profiled(runtime, image, ",text")
        bare = self.bare(runtime.command(image))
        self.check((seen.code, seen.out) == (bare.code, bare.out) and SAID not in seen.err,
                   what + ": the program is untouched", "%s\n--- bare\n%s" % (seen, bare))
        return out.read_text() if out.exists() else ""

    def compare(self, runtime, image, text, theirs):
        ours, wanted = read(text), expected(theirs, runtime)
        bad = {key: (wanted[key], ours[key]) for key in set(wanted) | set(ours)
               if wanted[key] != ours[key] and not differs(key)}
        self.check(len(ours) > 25 and not bad, "%s on %s: %d stacks of exceptions as on Mono"
                   % (image.stem, runtime, len(ours)), list(bad.items())[:3])

    def profile(self, runtime, image, text):
        """The profile has what the text has."""
        _, out = self.profiled(runtime, image, "")
        loaded = pprof.load(str(out))
        self.check(loaded.types == [("rethrown", "count"), ("exceptions", "count")], "%s: types of values" % runtime)
        types = collections.Counter()
        for names, values, _ in loaded.samples:
            types[names[0]] += sum(values)
        heads = [TYPE.match(block.splitlines()[0]) for block in text.split("\n\n")[1:]]
        told = {head.group(2): int(head.group(1)) for head in heads}
        self.check(types == told, "%s: the profile has the throws of the text" % runtime, "%s\n%s" % (types, told))
        notes = [c for c in loaded.comments if c.startswith("type 1: ")]
        self.check(notes and "first message: " in notes[0], "%s: the profile has messages" % runtime, loaded.comments)

    def many(self, runtime, image, threads=3):
        """Every throw is counted, or said to be lost."""
        count = 20000 if self.options.full else 500
        seen, out = self.profiled(runtime, image, ",threads", str(threads), str(count))
        loaded = pprof.load(str(out))
        total = sum(values[1] for names, values, _ in loaded.samples if names[0] == "Oops")
        lost = [int(n) for c in loaded.comments for n in re.findall(r"^lost: (\d+) stacks are missing", c)]
        self.check(seen.code == 3 and total + sum(lost) >= threads * count,
                   "%s: %d throws are counted, %d lost" % (runtime, total, sum(lost)), seen)
        named = {labels.get("thread") for names, _, labels in loaded.samples if names[0] == "Oops"}
        self.check(named == {"thrower %d" % i for i in range(threads)}, "%s: threads apart" % runtime, named)
        seen, out = self.profiled(runtime, image, ",text", str(threads), str(count))
        head = HEAD.search(out.read_text())
        self.check(head and int(head.group(1)) >= threads * count and int(head.group(4)) >= 20,
                   "%s: the text counts all of them" % runtime, head and head.group(0))

    def throws_of(self, spool):
        """How many throws a spool has, also while its process is at work."""
        out = self.work / "spool.pb.gz"
        out.unlink(missing_ok=True)
        harness.run([self.build.monocle, "convert", spool, "--to=pprof", "-o", out], harness.bare_environment())
        return sum(values[1] for _, values, _ in pprof.load(str(out)).samples) if out.exists() else 0

    def killed(self, runtime, image):
        out = self.work / ("killed-%s.pb.gz" % runtime.name)
        spool = pathlib.Path(str(out) + ".spool")
        env = harness.profile_environment(self.build, runtime, ["exceptions:output=%s" % out])
        child = subprocess.Popen([*runtime.command(image), "2", "0"], env=env, cwd=self.work, stdout=subprocess.DEVNULL)
        before, end = 0, time.monotonic() + PATIENCE
        while before < 1000 and child.poll() is None and time.monotonic() < end:
            before = self.throws_of(spool)
        child.send_signal(signal.SIGKILL)
        child.wait()
        done = harness.run([self.build.monocle, "report", spool], harness.bare_environment(), cwd=self.work)
        self.check(done.code == 0 and "Oops" in done.out, "%s: a killed process leaves a profile" % runtime, done)
        after = self.throws_of(spool)
        self.check(after >= before >= 1000, "%s: it has the throws until the end" % runtime, (before, after))

    def log(self, runtime, image):
        seen, out = self.profiled(runtime, image, ",log")
        lines = [line.split(None, 2)[2] for line in out.read_text().splitlines() if not line.startswith("#")]
        throws = sum(line.split()[0] in ("throw", "rethrow") for line in lines)
        caught = [line for line in lines if line.startswith("catch")]
        ended = [line for line in lines if line.startswith("finally") and "Finally:" in line]
        self.check(throws > 60 and len(caught) > 30 and ended, "%s: the log follows exceptions" % runtime, lines[:20])

    def choices(self, runtime, image):
        seen, out = self.profiled(runtime, image, ",text,filter=Oops")
        head = HEAD.search(out.read_text())
        self.check(head and head.group(3) == "1", "%s: filter= leaves one type" % runtime, head)
        for wrong in WRONG if self.options.full else WRONG[:1]:
            seen, out = self.profiled(runtime, image, wrong)
            self.check(seen.out == self.bare(runtime.command(image)).out and seen.err.count(SAID) == 1
                       and not out.exists(), "%s: %s is one line" % (runtime, wrong[1:]), seen)

    def wrong_anywhere(self):
        """By a host without a runtime."""
        host = self.build.path / "test/conformance/modules/made-up"
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": str(self.build.module("exceptions").parent)})
        for wrong in WRONG:
            seen = harness.run([host, "exceptions:output=%s%s" % (self.work / "never", wrong)], env, self.work)
            self.check(seen.code == 3 and seen.err.count(SAID) == 1 and not (self.work / "never").exists(),
                       "%s is one line" % wrong[1:], seen)


def main():
    suite = Exceptions("exceptions", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse(first="mono,clr8,clr10")
    runtimes = suite.runtimes()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    exceptions, stacks, throws = (suite.build.path / ("test/conformance/%s.exe" % name) for name in
                                  ("programs/exceptions", "stacks/stacks", "exceptions/throws"))
    if not mono or not throws.exists():
        suite.skip("exceptions", "no mcs, or no Mono to compare with", "mono")
        return suite.finish()
    suite.wrong_anywhere()
    texts = {(runtime, image): suite.text(runtime, image) for runtime in runtimes for image in (exceptions, stacks)
             if options.full or (runtime.name, image) != ("clr8", stacks)}
    for (runtime, image), text in texts.items():
        if runtime is not mono:
            suite.compare(runtime, image, text, read(texts[mono, image]))
    for runtime in runtimes:
        if options.full or runtime.name != "clr8":
            suite.profile(runtime, exceptions, texts[runtime, exceptions])
            suite.many(runtime, throws)
            suite.killed(runtime, throws)
            suite.log(runtime, exceptions)
            suite.choices(runtime, exceptions)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
