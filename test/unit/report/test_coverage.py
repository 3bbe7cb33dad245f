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

    def lines(self, *points):
        """Number and hits of each line of one method, which has these points: (first line, last line, hits)."""
        file, type = program(counts=True)
        file.method(type, 'F ()', [{'line': first, 'end_line': last, 'hits': hits} for first, last, hits in points])
        return {int(line.split(':')[0]): int(line.split()[1]) for line in self.dump(file) if line[1:2].isdigit()}

    def test_a_statement_counts_all_its_lines(self):
        self.assertEqual(self.lines((10, 12, 3), (14, 14, 0)), {10: 3, 11: 3, 12: 3, 14: 0})

    def test_the_innermost_statement_decides_a_line_that_goes_on(self):
        self.assertEqual(self.lines((10, 16, 3), (12, 14, 0), (13, 13, 5)),
                         {10: 3, 11: 3, 12: 0, 13: 5, 14: 0, 15: 3, 16: 3})
        self.assertEqual(self.lines((10, 12, 1), (10, 12, 4)), {10: 4, 11: 4, 12: 4})

    def test_what_begins_on_a_line_decides_it(self):
        """A lambda on the first line does not take it from its statement; one on the last line does."""
        self.assertEqual(self.lines((10, 11, 3), (10, 10, 0)), {10: 3, 11: 3})
        self.assertEqual(self.lines((10, 11, 3), (11, 11, 0)), {10: 3, 11: 0})

    def test_what_only_a_return_that_never_comes_leads_to_is_no_line(self):
        """Files may disagree about it, as one knows an assembly that the other does not; what ran is a line."""
        def file(hits, beyond):
            file, type = program(counts=True)
            file.method(type, 'F ()', [(10, 2), {'line': 11, 'hits': hits, 'beyond': beyond}],
                        [(1, 0, 0), (1, 1, hits)])
            return file
        for files, lines in [([file(0, True)], 'lines 1/1 arms 0/0'), ([file(0, False)], 'lines 1/2 arms 0/2'),
                             ([file(0, False), file(0, True)], 'lines 1/1 arms 0/0'),
                             ([file(0, True), file(3, False)], 'lines 2/2 arms 1/2')]:
            said = self.dump(*files)
            self.assertIn('conflicts 0', said[0])
            self.assertIn('all of it: %s ' % lines, said[1])

    def test_a_line_knows_how_many_of_its_statements_ran(self):
        """Two points at one column are one statement, as in two constructors, or a `finally` that is there twice."""
        file, type = program(counts=True)
        file.method(type, 'F ()', [{'line': 3, 'column': column, 'hits': hits}
                                   for column, hits in [(5, 2), (9, 0), (9, 0), (13, 1)]])
        file.method(type, 'G ()', [{'line': 4, 'column': column, 'hits': hits} for column, hits in [(5, 2), (5, 0)]])
        said = self.dump(file)
        self.assertIn(' 3: 2 F () statements 2/3', said)
        self.assertIn(' 4: 2 G ()', said)

    def test_methods_share_the_lines_of_one_statement(self):
        """As constructors do the initial value of a field."""
        file, type = program()
        for name, hits in (('.ctor ()', 1), ('.ctor (int)', 0)):
            file.method(type, name, [{'line': 3, 'end_line': 5, 'hits': hits}])
        file.method(type, 'get_A ()', [{'line': 4, 'hits': 0}])
        said = self.dump(file)
        self.assertIn('all of it: lines 2/3 arms 0/0 methods 1/3 types 1/1 66.66%', said)
        self.assertIn('  sum .ctor (int): lines 0/2 arms 0/0 methods 0/1 types 0/1 0.00%', said)
        self.assertIn('  sum get_A (): lines 0/1 arms 0/0 methods 0/1 types 0/1 0.00%', said)

    def test_a_line_counts_once_for_each_that_has_points_on_it(self):
        file, one, two = program(['A', 'B'])
        file.method(one, 'F ()', [(10, 1), (10, 0)])
        file.method(two, 'G ()', [(10, 0)])
        lines = self.dump(file)
        self.assertIn('all of it: lines 1/1 arms 0/0 methods 1/2 types 1/2 100.00%', lines)
        self.assertIn(' type B: lines 0/1 arms 0/0 methods 0/1 types 0/1 0.00%', lines)


