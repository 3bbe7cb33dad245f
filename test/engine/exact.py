#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of a method of one line, by the million, and none is lost while its code climbs the tiers.

With --full there are a hundred million on one thread.
"""
import sys

import configurations
import harness


class Exact(configurations.EngineSuite):
    def count(self, runtime, exe, threads, calls):
        what = "%s: %d threads with %d calls each" % (runtime, threads, calls)
        seen, counts = self.under(runtime, [exe, threads, calls], ["image=exact"])
        # The numbers from 0 to one below a multiple of four, each exclusively or'ed with the others, are 0.
        self.check((seen.code, seen.out) == (0, " ".join("0" * threads) + "\n"), what + ": the sum is right", seen)
        if not self.check(counts is not None, what + ": the module wrote its counts", seen):
            return
        self.sound(what, counts)
        row = next((r for k, r in counts.rows.items() if counts.names[k].startswith("Exact:Line ")), None)
        self.check(row == configurations.Row(threads * calls, threads * calls, 0, 0, 0), what + ": each is counted",
                   row)


def main():
    suite = Exact("engine-exact", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse(harness.TO_10, harness.NET)
    folder = suite.programs()
    for runtime in suite.runtimes() if folder else []:
        if options.full:
            suite.count(runtime, folder / "exact.dll", 1, 100000000 if runtime.name in suite.newer else 10000000)
        suite.count(runtime, folder / "exact.dll", 4, 5000000 if options.full else 1000000)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
