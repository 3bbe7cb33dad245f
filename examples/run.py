#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one example module on one runtime, and compares what both it and the program say with what they should."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "test"))
import harness  # noqa: E402

FOLDERS = {"hello": "hello-module", "methods": "filter-module"}
PROGRAM_OUTPUT = "hello\n" * 6


class Examples(harness.Suite):
    def embedded(self, module):
        """The command and environment of the embedding host: the modules are named on its command line."""
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": ":".join(self.build.module_dirs())})
        return [self.build.path / "examples/embed/embed", HERE / "embed/greet.script", module], env

    def managed(self, runtime, module):
        exe = self.build.path / "examples/programs/greet.exe"
        if not exe.exists():
            self.skip(str(runtime), "there is no mcs, so there is no greet.exe", "mono")
            return None, None
        return runtime.command(exe), harness.profile_environment(self.build, runtime, [module])

    def example(self, module, runtime):
        if runtime == "embed":
            command, env = self.embedded(module)
        else:
            found = self.runtimes([runtime])
            command, env = self.managed(found[0], module) if found else (None, None)
        if not command:
            return
        seen = harness.run(command, env, cwd=self.work)
        expected = (HERE / FOLDERS[module] / "expected.txt").read_text()
        what = "%s on %s" % (module, runtime)
        self.check((seen.code, seen.out) == (0, PROGRAM_OUTPUT), what + ": the program is untouched", seen)
        self.check(seen.err == expected, what + ": the module says what it should", seen)


def main():
    suite = Examples("examples", __doc__)
    suite.parser.add_argument("--runtime", required=True, help="mono, clr8, clr9, clr10 or embed")
    suite.parser.add_argument("module", choices=sorted(FOLDERS))
    options = suite.parse()
    suite.example(options.module, options.runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
