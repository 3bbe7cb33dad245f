#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No function is defined in two of our libraries: where a program links both, the linker takes the one it meets first.

  once.py LIBRARY.a...
"""
import collections
import subprocess
import sys


def main():
    where = collections.defaultdict(set)
    for library in sys.argv[1:]:
        out = subprocess.run(["nm", "-g", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        for words in map(str.split, out.splitlines()):
            if len(words) == 3 and words[1] in "TDBR":
                where[words[2]].add(library)
    twice = sorted(name for name, libraries in where.items() if len(libraries) > 1)
    for name in twice:
        print("FAIL %s is defined in %s" % (name, " and ".join(sorted(where[name]))))
    print("%d passed, %d failed, 0 skipped" % (len(where) - len(twice), len(twice)))
    return 1 if twice or len(where) < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
