#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shadow stack against try/fault round every body, which is slower and correct by construction.

All shapes run bare, under the shadow stack and under try/fault. Output and exit code must be the same, and the counts
of every method definition, on every runtime and in every configuration. Then only parts of the methods are probed, so
that exceptions pass and are caught by frames without probes: what is counted must not change.

The first tier takes one reference and one bare run for all. With --full each configuration has its own, and there are
debug builds and F#; with --every all configurations are tried on each runtime.
"""
import sys

import configurations
import harness


class TryFault(configurations.EngineSuite):
    def one(self, runtime, settings_name, exe, what, options, try_fault=False):
        """The counts of one run after all checks that need no other run."""
        settings = dict(configurations.SETTINGS[settings_name])
        if try_fault:
            settings["MONOCLE_CLR_TRY_FAULT"] = "1"
        seen, counts = self.under(runtime, [exe], options, settings)
        good = (seen.code, seen.out) == (self.plain.code, self.plain.out) and not seen.timeout
        self.check(good, what + ": output as without a profiler", seen)
        self.check("could not be given" not in seen.err, what + ": every method gets its probes", seen.err)
        if self.check(counts is not None, what + ": the module wrote its counts", seen):
            self.sound(what, counts)
        return counts

    def same(self, what, counts):
        if counts is None:
            return
        if self.reference is None:
            self.reference = counts
        bad = configurations.differences(counts, self.reference)
        self.check(not bad, what + ": counts of try/fault", "\n    " + "\n    ".join(bad))

    def configuration(self, runtime, settings_name, exe, images=("image=shapes", "image=shapes-il")):
        name = "%s %s %s" % (runtime, settings_name, exe.stem)
        bare = self.bare(runtime, [exe], configurations.SETTINGS[settings_name])
        self.plain = self.plain or bare
        self.check((bare.code, bare.out) == (self.plain.code, self.plain.out), name + ": bare output", bare)
        for try_fault in (True, False):
            what = name + (" try-fault" if try_fault else "")
            self.same(what, self.one(runtime, settings_name, exe, what, list(images), try_fault))

    def partial(self, runtime, settings_name, exe, every, phase):
        """Every N-th method only: its counts are those it has when all are probed."""
        what = "%s %s methods %d of %d" % (runtime, settings_name, phase, every)
        options = ["image=shapes", "image=shapes-il", "every=%d" % every, "phase=%d" % phase]
        counts = self.one(runtime, settings_name, exe, what, options)
        if counts is None or self.reference is None:
            return
        self.check(counts.rows, what + ": some are probed")
        bad = ["%s %s" % (counts.names[k], row) for k, row in sorted(counts.rows.items())
               if self.reference.rows.get(k) != row]
        self.check(not bad, what + ": counts as when all are probed", "\n    " + "\n    ".join(bad[:20]))

    def everything(self, runtime, settings_name, exe):
        """The framework probed as well: the counts of our own methods stay what they are."""
        what = "%s %s everything" % (runtime, settings_name)
        counts = self.one(runtime, settings_name, exe, what, [])
        if counts is None or self.reference is None:
            return
        self.check(len(counts.rows) > 2 * len(self.reference.rows), what + ": the framework is probed",
                   len(counts.rows))
        bad = ["%s %s, not %s" % (self.reference.names[k], counts.rows.get(k), row)
               for k, row in sorted(self.reference.rows.items()) if counts.rows.get(k) != row]
        self.check(not bad, what + ": counts as when only the program is probed", "\n    " + "\n    ".join(bad[:20]))


    def first(self, runtimes, exe):
        newest = runtimes[-1]
        self.configuration(newest, "default", exe)
        for runtime, settings in [(runtime, "default") for runtime in runtimes[:-1]] + [(newest, "no-tiering")]:
            what = "%s %s" % (runtime, settings)
            self.same(what, self.one(runtime, settings, exe, what, ["image=shapes", "image=shapes-il"]))
        self.partial(newest, "no-tiering", exe, 2, 0)
        self.everything(newest, "default", exe)


def main():
    suite = TryFault("engine", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--every", action="store_true", help="every configuration on every runtime")
    options = suite.parse(harness.TO_10, harness.NET)
    suite.plain = suite.reference = None
    folder = suite.programs()
    runtimes = suite.runtimes() if folder else []
    if not runtimes:
        return suite.finish()
    exe, debug = folder / "shapes.dll", folder / "debug" / "shapes.dll"
    if not options.full:
        suite.first(runtimes, exe)
        return suite.finish()
    for runtime in runtimes:
        quick = ["default", "no-tiering", "osr"] if runtime.name in suite.newer else ["no-tiering", "default"]
        for settings in configurations.SETTINGS if options.every else quick:
            suite.configuration(runtime, settings, exe)
            for phase in range(6 if options.every else 1):
                suite.partial(runtime, settings, exe, 2 if phase < 2 else 4, phase if phase < 2 else phase - 2)
        for settings in configurations.SETTINGS if options.every else ["default"]:
            suite.everything(runtime, settings, exe)
    suite.reference = None
    for runtime in runtimes if options.every else [r for r in runtimes if r.name in suite.newer]:
        suite.configuration(runtime, "default", debug)
    suite.plain = suite.reference = None
    tail = folder / "tail.dll"
    for runtime in runtimes if tail.exists() else []:
        for settings in ("default", "no-tiering") if options.every else ("default",):
            suite.configuration(runtime, settings, tail, ("image=tail", "image=FSharp.Core"))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
