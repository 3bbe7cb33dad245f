#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Native threads call managed methods while the program collects: nobody comes back to native code in managed mode.

The generated code is looked at: nothing may stand behind the change of modes. With --full it is hunted for, too: the
program makes as many rounds as asked, of calls by eight native threads with collections beside them, then one
collection while all of those wait in native code. It ends by itself when the runtime aborts it, when an answer is wrong
or when that collection does not come to its end. The long hunt, which tells how long collections took, is

    test/engine/callbacks.py --every --rounds=1000 -v
"""
import re
import sys

import configurations
import harness

SETTINGS = {
    "default": {},
    "no-tiering": configurations.SETTINGS["no-tiering"],
    "no-pgo": configurations.SETTINGS["no-pgo"],
    "no-r2r": configurations.SETTINGS["no-r2r"],
    "osr": configurations.SETTINGS["osr"],
    "server": {"DOTNET_gcServer": "1"},
}
MODULES = {
    "calls": "calls:output=calls.pb.gz",
    "calls-all": "calls:callspec=all,output=calls.pb.gz",
    "enter": "tokens:only=enter,output=tokens.tsv",
    "leave": "tokens:only=leave,output=tokens.tsv",
    "both": "tokens:output=tokens.tsv",
    "own": "tokens:image=callbacks,output=tokens.tsv",
    "even": "tokens:image=callbacks,every=2,output=tokens.tsv",
    "odd": "tokens:image=callbacks,every=2,phase=1,output=tokens.tsv",
    "callees": "tokens:only=leave,method=Small,output=tokens.tsv",
    "clauses": "events:clauses,output=events.txt",
}
NESTED = {"both", "own", "even", "odd"}
SMALL = {"DOTNET_GCgen0size": "0x10000"}

EXIT = "CORINFO_HELP_JIT_REVERSE_PINVOKE_EXIT"
# What the compiler may put between that and `ret`: the result is fetched, the frame taken down.
HARMLESS = re.compile(r"^(v?movs?[sdxqw]?|v?movaps|lea|xor|add|pop|nop|vzeroupper|leave)\b")


def late(listing):
    """What a method's code does between its change to preemptive mode and its return, if it is more than that."""
    found, behind = [], False
    for line in (text.split(";")[0].strip() for text in listing.splitlines()):
        if behind and line and not line.startswith("G_M") and not HARMLESS.match(line):
            if not line.startswith("ret"):
                found.append(line)
            behind = False
        behind |= EXIT in line
    return found


class Callbacks(configurations.EngineSuite):
    def hunt(self, runtime, settings, module, exe):
        """One process: all rounds, in one setting, under one module or bare."""
        options = self.options
        what = "%s %s %s %s" % (runtime, settings, module, exe.parent.name)
        env = dict(SMALL, **SETTINGS[settings])
        command = [exe, self.library, "rounds=%d" % options.rounds, "calls=%d" % options.calls]
        if module == "bare":
            seen = self.bare(runtime, command, env, timeout=600)
        else:
            (self.work / "tokens.tsv").unlink(missing_ok=True)
            environment = configurations.harness.profile_environment(self.build, runtime, [MODULES[module]], env)
            seen = configurations.harness.run(runtime.prefix + [str(c) for c in command], environment, self.work, 600)
        self.check(not seen.timeout and seen.code == 0, what + ": every round", seen)
        longest = re.search(r"longest (\d+) us of (\d+) collections", seen.err)
        if options.verbose and longest:
            print("     %s: longest of %s collections %s us" % (what, longest.group(2), longest.group(1)))
        if options.verbose and options.histogram:
            print(seen.err)
        if module in NESTED and seen.code == 0:
            self.sound(what, configurations.read_tokens(self.work / "tokens.tsv"))

    def code(self, runtime, settings, module, exe):
        """The generated code itself: nothing stands behind the change to preemptive mode, in any method."""
        what = "%s %s %s %s code" % (runtime, settings, module, exe.parent.name)
        file = self.work / "code.txt"
        for old in (file, self.work / "tokens.tsv"):
            old.unlink(missing_ok=True)
        env = dict(SETTINGS[settings], DOTNET_JitDisasm="Shapes:* Il:* Emitted:*", DOTNET_JitStdOutFile=str(file))
        environment = configurations.harness.profile_environment(self.build, runtime, [MODULES[module]], env)
        command = [exe, self.library, "rounds=2", "calls=1", "threads=1"]
        seen = configurations.harness.run(runtime.prefix + [str(c) for c in command], environment, self.work, 120)
        listings = re.split(r"^; Assembly listing for method ", file.read_text() if file.exists() else "", flags=re.M)
        listings = [text for text in listings if EXIT in text]
        self.check(seen.code == 0 and len(listings) > 20, what + ": is shown", "%d\n%s" % (len(listings), seen))
        bad = ["%s: %s" % (text.splitlines()[0], ", ".join(late(text))) for text in listings if late(text)]
        self.check(not bad, what + ": nothing behind the exit", "\n    " + "\n    ".join(bad))
        if module in NESTED and seen.code == 0:
            self.sound(what, configurations.read_tokens(self.work / "tokens.tsv"))

    def everything(self, runtime, exe, debug):
        for settings in SETTINGS:
            for module in MODULES:
                self.code(runtime, settings, module, exe)
            for module in ["bare", *MODULES]:
                self.hunt(runtime, settings, module, exe)
        for module in ["bare", *MODULES]:
            self.hunt(runtime, "default", module, debug)


def main():
    suite = Callbacks("callbacks", __doc__.split("\n", 1)[0])
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--every", action="store_true", help="every setting, under every module")
    suite.parser.add_argument("--rounds", type=int, default=300)
    suite.parser.add_argument("--calls", type=int, default=2, help="of each function, by each thread, in each round")
    suite.parser.add_argument("--histogram", action="store_true", help="with -v: how long collections took")
    options = suite.parse(harness.TO_10, harness.NET)
    folder = suite.programs()
    if not folder:
        return suite.finish()
    suite.library = folder / "callbacks" / "libcallbacks.so"
    exe, debug = folder / "callbacks.dll", folder / "debug" / "callbacks.dll"
    for runtime in suite.runtimes():
        is_newer = runtime.name in suite.newer
        if options.every:
            suite.everything(runtime, exe, debug)
            continue
        for module in ("own", "calls", "callees", "leave") if options.full else ("own", "callees") if is_newer else \
                ("own",):
            suite.code(runtime, "default", module, exe)
        if options.full:
            suite.hunt(runtime, "default", "own", exe)
            suite.hunt(runtime, "default", "calls", exe)
        if options.full and is_newer:
            suite.hunt(runtime, "default", "own", debug)
            for module in ("even", "odd", "callees"):
                suite.hunt(runtime, "no-tiering", module, exe)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
