#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In a set-user-id or set-group-id program no variable of the environment does anything of ours.

A host that embeds the library is run by nobody with each variable that we read: once as it is, where the variable must
do what it is for, once set-user-id root, and once set-group-id root, where it must do nothing.
"""
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

NOBODY = 65534


class Case:
    """One variable: what it is set to, which modules are loaded, and how its effect is seen."""

    def __init__(self, name, variable, value, effect, modules=(), argv0="host"):
        self.name, self.variable, self.value, self.effect = name, variable, value, effect
        self.modules, self.argv0 = modules, argv0


def said(text):
    return lambda seen, folder: text in seen.out + seen.err


def holds(name, text=""):
    """A file like `name` is there and has the text."""
    return lambda seen, folder: any(text in path.read_text(errors="replace") for path in folder.glob(name)
                                    if path.is_file())


# $ is the folder that everybody may write to.
CASES = [
    Case("messages of the core", "MONOCLE_LOG", "$/log", holds("log", "no-such-module"), ["no-such-module"]),
    Case("messages of a module", "MONOCLE_LOG", "$/log", holds("log", "bogus"), ["calls:bogus=1"]),
    Case("the run's folder, profiles", "MONOCLE_RUN_DIR", "$/run", holds("run/*.done"), ["calls:output=$/p.pb.gz"]),
    Case("the run's folder, logs", "MONOCLE_RUN_DIR", "$/run", holds("run/*.done"), ["events:output=$/e.log"]),
    Case("the run's folder, the adapter", "MONOCLE_RUN_DIR", "$/run", holds("run/*.loaded", "host")),
    Case("the folder for temporary files", "TMPDIR", "$/run", said("/run/calls."), ["calls:output=|cat > /dev/null"]),
    Case("where modules are", "MONOCLE_MODULE_PATH", "$/foreign", said("the stranger runs"), ["stranger"]),
    Case("which modules", "MONOCLE_PROFILE", "calls:output=$/p.pb.gz", holds("p.pb.gz")),
    Case("which modules, as Mono has it", "MONO_ENV_OPTIONS", "--profile=calls:output=$/p.pb.gz", holds("p.pb.gz")),
    Case("which module, as later Monos have it", "MONO_PROFILE", "calls:output=$/p.pb.gz", holds("p.pb.gz")),
    Case("a failure is fatal", "MONOCLE_STRICT", "1", lambda seen, folder: seen.code == 1, ["no-such-module"]),
    Case("checks of modules", "MONOCLE_CHECK", "1", said("where it is not allowed"), ["known"]),
    Case("the way of sampling", "MONOCLE_SAMPLER", "bogus", said("MONOCLE_SAMPLER"), ["sample:output=$/p.pb.gz"]),
    Case("switched off", "MONOCLE_ENABLED", "0", said("meant 0")),
    Case("other programs only", "MONOCLE_PROCESS", "!host", said("meant 0")),
    Case("a command's environment", "MARK", "of the caller", holds("environment", "MARK=of the caller"),
         ["calls:output=|env > $/environment"]),
    # A command of the SDK declines by itself unless this says that it is meant.
    Case("the SDK's processes too", "MONOCLE_RUN_ALL", "1", said("meant 1"), argv0="dotnet"),
]


class Secure(harness.Suite):
    def prepare(self):
        """A folder that nobody can reach, with a copy of all that is needed. False: it was said why not."""
        os.chmod(self.work, 0o755)
        self.libraries = self.work / "libraries"
        self.libraries.mkdir()
        core, kit = self.build.path / "lib/core/libmonocle.so.0", self.build.path / "lib/kit/libmonocle-kit.so.0"
        for path in [core, kit] + [self.build.module(name) for name in ("calls", "sample", "events")]:
            if path:
                shutil.copy(path, self.libraries)
        self.stranger = self.build.path / "test/secure/libmono-profiler-stranger.so"
        shutil.copy(self.build.path / "test/secure/libmono-profiler-known.so", self.libraries)
        self.hosts = {}
        for name, mode in (("plain", 0o755), ("set-user-id", 0o4755), ("set-group-id", 0o2755)):
            self.hosts[name] = self.work / name / "host"
            self.hosts[name].parent.mkdir()
            shutil.copy(self.build.path / "test/secure/host", self.hosts[name])
            os.chmod(self.hosts[name], mode)

    def why_not(self):
        if os.geteuid():
            return "only root can make a set-user-id program that is not its user's own"
        if os.statvfs(self.work).f_flag & os.ST_NOSUID:
            return "%s is mounted nosuid" % self.work
        if "NoNewPrivs:\t0" not in pathlib.Path("/proc/self/status").read_text():
            return "this process may gain no privileges"
        return None

    def run_host(self, how, case, folder):
        def fill(text):
            return text.replace("$", str(folder))

        for name, mode in (("run", 0o777), ("foreign", 0o755)):
            (folder / name).mkdir()
            os.chmod(folder / name, mode)
        shutil.copy(self.stranger, folder / "foreign")
        env = harness.bare_environment({case.variable: fill(case.value)})
        words = [case.argv0, str(self.libraries), *map(fill, case.modules)]
        return self.as_nobody(self.hosts[how], words, env, folder)

    def as_nobody(self, host, words, env, folder):
        script = ("import os, sys\nos.setgroups([])\nos.setresgid(%d, %d, %d)\nos.setresuid(%d, %d, %d)\n"
                  "os.execve(sys.argv[1], sys.argv[2:], dict(os.environ))" % ((NOBODY,) * 6))
        return harness.run([sys.executable, "-c", script, host, *words], env, cwd=folder, timeout=60)

    def try_case(self, case):
        for how in self.hosts:
            folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
            os.chmod(folder, 0o1777)
            seen = self.run_host(how, case, folder)
            is_secure = how != "plain"
            good = self.check("secure %d" % is_secure in seen.out, "%s: %s: the host runs" % (how, case.name), seen)
            what = "%s: %s: %s %s" % (how, case.name, case.variable, "does nothing" if is_secure else "works")
            self.check(good and bool(case.effect(seen, folder)) != is_secure, what, seen)


    def try_links(self):
        """A module beside a hard link to the program, where the caller has put both."""
        for how, host in self.hosts.items():
            folder = self.work / (how + "-link")
            (folder / ".libs").mkdir(parents=True)
            shutil.copy(self.stranger, folder / ".libs")
            os.link(host, folder / "host")
            seen = self.as_nobody(folder / "host", ["host", str(self.libraries), "stranger"],
                                  harness.bare_environment(), folder)
            what = "loaded" if how == "plain" else "left alone"
            self.check(("the stranger runs" in seen.out) == (how == "plain"),
                       "%s: a module beside the program is %s" % (how, what), seen)


def main():
    suite = Secure("secure", __doc__)
    suite.parse()
    why = suite.why_not()
    if why:
        suite.skip("set-user-id programs", why, "root")
    else:
        suite.prepare()
        for case in CASES:
            suite.try_case(case)
        suite.try_links()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
