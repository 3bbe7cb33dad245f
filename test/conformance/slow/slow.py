#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calls:threshold=1ms on slow.cs: which calls are listed, how long they took, what they were given and what they gave.

The program measures each call from within and from without. What took longer than the threshold within is listed, and
what took less from without is not; what is listed took a time between the two.
"""
import ctypes
import json
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent.parent / "command")]
import harness  # noqa: E402
import spool  # noqa: E402

MS = 1000000
OPTIONS = "calls:threshold=1ms,slowcalls=100000,args,result,output=%s"
TEXT = "\"a \\\"quoted\\\" \\\\ line\\n\u00e9\u4e2d\U0001f600\\u202e\\u0000\""
LONG = "\"%s\"..." % ("x" * 64)
BEYOND = "18446744073709551615"
# Of what Slow:Values () calls: method, arguments, result.
VALUES = [
    ("Text", TEXT, TEXT),
    ("Text", LONG, LONG),
    ("Text", "null", "null"),
    ("Text", "\"\"", "\"\""),
    ("Character", "'\\''", "'\\''"),
    ("Character", "'\u00e9'", "'\u00e9'"),
    ("Colours", "Green, One | Two", "Green"),
    ("Colours", "77, Big", "77"),
    ("Things", "{Special}, {Int32}, {Int32[]}", "{Special}"),
    ("Things", "null, \"boxed\", null", "null"),
    ("Numbers", "-1, 255, -32768, 65535, 4000000000, -9223372036854775808, %s, 0.1" % BEYOND, BEYOND),
    ("Structs", "{Pair}, {DateTime}, {Guid}, {Decimal}", "{Pair}"),
    ("Maybe", "7, Blue, 0xfffffffffffffffe, -1e+300", "7"),
    ("Maybe", "null, null, 0x0, NaN", "null"),
    ("References", "ref, ref", ""),
    ("Generic", "5", "5"),
    ("Generic", "\"five\"", "\"five\""),
    ("Many", "0, 1, 2, 3, 4, 5, 6, 7, ...", "9"),
]


def plain(method):
    return method.split(":")[1].split(" ")[0].split("<")[0]


def work(number):
    """What Slow:Work was given."""
    i = number % 500
    colour = "Red" if i % 2 == 0 else "Blue"
    thing = ["{Special}", "{Thing}", "null"][i % 3]
    maybe = str(number) if i % 2 == 0 else "null"
    busy = "true" if i % 10 == 0 else "false"
    return "(%d, \"call %d\", %d.5, %s, %s, %s, {Pair}, %s)" % (number, number, number, busy, colour, thing, maybe)


class Slow(harness.Suite):
    def report(self, what, file):
        words = [self.build.monocle, "report", "--slow", "--tree", "--format=json", "-n", "0", file]
        got = harness.run(words, harness.bare_environment())
        if not self.check(got.code == 0, what + ": monocle report --slow reads it", got):
            return []
        return json.loads(got.out)["slow_calls"]

    def compare_work(self, what, calls, times):
        listed = {}
        bad = []
        for call in calls:
            if plain(call["method"]) == "Work":
                listed.setdefault(call["arguments"], []).append(call)
        for number, inside, outside in times:
            found = listed.pop(work(number), [])
            if (inside > 1.01 * MS and not found) or (outside < 0.99 * MS and found) or len(found) > 1:
                bad.append("%d took %d to %d ns, and is listed %d times" % (number, inside, outside, len(found)))
            for call in found:
                good = inside * 0.99 - 1000 <= call["duration_ns"] <= outside * 1.01 + 1000
                good = good and call["result"] == str(number * 1000) and call["end"] == "returned"
                good = good and [plain(name) for name in call["callers"]] == ["Worker"]
                good = good and call["thread_name"] == "worker %d" % (number // 500)
                if not good:
                    bad.append("%d took %d to %d ns: %s" % (number, inside, outside, call))
        self.check(not bad and not listed, what + ": as the program measured itself",
                   "\n    " + "\n    ".join(bad[:20] + sorted(listed)[:5]))
        self.check(sum(1 for _, inside, outside in times if inside > 2 * MS) > 100 and
                   sum(1 for _, inside, outside in times if outside < 0.5 * MS) > 100, what + ": calls of all lengths")

    def compare_rest(self, what, calls, is_mono):
        seen = [(plain(c["method"]), c["arguments"], c["result"]) for c in calls]
        for method, arguments, result in VALUES:
            self.check(seen.count((method, "(%s)" % arguments, result)) == 1,
                       "%s: %s (%s) = %s" % (what, method, arguments, result), [s for s in seen if s[0] == method])
        for depth in range(6):
            found = [c for c in calls if plain(c["method"]) == "Down" and c["arguments"] == "(%d)" % depth]
            good = len(found) == 1 and found[0]["result"] == str(depth) and \
                [plain(name) for name in found[0]["callers"]] == ["Down"] * (5 - depth) + ["Main"]
            self.check(good, "%s: recursion, %d calls from its end" % (what, depth), found)
        found = [c for c in calls if plain(c["method"]) == "Throws"]
        self.check([(c["end"], c["arguments"], c["result"]) for c in found] == [("threw", "(\"because\")", "")],
                   what + ": a call that throws", found)
        # Mono ends threads in the background by an exception.
        found = [c for c in calls if plain(c["method"]) == "Hang"]
        self.check(len(found) == 1 and found[0]["end"] in ["unfinished"] + ["threw"] * is_mono and
                   found[0]["arguments"] == "(43, \"at the end\")", what + ": a call that has not ended", found)
        self.check(not [c for c in calls if plain(c["method"]) in ("Now", ".ctor") and c["duration_ns"] < MS],
                   what + ": nothing below the threshold is listed")

    def lengths(self, runtime):
        what = "lengths on %s" % runtime
        file = self.work / (runtime.name + ".pb.gz")
        env = harness.profile_environment(self.build, runtime, [OPTIONS % file])
        seen = harness.run(runtime.command(self.build.path / "test/conformance/slow/slow.exe"), env, cwd=self.work)
        times = [tuple(map(int, line.split())) for line in seen.out.splitlines()]
        if self.check(seen.code == 0 and len(times) == 2000 and not seen.err, what + ": the program runs", seen):
            calls = self.report(what, file)
            self.compare_work(what, calls, times)
            self.compare_rest(what, calls, runtime.kind == "mono")

    def killed(self, runtime):
        what = "killed on %s" % runtime
        file = self.work / (runtime.name + "-killed.pb.gz")
        left = pathlib.Path(str(file) + ".spool")
        env = harness.profile_environment(self.build, runtime, [OPTIONS % file])
        command = [str(word) for word in runtime.command(self.build.path / "test/conformance/slow/slow.exe")]
        process = subprocess.Popen(command + ["hang"], env=env, cwd=self.work, stdout=subprocess.PIPE, text=True)
        try:
            self.check(process.stdout.readline() == "ready\n", what + ": it begins to hang")
            beats = {self.heartbeat(left)}
            while len(beats) < 3:
                time.sleep(0.05)
                beats.add(self.heartbeat(left))
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
        calls = self.report(what, left)
        wanted = {"Main": "unfinished", "Hang": "unfinished", "Text": "returned"}
        found = {plain(c["method"]): c for c in calls}
        ends = {name: c["end"] for name, c in found.items()}
        ends.pop(".cctor", None)  # it is slow where its thread lost the CPU
        self.check(ends == wanted, what + ": what it hung in is listed", found)
        self.check(found.get("Text", {}).get("arguments") == "(\"before\")", what + ": with arguments if it had ended")
        self.check([plain(n) for n in found.get("Hang", {}).get("callers", [])] == ["Main"], what + ": with callers")

    def heartbeat(self, path):
        with open(path, "rb") as file:
            return spool.Header.from_buffer_copy(file.read(ctypes.sizeof(spool.Header))).heartbeat


def main():
    suite = Slow("slow", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse()
    if not (suite.build.path / "test/conformance/slow/slow.exe").exists():
        suite.skip("slow calls", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for runtime in suite.runtimes():
        suite.lengths(runtime)
        suite.killed(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
