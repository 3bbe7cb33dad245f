#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stderr of a program is its own: another program may read it, and take a line of ours for the program's.

  stderr.py --build DIR [--runtimes mono,clr8,...]

The stderr of the program is a pipe that is read here, and must have, byte for byte, what it has without Monocle. A row
is a way of being loaded, and what must be said somewhere else then, each a pattern: messages of the core, the adapters,
the kit and the modules, at every level, from every place in which a module speaks. test/headers/messages.py shows that
there is no other way to speak. --full builds a program with the SDK under `monocle run --all`.
"""
import glob
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402

SPEAKER = ["speaker: " + text for text in (
    "at the start", "in a signal handler", "on a thread", "in another folder", r"and two lines \?\[31m", "at the end")]
CHILD = "speaker: in a child"
LOST = "had more to say: 1 messages could not be written"
# One process has them all wrong.
WRONG = {"MONOCLE_LOG_LEVEL": "debug", "MONOCLE_STRICT": "x", "MONOCLE_CHECK": "x", "MONOCLE_CONTROL": "x",
         "MONOCLE_START": "x", "MONOCLE_DURATION": "x", "MONOCLE_WAIT": "x", "MONOCLE_SAMPLER": "x"}
MODULES = {  # what is loaded, and what is said of it
    "speaker": "speaker: at the start",
    "nosuch": "profiler 'nosuch' not found: .*",
    "a/b": "the profiler 'a/b' is a path; .*",
    "x,y": "the profiler 'x,y' has a comma in its name: .*",
    "calls:bogus=1": 'calls: unknown option "bogus".*',
    "sample:freq=x": "sample: option freq=x: a number .*",
    "exceptions:output=/nowhere/e": "exceptions: cannot write /nowhere/e: .*",
    "events:only=nosuch": 'events: no event begins with "nosuch"; .*',
    "cover:include=x": "cover: option include=x: expected .*",
}
SAID = {
    "both": [*SPEAKER, *MODULES.values(), "the environment has MONOCLE_WAIT=x", "MONOCLE_STRICT=x is neither .*",
             "MONOCLE_CHECK=x is neither .*", "MONOCLE_CONTROL=x is neither .*", "MONOCLE_START=x is neither .*",
             "MONOCLE_DURATION=x is no time .*", "MONOCLE_WAIT=x is neither .*", "loaded speaker from .*"],
    "mono": [],
    "coreclr": ["CoreCLR: .*"],
}
# What the program says itself, before and after. Descriptor 3 is what its stderr becomes.
SCRIPT = 'exec 2>&3; echo "its own" >&2; "$@"; code=$?; echo "and the end" >&2; exit $code'
PROJECT = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework></PropertyGroup></Project>
"""
OWN = b"its own\nand the end\n"


