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

HEAD = """\
# The events, and what CoreCLR makes of them

This page is made of [events.def](../include/monocle/events.def) by [gen_events.py](gen_events.py).

A module subscribes to an event with `mono_profiler_set_NAME_callback ()`. What each event means and what may be done in
its callback is told in [profiler.h](../include/mono/metadata/profiler.h); this page says which of them come.

On **Mono** all of the first table come: Mono raises them itself. In an **embedder** come those that it raises
([embedding.md](embedding.md)). On **CoreCLR**:

* *exact*: when and where Mono would raise it;
* *by rule*: it comes, and what differs is told here and in [differences.md](differences.md);
* *not yet*: the runtime could tell, and a later version will;
* *never*: the CLR has no such thing.

A callback for an event that never comes can be set all the same, and costs nothing. Nothing is asked of the runtime
before somebody listens: the fourth column says what the program pays from then on. A module can ask, too:
`monocle_event_support ("NAME")` of [ext.h](../include/monocle/ext.h). `./dev test` fails when an event has no row here.

What a module may ask in one of the collector's events is not all there yet: `mono_gc_walk_heap ()`, which Mono serves
in `gc_event` 8, fails on CoreCLR and in embedders, and one line on stderr says so. A module that shows what is on the
heap, and who refers to what, has nothing to show there, *not yet*.

## Mono's events
"""

MIDDLE = """
## Events that Mono does not have

Their callbacks are set with `monocle_profiler_set_NAME_callback ()`, declared in [ext.h](../include/monocle/ext.h).
These functions are weak symbols: NULL on real Mono, where the same module file loads all the same.
"""

CHOICE_HEAD = """
## What the module `events` shows only when asked

"""
CHOICE = """\
The module [`events`](module-events.md) shows all events that come, unless it is told which; but these have to be named,
since they change the program, or fill the disk: %s. Never shown: %s, which come in signal handlers, where no line can
be made.
"""

COLUMNS = "\n| event | Mono's moment | CoreCLR | the CLR's source | cost | note |\n|---|---|---|---|---|---|\n"
EXT_COLUMNS = "\n| event | CoreCLR | the CLR's source | cost | note |\n|---|---|---|---|---|\n"


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


def page(rows):
    out = [HEAD, COLUMNS]
    for name in events(TABLES[0]):
        row = rows[name]
        cells = name, row.moment, SUPPORT[row.support], row.source, row.cost, row.note
        out.append("| `%s` | %s | %s | %s | %s | %s |\n" % cells)
    out += [MIDDLE, EXT_COLUMNS]
    for name in events(TABLES[1]):
        row = rows[name]
        out.append("| `%s` | %s | %s | %s | %s |\n" % (name, SUPPORT[row.support], row.source, row.cost, row.note))
    named, never = ([row.name for row in rows.values() if row.choice == choice] for choice in ("NAMED", "NEVER"))
    out += [CHOICE_HEAD, textwrap.fill(CHOICE % (", ".join("`%s`" % n for n in named),
                                                          ", ".join("`%s`" % n for n in never)), 120) + "\n"]
    return re.sub(r"\|  +(?=\|)", "| ", "".join(out)).replace("|  |", "| |")


def main():
    rows = read_rows()
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
