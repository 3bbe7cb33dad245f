#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints "PASSED FAILED SKIPPED" of the last `meson test` in a build folder.

  summary.py FOLDER              the three counts
  summary.py --failures FOLDER   each test that failed, and the first things that it said of why
  summary.py --repeated FOLDER   the same of each that passed when it ran once more (faults.py)
  summary.py --table [--tsv] FOLDER...   what each test of these folders took and asked, the longest first

Meson counts programs; people want to know how many things were checked. A cmocka program reports its groups, our
harnesses end with a line "N passed, N failed, N skipped"; anything else counts as one by its exit code.
"""
import pathlib
import re
import sys

import faults

CMOCKA = {name: re.compile(r"^\[  %s  \] (\d+) test\(s\)" % name, re.M) for name in ("PASSED", "FAILED", "SKIPPED")}
HARNESS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
STARTED = re.compile(r"^started: (.*)$", re.M)
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


def failures(tests, known=()):
    for test in tests:
        if count(test)[1]:
            met = ", ".join(faults.faults_of(test, known))
            print("%s (%s)%s" % (test["name"], test["result"], ": " + met if met else ""))
            for line in reasons(test):
                print("  " + line)


COLUMNS = "seconds", "checks", "dotnet", "mono", "tier", "folder", "suites", "test"


def started(text, runtime):
    """How many processes of a runtime a suite of harness.py says that it has started."""
    return sum(int(number) for line in STARTED.findall(text) for number in re.findall(r"(\d+) of " + runtime, line))


def rows(folder):
    for test in faults.read(folder, faults.LOG):
        suites, name = faults.parts(test)
        tier = 2 if faults.FULL in suites else 1
        text = faults.output(test)
        yield (test["duration"], count(test)[0], started(text, "dotnet"), started(text, "mono"), tier,
               pathlib.Path(folder).name, "+".join(sorted(suites - {faults.FULL})), name)


def table(folders, tsv):
    found = sorted((row for folder in folders for row in rows(folder)), reverse=True)
    sums = [("%d tests of tier %d" % (len(tier), number), [sum(column) for column in zip(*(row[:4] for row in tier))])
            for number in (1, 2) for tier in [[row for row in found if row[4] == number]] if tier]
    if tsv:
        lines = [COLUMNS, *(["%.2f" % row[0], *row[1:]] for row in found)]
        print("\n".join("\t".join(map(str, line)) for line in lines))
        return
    print("%9s %7s %7s %6s %5s  %-11s %-24s %s" % COLUMNS)
    for row in found:
        print("%9.2f %7d %7d %6d %5d  %-11s %-24s %s" % row)
    for what, (seconds, *numbers) in sums:
        print("%9.2f %7d %7d %6d  %s" % (seconds, *numbers, what))


def main():
    if sys.argv[1:2] == ["--table"]:
        tsv = "--tsv" in sys.argv
        table([word for word in sys.argv[2:] if word != "--tsv"], tsv)
        return
    wanted, folder = sys.argv[1:-1], sys.argv[-1]
    first = faults.read(folder, faults.LOG)
    second = {test["name"]: test for test in faults.read(folder, faults.AGAIN)}
    last = [second.get(test["name"], test) for test in first]
    if wanted == ["--failures"]:
        failures(last)
        return
    if wanted == ["--repeated"]:
        failures([test for test in first if not count(second.get(test["name"], test))[1]], faults.table())
        return
    totals = [sum(column) for column in zip(*map(count, last))]
    print(*(totals or [0, 1, 0]))  # where no test ran, that is no success


if __name__ == "__main__":
    main()
