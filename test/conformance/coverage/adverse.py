#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What coverage must outlive: images that are unloaded, methods that change while they run, symbols that are damaged.

  adverse.py --build DIR [--runtimes clr8,...]
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
import harness  # noqa: E402
from coverage import Dumps  # noqa: E402

EDITABLE = {"DOTNET_MODIFIABLE_ASSEMBLIES": "debug"}
MODES = ("mode=hits", "mode=counts", "mode=counts,contexts,clauses")
DAMAGED = 12  # copies
COUNTED = {"Changed:Run (int)": {4: 1, 6: 6}, "Changed:Same (int)": {11: 8, 12: 4, 13: 4}}


class Adverse(harness.Suite):
    def exe(self, name):
        return self.build.path / ("test/conformance/coverage/%s.exe" % name)

    def run(self, what, runtime, command, options, settings=None):
        """The outcome, which must be that without us, and the dumps, names as they may have them."""
        bare = self.bare(command, settings)
        output = self.work / "dump.tsv"
        output.unlink(missing_ok=True)
        module = "counted:%s,output=%s" % (options, output)
        env = harness.profile_environment(self.build, runtime, [module], settings)
        seen = harness.run(command, env, self.work)
        self.check((seen.code, seen.out) == (bare.code, bare.out), what + ": the program does what it does without us",
                   "%s\nbare: %s" % (seen, bare))
        whole = output.exists() and output.read_bytes().endswith(b"\nend\tok\n")
        return seen, Dumps(output) if self.check(whole, what + ": all was written", seen) else {}

    def unloaded(self, runtime, modes):
        command = [*runtime.command(self.exe("guest")), "5"]
        for mode in modes:
            what = "%s, contexts unloaded, %s" % (runtime, mode)
            seen, _ = self.run(what, runtime, command, mode + ",image=guest")
            self.check(not seen.err and seen.out.endswith(" 0\n"), what + ": nothing stays", seen)

    def updated(self, runtime, modes):
        """A method keeps what was counted before it changed, its new body is not counted, and others go on."""
        command = [*runtime.command(self.exe("update/update")), self.work]
        for mode in modes:
            what = "%s, hot reload, %s" % (runtime, mode)
            _, dumps = self.run(what, runtime, command, mode + ",image=changed", EDITABLE)
            for name, lines in COUNTED.items() if dumps else ():
                dump = dumps["changed"]
                mine = {p.line: p.counter for p in dump.points.values() if dump.names[p.token] == name}
                self.check({n: mine.get(n) for n in lines} == lines, "%s: %s" % (what, name), mine)

    def damaged(self, runtime, modes):
        """Copies of code in which every instruction has a line, one after the other in a process: of the symbols of
        each, bytes of the blobs change."""
        exe = self.exe("lined")
        image, good = exe.read_bytes(), exe.with_suffix(".pdb").read_bytes()
        chance = harness.chance(1)
        begin = good.index(b"#Blob") + 8  # what comes behind the streams' names
        names = ["bad%02d" % number for number in range(DAMAGED)]
        for number, name in enumerate(names):
            bad = bytearray(good)
            for _ in range(1 + number % 8):
                bad[chance.randrange(begin, len(bad))] = chance.choice((0, 1, 2, 0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xff))
            (self.work / (name + ".exe")).write_bytes(image.replace(b"lined", name.encode()))
            (self.work / (name + ".pdb")).write_bytes(bad)
        (self.work / "programs.tsv").write_text("".join("%s/%s.exe\n" % (self.work, name) for name in names))
        command = [*runtime.command(self.build.exe("each")), self.work / "programs.tsv"]
        images = ",".join("image=" + name for name in names)
        for mode in modes:
            _, dumps = self.run("%s, damaged symbols, %s" % (runtime, mode), runtime, command,
                                "%s,%s" % (mode, images))
            self.check(set(dumps) == set(names), "%s, damaged symbols: all images are counted" % runtime, list(dumps))


def main():
    suite = Adverse("adverse", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse("clr10", harness.NET)
    if not suite.exe("lined").exists() or not suite.exe("guest").exists():
        suite.skip("all of it", "the programs were not compiled")
        return suite.finish()
    runtimes = suite.runtimes()
    for runtime in runtimes:
        suite.unloaded(runtime, MODES if options.full else MODES[-1:])
    for runtime in (r for r in runtimes if r.name in suite.newer):
        suite.updated(runtime, ("mode=own", "mode=counts") if options.full else ("mode=counts",))
        suite.damaged(runtime, MODES if options.full else MODES[-1:])
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
