#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Mono's own modules import is there for them, and for nobody else.

Each name that the files log, coverage and aot of Mono's package need, and that is Mono's, is defined by the core or by
libmonocle-internals.so; all that the latter exports is in the core's list, which says when it is opened. A module that
needs none of these names does not get the library into its process. Without the library a module is one line.

  names.py --build DIR
"""
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import package  # noqa: E402

MODULES = "log", "coverage", "aot"
LIST = harness.TOP / "lib/core/load/internal-names.def"


def names(path, which):
    """The names of Mono's that a library defines, or needs."""
    done = subprocess.run(["nm", "-D", "--" + which, str(path)], capture_output=True, text=True, check=True)
    found = (line.split()[-1].split("@")[0] for line in done.stdout.splitlines())
    return {name for name in found if name.startswith("mono_")}


class Names(harness.Suite):
    def binding(self, core, internals):
        listed = set(re.findall(r"^MONOCLE__INTERNAL \((\w+)\)", LIST.read_text(), re.M))
        self.check(internals == listed, "the library exports what the core's list has", internals ^ listed)
        self.check(not core & internals, "nothing is defined twice", core & internals)
        used = set()
        for module in MODULES:
            needed = names(package.module(module), "undefined-only")
            used |= needed & internals
            self.check(needed and needed <= core | internals, "%s: its %d names are there" % (module, len(needed)),
                       needed - core - internals)
        self.check(used == internals, "each name is one that a module needs", internals - used)

    def processes(self):
        """Who has the library in its process."""
        exe = self.build.path / "test/conformance/internals/shapes.exe"
        for runtime in self.runtimes(self.newer) if exe.exists() else []:
            for module, there in ("calls", ""), ("log", "libmonocle-internals.so"):
                desc = "%s:output=%s" % (module, self.work / module)
                env = package.environment(self.build, runtime, desc)
                if module == "calls":
                    env = harness.profile_environment(self.build, runtime, [desc])
                seen = harness.run(runtime.command(exe) + ["maps", "libmonocle-internals"], env, cwd=self.work)
                self.check(seen.code == 7 and seen.out == there + "\n" and (self.work / module).exists(),
                           "%s on %s: %s is mapped" % (module, runtime, there or "no internals"), seen)

    def absent(self):
        """A core that lies elsewhere, alone."""
        (self.work / "core").mkdir(0o755)
        core = shutil.copy(self.build.path / "lib/core/libmonocle.so", self.work / "core")
        host = self.build.path / "test/conformance/modules/made-up"
        env = harness.bare_environment({"LD_PRELOAD": str(core), "MONOCLE_MODULE_PATH": str(package.FOLDER)})
        out = self.work / "never.mlpd"
        seen = harness.run([host, "log:output=%s" % out], env, cwd=self.work)
        self.check(seen.code == 3 and seen.err.count("\n") == 1 and not out.exists() and
                   re.search(r"^monocle: profiler 'log': .*libmono-profiler-log\.so needs libmonocle-internals\.so "
                             "of Monocle, which is not there$", seen.err.strip()),
                   "without the library one line names it", seen)


def main():
    suite = Names("names", __doc__)
    suite.parse()
    if package.missing(suite, *MODULES):
        return suite.finish()
    core = names(suite.build.path / "lib/core/libmonocle.so", "defined-only")
    internals = names(suite.build.path / "lib/internals/libmonocle-internals.so", "defined-only")
    suite.binding(core, internals)
    suite.processes()
    suite.absent()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
