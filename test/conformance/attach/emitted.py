#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that has made code of its own (emitted.cs) before an attach: what each module calls it, and what becomes of
the program.

  emitted.py --build DIR [--runtimes clr8,...] [--times N]

Each thread of the program waits below one kind of such code, so that its stack is known. With --full, and with --times,
N programs on each runtime are attached to, each once, the modules in turn.
"""
import os
import re
import signal
import sys

import attach
import harness
import probed

# What each thread waits below, as `monocle stack --all-frames` calls it.
WAITS = {"run": "Made.Worker.Turn (int)", "nested": "Made.Worker.Inner.Turn (int)", "machine": "Made.Worker.Later (",
         "global": "<Module>.Everywhere (int)", "generic": "Made.Holder<int>.Turn<long> (int, long, int)",
         "struct": "Made.Pair.Turn (int)", "collectible": "Brief.Worker.Turn (int)",
         "proxy": "generatedProxy_1.Turn (int)", "derived": "Castle.Proxies.ServiceProxy.Turn (int)",
         "dynamic": "(wrapper dynamic-method) object.Generated (int)",
         "expression": "(wrapper dynamic-method) object.lambda_method", "copy": "Copied.Turn (Func<int, int>, int)"}
BUSY = {"Made.Worker:Spin (int)", "Brief.Worker:Spin (int)"}
NAMELESS = re.compile(r"<unknown>|<0x|invalid signature|=\(null\)|\?\?")


class Emitted(probed.Probed):
    def start(self, runtime, settings=None):
        return attach.Target(self, runtime, program="emitted.dll", settings=settings)

    def tell(self, target, line):
        try:
            target.process.stdin.write(line + "\n")
            target.process.stdin.flush()
            answer = target.process.stdout.readline()
        except OSError as error:
            answer = error
        self.check(answer == line + "\n", "the program does as it is told: " + line, answer)

    def stack(self, what, target, waits, *options):
        seen = harness.run([self.build.monocle, "stack", "--all-frames", *options, target.pid],
                           harness.bare_environment(), cwd=self.work, timeout=60)
        self.check((seen.code, seen.err) == (0, ""), what + ": stack succeeds", seen)
        blocks = {re.match(r'"(.*?)"', block).group(1): block for block in seen.out.split("\n\n")[1:]}
        for thread, name in waits.items():
            block = blocks.get(thread, "")
            self.check("    Emitted.Meet (int)" in block and "    " + name in block, "%s: the stack of %s" %
                       (what, thread), block or seen.out)
        self.check(not NAMELESS.search(seen.out), what + ": no stack has a frame without a name", seen.out)

    def first_with_async(self, runtime):
        """A look at the heap begins a session of events and a collection, and yet the threads' stacks are the same."""
        target, what = self.start(runtime), "%s, with --async" % runtime
        self.stack(what, target, WAITS, "--async")
        self.ended(target, what + ": the program noticed nothing")

    def attached(self, what, target, profile, file, words, until=lambda: True):
        """What is written when the program was told so while it was attached to."""
        child = self.begin(target, profile, file)
        for word in words:
            self.tell(target, word)
        good = harness.wait_for(until)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.check(child.returncode == 0 and file.exists(), what + " leaves a profile", (child.returncode, out, err))
        return good

    def samples(self, what, target):
        file = self.work / "sample.pb.gz"

        def is_seen():
            return all(name in self.report(target.pid, "--format=tsv") for name in BUSY)
        self.check(self.attached(what + ": sample", target, "sample:freq=500", file, ["throw"], is_seen),
                   what + ": what computes is sampled", self.report(target.pid, "--format=tsv"))
        text = self.report(file, "--format=tsv", "--all-frames")
        self.check(all(name in text for name in BUSY) and not NAMELESS.search(text), what + ": samples have names",
                   text)
        file.unlink()

    def exceptions(self, what, target):
        file = self.work / "exceptions.pb.gz"
        self.attached(what + ": exceptions", target, "exceptions", file, ["throw", "throw"])
        text = self.report(file, "--format=tsv")
        self.check("Made.Failure\t" in text and "Made.Worker:Fail ()\t" in text and not NAMELESS.search(text),
                   what + ": an exception has its type and its stack", text)
        file.unlink()

    def events(self, what, target):
        """What was there, what comes into an image that was there, and an image that goes."""
        file = self.work / "events.log"
        self.attached(what + ": events", target, "events", file, ["throw", "more", "gone"])
        text = file.read_text()
        for line in ("assembly_loaded assembly=EmittedRun", "assembly_loaded assembly=EmittedBrief",
                     "assembly_loaded assembly=DynamicProxyGenAssembly2", "exception_throw exception=Made.Failure",
                     "exception_phase phase=search-enter method=Made.Worker:Fail ()",
                     r"class_loaded klass=Made.Later\d+", r"jit_done method=Made.Later\d+:Turn \(int\)",
                     r"assembly_loaded assembly=EmittedLater\d+", "assembly_unloaded assembly=EmittedGone"):
            pattern = line if "\\" in line else re.escape(line)
            self.check(re.search(pattern, text), "%s: events tell %s" % (what, line), text[-4000:])
        self.check(not NAMELESS.search(text), what + ": no event is about something without a name",
                   [line for line in text.splitlines() if NAMELESS.search(line)][:20])
        file.unlink()

    def calls(self, what, target):
        file = self.work / "calls.pb.gz"
        self.attached(what + ": calls", target, "calls:callspec=all", file, ["throw", "more"])
        text = self.report(file, "--format=tsv", "--all-frames")
        self.check("Emitted:Throw ()" in text and not NAMELESS.search(text), what + ": calls have names", text)
        file.unlink()

    def cover(self, what, target):
        seen = self.attach(target, "--profile=cover")
        self.check(seen.code and "the module cover cannot be attached" in seen.err and seen.err.count("\n") == 1,
                   what + ": cover is refused in a line", seen)

    def one(self, runtime):
        target, what = self.start(runtime), str(runtime)
        self.stack(what, target, WAITS)
        self.samples(what, target)
        self.exceptions(what, target)
        self.events(what, target)
        self.cover(what, target)
        self.stack(what + ", later", target, {**WAITS, "brief later": "Brief.Worker.Turn (int)"})
        self.calls(what, target)
        self.ended(target, "%s: the program noticed nothing" % runtime)

    def dies(self, runtime):
        """A program that is killed meanwhile: an attach fails, and says so, whatever else there is to report."""
        target = self.start(runtime)
        file = self.work / "died.pb.gz"
        child = self.begin(target, "sample", file)
        os.kill(target.pid, signal.SIGKILL)
        target.process.wait()
        err = child.communicate(timeout=60)[1]
        said = "monocle: process %d was killed, or died\n" % target.pid
        self.check(child.returncode == 1 and said in err and file.exists(),
                   "%s: an attach fails when the program dies" % runtime, (child.returncode, err))
        target.process.stdin.close()
        target.end()

    def ends(self, runtime, habit=None, number=None):
        """One that comes to its end is no failure."""
        target = self.start(runtime)
        child = self.begin(target, "sample", self.work / "ended.pb.gz")
        self.ended(target, "%s: a program ends while it is attached to" % runtime)
        err = child.communicate(timeout=60)[1]
        self.check(child.returncode == 0 and "process %d has ended\n" % target.pid in err,
                   "%s: that is no failure of the attach" % runtime, (child.returncode, err))

    def again(self, runtime, number):
        target, what = self.start(runtime), "%s, attach %d" % (runtime, number)
        turns = [lambda: self.stack(what, target, WAITS), lambda: self.samples(what, target),
                 lambda: self.exceptions(what, target), lambda: self.events(what, target),
                 lambda: self.calls(what, target)]
        turns[number % len(turns)]()
        self.ended(target, what + ": the program noticed nothing")


def main():
    suite = Emitted("emitted", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--times", type=int, default=0, help="programs on each runtime that are attached to once")
    options = suite.parse("clr8,clr10", harness.NET)  # .NET 9 is as 10 here
    for runtime in suite.runtimes():
        suite.one(runtime)
        suite.first_with_async(runtime)
        suite.dies(runtime)
        suite.ends(runtime)
        for number in range(options.times or (67 if options.full else 0)):
            suite.again(runtime, number)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
