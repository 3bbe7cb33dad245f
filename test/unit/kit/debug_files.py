#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of a stripped library are named by its debug file, wherever that is kept, and by no other file.

  debug_files.py PROGRAM LIBRARY ANOTHER     the program of named.c, two builds of hiding.c
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, LIBRARY, ANOTHER = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
NAME = "a_hidden_function"


def build_id(path):
    text = subprocess.run(["readelf", "-n", str(path)], capture_output=True, text=True, check=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", text).group(1)


def debug_file(library, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["objcopy", "--only-keep-debug", str(library), str(to)], check=True)


class Case:
    failures = 0

    def __init__(self, what):
        self.what = what

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="monocle-debug-files-"))
        self.library = self.folder / "libhiding.so"
        subprocess.run(["objcopy", "--strip-all", str(LIBRARY), str(self.library)], check=True)
        return self

    def __exit__(self, *ignored):
        shutil.rmtree(self.folder)

    def expect(self, name, lines=(), **settings):
        """What the function is called, and what is said on stderr: patterns of whole lines."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("DEBUGINFOD", "XDG_CACHE", "MONOCLE"))}
        env.update(dict({"HOME": str(self.folder / "nowhere")}, **settings))
        seen = subprocess.run([str(PROGRAM), str(self.library)], env=env, capture_output=True, text=True, timeout=60)
        said = seen.stderr.splitlines()
        good = seen.returncode == 0 and seen.stdout.splitlines() == [name, str(self.library)] and \
            len(said) == len(lines) and all(re.fullmatch("monocle: " + p, line) for p, line in zip(lines, said))
        print("%s %s" % ("ok  " if good else "FAIL", self.what))
        if not good:
            print(seen.returncode, seen.stdout, seen.stderr, sep="\n")
            Case.failures += 1


def main():
    if not shutil.which("objcopy") or not shutil.which("readelf"):
        print("no binutils")
        return 77
    number = build_id(LIBRARY)
    with Case("without a debug file only the library is known") as case:
        case.expect("[libhiding.so]")
    for ending in (".dbg", ".debug"):
        with Case("a file with %s beside the library is used" % ending) as case:
            debug_file(LIBRARY, case.folder / ("libhiding.so" + ending))
            case.expect(NAME)
    with Case("so is one in the cache of debuginfod") as case:
        debug_file(LIBRARY, case.folder / "cache" / number / "debuginfo")
        case.expect(NAME, DEBUGINFOD_CACHE_PATH=str(case.folder / "cache"))
    with Case("the cache is found by XDG_CACHE_HOME") as case:
        debug_file(LIBRARY, case.folder / "xdg/debuginfod_client" / number / "debuginfo")
        case.expect(NAME, XDG_CACHE_HOME=str(case.folder / "xdg"))
    with Case("the cache is found by HOME") as case:
        debug_file(LIBRARY, case.folder / ".cache/debuginfod_client" / number / "debuginfo")
        case.expect(NAME, HOME=str(case.folder))
    with Case("another build's file is not used, and a line says so") as case:
        debug_file(ANOTHER, case.folder / "libhiding.so.dbg")
        case.expect("[libhiding.so]", [r"symbols: /.*/libhiding\.so\.dbg is not used: it belongs to another build"])
    with Case("a damaged file is not used, and the next place is tried") as case:
        (case.folder / "libhiding.so.dbg").write_bytes(LIBRARY.read_bytes()[:100])
        debug_file(LIBRARY, case.folder / "cache" / number / "debuginfo")
        case.expect(NAME, [r"symbols: /.*/libhiding\.so\.dbg is not used: it is damaged, or .*"],
                    DEBUGINFOD_CACHE_PATH=str(case.folder / "cache"))
    with Case("a file that has lost its symbols too is not used") as case:
        shutil.copy(case.library, case.folder / "libhiding.so.debug")
        case.expect("[libhiding.so]", [r"symbols: /.*\.debug is not used: it has no symbols either"])
    with Case("a pipe is not waited for") as case:
        os.mkfifo(case.folder / "libhiding.so.dbg")
        case.expect("[libhiding.so]", [r"symbols: /.*\.dbg is not used: it is no file"])
    return 1 if Case.failures else 0


if __name__ == "__main__":
    sys.exit(main())
