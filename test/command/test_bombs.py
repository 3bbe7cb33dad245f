#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small files that would become much memory are refused by one line, early, or folded; honest large ones are read.

    test_bombs.py MONOCLE
"""
import os
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import mlpd
import pprof

MEGABYTE = 1 << 20
LEAST, FACTOR = 128 * MEGABYTE, 200  # what doc/formats.md promises
PROGRAM = 24 * MEGABYTE  # the program itself, and what malloc () holds back


def packed(pieces):
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b''.join([packer.compress(piece) for piece in pieces] + [packer.flush()])


def numbered(field, value):
    return pprof.number(field, value)


# A profile with one value, functions and locations 1 and 2 but no sample.
HEAD = (pprof.block(1, numbered(1, 1) + numbered(2, 2)) +
        b''.join(pprof.block(4, numbered(1, i) + pprof.block(4, numbered(1, i))) +
                 pprof.block(5, numbered(1, i) + numbered(2, i)) for i in [1, 2]) +
        b''.join(pprof.block(6, text) for text in [b'', b'samples', b'count']))


def sample(*locations):
    return pprof.block(2, pprof.block(1, b''.join(map(pprof.varint, locations))) + pprof.block(2, b'\1'))


def inlined(lines, stacks):
    """One location that stands for many frames, on many stacks."""
    wide = pprof.block(4, numbered(1, 3) + pprof.block(4, numbered(1, 1)) * lines)
    return HEAD + wide + b''.join(sample(1 + i % 2, 3) for i in range(stacks))


def evented(depth):
    """Each event has the whole stack of open frames."""
    open_all = ','.join('{"type":"O","frame":0,"at":%d}' % i for i in range(depth))
    blink = ','.join('{"type":"O","frame":0,"at":%d},{"type":"C","frame":0,"at":%d}' % (i, i + 1)
                     for i in range(depth, 2 * depth))
    close_all = ','.join('{"type":"C","frame":0,"at":%d}' % (2 * depth + i) for i in range(depth))
    return ('{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f"}]},'
            '"profiles":[{"type":"evented","name":"x","unit":"none","startValue":0,"endValue":%d,"events":[%s,%s,%s]}]}'
            % (3 * depth, open_all, blink, close_all)).encode()


def logged(count, add):
    """A file of Mono's log profiler: `add` to its one buffer, that many times."""
    file = mlpd.File()
    buffer = file.buffer(pointers=0, objects=0, methods=0)
    for i in range(count):
        add(buffer, i)
    return file.encode()


def nest(buffer, number):
    buffer.enter(1)
    buffer.alloc(1, 8, 8)
    buffer.throw(8)
    buffer.monitor(1, 8 * number)
    buffer.handle(1, 8)


def bombs():
    """Names and bytes, and what the line says unless it names the size; None: it is read in that memory."""
    million = [sample(1) * 125000]
    yield 'zeros', packed([bytes(MEGABYTE)] * 300), 'damaged'
    yield 'fields that are not known', packed([pprof.block(99, bytes(1000)) * 1000] * 300)
    yield 'samples', packed([HEAD] + million * 300)
    yield 'samples below the limit on unpacking', packed([HEAD] + million * 60), None
    yield 'strings', packed([HEAD] + [pprof.block(6, b'') * 500000] * 60)
    yield 'locations', packed([HEAD] + [pprof.block(4, b'') * 500000] * 60)
    yield 'labels', packed([HEAD] + [pprof.block(2, pprof.block(2, b'\1') + pprof.block(3, b'') * 50) * 10000] * 60)
    yield 'lines of stacks', packed([b'a;b 1\n' * 170000] * 300)
    yield 'lines of stacks below the limit on unpacking', packed([b'a;b 1\n' * 170000] * 60)
    yield 'inlined frames', inlined(100000, 5000), 'no file of its size'
    yield 'open frames', evented(12000)
    yield 'open calls', logged(200000, lambda buffer, i: buffer.enter(i))
    yield 'open calls with all that can happen in them', logged(40000, nest)


class Bombs(case.Case):
    def measure(self, *words):
        """The exit code, what it printed, and the largest size in memory."""
        process = self.start(*words)
        out, error = process.stdout.read(), process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        process.stderr.close()
        return process.returncode, out, error, usage.ru_maxrss * 1024

    def test_each_is_refused_by_one_line_within_its_memory(self):
        for name, data, *wanted in bombs():
            with self.subTest(name):
                (self.work / 'bomb').write_bytes(data)
                code, out, error, size = self.measure('report', 'bomb')
                self.assertLess(size, LEAST + FACTOR * len(data) + PROGRAM)
                if wanted == [None]:
                    self.assertEqual((code, error), (0, ''))
                    self.assertIn(b'stacks of the file are shown in [other paths]', out)
                    continue
                self.assertEqual((code, out, len(error.splitlines())), (1, b'', 1), error)
                self.assertIn(wanted[0] if wanted else 'times its size', error)

    def test_a_repetitive_but_honest_profile_is_read(self):
        profile = pprof.Writer()
        profile.value('samples', 'count')
        for i in range(2000):
            profile.sample(['Main', 'A%d' % (i % 50), 'B%d' % (i % 7)], [1], [('thread', 'worker')])
        data = packed([profile.encode()] + [bytes(profile.samples)] * 100)
        (self.work / 'p').write_bytes(data)
        code, out, error, _ = self.measure('report', 'p', '--format=tsv')
        self.assertEqual((code, error), (0, ''))
        self.assertIn(b'Main\t0\t%d\t\n' % (2000 * 101), out)


if __name__ == '__main__':
    case.main()
