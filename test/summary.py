#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints "PASSED FAILED SKIPPED" of the last `meson test` in a build folder.

  summary.py FOLDER              the three counts
  summary.py --failures FOLDER   each test that failed, and the first things that it said of why
  summary.py --repeated FOLDER   the same of each that passed when it ran once more (again.py)

Meson counts programs; people want to know how many things were checked. A cmocka program reports its groups, our
harnesses end with a line "N passed, N failed, N skipped"; anything else counts as one by its exit code.
"""
import re
import sys

import again

CMOCKA = {name: re.compile(r"^\[  %s  \] (\d+) test\(s\)" % name, re.M) for name in ("PASSED", "FAILED", "SKIPPED")}
HARNESS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
TELLING = re.compile(r"^FAIL |^\[ *(ERROR|LINE|FAILED) *\]|^(FAIL|ERROR): |^\w*Error: |Error\b.*:|Sanitizer")


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


def reasons(test):
    """The first lines that say what is wrong; the last ones of a test that has no words for it."""
    lines = (test.get("stdout", "") + "\n" + test.get("stderr", "")).splitlines()
    telling = [line for line in lines if TELLING.search(line)][:8]
    return [line[:400] for line in telling or [line for line in lines if line.strip()][-8:]]


def failures(tests):
    for test in tests:
        if count(test)[1]:
            print("%s (%s)" % (test["name"], test["result"]))
            for line in reasons(test):
                print("  " + line)


def main():
    wanted, folder = sys.argv[1:-1], sys.argv[-1]
    first = again.read(folder, again.LOG)
    second = {test["name"]: test for test in again.read(folder, again.AGAIN)}
    last = [second.get(test["name"], test) for test in first]
    if wanted == ["--failures"]:
        failures(last)
        return
    if wanted == ["--repeated"]:
        failures([test for test in first if not count(second.get(test["name"], test))[1]])
        return
    totals = [sum(column) for column in zip(*map(count, last))]
    print(*(totals or [0, 1, 0]))  # where no test ran, that is no success


if __name__ == "__main__":
    main()
