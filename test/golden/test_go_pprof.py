#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our profiles, opened by pprof itself: what a module wrote, and what `monocle convert` makes of any file.

    test_go_pprof.py MONOCLE [--program FILE]

The reader is `go tool pprof`. Exit code 77 (skipped) without it. The program is run under each module that writes
pprof, on Mono and on CoreCLR, as far as they are there.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pprof

HERE = pathlib.Path(__file__).resolve().parent
SELF = 400000 + 1000000000 + 2000000000 + 999 + 12345678 + 45678 + 5000 # what calls.profile has in `self`
MODULES = ['calls']
ARGUMENTS = None


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, TZ='UTC')).stdout.decode()


def raw(path):
    """What pprof says is in the file: its value types and, per sample, the values, the path by name, the labels."""
    text = run('go', 'tool', 'pprof', '-raw', path)
    head, rest = text.split('Samples:\n', 1)
    types, rest = rest.split('\n', 1)
    body, places = rest.split('Locations\n', 1)
    places = places.split('Mappings')[0]
    names = dict(re.findall(r'^ +(\d+): 0x\w+ (?:M=\d+ )?(.*?)(?: \S*:\d+ s=\d+.*)?$', places, re.M))
    samples = []
    for line in body.splitlines():
        found = re.match(r'^ *([-0-9 ]+): ([0-9 ]+)$', line)
        if found:
            samples.append(([int(value) for value in found.group(1).split()],
                            tuple(names[place] for place in found.group(2).split()), []))
        else:
            samples[-1][2].append(line.strip())
    return head, [kind.split('[')[0] for kind in types.split()], samples


def report(path):
    """{method: (self or count columns)} as `monocle report` has it."""
    lines = run(ARGUMENTS.monocle, 'report', '--format=tsv', path).splitlines()
    columns = lines[0].split('\t')
    return columns, [dict(zip(columns, line.split('\t'))) for line in lines[1:]]


class Reader(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def golden(self, name='calls'):
        path = self.folder / (name + '.pb.gz')
        pprof.write_gzip(path, pprof.read_text(HERE / ('profiles/%s.profile' % name)))
        return path

    def convert(self, path, name):
        out = self.folder / ('converted.' + name)
        run(ARGUMENTS.monocle, 'convert', path, '--to=' + name, '-o', out)
        return out

    def same_sums(self, path):
        """Each value's sum, and each leaf's share of it, is the same to pprof and to us."""
        _, types, samples = raw(path)
        self.assertTrue(samples, path)
        columns, rows = report(path)
        self.assertEqual(columns[0], 'method')
        leaves = {}
        for values, frames, _ in samples:
            leaves[frames[0]] = leaves.get(frames[0], 0) + values[-1]
        own = next(column for column in columns[1:] if column.split('_')[0] == types[-1].split('/')[0])
        ours = {row['method']: int(row[own]) for row in rows if int(row[own])}
        self.assertEqual(sum(ours.values()), sum(values[-1] for values, _, _ in samples))
        self.assertEqual(ours, {name: value for name, value in leaves.items() if value})

    def test_what_goes_through_convert_is_the_same_to_pprof(self):
        first = self.golden()
        again = self.convert(first, 'pprof')
        self.assertEqual(raw(first)[1:], raw(again)[1:])
        self.same_sums(again)

    def test_the_best_known_view_works(self):
        top = run('go', 'tool', 'pprof', '-top', '-sample_index=self', self.convert(self.golden(), 'pprof'))
        self.assertRegex(top, r'3000\.01ms 99\.58% .* App\.Work:Fib \(int\)')

    def test_stacks_of_other_tools_become_profiles_it_reads(self):
        for name in ['collapsed', 'speedscope']:
            path = self.convert(self.convert(self.golden(), name), 'pprof')
            _, types, samples = raw(path)
            self.assertEqual(types, ['samples/count'] if name == 'collapsed' else ['time/nanoseconds'])
            self.assertEqual(sum(values[0] for values, _, _ in samples), SELF)
            path.unlink()

    def test_what_modules_write(self):
        for runtime in ['mono', 'dotnet']:
            for module in MODULES:
                with self.subTest(runtime=runtime, module=module):
                    self.same_sums(self.profile(runtime, module))

    def profile(self, runtime, module):
        if not ARGUMENTS.program or not shutil.which(runtime):
            self.skipTest('there is no %s' % runtime)
        path = self.folder / ('%s.%s.pb.gz' % (runtime, module))
        run(ARGUMENTS.monocle, 'run', '--profile=' + module, '-o', path, '--', runtime, ARGUMENTS.program)
        return path


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('monocle')
    parser.add_argument('--program')
    ARGUMENTS = parser.parse_args()
    ARGUMENTS.monocle = os.path.abspath(ARGUMENTS.monocle)
    if not shutil.which('go'):
        print('skipped: there is no `go tool pprof`')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
