#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inside lib/core, lib/clr and tools, names point one way, too: a room uses what is below it.

  rooms.py --build BUILD [--shrink]

The objects are asked: a function or variable that a file of one room defines and a file of a lower room refers to runs
up. So does the include of a higher room's header, where no such name explains it. Few may, and each is a row of
upward.tsv (file, name or header, reason). The table may only shrink: a row that holds no more has to go, and --shrink
removes it.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

TOP = harness.TOP
TABLE = pathlib.Path(__file__).resolve().parent / "upward.tsv"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
SOURCES = (".c", ".h", ".S")

# From the ground up: (room, its folders, or its files in the library's own folder; "." has the rest of that folder).
ROOMS = {
    "lib/core": [
        ("ground", ["."]), ("arch", ["arch"]), ("check", ["check"]), ("load", ["load"]), ("control", ["control"]),
        ("sample", ["sample"]), ("dispatch", ["dispatch"]), ("model", ["model"]), ("compat", ["compat"]),
    ],
    "lib/clr": [
        ("ground", ["contract", "service", "state", "thread-memory", "unloads", "utf16"]), ("arch", ["arch"]),
        ("images", ["images"]), ("code", ["code"]), ("heap", ["heap"]), ("probes", ["probes"]),
        ("exceptions", ["exceptions"]), ("door", ["."]),
    ],
    "tools": [
        ("command", ["command"]), ("module", ["module"]), ("file", ["file"]), ("report", ["report"]), ("run", ["run"]),
        ("live", ["live"]), ("door", ["."]),
    ],
}


class Library:
    def __init__(self, folder):
        self.folder = folder
        self.files = sorted(str(p.relative_to(TOP)) for p in (TOP / folder).rglob("*") if p.suffix in SOURCES)
        self.known = set(self.files)

    def room_of(self, path):
        """Its number from the ground up, None: in no room."""
        inner = path[len(self.folder) + 1:]
        first = inner.split("/")[0] if "/" in inner else pathlib.Path(inner).stem
        rest = None
        for number, (_, places) in enumerate(ROOMS[self.folder]):
            if first in places:
                return number
            if "." in places and "/" not in inner:
                rest = number
        return rest

    def target(self, path, name):
        """The file of this library that an include means, or None."""
        beside = (TOP / path).parent / name
        for found in (beside, TOP / self.folder / name):
            if found.exists():
                found = str(found.resolve().relative_to(TOP))
                return found if found.startswith(self.folder + "/") else None
        return None

    def upward_includes(self, names):
        """Without those that come with a name of the same room."""
        known = {(path, self.room_of(definer)) for path, _, definer in names}
        for path in self.files:
            for name in INCLUDE.findall((TOP / path).read_text()):
                found = self.target(path, name)
                if found and self.room_of(path) < self.room_of(found) and (path, self.room_of(found)) not in known:
                    yield path, found[len(self.folder) + 1:], found

    def upward_names(self, defined, wanted):
        for path, names in wanted.items():
            for name in sorted(names):
                if name in defined and self.room_of(path) < self.room_of(defined[name]):
                    yield path, name, defined[name]


def objects(build, library):
    """(source, object) of each file as it is compiled for the product."""
    for command in json.loads((build / "compile_commands.json").read_text()):
        path = os.path.relpath(os.path.join(command["directory"], command["file"]), TOP)
        if path in library.known and command["output"].startswith(("lib/", "tools/", "monocle.p/")):
            yield path, build / command["output"]


def symbols(build, library):
    """{name: the file that defines it}, {file: the names that it takes from others}."""
    defined, wanted = {}, collections.defaultdict(set)
    path_of = {str(compiled): path for path, compiled in objects(build, library)}
    out = subprocess.run(["nm", "-A", "-P", "-g", *path_of], capture_output=True, text=True, check=True).stdout
    for compiled, name, letter in re.findall(r"^(.*): (\S+) (\w)", out, re.M):
        if letter == "U":
            wanted[path_of[compiled]].add(name)
        else:
            defined[name] = path_of[compiled]
    return defined, wanted


def report(library, upward):
    """How many names run up, by the pair of rooms."""
    room = {path: ROOMS[library.folder][library.room_of(path)][0] for path in library.files}
    pairs = collections.Counter()
    for user, what, definer in upward:
        pairs[room[user], room[definer]] += not what.endswith(".h")
    total = sum(pairs.values())
    print("%s: %d names run up (%s)" % (library.folder, total, ", ".join(
        "%s -> %s %d" % (*pair, count) for pair, count in sorted(pairs.items()) if count) or "none"))


def examine(suite, library, rows):
    """What runs up, against the rows of the table: the rows that hold."""
    homeless = [path for path in library.files if library.room_of(path) is None]
    if not suite.check(not homeless, "each file of %s is in a room" % library.folder, ", ".join(homeless)):
        return rows
    defined, wanted = symbols(suite.build.path, library)
    suite.check(len(defined) > 50, "the objects of %s are found" % library.folder)
    names = list(library.upward_names(defined, wanted))
    upward = names + list(library.upward_includes(names))
    report(library, upward)
    running = {(user, what) for user, what, _ in upward}
    for user, what, definer in sorted(upward):
        listed = (user, what) in {row[:2] for row in rows}
        suite.check(listed, "%s uses nothing above its room but what is listed" % user, "%s of %s" % (what, definer))
    # The row of a file that is not compiled here, another CPU's, is believed.
    held = {row for row in rows if row[:2] in running or
            (row[0] in library.files and row[0] not in wanted and not row[1].endswith(".h"))}
    return [row for row in rows if row in held or not row[0].startswith(library.folder + "/")]


def main():
    suite = harness.Suite("rooms", __doc__)
    suite.parser.add_argument("--shrink", action="store_true", help="remove rows that hold no more")
    options = suite.parse()
    head, *lines = TABLE.read_text().splitlines()
    rows = [tuple(line.split("\t")) for line in lines]
    for row in rows:
        suite.check(len(row) == 3 and all(row), "a row has a file, a name or a header, and a reason", row)
    suite.check(rows == sorted(set(rows)), "the rows are sorted, each once")
    suite.check(len({row[:2] for row in rows}) == len(rows), "no use is listed twice")
    held = rows
    for folder in ROOMS:
        held = examine(suite, Library(folder), held)
    if options.shrink:
        TABLE.write_text("".join("%s\n" % line for line in [head, *("\t".join(row) for row in held)]))
        rows = held
    for row in sorted(set(rows) - set(held)):
        suite.check(False, "%s needs its row of %s no more: rooms.py --shrink" % (row[0], row[1]))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
