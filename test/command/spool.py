# SPDX-License-Identifier: MIT
"""A writer of spools for tests: what a dead process left, with a header that says whatever a test wants it to say."""
import ctypes
import struct

EXTENT, EXTENT_HEADER = 64 << 10, 64
NODES, NAMES, THREADS = 1, 2, 3
FILE, NEW, COMMAND, DESCRIPTOR = range(4)
TIMES = 1

u32, u64, text = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char


class Header(ctypes.LittleEndianStructure):
    """struct monocle__spool_header of lib/kit/spool.h, version 4, on a 64-bit machine."""
    _fields_ = [
        ('magic', text * 8), ('version', u32), ('header_size', u32), ('flags', u32), ('max_depth', u32), ('pid', u32),
        ('output_kind', u32), ('process_start', u64), ('realtime_ns', u64), ('output_device', u64),
        ('output_inode', u64), ('period', u64), ('value_count', u32), ('period_value', u32),
        ('values', text * 32 * 4), ('boot_id', text * 40), ('module', text * 32), ('host', text * 64),
        ('program', text * 256), ('runtime', text * 256), ('desc', text * 2048), ('output', text * 4096),
        ('run_directory', text * 4096), ('threshold_ns', u64), ('slow_limit', u32), ('slow_size', u32),
        ('pad', text * 24), ('heartbeat', u64), ('extent_count', u32),
        ('pair_count', u32), ('ended', u32), ('pad2', u32), ('losses', u64 * 9), ('slow_count', u64),
        ('notes', text * 256 * 8), ('pairs', u64 * 2 * 256), ('pad3', text * 24)]


assert Header.heartbeat.offset % 64 == 0 and ctypes.sizeof(Header) % 64 == 0


def extent(kind, content):
    return (struct.pack('<II', kind, EXTENT_HEADER + len(content)).ljust(EXTENT_HEADER, b'\0')
            + content).ljust(EXTENT, b'\0')


def name(key, method, image):
    content = struct.pack('<QII16sII', key, len(method), len(image), b'', 0, 0xffffffff) + method + image
    return content + b'\0' * (-len(content) % 8)


def spool(**said):
    """The bytes of a spool of one thread: A:Main () called A:F () seven times. `said` are fields of its header."""
    header = Header(magic=b'MNCSPOOL', version=4, header_size=ctypes.sizeof(Header), flags=TIMES, max_depth=4096,
                    pid=0x7ffffff0, output_kind=FILE, process_start=1, realtime_ns=1700000000 * 10**9, period=1,
                    value_count=2, boot_id=b'of another boot', module=b'calls', host=b'here', program=b'app',
                    runtime=b'scripted', desc=b'calls', extent_count=4, pair_count=2)
    for field, value in zip(header.values, (b'calls', b'count', b'self', b'nanoseconds')):
        field.value = value
    header.pairs[0][:], header.pairs[1][:] = (1000, 1000), (10**9, 10**9)
    for field, value in said.items():
        setattr(header, field, value)
    root = (3 * EXTENT + EXTENT_HEADER) // 32
    nodes = [(1, 0, 0, 0), (0x1000, 1, 5 * 10**6, root), (0x2000, 7, 9 * 10**6, root + 1)]
    return (bytes(header).ljust(EXTENT, b'\0')
            + extent(NAMES, name(0x1000, b'A:Main ()', b'/app.exe') + name(0x2000, b'A:F ()', b'/app.exe'))
            + extent(THREADS, struct.pack('<QIIIIQ96s', 10**9, root, root, 0, 4, 7, b'main'))
            + extent(NODES, b''.join(struct.pack('<QQQII', key, calls, own, parent, 0)
                                     for key, calls, own, parent in nodes)))
