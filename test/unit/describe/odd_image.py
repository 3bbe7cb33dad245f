#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes images that no compiler writes.

usage: odd_image.py odd|hostile FILE

odd      methods with signatures of every kind: arrays with sizes and lower bounds, custom modifiers in every place,
         function pointers, the class's own instance in arrays, variable arguments, 300 parameters, 80 type parameters.
         Each method is named after what it shows. Real Mono loads it.
hostile  classes that derive from, nest in and are made of each other in circles, and whatever else must not hang, crash
         or lie: see hostile_tables ().
"""
import struct
import sys

VOID, BOOL, CHAR, I4, STRING, OBJECT, INT = 0x01, 0x02, 0x03, 0x08, 0x0E, 0x1C, 0x18
PTR, BYREF, VALUETYPE, CLASS, VAR, ARRAY, INST, FNPTR = 0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x1B
SZARRAY, MVAR, REQD, OPT, SENTINEL, PINNED = 0x1D, 0x1E, 0x1F, 0x20, 0x41, 0x45
# Coded TypeDefOrRef: rows of TypeRef below, TypeDef 2 is Odd`1, 3 is Odd`1/In, 4 is Wide`80.
SYSTEM_OBJECT, IS_VOLATILE, LIST, IS_CONST, VALUE, KEYVALUE = (row << 2 | 1 for row in range(1, 7))
ODD, INNER, WIDE = (row << 2 for row in range(2, 5))
THIS = [0x20]
OWN = [INST, CLASS, ODD, 1, VAR, 0]
OWN_INNER = [INST, CLASS, INNER, 1, VAR, 0]
CONST, VOLATILE = [OPT, IS_CONST], [REQD, IS_VOLATILE]
MATRIX = [ARRAY, I4, 2, 0, 0]


def compressed(value):
    if value < 0x80:
        return [value]
    if value < 0x4000:
        return [0x80 | value >> 8, value & 0xFF]
    return [0xC0 | value >> 24, value >> 16 & 0xFF, value >> 8 & 0xFF, value & 0xFF]


def takes(*params, returns=(VOID,), convention=0x20, generics=0):
    """A method signature: bytes of each parameter."""
    head = [convention] + (compressed(generics) if generics else []) + compressed(len(params)) + list(returns)
    return head + [byte for param in params for byte in param]


def wide(count, of):
    return [INST, CLASS, WIDE] + compressed(count) + [byte for i in range(count) for byte in of(i)]


# name: signature
METHODS = {
    "Matrix": takes(MATRIX),
    "Sized": takes([ARRAY, I4, 2, 2, 3, 4, 0]),
    "SizedInPart": takes([ARRAY, I4, 3, 1, 3, 0]),
    "Bounded": takes([ARRAY, STRING, 2, 2, 3, 4, 2, 2, 0x7F]),
    "RankOne": takes([ARRAY, I4, 1, 0, 0]),
    "RankOneBounded": takes([ARRAY, I4, 1, 1, 5, 1, 2]),
    "RankOneSized": takes([ARRAY, I4, 1, 1, 5, 0]),
    "Jagged": takes([SZARRAY] + MATRIX, [ARRAY, SZARRAY, I4, 2, 0, 0]),
    "ModOpt": takes(CONST + [I4]),
    "ModReq": takes(VOLATILE + [I4]),
    "ModTwice": takes(CONST + VOLATILE + [I4]),
    "ModReturn": takes([I4], returns=CONST + [I4]),
    "ModPointee": takes([PTR] + CONST + [CHAR]),
    "ModByref": takes(VOLATILE + [BYREF, I4]),
    "ByrefMod": takes([BYREF] + VOLATILE + [I4]),
    "ModElement": takes([SZARRAY] + CONST + [I4]),
    "ModMatrix": takes([ARRAY] + CONST + [I4, 2, 0, 0]),
    "ModArgument": takes([INST, CLASS, LIST, 1] + CONST + [I4]),
    "ModVar": takes(CONST + [VAR, 0]),
    "ModInstance": takes(CONST + OWN),
    "Pointer": takes([FNPTR, 0x00, 1, VOID, I4]),
    "PointerReturning": takes([FNPTR, 0x00, 2, STRING, I4, BYREF, OBJECT]),
    "PointerNative": takes([FNPTR, 0x02, 1, I4, INT]),
    "PointerUnmanaged": takes([FNPTR, 0x09, 0, VOID]),
    "PointerInstance": takes([FNPTR, 0x20, 1, VOID, VAR, 0]),
    "PointerByref": takes([BYREF, FNPTR, 0x00, 0, VOID]),
    "PointerInPointer": takes([FNPTR, 0x00, 1, VOID, FNPTR, 0x00, 0, I4]),
    "PointerToOwn": takes([FNPTR, 0x00, 1] + OWN + OWN),
    "Own": takes(OWN),
    "OwnVector": takes([SZARRAY] + OWN),
    "OwnMatrix": takes([ARRAY] + OWN + [2, 0, 0]),
    "OwnJagged": takes([SZARRAY, SZARRAY] + OWN),
    "OwnPointer": takes([PTR] + OWN),
    "OwnByref": takes([BYREF] + OWN),
    "OwnArrayByref": takes([BYREF, SZARRAY] + OWN),
    "OwnInList": takes([INST, CLASS, LIST, 1] + OWN),
    "OwnArrayInList": takes([INST, CLASS, LIST, 1, SZARRAY] + OWN),
    "OwnOfOwn": takes([SZARRAY, INST, CLASS, ODD, 1] + OWN),
    "InnerVector": takes([SZARRAY] + OWN_INNER),
    "OtherVector": takes([SZARRAY, INST, CLASS, ODD, 1, I4]),
    "Definition": takes([CLASS, ODD], [SZARRAY, CLASS, ODD]),
    "Var": takes([VAR, 0], [SZARRAY, VAR, 0], [BYREF, VAR, 0]),
    "MVar": takes([MVAR, 0], [SZARRAY, MVAR, 1], OWN, convention=0x30, generics=2),
    "MVarInOwn": takes([SZARRAY, INST, CLASS, ODD, 1, MVAR, 0], convention=0x30, generics=2),
    "Struct": takes([VALUETYPE, VALUE], [INST, VALUETYPE, KEYVALUE, 2, I4, STRING], [BYREF, VALUETYPE, VALUE]),
    "Typed": takes([0x16], [INT], [0x19]),
    "Vararg": takes([I4], convention=0x25),
    "ThreeHundred": takes(*[[I4] if i % 3 else [STRING] for i in range(300)]),
    "Eighty": takes(wide(80, lambda i: [I4] if i % 2 else [SZARRAY, STRING])),
    "EightyOpen": takes(wide(80, lambda i: [VAR, 0])),
    "Deep": takes([INST, CLASS, LIST, 1] * 30 + [I4]),
}
GENERIC_METHODS = {"MVar": ["A", "B"], "MVarInOwn": ["A", "B"]}


class Heap(bytearray):
    def text(self, string):
        return self.add(string.encode() + b"\0")

    def blob(self, data):
        return self.add(bytes(compressed(len(data))) + bytes(data))

    def add(self, data):
        at = len(self)
        self.extend(data)
        return at


def tables(strings, blobs):
    """Rows by table number; every index is two bytes wide."""
    text, blob = strings.text, blobs.blob
    mscorlib, system, compiler = 1 << 2 | 2, text("System"), text("System.Runtime.CompilerServices")
    generic, none = text("System.Collections.Generic"), 0
    refs = [("Object", system), ("IsVolatile", compiler), ("List`1", generic), ("IsConst", compiler),
            ("DateTime", system), ("KeyValuePair`2", generic)]
    n, first = text("N"), len(METHODS) + 1
    params = [(0, 0, ODD >> 1, text("T")), (0, 0, INNER >> 1, text("T"))]
    params += [(i, 0, WIDE >> 1, text("W%d" % i)) for i in range(80)]
    for row, name in enumerate(METHODS, 1):
        params += [(i, 0, row << 1 | 1, text(letter)) for i, letter in enumerate(GENERIC_METHODS.get(name, []))]
    params.sort(key=lambda row: row[2])
    abstract_class, nested_class, abstract_method = 0x100081, 0x100082, 0x05C6
    return {
        0x00: ("<HHHHH", [(0, text("odd.dll"), 1, 0, 0)]),
        0x01: ("<HHH", [(mscorlib, text(name), space) for name, space in refs]),
        0x02: ("<IHHHHH", [(0, text("<Module>"), none, 0, 1, 1),
                           (abstract_class, text("Odd`1"), n, SYSTEM_OBJECT, 1, 1),
                           (nested_class, text("In"), none, SYSTEM_OBJECT, 1, first),
                           (abstract_class, text("Wide`80"), n, SYSTEM_OBJECT, 1, first)]),
        0x06: ("<IHHHHH", [(0, 0, abstract_method, text(name), blob(sig), 1) for name, sig in METHODS.items()]),
        0x20: ("<IHHHHIHHH", [(0x8004, 1, 0, 0, 0, 0, 0, text("odd"), none)]),
        0x23: ("<HHHHIHHHH", [(4, 0, 0, 0, 0, blob([0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89]),
                               text("mscorlib"), none, 0)]),
        0x29: ("<HH", [(3, 2)]),
        0x2A: ("<HHHH", params),
    }


def hostile_tables(strings, blobs):
    """Rows as in tables (), of an image that contradicts itself and good sense."""
    text, blob, none = strings.text, blobs.blob, 0
    spec = [row << 2 | 2 for row in range(8)]   # coded TypeDefOrRef of TypeSpec rows
    pair, grow = 5 << 2, 6 << 2                 # Pair`2, Grow`1
    types = ["<Module>", "Derives", "FromEachOther", "Itself", "Pair`2", "Grow`1", "Outside", "Inside", "Alone"]
    extends = [none, 3 << 2, 2 << 2, 4 << 2, SYSTEM_OBJECT, spec[3], SYSTEM_OBJECT, SYSTEM_OBJECT, 200 << 2]
    methods = {
        "Most": takes(*[[I4]] * 65535),
        "TooMany": [0x20] + compressed(65536) + [VOID] + [I4] * 65536,
        "Missing": [0x20] + compressed(5) + [VOID, I4],
        "Huge": [0x20] + compressed(0x1FFFFFFF) + [VOID],
        "Deep": takes([SZARRAY] * 2000 + [I4]),
        "Nesting": takes([SZARRAY] * 60 + [I4]),
        "Circle": takes([CLASS, spec[1]]),
        "Doubling": takes([CLASS, spec[2]]),
        "DoublingTwenty": takes(doubling(pair, 17)),
        "NoSuchType": takes([CLASS, 0x1F << 2]),
        "NoSuchRef": takes([CLASS, 0x1F << 2 | 1]),
        "Modified": takes([OPT, IS_CONST] * 65 + [I4]),
        "Shape": takes([ARRAY, I4, 2, 3, 1, 2, 3, 0]),
        "Bounds": takes([ARRAY, I4, 1, 0] + compressed(0x1FFFFFFF)),
        "NoRank": takes([ARRAY, I4, 0, 0, 0]),
        "ByrefInside": takes([SZARRAY, BYREF, I4]),
        "PointerCircle": takes([FNPTR, 0x00, 1, VOID, CLASS, spec[1]]),
        "Var": takes([VAR] + compressed(70000), [MVAR] + compressed(70000)),
        "Nothing": [],
    }
    fields = [("RvaOutside", 0x0110, [0x06, I4]), ("NoSignature", 0x0010, []),
              ("Circle", 0x0010, [0x06, CLASS, spec[1]])]
    body_rva = 0x2000 + 0x10  # inside the CLI header: no body
    return {
        0x00: ("<HHHHH", [(0, text("hostile.dll"), 1, 0, 0)]),
        0x01: ("<HHH", [(1 << 2 | 2, text("Object"), text("System")), (2 << 2 | 3, text("Circle"), none),
                        (4 << 2 | 3, text("A"), none), (3 << 2 | 3, text("B"), none)]),
        0x02: ("<IHHHHH", [(0x100081 + (name == "Inside"), text(name), none, base, 1 if row < 2 else 4, 1 if row < 2
                            else len(methods) + 1) for row, (name, base) in enumerate(zip(types, extends))]),
        0x04: ("<HHI", [(flags, text(name), blob(sig)) for name, flags, sig in fields]),
        0x06: ("<IHHHIH", [(body_rva, 0, 0x0086, text(name), blob(sig), 1) for name, sig in methods.items()]),
        0x09: ("<HH", [(2, spec[1]), (2, 3 << 2), (3, 2 << 2), (2, 999)]),
        0x0A: ("<HHI", [(2 << 3, text("Absent"), blob(takes())), (spec[1] >> 2 << 3 | 4, text("Absent"), blob(takes())),
                        (6 << 3, text("Absent"), blob([0x06, I4])), (999 << 3 | 3, text("X"), blob(takes()))]),
        0x0C: ("<HHI", [(2 << 5 | 3, 1 << 3 | 3, 0), (2 << 5 | 3, 999 << 3 | 2, 0), (2 << 5 | 3, 0, 9999)]),
        0x11: ("<I", [(blob([0x07, 1, PINNED, BYREF, CLASS, spec[1]]),)]),
        0x1B: ("<I", [(blob([CLASS, spec[1]]),), (blob([INST, CLASS, pair, 2, CLASS, spec[2], CLASS, spec[2]]),),
                      (blob([INST, CLASS, grow, 1, INST, CLASS, grow, 1, VAR, 0]),),
                      (blob([INST, CLASS, spec[5], 1, I4]),), (blob([INST, CLASS, spec[4], 1, I4]),)]),
        0x1D: ("<IH", [(0x7FFFFFF0, 1), (0x2000, 999)]),
        0x20: ("<IHHHHIIHH", [(0x8004, 1, 0, 0, 0, 0, 0, text("hostile"), none)]),
        0x23: ("<HHHHIIHHI", [(4, 0, 0, 0, 0, none, text("mscorlib"), none, 0)]),
        0x29: ("<HH", [(7, 8), (8, 7), (9, 9), (8, 8), (300, 2), (2, 300)]),
        0x2A: ("<HHHH", [(0, 0, 5 << 1, text("A")), (1, 0, 5 << 1, text("B")), (0, 0, 6 << 1, text("T"))]),
        0x2B: ("<HI", [(1 << 1, blob([0x0A, 1, CLASS, spec[1]])), (1 << 1 | 1, blob([0x0A, 1, I4])),
                       (1 << 1, blob([]))]),
    }


def doubling(pair, levels):
    """Each level is a pair of the one below, spelled out."""
    one = [I4]
    for _ in range(min(levels, 12)):
        one = [INST, CLASS, pair, 2] + one + one
    return one


def padded(data, alignment=4):
    return bytes(data) + bytes(-len(data) % alignment)


def metadata(make_tables, wide_blobs):
    strings, blobs = Heap(b"\0"), Heap(b"\0")
    rows = make_tables(strings, blobs)
    head = struct.pack("<IBBBBQQ", 0, 2, 0, 4 if wide_blobs else 0, 1, sum(1 << number for number in rows), 0)
    head += b"".join(struct.pack("<I", len(rows[number][1])) for number in sorted(rows))
    body = b"".join(struct.pack(rows[number][0], *row) for number in sorted(rows) for row in rows[number][1])
    streams = [(b"#~\0\0", padded(head + body)), (b"#Strings\0\0\0\0", padded(strings)),
               (b"#Blob\0\0\0", padded(blobs)), (b"#GUID\0\0\0", bytes(range(16)))]
    version = b"v4.0.30319\0\0"
    root = struct.pack("<IHHII", 0x424A5342, 1, 1, 0, len(version)) + version + struct.pack("<HH", 0, len(streams))
    at, directory = len(root) + sum(8 + len(name) for name, _ in streams), b""
    for name, data in streams:
        directory += struct.pack("<II", at, len(data)) + name
        at += len(data)
    return root + directory + b"".join(data for _, data in streams)


def image(make_tables=tables, wide_blobs=False):
    """PE32 with one section: the CLI header and the metadata."""
    rva, offset, data = 0x2000, 0x200, metadata(make_tables, wide_blobs)
    cli = struct.pack("<IHHIIII", 72, 2, 5, rva + 72, len(data), 1, 0) + bytes(48)
    text = padded(cli + data, 0x200)
    dos = b"MZ" + bytes(0x3A) + struct.pack("<I", 0x80) + bytes(0x40)
    coff = b"PE\0\0" + struct.pack("<HHIIIHH", 0x14C, 1, 0, 0, 0, 224, 0x2102)
    optional = struct.pack("<HBBIIIIII", 0x10B, 8, 0, len(text), 0, 0, 0, rva, rva)
    optional += struct.pack("<IIIHHHHHHIIIIHHIIIIII", 0x400000, 0x2000, 0x200, 4, 0, 0, 0, 4, 0, 0,
                            rva + len(padded(text, 0x2000)), offset, 0, 3, 0, 0x100000, 0x1000, 0x100000, 0x1000, 0, 16)
    optional += bytes(14 * 8) + struct.pack("<II", rva, 72) + bytes(8)
    section = b".text\0\0\0" + struct.pack("<IIIIIIHHI", len(text), rva, len(text), offset, 0, 0, 0, 0, 0x60000020)
    return padded(dos + coff + optional + section, offset) + text


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as output:
        output.write(image() if sys.argv[1] == "odd" else image(hostile_tables, wide_blobs=True))
