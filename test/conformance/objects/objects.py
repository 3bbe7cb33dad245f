#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is in objects and static fields, read by one module file on Mono and on CoreCLR: the same, and what the program
prints itself.

The program objects.cs throws a Checkpoint wherever there is something to see; objects.c writes down what it finds. Only
the differences named in RULES may be there; each must be there.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import harness  # noqa: E402

# What only one runtime's lines say, and what is compared instead. doc/differences.md tells why.
RULES = [
    # The fields of a decimal are the class library's own.
    (r"^Simple\.exact = System\.Decimal\{.*", "Simple.exact = a decimal"),
    # The CLR does not tell where static fields of generic classes stand.
    (r"^(Generic[<.][^ ]* = ).*", r"\1not compared"),
    # Mono puts its own cleanup in the place of what was installed in the init window.
    (r"^cleanups: [01]$", "cleanups: not compared"),
    # The bytes behind static array data: Mono rounds the struct that holds it up to four.
    (r"^(<PrivateImplementationDetails>\.\S+ = (?:[0-9a-f]{8})+)([0-9a-f]{2})0{6}$", r"\1\2"),
]

GENERIC_STATICS = ("monocle: CoreCLR: the runtime does not tell where static fields of generic classes stand; "
                   "they read as zeros\n")


def canonical(lines):
    for line in lines:
        for pattern, instead in RULES:
            line = re.sub(pattern, instead, line)
        yield line


class Objects(harness.Suite):
    def run_on(self, runtime):
        """The module's lines, None when there are none to compare."""
        here = self.build.path / "test/conformance/objects"
        file = self.work / ("%s.txt" % runtime)
        env = harness.profile_environment(self.build, runtime, ["objects:output=%s" % file])
        seen = harness.run(runtime.command(here / "objects.exe"), env, cwd=self.work)
        if not self.check(seen.code == 0 and file.exists(), "%s: the program runs to its end" % runtime, seen):
            return None
        said = "" if runtime.kind == "mono" else GENERIC_STATICS
        self.check(seen.err == said, "%s: what is not served is said, and nothing else" % runtime, seen.err)
        self.check(seen.out.count("collected: True") == 2, "%s: mono_gc_collect () collects" % runtime, seen.out[-200:])
        lines = file.read_text(errors="replace").splitlines()
        self.check(not [line for line in lines if "BAD" in line or "OVERRUN" in line],
                   "%s: sizes, offsets and copies agree" % runtime)
        self.check(lines[-1] == "cleanups: %d" % (runtime.kind != "mono"), "%s: what cleans up ran" % runtime,
                   lines[-1])
        self.as_printed(runtime, seen.out, lines)
        return lines

    def as_printed(self, runtime, out, lines):
        """What the program says of a field, the module must have read."""
        known = {}
        for line in lines:
            name, equals, value = line.partition(" = ")
            if equals:
                known.setdefault(name, re.sub(r'^\(System\.String\) (".*") length.*', r"\1", value))
        printed = [line.partition(" = ") for line in out.splitlines() if " = " in line]
        self.check(len(printed) > 35, "%s: the program prints its fields" % runtime, len(printed))
        for name, _, value in printed:
            self.check(known.get(name) == value, "%s: %s as the program prints it" % (runtime, name),
                       "%s, the module read %s" % (value, known.get(name)))

    def compare(self, mono, other, reference, lines):
        wanted, got = list(canonical(reference)), list(canonical(lines))
        for a, b in zip(wanted, got):
            self.check(a == b, "%s: %s" % (other, a.partition(" = ")[0]),
                       "\n    %s: %s\n    %s: %s" % (mono, a, other, b))
        self.check(len(wanted) == len(got), "%s: as many lines as on %s" % (other, mono), (len(wanted), len(got)))


def main():
    suite = Objects("objects", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    runtimes = suite.runtimes()
    if not (suite.build.path / "test/conformance/objects/objects.exe").exists():
        suite.skip("objects", "not compiled: mcs was absent", "mono")
        return suite.finish()
    answers = {runtime: suite.run_on(runtime) for runtime in runtimes}
    reference = next((r for r in runtimes if r.kind == "mono"), None)
    for runtime, lines in answers.items():
        if reference and runtime is not reference and lines and answers[reference]:
            suite.compare(reference, runtime, answers[reference], lines)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
