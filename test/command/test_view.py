#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What of a profile is shown, by the options that report, flame, diff and convert share."""
import json
import os

import case
import cover_file
import pprof

FRAMEWORK = '@/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll'
OWN = '@/srv/shop.dll'
POOL = 'System.Threading.ThreadPoolWorkQueue:Dispatch ()' + FRAMEWORK
START = 'System.Runtime.CompilerServices.AsyncMethodBuilderCore:Start<T_REF> (T_REF&)' + FRAMEWORK


def write(path, value, *samples, program='shop', packages=()):
    """samples: (frames, amount, thread)"""
    profile = pprof.Writer()
    profile.value('samples', 'count')
    profile.value(value, 'nanoseconds')
    profile.line('comment program: %s, pid 42, on here' % program)
    for package in packages:
        profile.line('comment package: ' + package)
    for frames, amount, thread in samples:
        profile.sample(frames, [1, amount], [('thread', thread)])
    pprof.write_gzip(path, profile.encode())


class View(case.Case):
    def setUp(self):
        super().setUp()
        write(self.work / 'p.pb.gz', 'cpu',
              ([POOL, 'Shop.Orders/<Load>d__3:MoveNext ()' + OWN], 300, 'worker'),
              (['Shop.Orders:Load (int)' + OWN, START, 'Shop.Orders/<Load>d__3:MoveNext ()' + OWN], 200, 'main'),
              (['Shop.Orders:Find (string)' + OWN, 'System.String:IndexOf (string)' + FRAMEWORK], 500, 'main'))

    def rows(self, *words):
        """[(what is shown, total)] of a table or a tree."""
        code, out, error = self.monocle('report', '--format=json', *words, 'p.pb.gz')
        self.assertEqual((code, error), (0, ''))
        report = json.loads(out)
        rows = report.get('methods') or report.get('paths')
        return [('  ' * (row.get('depth', 1) - 1) + row['method'], row['total_cpu_ns']) for row in rows]

    def test_own_code_comes_first_and_sums_stay(self):
        self.assertEqual(self.rows('--fold', '--names=csharp', '--tree'), [
            ('Shop.Orders.Find (string)', 500), ('  System.String.IndexOf (string)', 500),
            ('[framework]', 300), ('  Shop.Orders.Load (async)', 300),
            ('Shop.Orders.Load (int)', 200), ('  Shop.Orders.Load (async)', 200)])

    def test_of_a_process_with_tests_the_framework_is_one_row(self):
        runner = 'Xunit.Sdk.TestRunner:Run ()@/app/xunit.execution.dotnet.dll'
        write(self.work / 'p.pb.gz', 'cpu', ([POOL, runner, 'Tests:Adds ()' + OWN], 300, 'a'),
              ([POOL, runner, 'System.String:IndexOf (string)' + FRAMEWORK], 70, 'a'), ([POOL, '[JIT]'], 5, 'a'),
              program='testhost', packages=['xunit.execution.dotnet.dll'])
        self.assertEqual(self.rows('--fold', '--names=csharp', '--tree'), [
            ('[test framework]', 375), ('  Tests.Adds ()', 300), ('  [JIT]', 5)])
        self.assertIn(('System.String:IndexOf (string)', 70), self.rows('--all-frames'))
        # Of a profile of several processes, too.
        self.monocle('merge', '-o', 'm.pb.gz', 'p.pb.gz', 'p.pb.gz')
        os.rename(self.work / 'm.pb.gz', self.work / 'p.pb.gz')
        self.assertEqual(self.rows('--fold', '--names=csharp')[0], ('Tests.Adds ()', 600))
        self.assertIn(('[test framework]', 750), self.rows('--fold', '--names=csharp'))

    def test_packages_beside_the_program_are_not_its_own_code(self):
        json = 'Newtonsoft.Json.Reader:Read ()@/srv/Newtonsoft.Json.dll'
        stack = [json, 'Shop.Orders:Read ()' + OWN, json.replace('Read ()', 'Parse ()')]
        for packages, rows in [([], 3), (['Newtonsoft.Json.dll'], 1)]:
            write(self.work / 'p.pb.gz', 'cpu', (stack, 300, 'a'), packages=packages)
            # Through a file that another reader made of it, too.
            self.monocle('convert', '--to=pprof', '-o', 'q.pb.gz', 'p.pb.gz')
            os.rename(self.work / 'q.pb.gz', self.work / 'p.pb.gz')
            self.assertEqual(len(self.rows('--mine')), rows)
            self.assertNotIn('package:', self.monocle('report', 'p.pb.gz')[1])

    def test_comments_are_in_the_words_of_people(self):
        profile = pprof.Writer()
        profile.value('samples', 'count')
        profile.line('comment runtime: 10.0.12 (CoreCLR)')
        profile.line('comment end: the process died; this was completed from its spool')
        profile.sample(['P:Main ()'], [1])
        pprof.write_gzip(self.work / 'p.pb.gz', profile.encode())
        shown = self.monocle('report', 'p.pb.gz')[1]
        self.assertIn('\n# runtime: .NET 10.0.12\n', shown)
        self.assertIn('\n# end: the process was killed, or died; this is complete up to that moment\n', shown)
        self.assertIn('# runtime: 10.0.12 (CoreCLR)\n', self.monocle('report', '--names=mono', 'p.pb.gz')[1])

    def write_waits(self, name='w.pb.gz', value='wall'):
        """Threads of elapsed time: (frames, amount, what the thread did; None: it was not seen to wait)."""
        semaphore = 'System.Threading.LowLevelLifoSemaphore:Wait (int,bool)' + FRAMEWORK
        receive = 'System.Net.Sockets.SocketAsyncContext:ReceiveSync ()' + FRAMEWORK
        profile = pprof.Writer()
        profile.value('samples', 'count')
        profile.value(value, 'nanoseconds')
        profile.line('comment program: shop, pid 42, on here')
        for frames, amount, state in [(['Shop:Main ()' + OWN, POOL], 100, None),
                                      (['Shop:Main ()' + OWN, receive], 50, 'waiting for I/O'),
                                      ([POOL, semaphore], 8000, 'waiting for work'),
                                      ([POOL, semaphore], 20, None),
                                      (['System.Threading.TimerQueue:TimerThread ()' + FRAMEWORK], 4000,
                                       'waiting for a timer'),
                                      (['[finalizer]'], 3000, 'waiting'),
                                      ([POOL, 'System.Threading.Monitor:Enter (object)' + FRAMEWORK], 30,
                                       'waiting for a lock')]:
            profile.sample(frames, [1, amount], [('thread', 'worker')] + ([('state', state)] if state else []))
        pprof.write_gzip(self.work / name, profile.encode())

    def test_threads_that_have_nothing_to_do_are_left_out(self):
        self.write_waits()
        told = '\n# idle: 15.00 us of threads that waited for work, a timer or I/O is left out; --idle shows it\n'
        shown = self.monocle('report', 'w.pb.gz')[1]
        self.assertIn(told, shown)
        self.assertIn(' 200 ns wall\n', shown)
        self.assertNotIn('TimerThread', shown)
        self.assertIn('Shop.Main ()', shown)
        self.assertIn('Monitor.Enter', shown)
        shown = self.monocle('report', '--idle', 'w.pb.gz')[1]
        self.assertNotIn('# idle', shown)
        self.assertIn(' 15.20 us wall\n', shown)
        # Programs get what is in the file, and so do other files.
        self.assertIn('\t4000\t', self.monocle('report', '--format=tsv', 'w.pb.gz')[1])
        self.assertIn('TimerThread () 4000\n', self.monocle('convert', '--to=collapsed', '-o-', 'w.pb.gz')[1])
        shown = self.monocle('diff', 'w.pb.gz', 'w.pb.gz')[1]
        for side in 'before', 'after':
            self.assertIn(told.replace('idle:', 'idle %s:' % side).strip(), shown)
        self.assertNotIn('# idle', self.monocle('diff', '--idle', 'w.pb.gz', 'w.pb.gz')[1])
        self.monocle('flame', '-o', 'w.svg', 'w.pb.gz')
        self.assertNotIn('TimerThread', (self.work / 'w.svg').read_text())
        code, _, error = self.monocle('convert', '--idle', '--to=collapsed', '-o-', 'w.pb.gz')
        self.assertEqual(code, 2, error)

    def test_where_nobody_does_anything_all_is_shown(self):
        self.write_waits()
        words = ['report', '--thread=worker', 'w.pb.gz']
        self.assertIn('# idle', self.monocle(*words)[1])
        profile = pprof.Writer()
        profile.value('wall', 'nanoseconds')
        profile.sample(['[finalizer]'], [7], [('thread', 'worker'), ('state', 'waiting')])
        pprof.write_gzip(self.work / 'w.pb.gz', profile.encode())
        shown = self.monocle(*words)[1]
        self.assertNotIn('# idle', shown)
        self.assertIn('[finalizer]', shown)
        self.write_waits(value='cpu')
        self.assertNotIn('# idle', self.monocle(*words)[1])

    def test_rows_for_programs_are_what_the_profile_has(self):
        names = [name for name, _ in self.rows()]
        self.assertIn(POOL.split('@')[0], names)
        self.assertIn('Shop.Orders/<Load>d__3:MoveNext ()', names)

    def test_own_methods_have_a_table_where_others_cost_most(self):
        heading = 'your own code, by what it cost with what it called'
        lines = self.monocle('report', 'p.pb.gz')[1].splitlines()
        at = next((i for i, line in enumerate(lines) if line.endswith(heading)), None)
        self.assertIsNone(at)  # 500 of 1000 are own methods' themselves
        write(self.work / 'p.pb.gz', 'cpu', (['Shop.Orders:Find (string)' + OWN, POOL], 700, 'a'),
              (['Shop.Orders:Load (int)' + OWN], 200, 'a'), ([POOL], 100, 'a'))
        lines = self.monocle('report', 'p.pb.gz')[1].splitlines()
        at = next(i for i, line in enumerate(lines) if line.endswith(heading))
        own = [line.split('%')[-1].strip() for line in lines[at + 1:lines.index('', at)]]
        self.assertEqual(own, ['Shop.Orders.Find (string)', 'Shop.Orders.Load (int)'])
        self.assertIn('method', lines[lines.index('', at) + 1])
        place = OWN + '#/src/Orders.cs:12'
        write(self.work / 'lines.pb.gz', 'cpu', (['Shop.Orders:Find (string)' + place, POOL], 700, 'a'))
        lines = self.monocle('report', '--lines', '-n1', 'lines.pb.gz')[1].splitlines()
        at = next(i for i, line in enumerate(lines) if line.endswith(heading))
        self.assertTrue(lines[at + 1].endswith('%  Orders.cs:12  Shop.Orders.Find (string)'), lines)
        for words in (['--sort=self'], ['--mine'], ['--tree'], ['--format=tsv']):
            self.assertNotIn(heading, self.monocle('report', *words, 'p.pb.gz')[1])

    def test_calls_of_what_is_hidden_are_no_calls_of_its_caller(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.value('self', 'nanoseconds')
        main = 'Shop:Main ()' + OWN
        for frames, calls, cost in [([main], 1, 10), ([main, 'Shop:Sum ()' + OWN], 7, 20),
                                    ([main, 'System.String:IndexOf (string)' + FRAMEWORK], 900, 500),
                                    ([POOL], 33, 4)]:
            profile.sample(frames, [calls, cost])
        pprof.write_gzip(self.work / 'c.pb.gz', profile.encode())
        for words, rows in [(['--mine'], [('Shop.Main ()', 1, 510), ('Shop.Sum ()', 7, 20), ('[framework]', 33, 4)]),
                            (['--hide=IndexOf|Dispatch'],
                             [('Shop.Main ()', 1, 510), ('Shop.Sum ()', 7, 20), ('[hidden]', 33, 4)])]:
            report = json.loads(self.monocle('report', '--format=json', '--names=csharp', *words, 'c.pb.gz')[1])
            self.assertEqual([(row['method'], row['calls'], row['self_ns']) for row in report['methods']], rows)

    def test_only_mine_has_the_cost_of_what_it_called(self):
        self.assertEqual(dict(self.rows('--mine', '--names=csharp')), {
            'Shop.Orders.Find (string)': 500, 'Shop.Orders.Load (async)': 500, 'Shop.Orders.Load (int)': 200})

    def test_only_mine_of_a_snapshot_has_no_costs(self):
        comment = "# mine: only the program's own code is shown"
        profile = pprof.Writer()
        profile.value('threads', 'count')
        profile.sample(['Shop.Orders:Find (string)' + OWN, POOL], [1], [('thread', 'a')])
        pprof.write_gzip(self.work / 's.pb.gz', profile.encode())
        self.assertIn(comment + '\n', self.monocle('report', '--mine', 's.pb.gz')[1])
        self.assertIn(comment + ', with the cost of what it called\n', self.monocle('report', '--mine', 'p.pb.gz')[1])

    def test_frames_choose_stacks(self):
        self.assertEqual(dict(self.rows('--focus=IndexOf')), {
            'Shop.Orders:Find (string)': 500, 'System.String:IndexOf (string)': 500})
        self.assertNotIn('Shop.Orders:Find (string)', dict(self.rows('--ignore=IndexOf')))
        hidden = dict(self.rows('--hide=IndexOf', '--hide=Dispatch'))
        self.assertEqual(hidden['Shop.Orders:Find (string)'], 500)
        self.assertEqual(sum(amount for name, amount in self.rows('--hide=.')), 1000)

    def test_either_spelling_is_matched(self):
        for pattern in [r'Orders\.Load \(async\)', r'<Load>d__3:MoveNext']:
            self.assertEqual(dict(self.rows('--names=csharp', '--focus=' + pattern))['Shop.Orders.Load (async)'], 500)

    def test_threads_and_processes_are_chosen(self):
        self.assertEqual(sum(amount for name, amount in self.rows('--thread=w*', '--mine')), 300)
        self.assertEqual(len(self.rows('--process=sh*')), len(self.rows('--process=42')))
        code, out, error = self.monocle('report', '--process=other', 'p.pb.gz')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        code, out, error = self.monocle('report', '--thread=x', 'p.pb.gz')
        self.assertEqual((code, out), (1, ''))
        self.assertEqual(error, "monocle: no thread of p.pb.gz matches 'x'; it has: main, worker\n")

    def test_what_leaves_nothing_is_said(self):
        for words in [['report'], ['flame', '-o', '-'], ['convert', '--to=collapsed', '-o', '-']]:
            code, out, error = self.monocle(*words, '--focus=nowhere', 'p.pb.gz')
            self.assertEqual((code, out), (1, ''))
            self.assertEqual(error, 'monocle: nothing of p.pb.gz is left: no stack is as the options ask\n')

    def test_a_wrong_expression_is_said(self):
        for option in ['focus', 'ignore', 'hide']:
            code, out, error = self.monocle('report', '--%s=(' % option, 'p.pb.gz')
            self.assertEqual((code, out), (2, ''))
            self.assertIn("--%s takes a regular expression, at most 64 times, not '('" % option, error)

    def test_profiles_of_other_modules_meet(self):
        write(self.work / 'q.pb.gz', 'cpu', (['Shop.Orders:Load (async)' + OWN], 500, 'main'))
        code, out, error = self.monocle('diff', '--tree', '--mine', 'p.pb.gz', 'q.pb.gz')
        self.assertEqual((code, error), (0, ''))
        self.assertEqual(self.monocle('diff', '--mine', '--ignore=Find', 'p.pb.gz', 'q.pb.gz')[1].splitlines()[-1],
                         '(2 methods did not change)')

    def test_a_profile_is_converted_as_it_is(self):
        self.assertEqual(self.monocle('convert', '--to=pprof', '-o', 'q.pb.gz', 'p.pb.gz')[0], 0)
        words = ['report', '--tree', '--all-frames']
        self.assertEqual(self.monocle(*words, 'q.pb.gz')[1].replace('q.pb', 'p.pb'), self.monocle(*words, 'p.pb.gz')[1])
        # Images are kept, by whose paths own code is known.
        self.assertEqual(self.monocle('report', '--mine', 'q.pb.gz')[1].replace('q.pb', 'p.pb'),
                         self.monocle('report', '--mine', 'p.pb.gz')[1])

    def test_coverage_has_no_stacks(self):
        file = cover_file.File()
        file.method(file.type(file.image('App', '/app/App.dll'), 'N.P'), 'Main ()', [], [])
        file.write(self.work / 'a.mcov')
        for words in [['report', '--mine', 'a.mcov'], ['diff', '--mine', 'a.mcov', 'a.mcov'],
                      ['convert', '--to=lcov', '--mine', 'a.mcov']]:
            code, out, error = self.monocle(*words)
            self.assertEqual((code, out, '--mine' in error), (2, '', True), error)

    def test_a_narrow_terminal_shows_the_methods(self):
        name = 'System.Text.RegularExpressions.RegexInterpreter:TryMatchAtCurrentPosition (System.ReadOnlySpan`1<char>)'
        write(self.work / 'w.pb.gz', 'cpu', ([name + FRAMEWORK], 100, 'main'))
        out = self.see_on_terminal('report', 'w.pb.gz', COLUMNS='80')
        self.assertIn('  RegexInterpreter.TryMatchAtCurrentPosition\r\n', out)
        self.assertNotIn('self samples', out)


if __name__ == '__main__':
    case.main()
