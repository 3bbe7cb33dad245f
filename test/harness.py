# SPDX-License-Identifier: MIT
"""What the suites share: the runtimes, how a program is run under a module, and how results are counted.

A suite makes a Suite, asks it for runtimes, calls check () per fact and ends with finish (), which prints the line
"N passed, N failed, N skipped". An absent runtime is a skip, or a failure where MONOCLE_REQUIRE names it.

A suite asks what the tree alone decides. With --full it also asks what depends on rates, pressure, chance or many
repetitions: test/README.md says which suites have such questions.
"""
import argparse
import collections
import faulthandler
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TEST = pathlib.Path(__file__).resolve().parent
TOP = TEST.parent
HANGS = 400  # seconds after which a suite says where it is; none takes so long on an idle machine
# The versions of .NET, and the runtimes of the first tier and of --full. A suite that asks 8 and 9 in the first tier
# asks TO_10 there, where .NET 11 says what 10 says (test/README.md).
NET, TO_10, OLDER = "clr8,clr9,clr10,clr11", "clr8,clr9,clr10", ("clr8", "clr9")
FIRST, ALL = "mono,clr10", "mono," + NET
CLR_GUID = "{F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}"

# Variables that would put a profiler into a run that must be bare, or change what the runtime does.
SCRUB = re.compile(r"^(CORECLR_|COR_|DOTNET_(EnableProfiling|ENABLE_PROFILING|Tiered|ReadyToRun)|MONOCLE_"
                   r"|MONO_ENV_OPTIONS|MONO_PROFILE|LD_PRELOAD|LD_AUDIT)")


RUNTIMES = {"mono": "mono", "mono-sgen": "mono", "dotnet": "dotnet"}
starts = collections.Counter()  # runtime processes that this suite has started by itself, by the runtime's name


def count_start(event, details):
    """An audit hook: a command line that names a runtime's program starts one process of it."""
    if event == "subprocess.Popen":
        words = details[1] if not isinstance(details[1], (str, bytes)) else [details[1]]
        names = (os.path.basename(os.fsdecode(word)) for word in words)
        starts.update(name for name in (RUNTIMES.get(name) for name in names) if name)


sys.addaudithook(count_start)


def seed():
    """The number from which everything random in this run comes; None where it is as always."""
    text = os.environ.get("MONOCLE_TEST_SEED")
    return int(text) if text else None


def chance(usual):
    """A generator, which begins at `usual`, or at a place of MONOCLE_TEST_SEED's that is `usual`'s own."""
    return random.Random(usual if seed() is None else "%s of %d" % (usual, seed()))


class Runtime:
    """One way to run a .exe: `command (exe)` is the bare command line, `profiled ()` the same under modules."""

    def __init__(self, name, kind, version, prefix):
        self.name = name          # "mono", "clr8"
        self.kind = kind          # what MONOCLE_REQUIRE calls it: "mono" or "coreclr"
        self.version = version
        self.prefix = prefix      # the command line up to the program

    def command(self, exe):
        return self.prefix + [str(exe)]

    def __str__(self):
        return self.name


def mono_version():
    out = subprocess.run(["mono", "--version"], capture_output=True, text=True).stdout
    return out.split()[4] if len(out.split()) > 4 else "?"


def find_mono():
    if not shutil.which("mono"):
        return None
    return Runtime("mono", "mono", mono_version(), ["mono", "--debug"])


