#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Converted coverage, opened by the tools that it is for: ReportGenerator, and lcov with genhtml.

    test_coverage_readers.py MONOCLE [--program FILE]

What a tool counts must be what `monocle report` says. Each tool is skipped where it is not: lcov is Debian's package,
ReportGenerator a .NET tool that `./dev test` puts beside the versions of .NET. Exit code 77 (skipped) without both. The
program is run on CoreCLR under the module `cover`.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import coverage_fixture

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
STORE = pathlib.Path(os.environ.get('MONOCLE_RUNTIMES', HERE.parents[1] / '.runtimes'))
GENERATOR = STORE / 'reportgenerator/reportgenerator'
ARGUMENTS = None
TWO_CLASSES = '/build/src/Shop/Cart.cs'  # of coverage_fixture.hard: the file with two classes that are not nested


def run(*words, cwd):
    environment = {name: os.environ[name] for name in ('PATH', 'DOTNET_ROOT', 'HOME') if name in os.environ}
    environment.update(LC_ALL='C.UTF-8', DOTNET_CLI_TELEMETRY_OPTOUT='1')
    if shutil.which('dotnet'):
        environment.setdefault('DOTNET_ROOT', os.path.dirname(os.path.realpath(shutil.which('dotnet'))))
    result = subprocess.run([str(word) for word in words], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    text = result.stdout.decode()
    if result.returncode:
        raise AssertionError('%s: exit code %d\n%s' % (words[0], result.returncode, text))
    return text


class Reader(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        coverage_fixture.hard().write(self.folder / 'hard.mcov')
        report = self.report()
        self.cart = next(self.pairs(row) for row in report['rows'] if row['file'] == TWO_CLASSES)

    def report(self, name='hard.mcov'):
        report = json.loads(run(ARGUMENTS.monocle, 'report', '--format=json', name, cwd=self.folder))
        self.lines, self.branches = self.pairs(report['sums'])
        self.methods = report['sums']['methods_covered'], report['sums']['methods']
        return report

    def run_program(self):
        if not ARGUMENTS.program or not shutil.which('dotnet'):
            self.skipTest('there is no dotnet')
        run(ARGUMENTS.monocle, 'run', '--profile=cover:mode=count', '-o', 'hard.mcov', '--', 'dotnet',
            ARGUMENTS.program, cwd=self.folder)
        self.report()
        self.assertGreater(self.lines[0], 50)

    @staticmethod
    def pairs(row):
        """Covered and all, of lines and of branches."""
        return (row['lines_covered'], row['lines']), (row['branches_covered'], row['branches'])

    def convert(self, form, *words):
        words = ['hard.mcov', '--to=' + form, '-o', 'hard.' + form, *words]
        return run(ARGUMENTS.monocle, 'convert', *words, cwd=self.folder).strip()


@unittest.skipUnless(GENERATOR.exists(), 'there is no ReportGenerator in %s' % STORE)
class ReportGenerator(Reader):
    def sums(self, form, *words):
        run(GENERATOR, '-reports:' + self.convert(form, *words), '-targetdir:out', '-reporttypes:JsonSummary;Html',
            '-verbosity:Error', cwd=self.folder)
        self.assertIn('<html', (self.folder / 'out/index.html').read_text())
        summary = json.loads((self.folder / 'out/Summary.json').read_text())
        sums = summary['summary']
        self.classes = {one['name'] for assembly in summary['coverage']['assemblies']
                        for one in assembly['classesinassembly']}
        return ((sums['coveredlines'], sums['coverablelines']), (sums['coveredbranches'], sums['totalbranches']))

    def test_it_reads_cobertura(self):
        self.assertEqual(self.sums('cobertura'), (self.lines, self.branches))
        self.assertLessEqual({'Program', 'Shop.Cart`1', 'Shop.Items.Item', 'Lib.Class1'}, self.classes)

    def test_it_reads_lcov(self):
        self.assertEqual(self.sums('lcov'), (self.lines, self.branches))

    def test_it_reads_opencover(self):
        """There a statement covers all its lines, whatever we do."""
        self.assertEqual(self.sums('opencover'), (self.lines, self.branches))

    def test_it_reads_what_the_module_counted(self):
        self.run_program()
        for form in ('cobertura', 'lcov'):
            self.assertEqual(self.sums(form), (self.lines, self.branches), form)

    def test_it_reads_jacoco(self):
        """It gives each outer class all the lines of the source file."""
        both = zip((self.lines, self.branches), self.cart)
        twice = tuple((whole[0] + more[0], whole[1] + more[1]) for whole, more in both)
        self.assertEqual(self.sums('jacoco'), twice)


@unittest.skipUnless(shutil.which('genhtml'), 'there is no lcov')
class Lcov(Reader):
    def test_its_summary_is_ours(self):
        self.its_summary_is_ours()

    def its_summary_is_ours(self):
        text = run('lcov', '--rc', 'lcov_branch_coverage=1', '--summary', self.convert('lcov'), cwd=self.folder)
        self.assertIn('(%d of %d lines)' % self.lines, text)
        self.assertIn('(%d of %d branches)' % self.branches, text)
        self.assertIn('(%d of %d functions)' % self.methods, text)

    def test_it_reads_what_the_module_counted(self):
        self.run_program()
        self.its_summary_is_ours()

    def test_genhtml_writes_its_pages(self):
        tracefile = self.folder / self.convert('lcov', '--map=/build=build', '--map=/_/=mapped/', '--map=C:=drive')
        for name in re.findall('^SF:(.*)$', tracefile.read_text(), re.M):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text('a line of code\n' * 40)
        text = run('genhtml', '--branch-coverage', '-o', 'out', tracefile, cwd=self.folder)
        self.assertNotRegex(text, '(?i)warning|error')
        self.assertIn('(%d of %d lines)' % self.lines, text)
        self.assertIn('(%d of %d branches)' % self.branches, text)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('monocle')
    parser.add_argument('--program')
    ARGUMENTS = parser.parse_args()
    ARGUMENTS.monocle = os.path.abspath(ARGUMENTS.monocle)
    if not GENERATOR.exists() and not shutil.which('genhtml'):
        print('skipped: there is neither lcov nor ReportGenerator')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
