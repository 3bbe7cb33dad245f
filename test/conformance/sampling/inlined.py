#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a compiled expression calls has a frame where stacks are sampled: inlined.cs waits in it.

Such an expression is optimised at once, and what it calls is the program's own work: without a frame of its own that
would stand as (wrapper dynamic-method). Accessors are inlined all the same, and so is everything where no module
samples. Where code was there before an attach, the expression has its name. In other code everything is inlined, and
where the runtime keeps trees of that, what was inlined has its frame all the same.

  inlined.py --build DIR [--runtimes clr8,...]
"""
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import pprof  # noqa: E402

VALUE = 42
TREES = {"DOTNET_RichDebugInfo": "1"}
ONCE = {"DOTNET_TieredCompilation": "0"}  # compiled once, as well as can be
EXPRESSION = "(wrapper dynamic-method) object:lambda_method1 (System.Runtime.CompilerServices.Closure,Order)"
CHAIN = ["Inlined:Waits ()", "Inlined:Handles (Order)", EXPRESSION, "Inlined:Main (string[])"]
# With an argument; but for the first one they are one piece of code.
PARTS = ["Inlined:Waits ()", "Inlined:Handles (Order)", "Inlined:Inner (Order)", "Inlined:Outer (Order)",
         "Inlined:Compiled (Order)", "Inlined:Main (string[])"]
# What the compiler asks of the expression: the callee, and whether some module samples.
DECISIONS = {("Inlined:Handles (Order)", False): "yes", ("Inlined:Handles (Order)", True): "no",
             ("Order:get_Number ()", False): "yes", ("Order:get_Number ()", True): "yes"}


class Inlined(harness.Suite):
    def start(self, runtime, modules, *args, env=None):
        """The program, when it waits in the expression."""
        exe = self.build.path / "test/conformance/sampling/inlined.exe"
        own = harness.profile_environment(self.build, runtime, modules) if modules else harness.bare_environment()
        program = subprocess.Popen(runtime.command(exe) + list(args), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env={**own, **(env or {})}, cwd=self.work)
        self.check(program.stdout.readline() == "ready\n", "%s: the program waits" % runtime)
        return program

    def finish_program(self, what, program):
        out, err = program.communicate(timeout=100)
        self.check(program.returncode == VALUE, what + ": the expression has its value", (program.returncode, out, err))

    def snapshot(self, what, runtime, chain, *args, env, options=""):
        """Every stack of a snapshot that has the first of the chain has all of it. Returns the profile."""
        file = self.work / ("%s.pb.gz" % what.replace(" ", "-").replace(",", ""))
        program = self.start(runtime, ["sample:mode=none,snapshot=%s,output=%s.samples%s" % (file, file, options)],
                             *args, env=env)
        program.send_signal(signal.SIGUSR2)
        self.check(harness.wait_for(lambda: file.exists() or program.poll() is not None) and file.exists(),
                   what + ": the snapshot comes")
        profile = pprof.load(file)
        stacks = [list(stack) for stack, _, _ in profile.samples]
        waiting = [stack for stack in stacks if chain[0] in stack]
        self.check(waiting and all(stack[stack.index(chain[0]):][:len(chain)] == chain for stack in waiting),
                   what + ": each method has its frame", stacks)
        self.finish_program(what, program)
        return profile

    def sampled(self, runtime):
        self.snapshot("%s, sampled" % runtime, runtime, CHAIN, env={})
        self.snapshot("%s, sampled, with trees" % runtime, runtime, CHAIN, env=TREES)
        self.snapshot("%s, parts" % runtime, runtime, PARTS, "parts",
                      env={**TREES, **ONCE})
        self.snapshot("%s, parts without trees" % runtime, runtime, [PARTS[0]] + PARTS[-2:],
                      "parts", env=ONCE)

    def decided(self, runtime, is_sampled):
        what, file = "%s, %ssampled" % (runtime, "" if is_sampled else "not "), self.work / "decisions"
        modules = ["events:only=jit_inlining,output=%s" % file]
        modules += ["sample:mode=none,output=%s.samples" % file] if is_sampled else []
        self.finish_program(what, self.start(runtime, modules))
        lines = re.findall(r"caller=(.*) callee=(.*) allowed=(yes|no)$", file.read_text(), re.M)
        said = {callee: allowed for caller, callee, allowed in lines if caller == EXPRESSION}
        for (callee, sampled), allowed in DECISIONS.items():
            if sampled == is_sampled:
                self.check(said.get(callee) == allowed, "%s: %s may be inlined: %s" % (what, callee, allowed), said)
        file.unlink()

    def attached(self, runtime):
        """The code of the expression is what it is. What it is called must be learnt in time."""
        what, program = "%s, attached" % runtime, self.start(runtime, [])
        seen = harness.run([self.build.monocle, "stack", program.pid, "--all-frames"], harness.bare_environment(),
                           cwd=self.work)
        main = next((block for block in seen.out.split("\n\n") if block.startswith('"Main"')), "")
        self.check("lambda_method1 (" in main and "[stub]" not in main, what + ": the expression has its name", seen)
        self.check("# what a (wrapper dynamic-method) has inlined" in seen.out, what + ": a line says what is missing",
                   seen)
        self.finish_program(what, program)


def main():
    suite = Inlined("inlined", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse("clr10", harness.NET)
    if not (suite.build.path / "test/conformance/sampling/inlined.exe").exists():
        suite.skip("inlined", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in suite.runtimes():
        suite.sampled(runtime)
        suite.decided(runtime, True)
        suite.decided(runtime, False)
        suite.attached(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
