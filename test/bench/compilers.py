#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compilers with every method instrumented, the class library included: how much slower they are.

On CoreCLR it is the SDK's C# compiler: bare, with a module of empty callbacks, with `calls`, and with the hooks that
the runtime itself has for calls (hooks.c), which do no more than count. Mono has none of its own here but `mcs`, which
is another compiler: bare without precompiled code, and with Mono's own `log:calls`. Both compile the same sources.
Figures are CPU time, the least of several rounds in which all take turns, and only those of one runtime are to be
compared.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402

CONTEXTS = HERE.parent / "conformance/contexts"
MONO_LIBRARY = pathlib.Path("/usr/lib/mono/4.5")
COUNTED = re.compile(r"^hooks: (\d+) calls, (\d+) left$", re.M)

Configuration = collections.namedtuple("Configuration", "label runtime modules settings")
CONFIGURATIONS = [
    Configuration("csc bare", "clr10", [], {}),
    Configuration("csc without ReadyToRun", "clr10", [], {"DOTNET_ReadyToRun": "0"}),
    Configuration("csc empty", "clr10", ["empty:*"], {}),
    Configuration("csc calls, no times", "clr10", ["calls:callspec=all,time=none,output=@"], {}),
    Configuration("csc calls", "clr10", ["calls:callspec=all,output=@"], {}),
    Configuration("csc the runtime's hooks", "clr10", "hooks", {}),
    Configuration("mcs bare", "mono", [], {}),
    Configuration("mcs empty", "mono", ["empty:*"], {}),
    Configuration("mcs calls", "mono", ["calls:callspec=all,output=@"], {}),
    Configuration("mcs log:calls", "mono", ["log:nodefaults,calls,callspec=all,calldepth=100,output=@"], {}),
]


def seconds_of_children():
    times = os.times()
    return times.children_user + times.children_system


class Bench(harness.Suite):
    def environment(self, configuration, runtime, output):
        settings = dict(configuration.settings, MONOCLE_RUN_ALL="1")
        if configuration.modules == "hooks":
            return harness.bare_environment(dict(
                settings, CORECLR_ENABLE_PROFILING="1", CORECLR_PROFILER=harness.CLR_GUID,
                CORECLR_PROFILER_PATH=str(self.build.path / "test/bench/bench-hooks.so")))
        if not configuration.modules:
            return harness.bare_environment(settings)
        modules = [m.replace("@", str(output)) for m in configuration.modules]
        return harness.profile_environment(self.build, runtime, modules, settings)

    def command(self, runtime, compiler):
        target = self.work / "compiled.exe"
        sources = [CONTEXTS / name for name in ("main.cs", "special.cs", "log.cs")]
        sources.append(self.build.path / "test/conformance/contexts/rows.cs")
        if runtime.kind == "mono":
            # Debian's class library and mcs are precompiled; that code has no enters and leaves.
            return ["mono", "-O=-aot", MONO_LIBRARY / "mcs.exe", "-unsafe", "-nowarn:169,649,414",
                    "-out:%s" % target] + sources
        references = ["-r:%s" % (MONO_LIBRARY / name) for name in ("mscorlib.dll", "System.Core.dll")]
        return runtime.command(compiler) + ["-nologo", "-noconfig", "-nostdlib", "-unsafe", "-warn:0",
                                            "-out:%s" % target] + references + sources

    def measure(self, configuration, runtime, compiler):
        """Seconds of CPU time, and how many calls the runtime's hooks were told of."""
        output = self.work / "compilers-output"
        env = self.environment(configuration, runtime, output)
        begin = seconds_of_children()
        seen = harness.run(self.command(runtime, compiler), env, cwd=self.work, timeout=600)
        seconds = seconds_of_children() - begin
        for file in self.work.glob("compilers-output*"):
            file.unlink()
        self.check(seen.code == 0, configuration.label + " runs", seen)
        counted = COUNTED.search(seen.err)
        return seconds, int(counted[1]) if counted else None

    def table(self, configurations, rounds, measured):
        print("seconds of CPU time, the least of %d rounds, and how often the bare run's" % rounds)
        for c in configurations:
            bare = measured.get(c.label.split()[0] + " bare")
            seconds, calls = min(measured[c.label])
            print("%-26s%8.2f%8.1f%s" % (c.label, seconds, seconds / min(bare)[0],
                                         "   %.1f million calls" % (calls / 1e6) if calls else ""))


def main():
    suite = Bench("compilers-bench", __doc__)
    suite.parser.add_argument("--rounds", type=int, default=3)
    suite.parser.add_argument("--smoke", action="store_true", help="one round of what is quick: does it run?")
    options = suite.parse()
    script = [str(HERE.parent / "conformance/programs/csc.sh"), "--where"]
    compiler = subprocess.run(script, capture_output=True, text=True).stdout.strip()
    runtimes = {r.name: r for r in suite.runtimes(["mono", "clr10"])}
    if not compiler or not (MONO_LIBRARY / "mcs.exe").exists():
        suite.skip("compilers", "the SDK's or Mono's compiler is absent", "coreclr")
        return suite.finish()
    configurations = [c for c in CONFIGURATIONS if c.runtime in runtimes and (
        c.modules != "hooks" or (suite.build.path / "test/bench/bench-hooks.so").exists())]
    if options.smoke:
        options.rounds = 1
        configurations = [c for c in configurations if c.label in ("csc bare", "csc the runtime's hooks", "mcs bare")]
    measured = collections.defaultdict(list)
    for _ in range(options.rounds):
        for c in configurations:
            measured[c.label].append(suite.measure(c, runtimes[c.runtime], compiler))
    suite.table(configurations, options.rounds, measured)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
