#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Living in a foreign process: whatever a program does to itself, a profiler changes nothing it can see.

Modes of hostile.cs are run bare and under modules; outputs and the way of ending must be equal, and the profile of
`calls` must hold exactly the calls that were made, also when nobody told us of the end. Guest modules, built as
strangers build them, are run on both runtimes.

The first tier runs what does not end the process together. With --full each mode has its process, also as an apphost
and a single file, and by way of `monocle run`; the violent ends are run under `sample` too, while threads work, so that
signals arrive in the middle of them.
"""
import pathlib
import re
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))
import counts  # noqa: E402
import harness  # noqa: E402
from outputs import stable  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
LEAF = "Hostile:Leaf (int)"


class Mode:
    def __init__(self, name, leaf=1000, env=None, dump=False, on=None):
        self.name = name        # one mode or several
        self.leaf = leaf        # calls of Hostile:Leaf that the profile must show
        self.env = env or {}
        self.dump = dump        # the runtime dumps addresses: only what is stable is compared
        self.on = on            # the kind of runtime that can do this; None: both

    def same_stderr(self, host):
        """Mono reports an overflow in other words when the last frame was native, as any profiler's callback is."""
        return not (self.name == "overflow" and host.kind == "mono")


MODES = [
    Mode("return"),
    Mode("exit"),
    Mode("exit-thread"),
    Mode("background"),
    Mode("unhandled", dump=True),
    Mode("unhandled-thread", dump=True),
    Mode("failfast", dump=True),
    Mode("abort", dump=True),
    Mode("overflow", dump=True),
    Mode("sigint"),
    Mode("sigterm"),
    Mode("sigkill"),
    Mode("fork", leaf=2000, env=harness.PRIVATE_CODE),
    Mode("fork-exec", env=harness.PRIVATE_CODE),
    Mode("exec"),
    Mode("daemonise", env=harness.PRIVATE_CODE),
    Mode("close-all", leaf=2000, env=harness.PRIVATE_CODE),
    Mode("reuse", leaf=2000),
    Mode("chdir"),
    Mode("environment"),
    Mode("traces"),
]

# What leaves the process alive, and at last threads that go on; then what the first tier asks of each runtime. After
# its descriptors are closed .NET itself may hang where it begins a thread.
TOGETHER = Mode("traces environment fork fork-exec chdir background", leaf=2000, env=harness.PRIVATE_CODE)
FIRST = {
    "coreclr": ["exit-thread", "abort", "sigint", "sigterm", "sigkill", "exec", "daemonise", "close-all", "reuse"],
    "mono": ["sigkill", "exec", "close-all", "reuse"],
}
FIRST_RUN = {"coreclr": ["abort", "sigint", "sigkill"], "mono": ["sigkill"]}
MODULES = ["calls:output=profile.pb.gz", "sample:output=samples.pb.gz", "exceptions:output=thrown.pb.gz"]

# How a program may end while it is being sampled, and how it may be sampled.
SAMPLED = [
    Mode("return"),
    Mode("unhandled-thread", dump=True),
    Mode("overflow", dump=True),
    Mode("sigterm"),
    Mode("abort-busy", dump=True),
    Mode("failfast-busy", dump=True),
    Mode("fault-busy", dump=True),
    Mode("abort-threads", on="mono"),
]
SAMPLINGS = ["freq=1000", "freq=10000", "mode=wall,freq=1000"]

# How the signal may come that a program takes over from the sampler, and how many of ours it may get before we know.
TAKEN_OVER = [
    ("freq=10000", {"MONOCLE_SAMPLER": "perf"}),
    ("freq=100", {"MONOCLE_SAMPLER": "timer"}),
    ("freq=10000", {"MONOCLE_SAMPLER": "paced"}),
    ("mode=wall,native,threads", {}),
]
UNWANTED = 40  # two of each thread until the sampler looks, and .NET begins some; unstopped there are thousands

# The ways to end that a parent can tell apart.
UNDER_RUN = {"return", "exit", "unhandled", "abort", "overflow", "sigint", "sigterm", "sigkill", "fork", "close-all",
             "chdir"}
