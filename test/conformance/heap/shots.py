#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A module that takes shots of the heap as Mono's log profiler does finds what it finds on Mono: one that it asks for
from a thread of its own, through the finalizer thread, and one when the runtime begins to end (shots.c)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402

SETTINGS = [{}, {"DOTNET_gcServer": "1"}]
MINE = {"Leaf", "Leaf[]", "Branch", "Branch[]", "Pair[]", "System.Int32[,]", "Twig<System.String>"}


class Shots(harness.Suite):
    def take(self, runtime, settings, how):
        """Counts of the program's own classes, a table for each shot."""
        what = " ".join([str(runtime), *("%s=%s" % item for item in settings.items()), *how])
        image, file = self.build.path / "test/conformance/heap/shots.exe", self.work / "found"
        for left in self.work.glob("found*"):
            left.unlink()
        env = harness.profile_environment(self.build, runtime, ["shots:%s" % file], settings)
        seen = harness.run(runtime.command(image) + [str(file), *how], env, cwd=self.work)
        self.check((seen.code, seen.out, seen.err) == (3, "taken\n200\n", ""), what + ": the program does what it does",
                   seen)
        if not self.check(file.exists(), what + ": the module wrote what it found", seen):
            return None
        shots = [{}, {}]
        for line in file.read_text().splitlines():
            words = line.split()
            if words[0] == "shot" and words[2] in MINE:
                shots[int(words[1])][words[2]] = int(words[3])
            elif words[0] == "roots" and words[1] == "0":
                self.check(int(words[2]) > 0, what + ": references from roots", line)
            elif words[0] == "BAD-writing":
                self.check(words[1] == "0", what + ": describing an object raises nothing", line)
            elif words[0] == "untold" and runtime.kind != "mono":
                self.check(words[2] == "0", what + ": the class of each object was told", line)
        return shots


def main():
    suite = Shots("shots", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    runtimes = suite.runtimes()
    if not (suite.build.path / "test/conformance/heap/shots.exe").exists():
        suite.skip("heap", "not compiled: mcs was absent", "mono")
        return suite.finish()
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    reference = suite.take(mono, {}, []) if mono else None
    for runtime in runtimes:
        for settings, how in [(SETTINGS[0], []), (SETTINGS[1], ["exit"])] if runtime is not mono else []:
            shots = suite.take(runtime, settings, how)
            if shots and reference:
                suite.check(shots == reference, "%s: the shots are Mono's" % runtime, (shots, reference))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
