#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is said when a module does not do what was hoped: one line, the right one, and none when all is well.

Each row is a `monocle run` of a program that prints one word, on each runtime: how it ends is what it ends like without
the line. Its stderr goes to a file, which holds what it holds without Monocle; the stderr of the command holds exactly
the lines that are named, each by a pattern. In the first tier rows of one group share a run, and those with another of
their kind are left to --full.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

INSIDE = r"monocle: process \d+: "  # said in the process, and printed by the command
ENDED = r"monocle: process \d+ ended before the module 'leaver' had come back from mono_profiler_init_leaver"
NOBODY = INSIDE + r"%s: cannot write /\S+/pipe: nobody reads this pipe; the profile stays in /\S+"


class Row:
    def __init__(self, name, words, lines=(), code=0, loses=False, without=(), group=None, again=False):
        self.name, self.words, self.lines, self.code, self.loses = name, words, list(lines), code, loses
        self.without = without   # what no line may hold
        self.group = group       # rows that may share a run
        self.again = again       # another row is of this kind

    def dies(self):
        return isinstance(self.code, dict) or self.code > 128


ROWS = [
    Row("a module without a profile is no alarm", ["--profile=leaver"], group="good"),
    Row("a text log is no alarm", ["--profile=events:output=text.log"], group="good"),
    Row("a module that exits is named", ["--profile=leaver:exit"], [ENDED], 7, True),
    Row("a module that leaves at once is named", ["--profile=leaver:_exit"], [ENDED], 8, True, again=True),
    Row("a module that aborts is named", ["--profile=leaver:abort"], [ENDED], 134, True, again=True),
    Row("a module that faults is named", ["--profile=leaver:segv"], [ENDED], {"mono": 134, "coreclr": 139}, True),
    Row("a module that is killed is named", ["--profile=leaver:kill"], [ENDED], 137, True),
    Row("a file that cannot be written is one line", ["--profile=calls:output=/nonexistent/a"],
        [INSIDE + r"calls: cannot write /nonexistent/a: No such file or directory; the program runs unprofiled"]),
    Row("-o in no folder is one line", ["-o", "/nonexistent/a.pb.gz", "--profile=calls"],
        [r"monocle: cannot write /nonexistent/a.pb.gz: No such file or directory; .*"]),
    Row("-o on a full disk is one line", ["-o", "/dev/full", "--profile=calls"],
        [r"monocle: cannot write /dev/full: No space left on device; the profile stays in .*"]),
    Row("output= on a full disk is one line", ["--profile=calls:output=/dev/full"],
        [INSIDE + r"calls: cannot write /dev/full: No space left on device; the profile stays in /\S+"]),
    Row("output= in a pipe that nobody reads is one line", ["--profile=calls:output=pipe"], [NOBODY % "calls"]),
    Row("a profile of samples for such a pipe is one line", ["--profile=sample:output=pipe"], [NOBODY % "sample"],
        again=True),
    Row("a profile of exceptions for such a pipe is one line", ["--profile=exceptions:output=pipe"],
        [NOBODY % "exceptions"], again=True),
    Row("a log for such a pipe is one line", ["--profile=events:output=pipe"],
        [INSIDE + r"events: cannot write /\S+/pipe: nobody reads this pipe; the program runs unprofiled"]),
    Row("coverage for such a pipe is one line", ["--profile=cover:output=pipe"],
        [INSIDE + r"cover: cannot write /\S+/pipe: it is not a regular file; the program runs unprofiled"], again=True),
    Row("a missing module is one line", ["--unchecked", "--profile=nosuch"],
        [INSIDE + r"profiler 'nosuch' not found: .*"], group="bad"),
    Row("a module without its entry point is one line", ["--unchecked", "--profile=noentry"],
        [INSIDE + r"profiler 'noentry': \S+ has no entry point mono_profiler_init_noentry.*"], group="bad"),
    Row("a function that nobody has is one line", ["--unchecked", "--profile=unknownsymbol"],
        [INSIDE + r".*mono_profiler_function_that_nobody_has.*"], group="bad"),
    Row("a wrong option is one line", ["--unchecked", "--profile=calls:outptu=x"],
        [INSIDE + r'calls: unknown option "outptu"; did you mean "output"\?'], group="bad"),
    Row("a comma in place of the colon is explained", ["--unchecked", "--profile=exceptions,output=/tmp/x"],
        [INSIDE + r"the profiler 'exceptions,output=/tmp/x' has a comma in its name: arguments stand behind .*"],
        group="bad"),
    Row("a comma that nobody quoted is explained", ["--unchecked", "--profile=calls:callspec=all,-T:X"],
        [INSIDE + r'calls: unknown option "-T:X"; a comma that belongs to callspec= wants a backslash or quotes, .*']),
    Row("a missing module is refused", ["--profile=nosuch"], [r"monocle: there is no module 'nosuch'; .*"], 2, True),
    Row("a wrong option is refused", ["--profile=calls:outptu=x"],
        [r'monocle: calls: unknown option "outptu"; did you mean "output"\?'], 2, True),
    Row("a comma in place of the colon is refused", ["--profile=exceptions,output=/tmp/x"],
        [r"monocle: there is no module 'exceptions,output=/tmp/x'; arguments follow a colon: .*"], 2, True),
    Row("a quoted comma is part of the value", ["--profile=calls:callspec='all,-T:X',output=q1.pb.gz"], group="good"),
    Row("a comma behind a backslash is part of the value", ["--profile=calls:callspec=all\\,-T:X,output=q2.pb.gz"]),
    Row("both entry points are told apart from none", ["--profile=bothways"],
        [INSIDE + r"profiler 'bothways': \S+ has the entry point of Mono's old profiler API .* beside "
         r"mono_profiler_init_bothways; .*"], without=["is expected"], group="bad"),
    Row("-o goes to the module that takes it", ["-o", "o.pb.gz", "--profile=leaver", "--profile=calls"]),
    Row("-o without a module that takes it is refused", ["-o", "p.pb.gz", "--profile=leaver"],
        [r"monocle: -o: --profile=leaver is not known to take output=FILE; see monocle run --help"], 2, True),
]


