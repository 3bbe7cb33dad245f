#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The end: no callback of a module runs when its cleanup callback has come, nor after the last event.

  ending.py --build DIR [--full] [--runtimes mono,clr8,...] [--times N]

A program ends, or a module leaves it, while one thread is inside the callback of a call and another one inside that of
a throw. The module (modules/ending.c) stays in its callbacks for as long as its structure lives, but for a moment at
most. --full has the same many times, also with callbacks that take no time, half a millisecond and three, and with one
that never returns: then the program ends all the same, without the cleanup, and a line says so.
"""
import pathlib
import signal
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402

FIELDS = ("enters", "throws", "ends", "cleanups", "after_end", "after_cleanup")


class EndingSuite(harness.Suite):
    def exe(self):
        return self.build.path / "test/lifetime/programs/ending.exe"

    def look(self):
        """What the module has seen so far."""
        file = self.work / "seen"
        data = file.read_bytes() if file.exists() else b""
        return dict(zip(FIELDS, struct.unpack("6I", data))) if len(data) == 24 else dict.fromkeys(FIELDS, 0)

    def seen(self):
        values = self.look()
        (self.work / "seen").unlink(missing_ok=True)
        return values

    def judge(self, what, seen, cleanups=1, calls=True):
        self.check(seen["throws"] and (seen["enters"] or not calls), what + ": callbacks ran", seen)
        self.check(seen["ends"] == 1 and seen["cleanups"] == cleanups, what + ": the end came once", seen)
        self.check(not seen["after_end"], what + ": no event comes after the last one", seen)
        self.check(not seen["after_cleanup"], what + ": no callback runs when its structure is gone", seen)

    def module(self, takes):
        return "ending:%s%s" % (self.work / "seen", ",takes=%d" % takes if takes is not None else "")

    def ends(self, runtime, how, takes):
        what = "%s, the program %s" % (runtime, how)
        module = self.module(takes)
        outcome = harness.run(runtime.command(self.exe()) + [how, self.work / "seen"],
                              harness.profile_environment(self.build, runtime, [module]), cwd=self.work)
        self.check((outcome.code, outcome.out, outcome.err) == (7, "begun\n", ""), what + " as it would", outcome)
        self.judge(what, self.seen())

    def leaves(self, runtime, takes):
        """Mono stands by, and tells a program that runs of no calls."""
        what, env, has_calls = "%s, the module leaves" % runtime, {"TMPDIR": "/tmp"}, runtime.kind == "coreclr"
        env = harness.bare_environment(env) if has_calls else \
            harness.profile_environment(self.build, runtime, ["monocle:standby"], env)
        program = subprocess.Popen(runtime.command(self.exe()) + ["stays"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.work, env=env)
        program.stdout.readline()
        path = ":".join(map(str, self.build.module_dirs()))
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": path})
        # Calls are had in a program that runs only where the module `calls` is among those that come.
        profiles = ["--profile=calls:output=/dev/null"] * has_calls + ["--profile=" + self.module(takes)]
        attach = subprocess.Popen([self.build.monocle, "attach", "-q", str(program.pid), *profiles], env=env,
                                  cwd=self.work, stderr=subprocess.DEVNULL)
        harness.wait_for(lambda: attach.poll() is not None or (self.look()["throws"] and
                                                             (self.look()["enters"] or not has_calls)))
        attach.send_signal(signal.SIGINT)
        attach.wait()
        out, err = program.communicate("end\n")
        self.check(attach.returncode == 0, what + ": attach ends well", attach.returncode)
        self.check((program.returncode, out, err) == (7, "", ""), what + ": the program goes on",
                   (program.returncode, out, err))
        self.judge(what, self.seen(), calls=has_calls)

    def stuck(self, runtime):
        what = "%s, a callback never returns" % runtime
        module = "ending:%s,stuck" % (self.work / "seen")
        outcome = harness.run(runtime.command(self.exe()) + ["returns", self.work / "seen"],
                              harness.profile_environment(self.build, runtime, [module]), cwd=self.work)
        self.check((outcome.code, outcome.out) == (7, "begun\n"), what + ": the program ends", outcome)
        self.check(outcome.err.count("\n") == 1 and "cleanup callbacks are left out" in outcome.err,
                   what + ": a line says what is left out", outcome)
        self.judge(what, self.seen(), cleanups=0)


def main():
    suite = EndingSuite("ending", __doc__)
    suite.parser.add_argument("--times", type=int, help="how often; by default once, with --full 20 times")
    suite.parser.add_argument("--runtimes")
    suite.parse()
    times = suite.options.times or (20 if suite.options.full else 1)
    for runtime in suite.runtimes():
        for takes in (None, 0, 500, 3000) if suite.options.full else (None, 0):
            for _ in range(times):
                suite.ends(runtime, "returns", takes)
                suite.ends(runtime, "exits", takes)
                suite.leaves(runtime, takes)
        if suite.options.full and runtime.kind == "coreclr":
            suite.stuck(runtime)
    return suite.finish()


sys.exit(main())
