#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle attach: what a running program's profile says, what is left behind, and what the program notices.

  attach.py --build DIR [--runtimes mono,clr8,...] [--rounds N] [--habits NAME,...] [--habit-rounds N] [--seconds N]

One program (target.cs) does all that it may do meanwhile, its habits, and is attached to again and again: what is
refused, what samples show, what is left behind. With --full each habit has a program of its own that does nothing else,
and without a pause, and programs end at more moments. The program knows what it does: Three takes three times as long
as One. Its profile by an attach is held against that, and against the one of `monocle run`, and rounds of attach and
detach must leave threads, descriptors and mappings as the first one left them.
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

TOGETHER = "starts,throws,collects,threads,generates,unloads,emits,closes"  # a child of a fork may not meet collections
HABITS = "forks,starts,throws,collects,threads,generates,unloads,emits,closes,execs,exits,dies"
ENDS = {"execs": 0, "exits": 5, "dies": 6}  # the exit codes of those that end by themselves
WORD = re.compile(r"\bTarget[:.](\w+)")


def environment(suite, runtime, settings=None):
    """Mono has to be started for it; its sockets are where all of CoreCLR's are."""
    settings = {"TMPDIR": "/tmp", **(settings or {})}
    if runtime.kind == "mono":
        return harness.profile_environment(suite.build, runtime, ["monocle:standby"], settings)
    return harness.bare_environment(settings)


