# SPDX-License-Identifier: MIT
"""A reader of pprof profiles for tests: profile.proto without protobuf.

    pprof.py FILE              one line per sample: values, labels, leaf ... root; then functions and comments
    import pprof; pprof.load (path)
"""
import gzip
import sys


def varint(data, at):
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
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length, "a field reaches beyond its message"
        else:
            raise ValueError("wire type %d" % (key & 7))
        yield key >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
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
                "file": self.strings[m.get(4, 0)]}

    def location(self, data):
        m = message(data)
        assert m[2] in self.mappings, "a location's mapping is there"
        return m[1], self.functions[message(m[4])[1]]

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
