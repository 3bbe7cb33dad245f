#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs what failed in the last `meson test` of a build folder once more, with nothing beside it.

  again.py FOLDER

Programs of whole suites run on runtimes, which have faults of their own: one process in some thousand dies of them
(doc/differences.md, doc/live.md). So a suite of such programs may fail once. summary.py goes by the second run, and
names each test that needed it. There is none for tests without a runtime, for what hangs, nor where more than a few
failed: those are faults of ours.
"""
import json
import pathlib
import subprocess
import sys

MOST = 3
WITH_RUNTIMES = {"bench", "browser", "command", "conformance", "engine", "examples", "hostile", "lifetime", "mono",
                 "smoke"}
LOG, AGAIN = "testlog.json", "again.json"


def read(folder, log):
    """The tests of a log of meson's."""
    path = pathlib.Path(folder) / "meson-logs" / log
    return [json.loads(line) for line in path.read_text(errors="replace").splitlines()] if path.exists() else []


def parts(test):
    """({suite, ...}, name), which meson's log has as "PROJECT:SUITE+SUITE / NAME"."""
    suites, name = test["name"].split(" / ", 1)
    return set(suites.split(":", 1)[-1].split("+")), name


def main():
    folder = sys.argv[1]
    failed = [test for test in read(folder, LOG) if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP")]
    fit = [test for test in failed if test["result"] == "FAIL" and parts(test)[0] <= WITH_RUNTIMES]
    if not fit or len(failed) > MOST:
        return
    subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", "--num-processes=1", "--logbase=again",
                    "--timeout-multiplier=4", "--print-errorlogs", *(parts(test)[1] for test in fit)])


if __name__ == "__main__":
    main()
