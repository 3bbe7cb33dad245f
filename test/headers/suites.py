#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test/README.md is the map of the tests: each folder and each suite has its place there, and nothing else has."""
import argparse
import json
import pathlib
import re
import sys

TEST = pathlib.Path(__file__).resolve().parent.parent


def folders(under):
    return {str(path.parent.relative_to(TEST)) for path in under.glob("*/*")
            if "__pycache__" not in (path.name, path.parent.name)}


def problems(build):
    text = (TEST / "README.md").read_text()
    rows = set(re.findall(r"^\| `([\w/]+)` \|", text, re.M))
    there = folders(TEST) | folders(TEST / "unit") | folders(TEST / "conformance")
    yield from ("the folder %s has no row" % name for name in sorted(there - rows))
    yield from ("the row %s has no folder" % name for name in sorted(rows - there))
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text())
    suites = {suite.rpartition(":")[2] for test in tests for suite in test["suite"]}
    yield from ("nothing is said of the suite %s" % name for name in sorted(suites) if "`%s`" % name not in text
                and "`--suite %s`" % name not in text)
    # A sanitized build has fewer suites than there are.
    files = "".join(path.read_text() for part in ("test", "examples", "doc")
                    for path in (TEST.parent / part).glob("**/meson.build"))
    yield from ("there is no suite %s" % name for name in re.findall(r"--suite (\w+)", text)
                if "'%s'" % name not in files)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    found = list(problems(parser.parse_args().build))
    print("\n".join("test/README.md: " + problem for problem in found) or "every folder and suite has its place")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
