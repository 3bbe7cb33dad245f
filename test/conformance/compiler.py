#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every method of every image is probed, the framework and CoreLib included.

Every call must end: by return or by exception. Only calls of threads that still run when the runtime ends (the pool's
workers in their waits) may be open. The program exceptions.cs throws through frames of the framework, on each runtime.
With --full the SDK's C# compiler, which makes twelve million calls and throws nothing, must write byte for byte what it
writes without us.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import counts  # noqa: E402
import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MONO_LIBRARY = pathlib.Path("/usr/lib/mono/4.5")
WAITING = re.compile(r"^(System\.Threading\.|Interop/|Microsoft\.Win32\.SafeHandles\.)")


def seconds_of_children():
    times = os.times()
    return times.children_user + times.children_system


class Compiler(harness.Suite):
    def compile(self, runtime, compiler, target, modules):
        env = harness.bare_environment()
        if modules:
            # Compilers are the SDK's own processes, which decline to be profiled unless asked.
            env = harness.profile_environment(self.build, runtime, modules, {"MONOCLE_RUN_ALL": "1"})
        references = ["-r:%s" % (MONO_LIBRARY / name) for name in ("mscorlib.dll", "System.Core.dll")]
        options = ["-nologo", "-noconfig", "-nostdlib", "-unsafe", "-deterministic", "-out:%s" % target]
        source = HERE / "programs" / "language.cs"
        command = runtime.command(compiler) + options + references + [source]
        return harness.run(command, env, cwd=self.work, timeout=300)

    def balanced(self, rows):
        odd = ["%s %s" % (m, tuple(r)) for m, r in sorted(rows.items())
               if r.enter != r.leave + r.tail + r.exception
               and not (WAITING.match(m) and r.enter > r.leave + r.tail + r.exception)]
        self.check(not odd, "every call ends", "\n    " + "\n    ".join(odd))
        total = [sum(column) for column in zip(*rows.values())]
        print("%d methods: %d calls, %d returns, %d tail calls, %d exceptional exits" % (len(rows), *total))

    def throwing(self, runtime):
        """Exceptional exits, with the framework's own frames probed as well."""
        what, file = "%s exceptions, all images" % runtime, self.work / ("%s.tsv" % runtime)
        command = runtime.command(self.build.exe("exceptions"))
        bare = harness.run(command, harness.bare_environment(), cwd=self.work)
        env = harness.profile_environment(self.build, runtime, ["counter:output=%s" % file])
        seen = harness.run(command, env, cwd=self.work)
        self.check((bare.code, bare.out, bare.err) == (seen.code, seen.out, seen.err), what + ": prints the same", seen)
        if self.check(file.exists(), what + ": the module wrote its counts", seen):
            rows, lost = counts.read_counter(file)
            self.check(lost == 0 and sum(r.exception for r in rows.values()) > 100, what + ": exceptional exits", lost)
            self.balanced(rows)
        if runtime.name in self.newer:
            file = self.work / "everything.txt"
            environment = harness.profile_environment(self.build, runtime, ["everything:output=%s" % file])
            seen = harness.run(command, environment, cwd=self.work)
            self.check((bare.code, bare.out, bare.err) == (seen.code, seen.out, seen.err),
                       what + ", with contexts: prints the same", seen)
            self.all_have_contexts(what, seen, file, 10000)

    def all_have_contexts(self, what, seen, file, least):
        if not self.check(file.exists(), what + ": the module wrote its numbers", seen):
            return 0
        enters, leaves, tails, exceptions, without, _ = (int(word) for word in file.read_text().split())
        self.check(enters > least and without == 0, what + ": every call has a context", file.read_text())
        # Threads of the pool wait when the runtime ends.
        self.check(0 <= enters - leaves - tails - exceptions < 200, what + ": every call with a context ends",
                   file.read_text())
        return enters

    def run(self, runtime, compiler):
        # One name for both: it is written into the assembly.
        target, file = self.work / "language.exe", self.work / "counter.tsv"
        begin = seconds_of_children()
        bare = self.compile(runtime, compiler, target, [])
        self.bare_seconds = seconds_of_children() - begin
        if not self.check(bare.code == 0, "the compiler compiles", bare):
            return
        plain = target.read_bytes()
        target.unlink()
        seen = self.compile(runtime, compiler, target, ["counter:output=%s" % file])
        self.check((bare.code, bare.out, bare.err) == (seen.code, seen.out, seen.err),
                   "the compiler says the same", seen)
        self.check(target.exists() and target.read_bytes() == plain, "the assembly is the same byte for byte")
        if self.check(file.exists(), "the module wrote its counts", seen):
            rows, lost = counts.read_counter(file)
            self.check(lost == 0, "no event lost", lost)
            self.check(len(rows) > 5000, "the framework is probed as well", len(rows))
            self.balanced(rows)
        self.contexts(runtime, compiler, target, plain)

    def contexts(self, runtime, compiler, target, plain):
        """The same with a context for every call, and everything ready that any getter could be asked for."""
        target.unlink()
        file, begin = self.work / "everything.txt", seconds_of_children()
        seen = self.compile(runtime, compiler, target, ["everything:unread,output=%s" % file])
        seconds = seconds_of_children() - begin
        self.check(seen.code == 0 and not seen.out and not seen.err, "the compiler says the same with contexts", seen)
        self.check(target.exists() and target.read_bytes() == plain, "the assembly is the same with contexts")
        calls = self.all_have_contexts("the compiler", seen, file, 1000000)
        print("contexts for %d calls: %.1f s of CPU, bare %.1f" % (calls, seconds, self.bare_seconds))


def main():
    suite = Compiler("compiler", __doc__)
    options = suite.parse()
    script = [str(HERE / "programs" / "csc.sh"), "--where"]
    where = subprocess.run(script, capture_output=True, text=True).stdout.strip() if options.full else ""
    if where:
        for runtime in suite.runtimes(suite.newer):
            suite.run(runtime, where)
    elif options.full:
        suite.skip("the SDK's compiler", "there is none, or no class library of Mono's to compile for", "coreclr")
    if suite.build.exe("exceptions").exists():
        for runtime in suite.runtimes(suite.net):
            suite.throwing(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
