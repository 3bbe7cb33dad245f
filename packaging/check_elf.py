#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Will these programs and libraries run in any folder, and on the glibc that is asked for?

  check_elf.py [--glibc=2.23] [--standalone] FOLDER

For each ELF file below FOLDER, one line: the newest version of glibc's symbols in it, the libraries it needs, the file.
Wrong is, each with a line of its own:

* a symbol of a newer glibc, and one that the old glibc has in another library than the file names (moved.tsv);
* --standalone: a library that is neither glibc's nor in FOLDER; a search path (RUNPATH) that does not begin with
  $ORIGIN; text that names the folder of the sources;
* a symbol that a library of ours exports and whose name is not ours, or that is data;
* thread-local variables in a library of ours (lib/base/thread-word.h says why);
* nothing to be checked.
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
GLIBC = {"libc.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libm.so.6", "ld-linux-x86-64.so.2"}
OURS = re.compile(r"mono(cle)?_[a-z]\w*|MONOCLE_(KIT_)?[\d.]+|DllGetClassObject|DllCanUnloadNow")
# What the dynamic linker, a Mono in another library, or libc's callers ask of the two ways into embedders.
OTHERS = {"libmonocle-audit.so": re.compile(r"la_\w+"), "libmonocle-preload.so": re.compile(r"dlsym|dlopen|dlmopen")}


def number(version):
    return tuple(int(part) for part in version.split("."))


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, str(path)], capture_output=True, text=True, check=True).stdout


def moved_symbols():
    with open(HERE / "glibc/moved.tsv", encoding="utf-8", newline="") as file:
        return {row["symbol"]: row["library"] for row in csv.DictReader(file, delimiter="\t")}


class File:
    def __init__(self, path):
        self.path = path
        dynamic = readelf(path, "-d")
        self.needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        self.search = ":".join(re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic))
        self.owners = self.version_owners()
        self.wanted, self.exported = self.symbols()

    def version_owners(self):
        """index of a needed version -> (library, version)"""
        owners, library = {}, None
        for line in readelf(self.path, "-V").splitlines():
            file = re.search(r"Version: \d+  File: (\S+)", line)
            library = file[1] if file else library
            version = re.search(r"Name: (\S+)  Flags: .*Version: (\d+)", line)
            if version and library:
                owners[version[2]] = (library, version[1])
        return owners

    def symbols(self):
        """[(name, library, version)] of what it wants with a version, [(name, type)] of what it exports"""
        wanted, exported = [], []
        for line in readelf(self.path, "--dyn-syms").splitlines():
            words = line.split()
            if len(words) < 8 or not re.fullmatch(r"\d+:", words[0]) or words[4] == "LOCAL":
                continue
            name, _, _ = words[7].partition("@")
            if words[6] != "UND":
                exported.append((name, words[3]))
            elif len(words) > 8 and words[8].strip("()") in self.owners:
                wanted.append((name, *self.owners[words[8].strip("()")]))
        return wanted, exported

    def newest(self):
        numbers = [number(version[6:]) for _, version in self.owners.values() if re.match(r"GLIBC_\d", version)]
        return ".".join(map(str, max(numbers, default=(0,))))

    def wrong_symbols(self, glibc, moved):
        for name, library, version in self.wanted:
            if library in GLIBC and not (re.fullmatch(r"GLIBC_[\d.]+", version) and number(version[6:]) <= glibc):
                yield "needs %s of %s" % (name, version)
            elif library in GLIBC and library != moved.get(name, library):
                yield "looks for %s in %s; it is in %s" % (name, library, moved[name])

    def wrong_exports(self):
        others = OTHERS.get(self.path.name)
        for name, kind in self.exported if ".so" in self.path.name else []:
            if not OURS.fullmatch(name) and not (others and others.fullmatch(name)) and \
               not (self.path.name == "libmonocle-preload.so" and name.startswith("mono_")):
                yield "exports %s, which is not ours" % name
            elif kind == "OBJECT" and not name.startswith("MONOCLE_"):
                yield "exports the data %s" % name

    def wrong_storage(self):
        """A segment of no size counts for nothing."""
        sizes = re.findall(r"^ +TLS +(?:0x\w+ +){4}(0x\w+)", readelf(self.path, "-l"), re.M)
        if ".so" in self.path.name and any(int(size, 16) for size in sizes):
            yield "has thread-local variables"

    def wrong_places(self, present):
        yield from ("needs %s" % name for name in self.needed if name not in GLIBC and name not in present)
        yield from ("is bound to the folder %s" % folder for folder in self.search.split(":")
                    if folder and not folder.startswith("$ORIGIN"))
        if str(HERE.parent).encode() + b"/" in self.path.read_bytes():
            yield "names the folder of the sources"


def elf_files(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield File(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--glibc", default="2.23", help="the oldest glibc it is to run on (%(default)s)")
    parser.add_argument("--standalone", action="store_true", help="nothing but glibc is needed, in any folder")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()

    files, moved, wrong = list(elf_files(options.folder)), moved_symbols(), 0
    present = {path.name for path in options.folder.rglob("*.so*")}
    for file in files:
        name = file.path.relative_to(options.folder)
        print("%-6s %-80s %s" % (file.newest(), " ".join(file.needed), name))
        problems = [*file.wrong_symbols(number(options.glibc), moved), *file.wrong_exports(), *file.wrong_storage()]
        problems += file.wrong_places(present) if options.standalone else []
        for problem in problems:
            print("wrong: %s %s" % (name, problem))
        wrong += len(problems)
    print("%d programs and libraries, %d problems" % (len(files), wrong))
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
