#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The options of the module `events`, on every runtime: what each writes, and that a wrong one is one line.

The program (topics.cs) prints the same whatever the module thinks of its options. Each wrong one is said by a host
without a runtime (../modules/made-up.c), and with --full on every runtime.

  choice.py --build DIR [--full] [--runtimes mono,clr8,...]
"""
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

HELP = """\
Options of events, comma separated behind a colon (--profile=events:KEY=VALUE,KEY):
  only=PREFIX+...          these events, else the usual ones, by how their names begin: gc+monitor
  also=PREFIX+...          these as well as the usual ones
  without=PREFIX+...       but not these
  [no]calls                calls of methods as well (default: off)
  callspec=SPEC            whose calls: all none program wrapper ASSEMBLY M:Type:Method N:Namespace T:Type, -SPEC; \
* and ? in names (default: program)
  [no]threads              a file per thread (default: off)
  [no]indent               indent by what is open on the thread (default: on)
  time=since|clock         seconds since the start, or time of day (default: since)
  buffer=BYTES             per thread, while lines wait to be written (default: 1048576)
  limit=BYTES              the log ends there; 0: nowhere (default: 1073741824)
  output=FILE              where the log goes, else %e_%t_%p.%m.log: %p process, %t time, %e program, %m module, \
+FILE, |COMMAND, #FD
  help                     print this and end
