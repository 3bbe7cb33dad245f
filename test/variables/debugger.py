#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What doc/debugging-a-module.md tells people to type into gdb works: from the start, and with MONOCLE_WAIT."""
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

PAGE = harness.TOP / "doc/debugging-a-module.md"
LIMIT = 120


class Debugger(harness.Suite):
    def prepare(self):
        mono, clr, start, names = re.findall(r"^```gdb\n(.*?)```", PAGE.read_text(), re.M | re.S)
        self.blocks = {"mono": (mono, start, names), "coreclr": (clr, start, names)}
        self.greet = self.build.path / "examples/programs/greet.exe"
        source = harness.TOP / "examples/hello-module/hello.c"  # as doc/writing-a-module.md does it, to be debugged
        made = harness.run(["cc", "-g", "-shared", "-fPIC", "-o", self.work / "libmono-profiler-hello.so", source,
                            "-DMONO_DLL_EXPORT", "-I", harness.TOP / "include"], harness.bare_environment())
        self.check(made.code == 0, "the module is compiled", made)
        self.modules = {"MONOCLE_MODULE_PATH": str(self.work)}
        # As it is installed: gdb believes a function without a type, which -g1 leaves, to return nothing.
        core = self.build.path / "lib/core/libmonocle.so.0"
        made = harness.run(["objcopy", "--strip-debug", core, self.work / core.name], harness.bare_environment())
        self.check(made.code == 0, "the core is stripped", made)

    def what_keeps_gdb(self):
        """Why gdb cannot call a function here; None if it can. An old one knows no registers of a newer processor."""
        source, program = self.work / "seven.c", self.work / "seven"
        source.write_text("int seven (void) { return 7; }\nint main (void) { return seven () - 7; }\n")
        made = harness.run(["cc", "-g", "-o", program, source], harness.bare_environment())
        self.check(made.code == 0, "a program for gdb is compiled", made)
        gdb = self.script("seven.gdb", "break main\nrun\nprint seven ()\n")
        seen = harness.run(gdb + [program], harness.bare_environment({"DEBUGINFOD_URLS": ""}), timeout=LIMIT)
        return None if "= 7\n" in seen.out else "gdb calls no function here: " + seen.err.strip().split("\n")[-1]

    def command(self, runtime):
        if runtime.kind == "mono":
            return ["mono", "--debug", "--profile=monocle:hello", str(self.greet)]
        return [str(word) for word in runtime.command(self.greet)]

    def environment(self, runtime, **more):
        folders = "%s:%s" % (self.work, self.build.path / "lib/mono")
        env = {"LD_LIBRARY_PATH": folders, "DEBUGINFOD_URLS": "", **self.modules, **more}
        if runtime.kind == "coreclr":
            env.update(CORECLR_ENABLE_PROFILING="1", CORECLR_PROFILER=harness.CLR_GUID,
                       CORECLR_PROFILER_PATH=str(self.build.adapter), MONOCLE_PROFILE="hello")
        return harness.bare_environment(env)

    def script(self, name, text):
        path = self.work / name
        path.write_text("set pagination off\n" + text)
        return ["gdb", "-q", "-nx", "-batch", "-x", str(path)]

    def judge(self, what, seen):
        for part in ("mono_profiler_init_hello (desc=0x", "Greeter:Main ()", "hello: 10 calls"):
            self.check(part in seen.out + seen.err, "%s: gdb shows %s" % (what, part), seen)
        self.check("exited normally" in seen.out, what + ": the program ends as it would", seen)

    def from_the_start(self, runtime):
        signals, start, names = self.blocks[runtime.kind]
        gdb = self.script("start.gdb", signals + start + names + "delete\ncontinue\n")
        self.judge("%s from the start" % runtime,
                   harness.run(gdb + ["--args", *self.command(runtime)], self.environment(runtime), timeout=LIMIT))

    def later(self, runtime):
        signals, start, names = self.blocks[runtime.kind]
        log, waits = self.work / "stderr", {"MONOCLE_WAIT": str(LIMIT), "MONOCLE_LOG": "stderr"}
        with log.open("wb") as stream:
            child = subprocess.Popen(self.command(runtime), env=self.environment(runtime, **waits),
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stream)
        end = time.monotonic() + LIMIT
        while "waits for a debugger" not in log.read_text() and time.monotonic() < end and child.poll() is None:
            time.sleep(0.02)
        gdb = self.script("later.gdb", signals + start.replace("run\n", "continue\n") + names + "delete\ncontinue\n")
        seen = harness.run(gdb + ["-p", str(child.pid)], self.environment(runtime), timeout=LIMIT)
        if child.poll() is None:
            child.kill()
        child.wait()
        if "ptrace" in seen.err and "not permitted" in seen.err:
            self.skip("%s later" % runtime, "nobody may trace here")
            return
        self.judge("%s later" % runtime, harness.Outcome(seen.code, seen.out, seen.err + log.read_text()))


def main():
    suite = Debugger("debugger", __doc__)
    suite.parse()
    missing = suite.what_keeps_gdb() if shutil.which("gdb") else "it is not installed"
    if missing:
        suite.skip("gdb", missing)
        return suite.finish()
    suite.prepare()
    for runtime in suite.runtimes(["mono"] + suite.newer):
        suite.from_the_start(runtime)
        suite.later(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
