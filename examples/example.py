#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one example on one runtime, and compares what both the module and the program say with what they should."""
import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "test"))
import harness  # noqa: E402

Case = collections.namedtuple("Case", "module program expected")
CASES = {
    "hello": Case("hello", "greet", "hello-module/expected.txt"),
    "methods": Case("methods", "greet", "filter-module/expected.txt"),
    "ran": Case("ran", "greet", "coverage-module/expected.txt"),
    "results": Case("results", "greet", "context-module/expected.txt"),
    "words": Case("methods", "words", "programs/words.txt"),
}
SLOW = re.compile(r"monocle: module \w+ took (\d+\.\d ms in|longer than 1 ms in)")
OUTPUTS = {
    "greet": "hello\n" * 6,
    "words": "talk 28823\njump 28821\nrest 28650\n",
}


class Examples(harness.Suite):
    def embedded(self, case):
        """The command and environment of the embedding host: the modules are named on its command line."""
        env = harness.bare_environment({"MONOCLE_MODULE_PATH": ":".join(self.build.module_dirs())})
        script = HERE / "embed" / (case.program + ".script")
        return [self.build.path / "examples/embed/embed", script, case.module], env

    def managed(self, runtime, case):
        exe = self.build.path / "examples/programs" / (case.program + ".exe")
        if not exe.exists():
            self.skip(str(runtime), "there is no mcs, so there is no %s.exe" % case.program, "mono")
            return None, None
        return runtime.command(exe), harness.profile_environment(self.build, runtime, [case.module])

    def example(self, name, runtime):
        case = CASES[name]
        if runtime == "embed":
            command, env = self.embedded(case)
        else:
            found = self.runtimes([runtime])
            command, env = self.managed(found[0], case) if found else (None, None)
        if not command:
            return
        # A checked call that is not allowed would be one more line.
        seen = harness.run(command, dict(env, MONOCLE_CHECK="1"), cwd=self.work)
        what = "%s on %s" % (name, runtime)
        self.check((seen.code, seen.out) == (0, OUTPUTS[case.program]), what + ": the program is untouched", seen)
        # Methods that were called equally often come in any order. While a virtual machine waits for its host,
        # callbacks seem to take long.
        said = sorted(line for line in seen.err.splitlines() if not SLOW.match(line))
        expected = sorted((HERE / case.expected).read_text().splitlines())
        self.check(said == expected, what + ": the module says what it should", seen)


def main():
    suite = Examples("examples", __doc__)
    suite.parser.add_argument("--runtime", required=True, help="mono, clr8, ... or embed")
    suite.parser.add_argument("example", choices=sorted(CASES))
    options = suite.parse()
    suite.example(options.example, options.runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
