#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The name of a function that crosses files says which file has it.

  names.py [--shrink]

After monocle__, and the library's own word where it has one (clr_, ecma_, describe_ ...), the name begins with the
noun of its file: the file's name, singular or plural, dashes as underscores. Files that share a header have its noun
as well (sampler-perf.c and sampler.h); in arch/ the noun is arch. Names that the runtime's tables give are free
(monocle__callback_*), and so is what is no function: macros, tables of operations.

What is named otherwise is a row of names.tsv (function, file). The table may only shrink: a function that is named
well, or gone, takes its row with it. --shrink removes such rows.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = pathlib.Path(__file__).resolve().parent / "names.tsv"
FOLDERS = ["lib/base", "lib/clr", "lib/core", "lib/describe", "lib/ecma", "lib/internals", "lib/kit",
           "lib/live", "lib/mono",
           "lib/report", "modules", "tools"]
# A definition: its name begins a line, its type ends the one before.
DEFINITION = re.compile(r"^(.*)\n(monocle__(\w+)) \(", re.M)
GIVEN = re.compile(r"callback_[A-Z]")  # a method of ICorProfilerCallback, as Microsoft spells it


def numbers(noun):
    """The noun in the singular and in the plural."""
    yield from (noun, noun + "s", noun + "es")
    for ending, other in (("s", ""), ("es", ""), ("y", "ies"), ("ies", "y")):
        if noun.endswith(ending):
            yield noun[:-len(ending)] + other


def nouns(path):
    found = {path.stem}
    if not path.with_suffix(".h").exists():
        parts = path.stem.split("-")
        families = ("-".join(parts[:count]) for count in range(1, len(parts)))
        found |= {family for family in families if path.with_name(family + ".h").exists()}
    if "arch" in path.parts:
        found.add("arch")
    return {number for noun in found for number in numbers(noun.replace("-", "_"))}


def is_named_well(name, path, library):
    texts = {name, re.sub("^%s_" % library, "", name)}
    return any(text == noun or text.startswith(noun + "_") for text in texts for noun in nouns(path))


def functions():
    """(name, path, whether it is named well) of each function that is not static."""
    for folder in FOLDERS:
        for path in sorted((TOP / folder).rglob("*.c")):
            for head, function, name in DEFINITION.findall(path.read_text()):
                if not head.startswith("static") and not GIVEN.match(name):
                    yield function, str(path.relative_to(TOP)), is_named_well(name, path, folder.split("/")[-1])


def main():
    head, *rows = TABLE.read_text().splitlines()
    found = list(functions())
    ill = {(function, path) for function, path, well in found if not well}
    if "--shrink" in sys.argv:
        rows = [row for row in rows if tuple(row.split("\t")) in ill]
        TABLE.write_text("\n".join([head, *rows]) + "\n")
    listed = {tuple(row.split("\t")) for row in rows}
    problems = ["%s does not begin with the noun of %s" % pair for pair in sorted(ill - listed)]
    problems += ["names.tsv: the row \"%s\" is not needed: names.py --shrink" % " ".join(pair)
                 for pair in sorted(listed - ill)]
    if len(listed) < len(rows) or rows != sorted(rows, key=lambda row: row.split("\t")[::-1]):
        problems.append("names.tsv: the rows are not sorted by file and function, each once")
    for problem in problems:
        print("FAIL " + problem)
    print("%d functions, %d exceptions, %d problems" % (len(found), len(rows), len(problems)))
    return 1 if problems or len(found) < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
