#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""MONOCLE_CHECK=1 on the runtimes: each mistake of the module misbehave is one line, and the program is untouched.
Nothing is said of modules that make none.

On Mono the umbrella loads the module, and a call from a thread that Mono does not know is not executed either.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

LINE = re.compile(r"monocle: module \w+ called (mono_\w+) (.+?), where it is not allowed: (.+)")
ALL = {
    ("mono_image_loaded", "in the init window, before there is a runtime"),
    ("mono_class_from_name", "while something is half loaded (image_loaded)"),
    ("mono_profiler_enable_clauses", "after the init window"),
    ("mono_profiler_call_context_get_this", "outside the callbacks that it is for"),
    ("mono_image_loaded", "in a call probe (method_enter)"),
    ("mono_method_full_name", "in a signal handler"),
    ("mono_free", "in a signal handler"),
    ("mono_method_desc_new", "in a signal handler"),
    ("mono_image_loaded", "on a thread that the runtime does not know"),
    ("mono_image_loaded", "on a thread that has ended (thread_exited)"),
    ("mono_thread_attach", "in the last event (runtime_shutdown_end)"),
    ("mono_profiler_set_jit_begin_callback", "in a cleanup callback"),
    ("mono_method_full_name", "in a stopped world (gc_event)"),
    ("mono_free", "in a stopped world (gc_event)"),
    ("mono_image_loaded", "while the collector holds its lock (gc_event)"),
    ("mono_image_loaded", "in an allocation (gc_allocation)"),
}
SLOW = re.compile(r"monocle: module misbehave took \d+\.\d ms (in a call probe \(method_enter: Program:Calls|"
                  r"in a stopped world \(gc_event: MONO_GC_EVENT_POST_STOP_WORLD)")
# Modules of ours, which obey.
GOOD = ["calls", "counter", "hello", "methods"]
RUN = {"mono_profiler_enable_clauses"}


def visit(suite, runtime, *modules):
    """(function, where, why) of each report about modules; the program is the same for all."""
    module, umbrella = " ".join(modules), "monocle:" * (runtime.kind == "mono")
    env = harness.profile_environment(suite.build, runtime, [umbrella + name for name in modules])
    env["MONOCLE_CHECK"] = "1"
    env["MONOCLE_MODULE_PATH"] = ":".join(suite.build.module_dirs())
    exe = suite.build.path / "test/check/misbehave.exe"
    seen = harness.run(runtime.command(exe), env, cwd=suite.work, timeout=60)
    suite.check(seen.code == 3 and seen.out == "5\n", "%s, %s: the program is untouched" % (runtime, module), seen)
    suite.check("misbehave:" not in seen.err and "not found" not in seen.err,
                "%s, %s: the module is there, and content" % (runtime, module), seen.err)
    if "slow" in module:
        slow = sorted(SLOW.findall(seen.err))
        suite.check(len(slow) == 2 and slow[0] < slow[1],
                    "%s: slow callbacks are reported, once each" % runtime, seen.err)
    return LINE.findall(seen.err)


def main():
    suite = harness.Suite("check", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    for runtime in suite.runtimes():
        lines = visit(suite, runtime, "misbehave:allocations+slow")
        said = [(function, where) for function, where, _ in lines]
        for function, where in sorted(ALL | set(said)):
            suite.check(said.count((function, where)) == ((function, where) in ALL),
                        "%s: %s %s: once or never" % (runtime, function, where), said.count((function, where)))
        for function, where, why in lines:
            run = function in RUN or ("does not know" in where and runtime.kind != "mono")
            suite.check(why.endswith("it was not executed") != run, "%s: %s %s: executed or not" % (runtime, function,
                                                                                               where), why)
        lines = visit(suite, runtime, *GOOD)
        suite.check(not lines, "%s: nothing is reported of %s" % (runtime, ", ".join(GOOD)), lines)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
