#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The offsets of fields are known in a call event for everything that the call has by reference: the numbers that the
module offsets.c reads by them are those that the program offsets.cs prints.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import harness  # noqa: E402

UNMET = ("monocle: CoreCLR: a module asks in a call event where the fields of Unmet are, which was not met before: "
         "offsets in such classes are 0 there\n")


def unmet(suite, runtime, program):
    """A module cannot tell an offset that is not known from one that is: a line says so, once."""
    file = suite.work / ("%s-unmet.txt" % runtime)
    env = harness.profile_environment(suite.build, runtime, ["offsets:unmet,output=%s" % file])
    seen = harness.run(runtime.command(program), env, cwd=suite.work)
    is_mono = runtime.kind == "mono"
    said = "" if is_mono else UNMET
    suite.check(seen.code == 0 and seen.err == said, "%s: what is not known is said" % runtime, seen)
    answers = {line.split()[-1] for line in file.read_text().splitlines()}
    suite.check(answers == {"unmet=%d" % is_mono}, "%s: the offset of a class that nothing uses" % runtime, answers)


def main():
    suite = harness.Suite("offsets", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    runtimes = suite.runtimes()
    program = suite.build.path / "test/conformance/contexts/offsets.exe"
    if not program.exists():
        suite.skip("offsets", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in runtimes:
        unmet(suite, runtime, program)
        file = suite.work / ("%s.txt" % runtime)
        env = harness.profile_environment(suite.build, runtime, ["offsets:output=%s" % file])
        seen = harness.run(runtime.command(program), env, cwd=suite.work)
        if not suite.check(seen.code == 0 and file.exists(), "%s: the program runs to its end" % runtime, seen):
            continue
        suite.check(not seen.err, "%s: nothing is said" % runtime, seen.err)
        printed, read = seen.out.splitlines(), file.read_text().splitlines()
        suite.check(len(printed) == len(read) == 11, "%s: each call is read" % runtime, (len(printed), len(read)))
        for wanted, got in zip(printed, read):
            suite.check(wanted == got, "%s: %s" % (runtime, wanted), "read as " + got)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
