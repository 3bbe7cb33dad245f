#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the conformance tests let pass is explained to users, and what is explained exists.

Fails when a class of differences (differences.tsv in test/conformance, in its events and in its dump), a function or
context that answers differently (test/conformance/matrix/matrix.tsv), or a setting without effect
(lib/core/model/refusals.def) is not in doc/differences.md; and when that page has a class or setting that nobody knows.
"""
import pathlib
import re
import sys

DOC = pathlib.Path(__file__).resolve().parent
TOP = DOC.parent
# Tables of classes of difference, and the sections that explain them.
CLASSES = {"Counts of calls": TOP / "test/conformance/differences.tsv",
           "Whole programs": TOP / "test/conformance/events/differences.tsv",
           "Introspection": TOP / "test/conformance/dump/differences.tsv"}
MATRIX = TOP / "test/conformance/matrix/matrix.tsv"
REFUSALS = TOP / "lib/core/model/refusals.def"


def rows(path):
    return [line.split("\t") for line in path.read_text().splitlines()[1:] if line]


def first_cells(text):
    """The names in the first column of the tables: | `name` | ..."""
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def section(text, title):
    return text.split("## " + title, 1)[1].split("\n## ", 1)[0] if "## " + title in text else ""


def check_classes(text):
    for title, path in CLASSES.items():
        known = {row[0] for row in rows(path)}
        explained = first_cells(section(text, title))
        for name in sorted(known - explained):
            yield "%s: differences.md does not explain the class `%s` of %s" % (title, name, path.relative_to(TOP))
        for name in sorted(explained - known):
            yield "%s: differences.md explains a class `%s` that no test knows" % (title, name)


def check_matrix(text):
    answers = section(text, "Answers of functions")
    known = set()
    for function, contexts, mono, clr, _reason in rows(MATRIX):
        # A row of all functions tells of contexts that one runtime does not have.
        known.update(contexts.split(",") if function == "*" else [function] if clr not in ("=", mono) else [])
    for name in sorted(known - set(re.findall(r"`(\w+)`", answers))):
        yield "differences.md does not mention `%s`, which differs in matrix.tsv" % name
    for name in sorted(first_cells(answers) - known):
        yield "differences.md says that `%s` differs, which it does not in matrix.tsv" % name


def check_settings(text):
    known = set(re.findall(r"^MONOCLE__SETTING +\((mono_\w+),", REFUSALS.read_text(), re.M))
    listed = first_cells(section(text, "Settings without effect"))
    for name in sorted(known - listed):
        yield "differences.md does not list `%s`, a setting without effect" % name
    for name in sorted(listed - known):
        yield "differences.md lists `%s`, which is no setting without effect" % name


def main():
    differences = (DOC / "differences.md").read_text()
    problems = [*check_classes(differences), *check_matrix(differences), *check_settings(differences)]
    for problem in dict.fromkeys(problems):
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
