# SPDX-License-Identifier: MIT
"""templates.py OUT FOLDER FILE...: the projects of `monocle new`, out of the files of examples/tally, as rows of C.

A row is TEMPLATE (language, path, may be executed, text). The name of the example is the sign \\1, in paths too: there
the name of the project goes. The line with the licence is the example's own and is left out. The folder test is part of
every language's project.
"""
import os
import pathlib
import sys

NAME, SIGN = "tally", "\1"


def literal(text):
    """One literal per line; octal, because a hexadecimal escape takes in whatever digits follow it."""
    quoted = "".join(c if c.isascii() and c.isprintable() and c not in '\\"?' else
                     "".join("\\%03o" % byte for byte in c.encode()) for c in text)
    return '"%s"' % quoted


def row(folder, path):
    language, _, inner = str(path.relative_to(folder)).partition("/")
    if language == "test":
        language, inner = "", "test/" + inner
    lines = [line for line in path.read_text().splitlines(True) if "SPDX-License-Identifier" not in line]
    # What stood between the licence and the text.
    if inner.endswith(".sh"):
        lines = [line for at, line in enumerate(lines) if at != 1 or line != "#\n"]
    text = "".join("\n\t" + literal(line.replace(NAME, SIGN)) for line in lines)
    return "TEMPLATE (%s, %s, %d, %s)\n" % (literal(language), literal(inner.replace(NAME, SIGN)),
                                            os.access(path, os.X_OK), text)


def main():
    target, folder, *files = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    target.write_text("/* made by templates.py */\n" + "".join(row(folder, path) for path in files))


if __name__ == "__main__":
    main()
