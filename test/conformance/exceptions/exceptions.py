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
import shutil
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


def plain(name):
    """A method's name without types."""
    kept = re.sub(r"<(\w*)>(?=[cm]__)", r"{\1}", name if name.startswith("(") else name.split(" (")[0])
    while ARGUMENTS.search(kept):
        kept = ARGUMENTS.sub("", kept)
    return kept


def read(path):
    """{(type, what, message, own frames): count} of a text."""
    seen, blocks = collections.Counter(), path.read_text().split("\n\n")[1:]
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
    def profiled(self, runtime, image, options, *arguments, extra=()):
        out = self.work / ("out-" + runtime.name)
        out.unlink(missing_ok=True)
        env = harness.profile_environment(self.build, runtime, ["exceptions:output=%s%s" % (out, options)])
        if runtime.kind == "mono":
            env["MONO_ENV_OPTIONS"] += " -O=-inline"
        command = [*runtime.command(image), *arguments]
        return harness.run(command, env, cwd=self.work), out

    def bare(self, runtime, image, *arguments):
        return harness.run([*runtime.command(image), *arguments], harness.bare_environment(), cwd=self.work)

    def text(self, runtime, image):
        what = "%s on %s" % (image.stem, runtime)
        seen, out = self.profiled(runtime, image, ",text")
        bare = self.bare(runtime, image)
        self.check((seen.code, seen.out) == (bare.code, bare.out) and SAID not in seen.err,
                   what + ": the program is untouched", "%s\n--- bare\n%s" % (seen, bare))
        return read(out) if out.exists() else collections.Counter()

    def compare(self, runtime, image, theirs):
        ours, wanted = self.text(runtime, image), expected(theirs, runtime)
        bad = {key: (wanted[key], ours[key]) for key in set(wanted) | set(ours)
               if wanted[key] != ours[key] and not differs(key)}
        self.check(len(ours) > 25 and not bad, "%s on %s: %d stacks of exceptions as on Mono"
                   % (image.stem, runtime, len(ours)), list(bad.items())[:3])

    def profile(self, runtime, image):
        """The profile has what the text has."""
        seen, out = self.profiled(runtime, image, "")
        loaded = pprof.load(str(out))
        self.check(loaded.types == [("rethrown", "count"), ("exceptions", "count")], "%s: types of values" % runtime)
        types = collections.Counter()
        for names, values, _ in loaded.samples:
            types[names[0]] += sum(values)
        seen, out = self.profiled(runtime, image, ",text")
        text = {TYPE.match(b.splitlines()[0]).group(2): int(TYPE.match(b.splitlines()[0]).group(1))
                for b in out.read_text().split("\n\n")[1:]}
        self.check(types == text, "%s: the profile has the throws of the text" % runtime, "%s\n%s" % (types, text))
        notes = [c for c in loaded.comments if c.startswith("type 1: ")]
        self.check(notes and "first message: " in notes[0], "%s: the profile has messages" % runtime, loaded.comments)

    def many(self, runtime, image, count=20000, threads=3):
        """Every throw is counted, or said to be lost."""
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

    def killed(self, runtime, image):
        out = self.work / ("killed-%s.pb.gz" % runtime.name)
        env = harness.profile_environment(self.build, runtime, ["exceptions:output=%s" % out])
        child = subprocess.Popen([*runtime.command(image), "2", "0"], env=env, cwd=self.work, stdout=subprocess.PIPE)
        child.stdout.readline()
        time.sleep(2.5)
        child.send_signal(signal.SIGKILL)
        child.wait()
        spool = pathlib.Path(str(out) + ".spool")
        done = harness.run([self.build.monocle, "report", spool], harness.bare_environment(), cwd=self.work)
        self.check(done.code == 0 and "Oops" in done.out, "%s: a killed process leaves a profile" % runtime, done)
        harness.run([self.build.monocle, "convert", spool, "--to=pprof", "-o", out], harness.bare_environment())
        total = sum(values[1] for _, values, _ in pprof.load(str(out)).samples) if out.exists() else 0
        self.check(total > 1000, "%s: it has the throws until the end" % runtime, total)

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
        for wrong in (",depth=0", ",sum", ",depth=5000"):
            seen, out = self.profiled(runtime, image, wrong)
            bare = self.bare(runtime, image)
            self.check(seen.out == bare.out and seen.err.count(SAID) == 1 and not out.exists(),
                       "%s: %s is one line" % (runtime, wrong[1:]), seen)


def compile_program(suite, source):
    image = suite.work / (source.stem + ".exe")
    done = subprocess.run(["mcs", "-debug", "-warn:0", "-r:System.Core.dll", "-out:%s" % image, source],
                          capture_output=True, text=True)
    suite.check(done.returncode == 0, source.name + " is compiled", done.stdout + done.stderr)
    shutil.copy(HERE.parent / "programs/runtimeconfig.json", image.with_suffix(".runtimeconfig.json"))
    return image


def main():
    suite = Exceptions("exceptions", __doc__)
    suite.parser.add_argument("--runtimes", default="mono,clr8,clr9,clr10")
    options = suite.parse()
    runtimes = suite.runtimes(options.runtimes.split(","))
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    if not mono or not shutil.which("mcs"):
        suite.skip("exceptions", "no mcs, or no Mono to compare with", "mono")
        return suite.finish()
    sources = HERE.parent / "programs/exceptions.cs", HERE.parent / "stacks/stacks.cs", HERE / "throws.cs"
    exceptions, stacks, throws = (compile_program(suite, source) for source in sources)
    theirs = {image: suite.text(mono, image) for image in (exceptions, stacks)}
    for runtime in runtimes:
        if runtime is not mono:
            for image in exceptions, stacks:
                suite.compare(runtime, image, theirs[image])
        suite.profile(runtime, exceptions)
        suite.many(runtime, throws)
        suite.killed(runtime, throws)
        suite.log(runtime, exceptions)
        suite.choices(runtime, exceptions)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
