#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a suite of the second tier once more where all that failed in it is a fault of a runtime's that has a name.

  faults.py FOLDER

Programs of the suites run on runtimes, which have faults of their own. Each that a suite may meet is a row of
faults.tsv: the runtimes that have it and how their versions begin, how often it is met, the regular expression for
what a failed check says of it (the stack, the message or the signal), and its cause. Of each test of the second tier
that failed in the last `meson test` of FOLDER, every failed check must be recognised. Then the test runs once more,
with nothing beside it, and has to pass. A fault that two tests meet in one run is not recognised: none is so frequent.
What hangs, and what the first tier has, gets no second run.

Exit code: 0 when every test that failed was recognised and has passed in its second run, else 1. What was done is
printed, and summary.py goes by it.
"""
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().with_name("faults.tsv")
LOG, AGAIN = "testlog.json", "again.json"
GOOD = ("OK", "EXPECTEDFAIL", "SKIP")
FULL = "full"  # the suite of the second tier

# A failed check of harness.py goes on until the next line of its own.
CHECK = re.compile(r"^FAIL .*\n?(?:(?!FAIL |SKIP |ok   |seed: |runtimes: |started: |kept |\d+ passed, ).*\n?)*", re.M)
UNITTEST = re.compile(r"^={70}\n((?:FAIL|ERROR): (?:.*\n)*?)(?=={70}\n|-{70}\nRan )", re.M)
END = re.compile(r"^\d+ passed, \d+ failed, \d+ skipped$", re.M)
VERSIONS = re.compile(r"^runtimes: (.*)$", re.M)
RUNTIME = re.compile(r"\b(mono|clr\d+)\b")


def read(folder, log):
    """The tests of a log of meson's."""
    path = pathlib.Path(folder) / "meson-logs" / log
    return [json.loads(line) for line in path.read_text(errors="replace").splitlines()] if path.exists() else []


def parts(test):
    """({suite, ...}, name), which meson's log has as "PROJECT:SUITE+SUITE / NAME"."""
    suites, _, name = test["name"].rpartition(" / ")
    return set(suites.split(":", 1)[-1].split("+")), name


def output(test):
    return test.get("stdout", "") + "\n" + test.get("stderr", "")


class Fault:
    def __init__(self, row):
        self.name, self.rate, self.cause = row["fault"], row["rate"], row["cause"]
        self.runtimes = dict(words.strip().split(" ", 1) for words in row["runtimes"].split(","))
        self.shown = re.compile(row["shown"], re.M)

    def is_in(self, what, versions):
        """Whether a failed check shows this fault, on a runtime that has it."""
        named = RUNTIME.search(what.split("\n", 1)[0])
        begins = named and self.runtimes.get(named.group(1))
        return bool(begins and versions.get(named.group(1), "").startswith(begins) and self.shown.search(what))


def table(path=TABLE):
    with open(path) as file:
        return [Fault(row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def failed_checks(text):
    """What failed in a suite, each with all that it says; nothing of a suite that has not come to its end."""
    found = CHECK.findall(text)
    if found:
        return found if END.search(text) and "Traceback (most" not in CHECK.sub("", text) else []
    return UNITTEST.findall(text)


def faults_of(test, faults):
    """The names of the faults that are all that failed in a test; empty where anything else did."""
    if FULL not in parts(test)[0] or test["result"] != "FAIL":
        return []
    text = output(test)
    versions = dict(re.findall(r"([^\s,]+) ([^\s,]+)", ", ".join(VERSIONS.findall(text))))
    found = []
    for what in failed_checks(text):
        met = [fault.name for fault in faults if fault.is_in(what, versions)]
        if not met:
            return []
        found += met[:1]
    return sorted(set(found))


def recognised(tests, faults):
    """{the name of a test: its faults} of those that may run once more; and {fault: tests} that are too many."""
    found = {test["name"]: faults_of(test, faults) for test in tests if test["result"] not in GOOD}
    found = {name: met for name, met in found.items() if met}
    tests_of = collections.defaultdict(list)
    for name, met in found.items():
        for fault in met:
            tests_of[fault].append(name)
    often = {fault: names for fault, names in tests_of.items() if len(names) > 1}
    return {name: met for name, met in found.items() if not set(met) & set(often)}, often


def run_again(folder, names):
    subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", "--num-processes=1", "--logbase=again",
                    "--timeout-multiplier=4", "--print-errorlogs", *names], stdin=subprocess.DEVNULL)
    return {test["name"]: test["result"] for test in read(folder, AGAIN)}


def main():
    folder, faults = sys.argv[1], table(sys.argv[2] if len(sys.argv) > 2 else TABLE)
    rates = {fault.name: fault.rate for fault in faults}
    failed = [test for test in read(folder, LOG) if test["result"] not in GOOD]
    known, often = recognised(failed, faults)
    for fault, names in sorted(often.items()):
        print("faults: %s was met by %d tests of one run; its rate is: %s" % (fault, len(names), rates[fault]))
    unknown = [test["name"] for test in failed if test["name"] not in known]
    for name in unknown:
        print("faults: not recognised: " + name)
    (pathlib.Path(folder) / "meson-logs" / AGAIN).unlink(missing_ok=True)
    if unknown or not failed:
        return 1
    sys.stdout.flush()
    results = run_again(folder, [parts(test)[1] for test in failed])
    good = True
    for name, met in known.items():
        passed = results.get(name) == "OK"
        good = good and passed
        print("faults: %s met %s, and %s when it ran again" % (
            name, " and ".join("%s (%s)" % (fault, rates[fault]) for fault in met), "passed" if passed else "failed"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
