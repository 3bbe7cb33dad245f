#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints shapes.tsv: what real Mono says of shapes.cs, by the questions of names.c. With a file, compares with it.

usage: oracle.py NAMES_C SHAPES_CS [SHAPES_TSV]; exit code 77 when there is no Mono, no mcs or no C compiler.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MONO_HEADERS = "/usr/include/mono-2.0"


def ask_mono(names_c, shapes_cs, folder):
    program, answers = folder / "shapes.exe", folder / "answers"
    module = folder / "libmono-profiler-shapenames.so"
    subprocess.run(["mcs", "-unsafe", "-nologo", "-warn:0", "-out:%s" % program, shapes_cs], check=True)
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-shared", "-fPIC", "-I" + MONO_HEADERS, names_c, "-o", module], check=True)
    environment = dict(os.environ, SHAPES_OUT=str(answers), LD_LIBRARY_PATH=str(folder))
    subprocess.run(["mono", "--profile=shapenames", program], env=environment, check=True)
    return sorted(set(answers.read_text().splitlines()))


def main():
    missing = [tool for tool in ("mono", "mcs") if shutil.which(tool) is None]
    if missing or not os.path.isdir(MONO_HEADERS):
        print("skipped: %s is not installed" % (missing or ["Mono's header package"])[0])
        return 1 if "mono" in os.environ.get("MONOCLE_REQUIRE", "") else 77
    with tempfile.TemporaryDirectory() as folder:
        lines = ask_mono(sys.argv[1], sys.argv[2], pathlib.Path(folder))
    if len(sys.argv) < 4:
        print("\n".join(lines))
        return 0
    golden = pathlib.Path(sys.argv[3]).read_text().splitlines()
    for line in sorted(set(lines) ^ set(golden)):
        print(("Mono: " if line in lines else "file: ") + line)
    return lines != golden


if __name__ == "__main__":
    sys.exit(main())
