#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The methods of the class library's core compile with counters: those of each eighth type, with --full all of them.
The SDK's compiler works with counters everywhere (--full).

The core has no symbols beside it: its points are where the stack is empty, which are more than lines would be. The
compiler, its framework and the core are counted whole while it compiles, and must write the same bytes.

  forced.py --build DIR [--runtimes clr8,...]
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

MODES = {"clr8": "mode=counts,low", "clr9": "mode=own", "clr10": "mode=hits", "clr11": "mode=hits"}
MONO_LIBRARY = pathlib.Path("/usr/lib/mono/4.5")


class Forced(harness.Suite):
    def run(self, what, runtime, command, options, least):
        output = self.work / "forced.tsv"
        output.unlink(missing_ok=True)
        module = "counted:brief,%s,output=%s" % (options, output)
        env = harness.profile_environment(self.build, runtime, [module], {"MONOCLE_RUN_ALL": "1"})
        seen = harness.run(command, env, self.work, timeout=300)
        if self.check(output.exists(), what + ": the module wrote", seen):
            methods, points, covered = (int(n) for n in output.read_text().split("\t")[1:4])
            self.check(methods >= least and points > 3 * methods and covered > 1000,
                       what + ": everything is counted", output.read_text())
        return seen

    def core(self, runtime):
        what = "the core of %s" % runtime
        exe, step = self.build.path / "test/conformance/coverage/prepare.exe", 1 if self.options.full else 8
        if not exe.exists():
            self.skip(what, "not compiled: there is no SDK", "coreclr")
            return
        command = [*runtime.command(exe), step]
        bare = self.bare(command, timeout=300)
        options = MODES[runtime.name] + ",image=System.Private.CoreLib"
        seen = self.run(what, runtime, command, options, 30000 // step)
        self.check((seen.code, seen.out, seen.err) == (bare.code, bare.out, bare.err),
                   what + ": compiles as it does without counters", "%s\nbare: %s" % (seen, bare))

    def compiler(self, runtime):
        script = HERE.parent / "programs/csc.sh"
        where = subprocess.run([script, "--where"], capture_output=True, text=True).stdout.strip()
        if not where:
            self.skip("the SDK's compiler", "there is none, or no class library of Mono's to compile for", "coreclr")
            return
        target = self.work / "classic.exe"  # one name for both: it is written into the assembly
        references = ["-r:%s" % (MONO_LIBRARY / name) for name in ("mscorlib.dll", "System.Core.dll")]
        command = runtime.command(where) + ["-nologo", "-noconfig", "-nostdlib", "-unsafe", "-deterministic", "-warn:0",
                                            "-out:%s" % target, *references, HERE / "classic.cs", HERE / "marks.cs"]
        bare = harness.run(command, harness.bare_environment(), self.work, timeout=300)
        if not self.check(bare.code == 0, "the compiler compiles", bare):
            return
        plain = target.read_bytes()
        target.unlink()
        seen = self.run("the compiler", runtime, command, "mode=hits", 20000)
        self.check((seen.code, seen.out, seen.err) == (bare.code, bare.out, bare.err),
                   "the compiler says the same", seen)
        self.check(target.exists() and target.read_bytes() == plain, "the assembly is the same byte for byte")


def main():
    suite = Forced("forced", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse("clr10", harness.NET)
    runtimes = suite.runtimes()
    for runtime in runtimes:
        suite.core(runtime)
    for runtime in (r for r in runtimes if r.name in suite.newer and suite.options.full):
        suite.compiler(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
