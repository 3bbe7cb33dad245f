#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""MONOCLE_WAIT holds a program up before its modules are loaded, until a debugger comes or the time is over, and
MONOCLE_LOG_LEVEL says as much as was asked for: on Mono through the umbrella, on CoreCLR, and in an embedder.
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
WALL = 0x40000000
LIMIT = 60


class Debugger:
    """As much of one as the kernel asks for: it traces the first thread of a child, and lets it run."""

    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long

    def __init__(self, pid):
        self.pid = pid
        self.ask(PTRACE_SEIZE)

    def ask(self, request, data=0):
        if self.libc.ptrace(request, self.pid, None, data):
            raise OSError(ctypes.get_errno(), "ptrace %#x of %d" % (request, self.pid))

    def leave(self):
        """A thread must stand still to be left; a signal that stopped it is handed on. The exit code, if it ended."""
        try:
            self.ask(PTRACE_INTERRUPT)
        except ProcessLookupError:
            pass  # it is ending
        status = os.waitpid(self.pid, WALL)[1]
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status)
        self.ask(PTRACE_DETACH, os.WSTOPSIG(status) if status >> 16 == 0 else 0)
        return None


class Started:
    """A process whose messages can be read while it runs."""

    def __init__(self, command, env, folder):
        self.log = folder / "stderr"
        with self.log.open("wb") as stream:
            self.child = subprocess.Popen([str(word) for word in command], env=env, stdin=subprocess.DEVNULL,
                                          stdout=subprocess.PIPE, stderr=stream)

    def said(self):
        return self.log.read_text(errors="replace")

    def await_line(self, text):
        end = time.monotonic() + LIMIT
        while text not in self.said() and time.monotonic() < end and self.child.poll() is None:
            time.sleep(0.02)
        return text in self.said()

    def finish(self):
        try:
            out = self.child.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            self.child.kill()
            out = self.child.communicate()[0]
        return harness.Outcome(self.child.returncode, out.decode(), self.said())


class Steps(harness.Suite):
    def prepare(self):
        self.greet = self.build.path / "examples/programs/greet.exe"
        modules = str(self.build.path / "examples/hello-module")
        clr = {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": harness.CLR_GUID,
               "CORECLR_PROFILER_PATH": str(self.build.adapter), "MONOCLE_PROFILE": "hello", "MONOCLE_LOG": "stderr"}
        mono = {"MONO_ENV_OPTIONS": "--profile=monocle:hello", "LD_LIBRARY_PATH": str(self.build.path / "lib/mono")}
        self.hosts = [(runtime.name, runtime.command(self.greet), mono if runtime.kind == "mono" else clr, version)
                      for runtime in self.runtimes(["mono"] + self.newer)
                      for version in ["Mono " * (runtime.kind == "mono") + runtime.version]]
        embed = [self.build.path / "examples/embed/embed", harness.TOP / "examples/embed/greet.script", "hello"]
        self.hosts.append(("embed", embed, {}, ""))
        for _, _, settings, _ in self.hosts:
            settings["MONOCLE_MODULE_PATH"] = modules

    def start(self, host, **more):
        return Started(host[1], harness.bare_environment({**host[2], **more}), self.work)

    def waits(self, host):
        what = host[0] + ": "
        started = self.start(host, MONOCLE_WAIT="1", MONOCLE_LOG_LEVEL="debug")
        pid = started.child.pid
        line = "monocle: process %d waits for a debugger before modules are loaded: gdb -p %d\n" % (pid, pid)
        if not self.check(started.await_line(line), what + "who waits is said", started.said()):
            started.child.kill()
            started.finish()
            return None
        self.check("is started" not in started.said(), what + "no module is loaded yet", started.said())
        try:
            debugger = Debugger(pid)
        except OSError as error:
            started.child.kill()
            started.finish()
            self.skip(what + "a debugger comes", str(error))
            return None
        self.check(started.await_line("monocle: a debugger is there\n"), what + "it goes on when one is there")
        started.child.returncode = debugger.leave()
        seen = started.finish()
        self.check(seen.err.find("a debugger is there") < seen.err.find("is started as 'hello'"),
                   what + "modules are loaded after that", seen)
        for part in ("the environment has MONOCLE_WAIT=1\n", "/examples/hello-module/libmono-profiler-hello.so is "
                     "started as 'hello'\n", "there is no "):
            self.check(part in seen.err, what + "debug says: " + part, seen)
        if host[0].startswith("clr"):
            self.check(re.search("calls wants the flags .*\n(.*\n)*.*grants the flags 0x", seen.err),
                       what + "debug says what the runtime grants", seen)
        return seen

    def is_short(self, host, traced):
        what = host[0] + ": "
        seen = self.start(host, MONOCLE_WAIT="" if host[0] != "embed" else "2", MONOCLE_LOG_LEVEL="info").finish()
        lines = [line for line in seen.err.splitlines() if line.startswith("monocle:")]
        if host[0] == "embed":
            self.check(", for at most 2 seconds: gdb -p" in lines[0] and "no debugger has come" in lines[1],
                       what + "the time that is waited has a bound", seen)
            lines = lines[2:]
        pattern = r"monocle: loaded hello from /\S+/libmono-profiler-hello.so; the runtime is " + re.escape(host[3])
        self.check(len(lines) == 1 and re.match(pattern, lines[0]), what + "info is one line", seen)
        self.check("hello: 10 calls" in seen.err, what + "the module works", seen)
        self.check(not traced or (traced.code, traced.out) == (seen.code, seen.out),
                   what + "the program with a debugger is the one without", traced)

    def wrong(self, host):
        seen = self.start(host, MONOCLE_WAIT="soon\n", MONOCLE_LOG_LEVEL="loud").finish()
        self.check([line for line in seen.err.splitlines() if line.startswith("monocle:")] ==
                   ["monocle: MONOCLE_LOG_LEVEL=loud is none of error, info, debug; taken as error",
                    "monocle: MONOCLE_WAIT=soon  is neither 0, nor 1, nor a number of seconds up to 86400; no debugger "
                    "is waited for"], host[0] + ": a wrong value is a line", seen)


def main():
    suite = Steps("steps", __doc__)
    suite.parse()
    suite.prepare()
    for host in suite.hosts:
        suite.is_short(host, suite.waits(host))
    suite.wrong(suite.hosts[-1])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
