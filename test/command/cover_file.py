# SPDX-License-Identifier: MIT
"""Coverage files (.mcov, lib/base/cover-file.h) for tests, written without the code under test.

    file = cover_file.File (counts=True)
    image = file.image ('App', '/app/App.dll')
    source = file.document ('/src/App.cs')
    program = file.type (image, 'N.Program')
    file.method (program, 'Main (string[])', points=[(10, 3), (12, 0)], document=source)
    file.write ('app.mcov')

A point is (line, hits), or a dict of what is different: line, end_line, column, end_column, il, document, hits, and
counter (several points may share one). An arm is (point, path, hits), or a dict: point, path, hits, il, target, switch,
counter. Counters that are not named are one for each point and arm. What is written can be damaged on purpose: `raw`
adds any record, and `patch` changes bytes.
"""
import hashlib
import pathlib
import struct

MAGIC = 0x5245564F43434E4D
VERSION = 1
HEADER = 4096
COUNTS, POLLED, JOINED = 1, 2, 4
IMAGE, DOCUMENT, TYPE, METHOD = 1, 2, 3, 4
BEYOND = 1 << 31  # in the counter of a point
PROBED, STATIC, CONSTRUCTOR, GETTER, SETTER, DISPUTED = 1, 2, 4, 8, 16, 32
LOSSES = ['space', 'refused', 'sources', 'changed', 'skipped']
AT = {'version': 8, 'flags': 12, 'pid': 16, 'counter_size': 20, 'process_start': 24, 'realtime_ns': 32, 'ended_ns': 40,
      'used': 48, 'losses': 56, 'request': 120, 'answer': 124, 'reset': 128, 'processes': 132, 'boot_id': 136,
      'runtime': 176, 'program': 432, 'desc': 688, 'arguments': 1712, 'left_out': 2736}


def encoded(text):
    return text if isinstance(text, bytes) else text.encode('utf-8')


def padded(data, size=8):
    return data + bytes(-len(data) % size)


def record(kind, data):
    data = padded(data)
    return struct.pack('<II', len(data) + 8, kind) + data


