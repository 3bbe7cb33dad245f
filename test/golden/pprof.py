# SPDX-License-Identifier: MIT
"""A small pprof writer: profiles for tests from lines of text.

    value TYPE UNIT          one per value type
    default TYPE             default_sample_type
    time NANOSECONDS         since 1970
    duration NANOSECONDS
    comment TEXT
    sample ROOT;...;LEAF V1 V2 ... [KEY=TEXT]

Names may hold Python escapes (\\n, \\x1b, \\u202e); a name "N@FILE" has a file. Lines that begin with # are not read.
"""
import gzip
import pathlib


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def unescape(text):
    """Escapes become what they say; \\xNN is a byte, so that a name can be invalid UTF-8."""
    raw = text.encode('utf-8')
    out = bytearray()
    at = 0
    while at < len(raw):
        if raw[at:at + 2] == b'\\x':
            out.append(int(raw[at + 2:at + 4], 16))
            at += 4
        elif raw[at:at + 2] == b'\\u':
            out += chr(int(raw[at + 2:at + 6], 16)).encode('utf-8')
            at += 6
        elif raw[at:at + 1] == b'\\':
            out += {b'n': b'\n', b't': b'\t', b'r': b'\r', b'\\': b'\\', b's': b';', b'_': b' '}[raw[at + 1:at + 2]]
            at += 2
        else:
            out.append(raw[at])
            at += 1
    return bytes(out)


class Profile:
    def __init__(self):
        self.strings = {b'': 0}
        self.functions = {}
        self.head = bytearray()
        self.samples = bytearray()
        self.values = 0

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def function(self, name):
        return self.functions.setdefault(name, len(self.functions) + 1)

    def value(self, kind, unit):
        self.values += 1
        self.head += block(1, number(1, self.string(kind.encode())) + number(2, self.string(unit.encode())))

    def sample(self, frames, values, labels=()):
        """frames: names, root first"""
        data = block(1, b''.join(varint(self.function(name)) for name in reversed(frames)))
        data += block(2, b''.join(varint(value) for value in values))
        for key, text in labels:
            data += block(3, number(1, self.string(key.encode())) + number(2, self.string(text.encode())))
        self.samples += block(2, data)

    def line(self, line):
        word, _, rest = line.partition(' ')
        if word == 'value':
            self.value(*rest.split())
        elif word == 'default':
            self.head += number(14, self.string(rest.encode()))
        elif word == 'time':
            self.head += number(9, int(rest))
        elif word == 'duration':
            self.head += number(10, int(rest))
        elif word == 'comment':
            self.head += number(13, self.string(unescape(rest)))
        elif word == 'sample':
            labels = []
            while '=' in rest.rsplit(' ', 1)[-1]:
                rest, label = rest.rsplit(' ', 1)
                labels.append(label.split('='))
            words = rest.rsplit(' ', self.values)
            frames = words[0].split(';') if words[0] != '-' else []
            self.sample(frames, [int(value) for value in words[1:]], labels)
        else:
            raise ValueError(line)

    def encode(self):
        tail = bytearray()
        for name, index in self.functions.items():
            name, _, file = name.partition('@') if isinstance(name, str) else (name, None, '')
            system = self.string(b'system ' + unescape(name))
            tail += block(4, number(1, index) + block(4, number(1, index)))
            tail += block(5, number(1, index) + number(2, self.string(unescape(name))) + number(3, system) +
                          (number(4, self.string(unescape(file))) if file else b''))
        for text in self.strings:
            tail += block(6, text)
        return bytes(self.head + self.samples + tail)


def read_text(path):
    profile = Profile()
    for line in pathlib.Path(path).read_text(encoding='utf-8').split('\n'):
        if line.strip() and not line.startswith('#'):
            profile.line(line)
    return profile.encode()


def write_gzip(path, data):
    with open(path, 'wb') as out:
        out.write(gzip.compress(data, mtime=0))
