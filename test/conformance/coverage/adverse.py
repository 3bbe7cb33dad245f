#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What coverage must outlive: images that are unloaded, methods that change while they run, symbols that are damaged.

  adverse.py --build DIR [--runtimes clr8,clr9,clr10] [--seed N] [--rounds N]
"""
import pathlib
import random
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
import harness  # noqa: E402
from coverage import Dump  # noqa: E402

EDITABLE = {"DOTNET_MODIFIABLE_ASSEMBLIES": "debug"}
COUNTED = {"Changed:Run (int)": {4: 1, 6: 6}, "Changed:Same (int)": {11: 8, 12: 4, 13: 4}}


class Adverse(harness.Suite):
    def exe(self, folder, name):
        path = self.build.path / "test/conformance/coverage" / folder / (name + ".exe")
        if not path.exists():
            self.skip(name, "it was not compiled")
        return path if path.exists() else None

    def run(self, what, runtime, command, options, image, settings=None):
        """The outcome without us and with, which must be the same, and the dump, names as it may have them."""
        output = self.work / "dump.tsv"
        output.unlink(missing_ok=True)
        bare = harness.run(command, harness.bare_environment(settings), self.work)
        module = "counted:%s,image=%s,output=%s" % (options, image, output)
        env = harness.profile_environment(self.build, runtime, [module], settings)
        seen = harness.run(command, env, self.work)
        self.check((seen.code, seen.out) == (bare.code, bare.out), what + ": the program does what it does without us",
                   "%s\nbare: %s" % (seen, bare))
        whole = output.exists() and output.read_bytes().endswith(b"\nend\tok\n")
        return seen, Dump(output) if self.check(whole, what + ": all was written", seen) else None

    def unloaded(self, runtime):
        exe = self.exe("guests", "guest")
        for options in ("mode=hits", "mode=counts", "mode=counts,contexts,clauses") if exe else ():
            what = "%s, contexts unloaded, %s" % (runtime, options)
            seen, _ = self.run(what, runtime, [*runtime.command(exe), "5"], options, "guest")
            self.check(not seen.err and seen.out.endswith(" 0\n"), what + ": nothing stays", seen)

    def updated(self, runtime):
        """A method keeps what was counted before it changed, its new body is not counted, and others go on."""
        exe = self.exe("guests", "update")
        for options in ("mode=own", "mode=counts") if exe else ():
            what = "%s, hot reload, %s" % (runtime, options)
            command = [*runtime.command(exe), self.work]
            seen, dump = self.run(what, runtime, command, options, "changed", EDITABLE)
            for name, lines in COUNTED.items() if dump else ():
                mine = {p.line: p.counter for p in dump.points.values() if dump.names[p.token] == name}
                self.check({n: mine.get(n) for n in lines} == lines, "%s: %s" % (what, name), mine)

    def damaged(self, runtime, rounds, seed):
        """The symbols of code in which every instruction has a line: bytes of the blobs change."""
        exe = self.exe("lines", "odd")
        if not exe:
            return
        for file in exe.parent.glob("odd.*"):
            shutil.copy(file, self.work)
        symbols = self.work / "odd.pdb"
        good = symbols.read_bytes()
        chance = random.Random(seed)
        begin = good.index(b"#Blob") + 8  # what comes behind the streams' names
        for i in range(rounds):
            bad = bytearray(good)
            for _ in range(1 + i % 8):
                bad[chance.randrange(begin, len(bad))] = chance.choice((0, 1, 2, 0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xff))
            symbols.write_bytes(bad)
            options = ("mode=counts", "mode=hits", "mode=counts,contexts,clauses")[i % 3]
            self.run("%s, symbols %d of seed %d" % (runtime, i, seed), runtime,
                     runtime.command(self.work / "odd.exe"), options, "odd")


def main():
    suite = Adverse("adverse", __doc__)
    suite.parser.add_argument("--runtimes", default="clr8,clr9,clr10")
    suite.parser.add_argument("--seed", type=int, default=1)
    suite.parser.add_argument("--rounds", type=int, default=12)
    options = suite.parse()
    runtimes = suite.runtimes(options.runtimes.split(","))
    for runtime in runtimes:
        suite.unloaded(runtime)
    for runtime in runtimes[-1:]:
        suite.updated(runtime)
        suite.damaged(runtime, options.rounds, options.seed)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
