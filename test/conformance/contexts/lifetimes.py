#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What contexts cost the program: nothing that it sees but some stack.

weak.cs must find the same objects dead as without contexts, in optimised code and in other. Only what it says to be in
use until the leave, as doc/differences.md has it, may live until then, and only where contexts are asked for at the
leave. depth.cs says how much stack a frame takes. Other programs, odd.il among them, print what they print without
contexts.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import harness  # noqa: E402

# Everything is optimised at once, or hardly anything.
SETTINGS = {"optimised": {"DOTNET_TieredCompilation": "0"}, "not optimised": {"DOTNET_TC_CallCounting": "0"}}

# Of the folder of programs that are counted.
PROGRAMS = ["il", "exceptions", "language"]


class Lifetimes(harness.Suite):
    def lines(self, runtime, program, settings, options=None):
        """What the program prints, bare where `options` is None."""
        command = runtime.command(self.build.path / "test/conformance/contexts" / program)
        env = harness.bare_environment(settings)
        file = self.work / "everything.txt"
        if options is not None:
            desc = "everything:%simage=%s,output=%s" % (options, program.partition(".")[0], file)
            env = harness.profile_environment(self.build, runtime, [desc], settings)
        seen = harness.run(command, env, cwd=self.work)
        self.check(seen.code == 0 and not seen.err and seen.out, "%s %s: runs to its end" % (runtime, program), seen)
        if options is not None:
            enters, leaves, tails, exceptions, bare, read = (int(word) for word in file.read_text().split())
            self.check(enters == leaves + tails + exceptions and read > enters and not bare,
                       "%s %s: every call ends, and contexts show something" % (runtime, program), file.read_text())
        return seen.out.splitlines()

    def weak(self, runtime, name):
        what = "%s, %s" % (runtime, name)
        bare = self.lines(runtime, "weak.exe", SETTINGS[name])
        self.check(len(bare) > 10 and (name != "optimised" or all(": alive" not in line for line in bare)),
                   what + ": without contexts all are dead that can be", bare)
        enter = self.lines(runtime, "weak.exe", SETTINGS[name], "enter,")
        self.check(enter == bare, what + ": contexts at the enter change nothing", (bare, enter))
        both = self.lines(runtime, "weak.exe", SETTINGS[name], "")
        in_use = [re.sub("^(in use.*): dead", r"\1: alive", line) for line in bare]
        self.check(both == in_use, what + ": what is shown at the leave lives until then, nothing else longer",
                   (in_use, both))

    def depth(self, runtime, name):
        frames = {}
        for options in (None, ""):
            words = self.lines(runtime, "depth.exe", SETTINGS[name], options)[0].split()
            frames[options] = int(words[0]), int(words[3])
        print("%s, %s: %d frames of %d bytes bare, %d of %d with contexts" % (
            runtime, name, *frames[None], *frames[""]))
        self.check(frames[""][1] - frames[None][1] <= 128,
                   "%s, %s: contexts take no more stack than doc/probes.md says" % (runtime, name), frames)

    def odd(self, runtime):
        if not (self.build.path / "test/conformance/contexts/odd.exe").exists():
            return self.skip("odd signatures", "there is no IL assembler")
        lines = self.lines(runtime, "odd.exe", {}, "")
        return self.check(lines == ["1", "generic", "0"], "%s: odd signatures change nothing" % runtime, lines)

    def programs(self, runtime):
        """Tail calls, exceptions and the like, with contexts."""
        for program in PROGRAMS:
            what, exe = "%s %s" % (runtime, program), self.build.exe(program)
            file = self.work / "everything.txt"
            if not exe.exists():
                self.skip(program, "not compiled: mcs was absent", "mono")
                continue
            bare = harness.run(runtime.command(exe), harness.bare_environment(), cwd=self.work)
            env = harness.profile_environment(self.build, runtime, ["everything:image=%s,output=%s" % (program, file)])
            seen = harness.run(runtime.command(exe), env, cwd=self.work)
            self.check((bare.code, bare.out, bare.err) == (seen.code, seen.out, seen.err),
                       what + ": prints the same", seen)
            enters, leaves, tails, exceptions, without, read = (int(word) for word in file.read_text().split())
            self.check(enters == leaves + tails + exceptions and not without and read,
                       what + ": every call has a context and ends", file.read_text())


def main():
    suite = Lifetimes("lifetimes", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse(first="clr10", full=harness.NET)
    if not (suite.build.path / "test/conformance/contexts/weak.exe").exists():
        suite.skip("lifetimes", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in suite.runtimes():
        for name in SETTINGS:
            suite.weak(runtime, name)
        suite.depth(runtime, "optimised")
        if runtime.name in suite.newer:
            suite.odd(runtime)
            suite.programs(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
