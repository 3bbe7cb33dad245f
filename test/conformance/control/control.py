#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A running program is stopped, started, set back and read over its control socket; what it does not notice.

  control.py --build DIR [--runtimes mono,clr8,...]
"""
import glob
import itertools
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import harness  # noqa: E402
import pprof  # noqa: E402

numbers = itertools.count()  # of folders and files


class Program:
    """It answers each line with a line. Its sockets are in a folder of the test's own."""

    def __init__(self, suite, runtime, modules, settings=None):
        self.suite, self.folder = suite, suite.work / ("%s-%d" % (runtime, next(numbers)))
        self.folder.mkdir()
        self.folder.chmod(0o700)
        settings = {"XDG_RUNTIME_DIR": str(self.folder), **(settings or {})}
        umbrella = "monocle:" if runtime.kind == "mono" else ""
        self.modules = [umbrella + m + ("," if ":" in m else ":") + "output=%s/%s" % (self.folder, m.split(":")[0])
                        for m in modules]
        self.process = subprocess.Popen(
            runtime.command(suite.build.path / "test/conformance/control/steps.exe"), text=True,
            env=harness.profile_environment(suite.build, runtime, self.modules, settings),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def say(self, *lines):
        """Answers how long the last one took, in milliseconds."""
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        return int(answer.split()[1])

    def burn(self, milliseconds):
        """Has it use a processor. Answers how long it was from here, in milliseconds, which is no less."""
        begun = time.monotonic()
        self.say("burn %d" % milliseconds)
        return (time.monotonic() - begun) * 1000

    def ctl(self, *words):
        return harness.run([self.suite.build.path / "monocle", "ctl", str(self.pid), *[str(w) for w in words]],
                           harness.bare_environment(), cwd=self.folder)

    def status(self):
        """{module: its state}"""
        return dict(re.findall(r"(?m)^(\w+): (.*)$", self.ctl("status").out))

    def await_status(self, wanted):
        """Until it is so: a program may be asked before its socket is there."""
        end = time.monotonic() + 60
        while time.monotonic() < end and self.status() != wanted:
            time.sleep(0.02)
        return self.status() == wanted

    def snapshot(self, module):
        path = self.folder / ("now-%d.pb.gz" % next(numbers))
        outcome = self.ctl("snapshot", module, "-o", path)
        if outcome.code:
            raise RuntimeError(str(outcome))
        return pprof.load(str(path))

    def sockets(self):
        return glob.glob(str(self.folder / "monocle-ctl-*"))

    def end(self):
        out, err = self.process.communicate(timeout=100)
        return self.process.returncode, err


def count(profile, name, value=0):
    """The value of the samples whose innermost frame is it."""
    return sum(values[value] for names, values, _ in profile.samples if names[0].startswith(name))


def whole(profile, name, value):
    return sum(values[value] for names, values, _ in profile.samples if any(n.startswith(name) for n in names))


WORK = "Program:Work (int)"


def see_calls(suite, runtime):
    """Counts between the steps are exact, on all threads, whichever were inside of calls when it was stopped."""
    program = Program(suite, runtime, ["calls"])
    seen = lambda: count(program.snapshot("calls"), WORK)  # noqa: E731
    steps = [("it is running", program.await_status({"calls": "running"}), True)]
    program.say("work 1000", "threads 100")
    steps.append(("a snapshot", seen(), 1400))
    program.ctl("stop", "calls")
    steps.append(("it is stopped", program.status(), {"calls": "stopped"}))
    program.say("work 77", "threads 7")
    steps.append(("nothing between stop and start", seen(), 1400))
    program.ctl("start")
    program.say("work 10", "threads 10")
    steps.append(("what came after the start", seen(), 1450))
    program.ctl("reset", "calls")
    steps.append(("nothing after the reset", seen(), 0))
    program.say("work 5", "threads 1")
    steps.append(("what came after the reset", seen(), 9))
    times = program.snapshot("calls")
    steps.append(("times begin anew, too", sum(v[1] for _, v, _ in times.samples) <= times.duration * 8, True))
    code, err = program.end()
    steps.append(("the end", (code, err), (3, "")))
    steps.append(("the last file", count(pprof.load(str(program.folder / "calls")), WORK), 9))
    steps.append(("no socket is left", program.sockets(), []))
    for what, is_now, wanted in steps:
        suite.check(is_now == wanted, "%s, calls: %s" % (runtime, what), is_now)


def see_times(suite, runtime):
    """A method that stands open while it is stopped gets none of that time."""
    program = Program(suite, runtime, ["calls"])
    program.await_status({"calls": "running"})
    first = program.burn(200)
    program.ctl("stop")
    stopped = program.burn(900)
    program.ctl("start")
    second = program.burn(200)
    profile = program.snapshot("calls")
    spent = whole(profile, "Program:Burn", 1) / 1e6
    least = 0.7 * (first + second) if suite.options.full else 0
    suite.check(least < spent <= first + second,
                "%s, calls: time while it is stopped is nobody's" % runtime, (first, stopped, second, spent))
    whole_time = sum(values[1] for _, values, _ in profile.samples) / 1e6
    alive = profile.duration / 1e6
    suite.check(whole_time <= alive - 0.99 * stopped,
                "%s, calls: not even of what is open all the time" % runtime, (whole_time, alive, stopped))
    program.end()


def see_samples(suite, runtime):
    program = Program(suite, runtime, ["sample:freq=500"])
    program.await_status({"sample": "running"})
    burnt = lambda: whole(program.snapshot("sample"), "Program:Burn", 1) / 1e6  # noqa: E731
    program.say("burn 600")
    first = burnt()
    suite.check(first > 0 and (not suite.options.full or 400 < first < 900),
                "%s, sample: before it is stopped" % runtime, first)
    program.ctl("stop")
    program.say("burn 1000")
    second = burnt()
    suite.check(second == first, "%s, sample: nothing while it is stopped" % runtime, (first, second))
    program.ctl("start")
    program.say("burn 600")
    third = burnt()
    more = third - second
    suite.check(more > 0 and (not suite.options.full or 400 < more < 900),
                "%s, sample: it goes on, and begins anew" % runtime, (second, third))
    program.ctl("reset")
    program.say("burn 400")
    last = burnt()
    suite.check(0 < last < third and (not suite.options.full or 200 < last < 700),
                "%s, sample: what came after the reset" % runtime, last)
    suite.check(program.end() == (3, ""), "%s, sample: the end" % runtime)


def see_others(suite, runtime):
    """The other modules, several at once, one that cannot, one that is not there."""
    program = Program(suite, runtime, ["exceptions", "calls:threshold=1s"])
    states = {"exceptions": "running", "calls": "running"}
    suite.check(program.await_status(states), "%s: two modules" % runtime, program.ctl("status"))
    program.say("throw 20")
    program.ctl("stop", "exceptions")
    program.say("throw 7")
    program.ctl("start", "exceptions")
    program.say("throw 3")
    thrown = count(program.snapshot("exceptions"), "System.InvalidOperationException", 1)
    suite.check(thrown == 23, "%s, exceptions: those between are not counted" % runtime, thrown)
    for words, message in ((("stop", "calls"), "this module cannot do that"),
                           (("stop", "sample"), "there is no such module in the process")):
        outcome = program.ctl(*words)
        suite.check(outcome.code == 1 and outcome.err == "monocle: process %d: %s: %s\n" % (
            program.pid, " ".join(words), message), "%s: %s" % (runtime, " ".join(words)), outcome)
    outcome = program.ctl("snapshot")
    made = sorted(p.name for p in program.folder.glob("*.1.pb.gz"))
    suite.check(made == ["%s.%d.1.pb.gz" % (m, program.pid) for m in ("calls", "exceptions")],
                "%s: a snapshot of all has names of its own" % runtime, (outcome, made))
    suite.check(program.end() == (3, ""), "%s, others: the end" % runtime)


def see_waits(suite, runtime):
    """MONOCLE_START and MONOCLE_DURATION: from the first call on nothing is counted, until it is time."""
    program = Program(suite, runtime, ["calls"], {"MONOCLE_START": "stopped"})
    suite.check(program.await_status({"calls": "stopped"}), "%s: it begins stopped" % runtime, program.ctl("status"))
    program.say("work 50")
    program.ctl("start")
    program.say("work 60")
    seen = count(program.snapshot("calls"), WORK)
    suite.check(seen == 60, "%s: counted from the start on" % runtime, seen)
    program.end()
    program = Program(suite, runtime, ["calls"], {"MONOCLE_START": "300ms", "MONOCLE_DURATION": "1s"})
    suite.check(program.await_status({"calls": "running"}), "%s: it starts by itself" % runtime)
    suite.check(program.await_status({"calls": "stopped"}), "%s: and stops by itself" % runtime)
    program.say("work 50")
    seen = count(program.snapshot("calls"), WORK)
    suite.check(seen == 0, "%s: nothing is counted after that" % runtime, seen)
    suite.check(program.end() == (3, ""), "%s, waits: the end" % runtime)


def see_run(suite, runtime):
    """monocle run passes on when its modules count, and its number stands for the program's."""
    for options, wanted in ((["--start=stopped"], 60), (["--delay=100ms", "--duration=2h"], 110)):
        program = Program.__new__(Program)
        program.suite, program.folder = suite, suite.work / ("run-%s-%d" % (runtime, wanted))
        program.folder.mkdir(0o700)
        program.process = subprocess.Popen(
            [suite.build.path / "monocle", "run", "-q", "--profile=calls", "-o", program.folder / "p.pb.gz", *options,
             "--", *runtime.command(suite.build.path / "test/conformance/control/steps.exe")], text=True,
            env=harness.bare_environment({"XDG_RUNTIME_DIR": str(program.folder)}),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        program.pid = program.process.pid
        program.process.stdout.readline()
        is_running = "--start=stopped" not in options
        suite.check(program.await_status({"calls": "running" if is_running else "stopped"}),
                    "%s: run %s" % (runtime, options[0]), program.ctl("status"))
        program.say("work 50")
        program.ctl("start")
        program.say("work 60")
        code, err = program.end()
        seen = count(pprof.load(str(program.folder / "p.pb.gz")), WORK)
        suite.check((code, seen) == (3, wanted), "%s: run %s counts what it should" % (runtime, options[0]),
                    (code, seen, err))


def see_nothing(suite, runtime):
    """MONOCLE_CONTROL=0, and what is left by a process that was killed."""
    program = Program(suite, runtime, ["calls"], {"MONOCLE_CONTROL": "0"})
    outcome = program.ctl("status")
    suite.check(outcome.code == 1 and "it has no control socket" in outcome.err and not program.sockets(),
                "%s: MONOCLE_CONTROL=0" % runtime, outcome)
    program.end()
    program = Program(suite, runtime, ["calls"])
    program.await_status({"calls": "running"})
    left = program.sockets()
    suite.check([os.stat(p).st_mode & 0o777 for p in left] == [0o700], "%s: the user alone can enter" % runtime, left)
    program.process.kill()
    program.process.communicate()
    os.utime(left[0], (1, 1))
    other = Program(suite, runtime, ["calls"], {"XDG_RUNTIME_DIR": str(program.folder)})
    other.await_status({"calls": "running"})
    suite.check(program.sockets() and left[0] not in program.sockets(),
                "%s: the next one removes what a killed one has left" % runtime, program.sockets())
    other.end()


# --- a hostile client

def connect(program):
    end = socket.socket(socket.AF_UNIX)
    end.settimeout(20)
    end.connect(program.sockets()[0] + "/socket")
    return end


def answer(program, request):
    """Everything up to the end of the answer, or of the connection."""
    with connect(program) as end:
        got = b""
        try:
            end.sendall(request)
            while not re.search(rb"(?m)^(ok|error .*)$", got):
                more = end.recv(4096)
                if not more:
                    break
                got += more
        except (BrokenPipeError, ConnectionResetError):
            pass
        return got


def fuzz(rng):
    words = [b"monocle", b"1", b"2", b"status", b"start", b"snapshot", b"sample", b"", b" ", b"\0", b"x" * 5000,
             b"\xff\xfe", b"%n%s", b"../..", b"\r", b"-1", b"99999999999999999999"]
    if rng.random() < 0.3:
        return bytes(rng.getrandbits(8) for _ in range(rng.randrange(6000))) + b"\n"
    return b" ".join(rng.choice(words) for _ in range(rng.randrange(8))) + b"\n"


def see_hostile(suite, runtime):
    """1,000 connections, slow bytes and nonsense: the program is right, and whoever asks properly is answered."""
    program, rng = Program(suite, runtime, ["calls"]), harness.chance(18)
    program.await_status({"calls": "running"})
    program.say("work 0")  # it has opened its input
    before = len(os.listdir("/proc/%d/fd" % program.pid))
    lines = [fuzz(rng) for _ in range(60)]
    wrong = [line for line in lines
             for got in [answer(program, line)] if got and not re.fullmatch(rb"((module|file|process|runtime) .*\n)*"
                                                                            rb"(ok|error [ -~]+)\n.*", got, re.S)]
    suite.check(not wrong, "%s: nonsense is one line" % runtime, [line[:60] for line in wrong])
    ends = []
    for i in range(1000):
        end = socket.socket(socket.AF_UNIX)
        end.setblocking(False)
        try:
            end.connect(program.sockets()[0] + "/socket")
            end.send(b"m" if i % 2 else b"monocle 1 st")
            ends.append(end)
        except (BlockingIOError, BrokenPipeError):
            end.close()
    outcome = program.ctl("status")
    suite.check(outcome.out.endswith("calls: running\n"), "%s: among 1,000 connections" % runtime, outcome)
    for end in ends:
        end.close()
    program.say("work 1000", "threads 100")
    seen = count(program.snapshot("calls"), WORK)
    suite.check(seen == 1400, "%s: the target counts right" % runtime, seen)
    now = len(os.listdir("/proc/%d/fd" % program.pid))
    suite.check(now <= before, "%s: the target's descriptors are as they were" % runtime, (before, now))
    suite.check(program.end() == (3, ""), "%s, hostile: the end" % runtime)


def see_hostile_target(suite, runtime):
    """The program forks, and closes whatever is open."""
    program = Program(suite, runtime, ["calls"], harness.PRIVATE_CODE)
    program.await_status({"calls": "running"})
    program.say(*["fork"] * 20)
    suite.check(len(program.sockets()) == 1, "%s: children that were forked leave it alone" % runtime,
                program.sockets())
    if runtime.kind == "mono":  # CoreCLR ends a program that closes its own descriptors, with or without us.
        program.say("close")
    suite.check(program.status() == {"calls": "running"}, "%s: it still answers" % runtime, program.ctl("status"))
    program.say("work 10")
    suite.check(count(program.snapshot("calls"), WORK) == 10, "%s: and tells the truth" % runtime)
    suite.check(program.end() == (3, "") and not program.sockets(), "%s: it ends as ever" % runtime,
                program.sockets())


def main():
    suite = harness.Suite("control", __doc__.split("\n")[0])
    suite.parser.add_argument("--runtimes", default=harness.ALL)
    suite.parser.add_argument("--only", default="")
    options = suite.parse()
    if not (suite.build.path / "test/conformance/control/steps.exe").exists():
        suite.skip("all of it", "the program is not compiled (mcs)")
        return suite.finish()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        for see in (see_calls, see_times, see_samples, see_others, see_waits, see_run, see_nothing, see_hostile,
                    see_hostile_target):
            if options.only in see.__name__:
                see(suite, runtime)
    return suite.finish()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.exit(main())
