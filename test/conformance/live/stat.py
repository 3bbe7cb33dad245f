#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle stat and ps on live runtimes: what is counted is what the program counts itself.

  stat.py --build BUILD COUNTS-EXE
"""
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402

LIMIT = 120


def said(text):
    """The program's own counts."""
    rows = [line.split() for line in text.splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2}


class Tail:
    """Rows of JSON that are written while they are read."""

    def __init__(self, path):
        self.path, self.rows = path, []

    def wait(self, condition):
        """The first row for which it is so; None: there was none in time."""
        deadline, seen = time.monotonic() + LIMIT, 0
        while time.monotonic() < deadline:
            text = self.path.read_text() if self.path.exists() else ""
            self.rows = [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]
            for row in self.rows[seen:]:
                if condition(row):
                    return row
            seen = len(self.rows)
            time.sleep(0.02)
        return None


def command(suite, runtime, exe):
    """A command is counted from its beginning, and is itself as it would be."""
    env = harness.bare_environment()
    bare = harness.run(runtime.command(exe) + ["now", "7"], env)
    path = suite.work / ("command-%s.json" % runtime)
    outcome = harness.run([suite.build.monocle, "stat", "--format=json", "-o", path, "--"] + runtime.command(exe) +
                          ["now", "7"], env)
    name = "%s: a command" % runtime
    if not suite.check(outcome.code == 7 and outcome.err == bare.err, name + " keeps its exit code", outcome):
        return
    words, bare_words = ([line.split()[0] for line in text.splitlines()] for text in (outcome.out, bare.out))
    suite.check(words == bare_words, name + " keeps its output", outcome)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    if not suite.check(len(rows) == 1, name + " is one process", rows):
        return
    row, own = rows[0], said(outcome.out)
    suite.check(row["exceptions"] == own["exceptions"], name + "'s exceptions", (row, own))
    collections = row["gc_collections_gen0"] + row["gc_collections_gen1"] + row["gc_collections_gen2"]
    suite.check(own["gen0"] <= collections <= own["gen0"] + 2, name + "'s collections", (row, own))
    suite.check(row["lock_contentions"] >= 10, name + "'s contended locks", row)
    suite.check(0.9 * own["allocated"] < row["allocated_bytes"] < 1.2 * own["allocated"] + 5e6, name + "'s bytes",
                (row, own))
    suite.check(row["events_lost"] == 0, name + " loses nothing", row)


def compare(suite, name, row, own):
    suite.check(row["exceptions"] == own["exceptions"], name + ": exceptions", (row, own))
    suite.check(row["gc_collections_gen2"] == own["gen2"], name + ": collections of generation 2", (row, own))
    suite.check(row["gc_collections_gen1"] + row["gc_collections_gen2"] == own["gen1"], name + ": of generation 1",
                (row, own))
    suite.check(row["gc_collections_gen0"] + row["gc_collections_gen1"] + row["gc_collections_gen2"] == own["gen0"],
                name + ": of generation 0", (row, own))
    suite.check(own["contentions"] <= row["lock_contentions"] <= own["contentions"] + 2, name + ": contended locks",
                (row, own))
    suite.check(row["lock_contention_time_seconds"] >= 0.2, name + ": the time that they cost", row)
    suite.check(own["items"] <= row["thread_pool_items"] <= own["items"] + 20, name + ": the pool's items", (row, own))
    suite.check(abs(row["allocated_bytes"] - own["allocated"]) < 0.05 * own["allocated"], name + ": bytes allocated",
                (row, own))
    suite.check(0 < row["gc_pause_max_seconds"] <= row["gc_pause_time_seconds"] < row["time_seconds"],
                name + ": pauses", row)
    suite.check(row["methods_compiled"] > 30 and row["cpu_time_seconds"] > 0, name + ": methods, CPU time", row)


def process(suite, runtime, exe):
    """A process that runs is counted from when we come to when it ends."""
    name = str(runtime)
    env = harness.bare_environment()
    program = subprocess.Popen(runtime.command(exe) + ["wait"], env=env, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    program.stdout.readline()
    listed = json.loads(harness.run([suite.build.monocle, "ps", "--format=json"], env).out)
    row = {row["pid"]: row for row in listed}.get(program.pid, {})
    suite.check((row.get("runtime"), row.get("version"), row.get("attach"), row.get("program")) ==
                ("CoreCLR", runtime.version, True, "counts.exe"), name + ": ps lists it", row)
    tail = Tail(suite.work / ("process-%s.json" % runtime))
    stat = subprocess.Popen([suite.build.monocle, "stat", str(program.pid), "--interval=50ms", "--format=json",
                             "-o", tail.path], env=env, stderr=subprocess.PIPE, text=True)
    suite.check(tail.wait(lambda row: row["methods_compiled"]), name + ": the runtime tells its counters")
    program.stdin.write("go\n")
    program.stdin.flush()
    done = tail.wait(lambda row: row["exceptions"] == 200 and (row["thread_pool_items"] or 0) >= 500)
    suite.check(done, name + ": the work is seen while it is done", tail.rows[-1:])
    program.stdin.write("end\n")
    program.stdin.close()
    own = said(program.stdout.read())
    program.stdout.close()
    code, error = program.wait(timeout=LIMIT), stat.communicate(timeout=LIMIT)[1]
    suite.check((code, stat.returncode, error) == (0, 0, ""), name + ": both end well", (code, stat.returncode, error))
    rows = [json.loads(line) for line in tail.path.read_text().splitlines()]
    compare(suite, name, rows[-1], own)
    suite.check(own["threads"] in {row["thread_pool_threads"] for row in rows}, name + ": the pool's threads",
                (own, rows[-1]))


def unharmed(suite, runtime, exe):
    """Whoever looks may go, in any way."""
    name = "%s: the program goes on" % runtime
    env = harness.bare_environment()
    program = subprocess.Popen(runtime.command(exe) + ["wait"], env=env, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    program.stdout.readline()
    for how in ("kill", "terminate"):
        tail = Tail(suite.work / ("%s-%s.json" % (how, runtime)))
        stat = subprocess.Popen([suite.build.monocle, "stat", str(program.pid), "--interval=50ms", "--format=json",
                                 "-o", tail.path], env=env)
        suite.check(tail.wait(lambda row: row["methods_compiled"]), name + ", " + how)
        getattr(stat, how)()
        suite.check(stat.wait(timeout=LIMIT) == (-9 if how == "kill" else 0), name + ": how stat ends", stat.returncode)
    out, _ = program.communicate("go\nend\n", timeout=LIMIT)
    suite.check(program.returncode == 0 and said(out)["exceptions"] == 200, name, (program.returncode, out))


def main():
    suite = harness.Suite("live-stat", __doc__)
    suite.parser.add_argument("exe", type=pathlib.Path)
    suite.parser.add_argument("--runtimes")
    options = suite.parse("clr10", harness.NET)
    for runtime in suite.runtimes():
        command(suite, runtime, options.exe)
        process(suite, runtime, options.exe)
        unharmed(suite, runtime, options.exe)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
