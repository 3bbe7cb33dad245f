#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `monocle report` shows of coverage, refuses, and answers with an exit code.

    test_coverage.py MONOCLE
"""
import hashlib
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import cover_file

PARSER = '''class Parser
{
\tpublic int Parse (string text)
\t{
\t\tif (text == null || text.Length == 0)
\t\t\tthrow new Exception ("empty");
\t\treturn int.Parse (text);
\t}

\tpublic int Twice (string text) => 2 * Parse (text);
}
'''


class Case(case.Case):
    def setUp(self):
        super().setUp()
        self.environment['TZ'] = 'UTC'
        self.source = self.work / 'src' / 'Parsing' / 'Parser.cs'
        self.source.parent.mkdir(parents=True)
        self.source.write_text(PARSER)
        self.shop().write(self.work / 'app.mcov')

    def shop(self, hits=3, **how):
        """Two assemblies; one of three sources is there."""
        file = cover_file.File(counts=True, program='shop', **how)
        shop, tools = file.image('Shop'), file.image('Tools')
        parser = file.document(str(self.source), hashlib.sha256(PARSER.encode()).digest())
        main, lists = (file.document(str(self.work / name)) for name in ('src/Main.cs', 'lib/Lists.cs'))
        type = file.type(shop, 'Shop.Parser')
        file.method(type, 'Parse (string)', [(4, hits), (5, hits), (6, 0), (7, hits), (8, hits)],
                    [(1, 0, hits), (1, 1, 0), (1, 0, hits), (1, 1, hits)], document=parser)
        file.method(type, 'Twice (string)', [(10, 0)], document=parser)
        file.method(file.type(shop, 'Shop.Program'), 'Main (string[])',
                    [(3, 1), (4, 1200), (5, 0), (7, 0), (9, 1), (12, 0)], document=main)
        type = file.type(tools, 'Tools.List`1')
        file.method(type, 'Add (!0)', [(3, 1), (4, 1)], document=lists)
        file.method(type, 'Parse (string)', [(8, 0), (9, 0), (10, 0)], document=lists)
        return file

    def report(self, *words, code=0, error='', file='app.mcov'):
        """What is printed, without the head and the blank line after it."""
        got, out, said = self.monocle('report', *words, *([file] if file else []))
        self.assertEqual((got, said), (code, error), out)
        return out.split('\n\n', 1)[-1]

    def refuse(self, *words, says, code=2):
        got, out, error = self.monocle('report', *words)
        self.assertEqual((got, out, len(error.splitlines())), (code, '', 1), error)
        self.assertIn(says, error)


class Tables(Case):
    def test_files_have_a_row_each_and_their_missed_lines(self):
        self.assertEqual(self.monocle('report', 'app.mcov')[1], '''\
app.mcov, 2001-09-09 01:46:40, ran 1.000 s
# program: shop
# runtime: CoreCLR 9.0.0
# desc: cover
# folder: %s/

lines      %%  branches      %%  file                   missed lines
  2/5  40.0%%         -      -  lib/Lists.cs           8-10
  3/6  50.0%%         -      -  src/Main.cs            5-7, 12
  4/6  66.6%%       3/4  75.0%%  src/Parsing/Parser.cs  6, 10

lines     9 of 17   52.9%%
branches  3 of 4    75.0%%
methods   3 of 5    60.0%%
classes   3 of 3   100.0%%
''' % self.work)

    def test_a_share_is_rounded_down_so_that_only_all_is_100_percent(self):
        file = cover_file.File()
        document = file.document('/a.cs')
        type = file.type(file.image('A'), 'A')
        file.method(type, 'F ()', [(line, line != 7) for line in range(1, 10001)], document=document)
        file.write(self.work / 'a.mcov')
        text = self.report(file='a.mcov')
        self.assertIn('99.9%', text)
        self.assertNotIn('lines    9,999 of 10,000  100.0%', text)
        self.assertIn('\t10000\t9999\t99.99\t', self.report('--format=tsv', file='a.mcov'))
        self.report('--fail-under=99.99', file='a.mcov')

    def test_rows_are_files_classes_methods_or_assemblies(self):
        def names(by):
            return [line.split('\t')[0] for line in self.report('--by=' + by, '--format=tsv').splitlines()[1:]]
        self.assertEqual([os.path.basename(name) for name in names('file')], ['Lists.cs', 'Main.cs', 'Parser.cs'])
        self.assertEqual(names('class'), ['Shop.Parser', 'Shop.Program', 'Tools.List<T>'])
        self.assertEqual(names('method'), [
            'Shop.Parser:Parse (string)', 'Shop.Parser:Twice (string)', 'Shop.Program:Main (string[])',
            'Tools.List<T>:Add (!0)', 'Tools.List<T>:Parse (string)'])
        self.assertEqual(names('assembly'), ['Shop', 'Tools'])
        self.assertIn(' 7/12  58.3%       3/4  75.0%      2/3      2/2  Shop\n', self.report('--by=assembly'))
        self.assertIn('  4/5   80.0%       3/4  75.0%      3  Shop.Parser:Parse (string)    6\n',
                      self.report('--by=method'))

    def test_rows_are_sorted_and_cut_as_it_is_asked(self):
        def order(*words):
            return re.findall(r'(\w+)\.cs', self.report(*words))
        self.assertEqual(order('--sort=path'), ['Lists', 'Main', 'Parser'])
        self.assertEqual(order('--sort=missed'), ['Lists', 'Main', 'Parser'])
        self.assertEqual(order('--sort=percent'), ['Lists', 'Main', 'Parser'])
        self.assertEqual([line.split('\t')[0] for line in self.report(
            '--by=method', '--sort=missed', '--format=tsv').splitlines()[1:3]],
            ['Shop.Program:Main (string[])', 'Tools.List<T>:Parse (string)'])
        self.assertEqual([line.split('\t')[0] for line in self.report(
            '--by=method', '--sort=percent', '--format=tsv').splitlines()[1:3]],
            ['Tools.List<T>:Parse (string)', 'Shop.Parser:Twice (string)'])
        self.assertIn('(2 more files, 5 lines missed)\n', self.report('-n', '1'))
        self.assertIn('(1 more file, 2 lines missed)\n', self.report('-n', '2'))
        self.assertEqual(len(self.report('-n', '1', '--format=tsv').splitlines()), 2)

    def test_only_what_misses_lines_is_shown_when_that_is_asked(self):
        text = self.report('--by=method', '--missed')
        self.assertNotIn('Add', text)
        self.assertIn('Twice', text)
        self.assertNotIn('Add', self.report('--tree', '--missed'))
        self.assertIn('lines     9 of 17', text)

    def test_a_class_in_several_files_has_the_names_of_files_beside_its_missed_lines(self):
        file = cover_file.File()
        one, two = file.document('/a/One.cs'), file.document('/a/Two.cs')
        type = file.type(file.image('A'), 'A')
        file.method(type, 'F ()', [(1, 0), (2, 1), (3, 0)], document=one)
        file.method(type, 'G ()', [(2, 0)], document=two)
        file.write(self.work / 'a.mcov')
        self.assertIn('  A      One.cs:1, One.cs:3, Two.cs:2\n', self.report('--by=class', file='a.mcov'))
        rows = json.loads(self.monocle('report', '--by=class', '--format=json', 'a.mcov')[1])['rows']
        self.assertEqual(rows[0]['missed'], [{'file': '/a/One.cs', 'lines': [[1, 1], [3, 3]]},
                                             {'file': '/a/Two.cs', 'lines': [[2, 2]]}])

    def test_what_was_left_out_is_said(self):
        """Of several processes it is the most of one, since they left out the same."""
        for name, left_out in [('a.mcov', 45), ('b.mcov', 44)]:
            self.shop(left_out=left_out).write(self.work / name)
        self.assertEqual(self.monocle('merge', '-o', 'ab.mcov', 'a.mcov', 'b.mcov')[0], 0)
        for name in ['a.mcov', 'ab.mcov']:
            out = self.monocle('report', name)[1]
            self.assertTrue(out.endswith('\n# left out: 45 methods that source generators wrote '
                                         '(--profile=cover:generated counts them)\n'), out)
            self.assertEqual(json.loads(self.monocle('report', '--format=json', name)[1])['left_out'], 45)

    def test_what_is_missing_is_said(self):
        self.shop(ended=0, losses={'space': 1, 'refused': 2, 'sources': 3, 'changed': 1, 'skipped': 2}).write(
            self.work / 'cut.mcov')
        out = self.monocle('report', 'cut.mcov')[1]
        self.assertIn('# end: the process runs still, or was killed; what it ran until then is counted\n', out)
        self.assertNotIn(', ran ', out)
        for line in ['1 method found no room in the file', '2 methods could not be given counters',
                     '3 methods came without lines in their symbols', '1 method changed after they got counters',
                     '2 assemblies without any source that is here, left out']:
            self.assertIn('# lost: %s\n' % line, out)
        said = json.loads(self.monocle('report', '--format=json', 'cut.mcov')[1])
        self.assertEqual(said['lost'], {'space': 1, 'refused': 2, 'sources': 3, 'changed': 1, 'skipped': 2, 'other': 0})
        self.assertEqual((said['complete'], said['processes'], said['counts']), (False, 1, True))

    def test_several_files_are_added_up(self):
        self.shop(hits=2).write(self.work / 'more.mcov')
        out = self.monocle('report', '--by=method', 'app.mcov', 'more.mcov')[1]
        self.assertTrue(out.startswith('app.mcov and 1 more, '), out)
        self.assertIn('# processes: 2\n', out)
        self.assertIn('      5  Shop.Parser:Parse', out)
        self.assertIn('      2  Shop.Program:Main', out)

    def test_a_coverage_without_lines_has_sums_only(self):
        cover_file.File().write(self.work / 'none.mcov')
        for words in [[], ['--tree'], ['--by=class']]:
            self.assertTrue(self.report(*words, file='none.mcov').startswith('lines     0 of 0'), words)
        self.assertEqual(json.loads(self.monocle('report', '--format=json', 'none.mcov')[1])['rows'], [])
        self.report('--fail-under=0', file='none.mcov', code=3,
                    error='monocle: coverage is below what --fail-under wants: there are no lines\n')

    def test_without_a_name_the_newest_file_is_shown(self):
        case.make_profile(self.work / 'p.pb.gz')
        for newest, says in [('app.mcov', '# program: shop'), ('p.pb.gz', 'A.Main')]:
            for name in ['app.mcov', 'p.pb.gz']:
                os.utime(self.work / name, (10**9, 10**9 + (name == newest)))
            self.assertIn(says, self.monocle('report')[1])


class Trees(Case):
    def test_an_assembly_has_its_own_part_of_a_shared_source(self):
        """What is below an assembly adds up to it; the whole counts the source once."""
        file = cover_file.File(counts=True)
        source = file.document('/src/shared/S.cs')
        for name, inside, past in [('One', 1, 0), ('Two', 0, 1)]:
            file.method(file.type(file.image(name), 'Shared'), 'F (bool)', [(5, 1), (6, inside), (7, past)],
                        [(0, 0, inside), (0, 1, past)], document=source)
        file.write(self.work / 'two.mcov')
        rows = [row.split('\t') for row in self.monocle('report', '--tree', '--format=tsv', 'two.mcov')[1].splitlines()]
        self.assertEqual({(row[3], row[4], row[6], row[7]) for row in rows[1:]}, {('3', '2', '2', '1')}, rows)
        out = self.monocle('report', 'two.mcov')[1]
        self.assertRegex(out, r'lines +3 of 3 +100.0%\nbranches +2 of 2 +100.0%\nmethods +1 of 1 .*\nclasses +1 of 1 ')

    def test_a_tree_goes_from_assemblies_to_methods(self):
        self.assertEqual(self.report('--tree'), '''\
lines       %              branches  assembly, folder, file, class, method
 7/12   58.3%  #####.....       3/4  Shop
  3/6   50.0%  #####.....         -    src/
  3/6   50.0%  #####.....         -      Main.cs
  3/6   50.0%  #####.....         -        Shop.Program
  3/6   50.0%  #####.....         -          Main (string[])
  4/6   66.6%  ######....       3/4    src/Parsing/
  4/6   66.6%  ######....       3/4      Parser.cs
  4/6   66.6%  ######....       3/4        Shop.Parser
  4/5   80.0%  ########..       3/4          Parse (string)
  0/1    0.0%  ..........         -          Twice (string)
  2/5   40.0%  ####......         -  Tools
  2/5   40.0%  ####......         -    lib/
  2/5   40.0%  ####......         -      Lists.cs
  2/5   40.0%  ####......         -        Tools.List<T>
  2/2  100.0%  ##########         -          Add (!0)
  0/3    0.0%  ..........         -          Parse (string)

lines     9 of 17   52.9%
branches  3 of 4    75.0%
methods   3 of 5    60.0%
classes   3 of 3   100.0%
''')

    def test_a_tree_is_sorted_and_cut_to_what_misses_most(self):
        self.assertEqual(re.findall(r'  (Shop|Tools)\n', self.report('--tree', '--sort=percent')), ['Tools', 'Shop'])
        rows = self.report('--tree', '-n', '4').split('\n\n')[0].splitlines()[1:]
        self.assertEqual([row.strip().split('  ')[-1].strip() for row in rows], [
            'Shop', 'src/', 'Main.cs', 'Shop.Program', '(1 more, 3 lines missed)', '(1 more, 2 lines missed)',
            '(1 more, 3 lines missed)'])

    def test_programs_get_kinds_and_depths(self):
        rows = [line.split('\t')[:3] for line in self.report('--tree', '--format=tsv').splitlines()]
        self.assertEqual(rows[:4], [['kind', 'depth', 'name'], ['assembly', '0', 'Shop'], ['folder', '1', 'src/'],
                                    ['file', '2', 'Main.cs']])
        said = json.loads(self.monocle('report', '--tree', '--format=json', 'app.mcov')[1])
        self.assertEqual([(row['kind'], row['depth'], row['name']) for row in said['rows'][4:6]],
                         [('method', 4, 'Main (string[])'), ('folder', 1, 'src/Parsing/')])

    def test_a_class_in_two_files_is_in_each_with_what_it_has_there(self):
        file = cover_file.File()
        one, two = file.document('/a/One.cs'), file.document('/a/Two.cs')
        type = file.type(file.image('A'), 'A')
        file.method(type, 'F ()', [(1, 0), (2, 1), (3, 0)], document=one)
        file.method(type, 'G ()', [(2, 0)], document=two)
        file.write(self.work / 'a.mcov')
        rows = [line.split('\t') for line in self.report('--tree', '--format=tsv', file='a.mcov').splitlines()]
        self.assertEqual([row[3:5] for row in rows if row[0] == 'class'], [['3', '1'], ['1', '0']])


class Terminals(Case):
    def on_terminal(self, *words, **environment):
        return self.see_on_terminal('report', *words, 'app.mcov', TERM='xterm', **environment)

    def test_bars_are_of_blocks_where_the_locale_has_them(self):
        self.assertIn('█', self.on_terminal('--tree'))
        text = self.on_terminal('--tree', LC_ALL='C')
        self.assertNotIn('█', text)
        self.assertIn('#####', text)

    def test_colours_are_for_terminals_and_can_be_refused(self):
        self.assertIn('\x1b[33m', self.on_terminal())
        self.assertIn('\x1b[31m', self.on_terminal('--annotate=Parser.cs'))
        for words in [[], ['--tree'], ['--annotate=Parser.cs']]:
            self.assertNotIn('\x1b', self.on_terminal(*words, NO_COLOR='1'))
            self.assertNotIn('\x1b', self.monocle('report', *words, 'app.mcov')[1])

    def test_rows_fit_the_terminal(self):
        file = self.shop()
        document = file.document('%s/%s/Long.cs' % (self.work, 'folder/' * 12))
        file.method(file.type(0, 'Long'), 'F ()', [(line, line % 2) for line in range(1, 200)], document=document)
        file.write(self.work / 'app.mcov')
        for columns in [80, 120]:
            for words in [[], ['--by=method'], ['--tree']]:
                lines = self.on_terminal(*words, columns=columns, NO_COLOR='1').replace('\r', '').split('\n')
                rows = [line for line in lines if re.search(r'\d/\d', line)]
                self.assertGreater(len(rows), 3)
                self.assertLessEqual(max(map(len, rows)), columns, rows)
        self.assertIn('Long.cs', self.on_terminal(NO_COLOR='1'))
        self.assertIn('…', self.on_terminal(NO_COLOR='1'))


class Annotations(Case):
    def test_a_source_has_its_hits_and_branches_beside_it(self):
        self.assertEqual(self.monocle('report', '--annotate=Parser.cs', 'app.mcov'), (0, '''\
%s
lines 4 of 6 (66.6%%), branches 3 of 4 (75.0%%)

  hits  branches  line
                     1  class Parser
                     2  {
                     3      public int Parse (string text)
     3               4      {
     3      3/4!     5          if (text == null || text.Length == 0)
missed               6              throw new Exception ("empty");
     3               7          return int.Parse (text);
     3               8      }
                     9
missed              10      public int Twice (string text) => 2 * Parse (text);
                    11  }
''' % self.source, ''))

    def test_without_counts_a_line_is_hit_or_missed(self):
        file = cover_file.File()
        document = file.document(str(self.source))
        file.method(file.type(file.image('A'), 'A'), 'F ()', [(4, 1), (6, 0)], document=document)
        file.write(self.work / 'a.mcov')
        text = self.report('--annotate=Parser.cs', file='a.mcov')
        self.assertIn('   hit     4      {\n', text)
        self.assertIn('missed     6  ', text)

    def test_a_class_and_a_method_have_their_own_lines(self):
        head = self.monocle('report', '--annotate=Twice', 'app.mcov')[1].split('\n\n')[0]
        self.assertEqual(head.splitlines()[1:], ['# class: Shop.Parser', '# method: Twice (string)',
                                                 'lines 0 of 1 (0.0%)'])
        text = self.report('--annotate=Twice')
        self.assertEqual([line.split()[-1] for line in text.splitlines()[1:]], ['9', '(text);'])
        for name in ['Shop.Parser', 'Parser', 'Parser:Parse(string)', 'Shop.Parser.Parse', 'Parser.Parse (string)']:
            self.assertIn('throw new', self.report('--annotate=' + name))
        self.assertIn('int Parse', self.report('--annotate=Parser:Parse').splitlines()[1])

    def test_what_a_name_may_mean_is_listed(self):
        code, out, error = self.monocle('report', '--annotate=Parse', 'app.mcov')
        self.assertEqual((code, out), (1, ''))
        self.assertEqual(error, 'monocle: Parse may be any of 2 methods; name more of it:\n'
                                'monocle:   Shop.Parser:Parse (string)\n'
                                'monocle:   Tools.List<T>:Parse (string)\n')

    def test_a_name_that_means_nothing_is_one_line(self):
        for name in ['Nobody', '', 'arser.cs', '(']:
            self.refuse('--annotate=' + name, 'app.mcov', says='has no file, class or method', code=1)

    def test_a_source_that_is_not_here_is_one_line(self):
        self.refuse('--annotate=Main.cs', 'app.mcov', code=1, says='src/Main.cs: its source was not found here')

    def test_a_source_is_found_in_folders_that_are_named(self):
        folder = self.folder / 'elsewhere' / 'src'
        folder.mkdir(parents=True)
        (folder / 'Main.cs').write_text('one\ntwo\nthree\n')
        out = self.monocle('report', '--annotate=Main.cs', '--source-root=/nowhere', '--source-root=%s' % folder.parent,
                           'app.mcov')[1]
        self.assertIn('# source: %s/Main.cs\n' % folder, out)
        self.assertIn('     1     3  three\n', out)
        self.assertIn('(5 more lines with code are beyond the end of this text)\n', out)

    def test_names_of_sources_are_mapped(self):
        self.assertIn('/elsewhere/src/Main.cs', self.report('--map=%s=/elsewhere' % self.work, '--format=tsv'))
        self.assertIn('throw new', self.report('--map=%s=/elsewhere' % self.work, '--annotate=Parser.cs'))

    def test_a_source_that_was_changed_is_told(self):
        warning = '# this is not the text that was compiled: lines may have moved\n'
        for text, is_other in [(PARSER, False), (PARSER.replace('\n', '\r\n'), False), (PARSER + '\n', True),
                               ('', True)]:
            self.source.write_bytes(text.encode())
            out = self.monocle('report', '--annotate=Parser.cs', 'app.mcov')[1]
            self.assertEqual(warning in out, is_other, out)
            self.assertNotIn('\r', out)

    def test_every_kind_of_hash_is_known(self):
        for name in ['md5', 'sha1', 'sha256']:
            for text in [PARSER, 'other']:
                file = cover_file.File()
                document = file.document(str(self.source), hashlib.new(name, text.encode()).digest())
                file.method(file.type(file.image('A'), 'A'), 'F ()', [(4, 1)], document=document)
                file.write(self.work / 'a.mcov')
                out = self.monocle('report', '--annotate=Parser.cs', 'a.mcov')[1]
                self.assertEqual('not the text that was compiled' in out, text == 'other', name)

    def test_a_hostile_source_is_printed_safely(self):
        self.source.write_bytes(b'\xef\xbb\xbfa\x1b[31m\n\xff\x00\x07\n\xe2\x80\xaeb\n')
        out = self.monocle('report', '--annotate=Parser.cs', 'app.mcov')[1]
        self.assertIsNone(re.search('[\x00-\x08\x0b-\x1f\u202e]', out))
        self.assertIn('  a?[31m\n', out)


class Gates(Case):
    def below(self, wanted, *what):
        self.assertIn('lines     9 of 17', self.report(
            '--fail-under=' + wanted, code=3,
            error='monocle: coverage is below what --fail-under wants: %s\n' % ', '.join(what)))

    def test_enough_is_exit_code_0(self):
        for wanted in ['0', '52', '52.9', '52.94', 'line=52', '50,branch=75', 'branch=75,method=60,class=100',
                       'class=100']:
            self.report('--fail-under=' + wanted)

    def test_too_little_is_exit_code_3_and_one_line(self):
        self.below('80', 'lines 52.94% of 80.00%')
        self.below('52.95', 'lines 52.94% of 52.95%')
        self.below('100,branch=75.01,method=60', 'lines 52.94% of 100.00%', 'branches 75.00% of 75.01%')
        self.below('class=100,method=61', 'methods 60.00% of 61.00%')

    def test_other_forms_have_the_same_gate(self):
        for words in [['--tree'], ['--format=json'], ['--format=tsv'], ['--annotate=Parser.cs']]:
            self.assertEqual(self.monocle('report', *words, '--fail-under=80', 'app.mcov')[0], 3, words)

    def test_what_has_no_branches_is_not_below(self):
        file = cover_file.File()
        document = file.document('/a.cs')
        file.method(file.type(file.image('A'), 'A'), 'F ()', [(1, 1)], document=document)
        file.write(self.work / 'a.mcov')
        self.report('--fail-under=100,branch=100', file='a.mcov')

    def test_the_pattern_of_the_page_finds_the_percentage_of_lines(self):
        page = (case.TOP / 'doc' / 'coverage.md').read_text()
        pattern = re.search(r"coverage: '/(.*)/'", page).group(1)
        out = self.monocle('report', 'app.mcov')[1]
        self.assertEqual([found.group(1) for found in map(re.compile(pattern).search, out.splitlines()) if found],
                         ['52.9'])

    def test_a_share_that_is_none_is_refused(self):
        for wanted in ['', 'x', '-1', '101', '100.01', '80%', '80.', '.5', '80.123', '8.055', '1e1', '80,', ',80',
                       'branch', 'branch=', 'wide=80', '80,70', 'line=80,80', '99999999999999999999', '8 0',
                       'lines=80']:
            self.refuse('--fail-under=' + wanted, 'app.mcov', says='--fail-under takes a percentage')


class Options(Case):
    def test_options_of_profiles_are_refused(self):
        for word in ['--slow', '--lines', '--sort=self', '--sort=calls']:
            self.refuse(word, 'app.mcov', says='is for profiles, and app.mcov is coverage')

    def test_options_of_coverage_are_refused_for_profiles(self):
        case.make_profile(self.work / 'p.pb.gz')
        for word in ['--by=class', '--missed', '--fail-under=1', '--source-root=.', '--map=/a=/b', '--sort=path']:
            self.refuse(word, 'p.pb.gz', says='is for coverage files, and p.pb.gz is none')
        self.refuse('--annotate=x', 'p.pb.gz', says='p.pb.gz has no lines', code=1)
        self.refuse('--annotate=x', '--lines', 'p.pb.gz', says='--lines means nothing beside it')
        self.refuse('app.mcov', 'p.pb.gz', says='several files are coverage, but p.pb.gz is none')

    def test_a_file_that_is_not_there_is_told_before_options(self):
        for word in ['--by=class', '--slow', '--annotate=x']:
            self.refuse(word, 'no.mcov', says='no.mcov: No such file', code=1)
        self.refuse('app.mcov', 'no.mcov', says='no.mcov: No such file', code=1)

    def test_options_that_mean_nothing_together_are_refused(self):
        self.refuse('--tree', '--by=file', 'app.mcov', says='--by means nothing beside it')
        for word in ['--tree', '--by=file', '-n5', '--sort=path', '--missed', '--format=tsv']:
            self.refuse('--annotate=Parser.cs', word, 'app.mcov', says='means nothing beside it')

    def test_a_broken_file_is_one_line(self):
        whole = (self.work / 'app.mcov').read_bytes()
        for size in [8, 100, 4096, len(whole) - 8]:
            (self.work / 'cut.mcov').write_bytes(whole[:size])
            self.refuse('cut.mcov', says='cut.mcov', code=1)


if __name__ == '__main__':
    case.main()
