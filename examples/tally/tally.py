#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a project by `monocle new`, builds and tests it by the two commands that it prints, and runs the module where
that test does not: in the embedding example, under a program that is hard to profile, and with standard error full.

A language whose compiler is not here is skipped.
"""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "test"))
import harness  # noqa: E402

# What must be there to build, and what is said where the compiler of C# cannot be fetched, or nothing can link for it.
TOOLS = {"c": ["meson", "ninja"], "cpp": ["meson", "ninja", "c++"], "csharp": ["dotnet"], "rust": ["make", "rustc"],
         "pascal": ["make", "fpc"]}
NO_NETWORK = ["NU1101", "NU1102", "NU1301", "NETSDK1207", "Platform linker"]
LINE = "trial: calls %d, assemblies 1\n"
GREET, HARDSHIPS = 10, 48013


class Languages(harness.Suite):
    def make(self, language):
        """The commands that are printed last."""
        new = [self.build.monocle, "new", "trial", "--lang=" + language]
        seen = harness.run(new, harness.bare_environment(), cwd=self.work)
        self.check((seen.code, seen.err) == (0, ""), "monocle new makes a project", seen)
        return [line.strip() for line in seen.out.splitlines()[-2:]]

    def step(self, command, what):
        """As a shell does it."""
        seen = harness.run(["/bin/sh", "-c", command], harness.bare_environment(), cwd=self.work, timeout=240)
        if seen.code != 0 and any(word in seen.out + seen.err for word in NO_NETWORK):
            self.skip(what, "what the SDK compiles with cannot be had: " + seen.out.strip().splitlines()[-1])
            return None
        self.check(seen.code == 0, what + ": " + command, seen)
        return seen

    def built(self, language):
        build, test = self.make(language)
        if not self.step(build, "the project builds"):
            return False
        seen = self.step(test, "the project's test passes")
        text = seen.out + seen.err if seen else ""
        for runtime, name in ("mono", "Mono: "), ("clr10", ".NET: "):
            # What is skipped here says so in run_hard ().
            if harness.find_mono() if runtime == "mono" else shutil.which("dotnet"):
                self.check(name + LINE % GREET in text, "the project's test ran on " + runtime, text)
        return True

    def run_with_monos_headers(self):
        """Mono's MONO_API makes nothing visible by itself."""
        if subprocess.run(["pkg-config", "--exists", "mono-2"]).returncode != 0:
            self.skip("Mono's headers", "libmono-2.0-dev is not installed")
            return
        self.step("meson setup trial/mono trial && ninja -C trial/mono", "the project builds with Mono's headers")
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": str(self.work / "trial/mono")})
        command = [self.build.path / "examples/embed/embed", HERE.parent / "embed/greet.script", "trial"]
        seen = harness.run(command, env)
        self.check(seen.err == LINE % GREET, "built with Mono's headers", seen)

    def environment(self):
        return harness.bare_environment({"MONOCLE_MODULE_PATH": str(self.work / "trial/build")})

    def run_embedded(self):
        command = [self.build.path / "examples/embed/embed", HERE.parent / "embed/greet.script", "trial"]
        seen = harness.run(command, self.environment())
        expected = (0, "hello\n" * 6, LINE % GREET)
        self.check((seen.code, seen.out, seen.err) == expected, "in the embedding example", seen)

    def run_hard(self, runtime):
        exe = self.build.path / "examples/programs/hardships.exe"
        if not exe.exists():
            self.skip(str(runtime), "there is no mcs, so there is no hardships.exe", "mono")
            return
        bare = harness.run(runtime.command(exe), harness.bare_environment(), cwd=self.work)
        self.check(bare.code == 3 and "done\n" in bare.out, "%s: the program runs" % runtime, bare)
        profiled = [self.build.monocle, "run", "-q", "--profile=trial", "--", *runtime.command(exe)]
        seen = harness.run(profiled, self.environment(), cwd=self.work)
        self.check((seen.code, seen.out) == (bare.code, bare.out), "%s: the program is untouched" % runtime, seen)
        self.check(LINE % HARDSHIPS in seen.err, "%s: all calls are counted" % runtime, seen)
        shell = ["/bin/sh", "-c", 'exec "$@" 2> /dev/full', "sh"]
        full = harness.run(shell + profiled, self.environment(), cwd=self.work)
        self.check((full.code, full.out) == (bare.code, bare.out), "%s: nothing can be written" % runtime, full)


def main():
    suite = Languages("languages", __doc__)
    suite.parser.add_argument("language", choices=sorted(TOOLS))
    language = suite.parse().language
    missing = [tool for tool in TOOLS[language] if not shutil.which(tool)]
    if missing:
        suite.skip(language, "%s is not installed" % ", ".join(missing))
    elif suite.built(language):
        suite.run_embedded()
        if language in ("c", "cpp"):
            suite.run_with_monos_headers()
        for runtime in suite.runtimes(["mono"] + suite.newer):
            suite.run_hard(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
