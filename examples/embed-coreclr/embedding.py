#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that starts CoreCLR itself, by either of the two hosting interfaces, is profiled as Mono profiles
hosted.exe: the same answers, the same counts, from the same module file.
"""
import pathlib
import sys

import greeted
import harness
from greeted import GREETED

HERE = pathlib.Path(__file__).resolve().parent

WAYS = ["coreclr", "hostfxr"]


class Embedding(greeted.Suite):
    def compile_program(self):
        """With pkg-config it is built by test/mono/install.py."""
        libraries = self.build.path / "lib/core"
        return self.compile("embed-coreclr", HERE / "embed-coreclr.c", "-I%s" % (harness.TOP / "include"),
                            "-L%s" % libraries, "-lmonocle", "-Wl,-rpath,%s" % libraries)

    def embed(self, way, runtime, *modules, before=(), **settings):
        root = str(pathlib.Path(runtime.prefix[0]).parent)
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": ":".join(self.build.module_dirs()), **settings})
        return harness.run([*before, self.program, way, root, self.exe, *modules], env, cwd=self.work)

    def early(self, way, runtime, plain, everything):
        what = "%s on %s" % (way, runtime)
        rest = self.says(what, self.embed(way, runtime, "greeter"), plain)
        self.check(rest == [], what + ": nothing else is said", rest)
        rest = self.says(what + ", all", self.embed(way, runtime, "greeter:all"), everything)
        self.check(rest == [], what + ", all: what was promised is granted", rest)

    def by_environment(self, way, runtime, plain):
        what = "%s on %s, by the environment" % (way, runtime)
        env = harness.profile_environment(self.build, runtime, ["greeter"])
        variables = {name: env[name] for name in env if name.startswith(("CORECLR_", "MONOCLE_"))}
        self.says(what, self.embed(way, runtime, **variables), plain)
        # The variable that later Monos read in whatever program embeds them.
        variables["MONO_PROFILE"] = variables.pop("MONOCLE_PROFILE")
        rest = self.says(what + " of Mono", self.embed(way, runtime, **variables), plain)
        self.check(rest == [], what + " of Mono: nothing else is said", rest)

    def under_run(self, way, runtime, plain):
        what = "%s on %s, under run" % (way, runtime)
        output = self.work / ("%s-%s.pb.gz" % (way, runtime))
        before = [self.build.monocle, "run", "-q", "--profile=calls", "-o", output, "--"]
        self.says(what, self.embed(way, runtime, "greeter", before=before), plain)
        self.check(self.calls(output) == self.count(plain), what + ": calls counts the same", self.calls(output))
        before = [self.build.monocle, "run", "-q", "--profile=greeter", "--"]
        self.says(what + " alone", self.embed(way, runtime, before=before), plain)

    def ours(self, way, runtime, plain):
        """Our own module, loaded early."""
        output = self.work / ("early-%s-%s.pb.gz" % (way, runtime))
        seen = self.embed(way, runtime, "calls:output=%s" % output)
        what = "%s on %s, calls" % (way, runtime)
        self.check((seen.code, seen.out, seen.err) == (0, GREETED, ""), what + ": nothing is said", seen)
        self.check(self.calls(output) == self.count(plain), what + ": counts the same", self.calls(output))

    def refused(self, runtime):
        for name, settings, line in [
                ("a foreign profiler", {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER_PATH": "/none/other.so",
                                        "CORECLR_PROFILER": "{00000000-0000-0000-0000-000000000001}"},
                 "another profiler is in the environment (CORECLR_PROFILER_PATH=/none/other.so)"),
                ("diagnostics off", {"DOTNET_EnableDiagnostics": "0"},
                 "DOTNET_EnableDiagnostics=0 in the environment")]:
            seen = self.embed("coreclr", runtime, "greeter", **settings)
            self.check((seen.code, seen.out) == (0, GREETED), name + ": the program is untouched", seen)
            self.check("monocle: " + line in seen.err and "calls" not in seen.err, name + " is said", seen)

    def all(self, names):
        if not self.find_exe():
            return None
        self.program = self.compile_program()
        plain, everything = self.on_mono("greeter"), self.on_mono("greeter:all")
        if not self.program or not plain or not everything:
            return None
        found = self.runtimes(names)
        for runtime in found:
            for way in WAYS:
                self.early(way, runtime, plain, everything)
                self.by_environment(way, runtime, plain)
                self.under_run(way, runtime, plain)
                self.ours(way, runtime, plain)
        for runtime in found[-1:]:
            self.refused(runtime)
        return None


def main():
    suite = Embedding("embedding", __doc__)
    suite.parser.add_argument("runtime", nargs="*")
    options = suite.parse()
    suite.all(options.runtime or suite.net)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
