#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle stack --async: async methods that wait for each other in known ways are found, in chains, all of them.

suspends.cs is about what the runtime itself suspends: it, and HttpClient.

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


# What waits for a server's first byte, as far as .NET 8 to 11 agree.
HTTP = ["HttpConnection.InitialFillAsync", "HttpConnection.SendAsync",
        "HttpConnectionPool.SendWithVersionDetectionAndRetryAsync", "RedirectHandler.SendAsync",
        "HttpClient.SendAsync.Core"]


def suspends(is_suspended):
    """The program's own frames. Of callers of a method that runs the runtime knows no end, where it suspends them."""
    return sorted([["Fetch", "Outer"], ["Deep"] * 256 + ["[truncated]"], ["Forwards", "Dead"], ["Backwards", "Dead"],
                   ["Value", "UsesValue"],
                   ["Runs", "AwaitsRuns", "AwaitsThat"] + (["[truncated]"] if is_suspended else [])])


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

    @staticmethod
    def chains_of(text):
        """All frames of each, without spaces, classes of the program, and what is in parentheses."""
        blocks = [block.splitlines() for block in text.split("\n\n")[1:]]
        return [[re.sub(r"^(Suspends\.)?(.*?)( \(.*)?$", r"\2", frame.strip()) for frame in frames]
                for head, *frames in blocks if re.match(r"\d+ async chains?$", head)]

    @staticmethod
    def own(chain):
        return [name for name in chain if not name.startswith("System.")]

    def suspended(self, runtime, program, is_suspended):
        """What the class library suspends is in the middle of a chain, or its beginning."""
        what, wanted = "%s, %s" % (runtime, program), suspends(is_suspended)
        target = subprocess.Popen(runtime.command(self.build.path / "test/conformance/attach" / program),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  env=harness.bare_environment({"TMPDIR": "/tmp"}), cwd=self.work)
        self.check(target.stdout.readline() == "ready\n", what + ": the program is ready")
        seen = harness.settled(lambda: self.stack(target.pid, "--async", "--all-frames"),
                               lambda seen: sorted(map(self.own, self.chains_of(seen.out))) == wanted)
        chains = self.chains_of(seen.out)
        self.check(seen.code == 0 and not seen.err, what + ": stack succeeds", seen)
        self.check(sorted(map(self.own, chains)) == wanted, what + ": the program's own frames", (chains, seen.out))
        fetching = next((chain for chain in chains if "Fetch" in chain), [])
        names = [name[len("System.Net.Http."):] for name in fetching if name.startswith("System.Net.Http.")]
        self.check([name for name in names if name in HTTP] == HTTP and fetching[-2:] == ["Fetch", "Outer"],
                   what + ": all of HttpClient's", fetching)
        out, _ = target.communicate(timeout=60)
        self.check((target.returncode, out) == (3, "unharmed\n"), what + ": the program is unharmed",
                   (target.returncode, out))

    def all_suspended(self, runtimes):
        built, full = self.build.path / "test/conformance/attach", self.options.full
        for runtime in runtimes:
            suspends_itself = int(runtime.name[3:]) >= 11
            if full or runtime.name == "clr10":
                self.suspended(runtime, "suspends.dll", False)
            if suspends_itself and (built / "async/suspends.dll").exists():
                self.suspended(runtime, "async/suspends.dll", True)

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
    # .NET 8 keeps a thread that has had its heap collected; .NET 11 has state machines like 10, and suspends by itself
    suite.parse("clr8,clr10,clr11", harness.NET)
    runtimes = suite.runtimes()
    suite.all([runtime for runtime in runtimes if suite.options.full or runtime.name != "clr11"])
    suite.all_suspended(runtimes)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