class Twins(Case):
    """One source in several images: counted once in a file and in the whole, and for itself in each image."""

    def linked(self, *bodies):
        """Each body is an image: (hits of the way past, hits of the way in, whether the source has another method)."""
        file = cover_file.File(counts=True)
        source = file.document('/src/S.cs')
        for number, (past, inside, more) in enumerate(bodies):
            image = file.image('App%d' % number)
            shared = file.type(image, 'Shared')
            file.method(shared, 'F (bool)', [(3, past + inside), (4, inside), (5, past)],
                        [{'point': 0, 'path': 0, 'hits': inside, 'il': 4 + number},
                         {'point': 0, 'path': 1, 'hits': past, 'il': 4 + number}], document=source)
            if more:
                file.method(shared, 'Never ()', [(7, 0)], document=source)
            file.method(file.type(image, 'P'), 'Main ()', [(1, 1)], document=file.document('/src/%d.cs' % number))
        return self.dump(file)

    def test_all_numbers_of_a_source_are_of_one_kind(self):
        said = self.linked((0, 2, True), (3, 0, True))
        self.assertIn('all of it: lines 5/6 arms 2/2 methods 3/4 types 3/3 83.33%', said)
        self.assertIn('file /src/S.cs: lines 3/4 arms 2/2 methods 1/2 types 1/1 75.00%', said)
        self.assertIn(' 3: 3 F (bool) arms 2 3', said)

    def test_each_image_has_its_own(self):
        said = self.linked((0, 2, True), (3, 0, True))
        for name in ('App0', 'App1'):
            self.assertIn('image %s: lines 3/5 arms 1/2 methods 2/3 types 2/2 60.00%%' % name, said)

    def test_what_only_one_image_has_counts(self):
        """As behind `#if` for one framework."""
        said = self.linked((0, 2, False), (3, 0, True), (0, 0, False))
        self.assertIn('file /src/S.cs: lines 3/4 arms 2/2 methods 1/2 types 1/1 75.00%', said)
        self.assertIn('all of it: lines 6/7 arms 2/2 methods 4/5 types 4/4 85.71%', said)

    def test_two_of_one_image_are_no_twins(self):
        """Two operators of one name on one line, and two branches at one column, as of constructors."""
        file, type = program(counts=True)
        for hits in (1, 0):
            file.method(type, 'op_Explicit (A)', [(3, 1)], [(0, 0, hits), (0, 1, 1)])
        said = self.dump(file)
        self.assertIn('all of it: lines 1/1 arms 3/4 methods 2/2 types 1/1 100.00%', said)
        self.assertIn(' 3: 1 op_Explicit (A) arms 1 1 0 1', said)


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


    def folded(self, methods, options=()):
        """Of (class, name, line, kickoff) after the first class's methods: the names of the methods that are left."""
        types = list(dict.fromkeys(type for type, _, _, _ in methods))
        file, *numbers = program(types)
        for type, name, line, kickoff in methods:
            file.method(numbers[types.index(type)], name, [(line, 1)] if line else [], kickoff=kickoff)
        return [line[len('method '):].replace('/src/App.cs:', '').replace(' calls 1', '')
                for line in self.methods(file, options=options)]

    def test_of_overloads_it_is_the_one_around_or_above(self):
        self.assertEqual(self.folded([('P', 'F (int)', 10, 0), ('P', 'F (string)', 20, 0),
                                      ('P/<>c', '<F>b__0 ()', 21, 0), ('P/<>c', '<F>b__1 ()', 11, 0)]),
                         ['F (int) 06000001 10: [F (int)] + [<F>b__1 ()]',
                          'F (string) 06000002 20: [F (string)] + [<F>b__0 ()]'])

    def test_the_kickoff_says_which_it_is(self):
        self.assertEqual(self.folded([('P', 'F (int)', 0, 0), ('P', 'F (string)', 0, 0),
                                      ('P/<F>d__1', 'MoveNext ()', 20, 0x06000002),
                                      ('P/<F>d__0', 'MoveNext ()', 10, 0x06000001),
                                      ('P/<>c', '<F>b__0_0 ()', 21, 0)]),
                         ['F (int) 06000001 10: [MoveNext ()]',
                          'F (string) 06000002 20: [MoveNext ()] + [<F>b__0_0 ()]'])

    def test_a_method_that_is_not_there_is_named_alone(self):
        self.assertEqual(self.folded([('P/<F>d__1', 'MoveNext ()', 20, 0x06000077)]), ['F 06000077 20: [MoveNext ()]'])
        self.assertEqual(self.folded([('P/<>c', '<.ctor>b__0 ()', 20, 0)]), ['.ctor 00000000 20: [<.ctor>b__0 ()]'])

    def test_iterators_of_interfaces_are_found_with_dots(self):
        self.assertEqual(self.folded([('P', 'N.I<T>.Get (int)', 0, 0), ('P/<N-I<T>-Get>d__1', 'MoveNext ()', 20, 0)]),
                         ['N.I<T>.Get (int) 06000001 20: [MoveNext ()]'])

    def test_closures_of_other_languages_are_found(self):
        self.assertEqual(self.folded([('P', 'f (int)', 10, 0), ('P/f@11-1', 'Invoke (int)', 11, 0),
                                      ('P/clo@12', 'Invoke (int)', 12, 0)]),
                         ['f (int) 06000001 10: [f (int)] + [Invoke (int)] + [Invoke (int)]'])
        self.assertEqual(self.folded([('P', 'F ()', 10, 0), ('P/VB$StateMachine_3_F', 'MoveNext ()', 11, 0),
                                      ('P/_Closure$__1-0', '_Lambda$__0 ()', 12, 0)]),
                         ['F () 06000001 10: [F ()] + [MoveNext ()] + [_Lambda$__0 ()]'])

    def test_what_a_person_named_oddly_stays(self):
        self.assertEqual(self.folded([('Program', '<Main>$ (string[])', 1, 0), ('<Program>$', 'F ()', 5, 0),
                                      ('Program/<>c', '<<Main>$>b__0_0 ()', 2, 0)]),
                         ['F () 06000002 5: [F ()]',
                          '<Main>$ (string[]) 06000001 1: [<Main>$ (string[])] + [<<Main>$>b__0_0 ()]'])

    def test_kickoffs_that_go_round_end(self):
        self.folded([('P/<F>d__1', 'MoveNext ()', 20, 0x06000002), ('P/<G>d__1', 'MoveNext ()', 21, 0x06000001)])
        self.folded([('P', 'F ()', 20, 0x06000001)])

    def test_names_are_for_people(self):
        file, type = program(['N.Outer`1/In`12'])
        file.method(type, 'F (Func`2<int,List`1<T>>)', [(1, 1)])
        said = self.dump(file)
        names = [line.split(':')[0] for line in said]
        self.assertIn(' type N.Outer<T>.In<T1,T2,T3,T4,T5,T6,T7,T8,T9,T10,T11,T12>', names)
        self.assertIn(' 1: 1 F (Func<int,List<T>>)', said)


