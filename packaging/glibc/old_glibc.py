#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the libc.so that binds what is linked with it to glibc 2.23, whichever glibc is installed here.

  old_glibc.py MOVED_TSV SOURCE... LIBC_SO -- CC...

LIBC_SO is a script of the linker; the files that it names are written beside it:

* libold.a: functions that glibc 2.23 does not have, or has in another shape, written with what it has;
* libpthread.so.0, libdl.so.2, librt.so.1: nothing but names, each with the version that it had there. The linker takes
  a symbol from the first library that defines it, writes this version and this library into the program, and needs
  the library only where a symbol of it is used;
* the machine's own libc.so, for everything else.
"""
import csv
import pathlib
import subprocess
import sys


def rows_by_library(table):
    libraries = {}
    with open(table, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            libraries.setdefault(row["library"], []).append(row)
    return libraries


def version_script(rows):
    versions = sorted({row["version"] for row in rows})
    names = {version: "; ".join(row["symbol"] for row in rows if row["version"] == version) for version in versions}
    return "".join("%s { global: %s; };\n" % (version, names[version]) for version in versions)


def make_stub(cc, folder, library, rows):
    source, versions, stub = (folder / (library + end) for end in (".S", ".map", ""))
    source.write_text("".join(".globl %s\n.type %s, %%function\n%s:\n" % ((row["symbol"],) * 3) for row in rows) +
                      '.section .note.GNU-stack, "", %progbits\n')
    versions.write_text(version_script(rows))
    subprocess.run(cc + ["-shared", "-nostdlib", "-Wl,-soname," + library, "-Wl,--version-script=%s" % versions,
                         "-o", str(stub), str(source)], check=True)
    return stub


def make_archive(cc, folder, sources):
    archive, objects = folder / "libold.a", []
    for source in sources:
        objects.append(folder / (source.stem + ".o"))
        subprocess.run(cc + ["-std=gnu11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-parameter",
                             "-D_GNU_SOURCE", "-fvisibility=hidden", "-c", "-o", str(objects[-1]), str(source)],
                       check=True)
    archive.unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", str(archive)] + [str(path) for path in objects], check=True)
    return archive


def main():
    files, cc = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
    table, sources, script = files[0], [pathlib.Path(name) for name in files[1:-1]], pathlib.Path(files[-1]).resolve()
    machine = subprocess.run(cc + ["-print-file-name=libc.so"], capture_output=True, text=True, check=True).stdout
    archive = make_archive(cc, script.parent, sources)
    stubs = [make_stub(cc, script.parent, library, rows) for library, rows in rows_by_library(table).items()]
    script.write_text("INPUT ( %s AS_NEEDED ( %s ) %s )\n" %
                      (archive, " ".join(str(stub) for stub in stubs), machine.strip()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
