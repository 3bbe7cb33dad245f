#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every method of Mono's own libraries, printed by real Mono and by our object model over the same files.

usage: test_signatures.py FILE_SIGNATURES SIGNATURES_C; exit code 77 when there is no Mono or no C compiler.
And all about the types of odd.dll, which odd_image.py writes.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import odd_image

MONO_HEADERS = "/usr/include/mono-2.0"
FOLDER = pathlib.Path("/usr/lib/mono/4.5")
IMAGES = ["mscorlib.dll", "System.dll", "System.Core.dll", "System.Xml.dll"]
ENOUGH = 69000  # methods that these have, about
SHOWN = 20


def missing():
    wanted = [tool for tool in ("mono", "mcs") if shutil.which(tool) is None]
    if not os.path.isdir(MONO_HEADERS):
        wanted.append("Mono's header package")
    return wanted or [str(FOLDER / name) for name in IMAGES if not (FOLDER / name).exists()]


def ask_mono(signatures_c, images, folder):
    program, source, answers = folder / "idle.exe", folder / "idle.cs", folder / "answers"
    source.write_text("class Idle { static void Main () { } }\n")
    subprocess.run(["mcs", "-nologo", "-out:%s" % program, source], check=True)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-I" + MONO_HEADERS, signatures_c, "-o",
                    folder / "libmono-profiler-signatures.so"], check=True)
    environment = dict(os.environ, SIGNATURES_OF=":".join(images), SIGNATURES_OUT=str(answers),
                       LD_LIBRARY_PATH=str(folder))
    subprocess.run(["mono", "--profile=signatures", program], env=environment, check=True)
    return answers.read_text(errors="surrogateescape").splitlines()


def main():
    absent = missing()
    if absent:
        print("skipped: %s is not installed" % absent[0])
        return 1 if "mono" in os.environ.get("MONOCLE_REQUIRE", "") else 77
    file_signatures, signatures_c = sys.argv[1:3]
    images = [str(FOLDER / name) for name in IMAGES]
    with tempfile.TemporaryDirectory() as folder:
        images.append(folder + "/odd.dll")
        pathlib.Path(images[-1]).write_bytes(odd_image.image())
        theirs = ask_mono(signatures_c, images, pathlib.Path(folder))
        run = subprocess.run([file_signatures] + images, capture_output=True, check=True)
    ours = run.stdout.decode(errors="surrogateescape").splitlines()
    different = [(a, b) for a, b in zip(theirs, ours) if a != b]
    for a, b in different[:SHOWN]:
        print("Mono: %s\nours: %s" % (a, b))
    print("%d lines of %d images on Mono, %d ours: %d are spelled differently" %
          (len(theirs), len(images), len(ours), len(different)))
    return 1 if different or len(theirs) != len(ours) or len(ours) < ENOUGH else 0


if __name__ == "__main__":
    sys.exit(main())
