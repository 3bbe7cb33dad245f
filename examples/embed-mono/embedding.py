#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that starts Mono itself is profiled as `mono` is: by a module that is a part of it, by one that is a file,
and under `monocle run`. greeter and hosted.exe are those of embed-coreclr, so the counts are CoreCLR's as well.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CORECLR = HERE.parent / "embed-coreclr"
sys.path.insert(0, str(CORECLR))
import greeted  # noqa: E402
import harness  # noqa: E402
from greeted import GREETED  # noqa: E402


class Embedding(greeted.Suite):
    def embed(self, program, *modules, before=()):
        folders = ":".join(self.build.module_dirs())
        env = harness.bare_environment({"LD_LIBRARY_PATH": folders, "MONOCLE_MODULE_PATH": folders})
        return harness.run([*before, program, self.exe, *modules], env, cwd=self.work)

    def alone(self, plain):
        for what, program in ("a part of the program", self.linked), ("a file", self.bare):
            rest = self.says(what, self.embed(program, "greeter"), plain)
            self.check(rest == [], what + ": nothing else is said", rest)
        output = self.work / "two.pb.gz"
        self.says("two modules", self.embed(self.linked, "greeter", "calls:output=%s" % output), plain)
        self.check(self.calls(output) == self.count(plain), "two modules: calls counts the same", self.calls(output))

    def under_run(self, plain):
        output = self.work / "run.pb.gz"
        before = [self.build.monocle, "run", "-q", "--profile=calls", "-o", output, "--"]
        rest = self.says("its own and run's", self.embed(self.linked, "greeter", before=before), plain)
        self.check(rest == [], "its own and run's: nothing else is said", rest)
        self.check(self.calls(output) == self.count(plain), "its own and run's: calls counts the same",
                   self.calls(output))
        before = [self.build.monocle, "run", "-q", "--profile=greeter", "--profile=calls", "-o", output, "--"]
        rest = self.says("run's two", self.embed(self.bare, before=before), plain)
        self.check(rest == [] and self.calls(output) == self.count(plain), "run's two: both count the same", rest)

    def refused(self):
        """Mono would jump through a null pointer."""
        seen = self.embed(self.bare, before=[self.build.monocle, "run", "-q", "--profile=greeter:all", "--"])
        self.check((seen.code, seen.out) == (0, GREETED) and "greeter: coverage 1, call contexts 0\n" in seen.err,
                   "run's module gets no call contexts", seen)
        self.check(": a module asks for call contexts, and does not get them" in seen.err, "that is said", seen)

    def all(self):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "mono-2"], capture_output=True, text=True)
        if flags.returncode != 0:
            return self.skip("embed-mono", "libmono-2.0-dev is not installed", "mono")
        plain = self.on_mono("greeter") if self.find_exe() else None
        words = [HERE / "embed-mono.c", *flags.stdout.split()]
        self.linked = self.compile("embed-mono", CORECLR / "greeter.c", *words, "-rdynamic")
        self.bare = self.compile("embed-mono-bare", *words)
        if plain and self.linked and self.bare:
            self.alone(plain)
            self.under_run(plain)
            self.refused()
        return None


def main():
    suite = Embedding("embedding-mono", __doc__)
    suite.parse()
    suite.all()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
