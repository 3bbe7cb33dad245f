#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A core library whose private helpers have other names costs the counts of what the runtime suspends, nothing else.

A copy of the runtime has a System.Private.CoreLib.dll in which names of its metadata are changed in place. The program
with methods that the runtime suspends runs there as without a profiler, its other methods are counted as under the
runtime itself, and one line says what is not counted.
"""
import os
import pathlib
import re
import shutil
import sys

import configurations
import harness

SUSPENDS = {"DOTNET_RuntimeAsync": "1"}
# What no native code of the runtime looks for by name, and what the line says of it.
NAMES = {"clr10": (b"ThunkTaskCore", "AsyncHelpers/ThunkTaskCore:MoveNext"),
         "clr11": (b"DispatchContinuations", "AsyncHelpers/RuntimeAsyncTask`1:DispatchContinuations")}
LINE = "calls of methods that the runtime itself suspends are not counted: this .NET %s has no " \
       "System.Runtime.CompilerServices.%s"


def take(source, target):
    """A hard link where the file system allows, a copy elsewhere."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def without_chance(counts):
    """Begun calls, without what an async iterator is asked only where it is not done yet."""
    return counts._replace(rows={key: (row.enter, row.exception) for key, row in counts.rows.items()
                                 if "IValueTaskSource" not in counts.names[key]})


class Renamed(configurations.EngineSuite):
    def copy(self, runtime, name):
        """The runtime again, in a folder of its own, with one name changed; the new Runtime."""
        old, new = pathlib.Path(runtime.prefix[0]).resolve().parent, self.work / runtime.name
        for folder in ("host/fxr", "shared/Microsoft.NETCore.App/" + runtime.version):
            for path in (old / folder).rglob("*"):
                if path.is_file():
                    target = new / path.relative_to(old)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    take(path, target)
        shutil.copy(old / "dotnet", new / "dotnet")
        library = new / "shared/Microsoft.NETCore.App" / runtime.version / "System.Private.CoreLib.dll"
        code = library.read_bytes()
        library.unlink()
        library.write_bytes(code.replace(name + b"\0", name[:-1] + b"2\0"))
        self.check(code.count(name + b"\0") > 0, "%s: there is such a name" % runtime, name)
        return harness.Runtime(runtime.name, runtime.kind, runtime.version,
                               [str(new / "dotnet")] + runtime.prefix[1:])

    def compare(self, runtime, program):
        name, member = NAMES[runtime.name]
        command, options = [program, "1"], ["image=suspended"]
        renamed = self.copy(runtime, name)
        plain = self.bare(renamed, command, SUSPENDS)
        seen, counts = self.under(renamed, command, options, SUSPENDS)
        whole, all_counts = self.under(runtime, command, options, SUSPENDS)
        self.check(plain.code == 0 and (seen.code, seen.out) == (0, plain.out), "%s: output as without a profiler" %
                   runtime, seen)
        line = LINE % (runtime.name[3:], member)
        self.check(seen.err.count(line) == 1, "%s: one line says what is not counted" % runtime, seen.err)
        said = re.findall(r"(\d+) methods could not be given call probes", seen.err)
        self.check(len(said) == 1 and len(seen.err.splitlines()) == 2, "%s: and one how many" % runtime, seen.err)
        if not self.check(counts and all_counts, "%s: there are counts" % runtime, whole):
            return
        self.sound("%s, renamed" % runtime, counts)
        counts, all_counts = without_chance(counts), without_chance(all_counts)
        rest = all_counts._replace(rows={key: row for key, row in all_counts.rows.items() if key in counts.rows})
        self.check(len(counts.rows) > 20 and rest.rows == counts.rows, "%s: all else is counted as it is" % runtime,
                   configurations.differences(counts, rest))
        missing = [all_counts.names[key] for key in all_counts.rows if key not in counts.rows]
        self.check(len(missing) == int(said[0]) if said else False, "%s: what is missing was said" % runtime, missing)


def main():
    suite = Renamed("engine-renamed", __doc__)
    suite.parse()
    folder = suite.programs()
    program = folder / "suspended" / "suspended.dll" if folder else None
    if program and not program.exists():
        suite.skip("programs", "the SDK is older than .NET 10", "coreclr")
        program = None
    for runtime in suite.runtimes(["clr10", "clr11"] if suite.options.full else ["clr11"]) if program else []:
        suite.compare(runtime, program)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
