#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that only the SDK's compilers make: one process makes those of several tables, for its start is dear.

  csharp.py --where                 prints the C# compiler and the folder of .NET 8's reference assemblies
  csharp.py EACH STAMP TABLE...     makes what is missing or older than its sources; EACH is each.exe

Exit code 77 and a reason on stderr where there is no SDK, or no reference assemblies of .NET 8.

A table lies in the folder of its sources and is made in the folder of the same name beside STAMP. Its columns are the
output, the references (net8; mono: Mono's class library; own: the SDK's version; own10: the same, from .NET 10 on; web:
own, and ASP.NET; fsharp, basic: net8, by the compiler of F# or of Visual Basic; run: the output is what an earlier
program of the table writes), options, and sources. Options and arguments may hold {out}, {sdk} and {net8}, which are
folders.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

TEST = pathlib.Path(__file__).resolve().parent
OPTIONS = "-nologo -noconfig -nostdlib -unsafe -deterministic -langversion:13 -nowarn:CS0649".split()
PREVIEW = "-langversion:preview -nowarn:SYSLIB5007,CS1701,CS1998,CS0414,CS0169,CS0219,SYSLIB0050,SYSLIB0011".split()
BASIC = "-nologo -noconfig -nostdlib -deterministic -define:_MyType=\"Empty\"".split()
FSHARP = "--nologo --noframework --targetprofile:netcore --optimize+ --tailcalls+ --target:exe".split()


MONO = [pathlib.Path("/usr/lib/mono/4.5") / name for name in ("mscorlib.dll", "System.dll", "System.Core.dll")]


class Missing(Exception):
    pass


def version_of(path):
    return [int(number) for number in re.findall(r"\d+", path.name)]


def newest(folder, pattern, inner=""):
    """The entry of the highest version, or what is in it; None where there is none."""
    found = sorted(folder.glob(pattern), key=version_of)
    return next(iter(found[-1].glob(inner)) if inner else iter(found[-1:]), None) if found else None


class Sdk:
    def __init__(self):
        dotnet = shutil.which("dotnet")
        if not dotnet:
            raise Missing("no dotnet on PATH")
        self.root = pathlib.Path(dotnet).resolve().parent
        self.folder = newest(self.root / "sdk", "[0-9]*")
        self.csc = self.folder and self.folder / "Roslyn/bincore/csc.dll"
        if not self.csc or not self.csc.exists():
            raise Missing("no C# compiler in %s" % self.folder)
        self.net8 = self.restored()
        self.own = newest(self.root / "packs/Microsoft.NETCore.App.Ref", "*", "ref/net*")
        self.web = newest(self.root / "packs/Microsoft.AspNetCore.App.Ref", "*", "ref/net*")

    def restored(self):
        """The restore that composes the runtime of .NET 8 brings its reference assemblies along."""
        store = pathlib.Path(os.environ.get("MONOCLE_RUNTIMES") or TEST.parent / ".runtimes")
        for attempt in range(2):
            found = newest(store / "packages/microsoft.netcore.app.ref", "8.*", "ref/net8.0")
            if found:
                return found
            if not attempt:
                subprocess.run([str(TEST / "runtimes.sh"), "8"], capture_output=True)
        raise Missing("no reference assemblies of .NET 8 (test/runtimes.sh 8 restores them)")

    def references(self, kind):
        """The folders, or the files, None where this SDK does not have them."""
        if kind == "mono":
            return MONO if MONO[0].exists() else None
        folders = {"net8": [self.net8], "fsharp": [self.net8], "basic": [self.net8], "own": [self.own],
                   "web": [self.own, self.web],
                   "own10": [self.own if self.own and version_of(self.own) >= [10] else None]}[kind]
        return folders if all(folders) else None


