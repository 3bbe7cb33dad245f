#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the model makes of coverage files.

  test_coverage.py COVERAGE-DUMP
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'command'))
import cover_file  # noqa: E402

DUMP = sys.argv.pop(1)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def dump(self, *files, options=(), code=0):
        paths = []
        for number, file in enumerate(files):
            path = self.folder / ('%d.mcov' % number)
            path.write_bytes(file if isinstance(file, bytes) else file.bytes())
            paths.append(path)
        done = subprocess.run([DUMP, *options, *paths], stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout.decode('utf-8').splitlines()

    def methods(self, *files, options=()):
        return [line.strip() for line in self.dump(*files, options=options) if line.startswith('  method ')]


def program(types=('N.Program',), **how):
    """A file with one image and one document, and its classes."""
    file = cover_file.File(**how)
    image = file.image('App')
    file.document('/src/App.cs')
    return (file, *[file.type(image, name) for name in types])


class Lines(Case):
    def test_hits_of_a_line_are_the_most_of_its_points(self):
        file, type = program(counts=True)
        file.method(type, 'F ()', [(10, 1), (10, 7), (10, 6), (11, 0)])
        self.assertIn(' 10: 7 F ()', self.dump(file))
        self.assertIn(' 11: 0 F ()', self.dump(file))

    def test_a_line_counts_once_for_each_that_has_points_on_it(self):
        file, one, two = program(['A', 'B'])
        file.method(one, 'F ()', [(10, 1), (10, 0)])
        file.method(two, 'G ()', [(10, 0)])
        lines = self.dump(file)
        self.assertIn('all of it: lines 1/1 arms 0/0 methods 1/2 types 1/2 100.00%', lines)
        self.assertIn(' type B: lines 0/1 arms 0/0 methods 0/1 types 0/1 0.00%', lines)


class Folding(Case):
    def test_lambdas_and_state_machines_go_to_their_method(self):
        for name, made, body in (('N.P', 'N.P/<>c', '<Main>b__0_1 (int)'),
                                 ('N.P', 'N.P', '<Main>g__Local|0_0 ()'),
                                 ('N.P', 'N.P/<>c__DisplayClass0_0', '<Main>b__1 ()'),
                                 ('N.P', 'N.P/<Main>d__3', 'MoveNext ()'),
                                 ('N.P', 'N.P/<>c/<<Main>b__0_0>d', 'MoveNext ()'),
                                 ('N.P', 'N.P/<Main>c__Iterator0', 'MoveNext ()'),
                                 ('N.P', 'N.P/<Main>c__AnonStorey0', '<>m__0 ()'),
                                 ('N.P', 'N.P', '<Main>m__0 ()')):
            file, outer, inner = program([name, made])
            file.method(outer, 'Main (string[])', [(10, 1)])
            file.method(inner, body, [(11, 1)])
            self.assertEqual(self.methods(file), ['method Main (string[]) 06000001 /src/App.cs:10 calls 1: '
                                                  '[Main (string[])] + [%s]' % body], made)


class Hostile(Case):
    def test_what_is_cut_off_is_refused(self):
        file, type = program()
        file.method(type, 'F ()', [(10, 1)], [(0, 0, 1)])
        whole = file.bytes()
        for size in range(8, len(whole), 8):
            self.assertEqual(self.dump(whole[:size], code=1), ['it is cut off'])


if __name__ == '__main__':
    unittest.main()
