#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle snapshot: what a running process has covered until now.

  test_snapshot.py MONOCLE COVER-WRITER
"""
import collections
import os
import pathlib
import subprocess
import sys

import case
import cover_file

WRITER = sys.argv.pop(2)


class Snapshot(case.Case):
    def make(self, points, counts=False, **how):
        """A file with one method; where its counters are."""
        file = cover_file.File(counts=counts, ended=0, **how)
        image = file.image('App')
        file.document('/src/App.cs')
        file.method(file.type(image, 'P'), 'F ()', [(1 + index, 0) for index in range(points)], flags=1)
        data = file.bytes(room=4096)
        (self.work / 'live.mcov').write_bytes(data)
        return len(data) - 4096 - len(cover_file.padded(bytes(points * (8 if counts else 1))))

    def write(self, points, how, offset):
        """A process that stores to the counters."""
        process = subprocess.Popen([WRITER, self.work / 'live.mcov', str(offset), str(points), how],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)
        self.assertEqual(process.stdout.readline(), b'ready\n')
        return process

    def snapshot_only(self, what, *options):
        code, out, error = self.monocle('snapshot', str(what), '-o', 'out.mcov', *options)
        self.assertEqual((code, out, error), (0, 'out.mcov\n', ''))

    def snapshot(self, what='live.mcov', *options):
        self.snapshot_only(what, *options)
        return cover_file.load(self.work / 'out.mcov')

    @staticmethod
    def end(process):
        process.stdin.close()
        return int(process.stdout.read())

    def test_no_hit_is_lost(self):
        points = 8000
        process = self.write(points, 'hits', self.make(points))
        seen = [0] * points
        for last in [False] * 200 + [True]:
            rounds = self.end(process) if last else None
            self.snapshot_only('live.mcov', '--reset')
            taken = (self.work / 'out.mcov').read_bytes()[-points:]
            seen = [count + more for count, more in zip(seen, taken)]
        self.assertEqual(set(seen), {rounds})

    def test_no_addition_is_lost(self):
        process = self.write(61, 'counts', self.make(61, counts=True))
        seen = collections.Counter()
        for _ in range(200):
            seen.update(self.snapshot('live.mcov', '--reset')[1])
        stored = self.end(process)
        seen.update(self.snapshot()[1])
        self.assertEqual(sum(seen.values()), stored)
        self.assertLessEqual(max(seen.values()) - min(seen.values()), 1)

    def test_without_reset_all_stays(self):
        process = self.write(5, 'hits', self.make(5))
        self.end(process)
        for _ in range(2):
            self.assertEqual(list(self.snapshot()[1].values()), [1] * 5)

    def test_a_process_is_asked_by_its_number(self):
        process = self.write(8, 'hits', self.make(8))
        header, hits = self.snapshot(process.pid)
        self.assertEqual(len(hits), 8)
        self.assertEqual(header['flags'], cover_file.JOINED)

    def test_a_process_that_keeps_its_counters_renews_them(self):
        stat = pathlib.Path('/proc/self/stat').read_text()
        how = {'pid': os.getpid(), 'process_start': int(stat.rpartition(')')[2].split()[19]),
               'boot_id': pathlib.Path('/proc/sys/kernel/random/boot_id').read_text().strip()}
        offset = self.make(3, counts=True, flags=cover_file.POLLED, **how)
        process = self.write(3, 'answer', offset)
        for asked in (1, 2):
            self.assertEqual(list(self.snapshot()[1].values()), [asked] * 3)
        code, _, error = self.monocle('merge', 'live.mcov', '-o', 'merged.mcov')
        self.assertEqual((code, error), (0, ''))
        self.assertEqual(list(cover_file.load(self.work / 'merged.mcov')[1].values()), [3] * 3)
        self.assertEqual(self.snapshot('live.mcov', '--reset')[1]['P', 'F ()', 1, 0], 4)
        self.assertEqual(self.snapshot()[1]['P', 'F ()', 1, 0], 1)
        self.assertEqual(self.end(process), 5)
        code, _, error = self.monocle('snapshot', 'live.mcov', '-o', 'out.mcov')
        said = 'monocle: live.mcov: process %d does not answer; its counters are as old as the last answer\n'
        self.assertEqual((code, error), (0, said % os.getpid()))

    def test_what_cannot_be_written_stays_in_the_process(self):
        process = self.write(9, 'hits', self.make(9))
        self.end(process)
        code, _, error = self.monocle('snapshot', 'live.mcov', '--reset', '-o', 'no/such/folder.mcov')
        self.assertEqual((code, error), (1, 'monocle: cannot write no/such/folder.mcov: No such file or directory\n'))
        self.assertEqual(list(self.snapshot()[1].values()), [1] * 9)

    def test_what_is_wrong_is_one_line(self):
        self.make(3, flags=cover_file.POLLED)
        (self.work / 'text').write_text('x' * 9000)
        ended = subprocess.Popen(['true'])
        ended.wait()
        own = 'live.mcov would be replaced by its own snapshot; name another file with -o'
        kept = 'live.mcov: the runtime keeps these hits and cannot forget them; use cover:mode=count to reset'
        for words, problem in ((['live.mcov', '-o', 'live.mcov'], own),
                               (['text', '-o', 'o'], 'text: it is no coverage file'),
                               (['none', '-o', 'o'], 'none: No such file or directory'),
                               (['.', '-o', 'o'], '.: it is not a file'),
                               ([str(os.getpid()), '-o', 'o'], 'process %d writes no coverage file' % os.getpid()),
                               ([str(ended.pid), '-o', 'o'], 'there is no process %d' % ended.pid),
                               (['live.mcov', '--reset', '-o', 'o'], kept)):
            self.assertEqual(self.monocle('snapshot', *words), (1, '', 'monocle: %s\n' % problem))
            self.assertFalse((self.work / 'o').exists())


if __name__ == '__main__':
    case.main()
