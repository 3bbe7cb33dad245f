# SPDX-License-Identifier: MIT
"""Files of Mono's log profiler for tests, in the formats 14 to 17. What differs between them is in DIFFERENCES."""
import struct

FIRST, LAST = 14, 17

# What an event has in a format: the first row whose format is not below the file's.
DIFFERENCES = {
    'profiler version': [(15, (2, 0)), (17, (3, 0))],
    'type of an object': [(14, 'class'), (17, 'vtable')],
    'fields of a loaded image': [(15, ('name',)), (17, ('name', 'id'))],
    'generation of a heap object': [(15, False), (17, True)],
    'roots': [(14, 'with kinds'), (17, 'with addresses')],
    'numbers of a counter': [(14, 'bytes'), (17, 'numbers')],
    'events that are gone': [(15, ()), (17, ('coverage', 'binary'))],
    'events that are not there yet': [(14, ('vtable', 'root register', 'aot id')), (15, ('aot id',)), (17, ())],
}


def difference(what, version):
    return next(value for last, value in DIFFERENCES[what] if version <= last)


def uleb(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 0x7f:
        out.append(0x80 | number & 0x7f)
        number >>= 7
    return bytes(out + bytes([number]))


def sleb(number):
    out = bytearray()
    while not -0x40 <= number <= 0x3f:
        out.append(0x80 | number & 0x7f)
        number >>= 7
    return bytes(out + bytes([number & 0x7f]))


def text(words):
    return words.encode() + b'\0'


class Buffer:
    """Events of a thread. Each method adds one, `passed` nanoseconds after the one before."""

    def __init__(self, version, thread, time, pointers=0x7f0000000000, objects=0x7e0000000, methods=0x5000):
        self.version = version
        self.thread = thread
        self.time = time
        self.pointers = pointers
        self.objects = objects
        self.first_method = self.method_base = methods
        self.events = bytearray()

    def encode(self):
        header = struct.pack('<IIQQQQQ', 0x4d504c01, len(self.events), self.time, self.pointers, self.objects,
                             self.thread, self.first_method)
        return header + bytes(self.events)

    def pointer(self, address):
        return sleb(address - self.pointers)

    def object(self, address):
        return sleb((address >> 3) - self.objects)

    def method(self, method):
        delta = method - self.method_base
        self.method_base = method
        return sleb(delta)

    def frames(self, methods):
        return uleb(len(methods)) + b''.join(self.method(m) for m in methods)

    def event(self, byte, payload, passed):
        self.events += bytes([byte]) + uleb(passed) + payload

    def traced(self, byte, flag, payload, frames, passed):
        """An event that may have frames, outermost first."""
        if frames is None:
            return self.event(byte, payload, passed)
        self.event(byte | flag, payload + self.frames(frames), passed)

    # What is what.
    def method_name(self, method, name, code=0, size=0, passed=0):
        self.event(0x43, self.method(method) + self.pointer(code) + uleb(size) + text(name), passed)

    def class_name(self, klass, name, passed=0):
        self.event(0x22, b'\1' + self.pointer(klass) + self.pointer(0) + text(name), passed)

    def type_name(self, type, name, passed=0):
        """What an object of the type points to: a class, or from 15 on a vtable."""
        if difference('type of an object', self.version) == 'class':
            return self.class_name(type, name, passed)
        self.class_name(type + 0x100000, name, passed)
        self.event(0x22, b'\7' + self.pointer(type) + self.pointer(0) + self.pointer(type + 0x100000), 0)

    def thread_name(self, thread, name, passed=0):
        self.event(0x02, b'\5' + self.pointer(thread) + text(name), passed)

    def image(self, image, name, passed=0):
        names = [name, 'some-id'][:len(difference('fields of a loaded image', self.version))]
        self.event(0x22, b'\2' + self.pointer(image) + b''.join(text(n) for n in names), passed)

    def image_unload(self, image, name, passed=0):
        self.event(0x42, b'\2' + self.pointer(image) + text(name), passed)

    def assembly(self, assembly, name, passed=0):
        self.event(0x22, b'\3' + self.pointer(assembly) + self.pointer(0) + text(name), passed)

    # What happens.
    def enter(self, method, passed=0):
        self.event(0x23, self.method(method), passed)

    def leave(self, method, passed=0, by_exception=False):
        self.event(0x33 if by_exception else 0x13, self.method(method), passed)

    def alloc(self, type, address, size, frames=None, passed=0):
        self.traced(0x00, 0x10, self.pointer(type) + self.object(address) + uleb(size), frames, passed)

    def throw(self, address, frames=None, passed=0):
        self.traced(0x04, 0x80, self.object(address), frames, passed)

    def clause(self, kind, method, address, passed=0):
        self.event(0x14, bytes([kind]) + uleb(0) + self.method(method) + self.object(address), passed)

    def monitor(self, what, address, frames=None, passed=0):
        self.traced(0x05, 0x80, bytes([what]) + self.object(address), frames, passed)

    def gc(self, what, generation, passed=0):
        self.event(0x11, bytes([what, generation]), passed)

    def resize(self, size, passed=0):
        self.event(0x21, uleb(size), passed)

    def moves(self, *addresses, passed=0):
        self.event(0x31, uleb(len(addresses)) + b''.join(self.object(a) for a in addresses), passed)

    def handle(self, kind, address, frames=None, passed=0):
        self.traced(0x41, 0x20, uleb(kind) + uleb(7) + self.object(address), frames, passed)

    def handle_gone(self, kind, frames=None, passed=0):
        self.traced(0x51, 0x20, uleb(kind) + uleb(7), frames, passed)

    def heap_begin(self, passed=0):
        self.event(0x06, b'', passed)

    def heap_end(self, passed=0):
        self.event(0x16, b'', passed)

    def heap_object(self, type, address, size, references=(), passed=0):
        payload = self.object(address) + self.pointer(type) + uleb(size)
        if difference('generation of a heap object', self.version):
            payload += b'\1'
        payload += uleb(len(references)) + b''.join(uleb(8) + self.object(r) for r in references)
        self.event(0x26, payload, passed)

    def roots(self, *addresses, passed=0):
        if difference('roots', self.version) == 'with kinds':
            payload = uleb(len(addresses)) + uleb(1) + b''.join(self.object(a) + uleb(0x101) + uleb(0)
                                                                for a in addresses)
        else:
            payload = uleb(len(addresses)) + b''.join(self.pointer(0x7f0000000100) + self.object(a) for a in addresses)
        self.event(0x36, payload, passed)

    def root_register(self, passed=0):
        self.event(0x46, self.pointer(1) + uleb(8) + b'\2' + self.pointer(0) + text('a root'), passed)

    def hit(self, thread, address, frames, passed=0):
        """`frames` innermost first."""
        self.event(0x07, self.pointer(thread) + uleb(1) + self.pointer(address) + self.frames(frames), passed)

    def symbol(self, address, name, passed=0):
        self.event(0x17, self.pointer(address) + uleb(0) + text(name), passed)

    def binary(self, address, size, name, passed=0):
        self.event(0x27, self.pointer(address) + uleb(0) + uleb(size) + text(name), passed)

    def counters(self, passed=0):
        """Two counters, one of a category with a name, and their values."""
        number = uleb if difference('numbers of a counter', self.version) == 'numbers' else lambda n: bytes([n & 0xff])
        kinds = number(3) + number(0) + number(1)
        self.event(0x37, uleb(2) + uleb(1 << 9) + text('a') + kinds + uleb(1) +
                   uleb(1 << 15) + text('category') + text('b') + kinds + uleb(2), passed)
        self.event(0x47, uleb(1) + number(3) + sleb(-5) + uleb(2) + number(5) + b'\0' * 8 +
                   uleb(2) + number(6) + b'\1' + text('value') + uleb(0), passed)

    def helper(self, name=None, passed=0):
        self.event(0x18, bytes([5 if name else 6]) + self.pointer(0x7f0000000200) + uleb(16) +
                   (text(name) if name else b''), passed)

    def coverage(self, passed=0):
        self.event(0x09, text('assembly') + text('guid') + text('file') + uleb(3) + uleb(2) + uleb(0), passed)
        self.event(0x19, text('assembly') + text('class') + text('m') + text('()') + text('file') + uleb(1) + uleb(2) +
                   uleb(3), passed)
        self.event(0x29, b''.join(uleb(n) for n in (1, 2, 3, 4, 5)), passed)
        self.event(0x39, text('assembly') + text('class') + uleb(3) + uleb(2) + uleb(0), passed)

    def step(self, what, passed=0):
        self.event(0x0a, bytes([what]), passed)

    def aot_id(self, passed=0):
        self.event(0x1a, text('an id'), passed)


class File:
    def __init__(self, version=LAST, start=1000000000):
        self.version = version
        self.start = start
        self.buffers = []

    def buffer(self, thread=0x7f0000001000, time=None, **bases):
        self.buffers.append(Buffer(self.version, thread, self.start if time is None else time, **bases))
        return self.buffers[-1]

    def header(self, **fields):
        major, minor = difference('profiler version', self.version)
        known = dict(magic=0x4d505a01, format=self.version, pointers=8, flags=0)
        known.update(fields)
        header = struct.pack('<IBBBBQ', known['magic'], major, minor, known['format'], known['pointers'],
                             1763888000000)
        if major >= 3:
            header += struct.pack('<Q', self.start)
        header += struct.pack('<IIIH', 20, known['flags'], 4711, 0)
        for words in ('log:test', 'x86-64', 'linux'):
            header += struct.pack('<I', len(words) + 1) + text(words)
        return header

    def encode(self, **fields):
        return self.header(**fields) + b''.join(b.encode() for b in self.buffers)


# Addresses of what `everything` tells of.
MAIN, WORK, DEEP, NATIVE_CODE = 0x5010, 0x5020, 0x5030, 0x7f1000000000
CODE = {MAIN: 0x7f2000000000, WORK: 0x7f2000001000, DEEP: 0x7f2000002000}
THING, OOPS, LOCK = 0x7f3000000000, 0x7f3000000100, 0x7f3000000200
WORKER = 0x7f0000002000


def tell_names(file):
    names = file.buffer(WORKER)
    for method, name in ((MAIN, 'P:Main ()'), (WORK, 'P:Work (int)'), (DEEP, 'P:Deep ()')):
        names.method_name(method, name, CODE[method], 0x100)
    for type, name in ((THING, 'Thing'), (OOPS, 'Oops'), (LOCK, 'Lock')):
        names.type_name(type, name)
    names.thread_name(0x7f0000001000, 'Main')
    names.image(0x7f4000000000, 'p.exe')
    names.image_unload(0x7f4000000000, 'p.exe')
    names.assembly(0x7f5000000000, 'p')
    names.symbol(NATIVE_CODE, 'memcpy')
    names.counters()
    names.helper('trampoline')
    names.helper()
    gone = difference('events that are gone', file.version)
    later = difference('events that are not there yet', file.version)
    if 'coverage' not in gone:
        names.coverage()
    if 'binary' not in gone:
        names.binary(0x7f6000000000, 0x1000, 'libold.so')
    if 'root register' not in later:
        names.root_register()
    if 'aot id' not in later:
        names.aot_id()


def everything(version=LAST):
    """A file with each kind of event; test_mlpd.py says what it comes to."""
    file = File(version)
    # The second thread's buffer comes first, and is about an object that the first one allocates.
    other = file.buffer(WORKER, file.start + 500)
    other.monitor(1, 0x10000, [MAIN, WORK], passed=100)
    other.monitor(2, 0x10000, passed=40)
    other.monitor(1, 0x10000, [MAIN, WORK], passed=10)
    other.monitor(3, 0x10000, passed=2)
    main = file.buffer()
    main.enter(MAIN, passed=1000)
    main.enter(WORK, passed=10)
    main.enter(DEEP, passed=5)
    main.leave(DEEP, passed=20)
    main.leave(WORK, passed=5)
    main.enter(WORK, passed=100)
    main.alloc(LOCK, 0x10000, 24)
    main.alloc(THING, 0x10020, 40)
    main.alloc(THING, 0x10040, 40, [MAIN, DEEP])
    main.alloc(OOPS, 0x10060, 144, [MAIN])
    main.throw(0x10060, [MAIN, DEEP])
    main.throw(0x10060)
    main.clause(0, MAIN, 0x10060)
    main.clause(2, WORK, 0x10060)
    main.leave(WORK, passed=30, by_exception=True)
    main.leave(WORK, passed=1)
    main.handle(2, 0x10020, [MAIN])
    main.handle(2, 0x10040)
    main.handle_gone(2)
    gc = file.buffer(WORKER, file.start + 10000)
    gc.step(1)
    gc.gc(0, 0, passed=10)
    gc.moves(0x10020, 0x20000, 0x10060, 0x20020)
    gc.gc(5, 0, passed=500)
    gc.gc(0, 1, passed=10)
    gc.resize(1 << 20)
    gc.gc(5, 1, passed=1500)
    for shot in range(2):
        gc.heap_begin(passed=100)
        gc.roots(0x20000)
        gc.heap_object(THING, 0x20000, 40, [0x10000])
        gc.heap_object(THING, 0x20000, 0, [0x10000])
        gc.heap_object(LOCK, 0x10000, 24)
        for i in range(shot):
            gc.heap_object(THING, 0x30000 + 64 * i, 48)
        gc.heap_end()
    gc.throw(0x20020)
    tell_names(file)
    hits = file.buffer(0x7f0000003000, file.start + 20000)
    hits.hit(0x7f0000001000, CODE[DEEP] + 4, [DEEP, WORK, MAIN], passed=5)
    hits.hit(0x7f0000001000, CODE[DEEP] + 8, [DEEP, WORK, MAIN], passed=5)
    hits.hit(0x7f0000001000, CODE[WORK], [MAIN], passed=5)
    hits.hit(0x7f0000001000, NATIVE_CODE + 16, [WORK, MAIN], passed=(1 << 64) - 8)
    hits.hit(WORKER, 0x99, [], passed=10)
    if 'binary' not in difference('events that are gone', version):
        hits.hit(WORKER, 0x7f6000000010, [])
    end = file.buffer(time=file.start + 30000)
    end.leave(MAIN)
    return file
