#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes inputs for fuzz_nettrace.c: a stream with each kind of block, and two answers of the diagnostics protocol.

  make_nettrace_corpus.py STREAM INFO ERROR
"""
import struct
import sys


def text(word):
    return word.encode("utf-16le") + b"\0\0"


def varying(number):
    out = b""
    while True:
        out += bytes([number & 0x7f | (0x80 if number > 0x7f else 0)])
        number >>= 7
        if not number:
            return out


def head(name):
    return b"\x05\x05\x01" + struct.pack("<III", 4, 4, len(name)) + name.encode() + b"\x06"


def block(stream, name, data):
    stream += head(name) + struct.pack("<I", len(data))
    return stream + bytes(-len(stream) % 4) + data + b"\x06"


def event(kind, data, time=1, stack=0):
    return b"\x8f" + b"".join(map(varying, (kind, 0, 7, 0, 7, stack, time, len(data)))) + data


def kind(number, provider, identity, name, fields=struct.pack("<I", 0)):
    return event(0, struct.pack("<I", number) + text(provider) + struct.pack("<I", identity) + text(name) +
                 struct.pack("<QII", 1, 1, 4) + fields)


def counter_fields(value):
    fields = [(18, "Name"), (18, "DisplayName"), (14, value), (9, "Count"), (13, "IntervalSec")]
    inner = b"".join(struct.pack("<I", code) + text(name) for code, name in fields)
    return struct.pack("<III", 1, 1, len(fields)) + inner + text("Payload")


def counter(name, value):
    return text(name) + text("shown") + struct.pack("<dif", value, 1, 1.0)


def stream():
    events = bytes([20, 0, 1, 0]) + bytes(16)
    native = "Microsoft-Windows-DotNETRuntime"
    numbers = [1, 3, 4, 9, 10, 80, 81, 91]
    kinds = events + b"".join(kind(1 + i, native, number, "") for i, number in enumerate(numbers))
    kinds += kind(50, "System.Runtime", 2, "EventCounters", counter_fields("Mean"))
    kinds += kind(51, "System.Runtime", 3, "EventCounters", counter_fields("Increment"))
    out = b"Nettrace\x14\0\0\0!FastSerialization.1" + head("Trace") + bytes(16) + struct.pack("<QQ", 1, 10 ** 9)
    out += bytes(16) + b"\x06"
    out = block(out, "MetadataBlock", kinds)
    out = block(out, "StackBlock", struct.pack("<IIIQQI", 1, 2, 16, 4096, 8192, 0))
    told = events + event(4, struct.pack("<I", 1)) + event(1, struct.pack("<II", 1, 2)) + event(2, b"\0\0")
    told += event(3, bytes(102)) + event(5, bytes(10) + struct.pack("<Q", 100000), stack=1) + event(6, b"")
    told += event(7, bytes(27)) + event(8, b"\0\0\0" + struct.pack("<d", 5e6))
    told += event(50, counter("gc-heap-size", 1.5)) + event(51, counter("alloc-rate", 100.0)) + b"\0\x05"
    out = block(out, "EventBlock", told)
    return block(out, "SPBlock", struct.pack("<QIQI", 1, 1, 7, 1)) + b"\x01"


def message(command, payload):
    return b"DOTNET_IPC_V1\0" + struct.pack("<HBBH", 20 + len(payload), 0xff, command, 0) + payload


def counted(word):
    return struct.pack("<I", len(word) + 1) + text(word)


def main():
    info = bytes(24) + b"".join(map(counted, ["app", "linux", "x64", "app", "10.0.1"]))
    for path, data in zip(sys.argv[1:], [b"\x05" + stream(), message(0, info), message(0xff, b"\x85\x13\x13\x80")]):
        with open(path, "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