GUESTS = ("linknone", "linkmono", "dlsymonly")


def published_hosts(suite, version):
    """The apphost and the single-file app, published for .NET 9."""
    folder = harness.TOP / ".runtimes" / "published"
    made = subprocess.run([str(HERE / "publish.sh"), str(folder)], capture_output=True, text=True)
    if made.returncode:
        suite.skip("apphost, single file", "cannot be published: " + made.stderr.strip(), "publish")
        return []
    hosts = []
    for name in ("apphost", "single"):
        host = harness.Runtime(name, "coreclr", version, [])
        host.command = lambda exe, path=str(folder / name / "hostile"): [path]
        hosts.append(host)
    return hosts


def crash_report(text):
    """What Mono's crash reporter found out, without addresses: its sections, and the managed stack."""
    lines = [line for line in text.splitlines() if re.match(r"\t(Native Crash|Basic Fault|Managed|  at )", line)]
    return [re.sub(r"<.*>$", "", line) for line in lines]


class HostileSuite(harness.Suite):
    def exe(self):
        return self.build.path / "test/hostile/programs/hostile.exe"

    def folder(self, *names):
        path = self.work / "-".join(str(n).replace(" ", "-") for n in names)
        path.mkdir(exist_ok=True)
        return path

    def start(self, host, mode, env, folder):
        """Runs one mode in a folder of its own; "reuse" leaves its own output in a file there."""
        command = host.command(self.exe()) + [str(folder / "reused"), *mode.name.split()]
        seen = harness.run(command, env, cwd=folder, timeout=60)
        reused = folder / "reused"
        seen.reused = reused.read_text(errors="replace") if reused.exists() else ""
        return seen

    def alone(self, host, mode):
        if (host, mode.name) not in self.bares:
            self.bares[host, mode.name] = self.start(host, mode, harness.bare_environment(mode.env),
                                                     self.folder(host, mode.name, "bare"))
        return self.bares[host, mode.name]

    def profiled(self, host, mode, modules, folder):
        env = harness.profile_environment(self.build, host, modules, mode.env)
        return self.start(host, mode, env, folder)

    def same(self, what, host, mode, bare, seen):
        self.check(not seen.timeout, what + ": ends", seen)
        self.check(seen.code == bare.code, what + ": ends as without us (%d)" % bare.code, seen)
        self.check(stable(seen.out, mode.dump) == stable(bare.out, mode.dump), what + ": prints the same",
                   "%s\n--- bare\n%s" % (seen, bare))
        if mode.same_stderr(host):
            self.check(stable(seen.err, mode.dump) == stable(bare.err, mode.dump), what + ": same on stderr",
                       "%s\n--- bare\n%s" % (seen, bare))
        self.check(seen.reused == bare.reused, what + ": nothing gets into the program's files", seen.reused)

    def report(self, what, folder):
        """{method: calls} of the profile, or of the spool that a dead process left."""
        files = [p for p in folder.rglob("*") if p.is_file() and p.name.startswith("profile")]
        if not self.check(len(files) == 1, what + ": leaves one profile or spool", [p.name for p in files]):
            return None
        seen = harness.run([self.build.monocle, "report", "--format=tsv", files[0]], harness.bare_environment())
        if not self.check(seen.code == 0, what + ": monocle report reads %s" % files[0].name, seen):
            return None
        return counts.read_report(seen.out)

    def mode_under(self, host, mode, modules):
        what = "%s %s" % (host, mode.name)
        folder = self.folder(host, mode.name)
        seen = self.profiled(host, mode, modules, folder)
        self.same(what, host, mode, self.alone(host, mode), seen)
        got = self.report(what, folder)
        if got is not None:
            self.check(got.get(LEAF) == mode.leaf, what + ": the profile is exact",
                       "%s of %d" % (got.get(LEAF), mode.leaf))
            # A forked child is nobody's profile: the parent's must not see its calls.
            child = [m for m in got if m.startswith("Hostile:ChildWork")]
            self.check(not child, what + ": a forked child counts nowhere", child)

    def mode_under_run(self, host, mode):
        """The same by way of `monocle run`, which must end as the program ended and leave exactly the named file."""
        what = "%s monocle run %s" % (host, mode.name)
        folder, file = self.folder(host, mode.name, "run"), "profile.pb.gz"
        env = harness.bare_environment(mode.env)
        command = host.command(self.exe()) + [str(folder / "reused"), mode.name]
        seen = harness.run([self.build.monocle, "run", "--profile=calls", "-o", file, "--"] + command, env, cwd=folder,
                           timeout=60)
        bare = self.alone(host, mode)
        code = bare.code if bare.code >= 0 else 128 - bare.code
        self.check(not seen.timeout and seen.code == code, what + ": exits with %d" % code, seen)
        self.check(stable(seen.out, mode.dump) == stable(bare.out, mode.dump), what + ": prints the same",
                   "%s\n--- bare\n%s" % (seen, bare))
        got = self.report(what, folder)
        if got is not None:
            self.check((folder / file).exists(), what + ": the profile has the name that was asked for")
            self.check(got.get(LEAF) == mode.leaf, what + ": the profile is exact",
                       "%s of %d" % (got.get(LEAF), mode.leaf))

    def modes_under_sample(self, host):
        for mode in [mode for mode in SAMPLED if mode.on in (None, host.kind)]:
            bare = self.timed(self.alone, host, mode)
            for sampling in SAMPLINGS:
                what = "%s %s under sample:%s" % (host, mode.name, sampling)
                folder = self.folder(host, mode.name, sampling)
                modules = ["sample:%s,output=profile.pb.gz" % sampling]
                seen = self.timed(self.profiled, host, mode, modules, folder)
                self.same(what, host, mode, bare, seen)
                self.check(crash_report(seen.out) == crash_report(bare.out), what + ": same crash report",
                           "%s\n--- bare\n%s" % (seen, bare))
                self.check(seen.seconds < 3 * bare.seconds + 10, what + ": ends as fast as without us",
                           "%.1f s, bare %.1f s" % (seen.seconds, bare.seconds))
                files = [p.name for p in folder.rglob("profile*")]
                self.check(len(files) == 1, what + ": leaves one profile or spool", files)

    def signal_taken_over(self, host):
        for sampling, settings in TAKEN_OVER:
            mode = Mode("urgent", env=settings)
            what = "%s %s %s under sample:%s" % (host, mode.name, settings.get("MONOCLE_SAMPLER", ""), sampling)
            bare = self.alone(host, mode)
            self.check(bare.code == 6 and bare.out == "urgent:\nurgent 0\n", what + ": none without us", bare)
            folder = self.folder(host, mode.name, sampling, *settings.values())
            seen = self.profiled(host, mode, ["sample:%s,output=profile.pb.gz" % sampling], folder)
            match = re.match(r"urgent:\nurgent (\d+)\n$", seen.out)
            self.check(seen.code == bare.code and match, what + ": ends as without us", seen)
            self.check(match and int(match.group(1)) <= UNWANTED, what + ": few of our signals", seen)
            told = [line for line in seen.err.splitlines() if "sampling ends: the program handles signal" in line]
            self.check(len(told) == 1, what + ": a line says that sampling ended", seen)

    def timed(self, start, *arguments):
        begin = time.monotonic()
        seen = start(*arguments)
        seen.seconds = time.monotonic() - begin
        return seen

    # --- modules of strangers ---------------------------------------------------------------------------------------

    def guest(self, host, name):
        """A guest module counts exactly, the program does what it does."""
        what = "%s guest %s" % (host, name)
        folder = self.folder(host, name)
        mode = MODES[0]
        seen = self.profiled(host, mode, ["%s:%s" % (name, folder / "counts")], folder)
        self.same(what, host, mode, self.alone(host, mode), seen)
        text = (folder / "counts").read_text() if (folder / "counts").exists() else "no file"
        self.check(text == "1000 1000\n", what + ": counts", "%s\n%s" % (text, seen))

    def documentation_sample(self, host):
        what = "%s guest docsample" % host
        folder = self.folder(host, "docsample")
        seen = self.profiled(host, MODES[0], ["docsample"], folder)
        self.sample_said(what, seen)
        self.same(what, host, MODES[0], self.alone(host, MODES[0]), seen)

    def sample_said(self, what, seen):
        """What docsample prints is taken out of the output."""
        match = re.search(r"^calls: (\d+)\n", seen.out, re.M)
        self.check(match and int(match.group(1)) > 1000, what + ": prints its number", seen)
        seen.out = re.sub(r"^calls: \d+\n", "", seen.out, flags=re.M)

    def two_modules(self, host):
        what = "%s two modules" % host
        folder = self.folder(host, "two")
        modules = ["calls:output=profile.pb.gz", "linknone:%s" % (folder / "counts")]
        seen = self.profiled(host, MODES[0], modules, folder)
        self.same(what, host, MODES[0], self.alone(host, MODES[0]), seen)
        text = (folder / "counts").read_text() if (folder / "counts").exists() else "no file"
        self.check(text == "1000 1000\n", what + ": the second counts", text)
        got = self.report(what, folder)
        if got is not None:
            self.check(got.get(LEAF) == 1000, what + ": the first counts", got.get(LEAF))


    def guests_together(self, host):
        what, folder = "%s all guests" % host, self.folder(host, "guests")
        files = {name: folder / name for name in GUESTS}
        modules = ["calls:output=profile.pb.gz", "docsample", *("%s:%s" % item for item in files.items())]
        seen = self.profiled(host, MODES[0], modules, folder)
        self.sample_said(what, seen)
        self.same(what, host, MODES[0], self.alone(host, MODES[0]), seen)
        texts = {name: file.read_text() if file.exists() else "no file" for name, file in files.items()}
        self.check(set(texts.values()) == {"1000 1000\n"}, what + ": each counts", texts)
        got = self.report(what, folder)
        self.check(got and got.get(LEAF) == 1000, what + ": so does ours", got)

    def first(self, host):
        for mode in [TOGETHER] + [mode for mode in MODES if mode.name in FIRST[host.kind]]:
            self.mode_under(host, mode, MODULES)
        for mode in [mode for mode in MODES if mode.name in FIRST_RUN[host.kind]]:
            self.mode_under_run(host, mode)
        self.guests_together(host)


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    suite = HostileSuite("hostile", __doc__)
    suite.parser.add_argument("--hosts", default="mono,clr10")
    suite.parser.add_argument("--modes", default=",".join(m.name for m in MODES))
    suite.parser.add_argument("--only", choices=["modes", "sample", "run", "guests"])
    options = suite.parse()
    names = options.hosts.split(",")
    hosts = suite.runtimes([n for n in names if n not in ("apphost", "single")])
    if "apphost" in names or "single" in names:
        if suite.build.adapter.exists():
            hosts += [h for h in published_hosts(suite, "9.0") if h.name in names]
        else:
            suite.skip("apphost, single file", "no libmonocle-clr.so in this build", "coreclr")
    if not suite.exe().exists():
        suite.skip("hostile.exe", "not compiled: mcs was absent", "mono")
        return suite.finish()
    for host in hosts:
        if not options.full:
            suite.first(host)
            continue
        if options.only in (None, "modes"):
            for mode in MODES:
                if mode.name in options.modes.split(","):
                    suite.mode_under(host, mode, MODULES[:1])
        if options.only in (None, "sample"):
            suite.modes_under_sample(host)
            if host.kind == "coreclr":
                suite.signal_taken_over(host)
        if options.only in (None, "run"):
            for mode in MODES:
                if mode.name in UNDER_RUN:
                    suite.mode_under_run(host, mode)
        if host.name in ("apphost", "single"):
            continue
        if options.only in (None, "guests"):
            for name in GUESTS:
                suite.guest(host, name)
            suite.documentation_sample(host)
            suite.two_modules(host)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
