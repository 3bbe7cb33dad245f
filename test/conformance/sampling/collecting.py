#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""[GC] in a profile is the CPU time of the collections, wherever they run.

On a thread of the program: what the runtime's own events say about the same run (the module collects), and the frames
below are those of the method that allocated; Mono's sampler hits too seldom to compare shares. On threads of the
server collector, which no event announces: what the system counts for these threads. With --full both are within two
points of the whole.

  collecting.py --build DIR [--runtimes mono,clr8,...]
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import pprof  # noqa: E402

POINTS = 2
ROUNDS = {"mono": 4000, "coreclr": 6000}
SMALL = {"DOTNET_GCgen0size": "0x800000"}  # bytes before the first generation is collected


class Collecting(harness.Suite):
    def profile(self, runtime, modules, settings, threads):
        """[(stack from the leaf on, nanoseconds, thread)], the words of the program and of the module."""
        file, said = self.work / "out.pb.gz", self.work / "collects"
        for old in (file, said):
            old.unlink(missing_ok=True)
        exe = self.build.path / "test/conformance/sampling/collecting.exe"
        sample = "sample:freq=5000,threads,output=%s" % file
        env = harness.profile_environment(self.build, runtime, [sample] + [m % said for m in modules], settings)
        rounds = ROUNDS[runtime.kind] // (1 if self.options.full else 5)
        command = runtime.command(exe) + [str(rounds), str(threads)]
        seen = harness.run(command, env, cwd=self.work, timeout=240)
        self.check(seen.code == 5, "%s: the program ends as it should" % runtime, seen)
        if not self.check(file.exists(), "%s: there is a profile" % runtime, seen):
            return [], [], []
        samples = [(stack, values[1], labels.get("thread")) for stack, values, labels in pprof.load(file).samples]
        return samples, seen.out.split(), said.read_text().split() if said.exists() else []

    def compare(self, what, samples, truth):
        total = sum(cost for _, cost, _ in samples)
        seen = sum(cost for stack, cost, _ in samples if stack[0] == "[GC]")
        shares = 100 * seen / total, 100 * truth / total
        print("%s: [GC] %.1f %%, it was %.1f %% of %.2f s" % ((what,) + shares + (total / 1e9,)))
        self.check(seen > 0 < truth, what + ": collections were hit", shares)
        if self.options.full:
            self.check(shares[1] > 5, what + ": the program collects enough", shares)
            self.check(abs(shares[0] - shares[1]) <= POINTS, what + ": [GC] is what collections took", shares)

    def on_threads_of_the_program(self, runtime):
        what = "%s, on the program's thread" % runtime
        samples, _, said = self.profile(runtime, ["collects:%s"], dict(SMALL, DOTNET_gcConcurrent="0"), 1)
        if not self.check(len(said) == 4 and int(said[1]) > 0, what + ": there were collections", said):
            return
        if runtime.kind == "coreclr":
            self.compare(what, samples, int(said[3]))
        below = sum(cost for stack, cost, _ in samples if stack[0] == "[GC]" and any("Build" in f for f in stack))
        above = sum(cost for stack, cost, _ in samples if stack[0] == "[GC]")
        least = 0.9 * above if self.options.full else 1  # a collection by another thread has no such frame
        self.check(above and below >= least, what + ": below [GC] is the method that allocates", (below, above))

    def on_threads_of_the_collector(self, runtime):
        what = "%s, on the collector's threads" % runtime
        samples, said, _ = self.profile(runtime, [], dict(SMALL, DOTNET_gcServer="1", DOTNET_gcConcurrent="0",
                                                           DOTNET_GCHeapCount="2"), 2)
        if self.check(len(said) == 2 and said[0] == "collectors", what + ": the program says what they used", said):
            self.compare(what, samples, int(said[1]))
            threads = {thread for stack, _, thread in samples if stack == ["[GC]"]}
            self.check(threads == {".NET Server GC"}, what + ": their threads are named", threads)


def main():
    suite = Collecting("collecting", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    for runtime in suite.runtimes():
        suite.on_threads_of_the_program(runtime)
        if runtime.kind == "coreclr":
            suite.on_threads_of_the_collector(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
