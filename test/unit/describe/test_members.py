#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mono as the judge of members and relations: fields, properties, events, methods with their parameters, interfaces,
nested types, what may be stored where, look-ups and tokens of members.cs, and all members of Mono's own core library.

usage: test_members.py FILE_MEMBERS MEMBERS_C MEMBERS_CS; exit code 77 when there is no Mono, no mcs or no headers.

Every answer of Mono must be the core's, but for the classes of difference below, each of which must occur.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MONO_HEADERS = "/usr/include/mono-2.0"
ANSWERS = 400000  # at least so many columns


def param_tokens(key, name, mono, ours):
    """Mono counts from the method's first row: it is one too low when what is returned has a row, and another method's
    when nothing has."""
    one, two = mono.rpartition(",0x"), ours.rpartition(",0x")
    if not name.startswith("param") or one[0] != two[0]:
        return False
    return two[2] == "0" or int(one[2], 16) + 1 == int(two[2], 16)


def import_flags(key, name, mono, ours):
    """Mono takes the internal-call flag from methods of COM import interfaces."""
    return name == "iflags" and int(mono, 16) | 0x1000 == int(ours, 16)


def array_counts(key, name, mono, ours):
    """Mono counts no methods of an array class until somebody lists them, and then its wrappers as well."""
    return name == "methods" and key.endswith("]") and mono != ours


CLASSES = [param_tokens, import_flags, array_counts]


def ask_mono(members_c, members_cs, folder):
    program, answers, module = folder / "members.exe", folder / "mono", folder / "libmono-profiler-members.so"
    subprocess.run(["mcs", "-unsafe", "-nologo", "-warn:0", "-langversion:latest", "-out:%s" % program, members_cs],
                   check=True)
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-shared", "-fPIC", "-w", "-I" + MONO_HEADERS, members_c, "-o", module], check=True)
    environment = dict(os.environ, MEMBERS_OUT=str(answers), LD_LIBRARY_PATH=str(folder))
    subprocess.run(["mono", "--profile=members", program], env=environment, check=True, stdout=subprocess.DEVNULL)
    return program, answers


def read(path):
    """{subject: columns}; equal subjects are numbered. Mono's wrappers are no methods elsewhere."""
    lines, seen = {}, {}
    for line in path.read_text(errors="surrogateescape").splitlines():
        key, *columns = line.split("\t")
        if "(wrapper " in key:
            continue
        seen[key] = seen.get(key, 0) + 1
        lines[key, seen[key]] = columns
    return lines


def is_list(columns):
    return not all("=" in column for column in columns)


def explain(key, one, two, met):
    if one is None or two is None or len(one) != len(two) or is_list(one):
        return False
    for mono, ours in zip(one, two):
        (name, _, value), (other, _, answer) = mono.partition("="), ours.partition("=")
        reasons = [known for known in CLASSES if name == other and known(key, name, value, answer)]
        met.update(known.__name__ for known in reasons)
        if mono != ours and not reasons:
            return False
    return True


def show(key, one, two):
    if one is None or two is None:
        print("%s: only %s has it" % (key, "the core" if one is None else "Mono"))
        return
    one, two = ([part for column in columns for part in column.split(";")] for columns in (one, two))
    print("%s\n  Mono: %s\n  core: %s" % (key, [part for part in one if part not in two],
                                          [part for part in two if part not in one]))


def main():
    missing = [tool for tool in ("mono", "mcs") if shutil.which(tool) is None]
    if missing or not os.path.isdir(MONO_HEADERS):
        print("skipped: %s is not installed" % (missing or ["Mono's header package"])[0])
        return 1 if "mono" in os.environ.get("MONOCLE_REQUIRE", "") else 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program, answers = ask_mono(sys.argv[2], sys.argv[3], folder)
        mono = read(answers)
        corlib = next(iter(mono))[0].partition(":")[2]
        subprocess.run([sys.argv[1], corlib, program, folder / "ours"], check=True)
        ours = read(folder / "ours")
    met, wrong = set(), 0
    for subject in list(mono) + [subject for subject in ours if subject not in mono]:
        one, two = mono.get(subject), ours.get(subject)
        if one != two and not explain(subject[0], one, two, met):
            show(subject[0], one, two)
            wrong += 1
    count = sum(len(columns) for columns in mono.values())
    print("%d answers over %d subjects, %d subjects differ; known differences: %s" % (
        count, len(mono), wrong, ", ".join(sorted(met))))
    absent = [known.__name__ for known in CLASSES if known.__name__ not in met]
    if absent:
        print("these differences no longer occur: %s" % ", ".join(absent))
    return wrong > 0 or count < ANSWERS or bool(absent)


if __name__ == "__main__":
    sys.exit(main())
