#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a profiler adds to the life of a process: hello world under each module and under all of them, and the SDK's
compiler under `calls`.

All configurations take turns; a figure is the median of the differences to the bare run of the same round, with the
range of their middle half. CPU time is that of all threads, so that other work on the machine hardly shows in it: where
the wall time grew by more, something waited.
"""
import pathlib
import resource
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

CSC = harness.TEST / "conformance" / "programs" / "csc.sh"
SOURCE = harness.TEST / "conformance" / "programs" / "language.cs"


# What is measured of hello world: the modules, and how many milliseconds of CPU time they may add.
FOUR = ["calls", "sample", "exceptions", "events"]
CONFIGURATIONS = {
    # A module that asks for no method: what it costs to have us in the process at all.
    "idle module": (["empty:nothing"], 25),
    "calls": (["calls"], 25),
    "sample": (["sample"], 15),
    "sample, 10 kHz": (["sample:freq=10000"], None),
    "exceptions": (["exceptions"], 25),
    "cover": (["cover"], 50),
    "events": (["events"], None),
    "all four": (FOUR, None),
    "all four, all calls": (["calls:callspec=all", "sample", "exceptions", "events"], None),
}


def with_output(modules):
    return [m if ":nothing" in m else m + ("," if ":" in m else ":") + "output=output.%d" % i
            for i, m in enumerate(modules)]


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spread(pairs):
    """The median of the differences, and their middle half, in milliseconds."""
    quarter, middle, three = statistics.quantiles([(b - a) * 1000 for a, b in pairs], n=4)
    return middle, "%+6.1f ms (%+.1f .. %+.1f)" % (middle, quarter, three)


class Startup(harness.Suite):
    def once(self, command, env):
        """Seconds that it took, and its CPU time."""
        start, cpu = time.monotonic(), cpu_of_children()
        seen = harness.run(command, env, cwd=self.work, timeout=120)
        took = time.monotonic() - start, cpu_of_children() - cpu
        self.check(seen.code == 0, "runs", seen)
        for file in self.work.glob("output*"):
            file.unlink()
        return took

    def hello(self, runtime):
        command = runtime.command(self.build.exe("fib")) + ["1"]
        environments = {"bare": harness.bare_environment()}
        for label, (modules, _) in CONFIGURATIONS.items():
            environments[label] = harness.profile_environment(self.build, runtime, with_output(modules))
        rounds = [{label: self.once(command, env) for label, env in environments.items()}
                  for _ in range(self.options.rounds + 1)][1:]  # the first one fills caches
        bare = [statistics.median(r["bare"][i] for r in rounds) * 1000 for i in (0, 1)]
        print("%-28s %6.1f ms of CPU, %6.1f ms in all" % ("%s hello, bare" % runtime, bare[1], bare[0]))
        for label, (_, limit) in CONFIGURATIONS.items():
            took, cpu = (spread([(r["bare"][i], r[label][i]) for r in rounds]) for i in (0, 1))
            bound = "   <= %d ms%s" % (limit, "" if cpu[0] <= limit else " !") if limit else ""
            print("%-28s CPU %s   in all %+6.1f ms%s" % ("  " + label, cpu[1], took[0], bound))
        sys.stdout.flush()

    def default_command(self, runtime):
        """`monocle run` with the default module, all of its processes; and what is its own of that."""
        bare, bound = runtime.command(self.build.exe("fib")) + ["1"], 15
        env = harness.bare_environment({"TMPDIR": str(self.work)})
        module = harness.profile_environment(self.build, runtime, ["sample:output=output.pb.gz"],
                                             {"TMPDIR": str(self.work)})
        run = [str(self.build.monocle), "run", "-o", "output.pb.gz", "--"]
        rounds = [[self.once(bare, env)[1], self.once(bare, module)[1], self.once(run + bare, env)[1]]
                  for _ in range(self.options.rounds + 1)][1:]
        added, text = spread([(r[0], r[2]) for r in rounds])
        print("%-28s CPU %s   <= %d ms%s" % ("  monocle run", text, bound, "" if added <= bound else " !"))
        print("%-28s CPU %s" % ("    of that, the command's", spread([(r[1], r[2]) for r in rounds])[1]))
        sys.stdout.flush()

    def compare(self, label, command, bare, profiled, bound):
        pairs = [(self.once(command, bare)[0], self.once(command, profiled)[0])
                 for _ in range(self.options.rounds + 1)][1:]
        base = statistics.median(a for a, _ in pairs) * 1000
        middle, text = spread(pairs)
        limit = bound(base)
        print("%-36s bare %7.1f ms, added %s, %+5.1f %%   <= %.1f ms%s" %
              (label, base, text, middle / base * 100, limit, "" if middle <= limit else " !"))

    def ready_for_samples(self, runtime):
        command = runtime.command(self.build.exe("fib")) + ["1"]
        without, ready = (harness.profile_environment(self.build, runtime, [m]) for m in ("quiet", "quiet:sampling"))
        self.compare("%s hello, ready for samples" % runtime, command, without, ready, lambda base: 5)

    def compiler(self, runtime):
        compiler = subprocess.run([str(CSC), "--where"], capture_output=True, text=True).stdout.strip()
        if not compiler:
            self.skip("the SDK's compiler", "there is none")
            return
        references = ["-r:/usr/lib/mono/4.5/mscorlib.dll", "-r:/usr/lib/mono/4.5/System.Core.dll"]
        options = ["-nologo", "-noconfig", "-nostdlib", "-unsafe", "-deterministic"]
        command = runtime.command(compiler) + options + references + ["-out:%s" % (self.work / "output.exe"), SOURCE]
        settings = {"MONOCLE_RUN_ALL": "1"}
        profiled = harness.profile_environment(self.build, runtime, ["calls:output=output.pb.gz"], settings)
        self.compare("compiler, calls on own images", command, harness.bare_environment(settings), profiled,
                     lambda base: base * 0.05)


def main():
    suite = Startup("startup", __doc__)
    suite.parser.add_argument("--rounds", type=int, default=15)
    suite.parser.add_argument("--only-default", action="store_true", help="of hello world, the default command alone")
    suite.parser.add_argument("--runtimes", default=harness.ALL)
    options = suite.parse()
    runtimes = suite.runtimes(options.runtimes.split(","))
    for runtime in runtimes:
        if not options.only_default:
            suite.hello(runtime)
        suite.default_command(runtime)
    if options.only_default:
        return suite.finish()
    for runtime in runtimes:
        if runtime.name == "clr10":
            suite.ready_for_samples(runtime)
            suite.compiler(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