class File:
    """counts: counters are of executions. ended: 0 for a process that is running or was killed."""

    def __init__(self, counts=False, program='App', runtime='CoreCLR 9.0.0', desc='cover', begun=10**18,
                 ended=10**18 + 10**9, flags=0, losses=None, pid=0, process_start=0, boot_id='', arguments='',
                 processes=0, left_out=0):
        self.counts = counts
        self.header = {'program': program, 'runtime': runtime, 'desc': desc, 'realtime_ns': begun, 'ended_ns': ended,
                       'pid': pid, 'process_start': process_start, 'boot_id': boot_id, 'arguments': arguments,
                       'flags': flags | (COUNTS if counts else 0), 'losses': losses or {}, 'processes': processes,
                       'left_out': left_out}
        self.records = []
        self.numbers = {IMAGE: 0, DOCUMENT: 0, TYPE: 0}
        self.tokens = 0x06000001

    def number(self, kind, data):
        self.records.append(record(kind, data))
        self.numbers[kind] += 1
        return self.numbers[kind] - 1

    def image(self, name, path='', mvid=None):
        """Its MVID is made of its name."""
        name, path = encoded(name), encoded(path)
        mvid = mvid if mvid is not None else hashlib.md5(name).digest()
        return self.number(IMAGE, mvid + struct.pack('<II', len(name), len(path)) + name + path)

    def document(self, path, hash=b''):
        path = encoded(path)
        return self.number(DOCUMENT, hash.ljust(32, b'\0') + struct.pack('<II', len(hash), len(path)) + path)

    def type(self, image, name, token=None):
        name = encoded(name)
        token = 0x02000002 + self.numbers[TYPE] if token is None else token
        return self.number(TYPE, struct.pack('<IIII', image, token, len(name), 0) + name)

    def method(self, type, name, points=(), arms=(), document=0, token=None, kickoff=0, flags=None):
        """Answers its token. It was probed if anything of it ran, unless flags say."""
        token = self.tokens if token is None else token
        self.tokens = max(self.tokens, token) + 1
        counters = []
        body = bytearray()
        for index, point in enumerate(points):
            p = point if isinstance(point, dict) else {'line': point[0], 'hits': point[1]}
            counter = self.counter(counters, p)
            line = p.get('line', 1)
            body += struct.pack('<IIIIHHI', p.get('il', index * 4), p.get('document', document), line,
                                p.get('end_line', line), p.get('column', 9), p.get('end_column', 20),
                                counter | (BEYOND if p.get('beyond') else 0))
        for index, arm in enumerate(arms):
            a = arm if isinstance(arm, dict) else {'point': arm[0], 'path': arm[1], 'hits': arm[2]}
            counter = self.counter(counters, a)
            body += struct.pack('<IIIIII', a.get('il', a.get('point', 0) * 4 + 1), a.get('target', 100 + index),
                                a.get('point', 0), a.get('path', 0), counter, a.get('switch', 0))
        flags = (PROBED if any(hits for hits, base in counters) else 0) if flags is None else flags
        self.raw_method(type, token, kickoff, flags, len(points), len(arms), name, body, counters)
        return token

    @staticmethod
    def counter(counters, said):
        """The index of the counter; what it holds is `hits` more than its `base`."""
        index = said.get('counter', len(counters))
        while len(counters) <= index:
            counters.append((0, 0))
        counters[index] = (said.get('hits', 0), said.get('base', 0))
        return index

    def raw_method(self, type, token, kickoff, flags, points, arms, name, body, counters):
        name = encoded(name)
        start = len(padded(bytes(48) + body + name))
        data = struct.pack('<IIIIIIIIII', type, token, kickoff, flags, points, arms, len(counters), len(name), start, 0)
        data = padded(bytes(8) + data + body + name)[8:]
        if self.counts:
            data += b''.join(struct.pack('<I', (hits + base) & 0xFFFFFFFF) for hits, base in counters)
            data += b''.join(struct.pack('<I', base) for hits, base in counters)
        else:
            data += bytes(1 if hits else 0 for hits, base in counters)
        self.records.append(record(METHOD, data))

    def raw(self, kind, data):
        self.records.append(record(kind, data))

    def bytes(self, used=None, room=0):
        """used: what the header says; room: bytes of the file after what is used, as while it is written."""
        data = b''.join(self.records)
        header = bytearray(HEADER)
        struct.pack_into('<QII', header, 0, MAGIC, VERSION, self.header['flags'])
        struct.pack_into('<I', header, AT['counter_size'], 4 if self.counts else 1)
        struct.pack_into('<Q', header, AT['used'], HEADER + len(data) if used is None else used)
        for field, size in {'pid': 'I', 'processes': 'I', 'process_start': 'Q', 'realtime_ns': 'Q',
                            'ended_ns': 'Q', 'left_out': 'Q'}.items():
            struct.pack_into('<' + size, header, AT[field], self.header[field])
        for field, size in {'boot_id': 40, 'runtime': 256, 'program': 256, 'desc': 1024, 'arguments': 1024}.items():
            text = encoded(self.header[field])[:size]
            header[AT[field]:AT[field] + len(text)] = text
        for name, count in self.header['losses'].items():
            struct.pack_into('<Q', header, AT['losses'] + 8 * LOSSES.index(name), count)
        return bytes(header) + data + bytes(room)

    def write(self, path, **how):
        with open(path, 'wb') as out:
            out.write(self.bytes(**how))
        return path


def patch(data, at, layout, *values):
    """`data` with other numbers at an offset, or at a field of the header."""
    data = bytearray(data)
    struct.pack_into('<' + layout, data, AT[at] if isinstance(at, str) else at, *values)
    return bytes(data)


def load(path):
    """What a file says: its header's fields, and (type, name, line or None, number in the method) -> count or hit; the
    line is that of a point, and None of an arm."""
    data = pathlib.Path(path).read_bytes()
    header = {name: struct.unpack_from('<Q' if name in ('process_start', 'realtime_ns', 'ended_ns', 'used') else '<I',
                                       data, at)[0]
              for name, at in AT.items() if at < AT['boot_id'] and name != 'losses'}
    counts, types, hits, at = header['flags'] & COUNTS, [], {}, HEADER
    while at < header['used']:
        size, kind = struct.unpack_from('<II', data, at)
        if kind == TYPE:
            types.append(data[at + 24:][:struct.unpack_from('<I', data, at + 16)[0]].decode())
        if kind == METHOD:
            type, _, _, _, points, arms, count, length, start, _ = struct.unpack_from('<IIIIIIIIII', data, at + 8)
            name = data[at + 48 + 24 * (points + arms):][:length].decode()
            for index in range(points + arms):
                row = at + 48 + 24 * index
                line, counter = (struct.unpack_from('<I', data, row + 8)[0], struct.unpack_from('<I', data, row + 20)[0]
                                 ) if index < points else (None, struct.unpack_from('<I', data, row + 16)[0])
                if counts:
                    now, base = (struct.unpack_from('<I', data, at + start + 4 * k)[0]
                                 for k in (counter, count + counter))
                    hit = (now - base) & 0xFFFFFFFF
                else:
                    hit = data[at + start + counter]
                hits[types[type], name, line, index] = hit
        at += size
    return header, hits
