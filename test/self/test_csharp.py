#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of several tables are made at the same time: two processes of csharp.py, beside each other in one folder."""
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import csharp  # noqa: E402


class Row:
    def __init__(self, target):
        self.target = target

    def needs(self):
        return []

    def is_stale(self):
        return True

    def prepare(self):
        pass

    def take(self, libraries):
        pass

    def command(self):
        return ['compiler', self.target]


class Tables(unittest.TestCase):
    def test_a_process_reads_its_own_list_when_another_begins_before(self):
        compiled = []
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def make(which):
                return csharp.make(None, folder / 'each.exe', [Row(folder / which)], folder / (which + '.stamp'))

            def run(command, **options):
                if not compiled:
                    compiled.append('first')
                    self.assertEqual(make('second'), 0)
                for line in command[-1].read_text().splitlines():
                    target = pathlib.Path(line.split('\t')[1])
                    compiled.append(target.name)
                    target.touch()
                return types.SimpleNamespace(returncode=0, stdout='', stderr='')

            with mock.patch.object(csharp.subprocess, 'run', run):
                self.assertEqual(make('one'), 0)
        self.assertEqual(compiled, ['first', 'second', 'one'])


if __name__ == '__main__':
    unittest.main()
