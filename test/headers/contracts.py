#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where a function may be called is said twice: in words where it is declared, and in a row of contracts.def.

Every function that the headers declare or that libmonocle.so implements has exactly one row, and the row says what the
words say. The words of a function are the first of mono-publib.h's that stand in its comment; a comment that begins
with "The same", and a function without a comment, mean what the one above means; without any words those of the
section's line count, then those of the head of the file.
"""
import re
import subprocess
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

WORDS = {
    "any context": {"ANY", "SETTER"},
    "not async-safe": {"MEMORY"},
    "normal context": {"NORMAL", "STACK"},
    "init window": {"WINDOW"},
    "only inside": {"CALL", "SAMPLE", "WALK"},
    "not in a signal handler": {"ATTACH"},
}
TOKENS = re.compile(r"/\*.*?\*/|MONO_API\b[^;]*?;|\n[ \t]*(?=\n)|^#.*?(?<!\\)$", re.S | re.M)
SETTERS = re.compile(r"mono_profiler_set_(?!sample_mode|cleanup|coverage_filter|call_instr)\w+_callback$")


def words_of(comment):
    """The first of the words in a comment, or None."""
    flat = re.sub(r"\s*\n\s*\*?\s*", " ", comment or "")
    found = re.search("|".join(WORDS), flat, re.I)
    return found.group(0).lower() if found else None


def spoken(path):
    """(function, its words) for each declaration of a header."""
    text = path.read_text()
    head = words_of(text[:text.index("#ifndef")]) if path.name != "mono-publib.h" else None
    section = comment = above = None
    for token in TOKENS.findall(text[text.index("#ifndef"):]):
        if token.startswith("/*") and "---" in token:
            section, comment = words_of(token), None
        elif token.startswith("/*"):
            comment = token
        elif token.startswith("MONO_API"):
            name = re.search(r"\b(mono_\w+) \(", token)
            if name:
                own = words_of(comment)
                if own is None and comment and re.match(r"/\*\s*\*?\s*The same", comment):
                    own = above
                above = own or section or head
                yield name.group(1), above
        elif not token.startswith("#"):
            comment = None


def implemented(library, refusals):
    out = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    names = set(re.findall(r" T (mono_\w+)", out.stdout))
    return names - set(re.findall(r"\bmono_\w+", refusals.read_text()))


def main():
    suite = harness.Suite("contracts", __doc__)
    suite.parser.add_argument("--library")
    suite.parser.add_argument("--cc")
    options = suite.parse()
    table = (harness.TOP / "lib/core/check/contracts.def").read_text()
    rows = re.findall(r"^CONTRACT \((\w+), +(\w+), +(mono_\w+),", table, re.M)
    needs = {name: need for need, _, name in rows}
    suite.check(len(needs) == len(rows), "no function has two rows",
                sorted({n for _, _, n in rows if sum(n == m for _, _, m in rows) > 1}))

    declared = {}
    for path in sorted((harness.TOP / "include/mono").rglob("*.h")):
        declared.update(spoken(path))
    library = options.library or suite.build.path / "lib/core/libmonocle.so"
    known = implemented(library, harness.TOP / "lib/core/model/refusals.def")
    wanted = {n for n in set(declared) | known if not SETTERS.match(n) or n in needs}
    suite.check(len(known) > 100 and len(declared) > 300, "functions were found")
    suite.check(wanted <= set(needs), "every function has a row", ", ".join(sorted(wanted - set(needs))))
    for name, words in sorted(declared.items()):
        suite.check(words, name + " says where it may be called")
        if words and name in needs:
            suite.check(needs[name] in WORDS[words], "%s: the row says what the words say" % name,
                        "%s, but \"%s\"" % (needs[name], words))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
