#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What report, flame, diff and convert write, and where: options, files, full disks, closed pipes, terminals.

    test_output.py MONOCLE
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import pprof


class Output(case.Case):
    def setUp(self):
        super().setUp()
        case.make_profile(self.work / 'p.pb.gz')

    def test_a_full_disk_is_one_line_and_exit_code_1(self):
        for words in [['report', 'p.pb.gz'], ['report', '--format=tsv', 'p.pb.gz'], ['--help'], ['--version'],
                      ['flame', 'p.pb.gz', '-o', '-'], ['doctor']]:
            with open('/dev/full', 'w') as full:
                result = subprocess.run([self.program, *words], cwd=self.work, env=self.environment, stdout=full,
                                        stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(result.returncode, 1, words)
            self.assertEqual(result.stderr.decode(),
                             'monocle: cannot write to standard output: No space left on device\n')

    def test_a_closed_pipe_ends_quietly(self):
        for words in [['report'], ['report', '--format=tsv'], ['report', '--tree'], ['flame', '-o', '-'],
                      ['convert', '--to=collapsed', '-o', '-'], ['diff', 'p.pb.gz']]:
            reader, writer = os.pipe()
            os.close(reader)
            result = subprocess.run([self.program, *words, 'p.pb.gz'], cwd=self.work, env=self.environment,
                                    stdout=writer, stderr=subprocess.PIPE, timeout=60)
            os.close(writer)
            self.assertEqual((result.returncode, result.stderr), (128 + signal.SIGPIPE, b''), words)

    def test_a_profile_may_come_through_a_pipe(self):
        data = (self.work / 'p.pb.gz').read_bytes()
        for words, wanted in [(['report', '-'], b'A.Main ()'), (['report', '/dev/stdin'], b'A.Main ()'),
                              (['flame', '-'], b'A.Main ()'), (['convert', '--to=collapsed', '-'], b'A.Main () 5000'),
                              (['diff', '-', 'p.pb.gz'], b'standard input'), (['report', '--mine', '-'], b'A.Main ()')]:
            seen = subprocess.run([self.program, *words], cwd=self.work, env=self.environment, input=data,
                                  capture_output=True, timeout=60)
            self.assertEqual((seen.returncode, seen.stderr), (0, b''), words)
            self.assertIn(wanted, seen.stdout)
        seen = subprocess.run([self.program, 'report', '-'], cwd=self.work, env=self.environment, input=b'',
                              capture_output=True, timeout=60)
        self.assertEqual((seen.returncode, seen.stderr), (1, b'monocle: standard input: the file is empty\n'))
        self.assertEqual(os.listdir(self.work), ['p.pb.gz'])

    def test_an_order_by_what_is_not_there_is_said(self):
        profile = pprof.Writer()
        profile.value('samples', 'count')
        profile.value('cpu', 'nanoseconds')
        profile.sample(['A:Main ()'], [1, 5000])
        pprof.write_gzip(self.work / 's.pb.gz', profile.encode())
        code, out, error = self.monocle('report', '--sort=calls', 's.pb.gz')
        self.assertEqual((code, error),
                         (0, 'monocle: s.pb.gz does not count calls; its rows are in the order of samples\n'))
        self.assertEqual(self.monocle('report', '--sort=calls', 'p.pb.gz')[2], '')
        # The difference of two values says so for programs, too.
        found = json.loads(self.monocle('diff', '--format=json', '--normalize', 's.pb.gz', 'p.pb.gz')[1])
        self.assertEqual((found['before']['value'], found['after']['value']), ('cpu', 'self'))

    def test_a_tree_in_a_pipe_has_no_endless_names(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.sample(['Name.Space.Type:Method (%s)' % ','.join(['Name.Space.Parameter'] * 30)], [1])
        pprof.write_gzip(self.work / 'w.pb.gz', profile.encode())
        out = self.monocle('report', '--tree', 'w.pb.gz')[1].splitlines()[-1]
        self.assertTrue(out.endswith('  Name.Space.Type.Method (\u2026)'), out)

    def test_a_flame_graph_that_cannot_be_written_is_one_line(self):
        code, out, error = self.monocle('flame', 'p.pb.gz', '-o', 'no-folder/x.html')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        self.assertEqual(self.monocle('flame', 'p.pb.gz', '-o', '/dev/full')[0], 1)

    def test_of_a_flame_graph_that_does_not_fit_nothing_is_left(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        code, out, error = self.monocle('flame', 'p.pb.gz', preexec_fn=limit)
        self.assertEqual((code, out), (1, ''))
        self.assertEqual(error, 'monocle: cannot write p.html: File too large\n')
        self.assertEqual(os.listdir(self.work), ['p.pb.gz'])

    def test_a_result_longer_than_files_may_be_is_one_line(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        for words in ['report', 'p.pb.gz'], ['convert', 'p.pb.gz', '--to=collapsed', '-o', '-'], ['--help'], ['list']:
            with open(self.work / 'out', 'w') as out:
                result = subprocess.run([self.program, *words], cwd=self.work, env=self.environment, stdout=out,
                                        stderr=subprocess.PIPE, preexec_fn=limit, timeout=60)
            self.assertEqual(result.returncode, 1, words)
            self.assertEqual(result.stderr.decode(), 'monocle: cannot write to standard output: File too large\n')

    def test_the_flame_graph_is_named_after_the_profile(self):
        self.assertEqual(self.monocle('flame', 'p.pb.gz')[:2], (0, 'p.html\n'))
        self.assertTrue((self.work / 'p.html').read_text().startswith('<!DOCTYPE html>'))

    def test_without_a_name_the_newest_profile_is_meant(self):
        (self.work / 'p.pb.gz').rename(self.work / 'new.pb.gz')
        shutil.copy(self.work / 'new.pb.gz', self.work / 'old.pb.gz')
        os.utime(self.work / 'old.pb.gz', (1, 1))
        self.assertEqual(self.monocle('flame')[:2], (0, 'new.html\n'))
        for words in [['diff', 'old.pb.gz'], ['diff', 'old.pb.gz', 'new.pb.gz']]:
            code, out, error = self.monocle(*words)
            self.assertEqual((code, out.splitlines()[0]), (0, 'before: old.pb.gz, 5.000 us'), error)
        self.assertIn('after: old.pb.gz', re.sub(' +', ' ', self.monocle('diff', 'new.pb.gz')[1]))
        for name in 'old.pb.gz', 'new.pb.gz':
            (self.work / name).unlink()
        for words, wanted in [(['flame'], 'there is no profile (*.pb.gz, *.mlpd or *.spool) in this directory'),
                              (['diff', 'x'], 'there is no other profile')]:
            code, out, error = self.monocle(*words)
            self.assertEqual((code, out), (1, ''))
            self.assertIn(wanted, error)

    def browser(self):
        """A program that writes down what it is given: the file exists when it is complete."""
        path, told = self.work / 'browser', self.work / 'told'
        path.write_text('#!/bin/sh\nfor word; do echo "$word"; done > told.part\nmv told.part told\n')
        path.chmod(0o755)
        return path, told

    def test_a_page_is_opened_in_the_browser(self):
        path, told = self.browser()
        self.environment['WAYLAND_DISPLAY'] = 'x'
        page = str(self.work / 'p.html')
        for value, wanted in [('%s' % path, [page]), ('no-such-browser:%s --new %%s -x' % path, ['--new', page, '-x']),
                              (None, [page])]:
            self.environment['BROWSER'] = value or ''
            if not value:
                path.rename(self.work / 'xdg-open')
                self.environment['PATH'] = '%s:%s' % (self.work, self.environment['PATH'])
            self.assertEqual(self.monocle('flame', '--open', 'p.pb.gz'), (0, 'p.html\n', ''), value)
            end = time.monotonic() + 60
            while not told.exists() and time.monotonic() < end:
                time.sleep(0.01)
            self.assertEqual(told.read_text().splitlines(), wanted)
            told.unlink()

    def test_where_no_browser_can_be_started_the_file_is_named(self):
        page = self.work / 'p.html'
        for name in 'DISPLAY', 'WAYLAND_DISPLAY':
            self.environment.pop(name, None)
        self.assertEqual(self.monocle('flame', '--open', 'p.pb.gz'),
                         (0, 'p.html\n', 'monocle: there is no display for a browser here; open %s in one\n' % page))
        self.environment['BROWSER'] = 'no-such-browser'
        self.assertEqual(self.monocle('flame', '--open', 'p.pb.gz'),
                         (0, 'p.html\n', 'monocle: cannot start no-such-browser: No such file or directory; open %s in '
                          'a browser\n' % page))
        for words in [['-o', '-', 'p.pb.gz'], ['-']]:
            code, out, error = self.monocle('flame', '--open', *words)
            self.assertEqual((code, out), (2, ''))
            self.assertIn('--open is for a file', error)

    def test_what_opens_an_editor_is_an_address(self):
        for editor, wanted in [('vscode', 'vscode://file{file}:{line}'), ('none', ''),
                               ('x-y://a?f={file}', 'x-y://a?f={file}')]:
            page = self.monocle('flame', 'p.pb.gz', '-o', '-', '--editor=' + editor)[1]
            self.assertIn('"editor":"%s"' % wanted, page)
        for editor in ['', 'emacs', 'vscode://file', 'javascript://{file}', 'JavaScript://%0aalert(1)//{file}',
                       '://{file}']:
            code, out, error = self.monocle('flame', 'p.pb.gz', '--editor=' + editor)
            self.assertEqual((code, out, len(error.splitlines())), (2, '', 1), editor)

    def test_a_page_is_not_written_under_the_name_of_something_else(self):
        for words in [['flame', 'p.pb.gz'], ['diff', 'p.pb.gz', 'p.pb.gz']]:
            for name in ['x.svg', 'x.json', 'x.pb.gz'][words[0] == 'flame':]:
                code, out, error = self.monocle(*words, '-o', name)
                self.assertEqual((code, out), (2, ''))
                self.assertIn('OUT.html', error)
        self.assertEqual(os.listdir(self.work), ['p.pb.gz'])

    def test_data_are_not_written_under_the_name_of_something_else(self):
        for words, names, other in [
                (['merge', 'p.pb.gz', 'p.pb.gz'], ['x.html', 'x.svg', 'x.json', 'x.png'], 'monocle flame'),
                (['attach', str(os.getpid())], ['x.png', 'x.pdf'], 'OUT.svg')]:
            for name in names:
                code, out, error = self.monocle(*words, '-o', name)
                self.assertEqual((code, out, len(error.splitlines())), (2, '', 1), error)
                self.assertIn(other, error)
        self.assertEqual(os.listdir(self.work), ['p.pb.gz'])

    def test_what_is_no_plain_file_is_not_written_by_a_name_that_nobody_gave(self):
        (self.work / 'mine').write_text('mine')
        made = self.work / 'p.html'
        for put in [lambda: os.mkfifo(made), lambda: os.link(self.work / 'mine', made),
                    lambda: made.symlink_to('mine'), lambda: made.symlink_to('later')]:
            put()
            process = self.start('flame', 'p.pb.gz')
            self.addCleanup(process.kill)
            out, error = process.communicate(timeout=20)
            self.assertEqual((process.returncode, out, len(error.splitlines())), (1, b'', 1), error)
            self.assertIn(b'name the file to write with -o', error)
            made.unlink()
        self.assertEqual((self.work / 'mine').read_text(), 'mine')
        self.assertFalse((self.work / 'later').exists())
        made.write_text('an older one' * 10000)
        self.assertEqual(self.monocle('flame', 'p.pb.gz')[:2], (0, 'p.html\n'))
        self.assertTrue(made.read_text().endswith('</html>\n'))

    def test_the_newest_profile_is_the_default(self):
        case.make_profile(self.work / 'old.pb.gz')
        os.utime(self.work / 'old.pb.gz', (1, 1))
        self.assertTrue(self.monocle('report')[1].startswith('p.pb.gz'))

    def test_without_any_profile_report_says_so(self):
        (self.work / 'p.pb.gz').unlink()
        code, out, error = self.monocle('report')
        # What earlier runs of this machine have left may be named, too.
        lines = re.sub(r'monocle: (an earlier run has left .*|and \d+ more)\n', '', error).splitlines()
        self.assertEqual((code, out, len(lines)), (1, '', 1))

    def test_what_is_no_profile_is_one_line(self):
        (self.work / 'text').write_text('hello, this is no profile')
        (self.work / 'empty').write_text('')
        (self.work / 'cut.pb.gz').write_bytes((self.work / 'p.pb.gz').read_bytes()[:-9])
        (self.work / 'fake.spool').write_bytes(b'MNCSPOOL' + bytes(100))
        (self.work / 'stacks').write_text('a;b 1\na;c\n')
        (self.work / 'json').write_text('{"shared": {"frames": []}, "profiles": [{}]}')
        for name in ['text', 'empty', 'cut.pb.gz', 'fake.spool', 'stacks', 'json', 'missing', '.']:
            for words in [['report'], ['flame'], ['convert', '--to=collapsed', '-o', '-']]:
                code, out, error = self.monocle(*words, name)
                self.assertEqual((code, out, len(error.splitlines())), (1, '', 1), (name, error))

    def test_a_trace_of_events_is_no_profile_but_can_become_one(self):
        (self.work / 'x.nettrace').write_bytes(b'Nettrace\x14\0\0\0!FastSerialization.1')
        code, out, error = self.monocle('report', 'x.nettrace')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1), error)
        self.assertIn('dotnet-trace convert --format Speedscope', error)

    def test_files_of_other_tools_are_known(self):
        for begin, said in [(b'\x14\0\0\0!FastSerialization.1', 'dotnet-gcdump report'), (b'PERFILE2', 'perf script'),
                            (b'\x7fELF\2\1\1', 'a program, a library or a core dump, and no profile')]:
            (self.work / 'x').write_bytes(begin + bytes(100))
            code, out, error = self.monocle('report', 'x')
            self.assertEqual((code, out, len(error.splitlines())), (1, '', 1), error)
            self.assertIn(said, error)

    def test_a_conversion_has_the_endings_of_its_format(self):
        for name, made in [('collapsed', 'p.collapsed.txt'), ('speedscope', 'p.speedscope.json')]:
            self.assertEqual(self.monocle('convert', 'p.pb.gz', '--to=' + name)[:2], (0, made + '\n'))
            self.assertIn('A.Main ()', self.monocle('report', made)[1])
            self.assertEqual(self.monocle('convert', made, '--to=pprof', '-o', 'q.pb.gz')[0], 0)
            self.assertIn('A.Main ()\t5000\t5000', self.monocle('report', 'q.pb.gz', '--format=tsv')[1])

    def make_threads(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.value('self', 'nanoseconds')
        profile.sample(['A:Main ()'], [1, 2000000], [('thread', 'main')])
        profile.sample(['A:Run ()'], [1, 500000], [('thread', 'worker')])
        profile.sample(['A:Run ()', 'A:Work ()'], [3, 1500000], [('thread', 'worker')])
        pprof.write_gzip(self.work / 't.pb.gz', profile.encode())

    def test_a_flame_graph_has_the_threads_that_match(self):
        self.make_threads()
        for pattern, names, total in [('work*', ['A.Run ()', 'A.Work ()'], 2000000), ('main', ['A.Main ()'], 2000000),
                                      ('*', ['A.Main ()', 'A.Run ()', 'A.Work ()'], 4000000)]:
            code, page, error = self.monocle('flame', 't.pb.gz', '-o', '-', '--thread=' + pattern)
            self.assertEqual((code, error), (0, ''))
            data = json.loads(re.search(r'id="profile">(.*?)</script>', page, re.S).group(1))
            self.assertEqual(data['names'], names)
            self.assertEqual(sum(data['costs'][3::4]), total)
            self.assertEqual(data['comments'], ['threads: ' + pattern])
        self.assertEqual(self.monocle('flame', 't.pb.gz', '--thread=x'),
                         (1, '', "monocle: no thread of t.pb.gz matches 'x'; it has: main, worker\n"))
        code, out, error = self.monocle('flame', 'p.pb.gz', '--thread=*')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        self.assertIn('does not tell threads apart', error)
        self.assertEqual(sorted(os.listdir(self.work)), ['p.pb.gz', 't.pb.gz'])

    def test_tracks_of_other_viewers_are_one_per_thread(self):
        self.make_threads()
        self.assertEqual(self.monocle('convert', 't.pb.gz', '--to=firefox')[:2], (0, 't.firefox.json\n'))
        self.assertEqual(self.monocle('convert', 't.pb.gz', '--to=perfetto')[:2], (0, 't.perfetto.json\n'))
        main, worker = json.loads((self.work / 't.firefox.json').read_text())['threads']
        self.assertEqual([main['name'], worker['name']], ['main', 'worker'])
        self.assertEqual(worker['stringArray'][:2], ['A.Run ()', 'A.Work ()'])
        self.assertEqual(worker['stackTable']['prefix'], [None, 0])
        self.assertEqual(worker['samples'], {'length': 2, 'weightType': 'tracing-ms', 'stack': [0, 1],
                                             'time': [0, 0.5], 'weight': [0.5, 1.5]})
        slices = [(event['tid'], event['name'], event['ts'], event['dur']) for event in
                  json.loads((self.work / 't.perfetto.json').read_text())['traceEvents'] if event['ph'] == 'X']
        self.assertEqual(slices, [(1, 'A.Main ()', 0, 2000), (2, 'A.Run ()', 0, 2000), (2, 'A.Work ()', 0, 1500)])

    def test_a_conversion_takes_the_value_that_is_named(self):
        words = ['convert', 'p.pb.gz', '--to=collapsed', '-o', '-']
        self.assertEqual(self.monocle(*words)[1], 'A.Main () 5000\n')
        self.assertEqual(self.monocle(*words, '--value=calls')[1], 'A.Main () 1\n')
        self.assertEqual(self.monocle(*words, '--value=bytes'),
                         (1, '', "monocle: p.pb.gz has no value 'bytes'; it has: calls, self\n"))
        self.monocle('convert', 'p.pb.gz', '--to=pprof', '--value=calls', '-o', 'one.pb.gz')
        self.assertEqual(self.monocle('report', 'one.pb.gz', '--format=tsv')[1],
                         'method\tcalls\timage\nA:Main ()\t1\t\n')

    def test_a_value_that_is_not_there_is_said_with_those_that_are(self):
        for words in [['diff', '--value=zz', 'p.pb.gz', 'p.pb.gz'],
                      ['convert', '--to=collapsed', '--value=zz', 'p.pb.gz']]:
            self.assertEqual(self.monocle(*words), (1, '', "monocle: p.pb.gz has no value 'zz'; it has: calls, self\n"))

    def test_a_profile_is_not_replaced_by_its_conversion(self):
        before = (self.work / 'p.pb.gz').read_bytes()
        code, out, error = self.monocle('convert', 'p.pb.gz', '--to=pprof')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        self.assertEqual((self.work / 'p.pb.gz').read_bytes(), before)

    def make_stacks(self):
        (self.work / 'a.txt').write_text('main;work;parse 500\nmain;work;lex 300\nmain;old 100\nmain 100\n')
        (self.work / 'b.txt').write_text('main;work;parse 900\nmain;work;lex 200\nmain;new 50\nmain 100\n')

    def test_a_difference_has_the_largest_change_first(self):
        self.make_stacks()
        self.assertEqual(self.monocle('diff', 'a.txt', 'b.txt')[:2], (0, '''\
before: a.txt, 1,000
after:  b.txt, 1,250

before  after  change  points  method
   500    900    +400  +22.00  parse
   300    200    -100  -14.00  lex
   100      0    -100  -10.00  old
     0     50     +50   +4.00  new
(2 methods did not change)
'''))
        self.assertIn('(3 more methods changed, -150)', self.monocle('diff', 'a.txt', 'b.txt', '-n', '1')[1])
        total = self.monocle('diff', 'a.txt', 'b.txt', '--sort=total')[1].splitlines()
        self.assertEqual([line.split()[-1] for line in total[4:7]], ['parse', 'work', 'main'])

    def test_a_difference_of_shares_scales_the_first(self):
        self.make_stacks()
        self.assertEqual(self.monocle('diff', 'a.txt', 'b.txt', '--tree', '--normalize')[1], '''\
before: a.txt, 1,250 (scaled to the whole after)
after:  b.txt, 1,250

before  after  change  points  path, with everything it called
 1,250  1,250       0   +0.00  main
     0     50     +50   +4.00    new
   125      0    -125  -10.00    old
 1,000  1,100    +100   +8.00    work
   375    200    -175  -14.00      lex
   625    900    +275  +22.00      parse
''')
        (self.work / 'half.txt').write_text('main;work;parse 250\nmain;work;lex 150\nmain;old 50\nmain 50\n')
        rows = self.monocle('diff', 'half.txt', 'a.txt', '--normalize')[1].splitlines()
        self.assertEqual(rows[4:], ['(5 methods did not change)'])

    def test_a_difference_for_programs_has_all_rows(self):
        self.make_stacks()
        rows = [line.split('\t') for line in self.monocle('diff', 'a.txt', 'b.txt', '--format=tsv')[1].splitlines()]
        self.assertEqual(rows[0], ['method', 'self_before', 'self_after', 'self_change', 'self_points', 'total_before',
                                   'total_after', 'total_change', 'total_points'])
        self.assertEqual(rows[1], ['parse', '500', '900', '400', '22.000', '500', '900', '400', '22.000'])
        self.assertEqual(len(rows), 7)
        data = json.loads(self.monocle('diff', 'a.txt', 'b.txt', '--format=json', '--tree')[1])
        self.assertEqual((data['before'], data['after']),
                         ({'profile': 'a.txt', 'value': 'samples', 'sum': 1000},
                          {'profile': 'b.txt', 'value': 'samples', 'sum': 1250}))
        self.assertEqual([(row['depth'], row['method'], row['total_change']) for row in data['paths']],
                         [(1, 'main', 250), (2, 'new', 50), (2, 'old', -100), (2, 'work', 300), (3, 'lex', -100),
                          (3, 'parse', 400)])
        times = self.monocle('diff', 'p.pb.gz', 'p.pb.gz', '--format=tsv')[1]
        self.assertIn('self_change_ns\tself_points\ttotal_before_ns', times)

    def test_of_two_different_values_only_shares_are_compared(self):
        profile = pprof.Writer()
        profile.value('samples', 'count')
        profile.value('cpu', 'nanoseconds')
        profile.sample(['A:Main ()'], [1, 7000])
        pprof.write_gzip(self.work / 's.pb.gz', profile.encode())
        code, out, error = self.monocle('diff', 'p.pb.gz', 's.pb.gz')
        self.assertEqual((code, out), (1, ''))
        self.assertEqual(error, 'monocle: p.pb.gz measured self, and s.pb.gz cpu: only their shares can be compared, '
                                'by --normalize, or a value that both have, by --value=NAME\n')
        code, out, error = self.monocle('diff', 'p.pb.gz', 's.pb.gz', '--normalize')
        self.assertEqual(code, 0)
        self.assertEqual(error, 'monocle: p.pb.gz is compared by self, s.pb.gz by cpu\n')
        self.assertIn('1 method did not change', out)
        self.assertEqual(self.monocle('diff', 's.pb.gz', 's.pb.gz')[2], '')

    def test_a_text_log_is_called_so(self):
        for head in ['# events:only=gc on 10.0.1\n# time thread event\n', '# exceptions:log\n# time thread what\n']:
            (self.work / 'x.log').write_text(head + '     0.006702     922 gc_resize new_size=12\n')
            for words in [['report'], ['flame'], ['convert', '--to=pprof'], ['diff', 'p.pb.gz']]:
                code, out, error = self.monocle(*words, 'x.log')
                self.assertEqual((code, out), (1, ''))
                self.assertEqual(error, 'monocle: x.log is a text log, not a profile: it has a line per event; read it '
                                        'with a pager or grep\n')

    def test_what_cannot_be_compared_is_one_line(self):
        self.make_stacks()
        for words in [['p.pb.gz', 'a.txt'], ['a.txt', 'missing'], ['missing', 'a.txt'],
                      ['a.txt', 'b.txt', '--value=self'], ['a.txt', 'b.txt', '-o', 'no-folder/x.html']]:
            code, out, error = self.monocle('diff', *words)
            self.assertEqual((code, out, len(error.splitlines())), (1, '', 1), (words, error))

    def test_names_are_shortened_on_a_terminal_only(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.sample(['Begin' + 'x' * 300 + 'End'], [1])
        pprof.write_gzip(self.work / 'long.pb.gz', profile.encode())
        self.assertIn('Begin' + 'x' * 300 + 'End', self.monocle('report', 'long.pb.gz')[1])
        for extra, bold in [({}, True), ({'NO_COLOR': '1'}, False), ({'TERM': 'dumb'}, False)]:
            text = self.see_on_terminal('report', 'long.pb.gz', **({'COLUMNS': '80', 'TERM': 'xterm'} | extra))
            last = text.splitlines()[-1]
            self.assertEqual(len(last), 80)
            self.assertIn('x…x', last)
            self.assertTrue(last.endswith('End'))
            self.assertEqual('\x1b[' in text, bold)


if __name__ == '__main__':
    case.main()
