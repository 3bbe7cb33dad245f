#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""On Mono, methods that were compiled ahead of time have their names in samples, callers too.

In a signal handler Mono's walk knows where the code of such a method begins, and not yet which method that is; Mono is
asked later. A frame without its name would show as its file, [ahead.exe.so].

  ahead.py --build DIR
"""
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import pprof  # noqa: E402

CHAIN = ["Ahead:" + name for name in ("Innermost (long)", "Third (long)", "Second (long)", "First (long)",
                                      "Main (string[])")]
MOST = 0.9  # of the time, with --full; the rest is the runtime's start


class Ahead(harness.Suite):
    def compiled(self, exe):
        """A copy with its native image beside it; None where Mono cannot make one."""
        copy = self.work / "ahead.exe"
        shutil.copy(exe, copy)
        seen = harness.run(["mono", "--aot", copy], harness.bare_environment(), cwd=self.work)
        if seen.code == 0 and (self.work / "ahead.exe.so").exists():
            return copy
        self.skip("ahead", "mono --aot does not work here: " + (seen.err or seen.out).strip()[-200:], "mono")
        return None

    def named(self, runtime, exe, options):
        what = "sample:%s" % options
        file = self.work / ("%d.pb.gz" % len(options))
        env = harness.profile_environment(self.build, runtime, ["sample:%s,output=%s" % (options, file)])
        seen = harness.run(runtime.command(exe) + ["1000"], env, cwd=self.work)
        if not self.check(seen.code == 5 and file.exists(), what + ": the program ends as it should", seen):
            return
        samples = [(stack, values[1]) for stack, values, _ in pprof.load(file).samples]
        total = sum(cost for _, cost in samples)
        whole = sum(cost for stack, cost in samples if self.holds(stack))
        least = MOST * total if self.options.full else 1
        self.check(whole >= least, what + ": the whole chain has its names", samples)
        nameless = [stack for stack, _ in samples if any("ahead.exe.so" in name for name in stack)]
        self.check(not nameless, what + ": no frame is without its name", nameless)

    def holds(self, stack):
        """Is the chain in the stack, one method after the other?"""
        return any(list(stack[at:at + len(CHAIN)]) == CHAIN for at in range(len(stack)))


def main():
    suite = Ahead("ahead", __doc__)
    suite.parse()
    runtimes = suite.runtimes(["mono"])
    exe = suite.build.path / "test/conformance/sampling/ahead.exe"
    if not exe.exists():
        suite.skip("ahead", "not compiled: mcs was absent", "mono")
        return suite.finish()
    copy = suite.compiled(exe) if runtimes else None
    for chosen in ("freq=1000", "freq=1000,lines") if copy else ():
        suite.named(runtimes[0], copy, chosen)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
