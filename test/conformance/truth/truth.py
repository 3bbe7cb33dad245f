#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does a sampled profile say where the time went? truth.exe knows: it burns known shares and measures them itself.

    truth.py [--build DIR] [--runtimes mono,clr8,clr9,clr10] [--seconds S] [--threads N] [--points P] [--slower PERCENT]

Each method's share of the profile (its total, so that what it calls counts) is compared with the share of processor
time that the program measured: the difference must stay within P points. Then Victim is made PERCENT slower than
Reference, and the profile must show the same quotient of the two as the program's clock, within 5 P percent (on Mono
10 P).
"""
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rsplit("/", 3)[0])
import harness

SETTINGS = {"": {}, "tier 0 off": {"DOTNET_TieredCompilation": "0"}}
MODULE = "sample:output=%s,freq=%d"
RATE = 1000
FINE_RATE = 4999  # for two small methods: enough samples of each, and out of step with what alternates


def true_shares(text):
    spent = {name: int(value) for name, value in (line.split("\t") for line in text.splitlines())}
    whole = sum(spent.values())
    return {name: value / whole for name, value in spent.items()}


def totals(suite, profile):
    """{method of Truth, without class and signature: nanoseconds}."""
    out = harness.run([suite.build.monocle, "report", "--format=tsv", profile], harness.bare_environment()).out
    lines = [line.split("\t") for line in out.splitlines()]
    if not lines:
        return {}
    column = next(i for i, name in enumerate(lines[0]) if name.startswith("total") and name.endswith("_ns"))
    return {cells[0].split(":")[1].split(" ")[0]: int(cells[column]) for cells in lines[1:]
            if cells[0].startswith("Truth:")}


def profiled(suite, runtime, settings, arguments, rate=RATE):
    """What the program says and what the profile says, as {name: share}. None: the run failed; it was reported."""
    profile = suite.work / "truth.pb.gz"
    env = harness.profile_environment(suite.build, runtime, [MODULE % (profile, rate)], settings)
    exe = suite.build.path / "test/conformance/truth/truth.exe"
    outcome = harness.run(runtime.command(exe) + [str(a) for a in arguments], env, timeout=300)
    what = "%s: truth.exe runs and has a profile" % runtime
    if not suite.check(outcome.code == 0 and profile.exists(), what, outcome):
        return None
    truth = true_shares(outcome.out)
    sampled = totals(suite, profile)
    profile.unlink()
    whole = sum(sampled.get(name, 0) for name in truth) or 1
    return truth, {name: sampled.get(name, 0) / whole for name in truth}


def measured(suite, runtime, settings, options):
    """As profiled (), looked at again, four times at most, while a share is wrong: on a busy machine Mono's sampler
    may begin so late that the method which runs first is short of samples. What is wrong by itself stays so."""
    for _ in range(5):
        found = profiled(suite, runtime, settings, [options.seconds, options.threads])
        if not found or all(100 * abs(found[1][name] - found[0][name]) <= options.points for name in found[0]):
            break
    return found


def compare(suite, runtime, label, settings, options):
    found = measured(suite, runtime, settings, options)
    if not found:
        return
    truth, sampled = found
    print("%s%s, %g s, %d thread(s)" % (runtime, label and ", " + label, options.seconds, options.threads))
    for name in truth:
        off = 100 * (sampled[name] - truth[name])
        print("  %-16s true %6.2f %%  sampled %6.2f %%  %+5.2f points"
              % (name, 100 * truth[name], 100 * sampled[name], off))
        suite.check(abs(off) <= options.points, "%s %s: share of %s" % (runtime, label, name), "%+.2f points off" % off)


def slower(suite, runtime, options):
    found = profiled(suite, runtime, {}, [options.seconds, options.threads, options.slower], FINE_RATE)
    if not found:
        return
    real, seen = (shares["Victim"] / max(shares["Reference"], 1e-9) for shares in found)
    print("%s: Victim does %d %% more than Reference; by its clock %.3f times, in the profile %.3f times"
          % (runtime, options.slower, real, seen))
    allowed = options.points * (10 if runtime.kind == "mono" else 5) / 100  # Mono takes 250 samples a second at most
    suite.check(abs(seen / real - 1) <= allowed, "%s: a slower method shows" % runtime, "%.3f for %.3f" % (seen, real))


def main():
    suite = harness.Suite("truth", __doc__.splitlines()[0])
    suite.parser.add_argument("--runtimes", default="mono,clr8,clr9,clr10")
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
