#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the module `calls` costs on Mono: per enter and leave, at start and exit, and how many paths it takes.

    calls_mono.py --build DIR [--calls N] [--rounds N]

Configurations take turns, so that a slow minute of the machine hits all of them; figures are medians, with the least in
parentheses. `log:calls` makes a fiftieth of the calls, because it writes each into a file.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

LOOPS = ("fib", "inlined leaf", "plain leaf")
# label, --profile=, share of the calls; @ is an output file
CONFIGURATIONS = (
    ("bare", None, 1),
    ("empty callbacks", "empty:loops", 1),
    ("calls", "calls:output=@", 1),
    ("calls, time=none", "calls:time=none,output=@", 1),
    ("calls, calldepth=4", "calls:calldepth=4,output=@", 1),
    ("log:calls", "log:nodefaults,calls,callspec=loops,output=@", 0.02),
)
# Targets of the pair's cost in ns on an ordinary machine.
TARGETS = {"calls": 30, "calls, time=none": 12}


class Bench:
    def __init__(self, build):
        modules = {str(p.parent) for p in build.glob("**/libmono-profiler-*.so")}
        kit = {str(p.parent) for p in build.glob("**/libmonocle-kit.so.0")}
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("MONO")}
        self.env["LD_LIBRARY_PATH"] = ":".join(sorted(modules | kit))
        self.loops = build / "test/bench/loops.exe"
        self.work = tempfile.TemporaryDirectory()

    def run(self, profile, exe, *arguments):
        """(seconds, standard output) of one run."""
        output = os.path.join(self.work.name, "out")
        options = ["--profile=" + profile.replace("@", output)] if profile else []
        start = time.monotonic()
        run = subprocess.run(["mono", *options, str(exe), *map(str, arguments)], env=self.env, cwd=self.work.name,
                             capture_output=True, text=True, check=True)
        seconds = time.monotonic() - start
        if profile and "@" in profile and not os.path.exists(output):
            raise SystemExit("%s wrote nothing: %s" % (profile, run.stderr))
        for file in pathlib.Path(self.work.name).glob("out*"):
            file.unlink()
        return seconds, run.stdout

    def per_call(self, calls, rounds):
        samples = {(label, loop): [] for label, _, _ in CONFIGURATIONS for loop in LOOPS}
        for _ in range(rounds):
            for label, profile, share in CONFIGURATIONS:
                for line in self.run(profile, self.loops, int(calls * share), 3)[1].splitlines():
                    loop, made, nanoseconds = line.split("\t")
                    samples[label, loop].append(int(nanoseconds) / int(made))
        return samples

    def start_and_exit(self, rounds):
        """Milliseconds of a program that does next to nothing."""
        cases = (("bare", None), ("calls, idle", "calls:callspec=none,output=@"), ("calls", "calls:output=@"),
                 ("log:calls", "log:nodefaults,calls,callspec=none,output=@"))
        samples = {label: [] for label, _ in cases}
        for _ in range(rounds):
            for label, profile in cases:
                samples[label].append(1000 * self.run(profile, self.loops, 1, 1)[0])
        return samples


def cell(values):
    return "%12.2f (%6.2f)" % (statistics.median(values), min(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--calls", type=int, default=10000000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    bench = Bench(options.build.resolve())

    samples = bench.per_call(options.calls, options.rounds)
    print("ns per enter and leave above bare, median (least)")
    print("%-20s" % "" + "".join("%22s" % loop for loop in LOOPS))
    for label, _, _ in CONFIGURATIONS:
        bare = {loop: statistics.median(samples["bare", loop]) if label != "bare" else 0 for loop in LOOPS}
        cells = [cell([s - bare[loop] for s in samples[label, loop]]) for loop in LOOPS]
        print("%-20s" % label + "".join("%22s" % c for c in cells) +
              ("   target %d" % TARGETS[label] if label in TARGETS else ""))

    samples = bench.start_and_exit(10 * options.rounds)
    print("\nms of a whole run that calls next to nothing, median (least)")
    for label, values in samples.items():
        print("%-20s %s" % (label, cell(values)))


if __name__ == "__main__":
    main()
