#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test/README.md is the map of the tests: each folder and each suite has its place there, and nothing else has.

  suites.py --build BUILD

A test belongs to the row of the table of tiers that names its script, or else the nearest folder of its script or
program. The row says for each tier what is asked there and why; a cell that is empty, or in parentheses, says that no
test of the row is in it.
"""
import argparse
import json
import pathlib
import re
import sys

TEST = pathlib.Path(__file__).resolve().parent.parent
TOP = TEST.parent
HEAD = ["suite", "first tier", "second tier"]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tiers(text):
    """{path: [is it in the first tier, is it in the second]} of the table of tiers."""
    rows, inside = {}, False
    for line in text.splitlines():
        inside = line.startswith("|") and (inside or cells(line) == HEAD)
        if inside and line.startswith("| `"):
            names, first, second = cells(line)
            for name in re.findall(r"`([\w./]+)`", names):
                rows[name] = [cell and not cell.startswith("(") for cell in (first, second)]
    return rows


def where(test, build):
    """The path of a test's script, or of its program's source folder, seen from the folder of the tests."""
    for word in test["cmd"]:
        path = pathlib.Path(word).resolve()
        for top in (build.resolve(), TOP):
            if top in path.parents:
                path = path.relative_to(top)
                if path.parts[0] in ("test", "examples", "doc", "packaging") and path.name != "alone.sh":
                    return path.relative_to("test") if path.parts[0] == "test" else ".." / path
                break
    return pathlib.Path(test["name"])


def row_of(path, rows):
    """The name of the row that a path belongs to; None: there is none."""
    for one in (path, *path.parents):
        name = str(one.with_suffix("")) if one == path else str(one)
        if name in rows:
            return name
    return None


def misplaced(tests, build, rows):
    """What the table and the registered tests do not agree about."""
    met = {name: set() for name in rows}
    for test in tests:
        path = where(test, build)
        name = row_of(path, rows)
        is_second = any(suite.rpartition(":")[2] == "full" for suite in test["suite"])
        if name is None:
            yield "no row of the table of tiers has \"%s\" (%s)" % (test["name"], path)
        elif not rows[name][is_second]:
            yield "\"%s\" (%s) is in the %s tier, of which the row %s says nothing" % (
                test["name"], path, "second" if is_second else "first", name)
        else:
            met[name].add(is_second)
    for name, said in rows.items():
        for is_second, tier in enumerate(("first", "second")):
            if said[is_second] and is_second not in met[name]:
                yield "the row %s has no test in the %s tier" % (name, tier)


def folders(under):
    return {str(path.parent.relative_to(TEST)) for path in under.glob("*/*")
            if "__pycache__" not in (path.name, path.parent.name)}


def problems(build):
    text = (TEST / "README.md").read_text()
    tiered = tiers(text)
    rows = set(re.findall(r"^\| `([\w/]+)` \|", text, re.M)) - tiered.keys()
    there = folders(TEST) | folders(TEST / "unit") | folders(TEST / "conformance")
    yield from ("the folder %s has no row" % name for name in sorted(there - rows - tiered.keys()))
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
    yield from misplaced(tests, build, tiered)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    found = list(problems(parser.parse_args().build))
    print("\n".join("test/README.md: " + problem for problem in found) or "every folder and suite has its place")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
