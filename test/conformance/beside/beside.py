#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Monocle and another profiler in one process of CoreCLR.

A profiler of somebody else (profiler.c) is the main one: it counts what is compiled and thrown, gives a method another
body and forbids the inlining of another one. Beside each module of ours it must see exactly what it sees alone, and the
program must print what it prints without us. Ours must be right as well. What only the main profiler may have is
refused by name. Then the list of profilers in all its forms: ours alone, beside one that declined, beside two.

  beside.py --build DIR [--full] [--runtimes clr8,...]
"""
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402
import pprof  # noqa: E402

OTHER_CLSID = "{11111111-2222-3333-4444-555555555555}"
# Flags that a notification profiler may not set, as low/high; the same on all runtimes.
REFUSED = ["00000080/00000000", "00000400/00000000", "00001000/00000000", "00004000/00000000", "00008000/00000000",
           "00040000/00000000", "00080000/00000000", "00100000/00000000", "02000000/00000000", "04000000/00000000",
           "08000000/00000000", "40000000/00000000", "00000000/00000001", "00000000/00000100"]
PRINTED = "first 1\ncaught 100\ntiny 101\nthread\nwork 1\nthen %d\n"
ONLY = "cannot be had beside another profiler: the runtime lets only its main one "


class Place:
    """A runtime, our build, and copies of the other profiler."""

    def __init__(self, suite, runtime):
        self.suite, self.runtime = suite, runtime
        self.parts = suite.build.path / "test/conformance/beside"
        self.exe = self.parts / "beside.exe"
        self.main, self.second = suite.work / "main.so", suite.work / "second.so"
        for copy in [self.main, self.second]:
            shutil.copy(self.parts / "beside-other.so", copy)
        self.ours = "%s=%s;" % (suite.build.adapter, harness.CLR_GUID)
        self.theirs = "%s=%s;" % (self.second, OTHER_CLSID)

    def environment(self, main=None, entries="", modules=(), how=""):
        """`main`: the path of the main profiler, `entries`: the list, `how`: what the copies are told."""
        env = harness.bare_environment({"DOTNET_TieredCompilation": "0", "MONOCLE_LOG": "stderr"})
        reports = self.suite.work / "reports"
        shutil.rmtree(reports, ignore_errors=True)
        reports.mkdir()
        env.update(BESIDE_OUTPUT=str(reports), BESIDE_HOW=how)
        if main:
            env.update(CORECLR_ENABLE_PROFILING="1", CORECLR_PROFILER_PATH=str(main),
                       CORECLR_PROFILER=harness.CLR_GUID if main == self.suite.build.adapter else OTHER_CLSID)
        if entries:
            env.update(CORECLR_ENABLE_NOTIFICATION_PROFILERS="1", CORECLR_NOTIFICATION_PROFILERS=entries)
        if modules:
            env["MONOCLE_PROFILE"] = " ".join(modules)
        env["MONOCLE_MODULE_PATH"] = ":".join(self.suite.build.module_dirs())
        return env

    def run(self, env, waits=True, prefix=(), work=1):
        """The outcome, and {copy: its report}. `work`: milliseconds."""
        command = self.runtime.command(self.exe) + ["wait" if waits else "go", str(work)]
        outcome = harness.run(list(prefix) + command, env)
        reports = {path.name: path.read_text() for path in (self.suite.work / "reports").iterdir()}
        return outcome, reports

    def check(self, good, what, why=""):
        return self.suite.check(good, "%s: %s" % (self.runtime, what), why)

    def check_program(self, outcome, what, answer=2):
        """The program noticed nothing; what is on stderr is ours."""
        self.check(outcome.code == 7 and outcome.out == PRINTED % answer, what + ": the program is as ever", outcome)

    def output(self, name):
        path = self.suite.work / name
        path.unlink(missing_ok=True)
        return path


def samples_of(path):
    return pprof.load(path).samples if path.exists() else []


def calls_of(path):
    """{method's name without its signature: calls}."""
    if not path.exists():
        return {}
    return {name.split(" (")[0]: count for name, count in pprof.load(path).by_method().items()}


def lines_of(path):
    """[(event, the rest)] of a log."""
    found = re.findall(r"^ *[\d.]+ +\d+ +(\w+)(.*)$", path.read_text() if path.exists() else "", re.M)
    return found


def count(lines, event, text=""):
    return sum(1 for name, rest in lines if name == event and text in rest)


def alone(place):
    """What the other profiler sees without us."""
    outcome, reports = place.run(place.environment(place.main))
    place.check_program(outcome, "the other profiler alone")
    report = reports.get("main", "")
    for line in ["compiled Answer 1", "compiled Tiny 1", "thrown 100", "caught 100", "rejitted 1", "failed 0",
                 "forbidden 1", "collections 3"]:
        place.check(line in report.splitlines(), "the other profiler alone says: " + line, report)
    return report


def beside(place, report, module, how="", silent=True, work=1):
    """A run of both; the other one's report must not change."""
    env = place.environment(place.main, place.ours, [module], how)
    outcome, reports = place.run(env, work=work)
    place.check_program(outcome, module)
    place.check(reports.get("main") == report, module + ": the other profiler sees what it sees alone",
                "%s\ninstead of\n%s" % (reports.get("main"), report))
    if silent:
        place.check(outcome.err == "", module + ": nothing is said", outcome.err)
    return outcome


def sampled(place, report):
    path = place.output("sample.pb.gz")
    beside(place, report, "sample:output=%s" % path, work=300)
    stacks = [" ".join(map(str, s)) for s in samples_of(path)]
    place.check(sum("Beside:Work" in s and "Beside:Main" in s for s in stacks) > 0, "sample sees Work below Main",
                stacks[:3])


def excepted(place, report):
    path = place.output("exceptions.log")
    beside(place, report, "exceptions:text,output=%s" % path)
    text = path.read_text() if path.exists() else ""
    place.check("# 100 thrown, 0 rethrown; 1 types" in text and "Beside:Throw" in text and "Beside:Catch" in text,
                "exceptions has them all, with stacks", text)


def told(place, report):
    """The same events as where ours is the main profiler, as far as they do not depend on time or the other's work."""
    path, logs = place.output("events.log"), {}
    module = "events:output=%s" % path
    beside(place, report, module)
    logs["beside"] = lines_of(path)
    path.unlink(missing_ok=True)
    outcome, _ = place.run(place.environment(place.suite.build.adapter, "", [module]), waits=False)
    place.check_program(outcome, "events as the main profiler", 1)
    logs["main"] = lines_of(path)
    for event, text in [("exception_throw", ""), ("exception_phase", ""), ("assembly_loaded", "beside"),
                        ("image_loaded", "beside"), ("gc_event", "event=start "), ("gc_event", "event=end "),
                        ("jit_done", "Beside:Catch"), ("class_loaded", "Beside"),
                        ("runtime_shutdown_end", "")]:
        seen, wanted = count(logs["beside"], event, text), count(logs["main"], event, text)
        place.check(seen == wanted and seen > 0, "as many %s %s beside as alone" % (event, text),
                    "%d, not %d" % (seen, wanted))
    place.check(count(logs["beside"], "exception_throw") == 100, "a hundred throws")
    place.check(count(logs["beside"], "gc_event", "event=start ") == 3, "three collections")
    place.check(count(logs["beside"], "jit_done", "Beside:Tiny") == 1, "Tiny is not inlined, as the other says")


def collected(place):
    """Both listen to the runtime's own events: each gets its own, once."""
    how = "main:collector"
    outcome, reports = place.run(place.environment(place.main, how=how))
    place.check_program(outcome, "the other's session alone")
    path = place.output("gc.log")
    ours = "events:only=gc+gc_allocation+gc_moves+gc_handle,output=%s" % path
    beside(place, reports.get("main"), ours, how, silent=False)
    place.check("started 3" in reports.get("main", ""), "the other's session tells of three collections", reports)
    lines = lines_of(path)
    place.check(count(lines, "gc_event", "event=start ") == 3, "three collections with two sessions")
    place.check(count(lines, "gc_allocation", "InvalidOperationException") == 100, "a hundred exceptions are allocated",
                count(lines, "gc_allocation", "InvalidOperationException"))
    place.check(count(lines, "gc_moves") > 0 and count(lines, "gc_handle_created") > 0, "moves and handles come")


def refused(place, report):
    """What only the main profiler may have: one line for each, and nothing comes of it."""
    path = place.output("calls.pb.gz")
    outcome = beside(place, report, "calls:output=%s" % path, silent=False)
    place.check(outcome.err == "monocle: CoreCLR: calls %srewrite methods\n" % ONLY, "calls is refused in one line",
                outcome.err)
    place.check(calls_of(path) == {}, "calls counts nothing", calls_of(path))
    outcome = beside(place, report, "asker", silent=False)
    said = sorted(outcome.err.splitlines())
    place.check(said == ["asker: clauses 0 0, allocations 1, sampling 1",
                         "monocle: CoreCLR: calls %srewrite methods" % ONLY,
                         "monocle: CoreCLR: exception clauses %srewrite methods" % ONLY,
                         "monocle: CoreCLR: gc_roots %sask for roots" % ONLY,
                         "monocle: CoreCLR: method_begin_invoke %srewrite methods" % ONLY],
                "each refusal has its line", outcome.err)


def listed(place):
    """Who is in the list and finds the main place free takes it."""
    declining = "main:decline"
    for what, main, entries, how in [
            ("alone in the list", None, place.ours, ""),
            ("beside one that declines", place.main, place.ours, declining),
            ("beside one that is not there", place.suite.work / "absent.so", place.ours, ""),
            ("main and in the list", place.suite.build.adapter, place.ours, ""),
            ("after one that is notified", None, place.theirs + place.ours, "second:notify"),
            ("before one that is notified", None, place.ours + place.theirs, "second:notify")]:
        path = place.output("calls.pb.gz")
        outcome, reports = place.run(place.environment(main, entries, ["calls:output=%s" % path], how), waits=False)
        place.check_program(outcome, what, 1)
        place.check(calls_of(path).get("Beside:Catch") == 100, what + ": calls are counted", outcome)
        if place.theirs in entries:
            place.check("thrown 100\ncaught 100\n" in reports.get("second", ""), what + ": the other is told", reports)


def two_notified(place, report):
    """A main profiler and two that are notified, in both orders."""
    how = "second:notify"
    _, reports = place.run(place.environment(place.main, place.theirs, how=how))
    wanted = reports.get("second", "")
    place.check("thrown 100\n" in wanted, "a notified profiler alone is told", wanted)
    for entries in [place.theirs + place.ours, place.ours + place.theirs]:
        path = place.output("exceptions.log")
        outcome, reports = place.run(place.environment(place.main, entries, ["exceptions:text,output=%s" % path], how))
        place.check_program(outcome, "two that are notified")
        place.check(reports.get("main") == report and reports.get("second") == wanted,
                    "two that are notified: both others see what they see without us", reports)
        text = path.read_text() if path.exists() else ""
        place.check("# 100 thrown" in text, "two that are notified: so do we", text[:200])


def measured(place):
    """What the runtime refuses a notified profiler: doc/clr.md has it from here."""
    outcome, reports = place.run(place.environment(place.suite.build.adapter, place.theirs, ["exceptions:text,output=%s"
                                                   % place.output("exceptions.log")], "second:notify second:probe"),
                                 waits=False)
    place.check_program(outcome, "all flags are tried", 1)
    report = reports.get("second", "")
    place.check(re.findall(r"^refused (\S+) 80070057$", report, re.M) == REFUSED, "these flags are refused", report)
    place.check("ReJIT 80070057\nRevert 80070057\n" in report, "ReJIT is refused", report)
    place.check("SetILFunctionBody 80070057\n" in report, "another body is refused", report)


def run_command(place, report):
    """`monocle run` where the environment names another profiler."""
    path = place.output("run.pb.gz")
    env = place.environment(place.main)
    del env["MONOCLE_MODULE_PATH"]
    monocle = [place.suite.build.monocle, "run", "--profile=exceptions", "-o", path, "--"]
    outcome, reports = place.run(env, prefix=monocle)
    place.check_program(outcome, "monocle run")
    place.check("Monocle joins it" in outcome.err, "monocle run says that it joins", outcome.err)
    place.check(reports.get("main") == report, "monocle run: the other sees what it sees alone", reports)
    place.check(sum(values[-1] for _, values, _ in samples_of(path)) == 100, "monocle run has the exceptions",
                outcome.err)


def main():
    suite = harness.Suite("beside", "Monocle and another profiler in one process")
    suite.parser.add_argument("--runtimes")
    suite.parse(first="clr10", full=harness.NET)
    if not (suite.build.path / "test/conformance/beside/beside.exe").exists():
        suite.skip("beside", "mcs is not installed")
        return suite.finish()
    for runtime in suite.runtimes():
        place = Place(suite, runtime)
        report = alone(place)
        if suite.options.full:
            sampled(place, report)
        excepted(place, report)
        told(place, report)
        collected(place)
        refused(place, report)
        listed(place)
        two_notified(place, report)
        measured(place)
        run_command(place, report)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
