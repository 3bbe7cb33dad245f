#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A probe pushes no value out of its register for longer than it runs.

The kernels return what they return without probes, each call is counted, and the machine code of their loops goes to
the stack frame no more often than without a profiler, as DOTNET_JitDisasm shows it: times are the bench's
(test/bench/kernels.py), and a busy machine cannot disturb this. Nothing is kept alive by the copies that probes need.
With --full each runtime is asked in each setting.
"""
import re
import sys

import configurations
import harness

KERNELS = ("Double DoubleArguments Sum Float Polynomial Early TwoRegisters MixedRegisters Wrapped InMemory FourFloats "
           "Complex Vector128 Vector256 VectorT Vector3 Decimal Long NoResult Locals").split()
CALLS = "Decimal"  # its loop makes calls: what stays in a register is the compiler's choice there
LISTING = re.compile(r"^; Assembly listing for method Kernels:(\w+)\(.*\((.*)\)$", re.M)
LABEL = re.compile(r"^G_M\w+_IG(\d+):")
JUMP = re.compile(r"^\s+(j\w+)\s+(?:SHORT )?G_M\w+_IG(\d+)$")
END = re.compile(r"^\s+(ret|int3|tail\.jmp)\b")
FRAME = re.compile(r"\[r[bs]p")


def groups(listing):
    """The code as a graph: (how many instructions touch the stack frame, what may run next), by group of a listing."""
    uses, following, before = {}, {}, None
    for line in listing.splitlines():
        label, jump = LABEL.match(line), JUMP.match(line)
        if label:
            here = label.group(1)
            uses[here], following[here] = 0, set()
            if before:
                following[before].add(here)
            before = here
        elif before or uses:
            uses[here] += bool(FRAME.search(line))
            if jump:
                following[here].add(jump.group(2))
            if END.match(line) or (jump and jump.group(1) == "jmp"):
                before = None
    return uses, following


def frame_uses(listing):
    """How many instructions that may run again and again touch the stack frame."""
    uses, following = groups(listing)

    def reached(start):
        seen, todo = set(), list(following[start])
        while todo:
            group = todo.pop()
            if group in following and group not in seen:
                seen.add(group)
                todo += following[group]
        return seen

    return sum(count for group, count in uses.items() if group in reached(group))


class Kernels(configurations.EngineSuite):
    def settings(self, name):
        file = self.work / "listing.txt"
        file.unlink(missing_ok=True)
        return file, dict(configurations.SETTINGS[name], DOTNET_JitDisasm=" ".join(KERNELS),
                          DOTNET_JitStdOutFile=str(file))

    def uses(self, what, file):
        """{kernel: the frame uses in its loops}, of the code that was optimised."""
        if not self.check(file.exists(), what + ": the compiler lists its code"):
            return {}
        parts = LISTING.split(file.read_text())[1:]
        found = {}
        for name, tier, text in zip(parts[::3], parts[1::3], parts[2::3]):
            if tier in ("FullOpts", "Tier1", "Tier1-OSR"):
                found[name] = max(found.get(name, 0), frame_uses(text))
        return found

    def compare_code(self, what, bare, seen):
        self.check(set(bare) == set(KERNELS), what + ": each kernel is listed", sorted(set(KERNELS) - set(bare)))
        for name in sorted(set(bare) - {CALLS}):
            self.check(seen.get(name, 99) <= bare[name], "%s: %s has a loop as without probes" % (what, name),
                       "%s uses of the frame in place of %d" % (seen.get(name), bare[name]))

    def compare(self, runtime, exe, name, is_optimised):
        what = "%s %s %s" % (runtime, name, exe.parent.name)
        file, settings = self.settings(name)
        bare = self.bare(runtime, [exe, "run"], settings)
        bare_uses = self.uses(what + " bare", file)
        file.unlink(missing_ok=True)
        seen, counts = self.under(runtime, [exe, "run"], ["image=kernels"], settings)
        self.check(bare.code == 0 and "result let go True" in bare.out, what + ": the program runs", bare)
        self.check((bare.code, bare.out) == (seen.code, seen.out), what + ": the same results",
                   "%s\n--- bare\n%s" % (seen, bare))
        if is_optimised:
            self.compare_code(what, bare_uses, self.uses(what, file))
        if not self.check(counts is not None, what + ": the module wrote its counts", seen):
            return
        self.sound(what, counts)
        calls = {counts.names[key].split(" ")[0]: row for key, row in counts.rows.items()}
        for kernel in KERNELS:
            row = calls.get("Kernels:" + kernel)
            self.check(row == configurations.Row(1, 1, 0, 0, 0), "%s: %s is counted" % (what, kernel), row)


def main():
    suite = Kernels("engine-kernels", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse(harness.TO_10, harness.NET)
    folder = suite.programs()
    for runtime in suite.runtimes() if folder else []:
        optimised = ("no-tiering", "osr") if options.full or runtime.name in suite.newer else ("no-tiering",)
        for settings in optimised:
            suite.compare(runtime, folder / "kernels.dll", settings, True)
        if options.full:
            suite.compare(runtime, folder / "kernels.dll", "default", False)
            suite.compare(runtime, folder / "debug/kernels.dll", "no-tiering", False)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
