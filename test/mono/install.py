#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `meson install` leaves is usable: by writers of modules, by embedders, and by plain `mono --profile=NAME`."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

MODULE = """
#include <stdio.h>
#include <mono/metadata/profiler.h>
static void initialized (MonoProfiler *prof) { fputs ("module runs\\n", stderr); }
MONO_API void mono_profiler_init_tiny (const char *desc)
{
    mono_profiler_set_runtime_initialized_callback (mono_profiler_create (NULL), initialized);
}
"""
EMBEDDER = """
#include <monocle/host.h>
int main (void)
{
    monocle_host_ops ops = { .size = sizeof ops, .api_version = MONOCLE_HOST_API_VERSION, .name = "installed" };
    return monocle_host_init (&ops);
}
"""
PROGRAM = 'class Hello { static void Main () { System.Console.WriteLine ("hello"); } }'


class Stage:
    """An installation below a folder of the test's, as a package is built."""

    def __init__(self, suite):
        self.root = suite.work / "stage"
        done = subprocess.run(["meson", "install", "-C", str(suite.build.path), "--no-rebuild", "--quiet", "--destdir",
                               str(self.root)], capture_output=True, text=True)
        self.ok = suite.check(done.returncode == 0, "meson install succeeds", done.stdout + done.stderr)
        found = sorted(self.root.rglob("monocle.pc"))
        self.pc = found[0].parent if found else None

    def pkg_config(self, *words):
        env = {**os.environ, "PKG_CONFIG_LIBDIR": str(self.pc), "PKG_CONFIG_SYSROOT_DIR": str(self.root)}
        return subprocess.run(["pkg-config", *words], env=env, capture_output=True, text=True).stdout.split()

    def below(self, path):
        """A final path as it is now. pkg-config versions differ in whether variables get the sysroot."""
        return pathlib.Path(path) if path.startswith(str(self.root)) else pathlib.Path(str(self.root) + path)


def compile_c(suite, compiler, text, *flags):
    source = suite.work / "source.c"
    source.write_text(text)
    return subprocess.run([*compiler, "-Wall", "-Werror", str(source), *flags], capture_output=True, text=True)


def module_is_built_and_found(suite, stage, compiler):
    flags = stage.pkg_config("--cflags", "monocle-module")
    moduledir = stage.below(stage.pkg_config("--variable=moduledir", "monocle-module")[0])
    suite.check(stage.pkg_config("--libs", "monocle-module") == [], "a module links nothing")
    tiny = moduledir / "libmono-profiler-tiny.so"
    done = compile_c(suite, compiler, MODULE, *flags, "-shared", "-fPIC", "-o", str(tiny))
    suite.check(done.returncode == 0, "a module is built with monocle-module's flags", done.stderr)
    if not shutil.which("mono") or not shutil.which("mcs"):
        suite.skip("the installed modules", "mono or mcs is not installed", "mono")
        return
    source, exe = suite.work / "hello.cs", suite.work / "hello.exe"
    source.write_text(PROGRAM)
    subprocess.run(["mcs", "-out:" + str(exe), str(source)], check=True)
    links = {link.parent for link in stage.root.rglob("libmono-profiler-monocle.so") if link.is_symlink()}
    suite.check(len(links) == 1, "the umbrella has its link", links)
    for name in ("preload", "audit"):
        suite.check((moduledir / ("libmonocle-%s.so" % name)).exists(), name + " lies beside the umbrella")
    env = harness.bare_environment({"LD_LIBRARY_PATH": "%s:%s" % (links.pop(), moduledir)})
    tiny_run = harness.run(["mono", "--profile=monocle:tiny", exe], env)
    suite.check((tiny_run.code, tiny_run.out, tiny_run.err) == (0, "hello\n", "module runs\n"),
                "the umbrella finds what lies in moduledir", tiny_run)
    for module in moduledir.glob("libmono-profiler-*.so"):
        name = module.name[len("libmono-profiler-"):-len(".so")]
        if name == "tiny":
            continue
        helped = harness.run(["mono", "--profile=%s:help" % name, exe], env, cwd=suite.work)
        suite.check(helped.code == 0 and name in helped.out and "hello\n" not in helped.out,
                    "mono --profile=%s finds it" % name, helped)


def main():
    suite = harness.Suite("install", __doc__)
    suite.parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    compiler = suite.parse().cc.split()
    if not shutil.which("meson") or not shutil.which("pkg-config"):
        suite.skip("installing", "meson or pkg-config is not on PATH")
        return suite.finish()
    stage = Stage(suite)
    if stage.ok and suite.check(stage.pc, "monocle.pc is installed"):
        flags = stage.pkg_config("--cflags", "--libs", "monocle")
        program = suite.work / "embedder"
        done = compile_c(suite, compiler, EMBEDDER, *flags, "-o", str(program))
        suite.check(done.returncode == 0, "an embedder is built with monocle's flags", done.stderr)
        libraries = next(stage.root.rglob("libmonocle.so")).parent
        ran = harness.run([program], harness.bare_environment({"LD_LIBRARY_PATH": str(libraries)}))
        suite.check(ran.code == 0, "an embedder runs", ran)
        example = harness.TOP / "examples/embed-coreclr/embed-coreclr.c"
        done = compile_c(suite, compiler, example.read_text(), *flags, "-o", str(program))
        suite.check(done.returncode == 0, "an embedder of CoreCLR is built with them", done.stderr)
        module_is_built_and_found(suite, stage, compiler)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
