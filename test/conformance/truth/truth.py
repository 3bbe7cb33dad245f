#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does a sampled profile say where the time went? truth.exe knows: it burns known shares and measures them itself.

    truth.py [--build DIR] [--runtimes mono,clr8,...] [--seconds S] [--threads N] [--points P] [--slower PERCENT]

Each method's share of the profile (its total, so that what it calls counts) is compared with the share of processor
time that the program measured: the difference must stay within P points, or within what chance does to so few samples:
on a busy machine Mono takes some 50 a second. All shares together must be the program's time within 2 P percent.
Then Victim is made PERCENT slower than Reference, and the profile must show the same quotient of
the two as the program's clock, within 5 P percent (on Mono 10 P) or within chance.
"""
import math
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 3)[0])
import harness

SETTINGS = {"": {}, "tier 0 off": {"DOTNET_TieredCompilation": "0"}}
MODULE = "sample:output=%s,freq=%d"
RATE = 1000
CHANCE = 4  # standard deviations
FINE_RATE = 4999  # for two small methods: enough samples of each, and out of step with what alternates


class Found:
    """Of one run, by method: the processor time that it measured itself, what the profile says, and its samples."""

    def __init__(self, true_time, sampled_time, samples):
        self.true_time, self.sampled_time, self.samples = true_time, sampled_time, samples

    def true_share(self, name):
        return self.true_time[name] / sum(self.true_time.values())

    def sampled_share(self, name):
        return self.sampled_time[name] / (sum(self.sampled_time.values()) or 1)

    def off(self, name):
        return 100 * (self.sampled_share(name) - self.true_share(name))

    def allowed(self, name, points):
        share, count = self.true_share(name), sum(self.samples.values()) or 1
        return max(points, 100 * CHANCE * math.sqrt(share * (1 - share) / count))

    def whole_off(self):
        return 100 * (sum(self.sampled_time.values()) / sum(self.true_time.values()) - 1)

    def quotients(self):
        return tuple(of["Victim"] / max(of["Reference"], 1) for of in (self.true_time, self.sampled_time))

    def quotient_off(self):
        real, seen = self.quotients()
        return abs(seen / real - 1)

    def allowed_quotient(self, least):
        return max(least, CHANCE * math.sqrt(sum(1 / max(self.samples[name], 1) for name in ("Victim", "Reference"))))


def totals(suite, profile, names):
    """(nanoseconds, samples) in the profile, each as {method of Truth, without class and signature: ...}."""
    out = harness.run([suite.build.monocle, "report", "--format=tsv", profile], harness.bare_environment()).out
    lines = [line.split("\t") for line in out.splitlines()] or [[]]
    rows = {cells[0].split(":")[1].split(" ")[0]: cells for cells in lines[1:] if cells[0].startswith("Truth:")}

    def column(begin, end):
        at = next((i for i, head in enumerate(lines[0]) if head.startswith(begin) and head.endswith(end)), None)
        return {name: int(rows[name][at]) if at and name in rows else 0 for name in names}
    return column("total", "_ns"), column("total", "_samples")


def profiled(suite, runtime, settings, arguments, rate=RATE):
    """None: the run failed; it was reported."""
    profile = suite.work / "truth.pb.gz"
    env = harness.profile_environment(suite.build, runtime, [MODULE % (profile, rate)], settings)
    exe = suite.build.path / "test/conformance/truth/truth.exe"
    outcome = harness.run(runtime.command(exe) + [str(a) for a in arguments], env, timeout=300)
    what = "%s: truth.exe runs and has a profile" % runtime
    if not suite.check(outcome.code == 0 and profile.exists(), what, outcome):
        return None
    truth = {name: int(value) for name, value in (line.split("\t") for line in outcome.out.splitlines())}
    sampled, samples = totals(suite, profile, truth)
    profile.unlink()
    return Found(truth, sampled, samples)


def measured(is_good, *arguments):
    """As profiled (), looked at again, four times at most, until it is good: on a busy machine Mono's sampler may begin
    so late that the method which runs first is short of samples. What is wrong by itself stays so."""
    for _ in range(5):
        found = profiled(*arguments)
        if not found or is_good(found):
            break
    return found


def compare(suite, runtime, label, settings, options):
    def is_good(found):
        return (abs(found.whole_off()) <= 2 * options.points
                and all(abs(found.off(name)) <= found.allowed(name, options.points) for name in found.true_time))
    found = measured(is_good, suite, runtime, settings, [options.seconds, options.threads])
    if not found:
        return
    print("%s%s, %g s, %d thread(s), %d samples, in all %+.2f %%" % (
        runtime, label and ", " + label, options.seconds, options.threads, sum(found.samples.values()),
        found.whole_off()))
    suite.check(abs(found.whole_off()) <= 2 * options.points, "%s %s: time in all" % (runtime, label),
                "%+.2f %% off" % found.whole_off())
    for name in found.true_time:
        print("  %-16s true %6.2f %%  sampled %6.2f %%  %+5.2f points" % (
            name, 100 * found.true_share(name), 100 * found.sampled_share(name), found.off(name)))
        suite.check(abs(found.off(name)) <= found.allowed(name, options.points),
                    "%s %s: share of %s" % (runtime, label, name), "%+.2f points off" % found.off(name))


def slower(suite, runtime, options):
    least = options.points * (10 if runtime.kind == "mono" else 5) / 100  # Mono takes 250 samples a second at most

    def is_good(found):
        return found.quotient_off() <= found.allowed_quotient(least)
    found = measured(is_good, suite, runtime, {}, [options.seconds, options.threads, options.slower], FINE_RATE)
    if not found:
        return
    real, seen = found.quotients()
    print("%s: Victim does %d %% more than Reference; by its clock %.3f times, in the profile %.3f times"
          % (runtime, options.slower, real, seen))
    suite.check(is_good(found), "%s: a slower method shows" % runtime, "%.3f for %.3f" % (seen, real))


def main():
    suite = harness.Suite("truth", __doc__.splitlines()[0])
    suite.parser.add_argument("--runtimes", default=harness.ALL)
    suite.parser.add_argument("--seconds", type=float, default=30)
    suite.parser.add_argument("--threads", type=int, default=1)
    suite.parser.add_argument("--points", type=float, default=1.5)
    suite.parser.add_argument("--slower", type=int, default=50)
    options = suite.parse()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        for label, settings in SETTINGS.items():
            if not label or runtime.kind == "coreclr":
                compare(suite, runtime, label, settings, options)
        slower(suite, runtime, options)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
