#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that is edited while it runs, as by `dotnet watch`: it lives, says what it says without us, and modules say
what is so of the code before and after each edit.

  edits.py --build DIR [--runtimes clr8,...]

The library (deltas.cs) is edited ten times under each module. In the first tier several modules share a process.
"""
import collections
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

EDITS = 10
EDITABLE = {"DOTNET_MODIFIABLE_ASSEMBLIES": "debug", "TMPDIR": "/tmp"}
# Of each round: how often the program calls what the library has from the beginning.
ROUND = {"Edited:Work ()": 1, "Edited:Unchanged (int)": 1, "Edited:Leaf (int)": 5, "Edited:Show<int> (int)": 1,
         "Edited:Show<T_REF> (T_REF)": 1, "Edited:Throws (int)": 4, "Edited:Caught (int)": 1, "Edited:Wait ()": 1,
         "Box`1<int>:Name (int)": 1}
COUNTED = {name: (EDITS + 1) * count for name, count in ROUND.items()}
for edit in range(1, EDITS + 1):  # what it adds
    COUNTED.update({"Edited:New%d (int)" % edit: 1, "Edited:Held%d ()" % edit: 1, "Fresh%d:.ctor ()" % edit: 1,
                    "Fresh%d:Say (Box`1<Fresh%d>,int)" % (edit, edit): 1})
# .NET 11 makes an edit a further body of the method, which has no probes: the first round is counted, and after that
# what is not edited.
EDITED_ONCE = dict(ROUND, **{"Edited:Unchanged (int)": EDITS + 1})
NOT_COUNTED = "edited was edited while it runs: what its edited methods run from then on is not counted"
NOT_COVERED = "edited was edited while it runs: what its edited methods run from then on is not covered"
NO_VALUES = "show no arguments and no results"
LEFT_OUT = "are not counted in a program that runs already, because it may be edited while it runs"
PROFILES = ("calls", "sample", "exceptions", "events:calls", "calls")
EVENT = re.compile(r"^\s*[\d.]+\s+(\d+)\s+(method_(?:enter|leave|exception_leave)) method=(.*?\))")


def counted(runtime):
    return EDITED_ONCE if runtime.name == "clr11" else COUNTED


def lost(runtime):
    return (NOT_COUNTED,) if runtime.name == "clr11" else ()


class Edits(harness.Suite):
    def folder(self):
        return self.build.path / "test/hostile/edits"

    def command(self, runtime):
        return [*runtime.command(self.folder() / "hot.exe"), self.folder() / "library"]

    def line_of(self, edit, mark):
        """Where a line is in the library's text before the first edit, 0, or after one."""
        text = self.folder() / "library" / ("%d.cs" % edit if edit else "edited.cs")
        return next(n for n, line in enumerate(text.read_text().splitlines(), 1) if line.endswith("// " + mark))

    def runs(self, runtime, what, modules, said=(), settings=None):
        """Ten edits beside these modules: the program does what it does without them, and they say this and no more."""
        settings = {**EDITABLE, **(settings or {})}
        command = self.command(runtime)
        bare = self.bare(command, EDITABLE)
        self.check(bare.code == 9 and len(bare.out.splitlines()) == 2 * (EDITS + 1), "%s: ten edits" % runtime, bare)
        seen = harness.run(command, harness.profile_environment(self.build, runtime, modules, settings), self.work)
        self.check((seen.code, seen.out) == (bare.code, bare.out),
                   "%s, %s: the program does what it does without us" % (runtime, what), "%s\nbare: %s" % (seen, bare))
        lines = seen.err.splitlines()
        self.check(len(lines) == len(said) and all(any(words in line for line in lines) for words in said),
                   "%s, %s: says %s" % (runtime, what, said or "nothing"), seen)

    def report(self, file, *options):
        return harness.run([self.build.monocle, "report", *options, file], harness.bare_environment())

    def begin(self, runtime, env):
        """The program, which waits before the first edit."""
        process = subprocess.Popen(list(map(str, self.command(runtime))), env=env, cwd=self.work, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        process.said = [process.stdout.readline(), process.stdout.readline()]
        return process

    def edit(self, process):
        """What it says then."""
        process.stdin.write("\n")
        process.stdin.flush()
        return [process.stdout.readline(), process.stdout.readline()]

    # --- what each module says ----------------------------------------------------------------------------------------

    def calls(self, runtime, file):
        """Each call is counted, before the first edit and after each."""
        rows = [line.split("\t") for line in self.report(file, "--format=tsv").out.splitlines()[1:]]
        counts = {row[0]: int(row[1]) for row in rows}
        seen = {name: counts[name] for name in COUNTED if name in counts}
        self.check(seen == counted(runtime), "%s, calls: each is counted" % runtime, counts)

    def events(self, runtime, file):
        """Each call has one exit, on its thread, in order; those that throw leave by the exception."""
        open_calls, exits, strays = collections.defaultdict(list), collections.Counter(), []
        text = file.read_text()
        clauses = text.count(" exception_clause method=Edited:Caught (int) index=0 ")
        self.check(clauses == 2 * counted(runtime)["Edited:Caught (int)"],
                   "%s, events: filters and handlers" % runtime, clauses)
        for line in text.splitlines():
            found = EVENT.match(line)
            if not found:
                continue
            thread, event, method = found.groups()
            if event == "method_enter":
                open_calls[thread].append(method)
            elif open_calls[thread] and open_calls[thread][-1] == method:
                exits[method, event] += 1
                open_calls[thread].pop()
            else:
                strays.append(line)
        seen = {name: exits[name, "method_leave"] + exits[name, "method_exception_leave"] for name in counted(runtime)}
        self.check(not strays and not any(open_calls.values()), "%s, events: enters and exits agree" % runtime,
                   strays[:5] or open_calls)
        self.check(seen == counted(runtime) and exits["Edited:Throws (int)", "method_leave"] == 0,
                   "%s, events: each call has its exit" % runtime, exits)

    def cover(self, runtime, file):
        """A method that was edited keeps what it had before, one that was not goes on."""
        lines = file.with_suffix(".info")
        made = harness.run([self.build.monocle, "convert", "--to=lcov", "-o", lines, file], harness.bare_environment())
        text = lines.read_text() if lines.exists() else ""
        own = next((part for part in text.split("end_of_record") if "/edited.cs" in part), "")
        hits = dict(re.findall(r"^DA:(\d+),(\d+)", own, re.M))
        self.check(hits.get(str(self.line_of(0, "Unchanged"))) == str(5 * (EDITS + 1)) and
                   hits.get(str(self.line_of(0, "Throws"))) == "1", "%s, cover: lines" % runtime, (made, text))

    def exceptions(self, runtime, file):
        seen = self.report(file)
        thrown = re.search(r"^\s*(\d+) .*System\.InvalidOperationException", seen.out, re.M)
        self.check(thrown and int(thrown.group(1)) == EDITS + 1 and "Edited" in seen.out,
                   "%s, exceptions: each is counted" % runtime, seen)

    def modules(self, runtime):
        """(the module's name, its options, what it leaves behind, who reads that, what it says)"""
        file = {name: self.work / ("%s-%s" % (runtime, name))
                for name in ("calls.pb.gz", "events.log", "cover.mcov", "sample.pb.gz", "exceptions.pb.gz")}
        return [
            ("calls:output=%s" % file["calls.pb.gz"], self.calls, file["calls.pb.gz"]),
            ("events:calls,also=exception_clause,output=%s" % file["events.log"], self.events, file["events.log"]),
            ("cover:mode=count,output=%s" % file["cover.mcov"], self.cover, file["cover.mcov"]),
            ("exceptions:output=%s" % file["exceptions.pb.gz"], self.exceptions, file["exceptions.pb.gz"]),
            ("sample:output=%s" % file["sample.pb.gz"], None, file["sample.pb.gz"]),
        ]

    def started(self, runtime):
        rows = self.modules(runtime)
        groups = [[row] for row in rows] if self.options.full else [rows[:2], rows[2:]]
        for group in groups:
            names = [row[0].split(":")[0] for row in group]
            said = lost(runtime) if {"calls", "events"} & set(names) else ()
            self.runs(runtime, " and ".join(names), [row[0] for row in group],
                      said + ((NOT_COVERED,) if "cover" in names else ()))
            for _, look, file in group:
                if look:
                    look(runtime, file)

    def without_gate(self, runtime, program):
        """An image whose attribute is written in another way, or another class, has no probes, and the library has."""
        command = [*runtime.command(self.folder() / program / "hot.exe"), self.folder() / "library", "1"]
        profile, file = "calls:output=%s", self.work / (program + ".pb.gz")
        seen = harness.run(command, harness.profile_environment(self.build, runtime, [profile % file], EDITABLE),
                           self.work)
        rows = self.report(file, "--format=tsv").out
        self.check(seen.code == 9 and "calls of hot are not counted, because it may be edited" in seen.err and
                   "Edited:Work ()\t%d\t" % min(2, counted(runtime)["Edited:Work ()"]) in rows and "Hot:" not in rows,
                   "%s: no gate for %s" % (runtime, program), (str(seen), rows))

    def contexts(self, runtime):
        """Values are not shown, which is said once."""
        self.runs(runtime, "arguments", ["calls:threshold=1ns,args,output=%s" % (self.work / "args.pb.gz")],
                  (NO_VALUES, *lost(runtime)))

    def compiled_otherwise(self, runtime):
        """The gate may be compiled at once, with all optimisations, and what it is called from in other ways."""
        for setting in ("DOTNET_TieredCompilation", "DOTNET_ReadyToRun", "DOTNET_TC_QuickJit"):
            rows = self.modules(runtime)[:2]
            self.runs(runtime, setting + "=0", [row[0] for row in rows], lost(runtime), {setting: "0"})
            for _, look, file in rows:
                look(runtime, file)
                file.unlink()

    def threads(self, runtime):
        """Threads call what is edited, and compile it: the program sees each edit."""
        command = [*self.command(runtime), EDITS, 4]
        bare = self.bare(self.command(runtime), EDITABLE)
        for turn in range(20):
            modules = ["calls:output=%s" % (self.work / "many.pb.gz"), "events:calls,output=/dev/null"][:1 + turn % 2]
            seen = harness.run(command, harness.profile_environment(self.build, runtime, modules, EDITABLE), self.work)
            self.check((seen.code, seen.out) == (bare.code, bare.out), "%s, threads: turn %d" % (runtime, turn), seen)

    def lines(self, runtime):
        """A method that an edit left its instructions, beside modules that write into it: samples say its line."""
        for beside in ("calls", "cover"):
            modules = ["%s:output=%s" % (beside, self.work / beside), "sample:lines,mode=wall,output=%s" %
                       (self.work / ("%s-%s-lines.pb.gz" % (runtime, beside)))]
            env = harness.profile_environment(self.build, runtime, modules, EDITABLE)
            process = self.begin(runtime, env)
            for _ in range(2):
                self.edit(process)
            report = [self.build.monocle, "report", "--lines", "-n0", process.pid]
            seen = []

            def waits():
                seen[:] = [harness.run(report, harness.bare_environment(EDITABLE)).out]
                return "Edited.Held2 ()" in seen[0]
            harness.wait_for(waits)
            place = "edited.cs:%d  Edited.Wait ()" % self.line_of(0, "Wait")
            self.check(place in seen[0], "%s, lines beside %s" % (runtime, beside), seen[0])
            process.communicate("end\n")

    # --- after an attach ----------------------------------------------------------------------------------------------

    def attached(self, runtime, profiles):
        """Attached to between the edits; each attach sees code that was edited, and the program does not notice."""
        process = self.begin(runtime, harness.bare_environment(EDITABLE))
        said = process.said
        self.stack(runtime, process.pid, 0)
        for edit in range(1, EDITS + 1):
            said += self.edit(process)
            if edit in (1, EDITS):
                self.stack(runtime, process.pid, edit)
            if edit % 2 and edit // 2 < len(profiles):
                self.attach(runtime, process.pid, profiles[edit // 2])
        out, err = process.communicate("\n")
        bare = self.bare(self.command(runtime), EDITABLE)
        self.check((process.returncode, "".join(said) + out, err) == (bare.code, bare.out, bare.err),
                   "%s, attached: the program does what it does without us" % runtime, (process.returncode, err, said))

    def attach(self, runtime, pid, profile):
        seen = harness.run([self.build.monocle, "attach", pid, "-q", "--profile=" + profile, "--duration=50ms", "-o",
                            self.work / ("%s-%s" % (runtime, profile))],
                           harness.bare_environment({"TMPDIR": "/tmp"}), self.work)
        told = LEFT_OUT in seen.err and "monocle run or dotnet watch --no-hot-reload has them counted" in seen.err
        self.check(seen.code == 0 and told == ("calls" in profile), "%s, attached: %s" % (runtime, profile), seen)

    def stack(self, runtime, pid, edit):
        """The method that waits is named, and who calls it; lines are said where symbols tell of the code."""
        seen = harness.settled(lambda: harness.run([self.build.monocle, "stack", pid],
                                                   harness.bare_environment({"TMPDIR": "/tmp"}), self.work),
                               lambda seen: "Console.ReadLine" in seen.out)
        line = "  edited.cs:%d" % self.line_of(0, "Wait") if edit % 2 == 0 else ""
        place = ("    Edited.Held%d ()\n" % edit if edit else "") + "    Edited.Wait ()%s\n" % line
        if edit and runtime.name == "clr11":  # it does not tell where code of an edit begins that was there before
            place = "    [stub]\n    Hot.Main (string[])"
        self.check(place in seen.out, "%s, stack after edit %d" % (runtime, edit), seen)


def main():
    suite = Edits("edits", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse(harness.NET, harness.NET)
    if not (suite.folder() / "hot.exe").exists():
        suite.skip("all of it", "the programs were not compiled")
        return suite.finish()
    for runtime in suite.runtimes():
        suite.started(runtime)
        all_of_it = suite.options.full or runtime.name == "clr10"
        suite.attached(runtime, PROFILES if all_of_it else PROFILES[:1])
        if all_of_it:
            suite.contexts(runtime)
            suite.without_gate(runtime, "old")
            suite.without_gate(runtime, "namesake")
            suite.lines(runtime)
        if suite.options.full:
            suite.compiled_otherwise(runtime)
            suite.threads(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