def find_clr(majors):
    out = subprocess.run([str(TEST / "runtimes.sh"), *[str(m) for m in majors]], capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        major, version, root = line.split("\t")
        found[int(major)] = Runtime("clr" + major, "coreclr", version,
                                    [root + "/dotnet", "exec", "--fx-version", version])
    return found


class Build:
    """Where a build folder has what the suites need."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        self.adapter = self.path / "lib/clr/libmonocle-clr.so"
        self.programs = self.path / "test/conformance/programs"
        self.monocle = self.path / "monocle"

    def module_dirs(self):
        found = {p.parent for p in self.path.glob("**/libmono-profiler-*.so")}
        return sorted(str(p) for p in found)

    def library_dirs(self):
        return [str(self.path / "lib" / sub) for sub in ("core", "kit", "clr", "mono")]

    def module(self, name):
        for directory in self.module_dirs():
            path = pathlib.Path(directory) / ("libmono-profiler-%s.so" % name)
            if path.exists():
                return path
        return None

    def exe(self, name):
        return self.programs / (name + ".exe")


# CoreCLR maps executable memory twice, through a shared file. What a parent compiles, or sets up to be counted, while a
# child of its fork () still runs managed code is called by the child, which does not have it: with the runtime alone a
# child that lives for 300 ms dies each time on .NET 8, 9 and 10. Closing that file, or limiting its size, ends the JIT.
# Programs that do so are started with this setting, so that what they suffer is ours.
PRIVATE_CODE = {"DOTNET_EnableWriteXorExecute": "0"}


def bare_environment(settings=None):
    env = {k: v for k, v in os.environ.items() if not SCRUB.match(k)}
    env["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1"
    env["DOTNET_NOLOGO"] = "1"
    env["LC_ALL"] = "C.UTF-8"
    env["MONO_CRASH_NOFILE"] = "1"  # else a Mono that dies leaves mono_crash.*.json in the folder of the caller
    env.update(settings or {})
    return env


def quote(word):
    return "'" + word.replace("'", "'\\''") + "'" if re.search(r"[^\w:=,./+%@-]", word) else word


def profile_environment(build, runtime, modules, settings=None):
    """The environment in which `runtime` loads `modules` (descs) from the build folder; messages come on stderr."""
    env = bare_environment({"MONOCLE_LOG": "stderr", **(settings or {})})
    words = [quote(m) for m in modules]
    if runtime.kind == "mono":
        env["MONO_ENV_OPTIONS"] = " ".join("--profile=" + w for w in words)
        paths = build.module_dirs() + build.library_dirs()
        env["LD_LIBRARY_PATH"] = ":".join(paths + [p for p in [env.get("LD_LIBRARY_PATH")] if p])
    else:
        env["CORECLR_ENABLE_PROFILING"] = "1"
        env["CORECLR_PROFILER"] = CLR_GUID
        env["CORECLR_PROFILER_PATH"] = str(build.adapter)
        env["MONOCLE_PROFILE"] = " ".join(words)
        env["MONOCLE_MODULE_PATH"] = ":".join(build.module_dirs())
    return env


def signal_name(number):
    try:
        return "killed by " + signal.Signals(number).name
    except ValueError:
        return "killed by signal %d" % number


def clipped(text):
    """The end of a long text, and its beginning, where a runtime says what it dies of."""
    return text if len(text) < 3000 else "%s\n[...]\n%s" % (text[:1000], text[-2000:])


class Outcome:
    """What a process left: exit code (negative: the signal), both outputs; `timeout` when it had to be killed."""

    def __init__(self, code, out, err, timeout=False):
        self.code, self.out, self.err, self.timeout = code, out, err, timeout

    def __str__(self):
        how = "timeout" if self.timeout else "exit %d" % self.code if self.code >= 0 else signal_name(-self.code)
        return "%s\n--- stdout\n%s\n--- stderr\n%s" % (how, clipped(self.out), clipped(self.err))


def run(command, env, cwd=None, timeout=120, stdin=subprocess.DEVNULL):
    """Runs to the end in a session of its own; on timeout that whole session is killed and nothing else."""
    try:
        child = subprocess.Popen([str(c) for c in command], env=env, cwd=cwd, stdin=stdin, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True)
    except OSError as error:
        return Outcome(127, "", str(error))
    timed_out = False
    try:
        out, err = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
    return Outcome(child.returncode, out.decode(errors="replace"), err.decode(errors="replace"), timed_out)


def wait_for(condition, seconds=100):
    """Until it is so, however busy the machine is: what it is at last. After so many seconds something hangs."""
    end, pause = time.monotonic() + seconds, 0.005
    while True:
        found = condition()
        if found or time.monotonic() > end:
            return found
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)


def settled(look, is_good):
    """What a command says as soon as that is good, or as it fails; what it said last when that is never so."""
    seen = []

    def looked():
        seen[:] = [look()]
        return seen[0].code or seen[0].err or is_good(seen[0])
    wait_for(looked)
    return seen[0]


class Suite:
    def __init__(self, name, description):
        self.name = name
        self.passed = self.failed = self.skipped = 0
        self.required = set(filter(None, os.environ.get("MONOCLE_REQUIRE", "").split(",")))
        self.parser = argparse.ArgumentParser(description=description)
        self.parser.add_argument("--build", default=str(TOP / "build"), help="the build folder")
        self.parser.add_argument("--full", action="store_true",
                                 help="also what depends on rates, pressure, chance or many repetitions")
        self.parser.add_argument("--keep", action="store_true", help="keep the working folder")
        self.parser.add_argument("-v", "--verbose", action="store_true")

    def parse(self, first=FIRST, full=ALL):
        """`first` and `full`: the runtimes where a suite has the option --runtimes and is given none."""
        self.options = self.parser.parse_args()
        if self.options.full and seed() is None:
            os.environ["MONOCLE_TEST_SEED"] = str(random.SystemRandom().randrange(1 << 31))
        if seed() is not None:
            print("seed: %d" % seed(), flush=True)
        if getattr(self.options, "runtimes", "") is None:
            self.options.runtimes = full if self.options.full else first
        # The versions of .NET that are asked where all, and where the newer ones, are asked by name.
        self.net = (NET if self.options.full else TO_10).split(",")
        self.newer = [name for name in self.net if name not in OLDER]
        self.bares = {}
        faulthandler.dump_traceback_later(HANGS, repeat=True)  # who ends a test that hangs does not say where it did
        self.build = Build(self.options.build)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="monocle-%s-" % self.name))
        return self.options

    def bare(self, command, settings=None, timeout=120):
        """What a command does without a profiler. Each is run once."""
        key = tuple(map(str, command)), tuple((settings or {}).items())
        if key not in self.bares:
            self.bares[key] = run(command, bare_environment(settings), self.work, timeout)
        return self.bares[key]

    def runtimes(self, wanted=None):
        """The runtimes out of "mono", "clr8", ... that are there; the others are skipped by name."""
        wanted = self.options.runtimes.split(",") if wanted is None else wanted
        majors = [int(w[3:]) for w in wanted if w.startswith("clr")]
        adapter = self.build.adapter.exists()
        clr = find_clr(majors) if majors and adapter else {}
        why = "cannot be had (see test/runtimes.sh)" if adapter else "no libmonocle-clr.so in this build"
        found = []
        for name in wanted:
            runtime = find_mono() if name == "mono" else clr.get(int(name[3:]))
            if runtime:
                found.append(runtime)
            else:
                self.skip(name, "mono is not installed" if name == "mono" else why,
                          "mono" if name == "mono" else "coreclr")
        if found:
            print("runtimes: " + ", ".join("%s %s" % (runtime, runtime.version) for runtime in found), flush=True)
        return found

    def skip(self, what, why, kind=None):
        if kind and kind in self.required:
            self.fail(what, "%s, and MONOCLE_REQUIRE asks for %s" % (why, kind))
            return
        self.skipped += 1
        print("SKIP %s: %s" % (what, why))

    def fail(self, what, why=""):
        self.failed += 1
        print("FAIL %s%s" % (what, (": " + str(why)) if why else ""))
        sys.stdout.flush()

    def check(self, good, what, why=""):
        if good:
            self.passed += 1
            if self.options.verbose:
                print("ok   " + what)
        else:
            self.fail(what, why)
        return bool(good)

    def finish(self):
        if self.options.keep:
            print("kept " + str(self.work))
        else:
            shutil.rmtree(self.work, ignore_errors=True)
        if starts:
            print("started: " + ", ".join("%d of %s" % (count, name) for name, count in sorted(starts.items())))
        print("%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped))
        if self.failed:
            return 1
        return 0 if self.passed else 77
