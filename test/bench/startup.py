#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a profiler adds to the life of a process: hello world with an idle module, and the SDK's compiler under `calls`.

Bare and profiled runs alternate; a figure is the median of the differences of neighbours, in milliseconds, with the
range of their middle half.
"""
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

CSC = harness.TEST / "conformance" / "programs" / "csc.sh"
SOURCE = harness.TEST / "conformance" / "programs" / "language.cs"


class Startup(harness.Suite):
    def seconds(self, command, env):
        start = time.monotonic()
        seen = harness.run(command, env, cwd=self.work, timeout=120)
        elapsed = time.monotonic() - start
        self.check(seen.code == 0, "runs", seen)
        for file in self.work.glob("output*"):
            file.unlink()
        return elapsed

    def compare(self, label, runtime, command, modules, bound, settings=None, beside=None):
        """Bare runs, or those under the module `beside`, against profiled ones."""
        bare = harness.profile_environment(self.build, runtime, [beside], settings) if beside \
            else harness.bare_environment(settings)
        profiled = harness.profile_environment(self.build, runtime, modules, settings)
        self.seconds(command, bare)
        self.seconds(command, profiled)
        pairs = [(self.seconds(command, bare), self.seconds(command, profiled)) for _ in range(self.options.rounds)]
        base = statistics.median(a for a, _ in pairs) * 1000
        quarter, middle, three = statistics.quantiles([(b - a) * 1000 for a, b in pairs], n=4)
        limit = bound(base)
        print("%-36s bare %7.1f ms, added %+6.1f ms (%+.1f .. %+.1f), %+5.1f %%   <= %.1f ms%s" %
              (label, base, middle, quarter, three, middle / base * 100, limit, "" if middle <= limit else " !"))

    def compiler(self, runtime):
        compiler = subprocess.run([str(CSC), "--where"], capture_output=True, text=True).stdout.strip()
        if not compiler:
            self.skip("the SDK's compiler", "there is none")
            return
        references = ["-r:/usr/lib/mono/4.5/mscorlib.dll", "-r:/usr/lib/mono/4.5/System.Core.dll"]
        options = ["-nologo", "-noconfig", "-nostdlib", "-unsafe", "-deterministic"]
        command = runtime.command(compiler) + options + references + ["-out:%s" % (self.work / "output.exe"), SOURCE]
        settings = {"MONOCLE_RUN_ALL": "1"}
        self.compare("compiler, calls on own images", runtime, command, ["calls:output=output.pb.gz"],
                     lambda base: base * 0.05, settings)


def main():
    suite = Startup("startup", __doc__)
    suite.parser.add_argument("--rounds", type=int, default=15)
    options = suite.parse()
    runtimes = {r.name: r for r in suite.runtimes(["mono", "clr10"])}
    hello = suite.build.exe("fib")
    for runtime in runtimes.values():
        command = runtime.command(hello) + ["1"]
        # A module that asks for no method: what it costs to have us in the process at all.
        suite.compare("%s hello, idle module" % runtime, runtime, command, ["empty:nothing"], lambda base: 25)
        suite.compare("%s hello, calls" % runtime, runtime, command, ["calls:output=output.pb.gz"], lambda base: 25)
    if "clr10" in runtimes:
        command = runtimes["clr10"].command(hello) + ["1"]
        suite.compare("clr10 hello, ready for samples", runtimes["clr10"], command, ["quiet:sampling"], lambda base: 5,
                      beside="quiet")
        suite.compiler(runtimes["clr10"])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
