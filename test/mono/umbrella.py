#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The umbrella on a real Mono: modules are found and started, and each way to fail costs one line and nothing else."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

PROGRAM = """
class Hello {
    static int Main (string[] args) {
        System.Console.WriteLine ("hello " + args.Length);
        return 7;
    }
}
"""

# What a module does is seen in a file: its init leaves the desc there, a call of it leaves one byte.
TELLS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <mono/metadata/profiler.h>
struct _MonoProfiler { int nothing; };
static struct _MonoProfiler prof;
static void tell (const char *text)
{
    FILE *file = fopen (getenv ("TELL"), "a");
    fprintf (file, "%%s\n", text);
    fclose (file);
}
static void initialized (MonoProfiler *p) { tell (p == &prof ? "initialized" : "wrong"); }
MONO_API void mono_profiler_init_%(name)s (const char *desc)
{
    tell (desc);
    mono_profiler_set_runtime_initialized_callback (mono_profiler_create (&prof), initialized);
}
"""
BROKEN = {
    "noentry": "int something_else;",
    "oldapi": "void mono_profiler_startup (const char *d) {} void mono_profiler_init_oldapi (const char *d) {}",
    "lacking": "void mono_no_such_a (void); void mono_no_such_b (void); void mono_profiler_create (void *);"
               "void mono_profiler_init_lacking (const char *d)"
               "{ mono_no_such_a (); mono_no_such_b (); mono_profiler_create (0); }",
}


class Bench:
    def __init__(self, suite, compiler):
        self.suite, self.compiler = suite, compiler
        self.modules, self.tell = suite.work / "modules", suite.work / "tell"
        self.modules.mkdir()
        for name in ("good", "other"):
            self.module(name, TELLS % {"name": name})
        for name, text in BROKEN.items():
            self.module(name, text)
        (self.modules / "libmono-profiler-noelf.so").write_text("not a library\n")
        source = suite.work / "hello.cs"
        source.write_text(PROGRAM)
        self.exe = suite.work / "hello.exe"
        subprocess.run(["mcs", "-out:" + str(self.exe), str(source)], check=True)
        self.bare = harness.run(["mono", self.exe, "a", "b"], harness.bare_environment())
        suite.check(self.bare.code == 7, "the bare program runs", self.bare)

    def module(self, name, text):
        source = self.modules / (name + ".c")
        source.write_text(text)
        subprocess.run([*self.compiler, "-shared", "-fPIC", "-fvisibility=hidden" if name == "good" else "-fPIC",
                        "-I", str(harness.TOP / "include"), "-o",
                        str(self.modules / ("libmono-profiler-%s.so" % name)), str(source)], check=True)

    def run(self, *descs, **settings):
        """Mono opens the umbrella through the dynamic linker; the modules lie in a folder Mono knows nothing of."""
        self.tell.write_text("")
        umbrella = pathlib.Path(self.suite.options.umbrella)
        env = harness.bare_environment({"TELL": str(self.tell), "LD_LIBRARY_PATH": str(umbrella.parent),
                                        "MONOCLE_MODULE_PATH": str(self.modules)})
        env.update(settings)
        return harness.run(["mono", *["--profile=" + d for d in descs], self.exe, "a", "b"], env)

    def told(self):
        return self.tell.read_text().split("\n")[:-1]

    def untouched(self, outcome, what):
        self.suite.check((outcome.code, outcome.out) == (self.bare.code, self.bare.out),
                         what + ": output and exit code are the bare run's", outcome)

    def fails(self, desc, *parts, **settings):
        outcome = self.run(desc, **settings)
        lines = outcome.err.splitlines()
        self.untouched(outcome, desc)
        self.suite.check(len(lines) == 1 and lines[0].startswith("monocle: "), desc + ": one line", outcome)
        for part in parts:
            self.suite.check(part in outcome.err, "%s: the line says '%s'" % (desc, part), outcome)
        self.suite.check(self.told() == [], desc + ": no module ran", self.told())


def modules_are_started(suite, bench):
    for desc in ("good", "good:", "good:x=1,y:z"):
        outcome = bench.run("monocle:" + desc)
        bench.untouched(outcome, desc)
        suite.check(outcome.err == "", desc + ": nothing is said", outcome)
        suite.check(bench.told() == [desc, "initialized"], desc + " is handed on whole", bench.told())
    bench.untouched(bench.run("monocle:good", "monocle:other:1"), "two modules")
    suite.check(bench.told() == ["good", "other:1", "initialized", "initialized"], "two modules run", bench.told())
    bench.run("monocle:good", "monocle:good:again")
    suite.check(bench.told() == ["good", "initialized"], "a second load of a name has no effect", bench.told())
    # Later Monos load what MONO_PROFILE names as if it stood here; that is `monocle` alone under `monocle run`.
    outcome = bench.run("monocle:good", "monocle", MONOCLE_PROFILE="good 'other:a b'")
    bench.untouched(outcome, "monocle alone")
    suite.check(bench.told() == ["good", "other:a b", "initialized", "initialized"] and outcome.err == "",
                "monocle alone means MONOCLE_PROFILE, and each name once", bench.told())


def every_failure_is_one_line(suite, bench):
    bench.fails("monocle:godo", "'godo' not found", "libmono-profiler-godo.so", str(bench.modules), "good", "other")
    strange = suite.work / "strange"
    strange.mkdir()
    shutil.copy(bench.modules / "libmono-profiler-good.so", strange / "libmono-profiler-guest.so")
    strange.chmod(0o777)
    bench.fails("monocle:guest", "strange/libmono-profiler-guest.so is not loaded: every user can write to ",
                "chmod go-w %s" % strange, MONOCLE_MODULE_PATH=str(strange))
    bench.fails("monocle:guest", "the dynamic linker is not asked for it", "chmod go-w %s" % strange,
                LD_LIBRARY_PATH="%s:%s" % (pathlib.Path(suite.options.umbrella).parent, strange))
    strict = bench.run("monocle:guest", MONOCLE_MODULE_PATH=str(strange), MONOCLE_STRICT="1")
    suite.check(strict.code == 1 and strict.out == "", "MONOCLE_STRICT=1 makes it fatal", strict)
    strange.chmod(0o1777)
    bench.fails("monocle:guest", "the dynamic linker is not asked for it", "others can put files into %s" % strange,
                LD_LIBRARY_PATH="%s:%s" % (pathlib.Path(suite.options.umbrella).parent, strange))
    strange.chmod(0o755)
    (strange / "libmono-profiler-guest.so").chmod(0o777)
    bench.fails("monocle:guest", "the dynamic linker is not asked for it", "libmono-profiler-guest.so",
                LD_LIBRARY_PATH="%s:%s" % (pathlib.Path(suite.options.umbrella).parent, strange))
    most = [suite.work / ("folder-%d" % number) for number in range(56)]
    for folder in most:
        folder.mkdir()
    outcome = bench.run("monocle:good", MONOCLE_MODULE_PATH=":".join(map(str, [*most, bench.modules])))
    suite.check("MONOCLE_MODULE_PATH has more than 56 folders; those from %s on are not" % bench.modules in outcome.err
                and bench.told() == [], "a module behind 56 folders is not found", outcome)
    outcome = bench.run("monocle:good", MONOCLE_MODULE_PATH=":".join(map(str, [*most[1:], bench.modules])))
    suite.check(outcome.err == "" and bench.told() == ["good", "initialized"], "the 56th folder is searched", outcome)
    bench.fails("monocle:noentry", "libmono-profiler-noentry.so has no entry point mono_profiler_init_noentry")
    bench.fails("monocle:oldapi", "mono_profiler_startup", "beside mono_profiler_init_oldapi")
    bench.fails("monocle:lacking", "libmono-profiler-lacking.so needs mono_no_such_a, mono_no_such_b, which this Mono")
    bench.fails("monocle:noelf", "libmono-profiler-noelf.so")
    bench.fails("monocle", "no profiler is named", "NAME", "good")
    bench.fails("monocle:", "no profiler is named")
    bench.fails("monocle", "no profiler is named", MONOCLE_PROFILE="")
    bench.fails("monocle", "a quote is not closed", MONOCLE_PROFILE="good 'other", MONOCLE_LOG="stderr")
    bench.fails("monocle:/tmp/x.so", "is a path")
    bench.fails("monocle:" + "n" * 300, "too long")
    suite.check("mono_profiler_create" not in bench.run("monocle:lacking").err, "symbols that are there are not named")


def settings_are_honoured(suite, bench):
    strict = bench.run("monocle:godo", MONOCLE_STRICT="1")
    suite.check(strict.code == 1 and strict.out == "", "MONOCLE_STRICT=1 makes a failure fatal", strict)
    for settings in ({"MONOCLE_ENABLED": "0"}, {"MONOCLE_PROCESS": "else.exe"}, {"MONOCLE_PROCESS": "!hello.exe"}):
        outcome = bench.run("monocle:good", **settings)
        bench.untouched(outcome, str(settings))
        suite.check(bench.told() == [] and outcome.err == "", "%s: nothing is loaded" % settings, outcome)
    bench.run("monocle:good", MONOCLE_PROCESS="hello.exe")
    suite.check(bench.told() == ["good", "initialized"], "a process that is chosen is profiled", bench.told())
    log = suite.work / "log"
    outcome = bench.run("monocle:godo", MONOCLE_LOG=str(log))
    suite.check(outcome.err == "" and "'godo' not found" in log.read_text(), "MONOCLE_LOG moves the line", outcome)
    helped = bench.run("monocle:help")
    suite.check(helped.code == 0 and "good" in helped.out and "lacking" in helped.out and "hello" not in helped.out,
                "help lists modules and runs nothing", helped)
    for outcome in (bench.run("monocle:help"), bench.run("monocle:godo")):
        suite.check("monocle," not in outcome.out + outcome.err, "the umbrella is not on its own list", outcome)


def our_own_folder_is_searched(suite, bench):
    """As after installing: the umbrella is opened through a link, and modules lie beside what the link points to."""
    real, links = suite.work / "real", suite.work / "links"
    real.mkdir()
    links.mkdir()
    umbrella = pathlib.Path(suite.options.umbrella)
    shutil.copy(umbrella, real / umbrella.name)
    shutil.copy(bench.modules / "libmono-profiler-good.so", real)
    (links / umbrella.name).symlink_to(os.path.relpath(real / umbrella.name, links))
    bench.untouched(bench.run("monocle:good", LD_LIBRARY_PATH=str(links), MONOCLE_MODULE_PATH=""), "through a link")
    suite.check(bench.told() == ["good", "initialized"], "modules beside the umbrella are found", bench.told())


def main():
    suite = harness.Suite("umbrella", __doc__)
    suite.parser.add_argument("--umbrella")
    suite.parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    options = suite.parse()
    options.umbrella = options.umbrella or suite.build.path / "lib/mono/libmono-profiler-monocle.so"
    if not shutil.which("mono") or not shutil.which("mcs"):
        suite.skip("the umbrella", "mono or mcs is not installed", "mono")
        return suite.finish()
    bench = Bench(suite, options.cc.split())
    modules_are_started(suite, bench)
    every_failure_is_one_line(suite, bench)
    settings_are_honoured(suite, bench)
    our_own_folder_is_searched(suite, bench)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
