#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mono's own aot profiler, the file that Mono's package brings, lists on CoreCLR the methods that it lists on Mono.

Compared are the methods of the program's own image, with their classes, arguments and signatures. Mono compiles small
methods into their callers; it is told not to. The module closes its file twice, which ends the process with an abort on
both runtimes: by then the program is through, and the file must be whole (doc/mono-modules.md).

  aot.py --build DIR [--full] [--runtimes mono,clr8,...]
"""
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import package  # noqa: E402

MAGIC, VERSION = b"AOTPROFILE", 0x10000
NONE, IMAGE, TYPE, INST, METHOD = range(5)
PATIENCE = 60


class Profile:
    """A file of the module: magic, version, records with a kind and an id, the last of which has the kind NONE."""

    def __init__(self, data):
        if data[:len(MAGIC)] != MAGIC:
            raise ValueError("no magic")
        self.data, self.at, self.known, self.methods = data, len(MAGIC), {}, set()
        if self.number() != VERSION:
            raise ValueError("another version")
        while self.record():
            pass
        if self.at != len(data):
            raise ValueError("bytes behind the last record")

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        self.at += 4
        return struct.unpack_from("<i", self.data, self.at - 4)[0]

    def text(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def named(self, number):
        return self.known[number] if number != -1 else ""

    def record(self):
        kind, number = self.byte(), self.number()
        if kind == IMAGE:
            self.known[number] = (self.text(), self.text())
        elif kind == TYPE:
            self.byte()
            image, inst, name = self.number(), self.number(), self.text()
            self.known[number] = (self.known[image], name + self.named(inst))
        elif kind == INST:
            self.known[number] = "<%s>" % ",".join(self.known[self.number()][1] for _ in range(self.number()))
        elif kind == METHOD:
            klass, inst, count, name, signature = (self.number(), self.number(), self.number(), self.text(),
                                                   self.text())
            self.methods.add((*self.known[klass], name + self.named(inst), count, signature))
        elif kind != NONE:
            raise ValueError("a record of kind %d" % kind)
        return kind != NONE


def read(path):
    """The methods of a file, None while it is not whole."""
    try:
        return Profile(path.read_bytes()).methods
    except (OSError, ValueError, KeyError, IndexError, struct.error):
        return None


class Aot(harness.Suite):
    def listed(self, runtime):
        """The methods of the program's own image; None when there is no file."""
        file = self.work / ("%s.aotprofile" % runtime)
        env = package.environment(self.build, runtime, "aot:output=%s" % file, {"DOTNET_DbgEnableMiniDump": "0"})
        seen = self.run_mono(runtime, env, file) if runtime.kind == "mono" else self.run_clr(runtime, env)
        methods = read(file)
        if not self.check(methods is not None, "%s: the file is whole" % runtime, seen):
            return None
        return {method for method in methods if method[0][0] == "records"}

    def run_mono(self, runtime, env, file):
        """Mono's report of its own crash may never end: it is not waited for."""
        env["MONO_ENV_OPTIONS"] += " -O=-inline"
        process = subprocess.Popen(runtime.command(self.exe), env=env, cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + PATIENCE
        while process.poll() is None and read(file) is None and time.monotonic() < end:
            time.sleep(0.05)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return process.wait()

    def run_clr(self, runtime, env):
        bare = self.bare(runtime.command(self.exe))
        seen = harness.run(runtime.command(self.exe), env, cwd=self.work)
        self.check(seen.out == bare.out and seen.code in (bare.code, -signal.SIGABRT),
                   "%s: the program does what it does without it, up to its end" % runtime, seen)
        return seen

    def compare(self, mono, other, reference, methods):
        for method in sorted(reference ^ methods):
            self.fail("%s alone lists %s" % (mono if method in reference else other, method[1:]))
        guids = [{method[0][1] for method in listed} for listed in (reference, methods)]
        self.check(len(methods) >= 12 and guids[0] == guids[1],
                   "%s: the program's methods were listed as on %s" % (other, mono), methods)


def main():
    suite = Aot("aot", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    runtimes = suite.runtimes()
    suite.exe = suite.build.path / "test/conformance/records/records.exe"
    if not suite.exe.exists():
        suite.skip("aot", "not compiled: mcs was absent", "mono")
        return suite.finish()
    if package.missing(suite, "aot"):
        return suite.finish()
    listed = {runtime: suite.listed(runtime) for runtime in runtimes}
    mono = next((r for r in runtimes if r.kind == "mono"), None)
    for runtime in runtimes:
        if mono and runtime is not mono and listed[mono] is not None and listed[runtime] is not None:
            suite.compare(mono, runtime, listed[mono], listed[runtime])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
