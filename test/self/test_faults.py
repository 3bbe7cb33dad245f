#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Second runs over a folder that Meson has made of suites that fail once, always, or with something else."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TEST))
import faults  # noqa: E402
import harness  # noqa: E402

TABLE = """\
fault	runtimes	rate	shown	cause
lost-thread	mono 6.8, clr9 9.	one in 1,000	Assertion at threads\\.c:\\d+	a thread is lost
silent	clr10 10.	one in 2,000	killed by SIGSEGV	it dies without a word
"""

# A suite counts its runs, and fails in the first one, or in all, with what these say.
SUITE = """\
import pathlib, sys
count = pathlib.Path(__file__).with_suffix(".runs")
runs = int(count.read_text()) if count.exists() else 0
count.write_text(str(runs + 1))
if runs < %(times)d:
    print(%(text)r)
    sys.exit(1)
print("3 passed, 0 failed, 0 skipped")
"""
MONO, CLR10 = "runtimes: mono 6.8.0.105\n", "runtimes: clr8 8.0.1, clr10 10.0.12\n"
ENDS = "2 passed, 1 failed, 0 skipped"
LOST = "FAIL mono, a program that aborts: ends: exit 134\n--- stderr\n* Assertion at threads.c:15, condition `x'\n"
DIED = "FAIL clr10 forks: ends: killed by SIGSEGV\n--- stdout\n"
OTHER = "FAIL mono, a program that aborts: prints the same: exit 0\n"

ALWAYS, ENDLESS = 9, "it goes on"
SUITES = {  # name: (suites, how often it fails, what it says then)
    "lost, once": ("full", 1, MONO + LOST + "started: 1 of mono\n" + ENDS),
    "died once": ("full", 1, CLR10 + DIED + ENDS),
    "other": ("full", 1, MONO + OTHER + ENDS),
    "both": ("full", 1, MONO + LOST + OTHER + ENDS),
    "lost always": ("full", ALWAYS, MONO + LOST + ENDS),
    "lost in the first tier": ("conformance", 1, MONO + LOST + "started: 1 of mono\n" + ENDS),
    "lost on another": ("full", 1, "runtimes: clr10 10.0.12\n" + LOST.replace("mono", "clr10") + ENDS),
    "lost on a later version": ("full", 1, MONO.replace("6.8", "6.12") + LOST + ENDS),
    "breaks off": ("full", 1, MONO + LOST + "Traceback (most recent call last)\nKeyError: 1\n"),
    "says nothing": ("full", 1, ""),
    "passes": ("full", 0, ""),
    "hangs": ("full", 1, ENDLESS),
}
EXAMPLES = {  # what a suite says that met a fault of the table, by the fault's name
    "mono-sampler-loses-a-thread": """\
runtimes: mono 6.8.0.105, clr10 10.0.12
FAIL mono, REAL 200 Hz: sleeping threads are hit: [309, 0, 310]
FAIL mono, REAL 200 Hz: all alike: [309, 0, 310]
started: 39 of dotnet, 3 of mono
250 passed, 2 failed, 0 skipped
""",
    "mono-sampler-in-a-walk": """\
runtimes: mono 6.8.0.105
FAIL mono, a program that aborts is unharmed: (-6, "* Assertion at mono-threads.c:1545, condition `!async_context ||\
 !info->is_async_context' not met\\n\\n=====")
7 passed, 1 failed, 0 skipped
""",
    "clr-cannot-interrupt": """\
runtimes: clr8 8.0.31, clr9 9.0.20, clr10 10.0.12, mono 6.8.0.105
FAIL clr9 tgkill: EPERM, calls: ends as without us (0): killed by SIGSEGV
--- stdout
--- stderr

--- bare
exit 0
41 passed, 1 failed, 0 skipped
""",
}


class SecondRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name).resolve()
        cls.build = cls.folder / "build"
        (cls.folder / "table.tsv").write_text(TABLE)
        lines = ["project('made-up', meson_version: '>= 1.0')"]
        for number, (name, (suite, times, text)) in enumerate(SUITES.items()):
            script = cls.folder / ("%d.py" % number)
            script.write_text(SUITE % {"times": times, "text": text} if text != ENDLESS else "while True: pass\n")
            lines.append("test('%s', find_program('%s'), args: files('%s'), suite: ['made', '%s'], timeout: %d)" % (
                name, sys.executable, script.name, suite, 1 if text == ENDLESS else 60))
        (cls.folder / "meson.build").write_text("\n".join(lines) + "\n")
        subprocess.run(["meson", "setup", str(cls.build), str(cls.folder)], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def second_run(self, *names):
        """(exit code, what is said) of faults.py, where Meson has just run these suites; and how often each ran."""
        for path in [*self.folder.glob("*.runs"), *self.build.glob("meson-logs/*.json")]:
            path.unlink()
        subprocess.run(["meson", "test", "-C", str(self.build), "--no-rebuild", *names], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        command = [sys.executable, TEST / "faults.py", self.build, self.folder / "table.tsv"]
        seen = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = [line[8:] for line in seen.stdout.splitlines() if line.startswith("faults: ")]
        runs = [self.folder / ("%d.runs" % list(SUITES).index(name)) for name in names]
        return seen.returncode, said, [int(path.read_text()) for path in runs if path.exists()]

    def summary(self, *words):
        return subprocess.run([sys.executable, str(TEST / "summary.py"), *words, str(self.build)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def test_a_fault_that_is_known_is_told_and_forgiven(self):
        code, said, runs = self.second_run("lost, once", "died once", "passes")
        self.assertEqual((code, sorted(said)), (0, [
            "made-up:made+full / died once met silent (one in 2,000), and passed when it ran again",
            "made-up:made+full / lost, once met lost-thread (one in 1,000), and passed when it ran again"]))
        self.assertEqual(runs, [2, 2, 1])
        self.assertEqual(self.summary(), "9 0 0\n")
        self.assertEqual(self.summary("--failures"), "")
        self.assertIn("lost, once (FAIL)\n  FAIL mono, a program", self.summary("--repeated"))

    def test_what_is_not_recognised_fails_at_once(self):
        names = "other", "both", "lost on another", "lost on a later version", "breaks off", "says nothing"
        code, said, runs = self.second_run("lost, once", *names)
        self.assertEqual((code, sorted(said)), (1, ["not recognised: made-up:made+full / " + name
                                                    for name in sorted(names)]))
        self.assertEqual(runs, [1] * 7)
        self.assertEqual(self.summary("--failures").count("(FAIL)"), 7)

    def test_the_first_tier_has_no_second_runs(self):
        self.assertEqual(self.second_run("lost in the first tier", "passes"), (
            1, ["not recognised: made-up:made+conformance / lost in the first tier"], [1, 1]))

    def test_a_hang_is_no_fault_that_is_known(self):
        self.assertEqual(self.second_run("hangs"), (1, ["not recognised: made-up:made+full / hangs"], []))

    def test_a_fault_of_two_suites_is_more_than_chance(self):
        code, said, runs = self.second_run("lost, once", "lost always")
        self.assertEqual((code, said[0]), (1, "lost-thread was met by 2 tests of one run; its rate is: one in 1,000"))
        self.assertEqual(runs, [1, 1])

    def test_a_fault_that_comes_again_fails(self):
        self.assertEqual(self.second_run("lost always"), (
            1, ["made-up:made+full / lost always met lost-thread (one in 1,000), and failed when it ran again"], [2]))
        self.assertEqual(self.summary(), "2 1 0\n")

    def test_a_table_has_what_each_test_took_and_asked(self):
        self.second_run("lost, once", "passes", "lost in the first tier")
        head, *rows = [line.split("\t") for line in self.summary("--table", "--tsv").splitlines()]
        self.assertEqual(head, ["seconds", "checks", "dotnet", "mono", "tier", "folder", "suites", "test"])
        self.assertEqual(sorted(row[1:] for row in rows), [
            ["2", "0", "1", "1", "build", "conformance+made", "lost in the first tier"],
            ["2", "0", "1", "2", "build", "made", "lost, once"],
            ["3", "0", "0", "2", "build", "made", "passes"]])
        self.assertEqual([float(row[0]) for row in rows], sorted((float(row[0]) for row in rows), reverse=True))
        last = self.summary("--table").splitlines()[-2:]
        self.assertRegex(last[0], r"^ +[\d.]+ +2 +0 +1  1 tests of tier 1$")
        self.assertRegex(last[1], r"^ +[\d.]+ +5 +0 +1  2 tests of tier 2$")

    def test_where_nothing_failed_there_is_nothing_to_forgive(self):
        self.assertEqual(self.second_run("passes"), (1, [], [1]))  # `meson test || faults.py`: it did not compile


class Table(unittest.TestCase):
    def test_each_row_knows_what_a_suite_says_of_it(self):
        rows = faults.table()
        self.assertEqual({row.name for row in rows}, set(EXAMPLES))
        for name, text in EXAMPLES.items():
            test = {"name": "monocle:hostile+full / one", "result": "FAIL", "stdout": text}
            self.assertEqual(faults.faults_of(test, rows), [name])
            self.assertEqual(faults.faults_of(dict(test, stdout=text + LOST), rows), [])

    def test_a_check_is_all_that_it_says(self):
        checks = faults.failed_checks("runtimes: x 1\nSKIP a: b\nFAIL one: exit 1\n--- stdout\n\nmore\nFAIL two\n"
                                      "started: 1 of mono\n0 passed, 2 failed, 1 skipped\n")
        self.assertEqual(checks, ["FAIL one: exit 1\n--- stdout\n\nmore\n", "FAIL two\n"])
        checks = faults.failed_checks("..F\n%s\nFAIL: test_a (x.Y.test_a)\n%s\n"
                                      "Traceback (most recent call last):\n  e\n"
                                      "\n%s\nRan 3 tests in 1s\n\nFAILED (failures=1)\n" %
                                      ("=" * 70, "-" * 70, "-" * 70))
        self.assertEqual(len(checks), 1)
        self.assertIn("FAIL: test_a", checks[0])
        self.assertNotIn("Ran 3", checks[0])

    def test_a_death_is_called_by_its_signal(self):
        self.assertTrue(str(harness.Outcome(-11, "", "")).startswith("killed by SIGSEGV\n"))
        self.assertTrue(str(harness.Outcome(3, "", "")).startswith("exit 3\n"))
        said = str(harness.Outcome(-6, "", "* Assertion\n" + "x" * 9000 + "end"))
        self.assertIn("* Assertion\n", said)
        self.assertTrue(said.endswith("end"))


if __name__ == "__main__":
    unittest.main()
