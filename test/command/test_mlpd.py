#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of Mono's log profiler: what is read of each format, what is chosen, written and refused. Needs no runtime.

    test_mlpd.py MONOCLE
"""
import gzip
import json
import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import mlpd
import pprof

FORMATS = range(mlpd.FIRST, mlpd.LAST + 1)
UNKNOWN = '[type not recorded]'


class Mlpd(case.Case):
    def write(self, data, name='x.mlpd'):
        (self.work / name).write_bytes(data.encode() if isinstance(data, mlpd.File) else data)
        return name

    def rows(self, *words):
        """{name: its amounts} of a report, and what was said on stderr."""
        code, out, error = self.monocle('report', '--format=tsv', *words)
        self.assertEqual(code, 0, error)
        lines = [line.split('\t') for line in out.splitlines()]
        count = lines[0].index('image') if 'image' in lines[0] else len(lines[0])
        self.columns = lines[0][1:count]
        return {line[0]: tuple(map(int, line[1:count])) for line in lines[1:]}, error

    def topic(self, name, *words, path='x.mlpd'):
        return self.rows('--topic=' + name, *words, path)[0]

    def tree(self, name, *words, path='x.mlpd'):
        """{path from the outside: amounts}"""
        code, out, error = self.monocle('report', '--format=tsv', '--tree', '--topic=' + name, *words, path)
        self.assertEqual(code, 0, error)
        found, stack = {}, []
        head = out.splitlines()[0].split('\t')
        for line in out.splitlines()[1:]:
            cells = line.split('\t')
            stack[int(cells[head.index('depth')]) - 1:] = [cells[0]]
            found[';'.join(stack)] = tuple(map(int, cells[1:head.index('depth')]))
        return found

    def refused(self, data, why, *words):
        name = self.write(data)
        code, out, error = self.monocle('report', *words, name)
        self.assertEqual((code, out), (1, ''), error)
        self.assertRegex(error, r'^monocle: x.mlpd:? [^\n]*\n$')
        self.assertIn(why, error)


class Reading(Mlpd):
    def each_format(self):
        for version in FORMATS:
            with self.subTest(format=version):
                self.write(mlpd.everything(version))
                yield version

    def test_calls_are_a_tree_with_times(self):
        for version in self.each_format():
            rows = self.topic('calls')
            self.assertEqual(self.columns, ['calls', 'self_ns', 'total_ns'])
            # The second call of Work is left open by an unmatched end, and Main ends 29000 ns after it began.
            self.assertEqual(rows['P:Deep ()'], (1, 20, 20))
            self.assertEqual(rows['P:Work (int)'], (2, 10 + 30, 30 + 30))
            self.assertEqual(rows['P:Main ()'], (1, 29000 - 60, 29000))
            self.assertEqual(self.tree('calls')['P:Main ();P:Work (int);P:Deep ()'], (1, 20, 20))

    def test_allocations_are_by_type_and_stack(self):
        for version in self.each_format():
            rows = self.topic('alloc')
            self.assertEqual(self.columns, ['self_alloc_objects', 'total_alloc_objects', 'self_alloc_space_bytes',
                                            'total_alloc_space_bytes'])
            self.assertEqual(rows['Thing'], (2, 2, 80, 80))
            self.assertEqual(rows['Lock'], (1, 1, 24, 24))
            tree = self.tree('alloc')
            self.assertEqual(tree['P:Main ();P:Deep ();Thing'][0], 1)
            self.assertEqual(tree['P:Main ();P:Work (int);Thing'][0], 1)  # of the open calls

    def test_samples_have_native_leaves(self):
        for version in self.each_format():
            tree = self.tree('samples')
            self.assertEqual(tree['P:Main ();P:Work (int);P:Deep ()'], (2, 2))
            self.assertEqual(tree['P:Main ();P:Work (int)'], (1, 4))  # was not on the stack that was walked
            self.assertEqual(tree['P:Main ();P:Work (int);memcpy'], (1, 1))
            self.assertEqual(tree['[unknown]'], (1, 1))
            self.assertEqual(tree.get('libold.so'), (1, 1) if version < 16 else None)

    def test_code_of_several_methods_has_the_name_that_mprof_report_takes(self):
        """By the place of the method in its table: ((method >> 2) & 0xffff) % 9371, and there the youngest."""
        same_place = 9371 * 4
        for methods, name in [((0x8000, 0x9000), 'first'), ((0x9000, 0x8000), 'second'),
                              ((0x8000, 0x8000 + same_place), 'second'), ((0x8000 + same_place, 0x8000), 'second'),
                              ((0x8000 + same_place - 4, 0x8000), 'first'), ((0x9000, 0x8000, 0x8004), 'second')]:
            file = mlpd.File()
            buffer = file.buffer()
            for method, title in zip(methods, ('first', 'second', 'third')):
                buffer.method_name(method, 'P:%s ()' % title, 0x41000000, 100, passed=1)
            buffer.hit(0x7f0000001000, 0x41000010, [], passed=1)
            self.write(file)
            self.assertEqual((methods, list(self.topic('samples'))), (methods, ['P:%s ()' % name]))
            self.assertMprofAgrees(name)

    def assertMprofAgrees(self, name):
        """Where it is installed."""
        if shutil.which('mprof-report'):
            said = subprocess.run(['mprof-report', '--verbose', 'x.mlpd'], cwd=self.work, stdout=subprocess.PIPE,
                                  timeout=60).stdout.decode()
            self.assertRegex(said, r'\n\t +1 +100\.00 P:%s \(\)\n' % name)

    def test_code_that_is_shorter_than_another_ends_there(self):
        file = mlpd.File()
        buffer = file.buffer()
        buffer.method_name(0x9000, 'P:long ()', 0x41000000, 100, passed=1)
        buffer.method_name(0x8000, 'P:short ()', 0x41000000, 10, passed=1)
        for offset in 5, 50, 100:
            buffer.hit(0x7f0000001000, 0x41000000 + offset, [], passed=1)
        self.write(file)
        self.assertEqual(sorted(self.topic('samples')), ['P:long ()', 'P:short ()', '[unknown]'])

    def test_exceptions_have_the_type_that_was_allocated(self):
        for version in self.each_format():
            tree = self.tree('exceptions')
            self.assertEqual(tree['P:Main ();P:Deep ();Oops'], (0, 0, 1, 1))
            self.assertEqual(tree['P:Main ();P:Work (int);Oops'], (0, 0, 1, 1))
            self.assertEqual(tree['Oops'], (0, 0, 1, 1))  # after it was moved
            self.assertEqual(tree['P:Main ();catch clause'], (1, 1, 0, 0))
            self.assertEqual(tree['P:Work (int);finally clause'], (1, 1, 0, 0))

    def test_locks_are_by_object_and_have_a_type(self):
        for version in self.each_format():
            # What the lock is was told by another thread, later in the file.
            self.assertEqual(self.tree('monitor')['P:Main ();P:Work (int);Lock;lock 0x10000'], (2, 2, 42, 42))
            code, out, error = self.monocle('report', '--topic=monitor', 'x.mlpd')
            self.assertIn('# monitor: acquired 1 times after waiting, given up 1 times\n', out)

    def test_collections_are_listed(self):
        for version in self.each_format():
            tree = self.tree('gc')
            self.assertEqual(tree['generation 0;collection 1 (at 0.000 s)'], (1, 1, 500, 500))
            self.assertEqual(tree['generation 1;collection 2 (at 0.000 s)'], (1, 1, 1500, 1500))
            code, out, error = self.monocle('report', '--topic=gc', 'x.mlpd')
            self.assertIn('# gc: heap resized 1 times, to 1048576 bytes at most; 2 objects moved\n', out)
            self.assertNotIn('monitor:', out)

    def test_handles_are_counted(self):
        for version in self.each_format():
            rows = self.topic('handles')
            self.assertEqual(rows['normal handle'], (1, 1, 2, 2))

    def test_the_last_heap_shot_is_shown_unless_another_is_asked_for(self):
        for version in self.each_format():
            last, first = self.topic('heapshot'), self.topic('heapshot', '--shot=1')
            self.assertEqual(last['Thing'], (2, 2, 88, 88))
            self.assertEqual(first['Thing'], (1, 1, 40, 40))
            self.assertEqual(first['Lock'], (1, 1, 24, 24))
            self.assertEqual(self.rows('--shot=1', 'x.mlpd')[0], first)
            self.assertIn('# runtime: Mono, or .NET with Monocle (', self.monocle('report', 'x.mlpd')[1])
            self.assertIn('# program: p, pid ', self.monocle('report', 'x.mlpd')[1])
            code, out, error = self.monocle('report', '--shot=3', 'x.mlpd')
            self.assertEqual((code, out, error), (1, '', 'monocle: x.mlpd has no heap shot 3; the last one is 2\n'))

    def test_a_packed_file_is_the_same(self):
        self.write(mlpd.everything())
        plain = self.topic('calls')
        self.write(gzip.compress(mlpd.everything().encode()), 'y.mlpd')
        self.assertEqual(self.topic('calls', path='y.mlpd'), plain)

    def test_a_report_is_of_one_topic_and_names_the_others(self):
        self.write(mlpd.everything())
        code, out, error = self.monocle('report', 'x.mlpd')
        self.assertEqual((code, error), (0, ''))
        line = next(line for line in out.splitlines() if line.startswith('# also in it: '))
        self.assertIn('alloc (248 B alloc_space)', line)
        self.assertNotIn('exceptions (', line)  # that is shown: it has most paths
        self.assertIn('exception, and the nearest methods', out)
        data = json.loads(self.monocle('report', '--format=json', '--topic=gc', 'x.mlpd')[1])
        self.assertEqual([v['type'] for v in data['values']], ['collections', 'gc_time'])
        self.assertEqual([v['sum'] for v in data['values']], [2, 2000])

    def test_a_topic_that_is_not_there_is_said(self):
        file = mlpd.File()
        file.buffer().alloc(mlpd.THING, 0x10000, 24)
        self.refused(file, 'has nothing about calls; it has: alloc (24 B alloc_space)', '--topic=calls')
        self.refused(file, 'has nothing about heapshot; it has: alloc', '--shot=1')
        self.assertEqual(self.monocle('report', '--topic=alloc', '--shot=1', 'x.mlpd')[2],
                         'monocle: --shot is for --topic=heapshot\n')

    def test_topics_survive_pprof(self):
        self.write(mlpd.everything())
        self.assertEqual(self.monocle('convert', '--to=pprof', 'x.mlpd', '-o', 'x.pb.gz')[0], 0)
        for name in ('calls', 'samples', 'alloc', 'exceptions', 'monitor', 'gc', 'handles', 'heapshot'):
            self.assertEqual(self.topic(name, path='x.pb.gz'), self.topic(name))
        self.assertEqual(self.monocle('convert', '--topic=gc', '--to=pprof', 'x.mlpd', '-o', 'gc.pb.gz')[0], 0)
        self.assertEqual(set(self.rows('gc.pb.gz')[0]), set(self.topic('gc')))

    def test_threads_have_their_names(self):
        self.write(mlpd.everything())
        code, out, error = self.monocle('flame', '--topic=calls', '--thread=Main', 'x.mlpd', '-o', 'x.html')
        self.assertEqual((code, error), (0, 'monocle: wrote x.html\n' if error else ''))
        code, out, error = self.monocle('flame', '--thread=nobody', 'x.mlpd', '-o', 'x.html')
        self.assertEqual(code, 1)
        self.assertIn('it has: 0x7f0000002000, Main', error)

    def test_two_files_are_compared_by_one_topic(self):
        self.write(mlpd.everything())
        code, out, error = self.monocle('diff', '--topic=heapshot', '--format=tsv', 'x.mlpd', 'x.mlpd')
        self.assertEqual((code, error), (0, ''))
        rows = [line.split('\t') for line in out.splitlines()]
        self.assertEqual(rows[0][1], 'self_before_bytes')
        self.assertIn(['Thing', '88', '88', '0'], [row[:4] for row in rows])

    def test_a_pprof_profile_with_several_values_per_sample_stays_whole(self):
        profile = pprof.Writer()
        for name in ('alloc_objects', 'inuse_objects'):
            profile.value(name, 'count')
        profile.sample(['main'], [3, 2])
        pprof.write_gzip(self.work / 'heap.pb.gz', profile.encode())
        self.assertEqual(self.rows('heap.pb.gz')[0], {'main': (3, 3, 2, 2)})
        self.assertEqual(self.topic('alloc', path='heap.pb.gz'), {'main': (3, 3)})


class Damaged(Mlpd):
    def test_headers(self):
        file = mlpd.everything()
        whole = file.encode()
        self.refused(file.encode(format=13), 'mlpd of format 13, and 14 to 17 are read')
        self.refused(file.encode(format=18), 'mlpd of format 18, and 14 to 17 are read')
        self.refused(file.encode(flags=5), 'its flags are 0x5')
        self.refused(file.encode(pointers=3), 'pointers of 3 bytes')
        self.refused(whole[:4], 'cut off in its header')
        self.refused(whole[:len(file.header()) - 1], 'cut off in its header')
        self.refused(file.header(), 'it has no calls')
        self.refused(whole[:len(file.header())] + b'x' * 48, 'no buffer begins at byte')
        texts = file.header()[:-len('linux') - 5] + struct.pack('<I', 0xffffffff)
        self.refused(texts, 'cut off in its header')

    def test_what_comes_before_the_cut_is_read(self):
        data = mlpd.everything().encode()
        whole = None
        for packed in (False, True):
            for left in range(1, 60, 7):
                cut = data[:-left]
                self.write(gzip.compress(cut)[:-8] if packed else cut)
                rows, error = self.rows('--topic=alloc', 'x.mlpd')
                self.assertEqual(error, 'monocle: x.mlpd: the file is cut off at its end%s\n' %
                                 ('; what comes before was read' if 'before' in error else ''))
                whole = whole or rows
                self.assertEqual(rows, whole)
        code, out, error = self.monocle('report', '--topic=alloc', 'x.mlpd')
        self.assertIn('# lost: the file is cut off at its end', out)

    def test_a_packed_file_that_ends_between_buffers_is_cut_as_well(self):
        data = gzip.compress(mlpd.everything().encode())
        self.write(data[:-8])
        rows, error = self.rows('--topic=alloc', 'x.mlpd')
        self.assertEqual(error, 'monocle: x.mlpd: the file is cut off at its end\n')
        self.assertIn('Thing', rows)

    def damaged(self, payload, why):
        """After a good event the damage is a loss; as the first event it is all there is."""
        for good in (True, False):
            file = mlpd.File()
            buffer = file.buffer()
            if good:
                buffer.alloc(mlpd.THING, 0x10000, 24)
            at = len(file.header()) + 48 + len(buffer.events)
            buffer.events += payload
            file.buffer().alloc(mlpd.THING, 0x10000, 48)
            if not good:
                self.refused(file, 'damaged: ' + why)
                continue
            self.write(file)
            rows, error = self.rows('x.mlpd')
            self.assertEqual([row[0] for row in rows.values()], [1])  # and not what comes after
            self.assertIn('monocle: x.mlpd: ' + why, error)
            self.assertIn('; what comes before was read\n', error)
            if 'unknown event' in why:
                self.assertIn('at byte %d;' % at, error)

    def test_events(self):
        self.damaged(b'\x6e\0', 'an unknown event 0x6e at byte')
        self.damaged(b'\xbc\0', 'an unknown event 0xbc at byte')
        self.damaged(b'\x22\0\x09', 'an unknown event 0x22 at byte')
        self.damaged(b'\x0b\0', 'an unknown event 0x0b at byte')
        self.damaged(b'\x23' + b'\xff' * 12, 'a number does not end')
        self.damaged(b'\x23\0' + b'\x80' * 12, 'a number does not end')
        self.damaged(b'\x23\0', 'a number does not end')
        self.damaged(b'\x11\0\0', 'an event does not end')
        self.damaged(b'\x22\0\1\0\0name', 'a text does not end')
        self.damaged(b'\x31\0' + mlpd.uleb(1 << 63), 'an event has more parts than bytes')
        self.damaged(b'\x10\0\0\0\1' + mlpd.uleb(1 << 40), 'an event has more parts than bytes')
        self.damaged(b'\x37\0' + mlpd.uleb(1 << 31), 'an event has more parts than bytes')
        self.damaged(b'\x47\0\1\x63\0\0', 'a counter of an unknown type')

    def test_an_event_that_a_format_does_not_have_is_unknown(self):
        for version, byte in ((16, 0x27), (16, 0x09), (14, 0x46), (15, 0x1a)):
            file = mlpd.File(version)
            file.buffer().events += bytes([byte, 0])
            self.refused(file, 'an unknown event 0x%02x at byte' % byte)

    def test_losses_are_counted(self):
        file = mlpd.File()
        buffer = file.buffer()
        buffer.enter(mlpd.MAIN)
        buffer.leave(mlpd.WORK, passed=5)
        buffer.leave(mlpd.MAIN, passed=5)
        buffer.gc(0, 9)
        buffer.heap_object(mlpd.THING, 0x10000, 24)
        self.write(file)
        code, out, error = self.monocle('report', 'x.mlpd')
        for line in ('calls: lost: 1 ends of calls that were not the innermost one',
                     'heapshot: lost: 1 objects outside of a heap shot',
                     'gc: lost: 1 collections of generations above 2'):
            self.assertIn('# %s\n' % line, out)

    def test_clocks_that_go_backwards_take_no_time(self):
        file = mlpd.File()
        buffer = file.buffer()
        buffer.enter(mlpd.MAIN)
        buffer.enter(mlpd.WORK, passed=100)
        buffer.leave(mlpd.WORK, passed=(1 << 64) - 50)
        buffer.leave(mlpd.MAIN)
        self.write(file)
        rows = self.rows('x.mlpd')[0]
        self.assertEqual(sorted(rows.values()), [(1, 0, 0), (1, 50, 50)])

    def test_calls_of_any_depth_are_read(self):
        file = mlpd.File()
        buffer = file.buffer()
        for i in range(20000):
            buffer.enter(mlpd.MAIN, passed=1)
        for i in range(20000):
            buffer.leave(mlpd.MAIN, passed=1)
        self.write(file)
        self.assertEqual(list(self.rows('x.mlpd')[0].values()), [(20000, 39999, 39999)])


class Writing(Mlpd):
    def convert(self, path, *words, output='out.mlpd'):
        return self.monocle('convert', '--to=mlpd', path, '-o', output, *words)

    def profile(self, name, values, samples, **labels):
        profile = pprof.Writer()
        for value in values:
            profile.value(*value)
        for stack, amounts in samples:
            profile.sample(stack, amounts, **labels)
        pprof.write_gzip(self.work / name, profile.encode())
        return name

    CALLS = [('calls', 'count'), ('self', 'nanoseconds')]

    def same(self, path, topic):
        for words in ([], ['--tree']):
            before = self.monocle('report', '--format=tsv', *words, path)[1]
            after = self.monocle('report', '--format=tsv', *words, 'out.mlpd')[1]
            self.assertEqual(sorted(before.splitlines()), sorted(after.splitlines()))

    def test_calls_come_back_as_they_were(self):
        path = self.profile('p.pb.gz', self.CALLS, [
            (['A:Main ()'], [1, 1000]), (['A:Main ()', 'B:Work ()'], [7, 100]),
            (['A:Main ()', 'B:Work ()', 'C:Leaf ()'], [21, 22]), (['B:Work ()'], [2, 0]),
            (['B:Work ()', 'B:Work ()'], [3, 5])])
        self.assertEqual(self.convert(path)[0], 0)
        self.same(path, 'calls')

    def test_samples_come_back_as_they_were(self):
        path = self.profile('p.pb.gz', [('samples', 'count')], [
            (['A:Main ()'], [3]), (['A:Main ()', 'B:Work ()'], [400])])
        self.assertEqual(self.convert(path)[0], 0)
        self.same(path, 'samples')

    def test_samples_that_weigh_something_are_written_as_samples(self):
        values = [('samples', 'count'), ('cpu', 'nanoseconds')]
        path = self.profile('p.pb.gz', values, [(['A:Main ()'], [3, 1000])])
        self.assertEqual(self.convert(path)[0], 0)
        self.assertEqual(self.rows('out.mlpd')[0], {'A:Main ()': (3, 3)})
        code, out, error = self.convert(path, '--value=cpu', output='no.mlpd')
        self.assertEqual((code, out), (1, ''))
        self.assertIn("mlpd is written of the values calls and self, or samples, and 'cpu' is neither", error)

    def test_buffers_follow_each_other(self):
        samples = [(['A:Main ()', 'M%d:Run ()' % i], [i + 1, 100 * i]) for i in range(3000)]
        path = self.profile('p.pb.gz', self.CALLS, [(['A:Main ()'], [1, 0])] + samples[:300])
        self.assertEqual(self.convert(path)[0], 0)
        self.assertGreater((self.work / 'out.mlpd').read_bytes().count(struct.pack('<I', 0x4d504c01)), 3)
        self.same(path, 'calls')

    def test_one_topic_of_several_is_written(self):
        self.write(mlpd.everything())
        for topic, value in (('calls', 'calls'), ('samples', 'samples')):
            self.assertEqual(self.convert('x.mlpd', '--value=' + value)[0], 0)
            self.assertEqual(self.tree(topic, path='out.mlpd'), self.tree(topic))
            self.assertEqual(len(self.rows('out.mlpd')[0]), len(self.topic(topic)))

    def test_what_does_not_fit_is_refused(self):
        for samples, why in (
                ([(['A:Main ()', 'B:Work ()'], [1, 5])], 'as A:Main () has'),
                ([(['A:Main ()'], [0, 5])], 'as A:Main () has'),
                ([(['A:Main ()'], [-1, 5])], 'amounts below zero'),
                ([(['A:Main ()'], [1 << 40, 5])], 'more than 67108864 are too many')):
            path = self.profile('p.pb.gz', self.CALLS, samples)
            code, out, error = self.convert(path, output='no.mlpd')
            self.assertEqual((code, out), (1, ''))
            self.assertRegex(error, r'^monocle: p.pb.gz: mlpd|^monocle: p.pb.gz: it has')
            self.assertIn(why, error)
            self.assertFalse((self.work / 'no.mlpd').exists())

    def test_mprof_report_agrees(self):
        program = next((f for f in ('/usr/bin/mprof-report',) if os.access(f, os.X_OK)), None)
        if not program:
            self.skipTest('mprof-report is not installed')
        path = self.profile('p.pb.gz', self.CALLS, [
            (['A:Main ()'], [1, 9000000]), (['A:Main ()', 'B:Work ()'], [7, 50000000])])
        self.convert(path)
        said = subprocess.run([program, '--verbose', 'out.mlpd'], cwd=self.work, stdout=subprocess.PIPE, timeout=60)
        self.assertIn('      59        9          1 A:Main ()\n      50       50          7 B:Work ()\n'
                      'Total calls: 8\n', said.stdout.decode())


if __name__ == '__main__':
    case.main()