class Row:
    """What is made of one row of a table."""

    def __init__(self, sdk, table, out, line):
        words = line.split()
        self.sdk, self.kind, self.target = sdk, words[1], out / words[0]
        words = [word.format(out=out, sdk=sdk.folder, net8=sdk.net8) for word in words[2:]]
        self.options = [word for word in words if word.startswith("-")]
        self.words = words
        self.sources = [path for word in words if word.endswith((".cs", ".fs", ".vb"))
                        for path in sorted(table.parent.glob(word)) or [table.parent / word]]
        self.folders = [] if self.kind == "run" else sdk.references(self.kind)

    def needs(self):
        references = [pathlib.Path(word[3:].rpartition("=")[2]) for word in self.options if word.startswith("-r:")]
        return self.sources + references + ([pathlib.Path(self.words[0])] if self.kind == "run" else [])

    def prepare(self):
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.target.unlink(missing_ok=True)
        self.configure()
        self.take([path for path in self.needs() if path.is_relative_to(self.sdk.folder)])

    def take(self, libraries):
        """Puts what the program is linked with beside it."""
        for path in libraries:
            if path.suffix == ".dll" and path.parent != self.target.parent:
                shutil.copy(path, self.target.parent)

    def is_stale(self):
        made = self.target.stat().st_mtime if self.target.exists() else -1
        return any(path.stat().st_mtime > made for path in self.needs())

    def command(self):
        """The line of each.exe."""
        if self.kind == "run":
            return [*self.words, self.target]
        references = ["-r:%s" % path for folder in self.folders
                      for path in (sorted(folder.glob("*.dll")) if folder.is_dir() else [folder])]
        if self.kind == "fsharp":
            core = self.sdk.folder / "FSharp/FSharp.Core.dll"
            shutil.copy(core, self.target.parent)
            return [core.with_name("fsc.dll"), *FSHARP, *self.options, "-o:%s" % self.target, "-r:%s" % core,
                    *references, *self.sources]
        if self.kind == "basic":
            runtime = self.sdk.net8 / "Microsoft.VisualBasic.Core.dll"
            return [self.sdk.csc.with_name("vbc.dll"), *BASIC, "-sdkpath:%s" % self.sdk.net8,
                    "-vbruntime:%s" % runtime, *self.options, *references, "-out:%s" % self.target, *self.sources]
        more = PREVIEW if self.kind == "own10" else []
        return [self.sdk.csc, *OPTIONS, *more, *self.options, *references, "-out:%s" % self.target, *self.sources]

    def configure(self):
        if self.kind == "run" or "-target:library" in self.options:
            return
        is_net8 = self.kind in ("net8", "mono", "fsharp", "basic")
        version = "8.0.0" if is_net8 else "%d.0.0" % version_of(self.sdk.own)[0]
        frameworks = ["Microsoft.NETCore.App"] + (["Microsoft.AspNetCore.App"] if self.kind == "web" else [])
        config = {"runtimeOptions": {"frameworks": [{"name": name, "version": version} for name in frameworks],
                                     "rollForward": "LatestMajor"}}
        self.target.with_suffix(".runtimeconfig.json").write_text(json.dumps(config))


def read(sdk, table, out):
    lines = [line for line in table.read_text().splitlines() if line and not line.startswith("#")]
    rows = [Row(sdk, table, out, line) for line in lines]
    return [row for row in rows if row.folders is not None]


def replace(path, text):
    """Another process of this script may read the file meanwhile."""
    new = path.with_name("%s.%d" % (path.name, os.getpid()))
    new.write_text(text)
    new.replace(path)


def make(sdk, each, rows, stamp):
    """
    Makes the rows. What they depend on is made in the same process before them, so that each is stale or not now. Each
    stamp has its own list of jobs, because several of them are made at once.
    """
    jobs, made = [], set()
    for row in rows:
        if made & set(row.needs()) or row.is_stale():
            row.prepare()
            jobs.append(row)
            made.add(row.target)
    if not jobs:
        return 0
    list_of_jobs = stamp.with_suffix(".jobs")
    list_of_jobs.write_text("".join("\t".join(map(str, row.command())) + "\n" for row in jobs))
    replace(each.with_suffix(".runtimeconfig.json"), json.dumps({"runtimeOptions": {
        "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"}, "rollForward": "LatestMajor"}}))
    env = {name: value for name, value in os.environ.items() if not name.startswith(("CORECLR_", "MONOCLE_PROFILE"))}
    done = subprocess.run(["dotnet", "exec", each, list_of_jobs], env=dict(env, DOTNET_TieredPGO="0"), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    missing = [str(row.target) for row in jobs if not row.target.exists()]
    if done.returncode or missing:
        print(done.stdout[-4000:] + done.stderr[-4000:] + "not made: " + " ".join(missing))
        for row in jobs:
            row.target.unlink(missing_ok=True)
        return 1
    for row in jobs:
        row.take(row.needs())
    return 0


def main():
    try:
        sdk = Sdk()
    except Missing as reason:
        print("csharp: %s" % reason, file=sys.stderr)
        return 77
    if sys.argv[1] == "--where":
        print("%s\n%s" % (sdk.csc, sdk.net8))
        return 0
    each, stamp, *tables = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    rows = [row for table in tables
            for row in read(sdk, table, stamp.parent / table.parent.relative_to(TEST))]
    code = make(sdk, each, rows, stamp)
    if code == 0:
        needs = sorted({str(path) for row in rows for path in row.sources})
        stamp.with_suffix(".d").write_text("%s: %s\n" % (os.path.relpath(stamp, pathlib.Path.cwd()), " ".join(needs)))
        stamp.touch()
    return code


if __name__ == "__main__":
    sys.exit(main())
