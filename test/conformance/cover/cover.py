#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the module `cover` writes: counts that programs state themselves, what was chosen, and what a killed one left.

  cover.py --build DIR [--runtimes mono,clr8,...]
"""
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import harness  # noqa: E402
import mcov  # noqa: E402

MONOS_OWN = pathlib.Path("/usr/lib/libmono-profiler-coverage.so")
HIDE = ["unshare", "-m", "sh", "-c", 'mount --bind /etc/passwd "$0" && exec "$@"', os.path.realpath(MONOS_OWN)]
REQUEST = 120  # where the header has it, and the answer behind it
RULE = re.compile(r"//: (.*)$")
ANNOTATED = re.compile(r"((?: *(?:missed|[\d,.]+[kM]?!?))?(?: +\d+/\d+!?)?) +\d+  ")
STATED = re.compile(r"//= (\d+)( together)?")
CHOSEN = {"Chosen.get_Auto", "Chosen.set_Auto", "Chosen.get_Own", "Chosen.Marked", "Chosen.Main",
          "Outer/Inner.One"}
# Options, what must be gone, and what remains of it when that is not all the rest.
CHOICES = [
    ("", set(), None),
    ("generated", None, CHOSEN | {"Made.One", "MadeIn.Obj"}),
    ("generated,file=*.g.cs", None, {"MadeIn.Obj"}),
    ("skipautoprops", {"Chosen.get_Auto", "Chosen.set_Auto"}, None),
    ("attribute=Mine", {"Chosen.Marked"}, None),
    ("attribute=MineAttribute;Other", {"Chosen.Marked"}, None),
    ("attribute=CompilerGenerated", {"Chosen.get_Auto", "Chosen.set_Auto"}, None),
    ("exclude=[*]Outer", {"Outer/Inner.One"}, None),
    ("exclude=[cho?en]*nner", {"Outer/Inner.One"}, None),
    ("exclude=[other]*", set(), None),
    ("include=[chosen]Out*", None, {"Outer/Inner.One"}),
    ("include=[*]Out*;[x]y,exclude=[*]*Inner", None, set()),
    ("file=chosen.cs", set(), None),
    ("file=/**/cover/*.cs", set(), None),
    ("xfile=**/cho*.cs", None, set()),
    ("file=*.cs,xfile=other/*", None, {}),
    ("covfilter-file=plus", None, {"Outer/Inner.One"}),
    ("covfilter-file=minus", {"Outer/Inner.One"}, None),
]


def stated(source):
    """Line -> (how often it runs, whether threads count it at once)."""
    found = {}
    for number, line in enumerate((HERE / source).read_text().splitlines(), 1):
        match = STATED.search(line)
        if match:
            found[number] = (int(match.group(1)), bool(match.group(2)))
    return found


def differences_of_rules(annotated, build):
    """
    Lines `HITS [BRANCHES] NUMBER TEXT //: HITS [BRANCHES]` that do not agree. `-` is nothing, `any` is any branches;
    after `|` is what it is with optimisation.
    """
    odd, seen = [], 0
    for line in annotated.splitlines():
        rule, match = RULE.search(line), ANNOTATED.match(line)
        if not rule:
            continue
        seen += 1
        found = match.group(1).split() if match else [line]
        wanted = rule.group(1).split("|")[-1 if build == "release" else 0].split()
        if wanted[-1] == "any":
            wanted[-1:], found[1:] = [], []
        if found != ([] if wanted == ["-"] else wanted):
            odd.append(line)
    return odd if seen else ["no line says anything"]


def hidden():
    """Before a command: a namespace without Mono's own module. Empty: there is none, or it is not permitted."""
    permitted = MONOS_OWN.exists() and os.geteuid() == 0 and harness.run(HIDE + ["true"], dict(os.environ)).code == 0
    return HIDE if permitted else []


