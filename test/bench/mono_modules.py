#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Mono's own log profiler costs, the same file on Mono and on CoreCLR, beside our modules where those answer the
same question.

Each question has a program, and a number of things in it that a module is told of: calls, allocations. A figure is what
a run took of the processor beyond the bare run, all threads of the module included, by such a thing in nanoseconds; for
samples, in per cent of the bare run. All ways of a round follow each other in changing order, and figures are made of
the medians over rounds. Start and end are part of a run; a run is long enough that they are little of it.

  mono_modules.py --build DIR [--rounds N] [--runtimes mono,clr10] [--smoke]
"""
import collections
import pathlib
import resource
import statistics
import sys

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TEST), str(TEST / "conformance/internals")]
import harness  # noqa: E402
import package  # noqa: E402

# name, program, arguments, things (0: per cent), modules; `OUT` is a file
Question = collections.namedtuple("Question", "name exe arguments things modules")
QUESTIONS = [
    Question("calls", "test/conformance/programs/fib.exe", ["28"], 1028457,
             ["log:calls,calldepth=1000,output=OUT", "calls:output=OUT"]),
    Question("allocations", "test/bench/heavy.exe", ["gc", "200"], 200 * 8194,
             ["log:alloc,output=OUT"]),
    Question("samples, 1 kHz", "test/bench/busy.exe", ["20000"], 0,
             ["log:sample=1000,output=OUT", "sample:freq=1000,output=OUT"]),
]


class Bench(harness.Suite):
    def used(self, command, env):
        """Processor seconds of a whole run."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seen = harness.run(command, env, cwd=self.work, timeout=300)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.check(seen.code == 0, " ".join(str(word) for word in command[-3:]) + " runs", seen)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def ways(self, question, runtimes):
        """{(runtime, module): (command, environment)}, "" for the bare run."""
        ways, out = {}, str(self.work / "out")
        for runtime in runtimes:
            prefix = ["mono"] if runtime.kind == "mono" else runtime.prefix
            command = prefix + [str(self.build.path / question.exe), *question.arguments]
            ways[runtime.name, ""] = command, harness.bare_environment()
            for module in question.modules:
                desc = module.replace("OUT", out)
                env = (package.environment(self.build, runtime, desc) if desc.startswith("log:") else
                       harness.profile_environment(self.build, runtime, [desc]))
                ways[runtime.name, module.split(":")[0]] = command, env
        return ways

    def ask(self, question, runtimes):
        ways = self.ways(question, runtimes)
        found = collections.defaultdict(list)
        chance = harness.chance(1)
        for _ in range(self.options.rounds):
            for key in chance.sample(list(ways), len(ways)):
                found[key].append(self.used(*ways[key]))
                for left in self.work.iterdir():
                    left.unlink()
        return {key: statistics.median(values) for key, values in found.items()}

    def print_rows(self, question, runtimes, medians):
        unit = "ns each" if question.things else "%"
        print("\n%s (%s %s)" % (question.name, question.exe.split("/")[-1], " ".join(question.arguments)))
        costs = {}
        for runtime in runtimes:
            bare = medians[runtime.name, ""]
            for (name, module), value in medians.items():
                if name == runtime.name and module:
                    more = value - bare
                    costs[name, module] = more * 1e9 / question.things if question.things else 100 * more / bare
        for (name, module), cost in costs.items():
            print("%-6s %-8s %10.1f %s" % (name, module, cost, unit))
        for (name, module), cost in costs.items():
            if module == "log" and name != "mono" and costs.get(("mono", "log"), 0) > 0:
                print("%s log / mono log        %8.2f" % (name, cost / costs["mono", "log"]))
            elif module != "log" and cost > 0:
                print("%s log / %s %s %14.2f" % (name, name, module, costs[name, "log"] / cost))


def main():
    suite = Bench("mono-modules", __doc__.splitlines()[0])
    suite.parser.add_argument("--rounds", type=int, default=9)
    suite.parser.add_argument("--runtimes", default="mono,clr8,clr10")
    suite.parser.add_argument("--smoke", action="store_true", help="one round, of little work")
    options = suite.parse()
    if package.missing(suite, "log"):
        return suite.finish()
    runtimes = suite.runtimes(options.runtimes.split(","))
    for question in QUESTIONS:
        if options.smoke:
            options.rounds = 1
            question = question._replace(arguments=[{"28": "12", "200": "2", "20000": "20"}.get(a, a)
                                                    for a in question.arguments])
        suite.print_rows(question, runtimes, suite.ask(question, runtimes))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
