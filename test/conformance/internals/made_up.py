#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mono's log profiler over a host that makes everything up: mprof-report says the figures that were made up."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import mprof  # noqa: E402
import package  # noqa: E402


def main():
    suite = harness.Suite("made-up", __doc__)
    suite.parse()
    if package.missing(suite, "log"):
        return suite.finish()
    out = suite.work / "out.mlpd"
    desc = "log:calls,alloc,gc,monitor,exception,calldepth=1000000,output=%s" % out
    host = suite.build.path / "test/conformance/modules/made-up"
    seen = harness.run(
        [host, desc], harness.bare_environment({"MONOCLE_MODULE_PATH": str(package.FOLDER)}), cwd=suite.work)
    suite.check(seen.code == 0 and not seen.err, "the host ends as it should", seen)
    report, why = mprof.read(out)
    if suite.check(report, "mprof-report reads the file", why):
        made = {line.split("\t")[0]: int(line.split("\t")[1]) for line in seen.out.splitlines()}
        found = {**report.calls(), **report.figures("Exception"), **report.figures("Monitor lock")}
        found["Made.Up"], found["bytes"] = report.allocations().get("Made.Up", (0, 0))
        found["collections"] = report.collections().get(1)
        for name, count in made.items():
            suite.check(found.get(name) == count, "%s: %d" % (name, count), found.get(name))
        suite.check(not report.noise, "nothing is odd", report.noise)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
