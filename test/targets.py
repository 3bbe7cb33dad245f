#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the targets of ninja that a selection of tests needs.

  targets.py FOLDER [--suite NAME]... [--no-suite NAME]... [--others]

The selection is that of `meson test` with the same options, which would build these targets itself: built apart, a
failure to compile and the time that it takes have a name of their own. --others adds everything that `meson install`
copies, and what no test names, such as the files that lie beside programs.
"""
import argparse
import json
import pathlib


def read(folder, what):
    return json.loads((folder / "meson-info" / ("intro-%s.json" % what)).read_text())


def is_chosen(test, wanted, unwanted):
    suites = {suite.rpartition(":")[2] for suite in test["suite"]}
    return not suites & unwanted and (not wanted or bool(suites & wanted))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--no-suite", action="append", default=[])
    parser.add_argument("--others", action="store_true")
    options = parser.parse_args()
    folder = options.folder.resolve()
    tests = read(folder, "tests")
    needed = {target for test in tests if is_chosen(test, set(options.suite), set(options.no_suite))
              for target in test["depends"]}
    named = {target for test in tests for target in test["depends"]}
    for target in read(folder, "targets"):
        is_other = target["installed"] or target["id"] not in named
        if target["id"] in needed or (options.others and is_other):
            print(*(pathlib.Path(path).relative_to(folder) for path in target["filename"]))


if __name__ == "__main__":
    main()
