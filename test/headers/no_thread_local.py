#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing that comes into a program while it runs has thread-local variables, neither ours nor what ours needs.

  no_thread_local.py --build BUILD [--cc CC]

glibc renews the storage of all threads when it opens a library with such variables, and a thread can lose its own then
(lib/base/thread-word.h). Of the needed libraries, glibc's own are in every process from the start.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent),
                str(pathlib.Path(__file__).resolve().parent.parent.parent / "packaging")]
import check_elf  # noqa: E402
import harness  # noqa: E402

SOURCE = "%s __thread int variable; int next (void); int next (void) { return ++variable; }\n"


def has_storage(path):
    return list(check_elf.File(path).wrong_storage()) != []


def check_the_look(suite, cc):
    """A library with a variable is told from one without; the model that the compiler was told does not matter."""
    for name, source, has_one in (
            ("none", "int next (void); int next (void) { static int variable; return ++variable; }\n", False),
            ("dynamic", SOURCE % "", True),
            ("initial", SOURCE % '__attribute__ ((tls_model ("initial-exec")))', True)):
        library = suite.work / ("lib%s.so" % name)
        subprocess.run([*cc, "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)], input=source, text=True,
                       check=True)
        suite.check(has_storage(library) == has_one, "a library with %s thread-local variable" % name)


def needed_by(path):
    """The files of other people that the dynamic linker opens with it."""
    out = subprocess.run(["ldd", str(path)], capture_output=True, text=True).stdout
    return {pathlib.Path(found) for found in re.findall(r"=> (/\S+) \(", out)}


def main():
    suite = harness.Suite("no-thread-local", __doc__)
    suite.parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    cc = suite.parse().cc.split()
    check_the_look(suite, cc)
    ours = sorted(path for part in ("lib", "modules") for path in (suite.build.path / part).rglob("*.so*")
                  if path.is_file() and not path.is_symlink() and path.suffix != ".symbols")
    suite.check(len(ours) > 10, "the build has its libraries", ours)
    others = {path for own in ours for path in needed_by(own) if suite.build.path.resolve() not in path.parents}
    for path in ours + sorted(path for path in others if path.name not in check_elf.GLIBC):
        suite.check(not has_storage(path), "%s has no thread-local variables" % path.name)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
