#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever is in our variables: what is wrong is a line, each line is one line, and the program notices nothing.

A row sets some variables and names the lines that are expected, on Mono (through the umbrella), on CoreCLR, or on both.
Rows with nothing in common share a start of the runtime: a test's start is dear, and a row is not.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

# The kernel takes no string of more than 128 KiB.
LONG = 131000
NASTY = b"%n%s%99999d\x1b[31m\x07\nmonocle: forged\r\xff\xfe\xc0\xaf\xe2\x80\xae"
SEEN = r"%n%s%99999d\?\[31m\? monocle: forged \?+"
HUGE = "9" * 400


class Row:
    """`start`: which start it is a part of. `lines`: patterns of whole lines, after "monocle: "."""

    def __init__(self, start, settings, lines, only=None):
        self.start, self.settings, self.lines, self.only = start, settings, lines, only


def words(*texts):
    """As a value of MONOCLE_PROFILE: each byte that means something is behind a backslash."""
    return b" ".join(re.sub(rb"([ \t\n'\"\\])", rb"\\\1", text) for text in texts)


def rows(folder):
    pipe, file = os.fsencode(folder / "pipe"), os.fsencode(folder / "file")
    return [
        # Switches: what is no switch is a line, and counts as what it says there.
        Row("names", {"MONOCLE_ENABLED": NASTY}, ["MONOCLE_ENABLED=%s is neither 0 nor 1; taken as 1" % SEEN]),
        Row("names", {"MONOCLE_STRICT": NASTY}, ["MONOCLE_STRICT=%s is neither 0 nor 1; taken as 0" % SEEN]),
        Row("names", {"MONOCLE_CHECK": NASTY}, ["MONOCLE_CHECK=%s is neither 0 nor 1; taken as 1" % SEEN]),
        Row("names", {"MONOCLE_RUN_ALL": NASTY}, ["MONOCLE_RUN_ALL=%s is neither 0 nor 1; taken as 0" % SEEN], "clr"),
        Row("names", {"MONOCLE_LOG_LEVEL": NASTY}, ["MONOCLE_LOG_LEVEL=%s is none of error, .*" % SEEN]),
        Row("modules", {"MONOCLE_CONTROL": NASTY}, ["MONOCLE_CONTROL=%s is neither 0 nor 1; taken as 1" % SEEN]),
        Row("modules", {"MONOCLE_START": NASTY},
            ["MONOCLE_START=%s is neither now, nor stopped, nor a time like 5s; taken as now" % SEEN]),
        Row("modules", {"MONOCLE_DURATION": HUGE + "s", "XDG_RUNTIME_DIR": pipe},
            ["MONOCLE_DURATION=9+s is no time like 30s; modules count until the end"]),
        Row("names", {"MONOCLE_WAIT": HUGE}, ["MONOCLE_WAIT=9+ is neither 0, nor 1, nor a number .*"]),
        Row("names", {"MONOCLE_LOG": pipe}, ["MONOCLE_LOG=/.*/pipe: nobody reads this pipe; messages .*"]),
        # Numbers and folders that only `monocle run` sets, and for itself.
        Row("names", {"MONOCLE_RUN_PID": b"-" + HUGE.encode(), "MONOCLE_EMBED_PID": NASTY, "TMPDIR": pipe}, []),
        Row("names", {"MONOCLE_TEST_PATIENCE": NASTY, "JOURNAL_STREAM": HUGE + ":" + HUGE}, []),
        Row("names", {"DEBUGINFOD_CACHE_PATH": NASTY, "XDG_CACHE_HOME": pipe, "HOME": NASTY}, []),
        # Names: none of these is a module, and each has its line.
        Row("names", {"MONOCLE_PROFILE": words(NASTY, b"x" * 5000, b":", b",", b"a/b", b"\xff", b"calls,x:y")}, [
            "profiler '%s' not found: .*" % SEEN.split(":")[0],
            r"the profiler name 'x{32}\.\.\.' is too long",
            "the profiler ':' has no name: .*|no profiler is named.*",
            "the profiler ',' has a comma in its name: .*",
            "the profiler 'a/b' is a path; .*",
            r"profiler '\?' not found: .*",
            "the profiler 'calls,x:y' has a comma in its name: .*"]),
        Row("names", {"MONOCLE_MODULE_PATH": b":".join([b"", NASTY, pipe, file, b"/dev/zero", b".", b"x" * 5000,
                                                        b"::"])}, []),

        # Whatever is long.
        Row("long", {"MONOCLE_PROFILE": b"'" + b"calls " * (LONG // 6)},
            [r"MONOCLE_PROFILE: a quote is not closed in: .*"]),
        Row("long", {"MONOCLE_LOG": b"/" + b"y/" * (LONG // 2)}, [r"MONOCLE_LOG=/y/.*: the name is too long; .*"]),
        Row("long", {"MONOCLE_MODULE_PATH": b"a:" * (LONG // 2), "MONOCLE_SAMPLER": b"s" * LONG}, []),
        Row("long", {"MONOCLE_ENABLED": b"1" * LONG}, [r"MONOCLE_ENABLED=1+\.\.\."]),
        Row("long", {"MONOCLE_RUN_DIR": b"/z" * (LONG // 2), "MONOCLE_ATTACH_CALLS": NASTY}, []),

        # Modules that run: their own messages, their files.
        Row("modules", {"MONOCLE_PROFILE": words(b"calls:bogus=" + NASTY,
                                                 b"sample:output=" + os.fsencode(folder) + b"/.")},
            ["calls: .*bogus.*", "sample: .*"]),
        Row("modules", {"MONOCLE_SAMPLER": NASTY}, ["MONOCLE_SAMPLER=%s is none of perf, timer, paced; .*" % SEEN],
            "clr"),
        Row("modules", {"MONOCLE_RUN_DIR": pipe, "MONOCLE_LOG": folder, "MONOCLE_WAIT": "-1"},
            ["MONOCLE_LOG=/.*: it is a folder; .*", "MONOCLE_WAIT=-1 is neither .*"]),

        # Mono's own variables, where we are the ones who read them.
        Row("monos", {"MONO_ENV_OPTIONS": b"--profile='" + NASTY, "MONOCLE_CLR_TRY_FAULT": NASTY},
            ["MONO_ENV_OPTIONS: a quote is not closed in: --profile='%s" % SEEN], "clr"),
        # The runtime's own: what it does not know is nothing to us.
        Row("monos", {"DOTNET_MODIFIABLE_ASSEMBLIES": NASTY, "DOTNET_RichDebugInfo": NASTY}, [], "clr"),
        Row("monos", {"MONO_PROFILE": NASTY}, ["profiler '%s' not found: .*" % SEEN.split(":")[0]], "clr"),

        # Nothing at all is what nothing is: one line that a module is missing.
        Row("empty", {"MONOCLE_PROFILE": " \t\n", "MONOCLE_MODULE_PATH": "", "MONOCLE_ENABLED": "", "MONOCLE_LOG": "",
                      "MONOCLE_PROCESS": "", "MONOCLE_STRICT": "", "MONOCLE_CHECK": "", "MONOCLE_SAMPLER": "",
                      "MONOCLE_WAIT": "", "MONOCLE_CONTROL": "", "MONOCLE_START": "", "MONOCLE_DURATION": "",
                      "XDG_RUNTIME_DIR": "", "MONOCLE_LOG_LEVEL": "", "MONOCLE_RUN_DIR": "", "MONOCLE_RUN_PID": "",
                      "MONOCLE_EMBED_PID": "", "MONOCLE_RUN_ALL": "", "TMPDIR": ""},
            ["MONOCLE_PROFILE names no module: .*|no profiler is named: .*"]),

        # A choice that cannot be made is none: the process is left alone.
        Row("chosen", {"MONOCLE_PROCESS": b"*?" * (LONG // 2), "MONOCLE_PROFILE": "calls"},
            [r"MONOCLE_PROCESS=[*?]+\.\.\. is too long; this process is not profiled"]),
        Row("glob", {"MONOCLE_PROCESS": b"*a" * 400 + b",[[:" + NASTY, "MONOCLE_PROFILE": "calls"}, []),
    ]


class Wrong(harness.Suite):
    def prepare(self):
        os.mkfifo(self.work / "pipe")
        (self.work / "file").write_text("")
        self.greet = self.build.path / "examples/programs/greet.exe"
        self.starts = {}
        for row in rows(self.work):
            self.starts.setdefault(row.start, []).append(row)

    def settings(self, runtime, rows):
        env = {"MONOCLE_MODULE_PATH": ":".join(self.build.module_dirs())}
        if runtime.kind == "mono":
            env.update(MONO_ENV_OPTIONS="--profile=monocle", LD_LIBRARY_PATH=str(self.build.path / "lib/mono"))
        else:
            env.update(CORECLR_ENABLE_PROFILING="1", CORECLR_PROFILER=harness.CLR_GUID,
                       CORECLR_PROFILER_PATH=str(self.build.adapter))
        for row in rows:
            env.update(row.settings)
        return env

    def try_start(self, runtime, start, bare):
        what = "%s, %s: " % (runtime, start)
        found = [row for row in self.starts[start] if not row.only or runtime.name.startswith(row.only)]
        if not found:
            return
        env = harness.bare_environment(self.settings(runtime, found))
        seen = harness.run(runtime.command(self.greet), env, cwd=self.work, timeout=60)
        # The stderr of a program is its own where variables loaded us; where the file of messages is wrong, too.
        logs = list(self.work.glob("monocle.*.log"))
        text = seen.err + "".join(path.read_text() for path in logs)
        lines = text.split("\n")
        for path in logs:
            path.unlink()
        self.check(not seen.err or runtime.kind == "mono", what + "nothing is on the program's stderr", seen)
        self.check((seen.code, seen.out) == (bare.code, bare.out), what + "the program is what it is without", seen)
        self.check(lines[-1] == "" and all(line.startswith("monocle: ") for line in lines[:-1]),
                   what + "nothing but lines of ours", seen)
        self.check(not re.search(r"[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ufffd]", text),
                   what + "nothing that a terminal would obey", repr(text))
        for line in [line for row in found for line in row.lines]:
            hits = [text for text in lines if re.fullmatch("monocle: (%s)" % line, text)]
            self.check(hits, what + "there is the line: " + line, text)
        expected = [line for row in found for line in row.lines]
        extra = [text for text in lines[:-1]
                 if not any(re.fullmatch("monocle: (%s)" % line, text) for line in expected)]
        self.check(not extra, what + "no other line", extra)

    def every_variable_has_a_row(self):
        read = {name for folder in ("lib", "modules") for path in (harness.TOP / folder).rglob("*.[ch]")
                for name in re.findall(r'monocle__variable \("(\w+)"\)', path.read_text())}
        known = {name for start in self.starts.values() for row in start for name in row.settings}
        self.check(len(read) > 15 and not read - known, "each variable that is read has a row", sorted(read - known))

    def try_command(self):
        """The command, which starts no runtime here."""
        for row in ({"COLUMNS": HUGE, "TERM": NASTY, "NO_COLOR": NASTY}, {"COLUMNS": "-1", "TERM": "x" * LONG},
                    {"MONOCLE_MODULE_PATH": NASTY + b":" * 1000, "LD_LIBRARY_PATH": b"%s:" * 30000}):
            for words in (["list"], ["run", "--", "/bin/echo", "ran"]):
                bare = harness.run([self.build.monocle, *words], harness.bare_environment(), cwd=self.work)
                seen = harness.run([self.build.monocle, *words], harness.bare_environment(row), cwd=self.work)
                what = "monocle %s, %s: " % (words[0], ", ".join(row))
                self.check(seen.code == bare.code and seen.out.startswith(bare.out[:4]), what + "it works", seen)
                self.check(not re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]", seen.out + seen.err),
                           what + "nothing that a terminal would obey", repr(seen.out + seen.err))


def main():
    suite = Wrong("wrong", __doc__)
    suite.parse()
    suite.prepare()
    for runtime in suite.runtimes(["mono"] + suite.newer):
        bare = harness.run(runtime.command(suite.greet), harness.bare_environment(), cwd=suite.work)
        suite.check(bare.code == 0 and bare.out, "%s: the bare program runs" % runtime, bare)
        for start in suite.starts:
            suite.try_start(runtime, start, bare)
    suite.every_variable_has_a_row()
    suite.try_command()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
