#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a module finds in records that it reads by Mono's offsets: on Mono and on CoreCLR what the functions say, and
of the program's own methods the same.

records.c checks and writes. On real Mono it shows that the offsets are Mono's.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import harness  # noqa: E402

# Classes, vtables, images, assemblies and methods that a module must have been shown.
LEAST = (50, 20, 2, 2, 10)


class Records(harness.Suite):
    def run_on(self, runtime):
        """The module's lines, sorted; None when there are none to compare."""
        exe = self.build.path / "test/conformance/records/records.exe"
        file = self.work / ("%s.txt" % runtime)
        env = harness.profile_environment(self.build, runtime, ["records:output=%s" % file],
                                          {"DOTNET_TieredCompilation": "0", "DOTNET_ReadyToRun": "1"})
        seen = harness.run(runtime.command(exe), env, cwd=self.work)
        if not self.check(seen.code == 0 and seen.out == "sum 63\n" and file.exists(),
                          "%s: the program runs to its end" % runtime, seen):
            return None
        lines = sorted(set(file.read_text(errors="replace").splitlines()))
        wrong = [line for line in lines if line.startswith("WRONG")]
        self.check(not wrong, "%s: what is read is what the functions say" % runtime, "\n    ".join(wrong[:30]))
        seen = [int(word) for line in lines if line.startswith("seen:") for word in line.split() if word.isdigit()]
        self.check(len(seen) == 5 and all(count >= least for count, least in zip(seen, LEAST)),
                   "%s: there was something to read" % runtime, seen)
        return [line for line in lines if not line.startswith(("WRONG", "seen:"))]

    def compare(self, mono, other, reference, lines):
        for line in sorted(set(reference) ^ set(lines)):
            self.fail("%s: %s" % (mono if line in reference else other, line), "the other one has no such line")
        self.check(len(lines) >= 12, "%s: methods were compared with %s" % (other, mono), lines)


def main():
    suite = Records("records", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    runtimes = suite.runtimes()
    if not (suite.build.path / "test/conformance/records/records.exe").exists():
        suite.skip("records", "not compiled: mcs was absent", "mono")
        return suite.finish()
    lines = {runtime: suite.run_on(runtime) for runtime in runtimes}
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    for runtime in runtimes:
        if mono and runtime is not mono and lines[runtime] and lines[mono]:
            suite.compare(mono, runtime, lines[mono], lines[runtime])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
