# SPDX-License-Identifier: MIT
"""Pprof profiles for tests: profile.proto without protobuf, and nothing in common with the code under test.

    pprof.py FILE              one line per sample: values, labels, leaf ... root; then functions and comments
    pprof.load (path)          reads one
    pprof.read_text (path)     writes one: the bytes of what lines of text say

    value TYPE UNIT          one per value type
    default TYPE             default_sample_type
    time NANOSECONDS         since 1970
    duration NANOSECONDS
    comment TEXT
    sample ROOT;...;LEAF V1 V2 ... [KEY=TEXT]
    slow {"stack": "ROOT;...;LEAF", "duration": ...}    a slow call, see lib/base/slow-fields.h

Names may hold Python escapes (\\n, \\x1b, \\u202e); a name "N@FILE" has a file,
and one with a path is mapped from it. Lines that begin with # are not read.
"""
import gzip
import json
import pathlib
import sys


# --- writing

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


class Writer:
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

    def slow(self, stack, start=0, duration=0, thread=0, thread_name='', end=0, arguments='', result=''):
        data = block(6, b''.join(varint(self.function(name)) for name in reversed(stack.split(';'))))
        for field, value in ((1, start), (2, duration), (3, thread), (5, end)):
            data += number(field, value)
        for field, text in ((4, thread_name), (7, arguments), (8, result)):
            data += number(field, self.string(text.encode()))
        self.samples += block(1001, data)

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
        elif word == 'slow':
            self.slow(**json.loads(rest))
        else:
            raise ValueError(line)

    def encode(self):
        tail = bytearray()
        mapped = set()
        for name, index in self.functions.items():
            name, _, file = name.partition('@') if isinstance(name, str) else (name, None, '')
            image, _, place = file.partition('#')  # IMAGE!NAME, a source, a line: as Monocle has it
            path, slash, file = image.rpartition('/')
            system = self.string(unescape('%s!%s' % (file, name) if place else 'system ' + name))
            file, _, line = place.rpartition(':') if place else (file, '', '0')
            mapping = b''
            if slash:  # ids are as large as they like, and one for all functions of the image
                image = self.string(unescape(image))
                mapping = number(2, 1000 + image)
                tail += block(3, number(1, 1000 + image) + number(5, image)) if image not in mapped else b''
                mapped.add(image)
            tail += block(4, number(1, index) + mapping + block(4, number(1, index) + number(2, int(line))))
            tail += block(5, number(1, index) + number(2, self.string(unescape(name))) + number(3, system) +
                          (number(4, self.string(unescape(file))) if file else b''))
        for text in self.strings:
            tail += block(6, text)
        return bytes(self.head + self.samples + tail)


def read_text(path):
    profile = Writer()
    for line in pathlib.Path(path).read_text(encoding='utf-8').split('\n'):
        if line.strip() and not line.startswith('#'):
            profile.line(line)
    return profile.encode()


def write_gzip(path, data):
    with open(path, 'wb') as out:
        out.write(gzip.compress(data, mtime=0))


# --- reading

def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field; value is an int or bytes."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        elif key & 7 == 2:
            length, at = read_varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length, "a field reaches beyond its message"
        else:
            raise ValueError("wire type %d" % (key & 7))
        yield key >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = read_varint(data, at)
        values.append(value)
    return values


def message(data):
    return {number: value for number, value in fields(data)}


class Profile:
    def __init__(self, data):
        top = list(fields(data))
        self.strings = [value.decode("utf-8") for number, value in top if number == 6]
        assert self.strings[0] == "", "string 0 is the empty one"
        one = {number: value for number, value in top if isinstance(value, int)}
        self.types = [self.value_type(value) for number, value in top if number == 1]
        self.mappings = {m[1]: m for m in (message(value) for number, value in top if number == 3)}
        self.functions = {f[1]: self.function(f) for f in (message(value) for number, value in top if number == 5)}
        self.places = {}  # by location: method, address, line
        self.locations = dict(self.location(value) for number, value in top if number == 4)
        self.comments = [self.strings[value] for number, value in top if number == 13]
        self.time, self.duration, self.period = one.get(9, 0), one.get(10, 0), one.get(12, 0)
        self.default_type = self.strings[one.get(14, 0)]
        self.period_type = self.value_type([value for number, value in top if number == 11][0])
        self.samples = [self.sample(value) for number, value in top if number == 2]

    def value_type(self, data):
        m = message(data)
        return self.strings[m[1]], self.strings[m[2]]

    def function(self, m):
        return {"name": self.strings[m.get(2, 0)], "system_name": self.strings[m.get(3, 0)],
                "file": self.strings[m.get(4, 0)], "line": m.get(5, 0)}

    def location(self, data):
        m = message(data)
        line = message(m[4])
        function = self.functions[line[1]]
        assert m[2] in self.mappings, "a location's mapping is there"
        self.places[m[1]] = function["name"], m.get(3, 0), line.get(2, 0)
        return m[1], function

    def sample(self, data):
        locations, values, labels = [], [], {}
        for number, value in fields(data):
            if number == 1:
                locations = [self.locations[i]["name"] for i in packed(value)]
            elif number == 2:
                values = packed(value)
            elif number == 3:
                m = message(value)
                labels[self.strings[m[1]]] = self.strings[m.get(2, 0)]
        assert len(values) == len(self.types), "a value for each type"
        return locations, values, labels

    def by_method(self, value=0, thread=None):
        """Sums of one value over all paths, by the leaf's name."""
        sums = {}
        for locations, values, labels in self.samples:
            if thread is None or labels.get("thread") == thread:
                sums[locations[0]] = sums.get(locations[0], 0) + values[value]
        return sums


def load(path):
    with gzip.open(path) as file:
        return Profile(file.read())


def main():
    profile = load(sys.argv[1])
    print("types", profile.types, "default", profile.default_type, "period", profile.period_type, profile.period)
    for locations, values, labels in profile.samples:
        print(*values, *("%s=%s" % label for label in sorted(labels.items())), " <- ".join(locations))
    for function in profile.functions.values():
        print("function", function["name"], "|", function["system_name"], "|", function["file"])
    for comment in profile.comments:
        print("comment", comment)


if __name__ == "__main__":
    main()
