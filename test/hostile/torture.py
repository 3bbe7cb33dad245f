#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that ask much of a runtime, and rules that take much from it: with a profiler nothing changes but the time.

Each row of rows.py is run bare and profiled; output and the way of ending must be equal, and the profiles must hold
exactly the calls and exceptions that the programs count. The first tier runs all programs that end by themselves in one
process, under the four modules together, and some ends and rules. With --full there is a process for each row, modules
and runtimes take turns from row to row; --every runs each row with all of them.
"""
import collections
import pathlib
import re
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402
import rows  # noqa: E402
from outputs import stable  # noqa: E402

# The modules, under each of which a program is to do what it does alone.
MODULES = {
    "calls": ["calls:output=calls.pb.gz"],
    "all": ["calls:callspec=all,output=calls.pb.gz"],
    "sample": ["sample:freq=10000,output=sample.pb.gz"],
    "wall": ["sample:mode=wall,output=sample.pb.gz"],
    "exceptions": ["exceptions:output=exceptions.pb.gz"],
    "events": ["events:output=events.log"],
}
FOUR = [MODULES["calls"][0], "sample:output=sample.pb.gz", *MODULES["exceptions"], *MODULES["events"]]
MODULES["four"] = [MODULES[name][0] for name in ("calls", "sample", "exceptions", "events")]

# Which runtimes take turns: .NET 10 every other time.
TURNS = ("clr10", "clr8", "clr10", "mono", "clr10", "clr11", "clr10", "clr9")
HOSTS = ("clr8", "clr9", "clr10", "clr11", "mono")
CANNOT = 126  # how confine ends where a rule cannot be set

# With probes in it the class library's own code is compiled anew, and shows frames that precompiled code leaves out.
PROBED_LIBRARY = {"all", "events", "four", "first"}

# What we may say in a program that has done nothing wrong.
ALLOWED = re.compile(r"monocle: (.*sampling at \d+ Hz instead of |not all threads can be sampled by perf "
                     r"|events: \d+ lines are missing from .*: they came faster than they could be written"
                     r"|events: the program has ended; .* is still being written"
                     r"|sample: \d+ stacks are missing from .*: they came faster than they could be counted)")
REFUSAL = re.compile(r"monocle: (\w+): .*; the program runs unprofiled$")


def modules(name):
    """In the first tier samples are taken as often as they are by default."""
    return FOUR if name == "first" else MODULES[name]


class Torture(harness.Suite):
    def exe(self):
        return self.build.path / "test/hostile/programs/torture.exe"

    def confine(self):
        return self.build.path / "test/hostile/programs/confine"

    def start(self, host, row, env, folder):
        command = host.command(self.exe()) + [str(row.share), *row.programs]
        if row.rules:
            command = [self.confine(), *row.rules, "--"] + command
        folder.mkdir(parents=True)
        return harness.run(command, env, cwd=folder, timeout=120)

    def alone(self, host, row):
        seen = self.start(host, row, harness.bare_environment(row.env), self.work / "bare" / str(host) / row.name)
        if seen.code == CANNOT and seen.err.startswith("confine:"):
            self.skip("%s %s" % (host, row.name), seen.err.strip())
            return None
        right = seen.code == row.code or row.poor or (row.dump and host.kind == "mono" and seen.code)
        self.check(right and not seen.timeout, "%s %s: ends alone with %d" % (host, row.name, row.code), seen)
        return seen

    def one(self, host, row, name, bare):
        """One row under one set of modules, against its bare run."""
        what = "%s %s, %s" % (host, row.name, name)
        folder = self.work / name / str(host) / row.name
        env = harness.profile_environment(self.build, host, modules(name), row.env)
        seen = self.start(host, row, env, folder)
        both = "%s\n--- bare\n%s" % (seen, bare)
        self.check(not seen.timeout, what + ": ends", seen)
        same = self.check(seen.code == bare.code, what + ": ends as without us (%d)" % bare.code, both)
        if not same and min(seen.code, bare.code) < 0:
            return  # One of the two has not come to its end.
        if row.poor and bare.code != row.code:
            return  # The runtime cannot live like that.
        self.check(stable(seen.out, row.dump) == stable(bare.out, row.dump), what + ": prints the same", both)
        self.check(traces(seen, row, name) == traces(bare, row, name), what + ": same on stderr", both)
        for file in self.said(what, row, name, seen):
            self.profile(what, row, folder, file)

    def said(self, what, row, name, seen):
        """Judges what we said ourselves; answers which profiles there must be."""
        files = [desc.split("output=")[1] for desc in modules(name)]
        ours = [line for line in seen.err.splitlines() if line.startswith("monocle:") and not ALLOWED.match(line)]
        # A log is open already when something happens to its folder.
        profiles = [file for file in files if not file.endswith(".log")]
        wanted, words = (len(profiles), row.says) if row.says else (0, "")
        if row.poor:
            declined = {match.group(1) for match in map(REFUSAL.match, ours) if match}
            files = [file for file in files if file.split(".")[0] not in declined]
            wanted = len(declined)
        good = len(ours) == wanted and all(words in line for line in ours)
        self.check(good, "%s: %d lines of ours" % (what, wanted), "\n".join(ours))
        return files

    def profile(self, what, row, folder, name):
        """The profile, or the spool of a process that died, reads well; what the program counted stands in it."""
        file = folder / name
        if not file.exists():
            file = folder / (name + ".spool")
        if not self.check(file.exists(), "%s: leaves %s" % (what, name), [p.name for p in folder.iterdir()]):
            return
        if name.endswith(".log"):
            self.check("thread event" in file.read_text(errors="replace")[:1000], what + ": the log begins")
            return
        seen = harness.run([self.build.monocle, "report", "--format=tsv", file], harness.bare_environment())
        if not self.check(seen.code == 0, "%s: monocle report reads %s" % (what, file.name), seen):
            return
        if name.startswith("calls"):
            got = column(seen.out, "calls").get("Torture:Leaf (int)")
            self.check(got == row.leaf, what + ": the calls are exact", "%s of %d" % (got, row.leaf))
        if name.startswith("exceptions"):
            got = column(seen.out, "self_exceptions")
            for kind, times in row.thrown.items():
                self.check(got.get(kind) == times, "%s: %s is counted exactly" % (what, kind),
                           "%s of %d" % (got.get(kind), times))


def traces(seen, row, name):
    """What stands on stderr; a trace without the frames of the class library where these may be more."""
    lines = stable(seen.err, row.dump)
    return [line for line in lines if name not in PROBED_LIBRARY or not line.startswith("   at System.")]


def column(text, name):
    """{method: number} of a report in tab separated values."""
    sums = collections.Counter()
    lines = [line.split("\t") for line in text.splitlines()]
    if not lines or name not in lines[0]:
        return sums
    at, method = lines[0].index(name), lines[0].index("method")
    for cells in lines[1:]:
        sums[cells[method]] += int(cells[at])
    return sums


def turns(table, hosts):
    """What a short run does: [(row, host, two names of modules)]; the next row begins with the next of everything."""
    names = list(MODULES)
    order = [name for name in TURNS if name in hosts]
    for number, row in enumerate(table):
        fitting = [hosts[name] for name in order if hosts[name].kind in row.on]
        if fitting:
            first = number * 2
            yield row, fitting[number % len(fitting)], [names[at % len(names)] for at in (first, first + 3)]


def everything(table, hosts):
    for row in table:
        for host in hosts.values():
            if host.kind in row.on:
                yield row, host, list(MODULES)


def first(hosts):
    """The oldest runtimes are asked about all programs alone, which say on them what they say on the newest."""
    newest = hosts.get("clr10")
    for host in [newest, hosts.get("mono")]:
        for row in rows.first(host.kind) if host else []:
            yield row, host, host
    for host in [hosts[name] for name in ("clr8", "clr9") if name in hosts]:
        yield rows.all_programs(host.kind), host, newest or host


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    suite = Torture("torture", __doc__)
    suite.parser.add_argument("--hosts", default=",".join(HOSTS))
    suite.parser.add_argument("--themes", default=",".join(rows.THEMES))
    suite.parser.add_argument("--rows", help="only rows whose name contains this")
    suite.parser.add_argument("--modules", help="only these, of " + ", ".join(MODULES))
    suite.parser.add_argument("--every", action="store_true", help="every row on every runtime under all modules")
    options = suite.parse()
    if not suite.exe().exists():
        suite.skip("torture.exe", "not compiled: mcs was absent", "mono")
        return suite.finish()
    hosts = {host.name: host for host in suite.runtimes(options.hosts.split(","))}
    alone = {}
    for row, host, said in first(hosts) if not options.full and not options.every else []:
        if (row.name, said) not in alone:
            alone[row.name, said] = suite.alone(said, row)
        if alone[row.name, said]:
            suite.one(host, row, "first", alone[row.name, said])
    for theme in options.themes.split(",") if options.full or options.every else []:
        table = rows.THEMES[theme]
        table = table if options.every else table[::rows.SPARSE.get(theme, 1)]
        table = [row for row in table if not options.rows or options.rows in row.name]
        for row, host, names in (everything if options.every else turns) (table, hosts):
            bare = suite.alone(host, row)
            for name in names if bare else []:
                if not options.modules or name in options.modules.split(","):
                    suite.one(host, row, name, bare)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
