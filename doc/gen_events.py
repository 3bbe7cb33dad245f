#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads include/monocle/events.def, and writes doc/events.md from it.

  gen_events.py            prints the page
  gen_events.py --check    fails when doc/events.md is another one, or an event has no row
"""
import collections
import pathlib
import re
import sys
import textwrap

TOP = pathlib.Path(__file__).resolve().parent.parent
ROWS = TOP / "include/monocle/events.def"
PAGE = TOP / "doc/events.md"
TABLES = [TOP / "include/mono/metadata/profiler-events.h", TOP / "include/monocle/ext-events.h"]
SUPPORT = {"EXACT": "exact", "RULE": "by rule", "LATER": "not yet", "NEVER": "never"}
CELL = 90  # characters; what is longer becomes a note

HEAD = """\
# The events, and what CoreCLR makes of them

This page is made of [events.def](../include/monocle/events.def) by [gen_events.py](gen_events.py).

A module subscribes to an event with `mono_profiler_set_NAME_callback ()`. What each event means and what may be done in
its callback is in [profiler.h](../include/mono/metadata/profiler.h); this page says which of them come.

On **Mono** all of the first table come: Mono raises them itself. In an **embedder** those come that it raises
([embedding.md](embedding.md)). On **CoreCLR**:

* *exact*: when and where Mono would raise it;
* *by rule*: it comes, and the differences are listed here and in [differences.md](differences.md);
%s* *never*: the CLR has no such thing.

The column *attached* says what comes of it in a program that `monocle attach` came to: [live.md](live.md). What had
happened before comes for domains, images, assemblies and threads ([clr.md](clr.md#attached-to-a-program-that-runs)).
*If asked* is with the module `calls`, or with `callspec=` of another one: what comes of methods is not taken lightly.

A callback for an event that never comes can be set all the same, and costs nothing. Nothing is asked of the runtime
before there is a listener: the column *cost* says what the program pays from then on. A module can ask, too:
`monocle_event_support ("NAME")` of [ext.h](../include/monocle/ext.h). `./dev test` fails when an event has no row here.
Numbers in brackets lead to the notes below each table.

In `gc_event` 8, and nowhere else, `mono_gc_walk_heap ()` shows every object on the heap and which it refers to, as on
Mono; on CoreCLR not while a collection in the background is under way
([differences.md](differences.md#objects-and-the-heap)).

## Mono's events
"""

# Stands in the page as long as there is such an event.
LATER = "* *not yet*: the runtime could report it, and a later version will;\n"

MIDDLE = """
## Events that Mono does not have

Their callbacks are set with `monocle_profiler_set_NAME_callback ()`, declared in [ext.h](../include/monocle/ext.h).
These functions are weak symbols: NULL on real Mono, where the same module file loads all the same.
"""

CHOICE_HEAD = """
## What the module `events` shows only when asked

"""
CHOICE = """\
The module [`events`](module-events.md) shows all events that come, unless its options choose. These have to be named,
because they change the program or fill the disk: %s. These are never shown, because they come in signal handlers, where
no line can be made: %s.
"""

COLUMNS = ("\n| event | Mono's moment | CoreCLR | attached | the CLR's source | cost | note |\n"
           "|---|---|---|---|---|---|---|\n")
EXT_COLUMNS = "\n| event | CoreCLR | attached | the CLR's source | cost | note |\n|---|---|---|---|---|---|\n"

# What a runtime that runs is not asked for any more; attached_loses () and is_early () of lib/clr/wants.c. The test of
# test/conformance/attach compares the page with what comes.
STARTED_ONLY = {"CALLS", "ALLOCATIONS", "SEARCHES", "TRANSITIONS"}
EARLY = {"method_enter", "method_leave", "method_tail_call", "method_exception_leave", "exception_clause",
         "gc_allocation"}
LATE = {"method_enter", "method_leave", "method_tail_call", "method_exception_leave"} # is_late () of the same


Row = collections.namedtuple("Row", "name place choice closes support demand moment source cost note")


def read_rows():
    """{name: Row} of all events, in their order."""
    text = re.sub(r"/\*.*?\*/", "", ROWS.read_text(), flags=re.S)
    found = {}
    for words, texts in re.findall(r"^EVENT \(([\w, ]+),\n(.*?)\)$", text, re.S | re.M):
        texts = [t.replace('\\"', '"') for t in re.findall(r'"((?:[^"\\]|\\.)*)"', texts)]
        row = Row(*words.split(", "), *texts)
        found[row.name] = row
    return found


def events(table):
    return re.findall(r"^MONO_PROFILER_EVENT_\d\s?\((\w+),", table.read_text(), re.M)


def attached(row):
    if row.name in LATE:
        return "if asked"
    if row.support in ("NEVER", "LATER") or row.demand in STARTED_ONLY or row.name in EARLY:
        return "no"
    return "yes"


class Notes:
    """Texts that are too long for a cell, numbered in the order of the table. A cell keeps a short first sentence."""

    def __init__(self):
        self.texts = []

    def cell(self, name, text):
        if len(text) <= CELL:
            return text
        first, dot, rest = text.partition(". ")
        if not dot or len(first) > CELL:
            first, rest = "", text
        note = "`%s`: %s." % (name, rest)
        if note not in self.texts:
            self.texts.append(note)
        return ("%s (%d)" % (first, self.texts.index(note) + 1)).strip()

    def list(self):
        return "\n" + "".join(textwrap.fill("%d. %s" % (number, text), 120, subsequent_indent="   ") + "\n"
                              for number, text in enumerate(self.texts, 1))


def table(names, rows, columns):
    notes = Notes()
    for name in names:
        row = rows[name]
        cells = [SUPPORT[row.support] if column == "support" else attached(row) if column == "attached" else
                 notes.cell(name, getattr(row, column)) for column in columns]
        yield "| `%s` | %s |\n" % (name, " | ".join(cells))
    yield notes.list()


def page(rows):
    later = any(row.support == "LATER" for row in rows.values())
    out = [HEAD % (LATER if later else ""), COLUMNS]
    out += table(events(TABLES[0]), rows, ["moment", "support", "attached", "source", "cost", "note"])
    out += [MIDDLE, EXT_COLUMNS, *table(events(TABLES[1]), rows, ["support", "attached", "source", "cost", "note"])]
    named, never = ([row.name for row in rows.values() if row.choice == choice] for choice in ("NAMED", "NEVER"))
    out += [CHOICE_HEAD, textwrap.fill(CHOICE % (", ".join("`%s`" % n for n in named),
                                                          ", ".join("`%s`" % n for n in never)), 120) + "\n"]
    return re.sub(r"\|  +(?=\|)", "| ", "".join(out)).replace("|  |", "| |")


def postponed(rows):
    """Events that come, which test/conformance holds true, and whose note says that something is still to be."""
    return [row.name for row in rows.values() if row.support != "LATER" and
            re.search(r"\b(yet|not implemented|later version)\b", row.note)]


def main():
    rows = read_rows()
    if postponed(rows):
        sys.exit("events.def: a word of what is still to be, but the event comes: " + ", ".join(postponed(rows)))
    known = events(TABLES[0]) + events(TABLES[1])
    wrong = [n for n in known if n not in rows] + [n for n in rows if n not in known]
    if wrong:
        sys.exit("events.def: missing or unknown: " + ", ".join(wrong))
    if sys.argv[1:] != ["--check"]:
        print(page(rows), end="")
    elif PAGE.read_text() != page(rows):
        sys.exit("doc/events.md is not what doc/gen_events.py prints: run it again")


if __name__ == "__main__":
    main()
