#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an attach is told: each event that doc/events.md says comes is raised by a program that runs (late.cs) and is
seen; each that it says does not come is named in one line, and is not seen.

  late.py --build DIR [--runtimes clr8,...] [--rounds N]

With --full samples of allocations stand for what was allocated (allocates.cs), and rounds of such attaches leave
threads, descriptors and memory as the first ones left them, under both collectors.
"""
import pathlib
import re
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
sys.path.insert(0, str(HERE.parent / "events"))
import harness  # noqa: E402
import rows  # noqa: E402
from attach import Attach, Target  # noqa: E402

# What no program can do on purpose: another profiler has to ask for a body, or the runtime's own files to be broken.
ENDS = {"runtime_shutdown_begin", "runtime_shutdown_end"}
SELDOM = {"rejit", "jit_failed", "class_failed", "load_failed"}
# sample_hit is in no log: attach.py looks at samples, and waits.py at those of threads that sleep.
SHOWN = set(rows.EVENTS) - rows.NEVER_SHOWN - {"sample_asleep"}
BUFFER = 1 << 24  # so that no line is lost while the machine does something else


class Late(Attach):
    def target(self, runtime, settings=None):
        build = self.build.path / "test/conformance"
        target = Target(self, runtime, [build / "events/events-helper.dll", self.work], "late.exe", settings)
        target.begin()
        return target

    def page(self):
        """{event: may it come} as doc/events.md has it."""
        found, column = {}, None
        for line in (harness.TOP / "doc/events.md").read_text().splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if "attached" in cells:
                column = cells.index("attached")
            elif column and line.startswith("| `"):
                found[cells[1].strip("`")] = cells[column] == "yes"
        return found

    def events(self, runtime):
        page, what = self.page(), str(runtime)
        losses = sorted(name for name, comes in page.items() if not comes and name in SHOWN)
        target, log = self.target(runtime), self.work / ("late-%s.log" % runtime)
        late = {name for name, comes in page.items() if comes and name in SHOWN} - SELDOM - ENDS

        def lines():
            return [line.split() for line in log.read_text().splitlines()[2:]] if log.exists() else []
        attach = self.begin_attach(target, "--profile=events:buffer=%d,output=%s,only=%s" %
                                   (BUFFER, log, "+".join(sorted(SHOWN))))
        harness.wait_for(lambda: late <= {words[2] for words in lines() if len(words) > 2})
        attach.send_signal(signal.SIGINT)
        said = attach.communicate(timeout=60)[1]
        told = re.findall(r"never on this runtime: (.*)", said)
        self.check(len(page) == len(rows.EVENTS) and len(told) == 1 and sorted(told[0].split(", ")) == losses,
                   what + ": what cannot come is named in one line", (losses, said))
        came = [words[2] for words in lines() if len(words) > 2]
        self.check(late <= set(came), what + ": what the page says comes", sorted(late - set(came)))
        self.check({name for name in came if not page.get(name)} == set(), what + ": nothing else comes", set(came))
        self.check(came.count("gc_root_register") == 4, what + ": each kind of root is told once",
                   [line for line in lines() if "gc_root_register" in line])
        self.is_left(runtime, target, "an attach with events")
        self.ended(target, what + ": the program noticed nothing")

    def samples_of(self, log):
        """{class: bytes that its samples stand for}"""
        sums = {}
        for klass, amount in re.findall(r"allocation_sampled klass=(\S+) size=\d+ stands_for=(\d+)", log.read_text()):
            sums[klass] = sums.get(klass, 0) + int(amount)
        return sums

    def amounts(self, runtime):
        """From the start what is known of allocates.cs, in millions of bytes; attached the same shares."""
        log, rounds = self.work / ("allocated-%s.log" % runtime), 100000
        env = harness.profile_environment(self.build, runtime, ["events:only=allocation_sampled,output=%s" % log])
        seen = harness.run(runtime.command(self.build.path / "test/conformance/attach/allocates.exe") + [rounds], env,
                           cwd=self.work)
        self.check(seen.code == 3, "%s: the program does what it does" % runtime, seen)
        sums = self.samples_of(log)
        for klass, bytes_of_round in (("System.Byte[]", 3000), ("Wide", 1024), ("System.Char[]", 1000)):
            self.check(0.8 < sums.get(klass, 0) / (bytes_of_round * rounds) < 1.2,
                       "%s: samples of %s stand for what was allocated" % (runtime, klass), sums)
        log.unlink()
        target = Target(self, runtime, [], "allocates.exe")
        target.begin()
        seen = self.attach(target, "-q", "--profile=events:only=allocation_sampled,output=%s" % log, "--duration=1s")
        sums = self.samples_of(log)
        self.check(2 < sums.get("System.Byte[]", 0) / sums.get("Wide", 1) < 4, "%s: the same attached" % runtime,
                   (sums, str(seen)))
        self.ended(target, "%s, sampled: the program noticed nothing" % runtime)

    def rounds(self, runtime, settings, count):
        what = " ".join([str(runtime), *("%s=%s" % item for item in settings.items())])
        target, states = self.target(runtime, settings), []
        profile = "--profile=events:output=/dev/null,only=%s" % "+".join(sorted(SHOWN - rows.APART))
        for number in range(count):
            seen = self.attach(target, "-q", profile, "--duration=50ms")
            states.append(target.left())
            self.check(not states[-1]["threads"] and not states[-1]["modules"], "%s: round %d ends" % (what, number),
                       (states[-1], str(seen)))
        settled, last = states[count // 2], states[-1]
        self.check(last["descriptors"] <= settled["descriptors"] + 4, what + ": no descriptor stays", (settled, last))
        self.check(last["rss"] < settled["rss"] + self.options.growth, what + ": memory stays",
                   [state["rss"] for state in states])
        print("%s: RSS by round, KiB: %s" % (what, " ".join(str(state["rss"]) for state in states)))
        self.ended(target, what + ": the program noticed nothing")


def main():
    suite = Late("late", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--rounds", type=int, default=20)
    suite.parser.add_argument("--growth", type=int, default=6000, help="KiB that the second half of the rounds may add")
    options = suite.parse("clr10,clr11", harness.NET)  # .NET 11 tells otherwise of monitors
    for runtime in suite.runtimes():
        suite.events(runtime)
        if options.full:
            suite.amounts(runtime)
            suite.rounds(runtime, {}, options.rounds)
            suite.rounds(runtime, {"DOTNET_gcServer": "1"}, min(options.rounds, 4))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