class Target:
    def __init__(self, suite, runtime, habit=None, program="target.exe", settings=None):
        arguments = [habit] if isinstance(habit, str) else list(habit or [])
        settings = {**(harness.PRIVATE_CODE if habit == "forks" else {}), **(settings or {})}
        exe = suite.build.path / "test/conformance/attach" / program
        self.process = subprocess.Popen(runtime.command(exe) + arguments, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=suite.work,
                                        env=environment(suite, runtime, settings), start_new_session=True)
        self.pid = self.process.pid
        self.first = self.process.stdout.readline()

    def begin(self):
        self.process.stdin.write("begin\n")
        self.process.stdin.flush()

    def end(self):
        """(exit code, what it said). One that hangs is killed, with its children, who hold what it speaks through."""
        if self.process.stdin.closed:
            self.process.stdin = None
        try:
            out, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(self.pid, signal.SIGKILL)
            out, err = self.process.communicate()
        return self.process.returncode, out + err

    def threads_of_ours(self):
        found = []
        for task in pathlib.Path("/proc/%d/task" % self.pid).iterdir():
            try:
                found.append((task / "comm").read_text().strip())
            except OSError:  # it has just ended
                continue
        return [name for name in found if "monocle" in name and name != "monocle-ctl"]

    def left(self):
        # A thread that has nothing more to do may still be on its way out.
        harness.wait_for(lambda: self.process.poll() is not None or not self.threads_of_ours())
        if self.process.poll() is not None:
            return {"threads": [], "tasks": 0, "descriptors": 0, "rss": 0,
                    "modules": ["the program ended with %d" % self.process.returncode]}
        status = pathlib.Path("/proc/%d/status" % self.pid).read_text()
        maps = pathlib.Path("/proc/%d/maps" % self.pid).read_text().splitlines()
        rss = re.search(r"VmRSS:\s+(\d+)", status)  # what is being taken down has none any more
        return {"threads": self.threads_of_ours(), "tasks": len(os.listdir("/proc/%d/task" % self.pid)),
                "descriptors": len([fd for fd in os.listdir("/proc/%d/fd" % self.pid) if int(fd) > 2]),
                "modules": [line for line in maps if re.search("libmono-profiler-(?!monocle)", line)],
                "rss": int(rss.group(1)) if rss else 0}


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

    def ended(self, target, what):
        target.process.stdin.close()
        code, said = target.end()
        self.check((code, said) == (3, "unharmed\n"), what, (code, said))

    def samples(self, runtime):
        target = Target(self, runtime)
        profile = self.work / ("attach-%s.pb.gz" % runtime)
        for turn in ("first", "second"):
            what = "%s: the %s attach" % (runtime, turn)
            seen = self.attach(target, "--profile=sample:freq=500", "--duration=%gs" % self.options.seconds, "-o",
                               profile)
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
            profile.unlink()
        self.ended(target, "%s: the program noticed nothing" % runtime)

    def rounds(self, runtime):
        # One that waits: what a program allocates by itself would be taken for ours. New threads get heaps of their own
        # until there are enough, so memory is compared with what it was after half of the rounds.
        target, states = Target(self, runtime, "2", "blocked.exe"), []
        before = target.left()
        for number in range(self.options.rounds):
            seen = self.attach(target, "-q", "--profile=sample:freq=1000,output=/dev/null", "--duration=50ms")
            states.append(target.left())
            if not self.check(not states[-1]["threads"] and not states[-1]["modules"],
                              "%s: round %d ends" % (runtime, number), (states[-1], str(seen))):
                break
        settled, after = states[len(states) // 2], states[-1]
        # What the program opens while it begins is its own, and may come during the first round.
        most = max(before["descriptors"], states[0]["descriptors"]) + 1
        self.check(after["descriptors"] <= most, "%s: no descriptor stays" % runtime,
                   (before["descriptors"], [state["descriptors"] for state in states]))
        self.check(after["tasks"] <= before["tasks"] + 2, "%s: no thread stays" % runtime,
                   (before["tasks"], after["tasks"]))
        self.check(after["rss"] < settled["rss"] + self.options.growth, "%s: memory stays as it is" % runtime,
                   [state["rss"] for state in states])
        print("%s: RSS %d KiB bare, %d after the first round, %d after half of them, %d after %d; %d threads, then %d" %
              (runtime, before["rss"], states[0]["rss"], settled["rss"], after["rss"], self.options.rounds,
               before["tasks"], after["tasks"]))
        self.ended(target, "%s: the program noticed no round" % runtime)

    def ends(self, runtime, habit, number=None):
        """A program that ends by itself: while an attach is at work, or (`number`) at another moment each time."""
        target, what = Target(self, runtime, habit), "%s, a program that %s" % (runtime, habit)
        if number is None:
            attach = self.begin_attach(target, "--profile=sample:freq=1000,output=/dev/null")
            target.begin()
            seen = "%s\n%d" % (attach.communicate(timeout=60)[1], attach.returncode)
        else:
            target.begin()
            seen = self.attach(target, "-q", "--profile=sample:freq=1000,output=/dev/null",
                               "--duration=%dms" % (400 - 4 * number % 400))
        target.process.stdin.close()
        code, said = target.end()
        self.check((code, said.replace("another\n", "")) == (ENDS[habit], ""), what + " ends as it would",
                   (code, said, str(seen)))

    def habit(self, runtime, habit):
        count = self.options.habit_rounds
        if habit in ENDS:
            for number in range(count):
                self.ends(runtime, habit, number)
            return
        target, what = Target(self, runtime, habit), "%s, a program that %s" % (runtime, habit)
        target.begin()
        for _ in range(count):
            seen = self.attach(target, "-q", "--profile=sample:freq=1000,output=/dev/null",
                               "--duration=%dms" % (400 if count == 1 else 50))
            left = target.left()
            if target.process.poll() is not None:
                break
            self.check("does not answer" not in seen.err and not left["modules"] and not left["threads"],
                       what + " is left", (left, str(seen)))
        target.process.stdin.close()
        code, said = target.end()
        self.check((code, said) == (3, "unharmed\n"), what + " is unharmed", (code, said, str(seen)))

    def begin_attach(self, target, *arguments):
        """An attach at work, until Ctrl-C or the end of the program."""
        attach = subprocess.Popen([self.build.monocle, "attach", str(target.pid), "--duration=5m", *arguments],
                                  env=harness.bare_environment(), cwd=self.work, stderr=subprocess.PIPE, text=True)
        self.check("profiling process" in attach.stderr.readline(), "an attach begins, and hears Ctrl-C")
        harness.wait_for(lambda: "monocle-attach" in target.threads_of_ours() or attach.poll() is not None)
        return attach

    def refusals(self, runtime, target):
        for arguments, words in ((["--profile=cover"], "the module cover cannot be attached"),
                                 (["--profile=nosuch"], "nosuch"),
                                 (["-o", "/nowhere/at/all"], "cannot write /nowhere/at/all"),
                                 (["--duration=soon"], "takes a time")):
            seen = self.attach(target, *arguments)
            self.check(seen.code and words in seen.err and seen.err.count("\n") <= 2,
                       "%s: %s is refused in a line" % (runtime, " ".join(arguments)), seen)
        self.check(runtime.kind == "mono" or "libmonocle" not in pathlib.Path("/proc/%d/maps" % target.pid).read_text(),
                   "%s: nothing was loaded for what is refused" % runtime)

    def report(self, what, *options):
        return harness.run([self.build.monocle, "report", *options, what], harness.bare_environment()).out

    def at_work(self, runtime, target):
        """
        What is sampled is seen meanwhile, a thread that cannot answer when the attach begins, too, as on a machine with
        no CPU for it. A second attach is refused. At Ctrl-C there is a profile, and nothing stays.
        """
        profile = self.work / "attach.pb.gz"
        attach = self.begin_attach(target, "--profile=sample:freq=5000,threads", "-o", profile)
        seen = self.attach(target)
        self.check(seen.code and "another attach is at work" in seen.err and seen.err.count("\n") == 1 and
                   "monocle report %d" % target.pid in seen.err,
                   "%s: a second attach is refused in a line, with what works meanwhile" % runtime, seen)
        target.begin()
        names = {"Target:" + name for name in ("Three", "One", "Heard")}
        self.check(harness.wait_for(lambda: all(name in self.report(target.pid, "--format=tsv") for name in names)),
                   "%s: what works is sampled, a thread that answers late, too" % runtime)
        attach.send_signal(signal.SIGINT)
        said = attach.communicate(timeout=60)[1]
        if self.check(attach.returncode == 0 and profile.exists(), "%s: an attach leaves a profile" % runtime, said):
            text = self.report(profile, "--threads")
            self.check("worker one" in text and "worker two" in text, "%s: it knows the names of threads" % runtime,
                       text)
        self.is_left(runtime, target, "an attach")

    def orphaned(self, runtime, target):
        """An attach whose command was killed goes on, and `monocle ctl` ends it."""
        attach = self.begin_attach(target, "--profile=sample")
        attach.kill()
        attach.wait()
        asked = []

        def unload():
            asked.append(harness.run([self.build.monocle, "ctl", target.pid, "unload"], harness.bare_environment()))
            return asked[-1].code == 0
        harness.wait_for(unload)  # the thread of the attach is there a moment before what ctl speaks to
        seen = asked[-1]
        self.check((seen.code, seen.out, seen.err) == (0, "", ""), "%s: an orphaned attach is ended" % runtime, seen)
        pattern = "*_%d.sample.pb.gz" % target.pid
        self.check(harness.wait_for(lambda: list(self.work.glob(pattern))), "%s: it leaves its profile" % runtime,
                   os.listdir(self.work))
        self.is_left(runtime, target, "an orphaned attach")
        for file in self.work.glob(pattern):
            file.unlink()

    def is_left(self, runtime, target, what):
        left = target.left()
        self.check(not left["modules"] and not left["threads"], "%s: nothing stays of %s" % (runtime, what), left)

    def interrupted(self, runtime, target):
        """Ctrl-C when modules are there, and the command has not heard of it yet: they leave."""
        number, draft = self.work / "command", self.work / "draft"
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": str(self.build.path / "test/conformance/modules")})
        attach = subprocess.Popen([self.build.monocle, "attach", str(target.pid), "-q",
                                   "--profile=interrupts:%s" % number], env=env, cwd=self.work, stderr=subprocess.PIPE,
                                  text=True)
        draft.write_text("%d\n" % attach.pid)
        draft.rename(number)
        said = attach.communicate(timeout=60)[1]
        self.check((attach.returncode, said) == (0, ""), "%s: an attach interrupted as it begins ends" % runtime,
                   (attach.returncode, said))
        left = target.left()
        self.check(not left["threads"], "%s: nothing works on after it" % runtime, left)

    def own_module(self, runtime, target):
        """A module of somebody else's, in a folder that only the caller's variable names, and from where she is."""
        folder = self.build.path / "test/conformance/modules"
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": os.path.relpath(folder, self.work)})
        seen = harness.run([self.build.monocle, "attach", target.pid, "--profile=quiet", "--duration=100ms", "-q"], env,
                           cwd=self.work)
        self.check((seen.code, seen.err) == (0, ""), "%s: a module of one's own is found" % runtime, seen)
        left = target.left()
        self.check(len(left["modules"]) > 0, "%s: it cannot be closed, and stays" % runtime, left)
        seen = self.attach(target, "-q", "--profile=sample:output=/dev/null", "--duration=100ms")
        self.check((seen.code, seen.err) == (0, ""), "%s: others come after it" % runtime, seen)

    def one(self, runtime):
        """All that may be asked of one program, with all habits at once."""
        target = Target(self, runtime, ["deaf," + TOGETHER, "5"])
        self.refusals(runtime, target)
        target.begin()
        self.check(target.process.stdout.readline() == "deaf\n", "%s: a thread hears nothing" % runtime)
        self.at_work(runtime, target)
        self.unwritable(runtime, target)
        self.orphaned(runtime, target)
        self.own_module(runtime, target)
        self.interrupted(runtime, target)
        self.ended(target, "%s: the program noticed nothing of all that" % runtime)

    def declined(self, runtime):
        """A program that was started with us, and has declined, can be attached to; a Mono does not stand by then."""
        if runtime.kind == "mono":
            return
        settings = harness.profile_environment(self.build, runtime, ["sample"], {"MONOCLE_PROCESS": "another"})
        target = Target(self, runtime, settings=settings)
        seen = self.attach(target, "-q", "--profile=sample:output=/dev/null", "--duration=100ms")
        self.check((seen.code, seen.err) == (0, ""), "%s: a program that declined is attached to" % runtime, seen)
        target.process.stdin.close()
        target.end()

    def aborts(self, runtime):
        """A hit may interrupt a walk that Mono itself makes, which its own handler does not expect."""
        if runtime.kind != "mono":
            return
        target = Target(self, runtime, "aborts")
        target.begin()
        for _ in range(4):
            seen = self.attach(target, "-q", "--profile=sample:freq=10000,output=/dev/null", "--duration=1s")
            self.check(seen.code == 0, "%s: an attach to a program that aborts threads" % runtime, seen)
        self.ended(target, "%s: a program that aborts threads is unharmed" % runtime)

    def early(self, runtime):
        """A runtime that has just begun answers on its socket before it can take a profiler: it is waited for."""
        if runtime.kind == "mono":
            return
        exe = self.build.path / "test/conformance/attach/target.exe"
        for _ in range(3 if self.options.full else 1):
            child = subprocess.Popen(runtime.command(exe), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                     env=environment(self, runtime), cwd=self.work)
            sockets = "dotnet-diagnostic-%d-*" % child.pid
            harness.wait_for(lambda: any(pathlib.Path("/tmp").glob(sockets)) or child.poll() is not None)
            seen = self.attach(child, "-q", "--profile=sample:output=/dev/null", "--duration=10ms")
            self.check((seen.code, seen.err) == (0, ""), "%s: a runtime that begins is attached to" % runtime, seen)
            out, _ = child.communicate()
            self.check((child.returncode, out) == (3, "ready\nunharmed\n"), "%s: it goes on" % runtime, out)

    def unwritable(self, runtime, target):
        """A module that was loaded and could not begin is closed without taking anything of the program's."""
        for profile in ("events", "exceptions:log", "exceptions", "sample:lines"):
            more = "," if ":" in profile else ":"
            seen = self.attach(target, "--profile=%s%soutput=/nowhere/at/all" % (profile, more), "--duration=100ms")
            self.check(seen.code and "cannot write /nowhere/at/all" in seen.err,
                       "%s: %s says that it cannot write" % (runtime, profile), seen)
        self.is_left(runtime, target, "modules that cannot write")


def main():
    suite = Attach("attach", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--rounds", type=int, default=6)
    suite.parser.add_argument("--habits", default=HABITS)
    suite.parser.add_argument("--seconds", type=float, default=2)
    suite.parser.add_argument("--points", type=float, default=15, help="how far shares may be off; 2 with many seconds")
    suite.parser.add_argument("--growth", type=int, default=2000, help="KiB that the second half of the rounds may add")
    suite.parser.add_argument("--habit-rounds", type=int, default=1, help="attaches to a program of each habit")
    options = suite.parse()
    for runtime in suite.runtimes():
        suite.one(runtime)
        suite.declined(runtime)
        suite.early(runtime)
        for habit in ENDS:
            suite.ends(runtime, habit)
        if not options.full:
            continue
        suite.samples(runtime)
        if options.rounds:
            suite.rounds(runtime)
        for habit in filter(None, options.habits.split(",")):
            suite.habit(runtime, habit)
        suite.aborts(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
