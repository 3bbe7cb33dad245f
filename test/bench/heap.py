#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What mono_gc_walk_heap takes: a walk over the million objects of test/conformance/heap, by a module that only counts.

A figure is the least of several runs: what else runs on the machine only ever adds.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

SETTINGS = {"": {}, " server": {"DOTNET_gcServer": "1"}}


class Bench(harness.Suite):
    def measure(self, runtime, settings, image):
        """(objects, references, nanoseconds) of a walk, None: there was none."""
        env = harness.profile_environment(self.build, runtime, ["walker"], settings)
        seen = harness.run(runtime.command(image) + ["1"], env, cwd=self.work, timeout=300)
        found = re.search(r"^walker (\d+) (\d+) (\d+)$", seen.err, re.M)
        self.check(seen.code == 3 and found and int(found[1]) > 900000, "%s walks" % runtime, seen)
        return tuple(map(int, found.groups())) if found and int(found[1]) else None


def main():
    bench = Bench("heap-bench", __doc__)
    bench.parser.add_argument("--runtimes", default=harness.ALL)
    bench.parser.add_argument("--rounds", type=int, default=5)
    options = bench.parse()
    image = bench.build.path / "test/conformance/heap/heap.exe"
    if not image.exists():
        bench.skip("heap", "not compiled: mcs was absent", "mono")
        return bench.finish()
    print("the least of %d rounds" % options.rounds)
    print("%-16s%12s%12s%24s" % ("", "objects", "references", "ms per million objects"))
    for runtime in bench.runtimes(options.runtimes.split(",")):
        for name, settings in SETTINGS.items():
            if name and runtime.kind == "mono":
                continue
            walks = [bench.measure(runtime, settings, image) for _ in range(options.rounds)]
            walks = [walk for walk in walks if walk]
            if walks:
                objects, references, nanoseconds = min(walks, key=lambda walk: walk[2] / walk[0])
                print("%-16s%12d%12d%24.1f" % (str(runtime) + name, objects, references, nanoseconds / objects))
            sys.stdout.flush()
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
