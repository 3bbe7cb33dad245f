#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A hundred million calls of a method of one line, and none is lost while its code climbs the tiers."""
import sys

import configurations


class Exact(configurations.EngineSuite):
    def count(self, runtime, exe, threads, calls):
        what = "%s: %d threads with %d calls each" % (runtime, threads, calls)
        seen, counts = self.under(runtime, [exe, threads, calls], ["image=exact"])
        bare = self.bare(runtime, [exe, threads, calls])
        self.check((bare.code, bare.out) == (seen.code, seen.out), what + ": output as without a profiler", seen)
        if not self.check(counts is not None, what + ": the module wrote its counts", seen):
            return
        self.sound(what, counts)
        row = next((r for k, r in counts.rows.items() if counts.names[k].startswith("Exact:Line ")), None)
        self.check(row == configurations.Row(threads * calls, threads * calls, 0, 0, 0), what + ": each is counted",
                   row)


def main():
    suite = Exact("engine-exact", __doc__)
    suite.parser.add_argument("--runtimes", default="clr8,clr9,clr10")
    suite.parser.add_argument("--every", action="store_true", help="a hundred million on each runtime and thread")
    options = suite.parse()
    folder = suite.programs()
    for runtime in suite.runtimes(options.runtimes.split(",")) if folder else []:
        calls = 100000000 if options.every or runtime.name == "clr10" else 10000000
        suite.count(runtime, folder / "exact.dll", 1, calls)
        suite.count(runtime, folder / "exact.dll", 4, 100000000 if options.every else 5000000)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
