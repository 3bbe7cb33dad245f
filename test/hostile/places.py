#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Places where no profile can be written, and programs with names that a terminal or a shell takes for orders.

The program does what it does alone; one line says what is wrong and where the raw profile is, which must be there. The
first tier has all modules in one process for each place, and one name with all that is bad. With --full there is a
process for each, and runtimes take turns; --every has each on all of them.
"""
import pathlib
import re
import resource
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402
from outputs import stable  # noqa: E402

MODULES = ("calls", "sample", "exceptions", "events", "calls:callspec=all")
TOGETHER = MODULES[:4]

# FOLDER is a working folder that holds the file `file`, SMALL a file system of 200 KiB mounted there.
PLACES = {
    "/dev/full": "/dev/full",
    "/proc": "/proc/profile",
    "missing folder": "FOLDER/nowhere/profile",
    "a folder": "FOLDER",
    "a file as a folder": "FOLDER/file/profile",
    "full disk": "SMALL/profile",
}
KEPT = re.compile(r"; the raw profile is in (.*)$")
CANNOT = 126  # how confine ends where it may not mount

NAMES = {
    "line feed": "two\nlines",
    "escape sequence": "red\033[31m\033]0;owned\007",
    "substitution": "$(touch substituted)`touch substituted`",
    "quotes": "it's a \"name\"; touch substituted",
}

# Lists what the command left on a file system that is gone with it.
KEEP = 'mount=$1 copy=$2; shift 2; "$@"; code=$?; cp -r "$mount" "$copy"; exit $code'


class Places(harness.Suite):
    def programs(self):
        return self.build.path / "test/hostile/programs"

    def command(self, host, program=None):
        return host.command(program or self.programs() / "torture.exe") + ["1", "Mixture"]

    def unchanged(self, what, host, seen):
        bare = self.bare(self.command(host))
        good = (seen.code, seen.out, stable(seen.err, False)) == (bare.code, bare.out, stable(bare.err, False))
        self.check(good and bare.code == 5 and not seen.timeout, what + ": the program does what it does alone", seen)

    def place(self, host, title, *modules):
        """No profile there, one line of each module about it, and no temporary file but those that the lines name."""
        what = "%s, %s to %s" % (host, " ".join(modules), title)
        folder = self.work / re.sub(r"\W", "-", what)
        temporary = folder / "tmp"
        temporary.mkdir(parents=True)
        (folder / "file").touch()
        output = PLACES[title].replace("FOLDER", str(folder)).replace("SMALL", str(folder / "small"))
        descs = [module + (",output=" if ":" in module else ":output=") + output for module in modules]
        env = harness.profile_environment(self.build, host, descs, {"TMPDIR": str(temporary)})
        command = self.command(host)
        if "SMALL" in PLACES[title]:
            (folder / "small").mkdir()
            command = [self.programs() / "confine", "tmpfs=%s:200k" % (folder / "small"), "--", "sh", "-c",
                       KEEP, "sh", folder / "small", folder / "copy"] + command
        seen = harness.run(command, env, cwd=folder)
        if seen.code == CANNOT and seen.err.startswith("confine:"):
            self.skip(what, seen.err.strip())
            return
        self.unchanged(what, host, seen)
        ours = [line for line in seen.err.splitlines() if line.startswith("monocle: ")]
        good = len(ours) == len(modules) and all(output in line for line in ours)
        if self.check(good, what + ": a line of each module names the file", seen.err):
            self.left(what, temporary, [match[1] for match in map(KEPT.search, ours) if match])

    def left(self, what, temporary, kept):
        files = [str(path) for path in temporary.rglob("*") if path.is_file()]
        self.check(sorted(files) == sorted(kept), what + ": raw profiles are where the lines say, and nothing else",
                   [files, kept])
        for file in files:
            seen = harness.run([self.build.monocle, "report", "--format=tsv", file], harness.bare_environment(),
                               cwd=temporary)
            self.check(seen.code == 0, what + ": the raw profile can be read", seen)

    def named(self, host, title, name):
        """Its default output, what is said of it and what is proposed to be typed: one line each, no orders in it."""
        what = "%s, name with %s" % (host, title)
        folder = self.work / str(host) / title.replace(" ", "-")
        folder.mkdir(parents=True)
        program = folder / (name + ".exe")
        shutil.copy(self.programs() / "torture.exe", program)
        shutil.copy(self.programs() / "libtorture.so", folder)
        shutil.copy(self.programs() / "torture.runtimeconfig.json", folder / (name + ".runtimeconfig.json"))
        command = [self.build.monocle, "run", "--profile=calls", "--profile=exceptions", "--"]
        before = set(folder.iterdir())
        seen = harness.run(command + self.command(host, program), harness.bare_environment(), cwd=folder)
        self.check(seen.code == 5, what + ": ends as it ends alone", seen)
        made = sorted(path.name for path in set(folder.iterdir()) - before)
        good = len(made) == 2 and all(file.isprintable() for file in made)
        self.check(good, what + ": leaves two profiles whose names can be printed", made)
        self.harmless(what, seen.err)
        hints = re.findall(r"monocle: see more: (.*?), (monocle flame .*)$", seen.err, re.M)
        self.check(len(hints) == 2, what + ": each profile has its hint", seen.err)
        for typed in sum(hints, ()):
            self.typed(what, typed, folder)
        if good:
            report = harness.run([self.build.monocle, "report", made[0]], harness.bare_environment(), cwd=folder)
            self.check(report.code == 0, what + ": monocle report reads it", report)
            self.harmless(what + " in the report", report.out)

    def harmless(self, what, text):
        """The name's own line feed would make a line more, its escape sequence would colour the terminal."""
        lines = [line for line in text.splitlines() if line.startswith("lines")]
        good = "\033" not in text and "\007" not in text and not lines
        self.check(good, what + ": no escape sequence, no line of its own", repr(text))

    def typed(self, what, command, folder):
        """The hint does what it promises when it is typed in, and nothing else."""
        env = harness.bare_environment()
        env["PATH"] = "%s:%s" % (self.build.path, env["PATH"])
        seen = harness.run(["sh", "-c", command + " > typed 2>&1"], env, cwd=folder)
        shown = (folder / "typed").read_text()[:500]
        self.check(seen.code == 0, what + ": %s works when it is typed" % command, shown)
        self.check(not (folder / "substituted").exists(), what + ": nothing was substituted")


def turns(hosts):
    """Runtimes take turns from place to place: what is asked is asked of the modules, not of them."""
    for number, (title, module) in enumerate((title, module) for title in PLACES for module in MODULES):
        yield hosts[number % len(hosts)], title, module


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    suite = Places("places", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--every", action="store_true", help="every place on every runtime")
    options = suite.parse(full="clr10,clr8,mono,clr9,clr11")
    if not (suite.programs() / "torture.exe").exists():
        suite.skip("torture.exe", "not compiled: mcs was absent", "mono")
        return suite.finish()
    hosts = suite.runtimes()
    if not options.full and not options.every:
        for number, title in enumerate(PLACES if hosts else ()):
            suite.place(hosts[number % len(hosts)], title, *TOGETHER)
        for host in hosts[-1:]:
            suite.named(host, "all of them", " ".join(NAMES.values()))
        return suite.finish()
    everywhere = [(host, title, module) for host in hosts for title in PLACES for module in MODULES]
    for host, title, module in everywhere if options.every else turns(hosts) if hosts else []:
        suite.place(host, title, module)
    for number, (title, name) in enumerate(NAMES.items()):
        for host in hosts if options.every else hosts[number % len(hosts):][:1] if hosts else []:
            suite.named(host, title, name)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
