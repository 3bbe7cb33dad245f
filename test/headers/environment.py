#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The libraries and modules ask the environment through one door, lib/base/environment.h, which is shut in
set-user-id programs. The command is no guest in a foreign process and asks as it likes.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
DOOR = "lib/base/environment.h"
OTHERS = re.compile(r"\b(getenv|secure_getenv|__secure_getenv|setenv|unsetenv|putenv|clearenv|environ|__environ"
                    r"|_environ|envp|AT_SECURE|wordexp|tmpfile|tempnam|getdate)\b")
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)


def problems(path, text):
    text = COMMENTS.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    for number, line in enumerate(text.split("\n"), 1):
        for name in OTHERS.findall(line):
            yield "%s:%d: %s: the environment is asked through %s only" % (path, number, name, DOOR)


def main():
    files = [p for folder in ("lib", "modules") for p in sorted((TOP / folder).rglob("*"))
             if p.suffix in (".c", ".h", ".def")]
    found = [problem for p in files if str(p.relative_to(TOP)) != DOOR
             for problem in problems(p.relative_to(TOP), p.read_text(errors="replace"))]
    for problem in found:
        print("FAIL " + problem)
    # What cannot fail is no test: the door itself is full of what is looked for.
    seen = list(problems(DOOR, (TOP / DOOR).read_text()))
    print("%d files, %d problems" % (len(files), len(found)))
    return 1 if found or len(files) < 100 or len(seen) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
