#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads with little stack live under each module on little more than they need alone.

  stacks.py --build DIR [--runtimes clr8,...]

How little that is depends on the runtime, its build and the processor, and is looked for first.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

STEP, MOST, MORE = 4, 256, 8  # KiB
MODULES = ["sample:freq=1000", "exceptions", "exceptions:log", "events", "calls"]


class Stacks(harness.Suite):
    def run(self, runtime, kib, what, env):
        exe = self.build.path / "test/hostile/programs/stacks.exe"
        return harness.run(runtime.command(exe) + [str(kib), what], env, cwd=self.work)

    def least(self, runtime, what):
        """On which the program lives alone, three times in a row."""
        for kib in range(16, MOST, STEP):
            if all(self.run(runtime, kib, what, harness.bare_environment()).code == 7 for _ in range(3)):
                return kib
        return MOST

    def module(self, runtime, module, what, kib):
        output = {"events": "events.log", "calls": "calls.pb.gz"}.get(module, "profile.pb.gz")
        desc = "%s%soutput=%s" % (module, "," if ":" in module else ":", self.work / output)
        seen = self.run(runtime, kib, what, harness.profile_environment(self.build, runtime, [desc]))
        self.check((seen.code, seen.out) == (7, "done\n"),
                   "%s: %s on threads of %d KiB, %s" % (runtime, module, kib, what), seen)


def main():
    suite = Stacks("threads with little stack", __doc__)
    suite.parser.add_argument("--runtimes", default="clr8,clr9,clr10")
    options = suite.parse()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        for what in ("none", "throw"):
            least = suite.least(runtime, what)
            print("%s: %s needs %d KiB" % (runtime, what, least))
            for module in MODULES:
                suite.module(runtime, module, what, least + MORE)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