class Run:
    """One runtime."""

    def __init__(self, suite, runtime):
        self.suite, self.runtime = suite, runtime
        self.is_mono = runtime.kind == "mono"
        self.programs = suite.build.path / "test/conformance/cover"
        self.work = suite.work / runtime.name
        self.work.mkdir()

    def check(self, good, what, why=""):
        return self.suite.check(good, "%s: %s" % (self.runtime, what), why)

    def environment(self, options):
        desc = "cover:" + options if options else "cover"
        return harness.profile_environment(self.suite.build, self.runtime, [desc])

    def command(self, program, *arguments):
        return self.runtime.command(self.programs / program) + list(arguments)

    def cover(self, program, *arguments, options="", name="out.mcov", settings=None):
        path = self.work / name
        said = ",".join(filter(None, [options, "output=" + str(path)]))
        environment = {**self.environment(said), **(settings or {})}
        outcome = harness.run(self.command(program, *arguments), environment, cwd=self.work)
        return outcome, mcov.File(path) if path.exists() else None

    # --- counts

    def counts(self):
        bare = harness.run(self.command("counted.exe"), harness.bare_environment())
        for mode in ["hit", "count"]:
            outcome, file = self.cover("counted.exe", options="mode=" + mode)
            self.check((outcome.code, outcome.out, outcome.err) == (bare.code, bare.out, bare.err),
                       "mode=%s changes nothing" % mode, outcome)
            if self.check(file and file.ended, "mode=%s has a file with an end" % mode, outcome):
                self.compare(file, mode)

    def compare(self, file, mode):
        lines = file.lines("/counted.cs")
        for line, (count, together) in stated("counted.cs").items():
            seen = lines.get(line)
            if mode == "hit" and not self.is_mono:
                good = seen == min(count, 1)
            elif together:
                good = seen is not None and 0 < seen <= count
            else:
                good = seen == count
            self.check(good, "mode=%s: line %d runs %d times" % (mode, line, count), seen)
        self.check(not any(file.losses.values()), "mode=%s loses nothing" % mode, file.losses)
        self.check("Square.Never" in file.names(), "mode=%s has what never runs" % mode, file.names())
        self.check(file.program == "counted.exe" and file.runtime, "mode=%s names the program" % mode, file.program)

    # --- choices

    def choices(self):
        (self.work / "plus").write_text("comment\n+[chosen]Outer\n")
        (self.work / "minus").write_text("-Outer/\n")
        for options, gone, rest in CHOICES:
            outcome, file = self.cover("chosen.exe", options=options)
            if not self.check(file and not outcome.code and not outcome.err, "%s has a file" % options, outcome):
                continue
            names = {name for name in file.names() if not name.endswith("ctor")}
            names -= {name for name in names if "<Numbers>c__" in name}
            expected = CHOSEN - gone if gone is not None else CHOSEN if rest == {} else rest
            self.check(names == expected, "%s chooses" % options, sorted(names ^ expected))
            if not options:  # a constructor that was generated too
                self.check(file.left_out == 3, "what was left out is counted", file.left_out)

    def overloads(self):
        """Symbols tell which method a body was made of; an .mdb does not, nor does Mono."""
        if self.is_mono or not (self.programs / "overloads.exe").exists():
            return
        outcome, file = self.cover("overloads.exe")
        source = (HERE / "overloads.cs").read_text().splitlines()
        lines = file.lines("/overloads.cs") if file else {}
        for word, expected in [("// shown", {1}), ("// hidden", {None})]:
            seen = {lines.get(number) for number, line in enumerate(source, 1) if line.endswith(word)}
            self.check(seen == expected, "of overloads, what is %s" % word, outcome)

    def rules(self):
        """What the report says beside each line of which the source says it."""
        for build in [] if self.is_mono else ["debug", "release"]:
            program = "rules-%s.exe" % build
            if not (self.programs / program).exists():
                continue
            outcome, file = self.cover(program, options="mode=count", name="rules.mcov")
            said = harness.run([self.suite.build.path / "monocle", "report", "--annotate=rules.cs", "rules.mcov"],
                               harness.bare_environment(), cwd=self.work)
            odd = differences_of_rules(said.out, build)
            self.check(file and not outcome.code and not said.code and not odd, "%s: the report is as stated" % build,
                       "%s\n%s" % ("\n".join(odd), (outcome, said.code, said.err)))

    def mistakes(self):
        for options, said in [("include=Outer", "expected [assembly]type"), ("mode=often", "mode"),
                              ("covfilter-file=/nowhere", "No such file"), ("output=.", "cannot write"),
                              ("output=/nowhere/x", "cannot write /nowhere/x")]:
            outcome = harness.run(self.command("counted.exe"), self.environment(options), cwd=self.work)
            self.check(outcome.code == 7 and outcome.err.count("\n") == 1 and said in outcome.err,
                       "%s is refused in one line" % options, outcome)

    def sources(self):
        """Of a program whose sources are elsewhere, and of one without symbols."""
        for name in ["counted.exe", "counted.runtimeconfig.json", "counted.exe.mdb"]:
            data = (self.programs / name).read_bytes()
            (self.work / name).write_bytes(data.replace(b"/cover/counted.cs", b"/cover/counter.cs"))
        self.one_source("", "no source of counted", "skipped", False)
        self.one_source("sources=any", "", None, True)
        self.one_source("include=[counted]*", "", None, True)
        (self.work / "counted.exe.mdb").unlink()
        self.one_source("", "has no symbols", "sources", False)

    def one_source(self, options, said, loss, methods):
        path = self.work / "sources.mcov"
        outcome = harness.run(self.runtime.command(self.work / "counted.exe"), cwd=self.work,
                              env=self.environment(",".join(filter(None, [options, "output=" + str(path)]))))
        file = mcov.File(path)
        good = outcome.code == 7 and said in outcome.err and outcome.err.count("\n") == bool(said)
        good = good and bool(file.methods) == methods and {k for k, v in file.losses.items() if v} == ({loss} - {None})
        self.check(good, "sources elsewhere, %s" % (options or "by default"), "%s\n%s" % (file.losses, outcome))

    def alias(self):
        """By the name of Mono's own module, where that is not installed, or can be hidden."""
        if self.is_mono or (MONOS_OWN.exists() and not hidden()):
            return
        path = self.work / "alias.mcov"
        hiding = hidden()  # leaves a file that is no module, which is a line
        command = hiding + self.command("counted.exe")
        outcome = harness.run(command, cwd=self.work, env=harness.profile_environment(
            self.suite.build, self.runtime, ["coverage:output=%s" % path, "cover:output=%s.no" % path]))
        self.check(path.exists() and mcov.File(path).methods, "`coverage` is `cover`", outcome)
        self.check(outcome.err.count("\n") == 1 + bool(hiding) and "loaded already" in outcome.err,
                   "and is loaded once", outcome)

    # --- places

    def places(self):
        folder = self.work / "run"
        folder.mkdir()
        environment = self.environment("")
        environment["MONOCLE_RUN_DIR"] = str(folder)
        outcome = harness.run(self.command("counted.exe"), environment, cwd=self.work)
        files = list(folder.glob("output.*.1.mcov"))
        self.check(len(files) == 1 and mcov.File(files[0]).methods, "a run collects the file", outcome)
        outcome = harness.run(self.command("counted.exe"), self.environment(""), cwd=self.work)
        self.check(len(list(self.work.glob("counted_*_*.cover.mcov"))) == 1, "the file has a name by default", outcome)

    def full(self):
        """A limit of size stands for a full disk: growing fails, and the program must not notice."""
        path = self.work / "full.mcov"
        command = self.command("counted.exe")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, 64 << 10))
        environment = self.environment("output=" + str(path))
        environment.update(harness.PRIVATE_CODE)
        outcome = subprocess.run(command, env=environment, cwd=self.work, preexec_fn=limit,
                                 capture_output=True, text=True)
        self.check(outcome.returncode == 7 and outcome.stderr.count("\n") == 1 and "too large" in outcome.stderr,
                   "a file that cannot be so large is one line", outcome)

    # --- ends

    def steps(self, path):
        lines = (HERE / "killed.cs").read_text().splitlines()
        at = {number: int(line.split("// step ")[1]) for number, line in enumerate(lines, 1) if "// step " in line}
        seen = mcov.File(path).lines("/killed.cs")
        return {step for line, step in at.items() if seen.get(line)}

    def killed(self):
        """What ran before is there: on .NET all of it, on Mono, with --full, what is older than a second."""
        for turn in range(4):
            path = self.work / ("killed%d.mcov" % turn)
            pause = "400" if self.is_mono and self.suite.options.full else "0"
            child = subprocess.Popen(self.command("killed.exe", pause), stdout=subprocess.PIPE,
                                     env=self.environment("output=" + str(path)), cwd=self.work, text=True)
            said = []
            for line in child.stdout:
                said.append(line.split())
                if len(said) == 2 * turn + 2:
                    break
            child.send_signal(signal.SIGKILL)
            said += [line.split() for line in child.stdout]
            child.wait()
            said = [words for words in said if words[0] != "all"]
            young = int(said[-1][1]) if not self.is_mono else int(said[-1][1]) - 1500 if self.suite.options.full else 0
            wanted = {int(step) for step, when in said if int(when) <= young}
            self.check(wanted <= self.steps(path), "kill -9 after %d steps leaves them" % len(said),
                       "missing %s" % sorted(wanted - self.steps(path)))
            self.check(not mcov.File(path).ended, "kill -9 is no end")

    def asked(self):
        """On Mono a reader asks for the counters as they are now; elsewhere they are in the file at once."""
        path = self.work / "asked.mcov"
        child = subprocess.Popen(self.command("killed.exe", "0"), stdout=subprocess.PIPE, cwd=self.work, text=True,
                                 env=self.environment("output=" + str(path)))
        for line in child.stdout:
            if line == "all\n":
                break
        if self.is_mono:
            self.check(mcov.File(path).flags & mcov.POLLED, "the file says that it has to be asked for")
            with open(path, "r+b") as file:
                request = struct.pack("<I", 7)
                os.pwrite(file.fileno(), request, REQUEST)
                self.check(harness.wait_for(lambda: os.pread(file.fileno(), 4, REQUEST + 4) == request),
                           "the module answers that the counters are written")
        self.check(self.steps(path) == set(range(8)), "a reader sees what ran", self.steps(path))
        child.kill()
        child.communicate()

    def forked(self):
        outcome, file = self.cover("killed.exe", "fork", name="forked.mcov", settings=harness.PRIVATE_CODE)
        steps = self.steps(self.work / "forked.mcov") if file else set()
        expected = {4} if self.is_mono else {3, 4}  # Mono's counters are the child's own
        self.check(not outcome.code and steps == expected, "a forked child counts", "%s\n%s" % (steps, outcome))


def main():
    suite = harness.Suite("cover", __doc__.split("\n")[0])
    suite.parser.add_argument("--runtimes", default=harness.ALL)
    options = suite.parse()
    if not (suite.build.path / "test/conformance/cover/counted.exe").exists():
        suite.skip("all of it", "the programs are not compiled (mcs)")
        return suite.finish()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        run = Run(suite, runtime)
        run.counts()
        run.choices()
        run.overloads()
        run.rules()
        run.mistakes()
        run.sources()
        run.alias()
        run.places()
        run.full()
        run.killed()
        run.asked()
        run.forked()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
