#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle_reinstrument (): probes come to code that runs already, and go again.

The program (programs/again.cs) tells its module (modules/again.c) by thread names when to change its filter. Calls that
are counted after a change are exact, in compiled, inlined, recursive and generic code; and a call that is under way
meanwhile is told as it was begun: nothing leaves that was not entered. With --full .NET 10 is asked in each setting,
with --every each runtime.
"""
import sys

import configurations
import harness

CALLS = 1000
# Of each of Again's methods, per round of Work: enters, leaves, exceptional leaves.
WANTED = {
    "Again:Work (int)": (1, 1, 0),
    "Again:Caller (int)": (CALLS, CALLS, 0),
    "Again:Small (int)": (2 * CALLS, 2 * CALLS, 0),
    "Again:Down (int)": (3 * CALLS, 3 * CALLS, 0),
    "Again:Same<int> (int)": (CALLS, CALLS, 0),
    "Again:Same<T_REF> (T_REF)": (CALLS, CALLS, 0),
    "Again:Catcher (int)": (CALLS, CALLS, 0),
    "Again:Thrower (int)": (2 * CALLS, 0, 2 * CALLS),
}
SETTINGS = {name: configurations.SETTINGS[name] for name in ("default", "no-tiering", "no-r2r", "osr")}


class Reinstrument(configurations.EngineSuite):
    def counted(self, name):
        rows = {}
        for line in (self.work / name).read_text().splitlines():
            cells = line.split("\t")
            rows[cells[0]] = tuple(int(c) for c in cells[1:])
        return rows

    def round(self, what, name, counting):
        seen = self.counted(name)
        self.check(seen == (WANTED if counting else {}), "%s: %s" % (what, name), seen)

    def run(self, runtime, exe, settings, begins):
        what = "%s %s, %s" % (runtime, settings, "from the beginning" if begins else "from nothing")
        for file in ["seen", "first", "across"] + [n + str(i) for n in ("changed", "back") for i in range(3)]:
            (self.work / file).unlink(missing_ok=True)
        module = "again:on" if begins else "again"
        env = harness.profile_environment(self.build, runtime, [module], SETTINGS[settings])
        seen = harness.run(runtime.command(exe) + ["200", str(CALLS)], env, self.work, 60)
        if not self.check(seen.code == 0 and "\n7\n" in seen.out, what + ": the program ends well", seen):
            return
        self.check(not seen.err, what + ": nobody complains", seen)
        self.round(what, "first", begins)
        for i in range(3):
            self.round(what, "changed%d" % i, not begins)
            self.round(what, "back%d" % i, begins)
        self.round(what, "across", not begins)


def main():
    suite = Reinstrument("engine", __doc__)
    suite.parser.add_argument("--every", action="store_true", help="all settings on all runtimes")
    options = suite.parse()
    exe = suite.build.path / "test/engine/programs/again/again.exe"
    if not exe.exists():
        suite.skip("again.exe", "there is no mcs", "mono")
        return suite.finish()
    for runtime in suite.runtimes(suite.net):
        for name in SETTINGS if options.every or (options.full and runtime.name in suite.newer) else ["default"]:
            for begins in (False, True) if options.full or runtime.name in suite.newer else (False,):
                suite.run(runtime, exe, name, begins)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
