#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the module `exceptions` adds to a throw: bare, and with each kind of output. What a finally block costs.

One program throws and catches at depths of 5 and 40 frames, five times in each of several rounds, in which the outputs
take turns. Another one runs finally blocks, to which no exception leads, bare and with the cheapest module that listens
to exception_clause; its figures are CPU time. A figure is the least of all: what else runs on the machine only ever
adds.
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402

KINDS = {"bare": None, "profile": "exceptions", "text": "exceptions:text", "log": "exceptions:log,buffer=64m"}


class Bench(harness.Suite):
    def measure(self, runtime, kind, image, count, depth):
        """Microseconds per throw."""
        desc = KINDS[kind]
        env = harness.bare_environment()
        if desc:
            glue = "," if ":" in desc else ":"
            out = self.work / "out"
            out.unlink(missing_ok=True)
            env = harness.profile_environment(self.build, runtime, ["%s%soutput=%s" % (desc, glue, out)])
        seen = harness.run([*runtime.command(image), str(count), str(depth)], env, cwd=self.work, timeout=300)
        self.check(seen.code == 0, "%s %s" % (runtime, kind), seen)
        return min(float(word) for word in seen.out.split()) if seen.code == 0 else 0


    def blocks(self, runtime, module, image, count):
        """Nanoseconds per finally block."""
        env = harness.profile_environment(self.build, runtime, [module]) if module else harness.bare_environment()
        # --debug would switch off optimisations of Mono's JIT.
        prefix = ["mono"] if runtime.kind == "mono" else runtime.prefix
        seen = harness.run([*prefix, image, str(count), "5"], env, cwd=self.work, timeout=300)
        self.check(seen.code == 0, "%s %s" % (runtime, module or "bare blocks"), seen)
        return min(float(word) for word in seen.out.split()) if seen.code == 0 else 0


def compile_program(bench, name):
    image = bench.work / (name + ".exe")
    subprocess.run(["mcs", "-optimize+", "-out:%s" % image, HERE / (name + ".cs")], check=True)
    shutil.copy(HERE.parent / "conformance/programs/runtimeconfig.json", image.with_suffix(".runtimeconfig.json"))
    return image


def blocks_table(bench, runtimes, options):
    image = compile_program(bench, "blocks")
    print("\nns of CPU time per finally block, the least of %d rounds" % options.rounds)
    print("%-24s%14s%14s" % ("", "bare", "listened to"))
    for runtime in runtimes:
        figures = [[bench.blocks(runtime, module, image, options.blocks) for module in (None, "clauses")]
                   for _ in range(options.rounds)]
        print("%-24s" % runtime + "".join("%14.2f" % min(column) for column in zip(*figures)))


def main():
    bench = Bench("exceptions-bench", __doc__)
    bench.parser.add_argument("--runtimes", default="mono,clr8,clr10")
    bench.parser.add_argument("--rounds", type=int, default=3)
    bench.parser.add_argument("--count", type=int, default=10000)
    bench.parser.add_argument("--blocks", type=int, default=30000000)
    options = bench.parse()
    if not shutil.which("mcs"):
        bench.skip("exceptions", "no mcs", "mono")
        return bench.finish()
    image = compile_program(bench, "throwing")
    depths = (5, 40)
    print("us per throw, the least of %d rounds" % options.rounds)
    print("%-24s" % "" + "".join("%14s" % ("%d frames" % depth) for depth in depths))
    runtimes = bench.runtimes(options.runtimes.split(","))
    for runtime in runtimes:
        figures = {(kind, depth): [] for kind in KINDS for depth in depths}
        for _ in range(options.rounds):
            for kind, depth in figures:
                figures[kind, depth].append(bench.measure(runtime, kind, image, options.count, depth))
        for kind in KINDS:
            print("%-24s" % ("%s %s" % (runtime, kind))
                  + "".join("%14.2f" % min(figures[kind, depth]) for depth in depths))
        sys.stdout.flush()
    blocks_table(bench, runtimes, options)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
