#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Style: what a machine can tell of it.

Fails on white space at line ends, indentation of the wrong kind, a missing SPDX line, lines over 120 columns, and on
files that clang-format would change. Reports the lengths of C functions, and lists those of 60 lines and more. Exits
77 where git does not say which files are ours.
"""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
TAB = 4
LIMIT = 120
CODE = {".c", ".h", ".S", ".cs"}  # tables (.def, .tsv) may be wide: one row is one line
SPACES = {".py", ".sh", ".build"}
SPDX_EXEMPT = {".md", ".tsv", ".json", ".xml", ".txt", ".map", ".sym", ".lua", ".1", ".in", ".info", ".svg",
               ".collapsed", ".speedscope"}
SKIP = {"LICENSE", ".gitignore", ".git-blame-ignore-revs", ".clang-format", ".editorconfig", ".gitattributes",
        ".mailmap"}
LONG_FUNCTION = 60
SHOWN = 5  # problems of one file that are printed


def tracked():
    out = subprocess.run(["git", "-C", str(TOP), "ls-files", "-z"], capture_output=True, check=True).stdout
    for name in out.decode().split("\0"):
        path = TOP / name
        if name and path.is_file() and path.name not in SKIP:
            yield name, path


def width(line):
    return len(line.expandtabs(TAB))


def problems(name, path, text):
    kind = path.suffix or (".build" if path.name == "meson.build" else "")
    lines = text.split("\n")
    if kind not in SPDX_EXEMPT and not any("SPDX-License-Identifier: MIT" in line for line in lines[:5]):
        yield 1, "no SPDX line"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end"
    for number, line in enumerate(lines, 1):
        if kind != ".tsv" and line != line.rstrip():
            yield number, "white space at the end"
        if kind in CODE and re.match(r" {2,}[^ *]", line) and not continuation(lines, number):
            yield number, "indented by spaces"
        if kind in SPACES and line.startswith("\t") and not in_text(lines, number):
            yield number, "indented by a tab"
        if kind in CODE | SPACES and width(line) > LIMIT and not in_rows(lines, number):
            yield number, "%d columns" % width(line)


def continuation(lines, number):
    """Comments and aligned continuation lines may hang by spaces."""
    if number < 2:
        return False
    before = "\n".join(lines[max(0, number - 400):number - 1])
    if before.rfind("/*") > before.rfind("*/"):
        return True
    previous = lines[number - 2].rstrip()
    return bool(previous) and not previous.endswith((";", "{", "}"))


def in_text(lines, number):
    """Whether a line of Python stands in a text of three quotation marks, which may be another language."""
    before = "\n".join(lines[:number - 1])
    return any(before.count(marks) % 2 for marks in ('"' * 3, "'" * 3))


def in_rows(lines, number):
    """Whether a line of C is a row of a table that clang-format leaves alone."""
    before = "\n".join(lines[:number - 1])
    return before.rfind("clang-format off") > before.rfind("clang-format on")


def functions(text):
    """(line, name, length) of each function: a `{` alone in column 0 opens, the next `}` in column 0 closes."""
    lines = text.split("\n")
    opened = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            opened = number
        elif opened and line.startswith("}"):
            head = " ".join(lines[max(0, opened - 4):opened - 1])
            match = re.findall(r"(\w+)\s*\(", head)
            yield opened, match[-1] if match else "?", number - opened - 1
            opened = None


def quantile(values, share):
    return values[min(len(values) - 1, int(len(values) * share))]


def report_functions(found):
    lengths = sorted(length for _, _, _, length in found)
    if not lengths:
        return
    print("functions: %d, median %d lines, nine in ten under %d, longest %d" %
          (len(lengths), quantile(lengths, 0.5), quantile(lengths, 0.9) + 1, lengths[-1]))
    for name, line, function, length in sorted(found, key=lambda f: -f[3]):
        if length >= LONG_FUNCTION:
            print("  %4d lines  %s:%d %s" % (length, name, line, function))


def format_report(names):
    """
    Files that clang-format would change, each a problem. Versions differ in taste, so that only Debian's, which wrote
    them, is asked.
    """
    try:
        version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        version = "none"
    if "version 14." not in version:
        print("clang-format: not asked, version 14 is not here (%s)" % version.strip())
        return 0
    command = ["clang-format", "--dry-run", "--ferror-limit=0"] + names
    out = subprocess.run(command, cwd=TOP, capture_output=True, text=True).stderr
    files = sorted({line.split(":", 1)[0] for line in out.splitlines() if "-Wclang-format-violations" in line})
    for name in files:
        print("%s: differs from what clang-format -i writes" % name)
    print("clang-format: %d of %d files differ" % (len(files), len(names)))
    return len(files)


def show(name, found):
    for line, what in found[:SHOWN]:
        print("%s:%d: %s" % (name, line, what))
    if len(found) > SHOWN:
        print("%s: and %d more" % (name, len(found) - SHOWN))
    return len(found)


def main():
    quiet = "--quiet" in sys.argv
    if subprocess.run(["git", "-C", str(TOP), "rev-parse"], capture_output=True).returncode:
        print("SKIP: no git checkout")
        return 77
    bad = 0
    found = []
    sources = []
    for name, path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        bad += show(name, list(problems(name, path, text)))
        if path.suffix in (".c", ".h"):
            sources.append(name)
            found += [(name, line, function, length) for line, function, length in functions(text)]
    if not quiet:
        report_functions(found)
    bad += format_report(sources)
    print("lint: %d problems" % bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
