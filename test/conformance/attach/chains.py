#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle stack --async: async methods that wait for each other in known ways are found, in chains, all of them.

awaits.cs is by a compiler that knows nothing of these runtimes. pooled.cs is by the SDK's, optimised and not, since
state machines are structs in the one and objects in the other.

  chains.py --build DIR [--runtimes clr8,...] [--count N]
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402


def awaits(count):
    """Innermost first, and how often; Shared is one, whom all of its kind wait for. One is of 300, and cut."""
    return {("Load", "Place", "Serve"): count, ("Part", "All"): 3 * count, ("Shared", "Waiter"): count,
            ("Inner", "Outer"): count, ("Deep",) * 256 + ("[truncated]",): 1}


def pooled(count):
    return {("Innermost", "Middle", "Value", "Outermost"): count}


class Chains(harness.Suite):
    def stack(self, pid, *arguments):
        return harness.run([self.build.monocle, "stack", pid, *arguments], harness.bare_environment(), cwd=self.work,
                           timeout=60)

    @staticmethod
    def chains(text):
        found = {}
        for block in text.split("\n\n")[1:]:
            head, *frames = block.splitlines()
            number = re.match(r"(\d+) async chains?$", head)
            if number:
                names = (re.match(r"\w+\.(\w+) \(async\)$|(\[truncated\])$", frame.strip()) for frame in frames)
                found[tuple(name[1] or name[2] for name in names)] = int(number[1])
        return found

    @staticmethod
    def own_frames(seen):
        """Of Main, whatever it does: the program's own methods, and stubs."""
        main = seen.out.partition('"Main", ')[2].partition("\n\n")[0]
        return re.findall(r"^    ((?:Awaits|Pooled)\..*|\[stub\])$", main, re.M)

    def one(self, what, command, wanted):
        target = subprocess.Popen(command + [str(self.options.count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True, env=harness.bare_environment({"TMPDIR": "/tmp"}), cwd=self.work)
        self.check(target.stdout.readline() == "ready\n", what + ": the program is ready")
        fresh, later = (self.own_frames(self.stack(target.pid, *options)) for options in (["--async"], []))
        self.check(fresh and fresh == later, what + ": the first look shows Main as stack does", (fresh, later))
        for attempt in ("first", "second"):  # The second time the runtime's classes are known.
            seen = harness.settled(lambda: self.stack(target.pid, "--async", "--all-frames"),
                                   lambda seen: self.chains(seen.out) == wanted)
            self.check(seen.code == 0 and not seen.err, "%s: the %s look succeeds" % (what, attempt), seen)
            self.check(self.chains(seen.out) == wanted, "%s: the chains of the %s look" % (what, attempt), seen)
            self.check(re.search(r"^\d+ threads, %d async chains$" % sum(wanted.values()), seen.out, re.M),
                       "%s: their number at the %s look" % (what, attempt), seen.out[:300])
            self.check('"Main", ' in seen.out, "%s: threads at the %s look" % (what, attempt), seen)
        without = self.stack(target.pid)
        self.check(without.code == 0 and " chain" not in without.out, what + ": none unless asked for", without)
        only = self.stack(target.pid, "--async", "--thread=async")
        self.check(self.chains(only.out) == wanted and '"Main"' not in only.out, what + ": nothing but chains", only)
        out, _ = target.communicate(timeout=60)
        self.check((target.returncode, out) == (3, "unharmed\n"), what + ": the program is unharmed",
                   (target.returncode, out))

    def all(self, runtimes):
        built = self.build.path / "test/conformance/attach"
        folders = [folder for folder in (built, built / "debug") if (folder / "pooled.dll").exists()]
        for runtime in runtimes:
            self.one("%s, awaits" % runtime, runtime.command(built / "awaits.exe"), awaits(self.options.count))
            for folder in folders if self.options.full or runtime is runtimes[-1] else ():
                self.one("%s, pooled, %s" % (runtime, folder.name), runtime.command(folder / "pooled.dll"),
                         pooled(self.options.count))


def main():
    suite = Chains("chains", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--count", type=int, default=30)
    suite.parse("clr8,clr10", harness.NET)  # .NET 8 keeps a thread that has had its heap collected
    suite.all(suite.runtimes())
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