class Paths(Case):
    def files(self, *paths, options=()):
        file = cover_file.File()
        type = file.type(file.image('App'), 'P')
        for path in paths:
            file.method(type, 'F ()', [(1, 1)], document=file.document(path))
        return [line.split()[1].rstrip(':') for line in self.dump(file, options=options) if line.startswith('file ')]

    def test_maps_replace_the_beginning_and_the_first_wins(self):
        self.assertEqual(self.files('/_/a.cs', '/_/x/b.cs', 'C:\\w\\c.cs', '/q/d.cs',
                                    options=['-m', '/_/x/=y/', '-m', '/_/=src/', '-m', 'C:/w=/w']),
                         ['/q/d.cs', '/w/c.cs', 'src/a.cs', 'y/b.cs'])

    def test_paths_that_become_one_are_one_file(self):
        self.assertEqual(self.files('/_/a.cs', '/b/a.cs', options=['-m', '/_/=/b/']), ['/b/a.cs'])

    def test_globs_choose(self):
        paths = ['/s/a.cs', '/s/deep/er/a.cs', '/s/b.g.cs', '/t/b.cs']
        for globs, chosen in (('a.cs', [0, 1]), ('**/a.cs', [0, 1]), ('/s/*.cs', [0, 2]), ('/s/**', [0, 1, 2]),
                              ('s/**/a.cs', [0, 1]), ('?.cs', [0, 1, 3]), ('*.g.cs,t/*', [2, 3]), ('/a.cs', []),
                              ('deep/*/a.cs', [1]), ('**/e*/**', [1]), ('', []), ('s', [])):
            self.assertEqual(self.files(*paths, options=['-i', globs]), sorted(paths[index] for index in chosen), globs)
            self.assertEqual(self.files(*paths, options=['-x', globs]),
                             sorted(path for index, path in enumerate(paths) if index not in chosen), globs)

    def test_stars_without_end_take_no_time(self):
        self.assertEqual(self.files('/' + 'a' * 3000, options=['-i', '*a' * 200 + 'b,' + '**a' * 200 + '**/b']), [])

    def test_sources_are_found_by_the_longest_end(self):
        for name in ('one/src/a.cs', 'one/a.cs', 'two/b.cs', 'c.cs'):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).touch()
        file = cover_file.File()
        type = file.type(file.image('App'), 'P')
        for path in ('/build/src/a.cs', '/build/b.cs', str(self.folder / 'c.cs'), '/gone.cs', '/x/../c.cs'):
            file.method(type, 'F ()', [(1, 1)], document=file.document(path))
        said = self.dump(file, options=['-s', str(self.folder / 'one'), '-s', str(self.folder / 'two')])
        self.assertEqual([line[len(' local '):] for line in said if line.startswith(' local ')],
                         [str(self.folder / name) for name in ('one/src/a.cs', 'two/b.cs', 'c.cs')][1::-1] +
                         [str(self.folder / 'c.cs')])


