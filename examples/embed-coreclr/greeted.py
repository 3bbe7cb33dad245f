# SPDX-License-Identifier: MIT
"""What the tests of programs that start a runtime share: hosted.exe, what it prints, and what modules count of it."""
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "test"))
import harness  # noqa: E402

GREETED = "".join("hello, number %d\n" % n for n in (1, 2, 4, 5, 7, 8)) + "6 greeted, 4 failed\n"


class Suite(harness.Suite):
    """`exe` is hosted.exe; each program is compiled by the test, as its users build it."""

    def find_exe(self):
        self.exe = self.build.path / "examples/embed-coreclr/hosted.exe"
        if not self.exe.exists():
            self.skip(self.name, "there is no mcs, so there is no hosted.exe", "mono")
        return self.exe.exists()

    def compile(self, name, *words):
        """With plain cc; None when it cannot be."""
        program = self.work / name
        built = harness.run(["cc", "-Wall", "-Werror", "-o", program, *words], os.environ)
        return program if self.check(built.code == 0, name + " builds with plain cc", built) else None

    def on_mono(self, module):
        """The lines that Mono's own loading gives; None without Mono."""
        found = self.runtimes(["mono"])
        if not found:
            return None
        env = harness.profile_environment(self.build, found[0], [module])
        seen = harness.run(found[0].command(self.exe), env, cwd=self.work)
        lines = self.lines(seen)
        self.check((seen.code, seen.out) == (0, GREETED) and len(lines) >= 2, "greeter counts on Mono", seen)
        return lines

    def lines(self, seen):
        return [line for line in seen.err.splitlines() if line.startswith("greeter:")]

    def says(self, what, seen, expected):
        """The program is untouched and greeter says what it should; returns what else was said."""
        self.check((seen.code, seen.out) == (0, GREETED), what + ": the program is untouched", seen)
        self.check(self.lines(seen) == expected, what + ": as on Mono", seen)
        return [line for line in seen.err.splitlines() if not line.startswith("greeter:")]

    def column(self, profile, name):
        """[(method, amount)] of a profile."""
        seen = harness.run([self.build.monocle, "report", "--format=tsv", profile], harness.bare_environment())
        rows = [line.split("\t") for line in seen.out.splitlines()]
        if not rows or name not in rows[0] or "method" not in rows[0]:
            return [(str(seen), -1)]
        amount, method = rows[0].index(name), rows[0].index("method")
        return [(row[method], int(row[amount])) for row in rows[1:]]

    def calls(self, profile):
        """How many calls of Greeter's methods are in a profile."""
        return sum(amount for method, amount in self.column(profile, "calls") if method.startswith("Greeter:"))

    def count(self, lines):
        return int(re.search(r"(\d+) calls", lines[-1]).group(1))