"""
WRONG = [
    ("only=nonsense", 'no event begins with "nonsense"; doc/events.md lists them'),
    ("only=gc+monitors", 'no event begins with "monitors"; doc/events.md lists them'),
    ("also=g", 'no event begins with "g"; doc/events.md lists them'),
    ("without=jit_don", 'no event begins with "jit_don"; doc/events.md lists them'),
    ("onli=gc", 'unknown option "onli"; did you mean "only"?'),
    ("time=sundial", "option time=sundial: one of since|clock is wanted"),
    ("buffer=12", "option buffer=12: a number from 131072 to 1073741824 is wanted"),
    ("callspec=Q:bad",
     'option callspec=Q:bad: "Q:bad" is none of all, none, program, wrapper, ASSEMBLY, M:Type:Method, '
                       "N:Namespace, T:Type"),
    ("output=/nonexistent/x.log",
     "cannot write /nonexistent/x.log: No such file or directory; the program runs unprofiled"),
    ("output=/proc/x.log", None),
]
SAMPLES = "sample_hit is not shown: it comes in signal handlers, where no line can be made"
LIFE = ["runtime_initialized", "runtime_shutdown_begin", "runtime_shutdown_end"]
LINE = re.compile(r"(?P<time>\s*\d+\.\d{6}|\d\d:\d\d:\d\d\.\d{6}) +(?P<tid>\d+) (?P<indent> *)(?P<event>\w+)")


class Choice(harness.Suite):
    def program(self, runtime, options):
        exe = self.build.path / "test/conformance/events/events-topics.exe"
        env = harness.profile_environment(self.build, runtime, ["events:" + options] if options is not None else [])
        return harness.run(runtime.command(exe) + [self.topic], env, self.work)

    def written(self, runtime, options):
        """The log of a run with these options, as matches, and its first lines."""
        file = self.work / "choice.log"
        file.unlink(missing_ok=True)
        seen = self.program(runtime, options + ",output=%s" % file)
        what = "%s, %s" % (runtime, options)
        self.check((seen.code, seen.out) == self.bare, what + ": runs as it would", seen)
        lines = file.read_text().splitlines() if self.check(file.exists(), what + ": there is a log", seen) else []
        matches = [LINE.match(x) for x in lines[2:]]
        self.check(lines and lines[0].startswith("# events:" + options) and lines[1] == "# time thread event",
                   what + ": the head says what this is", lines[:2])
        self.check(all(matches), what + ": every line has its parts", [x for x in lines[2:] if not LINE.match(x)][:3])
        return what, [m for m in matches if m], lines[2:]

    def events(self, runtime, options):
        what, matches, _ = self.written(runtime, options)
        return what, [m["event"] for m in matches]

    # --- what goes wrong --------------------------------------------------------------------------------------------

    def one_line(self, what, seen, message, expected):
        lines = [x for x in seen.err.splitlines() if x.startswith("monocle:")]
        good = lines == ["monocle: events: " + message] if message else len(lines) == 1
        self.check(good and (seen.code, seen.out) == expected, what + ": one line", seen)

    def wrong_anywhere(self):
        host = self.build.path / "test/conformance/modules/made-up"
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": str(self.build.module("events").parent)})
        good = harness.run([host, "events:only=runtime,output=/dev/null"], env, self.work)
        self.check(good.code == 0 and good.out and not good.err, "a host without a runtime ends as it should", good)
        for options, message in WRONG:
            self.one_line("no runtime, " + options, harness.run([host, "events:" + options], env, self.work), message,
                          (3, good.out))

    def wrong(self, runtime):
        for options, message in WRONG if self.options.full else WRONG[:1]:
            self.one_line("%s, %s" % (runtime, options), self.program(runtime, options), message, self.bare)

    def help(self, runtime):
        seen = self.program(runtime, "help")
        self.check((seen.code, seen.out) == (0, HELP), "%s: help" % runtime, seen)

    # --- which events -----------------------------------------------------------------------------------------------

    def words(self, runtime):
        what, events = self.events(runtime, "only=runtime_shutdown")
        self.check(events == LIFE[1:], what + ": those two", events)
        what, events = self.events(runtime, "only=runtime+monitor_contention")
        self.check(set(events) == set(LIFE) | {"monitor_contention"}, what + ": both words", set(events))
        what, events = self.events(runtime, "only=runtime,without=runtime_shutdown_end")
        self.check(events == LIFE[:2], what + ": all but one", events)
        what, usual = self.events(runtime, "indent")
        some = {"jit_done", "class_loaded", "image_loaded", "thread_started", "monitor_acquired", "runtime_initialized"}
        self.check(some <= set(usual), what + ": the usual ones", some - set(usual))
        rare = {"method_enter", "gc_allocation", "gc_handle_created", "jit_code_buffer", "code_search", "transition"}
        self.check(not rare & set(usual), what + ": and no others", rare & set(usual))
        what, more = self.events(runtime, "also=gc_handle")
        self.check("gc_handle_created" in more and some <= set(more), what + ": more than the usual ones", set(more))
        what, fewer = self.events(runtime, "without=jit+class")
        self.check(some - set(fewer) == {"jit_done", "class_loaded"}, what + ": fewer than the usual ones", set(fewer))

    def never(self, runtime):
        """Samples come in signal handlers, and are refused."""
        file = self.work / "never.log"
        seen = self.program(runtime, "only=sample_hit+runtime,output=%s" % file)
        self.check(seen.err.count(SAMPLES) == 1 and (seen.code, seen.out) == self.bare,
                   "%s: samples are refused" % runtime, seen)
        absent = "exception_phase" if runtime.kind == "mono" else "context_loaded, context_unloaded"
        seen = self.program(runtime, "only=exception+context,output=%s" % file)
        self.check(seen.err == "monocle: events: never on this runtime: %s\n" % absent,
                   "%s: what never comes is said" % runtime,
                   seen)

    # --- how they are shown -----------------------------------------------------------------------------------------

    def calls(self, runtime):
        what, matches, lines = self.written(runtime, "only=runtime,calls")
        enters = [x for x in lines if " method_enter " in x]
        self.check(any("method=Topics:Main (string[])" in x for x in enters), what + ": Main is entered", enters[:3])
        self.check(not any(" method=System" in x for x in enters), what + ": the program's own methods only")
        depth = {m["event"] + x.split(" method=")[-1]: len(m["indent"])
                 for m, x in zip(matches, lines) if "method_enter" in x}
        outer = next((d for e, d in depth.items() if "Topics:Main" in e), None)
        inner = next((d for e, d in depth.items() if "Topics:Monitors" in e), None)
        self.check(outer is not None and inner == outer + 2, what + ": what is called stands further right", depth)
        what, matches, lines = self.written(runtime, "only=runtime,calls,noindent")
        self.check(not any(m["indent"] for m in matches) and len(matches) > 20, what + ": nothing is indented")
        what, matches, lines = self.written(runtime, "only=runtime,calls,callspec=M:Topics:Hold")
        methods = {x.split(" method=")[1].split(" ")[0] for x in lines if " method_enter " in x}
        self.check(methods == {"Topics:Hold"}, what + ": that method alone", methods)

    def times(self, runtime):
        start = time.monotonic()
        what, matches, _ = self.written(runtime, "only=runtime,time=since")
        self.check([m["event"] for m in matches] == LIFE, what + ": those three", matches)
        times = [float(m["time"]) for m in matches]
        self.check(times and times == sorted(times) and times[-1] <= time.monotonic() - start,
                   what + ": seconds since the start", times)
        what, matches, _ = self.written(runtime, "only=runtime,time=clock")
        self.check(all(":" in m["time"] for m in matches), what + ": time of day", [m["time"] for m in matches])

    def threads(self, runtime):
        for old in self.work.glob("each*.log"):
            old.unlink()
        seen = self.program(runtime, "only=monitor+runtime,threads,output=%s" % (self.work / "each.log"))
        files = sorted(self.work.glob("each.*.log"))
        self.check((seen.code, seen.out) == self.bare and len(files) >= 2, "%s, threads: a file each" % runtime,
                   (files, seen))
        for file in files:
            tids = {LINE.match(x)["tid"] for x in file.read_text().splitlines()[2:]}
            self.check(tids == {file.name.split(".")[1]}, "%s, threads: of that thread alone" % runtime,
                       (file.name, tids))

    def run(self, runtime):
        for self.topic, parts in (("nothing", (self.help, self.wrong, self.never, self.times)),
                                  ("monitors", (self.words, self.calls, self.threads))):
            bare = self.program(runtime, None)
            self.bare = bare.code, bare.out
            for part in parts:
                part(runtime)


def main():
    suite = Choice("events-choice", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse(full="mono,clr8,clr10,clr11")
    exe = suite.build.path / "test/conformance/events/events-topics.exe"
    if not suite.build.module("events") or not exe.exists():
        suite.skip("events", "not compiled: libffi or mcs was absent")
        return suite.finish()
    suite.wrong_anywhere()
    for runtime in suite.runtimes():
        suite.run(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
