#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that a shell starts after it has evaluated what `monocle env` prints is profiled, with exact counts."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))
import counts  # noqa: E402
import harness  # noqa: E402

WANTED = {"Greeter:Main ()": 1, "Greeter:Greet ()": 3, "Greeter:Write ()": 6}
SCRIPT = 'eval "$("$0" env --profile=calls -o "$1")"; shift; exec "$@"'


class Evaluated(harness.Suite):
    def program(self, runtime):
        folder = self.work / ("%s it's 100%% $HOME, here" % runtime)
        folder.mkdir()
        exe = self.build.path / "examples/programs/greet.exe"
        seen = harness.run(["sh", "-c", SCRIPT, self.build.monocle, folder, *runtime.command(exe)],
                           harness.bare_environment(), cwd=self.work)
        self.check((seen.code, seen.out, seen.err) == (0, "hello\n" * 6, ""), "%s: the program runs" % runtime, seen)
        names = [path.name for path in folder.iterdir()]
        self.check(len(names) == 1 and names[0].startswith("greet_") and names[0].endswith(".calls.pb.gz"),
                   "%s: one profile is in the folder, under the module's name" % runtime, names)
        for name in names:
            report = harness.run([self.build.monocle, "report", "--format=tsv", folder / name],
                                 harness.bare_environment())
            self.check(counts.read_report(report.out) == WANTED, "%s: the counts are exact" % runtime, report)


def main():
    suite = Evaluated("evaluated", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse("mono," + harness.TO_10)
    if not (suite.build.path / "examples/programs/greet.exe").exists():
        suite.skip("greet.exe", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in suite.runtimes():
        suite.program(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
