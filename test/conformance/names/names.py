#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What we know of the runtimes by name and is no public API (lib/base/private-names.def) is in their class libraries.

Each row says in which versions its name was seen: there it has to be, and nowhere else. That holds for each runtime
that is here.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import harness  # noqa: E402

MONO = "/usr/lib/mono/4.5"
WRAPPER = 3  # of Mono, and no class library declares it


class Names(harness.Suite):
    def compare(self, runtime):
        folder, bit = (MONO, 1) if runtime.kind == "mono" else \
            (pathlib.Path(runtime.prefix[0]).parent / "shared/Microsoft.NETCore.App" / runtime.version,
             1 << int(runtime.name[3:]))
        seen = harness.run([self.build.path / "test/conformance/names/look", folder], harness.bare_environment())
        rows = [line.split(" ", 2) for line in seen.out.splitlines()]
        if not self.check(seen.code == 0 and len(rows) > 60, "%s: there are rows" % runtime, seen):
            return
        for there, known, name in rows:
            if int(known) != WRAPPER:
                self.check(bool(int(known) & bit) == (there == "1"), "%s: %s" % (runtime, name),
                           "it is here, too" if there == "1" else "the table has it, the class library has not")


def main():
    suite = Names("names", __doc__)
    suite.parse()
    for runtime in suite.runtimes(["mono", "clr8", "clr9", "clr10", "clr11"]):
        suite.compare(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
