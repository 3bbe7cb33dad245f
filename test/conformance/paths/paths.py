#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program of more call paths than there is room for: what `calls` counts with what the program says of its own calls.

  paths.py --build DIR [--full] [--runtimes mono,clr8,...]

With --full ten million paths: how much memory the program takes then, by itself and under limits of its own.
"""
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import counts  # noqa: E402
import harness  # noqa: E402

FEW, MANY = 4000, 400000
MIB = 1 << 20
MORE_MOST = 130 * MIB  # of the program, beyond what it takes bare: the adapter, and what call paths have
FOLDED = re.compile(r"# folded: (\d+) calls are shown in \[other paths\]: (.*)")

# Commands that read what is written; @ is a file to write. And formats that all calls can be read from again.
COMMANDS = [
    ["report"], ["report", "--tree"], ["flame", "-o", "@"], ["convert", "--to=collapsed", "-o", "@"],
    ["convert", "--to=speedscope", "-o", "@"], ["convert", "--to=perfetto", "-o", "@"],
]
WHOLE = ["pprof", "mlpd"]


def told(out):
    """{method: calls} that the program has counted."""
    return {line.split("\t")[0]: int(line.split("\t")[1]) for line in out.splitlines() if "\t" in line}


def measured(command, env, work, limits=()):
    """Runs it under limits: its outcome, and the most memory that it took."""
    def limit():
        for kind, size in limits:
            resource.setrlimit(kind, (size, size))
    child = subprocess.Popen([str(c) for c in command], env=env, cwd=work, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)
    out = child.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    return harness.Outcome(os.waitstatus_to_exitcode(status), out, ""), usage.ru_maxrss * 1024


class Paths(harness.Suite):
    def command(self, runtime, walks):
        return runtime.command(self.build.path / "test/conformance/paths/walks.exe") + [str(walks)]

    def monocle(self, *arguments):
        return harness.run([self.build.monocle, *arguments], harness.bare_environment(), self.work, timeout=300)

    def check_counts(self, what, file, out):
        """Each method's calls are exact; answers how many of them are folded, and why."""
        seen = self.monocle("report", "--format=tsv", file)
        got, wanted = counts.read_report(seen.out), told(out)
        self.check(wanted and all(got.get(m) == n for m, n in wanted.items()), what + ": the calls of each method",
                   "%s\n%s" % (wanted, seen))
        self.check(got.get("[other paths]", 0) == 0, what + ": [other paths] is not called itself", seen)
        found = FOLDED.search(self.monocle("report", file).out)
        return (int(found.group(1)), found.group(2)) if found else (0, "")

    def run_under(self, runtime, walks, options, what):
        """Its profile, None when there is none, and what the program said."""
        file = self.work / "paths.pb.gz"
        file.unlink(missing_ok=True)
        env = harness.profile_environment(self.build, runtime, ["calls:output=%s%s" % (file, options)])
        seen = harness.run(self.command(runtime, walks), env, self.work, timeout=300)
        bare = self.bare(self.command(runtime, walks))
        self.check((seen.code, seen.out, seen.err) == (0, bare.out, ""), what + ": output as without a profiler", seen)
        return (file if self.check(file.exists(), what + ": there is a profile", seen) else None), seen.out

    def check_room(self, runtime, options, room):
        what = "%s %s" % (runtime, options or "by default")
        file, out = self.run_under(runtime, FEW, options, what)
        if not file:
            return
        folded, why = self.check_counts(what, file, out)
        self.check((folded > 0, why) == (room is not None, "call paths had %s of room (option paths)" % room
                                         if room else ""), what + ": what is said of the fold", (folded, why))
        for command in COMMANDS if room else ():
            seen = self.monocle(*[c.replace("@", str(self.work / "written")) for c in command], file)
            self.check(seen.code == 0 and not seen.err, "%s: monocle %s reads it" % (what, " ".join(command)), seen)
        for name in WHOLE if room else ():
            written = self.work / ("written." + name)
            seen = self.monocle("convert", "--to=" + name, "-o", written, file)
            if self.check(seen.code == 0 and not seen.err, "%s: it is written as %s" % (what, name), seen):
                self.check_counts("%s, as %s" % (what, name), written, out)

    def check_memory(self, runtime, limits, reason):
        """Ten million paths."""
        what = "%s, many paths, %s" % (runtime, reason)
        file = self.work / "many.pb.gz"
        env = harness.profile_environment(self.build, runtime, ["calls:output=%s" % file])
        bare, least = measured(self.command(runtime, MANY), harness.bare_environment(), self.work, limits)
        seen, most = measured(self.command(runtime, MANY), env, self.work, limits)
        if not self.check((seen.code, seen.out) == (0, bare.out), what + ": output as without a profiler", seen):
            return
        self.check(most - least < MORE_MOST, what + ": memory of the program",
                   "%d MiB, bare %d MiB" % (most / MIB, least / MIB))
        folded, why = self.check_counts(what, file, seen.out)
        self.check(folded > 0 and reason in why, what + ": what is said of the fold", (folded, why))

    def check_large(self, runtime):
        """A profile of a hundred times the room is read, too: commands fold what they do not keep apart."""
        what = "%s, a large profile" % runtime
        file, out = self.run_under(runtime, 10 * FEW, ",paths=4g", what)
        if not file:
            return
        folded, why = self.check_counts(what, file, out)
        seen, most = measured([self.build.monocle, "report", file], harness.bare_environment(), self.work)
        self.check(seen.code == 0 and "stacks of the file are shown in [other paths]" in seen.out, what + ": is read",
                   seen)
        self.check(most < 300 * MIB, what + ": memory of monocle report", "%d MiB" % (most / MIB))


def main():
    suite = Paths("paths", __doc__)
    suite.parser.add_argument("--runtimes")
    options = suite.parse()
    if not (suite.build.path / "test/conformance/paths/walks.exe").exists():
        suite.skip("walks", "not compiled: mcs was absent", "mono")
        return suite.finish()
    runtimes = suite.runtimes()
    for runtime in runtimes:
        suite.check_room(runtime, ",paths=256k", "256 KiB")
        if options.full:
            suite.check_room(runtime, ",paths=3m,threads,threshold=1h", "3 MiB")
            suite.check_room(runtime, ",paths=1g,time=none", None)
            suite.check_memory(runtime, (), "64 MiB")
            suite.check_memory(runtime, ((resource.RLIMIT_DATA, 300 * MIB),),
                               "an eighth of the process's limit of data")
    for runtime in runtimes[:1] if options.full else ():
        suite.check_large(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
