# SPDX-License-Identifier: MIT
"""Reads coverage files (.mcov, lib/base/cover-file.h) for tests, by a reader of its own."""
import collections
import struct

MAGIC = 0x5245564F43434E4D
COUNTS, POLLED = 1, 2
IMAGE, DOCUMENT, TYPE, METHOD = 1, 2, 3, 4
PROBED = 1
BEYOND = 1 << 31  # in a counter: a method that does not return leads there
LOSSES = ["space", "refused", "sources", "changed", "skipped"]
Point = collections.namedtuple("Point", "offset document line end_line column end_column hits")
Arm = collections.namedtuple("Arm", "offset target point path hits switch")


class Method:
    def __init__(self, data, counter_size, types, documents):
        number, self.token, self.kickoff, self.flags, points, arms, count, length, start = \
            struct.unpack_from("<9I", data, 8)
        self.type = types[number]
        hits = counters(data, start, count, counter_size)
        at = 48
        self.points = []
        for i in range(points):
            il, document, line, end, column, end_column, counter = struct.unpack_from("<IIIIHHI", data, at + 24 * i)
            self.points.append(Point(il, documents[document], line, end, column, end_column, hits[counter & ~BEYOND]))
        at += 24 * points
        self.arms = []
        for i in range(arms):
            il, target, point, path, counter, flags = struct.unpack_from("<6I", data, at + 24 * i)
            self.arms.append(Arm(il, target, point, path, hits[counter], bool(flags & 1)))
        at += 24 * arms
        self.name = data[at:at + length].decode()
        self.probed = bool(self.flags & PROBED)


def counters(data, start, count, size):
    if size == 1:
        return list(data[start:start + count])
    values = struct.unpack_from("<%dI" % (2 * count), data, start)
    return [(values[i] - values[count + i]) & 0xFFFFFFFF for i in range(count)]


class File:
    """What is in a file: images, documents, types (name), methods, losses, and the header's numbers."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, version, self.flags, self.pid, size, self.start, self.begun, self.ended, used = \
            struct.unpack_from("<QIIIIQQQQ", data)
        assert magic == MAGIC and version == 1 and used <= len(data), path
        self.losses = dict(zip(LOSSES, struct.unpack_from("<5Q", data, 56)))
        self.program = text(data, 432, 256)
        self.left_out, = struct.unpack_from("<Q", data, 2736)
        self.runtime = text(data, 176, 256)
        self.images, self.documents, self.types, self.methods = [], [], [], []
        at = 4096
        while at < used:
            length, kind = struct.unpack_from("<II", data, at)
            self.add(kind, data[at:at + length], size)
            at += length
        assert at == used, path

    def add(self, kind, data, counter_size):
        if kind == IMAGE:
            name, path = struct.unpack_from("<II", data, 24)
            self.images.append((data[32:32 + name].decode(), data[32 + name:32 + name + path].decode()))
        elif kind == DOCUMENT:
            length, = struct.unpack_from("<I", data, 44)
            self.documents.append(data[48:48 + length].decode())
        elif kind == TYPE:
            length, = struct.unpack_from("<I", data, 16)
            self.types.append(data[24:24 + length].decode())
        elif kind == METHOD:
            self.methods.append(Method(data, counter_size, self.types, self.documents))

    def lines(self, source):
        """How often each line ran that a point begins on: the most of its points."""
        lines = {}
        for method in self.methods:
            for p in method.points:
                if p.document.endswith(source):
                    lines[p.line] = max(lines.get(p.line, 0), p.hits)
        return lines

    def names(self):
        return {method.type + "." + method.name.split(" ")[0] for method in self.methods}


def text(data, at, size):
    return data[at:at + size].split(b"\0")[0].decode()
