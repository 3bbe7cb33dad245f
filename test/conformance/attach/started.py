#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle stack where Monocle is in the process already: the stacks are those that an attach shows, whatever module is
there, and neither the module nor the program notices.

  started.py --build DIR [--runtimes mono,clr8,...]
"""
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
import harness  # noqa: E402
from attach import environment  # noqa: E402
from stack import ALONE, KINDS, state_of  # noqa: E402

EACH = 3  # threads of a kind


class Program:
    """blocked.exe, profiled by these modules from its start on; without any it waits for an attach."""

    def __init__(self, suite, runtime, modules=(), settings=None, exe="blocked.exe", arguments=(str(EACH), "computes")):
        umbrella = "monocle:" if runtime.kind == "mono" else ""
        settings = {"TMPDIR": "/tmp", **(settings or {})}
        env = environment(suite, runtime, settings)
        if modules:
            env = harness.profile_environment(suite.build, runtime, [umbrella + m for m in modules], settings)
        self.suite = suite
        self.process = subprocess.Popen(
            runtime.command(suite.build.path / "test/conformance/attach" / exe) + list(arguments), text=True, env=env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=suite.work)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def monocle(self, *words, **more):
        return harness.run([self.suite.build.monocle, *[str(word) for word in words]],
                           harness.bare_environment({"TMPDIR": str(self.suite.folders)}), cwd=self.suite.work,
                           timeout=100, **more)

    def stack(self, *options):
        return self.monocle("stack", self.pid, *options)

    def begin(self, *words):
        return subprocess.Popen([self.suite.build.monocle, *[str(word) for word in words]], text=True,
                                env=harness.bare_environment({"TMPDIR": str(self.suite.folders)}),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.suite.work)

    def await_socket(self):
        return harness.wait_for(lambda: self.monocle("ctl", self.pid, "status").code == 0)

    def end(self):
        """(exit code, the last line of output, messages of Monocle)"""
        out, err = self.process.communicate(timeout=100)
        return self.process.returncode, out, [line for line in err.splitlines() if line.startswith("monocle:")]


UNHARMED = (3, "unharmed\n", [])


def blocks_of(text):
    """The program's own threads, folded: {head: frames}. How much of the framework is inlined is the module's doing."""
    names = [*KINDS, *ALONE, "Main"]
    blocks = [block.splitlines() for block in text.split("\n\n")[1:]]
    return {block[0]: [line for line in block[1:] if line.strip() != "[framework]"]
            for block in blocks if any('"%s"' % name in block[0] for name in names)}


class Started(harness.Suite):
    @property
    def folders(self):
        folder = self.work / "folders"
        folder.mkdir(exist_ok=True)
        return folder

    def nothing_is_left(self, what):
        self.check(not list(self.folders.iterdir()), what + ": no folder is left", list(self.folders.iterdir()))

    def heads(self, runtime):
        return ({'%d threads: "%s", %s' % (EACH, kind, state_of(runtime, kind)) for kind in KINDS} |
                {'"%s", %s' % row for row in ALONE.items()} | {'"Main", reading'})

    def settled(self, runtime, program, *options):
        """The first stacks in which every thread waits: one whose stack was taken has to come back to its wait."""
        return harness.settled(lambda: program.stack("--fold", *options),
                               lambda seen: self.heads(runtime) <= set(seen.out.splitlines()))

    def attached(self, runtime):
        program = Program(self, runtime)
        seen = self.settled(runtime, program)
        program.end()
        return blocks_of(seen.out)

    def same_as_attached(self, runtime, theirs):
        own = {"calls": "calls:output=%s/calls", "cover": "cover:output=%s/cover", "sample": "sample:output=%s/sample",
               "events": "events:output=%s/events", "two": "exceptions:output=%s/exceptions", "somebody's": "hello"}
        for name, desc in own.items():
            what = "%s, %s" % (runtime, name)
            modules = [desc % self.work if "%s" in desc else desc]
            program = Program(self, runtime, modules + (["calls:output=%s/two" % self.work] if name == "two" else []))
            program.await_socket()
            seen = self.settled(runtime, program)
            self.check(seen.code == 0 and not seen.err, what + ": stack succeeds", seen)
            ours = blocks_of(seen.out)
            self.check(set(ours) == set(theirs) and self.heads(runtime) <= set(ours), what + ": all threads are found",
                       (sorted(ours), sorted(theirs)))
            other = {head: (frames, theirs.get(head)) for head, frames in ours.items() if frames != theirs.get(head)}
            self.check(not other, what + ": the stacks are those of an attach", other)
            ended = program.end()
            self.check((ended[0], ended[1]) == UNHARMED[:2] and not [m for m in ended[2] if "stack" in m],
                       what + ": the program is unharmed", ended)
        self.nothing_is_left(str(runtime))

    def options_are_heeded(self, runtime):
        program = Program(self, runtime, ["sample:output=%s/options" % self.work])
        program.await_socket()
        mine = program.stack("--mine", "--thread=Slee*")
        self.check("Blocked.Sleeps" in mine.out and "TakesLock" not in mine.out and "Thread.Sleep" not in mine.out,
                   "%s: threads and frames can be chosen" % runtime, mine)
        whole, short = program.stack("--all-frames"), program.stack()
        self.check("[framework]" not in whole.out and len(whole.out) >= len(short.out) - 100,
                   "%s: all frames" % runtime, (whole, short))
        seen = program.stack("--async")
        if runtime.kind == "mono":
            self.check(seen.code == 0 and "cannot be found on Mono" in seen.err and "Blocked.Sleeps" in seen.out,
                       "%s: there are threads only" % runtime, seen)
        else:
            self.check(seen.code == 0 and "%d async chains" % EACH in seen.out and "Blocked.Later (async)" in seen.out,
                       "%s: async methods that wait" % runtime, seen)
        self.check(program.end() == UNHARMED, "%s: whatever the options" % runtime)

    def no_hit_is_told(self, runtime):
        told = self.work / ("hits-%s" % runtime)
        program = Program(self, runtime, ["bystander:%s" % told])
        program.await_socket()
        seen = [program.stack("--fold") for _ in range(3)]
        self.check(all("Blocked.Sleeps ()  blocked.cs:" in s.out for s in seen), "%s: three stacks" % runtime, seen[0])
        self.check(program.end() == UNHARMED, "%s: with a module that may be hit" % runtime)
        self.check(told.stat().st_size == 0, "%s: no module is told of a hit" % runtime, told.stat().st_size)

    def without_lines(self, runtime):
        """A Mono that keeps no maps of its code may not be asked for lines."""
        if runtime.kind != "mono":
            return
        plain = harness.Runtime(runtime.name, runtime.kind, runtime.version, ["mono"])
        program = Program(self, plain, ["calls:output=%s/without-lines" % self.work])
        program.await_socket()
        seen = program.stack("--fold")
        self.check(seen.code == 0 and "Blocked.Sleeps ()" in seen.out, "%s: stacks without lines" % runtime, seen)
        self.check(program.end() == UNHARMED, "%s: without lines" % runtime)

    def samples_go_on(self, runtime):
        """Those of a module that samples come at its rate, before and after."""
        program = Program(self, runtime, ["sample:output=%s/go-on-%s.pb.gz" % (self.work, runtime)])
        program.await_socket()
        cpu = lambda: program.monocle("report", program.pid, "--topic=samples", "-n", "1").out  # noqa: E731
        before = cpu()
        program.stack()
        self.check(harness.wait_for(lambda: cpu() != before), "%s: samples are taken afterwards" % runtime, before)
        self.check(program.end() == UNHARMED, "%s: with samples" % runtime)

    def two_at_once(self, runtime):
        program = Program(self, runtime, ["calls:output=%s/at-once" % self.work])
        program.await_socket()
        both = [program.begin("stack", program.pid, "--fold") for _ in range(3)]
        answers = [(*one.communicate(timeout=100), one.returncode) for one in both]
        self.check(all(code == 0 and not err and '"Sleeps"' in out for out, err, code in answers),
                   "%s: several at once" % runtime, answers)
        self.check(program.end() == UNHARMED, "%s: asked by several" % runtime)

    def stopped(self, runtime):
        program = Program(self, runtime, ["calls:output=%s/stopped" % self.work])
        program.await_socket()
        program.process.send_signal(signal.SIGSTOP)
        harness.wait_for(lambda: pathlib.Path("/proc/%d/stat" % program.pid).read_text().split(") ")[1][0] == "T")
        seen = program.stack()
        self.check(seen.code == 1 and not seen.out and seen.err.count("\n") == 1 and "is stopped" in seen.err,
                   "%s: a process that is stopped" % runtime, seen)
        program.process.send_signal(signal.SIGCONT)
        self.check(program.stack().code == 0, "%s: when it goes on" % runtime)
        self.check(program.end() == UNHARMED, "%s: stopped for a while" % runtime)

    def while_it_ends(self, runtime):
        bad, ends = [], []
        for i in range(8 if self.options.full else 3):
            program = Program(self, runtime, ["sample:output=%s/ends" % self.work])
            program.await_socket()
            asked = [program.begin("stack", program.pid, "--fold") for _ in range(2)]
            for _ in range(i):  # whatever has happened by then is fine
                program.monocle("ctl", program.pid, "status")
            ends.append(program.end())
            answers = [(*one.communicate(timeout=100), one.returncode) for one in asked]
            bad += [a for a in answers if not ((a[2] == 0 and '"Sleeps"' in a[0] and not a[1]) or
                                               (a[2] == 1 and not a[0] and a[1].count("\n") == 1))]
        self.check(not bad, "%s: a program that ends: stacks, or one line" % runtime, bad)
        self.check(all(end == UNHARMED for end in ends), "%s: it ends as ever" % runtime, ends)
        self.nothing_is_left("%s, ending" % runtime)

    def deaf(self, runtime):
        """A thread that lets no signal come costs a second at most each time, and the others are shown."""
        program = Program(self, runtime, ["calls:output=%s/deaf" % self.work], exe="target.exe", arguments=["deaf"])
        program.await_socket()
        program.process.stdin.write("begin\n")
        program.process.stdin.flush()
        program.process.stdout.readline()
        seen = program.stack()
        self.check(seen.code == 0 and "Target.Main" in seen.out and "worker one" in seen.out,
                   "%s: a thread that is deaf" % runtime, seen)
        ended = program.end()
        self.check(ended == UNHARMED, "%s: with a deaf thread" % runtime, ended)

    def beside_an_attach(self, runtime):
        program = Program(self, runtime)
        log = self.work / ("beside-%s.pb.gz" % runtime)
        attach = program.begin("attach", program.pid, "--profile=sample:mode=wall", "--duration=90s", "-o", log)
        attach.stderr.readline()  # that it profiles
        seen = self.settled(runtime, program)
        self.check(seen.code == 0 and not seen.err and self.heads(runtime) <= set(seen.out.splitlines()),
                   "%s: while an attach is at work" % runtime, seen)
        attach.send_signal(signal.SIGINT)
        out, err = attach.communicate(timeout=100)
        self.check(attach.returncode == 0 and log.exists(), "%s: the attach goes on to its end" % runtime, (out, err))
        self.check(program.end() == UNHARMED, "%s: beside an attach" % runtime)

    def refused(self, runtime):
        program = Program(self, runtime, ["calls:output=%s/off" % self.work], {"MONOCLE_CONTROL": "0"})
        seen = program.stack()
        word = "takes no profiler once it runs" if runtime.kind == "mono" else "has Monocle already"
        self.check(seen.code == 1 and not seen.out and seen.err.count("\n") == 1 and word in seen.err,
                   "%s: refused where there is no control socket" % runtime, seen)
        self.check(program.end()[:2] == UNHARMED[:2], "%s: without a socket" % runtime)

    def one(self, runtime):
        self.same_as_attached(runtime, self.attached(runtime))
        for look in (self.options_are_heeded, self.no_hit_is_told, self.without_lines, self.samples_go_on,
                     self.two_at_once, self.stopped, self.while_it_ends, self.deaf, self.beside_an_attach,
                     self.refused):
            look(runtime)


def main():
    suite = Started("started", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse("mono,clr10")
    for runtime in suite.runtimes():
        suite.one(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
