#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads every C file of a build folder once with clang's front end, and fails when it warns.

  clang.py FOLDER

The files and their options are those of the folder's compilation database. No code is generated, and a process of
clang reads many files, so that this takes a fifteenth of compiling them. Headers that are generated are made first.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

TOOL = next((tool for tool in ("clang-check", "clang-check-14") if shutil.which(tool)), None)


def options_of(command):
    """Without the compiler (and ccache before it), its output and its notes on dependencies."""
    words = shlex.split(command)
    words = words[1 + (os.path.basename(words[0]) == "ccache"):]
    options, skip = [], False
    for word in words:
        if not skip and word not in ("-o", "-MF", "-MQ", "-MD", "-c"):
            options.append(word)
        skip = not skip and word in ("-o", "-MF", "-MQ")
    return options


def database(folder):
    """One entry for each file, however many objects are made of it."""
    entries = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        if path.endswith(".c"):
            entries.setdefault(path, {"directory": entry["directory"], "file": path,
                                      "arguments": ["clang", *options_of(entry["command"])]})
    return list(entries.values())


def make_headers(folder):
    """What generators write that C files include: names that no compiler and no linker makes."""
    lines = subprocess.run(["ninja", "-C", folder, "-t", "targets", "rule", "CUSTOM_COMMAND"], capture_output=True,
                           text=True).stdout.split()
    lines += subprocess.run(["ninja", "-C", folder, "-t", "targets", "rule", "CUSTOM_COMMAND_DEP"],
                            capture_output=True, text=True).stdout.split()
    headers = [line for line in lines if line.endswith((".h", ".def", ".c", ".inc"))]
    return subprocess.run(["ninja", "-C", folder, "--quiet", *headers]).returncode if headers else 0


def check(folder, entries):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    done = subprocess.run([TOOL, "-p", folder, "--extra-arg=-Werror", *(entry["file"] for entry in entries)],
                          capture_output=True, text=True)
    return done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder.resolve()
    if not TOOL:
        print("clang.py: there is no clang-check (Debian: clang-tools)")
        return 1
    if make_headers(folder):
        return 1
    entries = database(folder)
    shares = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(shares) as pool:
        found = list(pool.map(lambda share: check(folder / "clang" / str(share), entries[share::shares]),
                              range(shares)))
    print("".join(text for _, text in found), end="")
    print("clang read %d files" % len(entries))
    return 1 if not entries or any(code for code, _ in found) else 0


if __name__ == "__main__":
    sys.exit(main())
