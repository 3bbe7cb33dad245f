#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every pair of the build's options configures.

  options.py --build DIR

The first tier leaves out both adapters, with the tests; --full has each value of each option beside each value of each
other one, in as few builds as a simple search finds.
"""
import itertools
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

OPTIONS = {
    "clr": ("enabled", "disabled"), "mono": ("enabled", "disabled"), "tests": ("enabled", "disabled"),
    "docs": ("enabled", "disabled"), "invariants": ("enabled", "disabled"), "cpu": ("auto", "none"),
    "portable": ("false", "true"), "b_sanitize": ("none", "address", "thread"),
    "buildtype": ("debugoptimized", "release"),
}
FIRST = [{"tests": "enabled", "clr": "disabled", "mono": "disabled"}]


def pairs_of(row):
    return set(itertools.combinations(sorted(row.items()), 2))


def rows():
    """Each takes, of all that are possible, the most pairs that are still left."""
    every = [dict(zip(OPTIONS, values)) for values in itertools.product(*OPTIONS.values())]
    left = set().union(*map(pairs_of, every))
    while left:
        best = max(every, key=lambda row: len(pairs_of(row) & left))
        left -= pairs_of(best)
        yield best


class Options(harness.Suite):
    def configures(self, row):
        folder = self.work / "configured"
        words = ["-D%s=%s" % option for option in row.items()]
        seen = harness.run(["meson", "setup", folder, harness.TOP, *words], harness.bare_environment(), timeout=300)
        error = [line for line in (seen.out + seen.err).splitlines() if "ERROR" in line]
        self.check(seen.code == 0, " ".join(words), error or seen)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    suite = Options("options", __doc__)
    options = suite.parse()
    for row in rows() if options.full else FIRST:
        suite.configures(row)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
