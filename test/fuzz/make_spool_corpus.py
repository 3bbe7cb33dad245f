# SPDX-License-Identifier: MIT
"""Inputs of fuzz_spool.c: a call tree of two threads, and a profile by stack.

    make_spool_corpus.py CALLS STACKS
"""
import struct
import sys

NODES, NAMES, THREADS = 1, 2, 3
EXTENT, HEADER = 64 << 10, 64


def extent(kind, content):
    return struct.pack("<BH", kind, len(content)) + content


def name(key, text, image, token=0, il_offset=0xffffffff):
    content = struct.pack("<QII16sII", key, len(text), len(image), b"m" * 16, token, il_offset) + text + image
    return content + b"\0" * (-len(content) % 8)


def thread(root, text):
    return struct.pack("<QIIIIQ96s", 50000000, root, root, 0, len(text), 7, text)


def node(key, calls, own, parent):
    return struct.pack("<QQQII", key, calls, own, parent, 0)


def first_node(number):
    """The index of the first node of the extent with that number."""
    return (number * EXTENT + HEADER) // 32


def spool(patches, names, threads, nodes):
    """The nodes come third: parents are given as the place among them, -1: none."""
    at = first_node(3)
    patch = b"".join(struct.pack("<HB", offset, value) for offset, value in patches)
    return (bytes([len(patches)]) + patch + extent(NAMES, b"".join(name(*n) for n in names))
            + extent(THREADS, b"".join(thread(at + root, text) for root, text in threads))
            + extent(NODES, b"".join(node(k, c, s, 0 if p < 0 else at + p) for k, c, s, p in nodes)))


calls = spool([], [(0x1000, b"Program:Main (string[])", b"/app/a.exe"), (0x2000, b"Program:F ()", b"/app/a.exe"),
                   (0x3000, b"", b"")],
              [(0, b"main"), (1, b"worker")],
              [(1, 0, 0, -1), (2, 0, 0, -1), (0x1000, 1, 500, 0), (0x2000, 7, 900, 2), (0x3000, 3, 5, 2),
               (0x2000, 2, 20, 1), (0x4000, 1, 1, 5)])
# flags at offset 16: by stack, threads apart.
stacks = spool([(16, 8 | 2)], [(0x1000, b"Program:Main (string[])", b"/app/a.exe", 0x06000001, 7),
                               (1, b"[unknown]", b""), (4, b"[truncated]", b"")],
               [(0, b"main")],
               [(1, 0, 0, -1), (4, 0, 0, 0), (0x1000, 10, 10000000, 1), (1, 3, 3000000, 2)])
for path, content in zip(sys.argv[1:], (calls, stacks)):
    with open(path, "wb") as file:
        file.write(content)
