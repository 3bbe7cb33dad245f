#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples at 10 kHz while a program does everything that could meet them at a bad moment (storm.cs).

The program must not crash, hang, lose an exception or see an interrupted system call that it would not have seen.

  storm.py --build DIR [--runtimes clr10] [--seconds N] [--rate HZ] [--mode process|real] [--engine perf,timer,paced]
           [--walk] [--parts NAME,NAME]
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

SIZES = {"process": 0.02, "real": 0.02}  # hits that come at least, as a share of rate times seconds


class Storm(harness.Suite):
    def numbers(self, text):
        rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
        return {row[0]: int(row[1]) for row in rows}

    def storm(self, runtime, mode, engine, walk):
        options = self.options
        what = "%s, %s, %s%s" % (runtime, mode, engine or "any engine", ", walking" if walk else "")
        file = self.work / "hits.tsv"
        file.unlink(missing_ok=True)
        module = "hits:%s,mode=%s,freq=%d%s" % (file, mode, options.rate, ",walk" if walk else "")
        env = harness.profile_environment(self.build, runtime, [module], {"MONOCLE_SAMPLER": engine} if engine else {})
        exe = self.build.path / "test/conformance/sampling/storm.exe"
        command = runtime.command(exe) + [str(options.seconds)] + ([options.parts] if options.parts else [])
        seen = harness.run(command, env, cwd=self.work, timeout=options.seconds + 240)
        if not self.check(seen.code == 3, what + ": the program ends as it should", seen):
            return
        self.check(not [x for x in seen.err.splitlines() if not x.startswith("monocle: sampling at")],
                   what + ": nothing is wrong", seen)
        if not self.check(file.exists(), what + ": the module is told of the end", seen):
            return
        hits, did = self.numbers(file.read_text()), self.numbers(seen.out)
        least = SIZES[mode] * options.rate * options.seconds
        self.check(hits["hits"] > least and not hits["wrong"], what + ": samples come", hits)
        if mode == "process":
            # The death of a child is a signal, too. The pacer knows only that a thread was just running.
            few = did.get("Children", 0) / 20 + 1 + ("engine:paced" in hits) * did.get("Wait", 0) / 20
            self.check(did["interrupted"] <= few,
                       what + ": system calls are not interrupted", (did, hits))
        if options.verbose:
            print(what, hits, did)


def main():
    suite = Storm("storm", __doc__)
    suite.parser.add_argument("--runtimes", default="clr10")
    suite.parser.add_argument("--seconds", type=int, default=6)
    suite.parser.add_argument("--rate", type=int, default=10000)
    suite.parser.add_argument("--mode", default="process,real")
    suite.parser.add_argument("--engine", default="")
    suite.parser.add_argument("--parts", default="")
    suite.parser.add_argument("--walk", action="store_true", help="walk the stack in each sample")
    options = suite.parse()
    if not (suite.build.path / "test/conformance/sampling/storm.exe").exists():
        suite.skip("storm", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        for mode in options.mode.split(","):
            for engine in options.engine.split(",") if mode == "process" else [""]:
                suite.storm(runtime, mode, engine, options.walk)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
