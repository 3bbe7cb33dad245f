#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Mono that stands by: what it is asked for comes and goes, what cannot come is refused by name, and the program
notices nothing, whatever else it was started with and whenever it ends.

  standby.py --build DIR [--runtimes mono,clr8,...]

CoreCLR needs no standing by to be attached to: told to, in one environment for both, it starts as if it was not.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "live"), str(HERE.parents[1])]
import harness  # noqa: E402
import pprof  # noqa: E402
from top import Terminal  # noqa: E402


class Program:
    """steps.exe, which answers each line with a line."""

    def __init__(self, suite, modules, settings=None):
        self.suite = suite
        self.process = subprocess.Popen(
            suite.runtime.command(suite.build.path / "test/conformance/control/steps.exe"), text=True,
            env=harness.profile_environment(suite.build, suite.runtime, modules,
                                            {"TMPDIR": "/tmp", **(settings or {})}),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=suite.work)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def say(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            self.process.stdout.readline()

    def monocle(self, *words):
        return harness.run([self.suite.build.monocle, *words], harness.bare_environment(self.suite.environment),
                           cwd=self.suite.work)

    def ctl(self, *words):
        return self.monocle("ctl", self.pid, *words)

    def state(self):
        return (re.findall(r"(?m)^standby (\w+)$", self.ctl("status").out) or ["none"])[0]

    def await_state(self, wanted):
        return harness.wait_for(lambda: self.state() == wanted)

    def row(self):
        rows = json.loads(self.monocle("ps", "--format=json").out)
        return [row for row in rows if row["pid"] == self.pid][0]

    def end(self):
        """(exit code, what it said on stderr)"""
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


class Standby(harness.Suite):
    environment = None

    def ended(self, program, what, said=""):
        seen = program.end()
        self.check(seen == (3, said), what + ": the program is as ever", seen)

    def one(self):
        """All that may be asked of one program."""
        program = Program(self, ["monocle:standby"], {"TELL": str(self.work / "tell")})
        self.check(program.await_state("idle"), "nothing is loaded", program.ctl("status"))
        self.refuses(program)
        self.loads(program)
        self.events(program)
        self.tops(program)
        self.foreign(program)
        code, err = program.end()
        self.check((code, err) == (3, ""), "its stderr is its own", (code, err))
        log = self.work / ("monocle.%d.log" % program.pid)
        said = log.read_text() if log.exists() else ""
        self.check(re.fullmatch("monocle: in a program that runs already Mono tells of no calls: .*\n", said),
                   "calls are refused in a line", said)

    def loads(self, program):
        profile = self.work / "loaded.pb.gz"
        row = program.row()
        self.check((row["attach"], row["reason"], row["modules"]) == (True, None, []) and row["version"],
                   "ps says that it can be attached to", row)
        self.check(re.search(r"(?m)^%d .* yes \(standby\) " % program.pid, program.monocle("ps").out),
                   "ps says how", program.monocle("ps"))
        seen = program.ctl("load", "sample:freq=2000,output=%s" % profile)
        self.check((seen.code, seen.out) == (0, "sample: running\n"), "load", seen)
        self.check(program.state() == "loaded" and program.row()["reason"] == "has Monocle already",
                   "it says that something is loaded", program.ctl("status"))
        for words in (["ctl", program.pid, "load", "exceptions"], ["attach", program.pid]):
            seen = program.monocle(*words)
            self.check(seen.code and seen.err.count("\n") == 1 and re.search("already|at work", seen.err),
                       "what comes second is refused in a line: %s" % words[0], seen)
        if self.options.full:
            program.say("burn 500")
        else:
            self.check(harness.wait_for(lambda: self.is_seen(program)), "what is sampled is seen")
        seen = program.ctl("unload")
        self.check((seen.code, seen.err) == (0, "") and program.await_state("idle"), "unload", seen)
        burnt = sum(values[1] for names, values, _ in pprof.load(str(profile)).samples
                    if any(name.startswith("Program:Burn") for name in names)) / 1e6
        self.check(350 < burnt < 800 if self.options.full else burnt > 0, "what was sampled is in the file", burnt)
        seen = program.ctl("unload")
        self.check(seen.code and "nothing is loaded" in seen.err, "there is no more to unload", seen)

    @staticmethod
    def is_seen(program):
        """Mono may not hit a thread for a while."""
        program.say("burn 20")
        return "Program:Burn" in program.monocle("report", program.pid, "--format=tsv").out

    def refuses(self, program):
        for desc, words in (("calls", "methods that are compiled already have no probes"),
                            ("cover", "methods that are compiled already have no counters"),
                            ("standby", "standby"), ("nosuch", "nosuch"), ("sample:frequency=7", "freq")):
            seen = program.ctl("load", desc)
            self.check(seen.code and words in seen.err and seen.err.count("\n") <= 2, "load %s is refused" % desc, seen)
        maps = pathlib.Path("/proc/%d/maps" % program.pid).read_text()
        self.check(not re.search("libmono-profiler-(?!monocle)", maps), "nothing was loaded for what is refused", maps)
        self.check(program.await_state("idle"), "it stands by all the same")

    def without(self):
        program = Program(self, ["monocle:exceptions:output=/dev/null"])
        seen = program.monocle("attach", program.pid)
        self.check(seen.code and "it was started with --profile=monocle:standby" in seen.err and
                   seen.err.count("\n") == 1, "a Mono that does not stand by", seen)
        self.check(program.row()["reason"] == "Mono", "ps knows it", program.row())
        self.ended(program, "no standby")

    def complains(self):
        """What is wrong at the start is one line, and the program runs."""
        program = Program(self, ["monocle:standby:now"])
        self.check(program.await_state("idle"), "arguments of standby are told and forgotten")
        self.ended(program, "arguments", "monocle: standby takes no arguments, and got 'now'; modules that are loaded "
                   "later do\n")
        program = Program(self, ["monocle"], {"MONOCLE_PROFILE": "standby"})
        self.check(program.await_state("idle"), "what monocle env prints makes it stand by")
        self.ended(program, "variables")
        program = Program(self, ["monocle:standby"], {"MONOCLE_CONTROL": "0"})
        self.ended(program, "no socket", "monocle: standby: nothing can be loaded later: MONOCLE_CONTROL=0 forbids the "
                   "control socket\n")

    def beside(self, first):
        """Another module is there from the start to the end: `first` is how it was named."""
        profile, other = self.work / "calls.pb.gz", self.work / "beside.pb.gz"
        program = Program(self, [first + ":output=%s" % profile, "monocle:standby"])
        self.check(program.await_state("idle"), "%s: it stands by" % first, program.ctl("status"))
        program.say("work 100")
        seen = program.ctl("load", "calls")
        self.check(seen.code and seen.err.count("\n") == 1, "%s: not a second time" % first, seen)
        seen = program.monocle("attach", program.pid, "-q", "--profile=exceptions", "--duration=300ms", "-o", other)
        self.check(seen.code == 0 and other.exists(), "%s: attach" % first, seen)
        self.check(program.await_state("idle"), "%s: it stands by again" % first)
        program.say("work 10")
        self.ended(program, first)
        calls = sum(values[0] for names, values, _ in pprof.load(str(profile)).samples
                    if names[0].startswith("Program:Work (int)"))
        self.check(calls == 110, "%s: its file is whole" % first, calls)
        profile.unlink()
        other.unlink()

    def attach(self, program, *arguments):
        """An attach that is at work, and hears Ctrl-C."""
        attach = subprocess.Popen([self.build.monocle, "attach", str(program.pid), "--duration=5m", *arguments],
                                  cwd=self.work, env=harness.bare_environment(), stderr=subprocess.PIPE, text=True)
        self.check("profiling process" in attach.stderr.readline() and program.await_state("loaded"),
                   "an attach begins")
        return attach

    def events(self, program):
        """What can be had late is there; what cannot is told in a line each."""
        log = self.work / "events.log"
        words = "gc_allocation+exception+exception_clause+runtime+assembly+jit_done+thread"
        attach = self.attach(program, "--profile=events:only=" + words, "-o", log)
        program.say("throw 3", "threads 10")
        attach.send_signal(signal.SIGINT)
        _, err = attach.communicate(timeout=60)
        self.check(attach.returncode == 0 and "no allocations\n" in err and "no exception clauses\n" in err,
                   "what cannot be had is named", err)
        came = [line.split()[2] for line in log.read_text().splitlines() if not line.startswith("#")]
        wanted = {"assembly_loading", "assembly_loaded", "runtime_initialized", "exception_throw", "jit_done",
                  "thread_started", "thread_exited", "runtime_shutdown_begin", "runtime_shutdown_end"}
        self.check(wanted <= set(came) and came.count("exception_throw") == 3, "what can is there",
                   (wanted - set(came), came[:40]))
        self.check(not {"gc_allocation", "exception_clause"} & set(came), "and nothing else", set(came))

    def tops(self, program):
        """top samples it as long as the screen is there."""
        program.await_state("idle")
        seen = program.monocle("top", program.pid, "--plain", "--duration=1500ms")
        line = r"%d steps\.exe +CPU .* threads \d+ +memory .* MiB\b" % program.pid
        self.check(seen.code == 0 and re.match(line, seen.out), "top tells what the kernel knows", seen)
        self.check(program.state() == "idle", "and leaves", program.ctl("status"))
        program.say("spin")
        screen = Terminal([self.build.monocle, "top", program.pid], harness.bare_environment({"TERM": "xterm"}))
        screen.wait(lambda now: now.picture())
        os.write(screen.master, b"m")
        self.check(screen.wait(lambda now: any("Program.Burn" in row for row in now.picture())),
                   "its screen has methods", screen.picture())
        os.write(screen.master, b"q")
        self.check(screen.child.wait(timeout=60) == 0 and program.state() == "idle", "q leaves it as it was",
                   program.ctl("status"))
        program.say("rest")

    def ends(self):
        """The program ends while modules are in it."""
        for way in ("load", "attach"):
            profile = self.work / ("ends-%s.pb.gz" % way)
            program = Program(self, ["monocle:standby"])
            program.await_state("idle")
            if way == "load":
                program.ctl("load", "exceptions:output=%s" % profile)
            else:
                attach = self.attach(program, "--profile=exceptions", "-o", profile)
            program.say("throw 12")
            self.ended(program, "its end during %s" % way)
            if way == "attach":
                _, err = attach.communicate(timeout=60)
                self.check(attach.returncode == 0, "attach sees the end", (attach.returncode, err))
            thrown = sum(values[1] for names, values, _ in pprof.load(str(profile)).samples)
            self.check(thrown == 12, "its end during %s: the file is whole" % way, thrown)

    def foreign(self, program):
        """It gets what a module gets at the start and the end, no calls, and is not started a second time."""
        self.environment = {"MONOCLE_MODULE_PATH": ":".join(self.build.module_dirs())}
        seen = program.ctl("load", "foreign:a=b")
        self.check((seen.code, seen.out) == (0, "foreign: uncontrolled\n"), "load foreign", seen)
        program.say("work 10")
        seen = program.ctl("unload")
        self.check(seen.code == 0, "unload foreign", seen)
        told = (self.work / "tell").read_text().split("\n")
        self.check(told == ["foreign:a=b", "refused", "initialized", "end", "cleanup", ""], "what it is told", told)
        seen = program.ctl("load", "foreign")
        self.check(seen.code and "was loaded before, and stays" in seen.err, "not a second time", seen)
        seen = program.ctl("load", "sample:output=/dev/null")
        self.check(seen.code == 0, "but another one", seen)
        self.environment = None

    def core_clr(self):
        what = str(self.runtime)
        program = Program(self, ["standby"])
        row = program.row()
        self.check((row["attach"], row["modules"]) == (True, []), what + ": it can be attached to", row)
        seen = program.monocle("attach", program.pid, "-q", "--profile=sample:output=/dev/null", "--duration=50ms")
        self.check((seen.code, seen.err) == (0, ""), what + ": attach", seen)
        self.ended(program, what)
        program = Program(self, ["exceptions:output=%s" % (self.work / what), "standby"])
        program.say("throw 3")
        code, err = program.end()
        self.check(code == 3 and err.startswith("monocle: standby has no effect beside other modules") and
                   err.count("\n") == 1, what + ": beside another module it is told in a line", (code, err))
        thrown = sum(values[1] for names, values, _ in pprof.load(str(self.work / what)).samples)
        self.check(thrown == 3, what + ": which is there all the same", thrown)


def main():
    suite = Standby("standby", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    for suite.runtime in suite.runtimes():
        if suite.runtime.kind != "mono":
            suite.core_clr()
            continue
        suite.one()
        suite.without()
        suite.complains()
        suite.beside("monocle:calls")
        suite.beside("calls")
        suite.ends()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
