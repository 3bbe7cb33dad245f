#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual's section ENVIRONMENT has each variable that the code asks for or sets, and the manual has no other of
ours.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["lib", "modules", "tools"]
# Asked for by name, or a name of ours in a table.
KNOWN = re.compile(r'(?:monocle__variable|getenv|setenv|unsetenv) \("(\w+)"|"(MONOCLE_[A-Z_]+[A-Z])"')
EVERYBODYS = {"PATH"}


def main():
    known = {}
    for folder in FOLDERS:
        for path in sorted((TOP / folder).rglob("*.[ch]")):
            for names in KNOWN.findall(path.read_text()):
                known.setdefault("".join(names), path.relative_to(TOP))
    manual = (TOP / "doc/monocle.1").read_text()
    section = manual.split(".Sh ENVIRONMENT\n")[1].split("\n.Sh ")[0]
    told = set(re.findall(r"\bEv (\w+)", section))
    problems = ["doc/monocle.1: ENVIRONMENT lacks %s, which %s knows" % (name, path) for name, path in known.items()
                if name not in told | EVERYBODYS]
    problems += ["doc/monocle.1: no code knows %s" % name for name in sorted(set(re.findall(r"\bMONOCLE_\w+", manual)))
                 if name not in known]
    print("\n".join(problems) or "%d variables" % len(known))
    return 1 if problems or len(known) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
