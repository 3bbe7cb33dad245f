# SPDX-License-Identifier: MIT
"""Per-method counts: read from what the modules write, and compared under the table of known differences."""
import collections
import csv
import pathlib
import re

COLUMNS = ("enter", "leave", "tail", "exception")
Row = collections.namedtuple("Row", COLUMNS)
Rule = collections.namedtuple("Rule", "id program method rule reason")

RULES_FILE = pathlib.Path(__file__).resolve().parent / "differences.tsv"


def read_counter(path):
    """{method: Row} of a file that the counter module wrote, and how many events it lost."""
    rows = {}
    lost = 0
    for line in pathlib.Path(path).read_text().splitlines()[1:]:
        cells = line.split("\t")
        if cells[0] == "#lost":
            lost = int(cells[1])
            continue
        # Several records can bear one name: shared and precise bodies of one instance.
        old = rows.get(cells[1], Row(0, 0, 0, 0))
        rows[cells[1]] = Row(*[a + int(b) for a, b in zip(old, cells[2:6])])
    return rows, lost


def read_report(text):
    """{method: calls} of `monocle report --format=tsv`."""
    lines = text.splitlines()
    if not lines:
        return {}
    head = lines[0].split("\t")
    method, calls = head.index("method"), head.index("calls")
    counts = collections.Counter()
    for line in lines[1:]:
        cells = line.split("\t")
        counts[cells[method]] += int(cells[calls])
    return dict(counts)


def read_rules():
    with open(RULES_FILE, newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [Rule(*row) for row in rows if row]


class Differences:
    """The known classes of difference, for one program."""

    def __init__(self, program):
        self.rules = [r for r in read_rules() if re.fullmatch(r.program, program)]
        self.used = set()

    def rule(self, method, *kinds):
        for r in self.rules:
            if r.rule in kinds and re.search(r.method, method):
                self.used.add(r.id)
                return r
        return None

    def canonical(self, rows):
        """Drops the ignored rows and merges those that a `merge` rule gives one name (reason column: NEW NAME)."""
        merged = {}
        for method, row in rows.items():
            if self.rule(method, "ignore"):
                continue
            old = merged.get(method, Row(0, 0, 0, 0))
            merged[method] = Row(*[a + b for a, b in zip(old, row)])
        return merged

    def unbalanced(self, rows, on_mono):
        """Methods whose enters are not their exits, apart from what the table allows on Mono."""
        for method, row in sorted(rows.items()):
            exits = row.leave + row.tail + row.exception
            if row.enter == exits or (on_mono and self.rule(method, "mono-exits-missing")):
                continue
            yield "%s: %d enters, %d exits %s" % (method, row.enter, exits, tuple(row))

    def compare(self, mono, clr):
        """Lines that tell every difference that no rule covers."""
        for method in sorted(set(mono) | set(clr)):
            a, b = mono.get(method), clr.get(method)
            if a == b:
                continue
            if a is None and self.rule(method, "clr-only"):
                continue
            if b is None and self.rule(method, "mono-only"):
                continue
            if a and b and a.enter == b.enter and self.rule(method, "mono-exits-missing"):
                continue
            if a and b and self.same_total(a, b) and self.rule(method, "tail-is-leave"):
                continue
            yield "%s: mono %s, clr %s" % (method, tuple(a) if a else "none", tuple(b) if b else "none")

    @staticmethod
    def same_total(a, b):
        return a.enter == b.enter and a.leave + a.tail == b.leave + b.tail and a.exception == b.exception
