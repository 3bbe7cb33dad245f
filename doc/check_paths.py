#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documents for contributors name is in the tree: each path, each file, and each function `name ()`.

A path begins with one of our folders, wherever it is written. A file without a folder, or with the end of one
(`load/self.c`), and a function are looked for where they are in backticks. NAME in a name is any word.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["CONTRIBUTING.md", "doc/design.md", "doc/packaging.md", "doc/probes.md", "doc/sampling.md",
             "doc/walking.md"]
FOLDERS = [".ci", "doc", "examples", "include", "lib", "misc", "modules", "packaging", "pkgconfig", "test", "tools"]
SOURCES = (".c", ".h", ".S", ".def", ".py", ".cs")
PATH = re.compile(r"(?<![\w./-])(?:%s)/[\w./-]*\w" % "|".join(map(re.escape, FOLDERS)))
FILE = re.compile(r"[\w./-]+\.(?:c|h|S|def|tsv|map|py|md|build|txt|yml|sh|cs)")
FUNCTION = re.compile(r"(\w+) \([^()]*\)")


class Tree:
    def __init__(self, top):
        files = [path for folder in FOLDERS for path in (top / folder).rglob("*") if "__pycache__" not in path.parts]
        files += [path for path in top.iterdir() if path.is_file()]
        self.names = "\n".join(sorted("/" + str(path.relative_to(top)) for path in files)) + "\n"
        self.text = "\n".join(path.read_text(errors="replace") for path in files
                              if path.suffix in SOURCES and path.is_file())

    def has_path(self, path):
        return re.search("^/" + pattern(path) + "$", self.names, re.M)

    def has_file(self, name):
        return re.search("/" + pattern(name) + "$", self.names, re.M)

    def has_function(self, name):
        return re.search(r"\b" + pattern(name) + r"\s?\(", self.text)


def pattern(name):
    return re.escape(name).replace("NAME", r"[\w-]+")


def problems(tree, text):
    for path in PATH.findall(text):
        if not tree.has_path(path):
            yield path
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))
    for span in spans:
        function = FUNCTION.fullmatch(span)
        if function and not tree.has_function(function[1]):
            yield span
        elif FILE.fullmatch(span) and not PATH.fullmatch(span) and not tree.has_file(span.lstrip("./")):
            yield span


def main():
    tree = Tree(TOP)
    found = ["%s: %s is not in the tree" % (name, problem) for name in DOCUMENTS
             for problem in dict.fromkeys(problems(tree, (TOP / name).read_text()))]
    print("\n".join(found) or "%d documents" % len(DOCUMENTS))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
