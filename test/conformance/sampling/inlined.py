#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a compiled expression calls has a frame where stacks are sampled: inlined.cs waits in it.

Such an expression is optimised at once, and what it calls is the program's own work: without a frame of its own that
would stand as (wrapper dynamic-method). Accessors are inlined all the same, and so is everything where no module
samples. Where code was there before an attach, the expression has its name.

  inlined.py --build DIR [--runtimes clr8,clr9,clr10]
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
EXPRESSION = "(wrapper dynamic-method) object:lambda_method1 (System.Runtime.CompilerServices.Closure,Order)"
CHAIN = ["Inlined:Waits ()", "Inlined:Handles (Order)", EXPRESSION, "Inlined:Main ()"]
# What the compiler asks of the expression: the callee, and whether some module samples.
DECISIONS = {("Inlined:Handles (Order)", False): "yes", ("Inlined:Handles (Order)", True): "no",
             ("Order:get_Number ()", False): "yes", ("Order:get_Number ()", True): "yes"}


class Inlined(harness.Suite):
    def start(self, runtime, modules):
        """The program, when it waits in the expression."""
        exe = self.build.path / "test/conformance/sampling/inlined.exe"
        env = harness.profile_environment(self.build, runtime, modules) if modules else harness.bare_environment()
        program = subprocess.Popen(runtime.command(exe), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=env, cwd=self.work)
        self.check(program.stdout.readline() == "ready\n", "%s: the program waits" % runtime)
        return program

    def finish_program(self, what, program):
        out, err = program.communicate(timeout=100)
        self.check(program.returncode == VALUE, what + ": the expression has its value", (program.returncode, out, err))

    def sampled(self, runtime):
        what, snapshot = "%s, sampled" % runtime, self.work / ("%s.pb.gz" % runtime)
        program = self.start(runtime, ["sample:mode=none,snapshot=%s,output=%s.samples" % (snapshot, snapshot)])
        program.send_signal(signal.SIGUSR2)
        self.check(harness.wait_for(lambda: snapshot.exists() or program.poll() is not None) and snapshot.exists(),
                   what + ": the snapshot comes")
        stacks = [list(stack) for stack, _, _ in pprof.load(snapshot).samples]
        waiting = [stack for stack in stacks if CHAIN[0] in stack]
        self.check(waiting and all(stack[stack.index(CHAIN[0]):][:len(CHAIN)] == CHAIN for stack in waiting),
                   what + ": each method has its frame", stacks)
        self.finish_program(what, program)

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
    suite.parse("clr10", "clr8,clr9,clr10")
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
