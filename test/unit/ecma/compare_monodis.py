#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads Mono's mscorlib.dll with lib/ecma and with monodis and compares, row by row.

usage: compare_monodis.py ECMA-DUMP [FILE]
"""
import os
import re
import shutil
import subprocess
import sys

IMAGES = ["/usr/lib/mono/4.5/mscorlib.dll", "/usr/local/lib/mono/4.5/mscorlib.dll"]


def skip(reason):
    must = "mono" in os.environ.get("MONOCLE_REQUIRE", "").split(",")
    print("%s: %s" % ("failed" if must else "skipped", reason))
    sys.exit(1 if must else 77)


def run(*command):
    out = subprocess.run(command, capture_output=True, check=True).stdout
    return out.decode("utf-8", "surrogateescape").split("\n")


def matches(lines, pattern):
    found = (re.match(pattern, line) for line in lines)
    return ["\t".join(match.groups()) for match in found if match]


def typedefs(lines):
    return matches(lines, r"(\d+): (.*) \(flist=(\d+), mlist=(\d+), flags=(0x\w+), extends=(?:0x)?(\w+)\)$")


def nested(lines):
    return matches(lines, r"(\d+): (\d+) (\d+): ")


def genericpars(lines):
    return matches(lines, r"(\d+): (\d+), flags=(\d+), owner=(\w+) (.*)$")


def params(lines):
    return matches(lines, r"(\d+): (0x\w+) (\d+) (.*)$")


def modules(lines):
    return matches(lines, r"(\d+): (.*) \d+ \{(.*)\}$")


def signatures(lines):
    return matches(lines, r"(\d+): blob\[(0x\w+)\] = (.*)$")


def methods(lines):
    """(rid, owner, whole signature text, first parameter): monodis groups methods by type."""
    owner = None
    for line in lines:
        if line.startswith("########## "):
            owner = line[11:]
        match = re.match(r"(\d+): (.*)  \(param: (\d+) impl_flags: .*\)\s*$", line)
        if match:
            yield match.group(1), owner, match.group(2), match.group(3)


def same_method(ours, theirs):
    rid, owner, name, param = ours.split("\t")
    if (rid, param) != (theirs[0], theirs[3]):
        return False
    if owner != theirs[1] and owner != "." + theirs[1]:
        return False
    return re.search(r"(^|[\s*&\]>)])'?%s'?\s*(<.*>)?\s*\(" % re.escape(name), theirs[2]) is not None


def normal(row):
    """monodis names neither <Module> nor parameters without a name, and C prints a zero without 0x."""
    return re.sub(r"\(null\)|<Module>", "", row).replace("\t0x0\t", "\t0\t")


def compare_rows(name, ours, theirs):
    ours = [normal(line) for line in ours if line]
    theirs = [normal(line) for line in theirs]
    wrong = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]]
    return show(name, len(ours), len(theirs), wrong)


def compare_methods(ours, theirs):
    ours = [line for line in ours if line]
    theirs = list(theirs)
    wrong = [pair for pair in zip(ours, theirs) if not same_method(*pair)]
    return show("method", len(ours), len(theirs), wrong)


def show(name, count, their_count, wrong):
    print("%-14s %6d rows, monodis %6d, %d different" % (name, count, their_count, len(wrong)))
    for pair in wrong[:5]:
        print("  ours    %r\n  monodis %r" % pair)
    return count == their_count and count > 0 and not wrong


def main():
    if not shutil.which("monodis"):
        skip("monodis (package mono-utils) is not installed")
    image = next((path for path in sys.argv[2:] + IMAGES if os.path.exists(path)), None)
    if not image:
        skip("mscorlib.dll of Mono is not installed")
    tables = {"typedef": typedefs, "nested": nested, "genericpar": genericpars, "param": params, "module": modules,
              "standalonesig": signatures}
    good = True
    for name, parse in tables.items():
        good &= compare_rows(name, run(sys.argv[1], name, image), parse(run("monodis", "--" + name, image)))
    good &= compare_methods(run(sys.argv[1], "method", image), methods(run("monodis", "--method", image)))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
