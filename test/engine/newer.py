#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A .NET that is newer than those Monocle knows is taken for the newest of them; what is not known of it is not said.

  newer.py --build DIR [--full]

It is a copy of the newest whose library says one version more. One line tells so, a program's calls and allocations are
what they are on the newest, and of pointers no wrong class is named. With --full other suites ask it what they ask.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402

NEWEST = int(harness.NET.rpartition("clr")[2])
SUITES = (["engine/exact.py"], ["engine/walks.py", "--only", "agree"])
LINE = re.compile(r" (method_enter|gc_allocation) (?:method|object)=(\S+)")
POINTER = re.compile(r"[^ ]*\*(?=\[)")


class Newer(harness.Suite):
    def copy(self, newest):
        """The newest runtime with its number counted up, in a folder for MONOCLE_RUNTIMES."""
        root, version = self.work / str(NEWEST + 1), "%d.0.0" % (NEWEST + 1)
        shared = root / "shared/Microsoft.NETCore.App"
        shutil.copytree(pathlib.Path(newest.prefix[0]).parent, root, ignore=shutil.ignore_patterns("Microsoft.Asp*"))
        (shared / newest.version).rename(shared / version)
        library = shared / version / "libcoreclr.so"
        # je +6; mov word [register], NUMBER: what GetRuntimeInformation () does with a pointer that is not NULL.
        code = library.read_bytes()
        places = re.findall(rb"\x74\x06\x66\x41\xc7[\x00-\x07]%c\x00" % NEWEST, code, re.S)
        if self.check(len(places) == 1, "the version is in one place", len(places)):
            library.write_bytes(code.replace(places[0], places[0][:-2] + b"%c\x00" % (NEWEST + 1)))
        return harness.Runtime("clr%d" % (NEWEST + 1), "coreclr", version,
                               [str(root / "dotnet"), "exec", "--fx-version", version])

    def command(self, runtime):
        programs, jobs = self.build.path / "test/conformance/events/programs", self.work / "jobs"
        jobs.write_text("%s\n" % (programs / "allocating.exe"))
        return runtime.command(programs / "each.exe") + [jobs]

    def events(self, runtime):
        """What a program that allocates prints, its calls and allocations, and what Monocle says."""
        log = self.work / "log"
        log.unlink(missing_ok=True)
        command = self.command(runtime)
        module = "events:only=gc_allocation+method_enter,callspec=program,output=%s" % log
        env = harness.profile_environment(self.build, runtime, [module], {"DOTNET_TieredCompilation": "0"})
        seen, bare = harness.run(command, env, self.work), self.bare(command)
        self.check(seen.code == 0 and seen.out == bare.out, "%s: output as without a profiler" % runtime, seen)
        text = log.read_text() if log.exists() else ""
        self.check(text.partition("\n")[0].endswith(" on %s (CoreCLR)" % runtime.version), "%s: the log" % runtime,
                   seen)
        words = collections.Counter(match.groups() for match in LINE.finditer(text)
                                    if re.match(r"Own\.|\?|.*\*", match[2]))
        return words, seen

    def names(self, newest):
        """The newest reads names with DOTNET_ before those with CORECLR_: monocle run sets what is there."""
        command = [self.build.monocle, "run", "-q", "--profile=calls:output=%s" % (self.work / "calls"), "--",
                   *self.command(newest)]
        seen = harness.run(command, harness.bare_environment({
            "DOTNET_ENABLE_PROFILING": "0", "DOTNET_PROFILER_PATH": "/absent.so"}), self.work)
        self.check(seen.code == 0 and (self.work / "calls").exists(), "older values of newer names do not matter", seen)

    def suspended(self, runtime):
        """How a newer one suspends methods is not known, whatever its helpers are called."""
        program = self.build.path / "test/engine/programs/suspended/many.dll"
        if not program.exists():
            self.skip("suspended methods", "the SDK is older than .NET 10", "coreclr")
            return
        command = runtime.prefix + [program, "160", "4"]
        env = harness.profile_environment(self.build, runtime, ["calls:output=%s" % (self.work / "suspended")])
        seen, bare = harness.run(command, env, self.work), self.bare(command)
        self.check(seen.code == bare.code == 0 and seen.out == bare.out, "suspended methods run", seen)
        said = "suspends are not counted: what that needs is not known of .NET %d" % (NEWEST + 1)
        self.check(seen.err.count(said) == 1, "one line says that their calls are not counted", seen)

    def main(self):
        self.parse()
        newest = self.runtimes(["clr%d" % NEWEST])
        if not newest or not (self.build.path / "test/conformance/events/programs/allocating.exe").exists():
            self.skip("a newer .NET", "there is no program, or no runtime to copy", "coreclr")
            return self.finish()
        runtime = self.copy(newest[0])
        known, quiet = self.events(newest[0])
        told, seen = self.events(runtime)
        self.names(newest[0])
        self.suspended(runtime)
        self.check(not quiet.err, "nothing is said of the newest", quiet)
        said = ".NET %d is newer than this version of Monocle and is taken for .NET %d; " % (NEWEST + 1, NEWEST)
        self.check(seen.err.count("\n") == 1 and said in seen.err, "one line says that it is newer", seen)
        unnamed = collections.Counter()
        for (event, what), times in known.items():
            unnamed[event, POINTER.sub("?", what)] += times
        self.check(sum(known.values()) > 1000 and told == unnamed != known,
                   "it is told as the newest, without pointers", (told - unnamed, unnamed - told))
        for suite in SUITES if self.options.full else ():
            self.ask(runtime, suite)
        return self.finish()

    def ask(self, runtime, suite):
        command = [sys.executable, HERE.parent / suite[0], "--build", self.build.path, "--runtimes", runtime.name]
        seen = subprocess.run([*map(str, command), *suite[1:]], capture_output=True, text=True,
                              env=dict(os.environ, MONOCLE_RUNTIMES=str(self.work)))
        self.check(seen.returncode == 0, "%s on it" % suite[0],
                   harness.Outcome(seen.returncode, seen.stdout, seen.stderr))


if __name__ == "__main__":
    sys.exit(Newer("newer", __doc__).main())
