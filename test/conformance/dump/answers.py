# SPDX-License-Identifier: MIT
"""Answers of the dump module: read, and compared under the table of known differences."""
import collections
import csv
import pathlib
import re

RULES_FILE = pathlib.Path(__file__).resolve().parent / "differences.tsv"
LAST_LINE = "end\tof\tanswers"

Rule = collections.namedtuple("Rule", "id runtimes program subject key relation mono clr reason")


class Broken(Exception):
    """A file that is no whole set of answers."""


def read_answers(path):
    """Lines of subject, key and value. Each key is asked once, and the file ends where the module ended it."""
    lines = path.read_text(errors="surrogateescape").split("\n") if path.exists() else []
    if len(lines) < 2 or lines[-2] != LAST_LINE:
        raise Broken("the module did not finish; its last answer is %r" % "".join(lines[-2:]))
    asked = collections.Counter(line.rpartition("\t")[0] for line in lines[:-2])
    if len(asked) < len(lines) - 2:
        raise Broken("two answers to %s" % asked.most_common(1))
    return lines[:-2]


def unlike(lines, others):
    """{(subject, key): value} of the lines that the others do not have."""
    others = set(others)
    parts = (line.split("\t") for line in lines if line not in others)
    return {(subject, key): value for subject, key, value in parts}


def read_rules():
    with open(RULES_FILE, newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [Rule(*row) for row in rows if row]


def number(text):
    return int(text) if text is not None and re.fullmatch(r"-?\d+", text) else None


# How a difference of a class looks, given both values; None stands for an answer that is not there.
RELATIONS = {
    "differs": lambda mono, clr: mono is not None and clr is not None,
    "mono-only": lambda mono, clr: clr is None,
    "clr-only": lambda mono, clr: mono is None,
    # An object's header is 16 bytes on Mono and 8 on CoreCLR.
    "header": lambda mono, clr: None not in (number(mono), number(clr)) and number(mono) - 8 == number(clr),
}


class Differences:
    """The rules for one runtime, and which of them were of use."""

    def __init__(self, runtime):
        self.rules = [r for r in read_rules() if re.fullmatch(r.runtimes, runtime)]
        self.compiled = [(r, re.compile(r.program), re.compile(r.subject), re.compile(r.key), re.compile(r.mono),
                          re.compile(r.clr)) for r in self.rules]
        self.used = collections.Counter()

    def covered(self, program, subject, key, mono, clr):
        for rule, for_program, for_subject, for_key, for_mono, for_clr in self.compiled:
            if (for_program.fullmatch(program) and for_subject.match(subject) and for_key.fullmatch(key)
                    and for_mono.fullmatch(mono or "") and for_clr.fullmatch(clr or "")
                    and RELATIONS[rule.relation](mono, clr)):
                self.used[rule.id] += 1
                return True
        return False

    def compare(self, program, mono, clr):
        """Lines that tell every difference that no rule covers, in the order of Mono's answers."""
        mono, clr = unlike(mono, clr), unlike(clr, mono)
        for asked in {**mono, **clr}:
            one, other = mono.get(asked), clr.get(asked)
            if not self.covered(program, *asked, one, other):
                yield "%s: %s: mono %s, clr %s" % (*asked, one, other)

    def unused(self):
        return [r.id for r in self.rules if not self.used[r.id]]
