#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rows of .eh_frame against readelf's reading of it: libc, libcoreclr, libclrjit, the linker, or any ELF file.

Every row that readelf prints is looked up in ours at its address. What ours do not tell (a CFA in another register, an
expression of another form) must be a row that says so.
"""
import argparse
import bisect
import glob
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[4]
FDE = re.compile(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)")
CIE = re.compile(r'^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ CIE "([^"]*)"')
CFA = re.compile(r"^(rsp|rbp|r\d+|r[a-ds][xi]|rdi)([+-]\d+)$")


def ours(program, path):
    out = subprocess.run([program, str(path)], capture_output=True, text=True)
    if out.returncode:
        return None, out.stderr
    rows = []
    for line in out.stdout.splitlines():
        pc, kind, offset, saved = line.split()
        rows.append((int(pc, 16), kind, int(offset), int(saved)))
    return rows, out.stderr.strip()


def theirs(path):
    """(pc, cfa, saved rbp, ra, is of a signal) of each row that readelf prints."""
    child = subprocess.Popen(["readelf", "--wide", "--debug-dump=frames-interp", str(path)], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    columns, signals, in_frames, signal = [], {}, False, False
    in_fde = False
    for line in child.stdout:
        if line.startswith("Contents of the "):
            in_frames = ".eh_frame" in line
        if not in_frames:
            continue
        cie, fde = CIE.match(line), FDE.match(line)
        if cie:
            signals[cie.group(1)] = "S" in cie.group(2)
            in_fde = False
        elif fde:
            signal, in_fde = signals.get(fde.group(1), False), True
            columns = []
            start, end = int(fde.group(2), 16), int(fde.group(3), 16)
        elif line.startswith("   LOC"):
            columns = line.split()
        elif in_fde and re.match(r"^[0-9a-f]{16} ", line):
            cells = dict(zip(columns, re.sub(r" \(\w+\)", "", line).split()))
            pc = int(cells["LOC"], 16)
            if columns and start <= pc < end:
                yield pc, cells["CFA"], cells.get("rbp", "u"), cells.get("ra", "u"), signal
    child.wait()


def expected(cfa, rbp, ra, signal):
    """Our row for theirs; a set of kinds where readelf prints `exp` and does not say which."""
    if signal:
        return {"signal"}, None, None
    if ra == "u":
        return {"root"}, None, None
    if cfa == "exp" or rbp == "exp" or ra == "exp":
        return {"plt", "[fp]", "[sp]", "?"}, None, None
    found = CFA.match(cfa)
    if not found or found.group(1) not in ("rsp", "rbp") or ra != "c-8" or rbp.startswith(("v", "r")):
        return {"?"}, None, None
    saved = 0 if rbp in ("u", "s") else -int(rbp[1:])
    if int(found.group(2)) % 8 or saved < 0:
        return {"?"}, None, None
    return {"sp" if found.group(1) == "rsp" else "fp"}, int(found.group(2)), saved


def compare(program, path):
    rows, note = ours(program, path)
    if rows is None:
        return "FAIL %s: %s" % (path, note)
    starts = [r[0] for r in rows]
    count, wrong, last = 0, [], {}
    for row in theirs(path):
        last[row[0]] = row  # of several at one address the last holds
    for pc, cfa, rbp, ra, signal in last.values():
        kinds, offset, saved = expected(cfa, rbp, ra, signal)
        i = bisect.bisect_right(starts, pc) - 1
        mine = rows[i] if i >= 0 else (0, "?", 0, 0)
        count += 1
        if mine[1] not in kinds or (offset is not None and (mine[2], mine[3]) != (offset, saved)):
            wrong.append("%x: readelf %s %s %s, ours %s" % (pc, cfa, rbp, ra, mine[1:]))
    if wrong or not count:
        return "FAIL %s: %d of %d rows differ:\n    %s" % (path, len(wrong), count, "\n    ".join(wrong[:20]))
    print("ok   %s: %d rows as readelf has them; %s" % (path, count, note))
    return None


def libraries():
    out = subprocess.run(["ldd", sys.executable], capture_output=True, text=True).stdout
    found = re.findall(r"(/\S*(?:libc\.so|ld-linux)\S*)", out)
    for pattern in ("/usr/share/dotnet/shared/Microsoft.NETCore.App/*", str(TOP / ".runtimes/*/shared/*/*")):
        for folder in glob.glob(pattern):
            found += glob.glob(folder + "/libclrjit.so") + glob.glob(folder + "/libcoreclr.so")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the program rows")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if not shutil.which("readelf"):
        print("readelf is not installed")
        return 77
    failures = [f for f in (compare(options.program, path) for path in options.files or libraries()) if f]
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