class Hostile(Case):
    def test_what_is_cut_off_is_refused(self):
        file, type = program()
        file.method(type, 'F ()', [(10, 1)], [(0, 0, 1)])
        whole = file.bytes()
        # The fuzz target has each length.
        for size in [8, 16, 2048, cover_file.HEADER, cover_file.HEADER + 8, len(whole) - 8]:
            self.assertEqual(self.dump(whole[:size], code=1), ['it is cut off'])

    def test_headers_that_cannot_be_are_refused(self):
        whole = program()[0].bytes()
        for field, layout, value, problem in (('version', 'I', 2, 'it is a coverage file of another version'),
                                              ('flags', 'I', 1, 'its header is damaged'),
                                              ('counter_size', 'I', 2, 'its header is damaged'),
                                              ('used', 'Q', 4088, 'its header is damaged'),
                                              ('used', 'Q', 2**64 - 1, 'it is cut off'),
                                              (0, 'Q', 7, 'it is no coverage file')):
            self.assertEqual(self.dump(cover_file.patch(whole, field, layout, value), code=1), [problem])

    def test_numbers_out_of_range_are_refused(self):
        for counts in (False, True):
            file, type = program(counts=counts)
            start = len(file.bytes())
            file.method(type, 'F ()', [(10, 1)], [(0, 0, 1)])
            whole = file.bytes()
            size = len(whole) - start
            # Of the record: its size, type, counts of points, arms and counters, length of the name, counters; of the
            # point its document and counter, of the arm its point and counter.
            for at in (0, 8, 24, 28, 32, 36, 40, 52, 68, 80, 88):
                for value in (2**32 - 1, 2**31 + 2**30, size + 8):
                    said = self.dump(cover_file.patch(whole, start + at, 'I', value), code=1)
                    self.assertEqual(said, ['a record in it is damaged'], (at, value))
            for value in (0, 4, size - 4):
                self.assertEqual(self.dump(cover_file.patch(whole, start, 'I', value), code=1),
                                 ['a record in it is damaged'])

    def test_names_are_made_text(self):
        file, type = program([b'N.\xff\0P'])
        file.method(type, b'F\x80 ()', [(10, 1)])
        self.assertIn(' 10: 1 F\ufffd ()', self.dump(file))
        self.assertIn(' type N.\ufffd\ufffdP: lines 1/1 arms 0/0 methods 1/1 types 1/1 100.00%', self.dump(file))

    def test_a_file_that_is_written_is_read_as_far_as_it_is(self):
        file, type = program(ended=0)
        file.method(type, 'F ()', [(10, 1)])
        used = len(file.bytes())
        file.method(type, 'G ()', [(20, 1)])
        said = self.dump(file.bytes(used=used, room=100))
        self.assertIn('incomplete', said[0])
        self.assertEqual([line for line in said if 'G' in line], [])

    def test_kinds_that_are_not_known_are_stepped_over(self):
        file, type = program()
        file.raw(99, b'what')
        file.method(type, 'F ()', [(10, 1)])
        self.assertIn(' 10: 1 F ()', self.dump(file))

    def test_lines_without_end_are_no_lines(self):
        file, type = program()
        file.method(type, 'F ()', [{'line': 10, 'end_line': 2**32 - 1, 'hits': 1}, {'line': 20, 'end_line': 22},
                                   (0, 1), (0xFEEFEE, 1), (2**32 - 1, 1)])
        said = self.dump(file)
        self.assertEqual([line.split(':')[0].strip() for line in said if line[1:2].isdigit()],
                         ['10', '20', '21', '22', '4294967295'])

    def test_each_allocation_may_fail(self):
        file, *types = program(['P', 'P/<>c', 'P/<F>d__1'], counts=True)
        for type, name in zip(types, ('F (Func`1<int>)', '<F>b__0 ()', 'MoveNext ()')):
            file.method(type, name, [(10, 1), (11, 1)], [(0, 0, 1)])
        path = file.write(self.folder / 'a.mcov')
        done = subprocess.run([DUMP, '-a', path], stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        self.assertGreater(int(done.stdout), 30)


if __name__ == '__main__':
    unittest.main()
