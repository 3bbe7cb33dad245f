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

LEAST, STEP, MOST, MORE = 16, 4, 256, 8  # KiB
PATIENCE = 10  # seconds
MODULES = ["sample:freq=1000", "exceptions", "exceptions:log", "events", "calls"]


class Stacks(harness.Suite):
    def run(self, runtime, kib, what, env, patience=120):
        exe = self.build.path / "test/hostile/programs/stacks.exe"
        return harness.run(runtime.command(exe) + [str(kib), what], env, cwd=self.work, timeout=patience)

    def lives(self, runtime, kib, what):
        """.NET 8 and 9 hang for ever where a little is missing for what an exception needs."""
        return self.run(runtime, kib, what, harness.bare_environment(), PATIENCE).code == 7

    def least(self, runtime, what):
        """On which the program lives alone, three times in a row. What is far too little is passed over by halves."""
        dies, kib = LEAST, MOST
        while kib - dies > STEP:
            middle = (dies + kib) // 2 // STEP * STEP
            if self.lives(runtime, middle, what):
                kib = middle
            else:
                dies = middle
        while kib < MOST and not all(self.lives(runtime, kib, what) for _ in range(3)):
            kib += STEP
        return kib

    def module(self, runtime, module, what, kib):
        output = {"events": "events.log", "calls": "calls.pb.gz"}.get(module, "profile.pb.gz")
        desc = "%s%soutput=%s" % (module, "," if ":" in module else ":", self.work / output)
        seen = self.run(runtime, kib, what, harness.profile_environment(self.build, runtime, [desc]))
        self.check((seen.code, seen.out) == (7, "done\n"),
                   "%s: %s on threads of %d KiB, %s" % (runtime, module, kib, what), seen)


def main():
    suite = Stacks("threads with little stack", __doc__)
    suite.parser.add_argument("--runtimes", default=harness.NET)
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
