#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints "PASSED FAILED SKIPPED" of the last `meson test` in a build folder.

Meson counts programs; people want to know how many things were checked. A cmocka program reports its groups, our
harnesses end with a line "N passed, N failed, N skipped"; anything else counts as one by its exit code.
"""
import json
import pathlib
import re
import sys

CMOCKA = {name: re.compile(r"^\[  %s  \] (\d+) test\(s\)" % name, re.M) for name in ("PASSED", "FAILED", "SKIPPED")}
HARNESS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


def inner_counts(text):
    """(passed, failed, skipped) as the program itself printed them, or None."""
    totals = [sum(int(n) for n in CMOCKA[name].findall(text)) for name in ("PASSED", "FAILED", "SKIPPED")]
    for match in HARNESS.finditer(text):
        totals = [a + int(b) for a, b in zip(totals, match.groups())]
    return totals if any(totals) else None


def count(test):
    result = test["result"]
    if result == "SKIP":
        return [0, 0, 1]
    ok = result in ("OK", "EXPECTEDFAIL")
    totals = inner_counts(test.get("stdout", "") + "\n" + test.get("stderr", "")) or ([1, 0, 0] if ok else [0, 1, 0])
    if not ok and totals[1] == 0:
        totals[1] = 1  # died or timed out after its last good report
    if ok and totals[1] != 0:
        totals[1] = 0  # a harness that tests harnesses: its exit code is the verdict
    return totals


def main():
    log = pathlib.Path(sys.argv[1]) / "meson-logs" / "testlog.json"
    totals = [0, 0, 0]
    if log.exists():
        for line in log.read_text(errors="replace").splitlines():
            totals = [a + b for a, b in zip(totals, count(json.loads(line)))]
    else:
        totals[1] = 1  # no test ran: that is no success
    print(*totals)


if __name__ == "__main__":
    main()
