# SPDX-License-Identifier: MIT
"""What the tests of pages share: the command, a folder, and one Chromium for all of them.

A file of tests is called with the program: test_NAME.py [--full] MONOCLE [TEST...]; test_browser.py runs all files
beside each other's pages. Exit code 77 (skipped) without Chromium.
"""
import argparse
import atexit
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / 'command')]
import chromium  # noqa: E402
import pprof  # noqa: E402

ARGUMENTS = None  # main () sets it


class Page(unittest.TestCase):
    """A folder for all tests of a class; the browser has a window of 1000 by 600 and no errors."""
    browser = None

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        if not Page.browser:
            Page.browser = chromium.Browser()
            atexit.register(Page.browser.__exit__)

    def setUp(self):
        self.browser.size(1000, 600)

    def tearDown(self):
        errors, self.browser.errors = self.browser.errors, []
        self.assertEqual(errors, [])

    @classmethod
    def run_monocle(cls, *words):
        return subprocess.run([ARGUMENTS.monocle, *words], cwd=cls.folder, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode()

    @classmethod
    def write(cls, name, data):
        pprof.write_gzip(str(cls.folder / (name + '.pb.gz')), data)

    @staticmethod
    def golden(name):
        return pprof.read_text(HERE / 'profiles' / (name + '.profile'))

    def see(self, script):
        return self.browser.evaluate(script)


def main(*modules, take_screenshots=None):
    """`modules`: files of tests; none: the one that runs, whose pictures for people `take_screenshots` makes."""
    global ARGUMENTS
    parser = argparse.ArgumentParser()
    parser.add_argument('monocle')
    parser.add_argument('--full', action='store_true')
    if take_screenshots:
        parser.add_argument('--screenshot', metavar='FOLDER')
    ARGUMENTS, rest = parser.parse_known_args()
    ARGUMENTS.monocle = os.path.abspath(ARGUMENTS.monocle)
    if not chromium.PROGRAM:
        print('skipped: there is no Chromium along PATH')
        sys.exit(77)
    if take_screenshots and ARGUMENTS.screenshot:
        take_screenshots(pathlib.Path(ARGUMENTS.screenshot).resolve())
    else:
        unittest.main(module=None if modules else '__main__', argv=[sys.argv[0], *(rest or modules)])
