#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Coverage in the file formats of other tools: as it was (expected/coverage.KIND), as their schemas and rules demand.

    test_coverage_formats.py MONOCLE [--update]

What the tools themselves make of these files is in test_coverage_readers.py.
"""
import collections
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import coverage_fixture  # it finds cover_file
import cover_file

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
MONOCLE = None
UPDATE = '--update' in sys.argv
XML = {'cobertura': 'cobertura.xml', 'opencover': 'opencover.xml', 'jacoco': 'jacoco.xml', 'sonar': 'sonar.xml'}
ENDINGS = dict(XML, lcov='info')


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def write(self, file, name='coverage'):
        return file.write(self.folder / (name + '.mcov'))

    def monocle(self, *words, code=0):
        environment = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8', 'TZ': 'UTC'}
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS'):
            if name in os.environ:
                environment[name] = os.environ[name]
        result = subprocess.run([MONOCLE, *map(str, words)], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, code, (words, result.stderr.decode()))
        self.error = result.stderr.decode()
        return result.stdout.decode()

    def convert(self, file, form, *words):
        out = self.monocle('convert', self.write(file), '--to=' + form, '-o', '-', *words)
        self.assertEqual(self.error, '')
        return out

    def tree(self, file, form, *words):
        return ElementTree.fromstring(self.convert(file, form, *words))


def one_method(points, arms=(), name='F ()', type='N.C', path='/src/C.cs', file=None, **how):
    file = file or cover_file.File(counts=True, **how)
    source = file.document(path)
    file.method(file.type(file.image('App'), type), name, points, arms, document=source)
    return file


class Looks(Case):
    def test_files_are_as_they_were(self):
        for form, ending in ENDINGS.items():
            made = self.convert(coverage_fixture.hard(), form)
            made = re.sub('"monocle [^"]*"', '"monocle VERSION"', made)
            path = HERE / 'expected' / ('coverage.' + ending)
            if UPDATE:
                path.write_text(made)
            expected = path.read_text() if path.exists() else ''
            lines = expected.splitlines(True), made.splitlines(True)
            difference = ''.join(difflib.unified_diff(*lines, str(path), 'now'))
            self.assertFalse(difference, difference)

    @unittest.skipUnless(shutil.which('xmllint'), 'there is no xmllint')
    def test_xml_is_of_its_schema(self):
        for form, ending in XML.items():
            paths = []
            for name in ('hard', 'empty', 'linked'):
                for words in ([], ['--relative-to=/build']):
                    paths.append(self.folder / ('%d.%s' % (len(paths), ending)))
                    paths[-1].write_text(self.convert(getattr(coverage_fixture, name)(), form, *words))
            result = subprocess.run(['xmllint', '--noout', '--nonet', '--schema', HERE / 'schemas' / (form + '.xsd'),
                                     *paths], stderr=subprocess.PIPE)
            self.assertEqual(result.returncode, 0, result.stderr.decode())

    def test_the_locale_changes_nothing(self):
        path = self.write(coverage_fixture.hard())
        words = [MONOCLE, 'convert', path, '--to=cobertura', '-o', '-']
        made = {subprocess.run(words, stdout=subprocess.PIPE, env=dict(os.environ, LC_ALL=locale), timeout=60).stdout
                for locale in ('C', 'de_DE.UTF-8')}
        self.assertEqual(len(made), 1)


class Cobertura(Case):
    def test_each_line_is_in_one_class(self):
        for file in (coverage_fixture.hard(), coverage_fixture.linked()):
            root = self.tree(file, 'cobertura')
            lines = collections.Counter((c.get('filename'), line.get('number'))
                                        for c in root.iter('class') for line in c.findall('lines/line'))
            self.assertEqual(set(lines.values()), {1})
            self.assertEqual(len(lines), int(root.get('lines-valid')))

    def test_of_nothing_nothing_is_covered(self):
        root = self.tree(coverage_fixture.empty(), 'cobertura')
        self.assertEqual([root.get(name) for name in ('line-rate', 'branch-rate', 'lines-valid')],
                         ['0.0000', '0.0000', '0'])

    def test_classes_on_one_line_do_not_have_it_twice(self):
        file = cover_file.File(counts=True)
        image, source = file.image('App'), file.document('/src/C.cs')
        for number, name in enumerate(['A', 'B']):
            file.method(file.type(image, name), 'F ()', [{'line': 4, 'column': 9 + number, 'hits': number}],
                        document=source)
        root = self.tree(file, 'cobertura')
        found = [(c.get('name'), [line.get('hits') for line in c.iter('line')]) for c in root.iter('class')]
        self.assertEqual(found, [('A', ['0', '1']), ('B', [])])

    def test_a_branch_has_its_share_and_the_complexity_counts_its_arms(self):
        arms = coverage_fixture.branch(0, 1, 0, 0, switch=1) + coverage_fixture.branch(0, 1, 1, il=3)
        root = self.tree(one_method([(4, 1)], arms), 'cobertura')
        line = root.find('.//class/lines/line')
        self.assertEqual(line.get('condition-coverage'), '60% (3/5)')
        self.assertEqual([(c.get('number'), c.get('type'), c.get('coverage')) for c in line.iter('condition')],
                         [('0', 'switch', '33%'), ('1', 'jump', '100%')])
        self.assertEqual({root.get('complexity'), root.find('.//method').get('complexity')}, {'4'})

    def test_a_rate_of_one_means_all(self):
        root = self.tree(one_method([(line, line > 1) for line in range(1, 20001)]), 'cobertura')
        self.assertEqual(root.get('line-rate'), '0.9999')
        self.assertEqual(root.get('branch-rate'), '1.0000')

    def test_the_time_is_in_seconds(self):
        for ended, time in [(1700000060 * 10**9, '1700000060'), (0, '1700000000')]:
            root = self.tree(one_method([(1, 1)], begun=1700000000 * 10**9, ended=ended), 'cobertura')
            self.assertEqual(root.get('timestamp'), time)

    def names(self, paths, *words):
        file = cover_file.File(counts=True)
        image = file.image('App')
        for number, path in enumerate(paths):
            file.method(file.type(image, 'C%d' % number), 'F ()', [(1, 1)], document=file.document(path))
        root = self.tree(file, 'cobertura', *words)
        return ([source.text for source in root.iter('source')], [c.get('filename') for c in root.iter('class')])

    def test_files_are_named_from_the_folder_that_holds_all(self):
        self.assertEqual(self.names(['/a/b/c.cs']), (['/a/b'], ['c.cs']))
        self.assertEqual(self.names(['/a/b/c.cs', '/a/bc/d.cs']), (['/a'], ['b/c.cs', 'bc/d.cs']))
        self.assertEqual(self.names(['/a.cs', '/b/c.cs']), (['/'], ['a.cs', 'b/c.cs']))
        self.assertEqual(self.names(['C:\\x\\y.cs', 'C:\\x\\z\\w.cs', 'D:\\y.cs']),
                         (['C:/x', 'D:'], ['y.cs', 'z/w.cs', 'y.cs']))
        self.assertEqual(self.names(['/_/src/a.cs', '/_1/b/c.cs', '/src/d.cs', 'obj/e.cs']),
                         (['/_/src', '/_1/b', '/src'], ['a.cs', 'c.cs', 'd.cs', 'obj/e.cs']))

    def test_files_are_named_from_a_folder(self):
        self.assertEqual(self.names(['/a/b/c.cs', '/_/d/e.cs', '/ab/f.cs'], '--relative-to=/a/'),
                         (['/a', '/ab'], ['b/c.cs', 'd/e.cs', 'f.cs']))
        self.assertEqual(self.names(['C:\\a\\b.cs'], '--relative-to=C:\\a'), (['C:/a'], ['b.cs']))
        here = str(self.folder.resolve())
        self.assertEqual(self.names([here + '/a/b.cs'], '--relative-to=.'), ([here], ['a/b.cs']))

    def test_paths_can_be_mapped(self):
        self.assertEqual(self.names(['/_/b/c.cs'], '--map=/_/=/home/me/', '--relative-to=/home/me'),
                         (['/home/me'], ['b/c.cs']))


class Lcov(Case):
    def rows(self, file, kind, *words):
        return re.findall('^%s:(.*)$' % kind, self.convert(file, 'lcov', *words), re.M)

    def test_each_record_is_as_both_versions_want_it(self):
        text = self.convert(coverage_fixture.hard(), 'lcov')
        self.assertNotIn('\r', text)
        for record in text.split('end_of_record\n')[:-1]:
            lines = record.splitlines()
            self.assertEqual(lines[0], 'TN:')
            self.assertTrue(lines[1].startswith('SF:'))
            names = [re.fullmatch(r'FN:(\d+),(\D.*)', line).groups() for line in lines if line.startswith('FN:')]
            self.assertEqual(len({name for _, name in names}), len(names), 'a name is there once')
            counts = [re.fullmatch(r'FNDA:(\d+),(.*)', line).groups() for line in lines if line.startswith('FNDA:')]
            self.assertEqual([name for _, name in names], [name for _, name in counts])
            hits = dict(re.findall(r'^DA:(\d+),(\d+)$', record, re.M))
            for line, taken in re.findall(r'^BRDA:(\d+),\d+,\d+,(-|\d+)$', record, re.M):
                self.assertEqual(taken == '-', hits[line] == '0', record)
            self.assertLessEqual({line for line, _ in names}, set(hits))
            found = dict(re.findall(r'^(LF|LH|FNF|FNH|BRF|BRH):(\d+)$', record, re.M))
            self.assertEqual(found['LH'], str(sum(count != '0' for count in hits.values())))
            self.assertEqual(found['FNH'], str(sum(count != '0' for count, _ in counts)))
            self.assertEqual(found['BRF'], str(record.count('BRDA:')))

    def test_no_branch_is_taken_on_a_line_that_did_not_run(self):
        rows = self.rows(one_method([(4, 0)], coverage_fixture.branch(0, 1, 0)), 'BRDA')
        self.assertEqual(rows, ['4,0,0,-', '4,0,1,-'])

    def test_blocks_are_numbers_of_branches_on_the_line(self):
        arms = coverage_fixture.branch(0, 1, 0, il=2000) + coverage_fixture.branch(0, 2, 3, 4, il=4000)
        self.assertEqual(self.rows(one_method([(4, 9)], arms), 'BRDA'),
                         ['4,0,0,1', '4,0,1,0', '4,1,0,2', '4,1,1,3', '4,1,2,4'])

    def test_one_source_of_two_images_has_its_functions_once(self):
        self.assertEqual(self.rows(coverage_fixture.linked(), 'FNDA'), ['1,Shared:F ()'])

    def test_large_counts_are_whole(self):
        path = self.write(coverage_fixture.hard())
        again = self.write(coverage_fixture.hard(), 'again')
        self.assertIn('DA:3,6000000000\n', self.monocle('convert', path, again, '--to=lcov', '-o', '-'))


class OpenCover(Case):
    def test_points_have_columns_offsets_and_exits(self):
        points = [{'line': 4, 'end_line': 6, 'column': 3, 'end_column': 8, 'il': 7, 'hits': 5}, (9, 0)]
        root = self.tree(one_method(points, coverage_fixture.branch(0, 5, 0, il=9)), 'opencover')
        point = dict(root.find('.//SequencePoint').attrib, uspid='', fileid='')
        self.assertEqual(point, {'vc': '5', 'uspid': '', 'ordinal': '0', 'offset': '7', 'sl': '4', 'sc': '3', 'el': '6',
                                 'ec': '8', 'bec': '2', 'bev': '1', 'fileid': ''})
        names = ['offset', 'offsetend', 'path', 'sl', 'vc']
        arms = [[arm.get(name) for name in names] for arm in root.iter('BranchPoint')]
        self.assertEqual(arms, [['9', '100', '0', '4', '5'], ['9', '101', '1', '4', '0']])

    def test_a_body_is_a_method_in_the_class_that_a_person_wrote(self):
        root = self.tree(coverage_fixture.hard(), 'opencover')
        names = [m.find('Name').text for m in root.iter('Method')]
        for name in ['Program::<Main>$(string[])', 'Program::<<Main>$>b__0_0(int)', 'Program::Fetch(System.Uri)',
                     'Shop.Cart`1/Row`1::Sum<U>(U,(int, string))', 'Shop.Cart`1::.ctor()']:
            self.assertEqual(names.count(name), 1, name)
        self.assertFalse([name for name in names if 'MoveNext' in name])

    def test_a_name_has_parentheses_also_where_its_parameters_are_not_known(self):
        root = self.tree(one_method([(4, 1)], name='F'), 'opencover')
        self.assertEqual(root.find('.//Method/Name').text, 'N.C::F()')

    def test_scores_are_those_of_opencover(self):
        root = self.tree(one_method([(4, 1), (5, 0)], coverage_fixture.branch(0, 1, 0) +
                                    coverage_fixture.branch(1, 0, 0, 0)), 'opencover')
        method = root.find('.//Method')
        self.assertEqual(method.get('cyclomaticComplexity'), '4')
        self.assertEqual(method.get('nPathComplexity'), '6')
        self.assertEqual(method.get('sequenceCoverage'), '50.00')
        self.assertEqual(method.get('branchCoverage'), '20.00')
        self.assertEqual(method.get('crapScore'), '6.00')


class Jacoco(Case):
    def test_sums_of_parts_are_the_whole(self):
        root = self.tree(coverage_fixture.hard(), 'jacoco')
        self.sums_agree(root, 'package')
        for package in root.iter('package'):
            self.sums_agree(package, 'class')
            self.sums_agree(package, 'sourcefile')

    def sums_agree(self, whole, parts):
        sums = collections.Counter()
        for counter in whole.findall(parts + '/counter'):
            sums[counter.get('type'), 'missed'] += int(counter.get('missed'))
            sums[counter.get('type'), 'covered'] += int(counter.get('covered'))
        self.assertEqual(dict(sums), {(counter.get('type'), key): int(counter.get(key))
                                      for counter in whole.findall('counter') for key in ('missed', 'covered')})

    def test_packages_are_folders_in_which_the_files_are(self):
        root = self.tree(coverage_fixture.hard(), 'jacoco', '--relative-to=/build/src')
        files = {p.get('name') + '/' + f.get('name') for p in root.iter('package') for f in p.iter('sourcefile')}
        self.assertLessEqual({'Shop/Cart.cs', 'Shop/Items/Item<T>.cs', 'App/Program.cs', 'src/Lib/Mapped.cs'}, files)

    def test_a_nested_class_has_its_outer_one(self):
        root = self.tree(one_method([(4, 1)], type='N.Outer`1/Inner'), 'jacoco')
        self.assertEqual([c.attrib for c in root.iter('class')],
                         [{'name': 'N/Outer`1'}, {'name': 'N/Outer`1$Inner', 'sourcefilename': 'C.cs'}])

    def test_lines_of_a_long_statement_are_covered_as_it_is(self):
        root = self.tree(one_method([{'line': 4, 'end_line': 6, 'hits': 2}, (9, 0)]), 'jacoco')
        self.assertEqual([(line.get('nr'), line.get('mi'), line.get('ci')) for line in root.iter('line')],
                         [('4', '0', '1'), ('5', '0', '1'), ('6', '0', '1'), ('9', '1', '0')])


class Command(Case):
    def test_a_conversion_has_the_ending_of_its_format(self):
        self.write(coverage_fixture.hard(), 'x')
        for form, ending in ENDINGS.items():
            self.assertEqual(self.monocle('convert', 'x.mcov', '--to=' + form), 'x.%s\n' % ending)
            self.assertTrue((self.folder / ('x.' + ending)).stat().st_size > 1000)

    def test_a_folder_stands_for_the_files_in_it(self):
        self.write(coverage_fixture.hard(), 'x')
        (self.folder / 'out').mkdir()
        for name in ('a', 'b'):
            self.write(one_method([(1, 5)]), 'out/' + name)
        self.assertEqual(self.monocle('convert', 'out/', '--to=sonar'), 'out.sonar.xml\n')
        self.assertIn('DA:1,10\n', self.monocle('convert', 'out', '--to=lcov', '-o', '-'))
        self.assertEqual(self.monocle('convert', '.', '--to=jacoco'), 'coverage.jacoco.xml\n')
        self.assertIn('<report name="coverage">', (self.folder / 'coverage.jacoco.xml').read_text())

    def test_a_format_of_the_other_kind_is_told_with_the_right_ones(self):
        self.write(coverage_fixture.hard(), 'x')
        (self.folder / 'stacks.txt').write_text('a;b 1\n')
        self.monocle('convert', 'x.mcov', '--to=speedscope', code=1)
        self.assertEqual(self.error, 'monocle: x.mcov is coverage, and --to=speedscope is for profiles; use cobertura, '
                                     'lcov, opencover, jacoco or sonar\n')
        self.monocle('convert', 'stacks.txt', '--to=lcov', code=1)
        self.assertRegex(self.error, '^monocle: stacks.txt is no coverage, and .* use collapsed, .* or perfetto\n$')
        self.monocle('convert', 'missing', '--to=lcov', code=1)
        self.assertEqual(self.error, 'monocle: missing: No such file or directory\n')
        self.monocle('convert', 'x.mcov', 'stacks.txt', '--to=lcov', code=1)
        self.assertEqual(len(self.error.splitlines()), 1)
        self.assertIn('stacks.txt', self.error)

    def test_options_of_the_other_kind_are_refused(self):
        self.write(coverage_fixture.hard(), 'x')
        (self.folder / 'stacks.txt').write_text('a;b 1\n')
        for words in (['x.mcov', '--to=lcov', '--value=calls'], ['stacks.txt', '--to=pprof', '--map=a=b'],
                      ['stacks.txt', '--to=pprof', '--relative-to=.'],
                      ['stacks.txt', 'stacks.txt', '--to=pprof'], ['x.mcov', '--to=lcov', '--map=a'], ['x.mcov']):
            self.monocle('convert', *words, code=2)
            self.assertEqual(len(self.error.splitlines()), 1, words)

    def test_what_is_missing_is_said(self):
        path = self.write(one_method([(1, 1)], losses={'refused': 2, 'space': 1, 'skipped': 9}))
        self.monocle('convert', path, '--to=sonar')
        self.assertRegex(self.error, 'coverage.mcov: 3 methods are not counted in full')

    def test_coverage_is_not_replaced_by_its_conversion(self):
        path = self.write(coverage_fixture.hard())
        self.monocle('convert', path, '--to=lcov', '-o', path, code=1)
        self.assertIn('would be replaced', self.error)


if __name__ == '__main__':
    sys.argv = [word for word in sys.argv if word != '--update']
    MONOCLE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