def attach_by_hand(pid, adapter, block):
    """The runtime's answer to a request of its diagnostic port to load a profiler; None: it did not answer."""
    path = str(adapter).encode("utf-16-le") + b"\0\0"
    payload = struct.pack("<I", 5000) + uuid.UUID(harness.CLR_GUID).bytes_le
    payload += struct.pack("<I", len(path) // 2) + path + struct.pack("<I", len(block)) + block
    message = b"DOTNET_IPC_V1\0" + struct.pack("<HBBH", 20 + len(payload), 3, 1, 0) + payload
    sockets = harness.wait_for(lambda: glob.glob("/tmp/dotnet-diagnostic-%d-*-socket" % pid))
    with socket.socket(socket.AF_UNIX) as port:
        port.settimeout(60)
        port.connect(sockets[0])
        port.sendall(message)
        answer = b""
        while len(answer) < 24:
            piece = port.recv(4096)
            if not piece:
                return None
            answer += piece
    return struct.unpack_from("<I", answer, 20)[0]


class Stderr(harness.Suite):
    def folder(self, name):
        path = self.work / name
        path.mkdir(exist_ok=True)
        return path

    def settings(self, more=None):
        folders = "%s:%s" % (self.build.path / "test/hostile", self.build.path / "modules")
        return harness.bare_environment({"MONOCLE_MODULE_PATH": folders, **(more or {})})

    def start(self, command, env, cwd):
        """The outcome, and what came on descriptor 3."""
        read, write = os.pipe()
        child = subprocess.Popen(["sh", "-c", 'exec 3>&%d; exec "$@"' % write, "sh", *map(str, command)], env=env,
                                 cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 pass_fds=[write])
        os.close(write)
        with open(read, "rb") as pipe:
            own = pipe.read()
        out, err = child.communicate(timeout=120)
        return harness.Outcome(child.returncode, out.decode(), err.decode(errors="replace")), own

    def program(self, runtime):
        return ["sh", "-c", SCRIPT, "sh", *runtime.command(self.exe)]

    def patterns(self, what, lines, patterns):
        """Each line is of a process, and each pattern is met by one."""
        found = [re.fullmatch(r"monocle: process (\d+):? (.*)", line) for line in lines]
        self.check(all(found), what + ": each line is of a process", [l for l, f in zip(lines, found) if not f])
        texts = [match[2] for match in found if match]
        for pattern in patterns:
            self.check(any(re.fullmatch(pattern, text) for text in texts), "%s: %s is said" % (what, pattern), lines)

    def own(self, what, own, seen):
        self.check(own == OWN, what + ": its stderr is its own", (own, seen))

    def everything(self, runtime):
        what = "%s, run" % runtime
        words = ["--profile=" + module for module in MODULES]
        command = [self.build.monocle, "run", "-q", "--all", "--unchecked", *words, "--", *self.program(runtime)]
        seen, own = self.start(command, self.settings(WRONG), self.folder(what))
        self.own(what, own, seen)
        self.check((seen.code, seen.out) == (0, self.bare(runtime.command(self.exe)).out), what + ": the program", seen)
        self.patterns(what, seen.err.splitlines(), SAID["both"] + SAID[runtime.kind] + [CHILD, LOST])

    def death(self, runtime):
        what = "%s, a process that is killed" % runtime
        command = [self.build.monocle, "run", "-q", "--profile=speaker:die", "--", *self.program(runtime)]
        seen, own = self.start(command, self.settings(), self.folder(what))
        self.check(own.startswith(b"its own\n") and own.endswith(b"and the end\n") and b"speaker" not in own and
                   seen.code == 137, what + ": its stderr is its own", (own, seen))
        self.patterns(what, seen.err.splitlines(), SPEAKER + [CHILD, LOST])

    def variables(self, runtime, more, what):
        """What `monocle env` prints. The lines of the file, or of stderr."""
        words = ["--profile=" + module for module in ("speaker", "calls:bogus=1")]
        command = ["sh", "-c", 'eval "$("$MONOCLE" env %s)"; exec sh -c "$SCRIPT" sh "$@"' % " ".join(words), "sh",
                   *runtime.command(self.exe)]
        folder = self.folder(what)
        settings = {"MONOCLE": str(self.build.monocle), "SCRIPT": SCRIPT, **more}
        seen, own = self.start(command, self.settings(settings), folder)
        self.check(seen.code == 0 and not seen.err, what + ": the program", seen)
        return own, {path.name: path.read_text().splitlines() for path in folder.glob("monocle.*.log")}

    def alone(self, runtime):
        expected = [*SPEAKER, MODULES["calls:bogus=1"]]
        what = "%s, variables" % runtime
        own, files = self.variables(runtime, {}, what)
        self.own(what, own, files)
        lines = sum(files.values(), [])
        for pattern in expected + [CHILD]:
            self.check(any(re.fullmatch("monocle: " + pattern, line) for line in lines),
                       "%s: %s is in the file" % (what, pattern), files)
        self.check(len(files) == 2 and all(re.fullmatch(r"monocle\.\d+\.log", name) for name in files),
                   what + ": the process and its child have a file each", sorted(files))
        what = "%s, variables, and the word stderr" % runtime
        own, files = self.variables(runtime, {"MONOCLE_LOG": "stderr"}, what)
        lines = own.decode().splitlines()
        self.check(not files and all(any(re.fullmatch("monocle: " + pattern, line) for line in lines)
                                     for pattern in expected), what + ": lines are there", (own, files))

    def by_hand(self, runtime):
        """Mono's own contract: what a person names on Mono's command line speaks where Mono's own modules do."""
        paths = ":".join(self.build.module_dirs() + self.build.library_dirs())
        command = ["sh", "-c", SCRIPT, "sh", "mono", "--profile=speaker", self.exe]
        seen, own = self.start(command, self.settings({"LD_LIBRARY_PATH": paths}), self.folder("by hand"))
        self.check(seen.code == 0 and b"monocle: speaker: at the start\n" in own, "mono --profile speaks on stderr",
                   (own, seen))

    def refused(self, runtime, program, what):
        """Handed to the runtime by somebody else: without a folder nobody would read a line, so the code says it."""
        for block, code in ((b"MNCL" + struct.pack("<III", 2, 0, 0), 0xA0040C01), (b"nonsense", 0xA0040C02)):
            answer = attach_by_hand(program.pid, self.build.adapter, block)
            self.check(answer == code, what + ": %r is refused by a code" % block, hex(answer or 0))

    def attached(self, runtime):
        what = "%s, attach" % runtime
        settings = {"TMPDIR": "/tmp"}
        start = ["sh", "-c", 'eval "$("$MONOCLE" env --profile=standby)"; exec "$@"', "sh"]
        command = runtime.command(self.build.path / "test/conformance/control/steps.exe")
        program = subprocess.Popen((start if runtime.kind == "mono" else []) + command,
                                   env=self.settings({"MONOCLE": str(self.build.monocle), **settings}),
                                   cwd=self.folder(what), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        program.stdout.readline()
        if runtime.kind == "coreclr":
            self.refused(runtime, program, what)
        words = ["attach", program.pid, "-q", "--profile=speaker:late", "--profile=sample:output=/nowhere/s",
                 "--duration=10ms"]
        seen = harness.wait_for(lambda: self.attach(words, settings))
        _, own = program.communicate(timeout=60)
        self.check((program.returncode, own) == (3, b""), what + ": its stderr is its own", (own, seen))
        self.patterns(what, seen.err.splitlines(), SPEAKER + ["sample: cannot write /nowhere/s: .*", LOST])
        self.check(not list(self.folder(what).glob("*.log")), what + ": there is no file")

    def attach(self, words, settings):
        """A Mono that has just begun does not stand by yet."""
        seen = harness.run([self.build.monocle, *words], self.settings(settings), cwd=self.work)
        return None if "does not stand by" in seen.err or "not started far enough" in seen.err else seen

    def build_system(self):
        """MSBuild takes each line on the stderr of its compiler for an error of the compiler."""
        folder = self.folder("app")
        (folder / "app.csproj").write_text(PROJECT)
        (folder / "app.cs").write_text('System.Console.WriteLine ("built");\n')
        build = ["dotnet", "build", "-nodeReuse:false", "-p:UseSharedCompilation=false"]
        bare = harness.run(build, self.settings(), cwd=folder, timeout=300)
        if bare.code:
            self.skip("dotnet build", "it fails alone: " + (bare.out + bare.err)[-300:])
            return
        (folder / "app.cs").write_text('System.Console.WriteLine ("and again");\n')
        seen = harness.run([self.build.monocle, "run", "--all", "--profile=cover", "-o", "c.mcov", "--", *build],
                           self.settings(), cwd=folder, timeout=300)
        self.check(seen.code == 0 and " 0 Error(s)" in seen.out, "dotnet build succeeds as it does alone", seen)
        self.check(re.search(r"(?m)^monocle: process \d+: cover: csc has no symbols: ", seen.err),
                   "what its compiler made cover say is said by the command", seen)

    def main(self):
        self.parser.add_argument("--runtimes")
        self.parse("mono," + harness.TO_10)
        self.exe = self.build.path / "examples/programs/greet.exe"
        for runtime in self.runtimes():
            self.everything(runtime)
            self.death(runtime)
            self.alone(runtime)
            self.attached(runtime)
            if runtime.kind == "mono":
                self.by_hand(runtime)
        if self.options.full:
            self.build_system()
        return self.finish()


if __name__ == "__main__":
    sys.exit(Stderr("stderr", __doc__).main())
