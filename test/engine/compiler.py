#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The SDK's C# compiler with every method of every image probed: its output must not change, and the books balance.

Each thread keeps the calls it is in. At the end enters = exits + open holds for every definition, no exit was ever of
anything but the innermost call, and threads that ended left nothing open.
"""
import pathlib
import sys

import configurations


class Compiler(configurations.EngineSuite):
    def compile(self, runtime, compiler, references, target, profiled):
        sources = sorted((configurations.HERE / "programs").glob("*.cs"))
        lines = ['-r:"%s"' % r for r in sorted(references.glob("*.dll"))]
        rsp = self.work / "references.rsp"
        rsp.write_text("\n".join(lines + ['-r:"%s"' % (self.folder / "shapes-il.dll")]))
        command = [compiler, "-nologo", "-noconfig", "-nostdlib", "-unsafe", "-deterministic", "-langversion:13",
                   "-debug:portable", "-optimize+", "-nowarn:CS0649", "-out:%s" % target, "@%s" % rsp] + sources
        if profiled:
            # Compilers are the SDK's own processes, which decline to be profiled unless asked.
            return self.under(runtime, command, [], {"MONOCLE_RUN_ALL": "1"})
        return self.bare(runtime, command), None

    def judge(self, counts):
        self.sound("the compiler", counts)
        total = [sum(column) for column in zip(*counts.rows.values())]
        open_sum = sum(depth for state, depth in counts.threads)
        self.check(total[0] == sum(total[1:]), "all enters = all exits + open", total)
        self.check(total[4] == open_sum, "what is open is what living threads are in", (total[4], counts.threads))
        self.check(len(counts.rows) > 5000, "the framework is probed as well", len(counts.rows))
        print("%d definitions: %d enters = %d leaves + %d tail calls + %d exceptional exits + %d open (threads: %s)"
              % (len(counts.rows), *total, ", ".join("%s %d" % t for t in counts.threads)))

    def run(self, runtime, compiler, references):
        # One name for both: it is written into the assembly.
        target, pdb = self.work / "shapes.dll", self.work / "shapes.pdb"
        bare, _ = self.compile(runtime, compiler, references, target, False)
        if not self.check(bare.code == 0, "the compiler compiles", bare):
            return
        plain = [f.read_bytes() for f in (target, pdb)]
        target.unlink(), pdb.unlink()
        seen, counts = self.compile(runtime, compiler, references, target, True)
        self.check((bare.code, bare.out, bare.err) == (seen.code, seen.out, seen.err), "the compiler says the same",
                   "%s\n--- stderr begins\n%s" % (seen, seen.err[:1500]))
        if self.check(target.exists() and pdb.exists(), "it writes its files", seen):
            made = [f.read_bytes() for f in (target, pdb)]
            self.check(made == plain, "assembly and symbols are the same, byte for byte")
        if self.check(counts is not None, "the module wrote its counts", seen):
            self.judge(counts)


def main():
    suite = Compiler("engine-compiler", __doc__)
    suite.parse()
    suite.folder = suite.programs()
    if suite.folder:
        compiler, references = configurations.where()
        for runtime in suite.runtimes(suite.newer):
            suite.run(runtime, compiler, pathlib.Path(references))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
