#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the targets of ninja that a selection of tests needs.

  targets.py FOLDER [--suite NAME]... [--no-suite NAME]... [--installed]

The selection is that of `meson test` with the same options, which would build these targets itself: built apart, a
failure to compile and the time that it takes have a name of their own. --installed adds everything that `meson
install` copies, for the tests that install without building.
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
    parser.add_argument("--installed", action="store_true")
    options = parser.parse_args()
    folder = options.folder.resolve()
    needed = {target for test in read(folder, "tests") if is_chosen(test, set(options.suite), set(options.no_suite))
              for target in test["depends"]}
    for target in read(folder, "targets"):
        if target["id"] in needed or (options.installed and target["installed"]):
            print(*(pathlib.Path(path).relative_to(folder) for path in target["filename"]))


if __name__ == "__main__":
    main()
