#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Mono that dies in a test leaves no mono_crash.*.json where it was started.

  test_leavings.py PROGRAM.EXE

The program prints a line, and goes on until its standard input is closed.
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness  # noqa: E402

PROGRAM = None  # main () sets it


class Leavings(unittest.TestCase):
    def test_a_mono_that_dies_leaves_no_file(self):
        mono = harness.find_mono()
        if not mono:
            self.skipTest('mono is not installed')
        with tempfile.TemporaryDirectory() as folder:
            with subprocess.Popen(mono.command(PROGRAM), cwd=folder, env=harness.bare_environment(),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
                child.stdout.readline()
                child.send_signal(signal.SIGSEGV)
                child.stdout.read()
            self.assertEqual(child.returncode, -signal.SIGABRT)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == '__main__':
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
