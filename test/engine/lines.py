#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stack traces of probed methods name the lines, columns and IL offsets that they name without probes.

With --full programs of each compiler are run on each runtime, with and without tiers.
"""
import difflib
import sys

import configurations
import harness


class Lines(configurations.EngineSuite):
    def compare(self, runtime, settings, exe, what):
        bare = self.bare(runtime, [exe], configurations.SETTINGS[settings])
        seen, counts = self.under(runtime, [exe], ["image=lines"], configurations.SETTINGS[settings])
        self.check(bare.code == 0 and bare.out.count("-- ") > 40, what + ": the program prints its traces", bare)
        diff = list(difflib.unified_diff(bare.out.splitlines(), seen.out.splitlines(), "bare", "probed", lineterm="",
                                         n=1))
        self.check(bare.code == seen.code and not diff, what + ": the same text", "\n    " + "\n    ".join(diff[:40]))
        self.check(counts is not None and len(counts.rows) > 20, what + ": the methods are probed")


KINDS = {"release": "lines.dll", "debug": "debug/lines.dll", "mcs": "lines/lines.exe"}
FIRST = {("clr8", "release", "default"), ("clr9", "release", "default"), ("clr10", "release", "default"),
         ("clr10", "release", "no-tiering"), ("clr10", "debug", "default"), ("clr10", "mcs", "no-tiering")}


def main():
    suite = Lines("engine-lines", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse(harness.TO_10, harness.NET)
    folder = suite.programs()
    if not folder:
        return suite.finish()
    for runtime in suite.runtimes():
        for kind, exe in KINDS.items():
            if not (folder / exe).exists():
                suite.skip("%s %s" % (runtime, kind), "mcs is not installed", "mono")
                continue
            for settings in ("default", "no-tiering"):
                if options.full or (runtime.name, kind, settings) in FIRST:
                    suite.compare(runtime, settings, folder / exe, "%s %s %s" % (runtime, kind, settings))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
