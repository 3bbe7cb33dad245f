#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`monocle run` reaches programs that embed Mono, however they start it, once; and says why when there is nothing to
reach. What else is in the run notices nothing of it.
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "examples/embed-coreclr"))
import greeted  # noqa: E402
import harness  # noqa: E402
from greeted import GREETED  # noqa: E402

OPTION = "--embedded-mono"
NEVER = ("linked with Mono, but did not start it by mono_jit_init () or mono_main (), or had taken MONOCLE_PROFILE out "
         "of its environment by then")
NOBODY = "started none that could be profiled"


class Embedded(greeted.Suite):
    def monocle(self, *words, **settings):
        folders = ":".join(self.build.module_dirs())
        return harness.run([self.build.monocle, *words], harness.bare_environment({"MONOCLE_MODULE_PATH": folders,
                                                                                   **settings}), cwd=self.work)

    def run_calls(self, *words, **settings):
        """What is seen, and the count of calls that its profile has; -1: there is none."""
        output = self.work / "calls.pb.gz"
        output.unlink(missing_ok=True)
        options = [word for word in words if word == OPTION]
        command = [word for word in words if word != OPTION]
        seen = self.monocle("run", "-q", *options, "--profile=calls", "-o", output, "--", *command, **settings)
        return seen, self.calls(output) if output.exists() else -1

    def counts(self, what, *words, **settings):
        seen, calls = self.run_calls(*words, **settings)
        self.check((seen.code, seen.out, seen.err) == (0, GREETED, ""), what + ": the program is untouched", seen)
        self.check(calls == self.expected, "%s: each call is counted once" % what, calls)

    def explains(self, what, sentence, code, out, *words, **settings):
        seen, calls = self.run_calls(*words, **settings)
        self.check((seen.code, seen.out, calls) == (code, out, -1), what + ": the program is untouched", seen)
        self.check(sentence in seen.err and len(seen.err.splitlines()) == 1, what + ": it is said why", seen)

    def ways(self):
        """fork: the child starts it; exec: after the program has become itself; endless: without an end."""
        for way in ("version", "main", "umbrella", "thread", "fork", "exec", "endless"):
            self.counts(way, self.starts, way, self.exe)
        shell = 'exec "$0" version "$1"'
        self.counts("below a shell", OPTION, "sh", "-c", shell, self.starts, self.exe)
        self.explains("below a shell without the option", NOBODY, 0, GREETED, "sh", "-c", shell, self.starts, self.exe)
        self.explains("cleared", NEVER, 0, GREETED, self.starts, "cleared", self.exe)
        self.explains("never", NEVER, 7, "", self.starts, "never", self.exe)

    def opened(self):
        self.counts("a library that it opened", OPTION, self.opens, self.exe)
        source = self.work / "other.c"
        source.write_text("void *mono_jit_init (const char *file) { return 0; }\n")
        other = self.compile("libmonoother-2.0.so", "-shared", "-fPIC", source)
        self.counts("after it has looked at another one", OPTION, self.opens, self.exe, other)
        self.explains("without the option", "--embedded-mono reaches it", 0, GREETED, self.opens, self.exe)

    def plugged_in(self):
        """Only the plugin sees the Mono that it is linked with."""
        source = self.work / "loads.c"
        source.write_text("""#include <dlfcn.h>
typedef int (*main_fn) (int argc, char **argv);
int main (int argc, char **argv)
{
	void *plugin = dlopen (argv[1], RTLD_NOW | RTLD_LOCAL);
	return plugin ? ((main_fn) dlsym (plugin, "main")) (argc - 1, argv + 1) : 2;
}
""")
        loads = self.compile("loads", source)
        self.counts("a plugin", OPTION, loads, self.plugin, "version", self.exe)

    def others(self, clr):
        """What reads the environment is loaded once, and CoreCLR takes nothing of it for a Mono."""
        self.counts("mono", OPTION, "mono", self.exe)
        for runtime in self.runtimes(clr):
            self.counts(str(runtime), OPTION, *runtime.command(self.exe))

    def samples(self):
        words, output = self.build.path / "examples/programs/words.exe", self.work / "samples.pb.gz"
        seen = self.monocle("run", "-q", "--profile=sample:freq=1000", "-o", output, "--", self.starts, "version",
                            words)
        self.check((seen.code, seen.err) == (0, ""), "sampled: the program is untouched", seen)
        self.check(sum(amount for _, amount in self.column(output, "self_samples")) > 0, "sampled: there are samples",
                   self.column(output, "self_samples"))

    def environment(self):
        """Who does not need the two variables does not get them, and a library that is there already stays."""
        for options, wanted in ((), set()), ((OPTION,), {"LD_PRELOAD", "LD_AUDIT"}):
            seen = self.monocle("run", *options, "--", "env")
            found = {line.split("=")[0] for line in seen.out.splitlines()} & {"LD_PRELOAD", "LD_AUDIT"}
            self.check(found == wanted, "variables with %s" % (options,), seen)
        seen = self.monocle("env", OPTION)
        self.check(all("export %s='%s'\n" % (name, self.library(file)) in seen.out
                       for name, file in (("LD_PRELOAD", "preload"), ("LD_AUDIT", "audit"))), "env has both", seen)
        libc = next(pathlib.Path("/").glob("lib/*/libm.so.6"))
        seen = self.monocle("run", OPTION, "--", self.build.monocle, "run", OPTION, "--", "env", LD_PRELOAD=str(libc))
        line = next((line for line in seen.out.splitlines() if line.startswith("LD_PRELOAD=")), "")
        self.check(line == "LD_PRELOAD=%s:%s" % (libc, self.library("preload")), "run in run", line)

    def library(self, name):
        return self.build.path / ("lib/mono/libmonocle-%s.so" % name)

    def misplaced(self):
        """A folder whose name no list of libraries can hold, then one without the libraries."""
        folder = self.work / "a b"
        (folder / "lib/mono").mkdir(parents=True)
        program = shutil.copy(self.build.monocle, folder)
        shutil.copy(self.build.path / "lib/mono/libmono-profiler-monocle.so", folder / "lib/mono")
        for name, trouble in (("preload", "was not found"), ("audit", "a space, a colon or a dollar sign")):
            seen = harness.run([program, "run", "-q", "--unchecked", "--", self.starts, "never", self.exe],
                               harness.bare_environment())
            self.check(seen.code == 7 and trouble in seen.err and "cannot be reached (see above)" in seen.err,
                       trouble, seen)
            shutil.copy(self.library(name), folder / "lib/mono")
            shutil.copy(self.library("preload"), folder / "lib/mono")

    def changeable(self):
        """What others can change is loaded neither by run nor by what run loads."""
        folder = self.work / "lib"
        folder.mkdir()
        for path in (self.library("preload"), self.library("audit"), self.build.module("monocle"), self.build.monocle):
            shutil.copy(path, folder)
            (folder / path.name).chmod(0o755)
        preload = folder / "libmonocle-preload.so"
        preload.chmod(0o777)
        command = [folder / "monocle", "run", "-q", "--unchecked", "--", self.starts, "version", self.exe]
        seen = harness.run(command, harness.bare_environment())
        self.check((seen.code, seen.out) == (0, GREETED) and "%s is not used: every user can" % preload in seen.err and
                   "embed Mono will not be profiled" in seen.err, "a preload that others can change", seen)
        preload.chmod(0o755)
        (folder / "libmono-profiler-monocle.so").chmod(0o777)
        env = harness.bare_environment({"LD_PRELOAD": str(preload), "MONOCLE_PROFILE": "greeter",
                                        "MONOCLE_RUN_DIR": str(folder),
                                        "MONOCLE_MODULE_PATH": ":".join(self.build.module_dirs())})
        seen = harness.run(command[5:], env)
        notes = [note.read_text() for note in folder.glob("*.declined")]
        self.check((seen.code, seen.out, seen.err) == (0, GREETED, ""), "an umbrella that others can change", seen)
        self.check(len(notes) == 1 and "every user can write" in notes[0], "it is declined", notes)

    def doctor(self):
        for program, line in ((self.starts, "ok    the program      %s is linked with Mono: monocle run loads"),
                              (self.opens, "warn  the program      %s has Mono's functions by name"),
                              ("/bin/no-such", "warn  the program      %s was not found"),
                              ("/bin/sh", "warn  the program      %s is not a .NET or Mono program")):
            seen = self.monocle("doctor", program)
            self.check(line % program in seen.out and "ok    embedded Mono    " in seen.out, line % program, seen)

    def all(self, clr):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "mono-2"], capture_output=True, text=True)
        if flags.returncode != 0:
            return self.skip("embedded Mono", "libmono-2.0-dev is not installed", "mono")
        plain = self.on_mono("greeter") if self.find_exe() else None
        self.starts = self.compile("starts", HERE / "starts.c", *flags.stdout.split())
        self.plugin = self.compile("plugin.so", "-shared", "-fPIC", HERE / "starts.c", *flags.stdout.split())
        self.opens = self.compile("opens", HERE / "opens.c")
        if plain and self.starts and self.opens:
            self.expected = self.count(plain)
            self.ways()
            self.opened()
            self.plugged_in()
            self.others(clr)
            self.samples()
            self.environment()
            self.misplaced()
            self.changeable()
            self.doctor()
        return None


def main():
    suite = Embedded("embedded", __doc__)
    suite.parser.add_argument("runtime", nargs="*")
    options = suite.parse()
    suite.all(options.runtime or suite.newer)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
