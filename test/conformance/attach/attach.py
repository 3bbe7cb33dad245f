#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle attach: what a running program's profile says, what is left behind, and what the program notices.

  attach.py --build DIR [--runtimes clr8,...] [--rounds N] [--habits NAME,...] [--seconds N]

The program knows what it does (target.cs): Three takes three times as long as One, on two threads that have names. Its
profile by an attach is held against that, and against the one of `monocle run`. Rounds of attach and detach must leave
threads, descriptors and mappings as the first one left them. A habit is something that a program may do meanwhile.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

HABITS = "forks,starts,throws,collects,threads,generates,closes,execs,exits,dies"
ENDS = {"execs": 0, "exits": 5, "dies": 6}  # the exit codes of those that end by themselves
WORD = re.compile(r"\bTarget[:.](\w+)")


class Target:
    def __init__(self, suite, runtime, habit=None, program="target.exe", settings=None):
        arguments = [habit] if isinstance(habit, str) else habit or []
        exe = suite.build.path / "test/conformance/attach" / program
        self.process = subprocess.Popen(runtime.command(exe) + arguments, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=suite.work,
                                        env=harness.bare_environment({"TMPDIR": "/tmp", **(settings or {})}))
        self.pid = self.process.pid
        self.first = self.process.stdout.readline()

    def begin(self):
        self.process.stdin.write("begin\n")
        self.process.stdin.flush()

    def end(self):
        """(exit code, what it said)"""
        if self.process.stdin.closed:
            self.process.stdin = None
        try:
            out, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
        return self.process.returncode, out + err

    def threads_of_ours(self):
        found = []
        for task in pathlib.Path("/proc/%d/task" % self.pid).iterdir():
            try:
                found.append((task / "comm").read_text().strip())
            except OSError:  # it has just ended
                continue
        return [name for name in found if "monocle" in name]

    def left(self):
        end = time.monotonic() + 5  # a thread that has nothing more to do may still be on its way out
        while self.threads_of_ours() and time.monotonic() < end:
            time.sleep(0.01)
        status = pathlib.Path("/proc/%d/status" % self.pid).read_text()
        maps = pathlib.Path("/proc/%d/maps" % self.pid).read_text().splitlines()
        return {"threads": self.threads_of_ours(),
                "descriptors": len([fd for fd in os.listdir("/proc/%d/fd" % self.pid) if int(fd) > 2]),
                "modules": [line for line in maps if "libmono-profiler-" in line],
                "rss": int(re.search(r"VmRSS:\s+(\d+)", status).group(1))}


