#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The libraries and modules speak through one door, lib/base/log-file.c: a program's stdout and stderr are its own.

What a broken invariant says is the other exception: builds for users have none. Help that was asked for goes to stdout,
from the functions that are named here.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
DOOR = "lib/base/log-file.c"
HELPS = {"lib/kit/options.c", "lib/mono/umbrella.c"}  # --profile=NAME:help, --profile=monocle:help
# A stream of the C library's, its functions that print, and a descriptor that is written to, or replaced.
STREAMS = re.compile(r"\b(stderr)\b")
CALLS = re.compile(r"\b(perror|psignal|psiginfo|herror|gai_perror|v?syslog|v?warnx?|v?errx?|error_at_line|assert"
                   r"|malloc_stats|backtrace_symbols_fd) ?\(")
WRITES = re.compile(r"\b(?!isatty|fstat)(\w+) ?\((?:STDERR_FILENO|STDOUT_FILENO)\b"
                    r"|\b(dprintf|vdprintf|p?writev?|send|sendto|fdopen) ?\([12],"
                    r"|\b(dup[23]) ?\([^(),]*, ?(?:[12]|STDERR_FILENO|STDOUT_FILENO)\b")
PRINTS = re.compile(r"\b(stdout|printf|vprintf|puts|putchar|putchar_unlocked)\b")
FILES = re.compile(r'"[^"]*(?:/dev/(?:stderr|stdout|tty|console|fd/[12])|/proc/\w+/fd/[12])\b[^"]*"')
INCLUDES = re.compile(r"#include <((?:err|error|syslog)\.h)>")
STRINGS = re.compile(r"\"(?:\\.|[^\"\\\n])*\"")
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|\bformat \(printf,", re.S)


def blank(pattern, text):
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def found_in(line, code, is_help):
    yield from (match[0] for match in FILES.finditer(line))
    yield from (match[1] for match in INCLUDES.finditer(line))
    for pattern in (STREAMS, CALLS, WRITES):
        yield from (next(filter(None, match.groups())) for match in pattern.finditer(code))
    if not is_help:
        yield from (match[1] for match in PRINTS.finditer(code))


def problems(path, text):
    text = blank(COMMENTS, text)
    for number, (line, code) in enumerate(zip(text.split("\n"), blank(STRINGS, text).split("\n")), 1):
        for what in found_in(line, code, str(path) in HELPS):
            yield "%s:%d: %s: what is to be said goes through %s" % (path, number, what, DOOR)


# Each of these is a way to the program's own descriptors.
WAYS = ['fprintf (stderr, "x");', "write (STDERR_FILENO, line, 1);", "write (2, line, 1);", 'dprintf (2, "x");',
        'perror ("x");', "psignal (9, NULL);", 'syslog (LOG_ERR, "x");', 'warnx ("x");', 'err (1, "x");',
        "assert (false);", "dup2 (fd, 2);", 'printf ("x");', 'puts ("x");', 'fputs ("x", stdout);',
        'open ("/dev/stderr", O_WRONLY);', 'fopen ("/proc/self/fd/2", "w");', 'open ("/dev/tty", O_WRONLY);',
        "#include <err.h>", "write_quietly (STDERR_FILENO, line, 1);", "fdopen (2, mode);", "write (1, line, 1);"]
# And none of these is.
OTHERS = ["write (fd, line, 2);", "int err = 0;", 'say ("stderr");', "/* stderr */", "snprintf (text, 2, format);",
          "dup2 (ends[1], STDIN_FILENO);", "_Static_assert (sizeof x == 2, text);", "return err;", "fprintf (out, x);"]


def main():
    files = [p for folder in ("lib", "modules") for p in sorted((TOP / folder).rglob("*"))
             if p.suffix in (".c", ".h", ".def", ".S")]
    exempt = {DOOR, "lib/base/invariant.h"}
    found = [problem for p in files if str(p.relative_to(TOP)) not in exempt
             for problem in problems(p.relative_to(TOP), p.read_text(errors="replace"))]
    found += ["%s is not seen" % way for way in WAYS if not list(problems("x.c", way))]
    found += ["%s is taken for one" % way for way in OTHERS if list(problems("x.c", way))]
    found += ["%s has no line that this is about" % path for path in sorted(exempt | HELPS)
              if not list(problems(pathlib.Path("x.c"), (TOP / path).read_text()))]
    for problem in found:
        print("FAIL " + problem)
    print("%d passed, %d failed, 0 skipped" % (len(files) + len(WAYS) + len(OTHERS) - len(found), len(found)))
    return 1 if found or len(files) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
