#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`./dev hunt` over a build folder that is made up: tests that fail by their seed, by a signal, by never ending."""
import contextlib
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TEST))
import hunt  # noqa: E402

TESTS = {
    "passes": "echo seed $MONOCLE_TEST_SEED",
    "passes, too": "true",
    "fails by seed": 'echo "seed $MONOCLE_TEST_SEED"; test $((MONOCLE_TEST_SEED % 4)) != 3',
    # A core file that the hunt has found has a second link.
    "aborts": 'cd "$TMPDIR" && mkdir work && cd work && { %s -c "import os; os.abort()"; '
              'test "$(ulimit -c)" = 0 || until stat -c %%h * | grep -q 2; do sleep 0.05; done; '
              'cd ..; rm -r work; false; }' % sys.executable,
    "is skipped": "exit 77",
    "never ends": "sleep 1000 & echo begun; wait",
}


class Hunts(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.build = pathlib.Path(self.holder.name).resolve()
        (self.build / "build.ninja").write_text("build build.ninja: phony\n")
        (self.build / "meson-info").mkdir()
        tests = [{"name": name, "cmd": ["/bin/sh", "-c", script], "env": {}, "workdir": None, "timeout": 30,
                  "suite": ["monocle:unit"], "depends": []} for name, script in TESTS.items()]
        (self.build / "meson-info/intro-tests.json").write_text(json.dumps(tests))
        (self.build / "meson-info/intro-targets.json").write_text("[]")

    def tearDown(self):
        self.holder.cleanup()

    def command(self, *words):
        return [sys.executable, str(TEST / "hunt.py"), *words, "--build", str(self.build)]

    def hunt(self, *words):
        seen = subprocess.run(self.command("--load=0", *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return seen.returncode, seen.stdout

    def kept(self):
        return sorted((self.build / "hunt").glob("*/*"))

    def test_nothing_is_found_in_a_test_that_passes(self):
        code, said = self.hunt("passes", "--runs=5")
        self.assertEqual(code, 0, said)
        self.assertIn("passes: 0 of 5 failed: 0.00 %, 95 % interval 0.00 to 43.45 % (Wilson)", said)
        self.assertEqual(self.kept(), [])

    def test_the_first_failure_ends_the_hunt_and_can_be_had_again(self):
        code, said = self.hunt("fails by seed", "--runs=20", "--seed=1")
        self.assertEqual(code, 1, said)
        self.assertIn("1 of 3 failed", said)
        self.assertIn("the first failure ended the hunt", said)
        folder, = self.kept()
        self.assertEqual((folder.name, (folder / "output").read_text()), ("run 3", "seed 3\n"))
        again = re.search(r"again: ./dev hunt '(.*)' (.*)", (folder / "about").read_text()).groups()
        self.assertEqual(again[0], "fails by seed")
        code, said = self.hunt(again[0], *again[1].split())
        self.assertEqual(code, 1, said)
        self.assertIn("run 1 with seed 3 failed: exit 1", said)

    def test_every_failure_is_kept_where_that_is_asked_for(self):
        code, said = self.hunt("fails by seed", "--runs=8", "--seed=0", "--keep", "--jobs=3")
        self.assertEqual(code, 1, said)
        self.assertIn("2 of 8 failed: 25.00 %", said)
        self.assertEqual([folder.name for folder in self.kept()], ["run 4", "run 8"])

    def test_a_core_file_outlives_the_folder_that_it_was_in(self):
        code, said = self.hunt("aborts", "--runs=1")
        self.assertEqual(code, 1, said)
        folder, = self.kept()
        if hunt.why_no_cores():
            self.assertIn("no core files are kept: " + hunt.why_no_cores(), said)
            return
        self.assertTrue(hunt.is_core(folder / "core.1"), said)
        self.assertIn(os.path.realpath(sys.executable), hunt.mapped_files(folder / "core.1"))

    def test_a_pattern_means_several_and_a_part_of_a_name_one(self):
        code, said = self.hunt("passes*", "--runs=1")
        self.assertEqual((code, said.count(" 0 of 1 failed")), (0, 2), said)
        code, said = self.hunt("fails", "--runs=1", "--seed=3")
        self.assertEqual(code, 1, said)
        code, said = self.hunt("s", "--runs=1")
        self.assertEqual(code, 2, said)
        self.assertIn("is a part of", said)

    def test_a_name_that_is_wrong_has_its_nearest(self):
        code, said = self.hunt("pases")
        self.assertEqual(code, 2, said)
        self.assertIn("no test is called 'pases'; the nearest are:\n  passes\n", said)
        for words in (["passes", "--runs=0"], ["passes", "--seed=x"], []):
            self.assertEqual(self.hunt(*words)[0], 2)

    def test_a_test_that_is_always_skipped_was_not_hunted(self):
        code, said = self.hunt("is skipped", "--runs=2")
        self.assertEqual(code, 2, said)
        self.assertIn("every run was skipped", said)

    def test_a_test_that_hangs_is_ended_with_all_that_it_began(self):
        options = hunt.argparse.Namespace(build=self.build, runs=1, seed=1, load=0, jobs=1, keep=False)
        test, = hunt.Tests(self.build).find("never ends")
        hunting = hunt.Hunt(options, dict(test, timeout=1), False)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            hunting.all()
        self.assertEqual(hunting.failed, 1)
        self.assertIn("failed: hangs", said.getvalue())
        self.assertEqual((self.kept()[0] / "output").read_text(), "begun\n")

    def begin(self):
        """A hunt under way, and the processes of its load."""
        process = subprocess.Popen(self.command("never ends", "--load=3", "--no-cores"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, text=True)
        while "runs beside a load of 3" not in (line := process.stdout.readline()):
            self.assertTrue(line)
        tasks = pathlib.Path("/proc/%d/task" % process.pid)
        load = (tasks / str(process.pid) / "children").read_text().split()
        while len(pids := {pid for path in tasks.glob("*/children") for pid in path.read_text().split()}) < 4:
            time.sleep(0.01)
        self.assertEqual(len(load), 3)
        return process, [int(pid) for pid in load], [int(pid) for pid in pids - set(load)]

    def await_end(self, pids):
        while not all(map(hunt.gone, pids)):
            time.sleep(0.01)

    def test_an_interrupted_hunt_leaves_nothing(self):
        process, load, tests = self.begin()
        process.send_signal(signal.SIGINT)
        out = process.communicate()[0]
        self.assertEqual(process.returncode, 130)
        self.assertIn("no run came to its end", out)
        self.await_end(load + tests)

    def test_a_hunt_that_is_killed_takes_its_load_along(self):
        process, load, tests = self.begin()
        process.kill()
        process.communicate()
        self.await_end(load)
        for pid in tests:
            os.killpg(pid, signal.SIGKILL)

    def test_the_intervals_are_those_of_the_books(self):
        self.assertEqual(["%.4f" % end for end in hunt.wilson(3, 200)], ["0.0051", "0.0432"])
        self.assertEqual(["%.4f" % end for end in hunt.wilson(200, 200)], ["0.9812", "1.0000"])
        self.assertEqual(["%.4f" % end for end in hunt.geometric(1)], ["0.0250", "1.0000"])
        self.assertEqual(["%.4f" % end for end in hunt.geometric(100)], ["0.0003", "0.0366"])


if __name__ == "__main__":
    unittest.main()