def grouped(table):
    """The rows of the first tier: each group is one, with an --unchecked where a row of it has one."""
    groups = {}
    for number, row in enumerate(row for row in table if not row.again):
        groups.setdefault(row.group or number, []).append(row)
    for rows in groups.values():
        words = dict.fromkeys(word for row in rows for word in row.words)
        yield Row("; ".join(row.name for row in rows), list(words), sum((row.lines for row in rows), []), rows[0].code,
                  rows[0].loses, sum((list(row.without) for row in rows), []))


class MessageSuite(harness.Suite):
    def row(self, runtime, row, exe):
        what = "%s: %s" % (runtime, row.name)
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": ":".join(self.build.module_dirs()),
                                        "TMPDIR": str(self.work)})
        own = self.work / "stderr"
        command = [self.build.monocle, "run", "-q", *row.words, "--",
                   "sh", "-c", 'exec 2>"$0"; exec "$@"', own, *runtime.command(exe)]
        got = harness.run(command, env, cwd=self.work)
        lines = got.err.splitlines()
        # A dying runtime says much of its own.
        said = own.read_text(errors="replace") if own.exists() else ""
        ours = re.search("^monocle: ", said, re.M)
        self.check(not ours and (row.dies() or said in ("", self.alone.err)), what + ": its stderr", said)
        same = len(lines) == len(row.lines) and all(re.fullmatch(p, l) for p, l in zip(row.lines, lines))
        self.check(same, what, got)
        self.check(not any(word in got.err for word in row.without), what + ": wording", got)
        code = row.code[runtime.kind] if isinstance(row.code, dict) else row.code
        self.check(got.code == code and (row.loses or got.out == self.alone.out), what + ": the program", got)

    def environment_words(self, runtime, exe):
        """MONOCLE_PROFILE is split as a shell does: one level of quotes is gone before the module sees it."""
        if runtime.kind == "mono":
            return
        for text, count in [("calls:callspec=\"'all,-T:X'\",output=e1.pb.gz", 0),
                            ("\"calls:callspec='all,-T:X',output=e2.pb.gz\"", 0),
                            ("calls:callspec=all\\\\,-T:X,output=e3.pb.gz", 0),
                            ("calls:callspec='all,-T:X',output=e4.pb.gz", 1)]:
            env = harness.profile_environment(self.build, runtime, [])
            env["MONOCLE_PROFILE"] = text
            got = harness.run(runtime.command(exe), env, cwd=self.work)
            self.check(len(got.err.splitlines()) == count and got.out == self.alone.out, "%s: %s" % (runtime, text),
                       got)

    def main(self):
        self.parser.add_argument("--runtimes")
        self.parse()
        exe = self.build.path / "examples/programs/greet.exe"
        os.mkfifo(self.work / "pipe")
        for runtime in self.runtimes():
            self.alone = self.bare(runtime.command(exe))
            self.check(self.alone.code == 0, "%s: bare" % runtime, self.alone)
            for row in ROWS if self.options.full else grouped(ROWS):
                self.row(runtime, row, exe)
            self.environment_words(runtime, exe)
        for name in ["o.pb.gz", "q1.pb.gz", "q2.pb.gz"]:
            self.check(os.path.getsize(self.work / name) > 0, name)
        return self.finish()


if __name__ == "__main__":
    sys.exit(MessageSuite("messages", __doc__).main())