class Attach(harness.Suite):
    def attach(self, target, *arguments, timeout=60):
        return harness.run([self.build.monocle, "attach", target.pid, *arguments], harness.bare_environment(),
                           cwd=self.work, timeout=timeout)

    def shares(self, profile):
        """Of what the two threads did: the share of each method, by total time."""
        report = harness.run([self.build.monocle, "report", "--format=tsv", "--all-frames", profile],
                             harness.bare_environment())
        rows = [line.split("\t") for line in report.out.splitlines()[1:]]
        times = {}
        for row in rows:
            found = WORD.search(row[0])
            if found:
                times[found.group(1)] = times.get(found.group(1), 0) + int(row[4])
        whole = times.get("Work", 0)
        return {name: times.get(name, 0) / whole for name in ("Three", "One", "Throw")} if whole else report.out

    def run_beside(self, runtime):
        profile = self.work / ("run-%s.pb.gz" % runtime)
        exe = self.build.path / "test/conformance/attach/target.exe"
        child = subprocess.Popen([self.build.monocle, "run", "-q", "--profile=sample:freq=500", "-o", profile, "--",
                                  *runtime.command(exe)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                 env=harness.bare_environment(), cwd=self.work)
        child.stdout.readline()
        time.sleep(self.options.seconds)
        child.communicate()
        return self.shares(profile)

    def samples(self, runtime):
        target = Target(self, runtime)
        profile = self.work / ("attach-%s.pb.gz" % runtime)
        for turn in ("first", "second"):
            what = "%s: the %s attach" % (runtime, turn)
            seen = self.attach(target, "--profile=sample:freq=500,threads", "--duration=%gs" % self.options.seconds,
                               "-o", profile)
            if not self.check(seen.code == 0 and profile.exists(), what + " leaves a profile", seen):
                continue
            shares = self.shares(profile)
            good = isinstance(shares, dict) and 1.5 < shares["Three"] / max(shares["One"], 0.001) < 6
            self.check(good, what + " tells what the program does", shares)
            other = self.run_beside(runtime) if turn == "first" else None
            if other and good and isinstance(other, dict):
                off = max(abs(shares[name] - other[name]) for name in shares)
                print("%s: attached %s, run %s" % (runtime, shares, other))
                self.check(off < self.options.points / 100, what + " says what monocle run says", (shares, other))
            head = harness.run([self.build.monocle, "report", "--threads", profile], harness.bare_environment()).out
            self.check("worker one" in head and "worker two" in head, what + " knows the names of threads", head)
            profile.unlink()
        target.process.stdin.close()
        code, said = target.end()
        self.check((code, said) == (3, "unharmed\n"), "%s: the program noticed nothing" % runtime, (code, said))

    def rounds(self, runtime):
        # One that waits: what a program allocates by itself would be taken for ours.
        target, settled = Target(self, runtime, "2", "blocked.exe"), None
        before = target.left()
        for number in range(self.options.rounds):
            seen = self.attach(target, "-q", "--profile=sample:freq=1000,output=/dev/null", "--duration=50ms")
            now = target.left()
            if not self.check(not now["threads"] and not now["modules"], "%s: round %d ends" % (runtime, number),
                              (now, str(seen))):
                break
            settled = settled or now
        after = target.left()
        self.check(after["descriptors"] <= before["descriptors"] + 1, "%s: no descriptor stays" % runtime,
                   (before["descriptors"], after["descriptors"]))
        self.check(after["rss"] < settled["rss"] + self.options.growth, "%s: memory stays as it is" % runtime,
                   (before["rss"], settled["rss"], after["rss"]))
        print("%s: RSS %d KiB bare, %d after the first round, %d after %d" %
              (runtime, before["rss"], settled["rss"], after["rss"], self.options.rounds))
        target.process.stdin.close()
        code, said = target.end()
        self.check((code, said) == (3, "unharmed\n"), "%s: the program noticed no round" % runtime, (code, said))

    def habit(self, runtime, habit):
        target = Target(self, runtime, habit)
        target.begin()
        what = "%s, a program that %s" % (runtime, habit)
        seen = self.attach(target, "-q", "--profile=sample:freq=1000,output=/dev/null", "--duration=400ms")
        if habit in ENDS:
            target.process.stdin.close()
            code, said = target.end()
            said = said.replace("another\n", "")
            self.check((code, said) == (ENDS[habit], ""), what + " ends as it would", (code, said, str(seen)))
            return
        self.check("does not answer" not in seen.err and not target.left()["modules"], what + " is left", seen)
        target.process.stdin.close()
        code, said = target.end()
        self.check((code, said) == (3, "unharmed\n"), what + " is unharmed", (code, said, str(seen)))

    def refusals(self, runtime):
        target = Target(self, runtime)
        for arguments, words in ((["--profile=cover"], "the module cover cannot be attached"),
                                 (["--profile=nosuch"], "nosuch"),
                                 (["-o", "/nowhere/at/all"], "cannot write /nowhere/at/all"),
                                 (["--duration=soon"], "takes a time")):
            seen = self.attach(target, *arguments)
            self.check(seen.code and words in seen.err and seen.err.count("\n") <= 2,
                       "%s: %s is refused in a line" % (runtime, " ".join(arguments)), seen)
        self.check("libmonocle" not in pathlib.Path("/proc/%d/maps" % target.pid).read_text(),
                   "%s: nothing was loaded for what is refused" % runtime)
        first = subprocess.Popen([self.build.monocle, "attach", str(target.pid), "-q", "--duration=1m",
                                  "--profile=sample:output=/dev/null"], env=harness.bare_environment(), cwd=self.work,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while "monocle-attach" not in target.threads_of_ours() and first.poll() is None:
            time.sleep(0.01)
        seen = self.attach(target)
        self.check(seen.code and "another attach is at work" in seen.err and seen.err.count("\n") == 1,
                   "%s: a second attach is refused in a line" % runtime, seen)
        first.send_signal(signal.SIGINT)
        first.wait()
        target.process.stdin.close()
        target.end()

    def unwritable(self, runtime):
        """A module that was loaded and could not begin is closed without taking anything of the program's."""
        target = Target(self, runtime, "threads")
        target.begin()
        for profile in ("events", "exceptions:log", "exceptions", "sample:lines"):
            more = "," if ":" in profile else ":"
            seen = self.attach(target, "--profile=%s%soutput=/nowhere/at/all" % (profile, more), "--duration=100ms")
            self.check(seen.code and "cannot write /nowhere/at/all" in seen.err,
                       "%s: %s says that it cannot write" % (runtime, profile), seen)
        target.process.stdin.close()
        code, said = target.end()
        self.check((code, said) == (3, "unharmed\n"), "%s: the program noticed none of them" % runtime, (code, said))


def main():
    suite = Attach("attach", __doc__)
    suite.parser.add_argument("--runtimes", default="clr8,clr9,clr10")
    suite.parser.add_argument("--rounds", type=int, default=6)
    suite.parser.add_argument("--habits", default=HABITS)
    suite.parser.add_argument("--seconds", type=float, default=2)
    suite.parser.add_argument("--points", type=float, default=15, help="how far shares may be off; 2 with many seconds")
    suite.parser.add_argument("--growth", type=int, default=3000, help="KiB that rounds may add")
    options = suite.parse()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        suite.samples(runtime)
        if options.rounds:
            suite.rounds(runtime)
        for habit in filter(None, options.habits.split(",")):
            suite.habit(runtime, habit)
        suite.refusals(runtime)
        suite.unwritable(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
