#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every module says what it changes in the program: it is a column of both tables of doc/modules.md."""
import pathlib
import re
import sys

DOC = pathlib.Path(__file__).resolve().parent
MODULES = DOC.parent / "modules"


def main():
    heads = [set(re.findall(r"`(\w+)`", line)) for line in (DOC / "modules.md").read_text().splitlines()
             if line.startswith("| | `")]
    names = {path.name for path in MODULES.iterdir() if path.is_dir() and path.name != "common"}
    problems = ["modules.md: no column for `%s`" % name for head in heads for name in sorted(names - head)]
    problems += ["modules.md: `%s` is no module" % name for head in heads for name in sorted(head - names)]
    if len(heads) != 2:
        problems.append("modules.md: two tables, one of each runtime, are expected")
    print("\n".join(problems) or "%d modules" % len(names))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
