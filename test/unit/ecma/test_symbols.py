#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_symbols.py - the runtimes as judges of lib/ecma/{pdb,mdb,attribute}.h.
#
#   test_symbols.py mono SYMBOLS_DUMP CSC_SH MODULE PROGRAM.cs...
#   test_symbols.py coreclr SYMBOLS_DUMP CSC_SH ORACLE.cs PROGRAM.cs...
#
# mono: the location of every offset of every method, from an .mdb and from portable PDBs, is what Mono itself says
# through a profiler module (mono_locations.c). One difference is asserted, not excused: where the document changes
# between two points, Mono names the later point's document for the code of the earlier one.
#
# coreclr: documents, sequence points, scopes, variables, state machines and custom attributes are what
# System.Reflection.Metadata reads (symbols_oracle.cs), also in the SDK's own assemblies that embed their symbols.

import collections
import glob
import os
import shutil
import struct
import subprocess
import sys
import tempfile

EMPTY = 'class Empty { static void Main () { } }\n'
KINDS = [['-debug:portable'], ['-debug:portable', '-optimize+'], ['-debug:embedded']]


def skip(name, why):
    print(f'{why} is not here')
    sys.exit(1 if name in os.environ.get('MONOCLE_REQUIRE', '').split(',') else 77)


def must(command, **environment):
    result = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode:
        sys.exit(f'{command[:6]}: {result.returncode}\n{result.stdout.decode()}{result.stderr.decode()}')
    return result.stdout.decode()


def rows(text):
    return [line.split('\t') for line in text.splitlines()]


def leb(number):
    number &= 0xFFFFFFFF
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


COPY, TOGGLE, END = b'\1', b'\0\1\x40', b'\0\1\1'
HIDDEN_LINE = 0xFEEFEE


def move(offset, line):
    """A point so much further, in a line program."""
    return (b'\2' + leb(offset) if offset else b'') + (b'\3' + leb(line) if line else b'') + COPY


# What mcs does not write: hidden points of both kinds, steps back, points at one offset, lines below 1, no document.
PROGRAMS = [
    move(0, 9) + TOGGLE + move(5, 10) + TOGGLE + move(5, 10) + END,
    move(0, 9) + move(5, HIDDEN_LINE - 10) + move(5, 40 - HIDDEN_LINE) + END,
    move(20, 9) + move(-8, 10) + move(13, 10) + move(0, 10) + b'\4\2' + move(5, 0) + b'\x08' + COPY + END,
    TOGGLE + COPY + TOGGLE + move(3, 5) + END,
    move(0, HIDDEN_LINE - 1) + move(3, 5 - HIDDEN_LINE) + END,
    move(0, -1) + move(3, 5) + END,
    b'\4\0' + COPY + move(3, 5) + END,
    END,
]


class Judge:
    def __init__(self, dump, csc, work):
        self.dump, self.csc, self.work = dump, csc, work
        self.counts = collections.Counter()

    def compile_portable(self, source, options):
        """The image and, unless it embeds them, its symbols."""
        folder = os.path.join(self.work, 'csc' + ''.join(options).replace(':', '-'))
        os.makedirs(folder, exist_ok=True)
        image = os.path.join(folder, os.path.basename(source)[:-3] + '.exe')
        library = '/usr/lib/mono/4.5/System.Core.dll'
        must([self.csc, '-unsafe', '-warn:0', '-r:' + library, '-out:' + image] + options + [source])
        return [image] if '-debug:embedded' in options else [image, image[:-4] + '.pdb']

    def likely(self, image, *expected):
        self.differ('likely ' + image, rows(must([self.dump, 'likely', image])), [list(expected)])
        self.counts['looks beforehand'] += 1

    def differ(self, what, ours, theirs):
        for mine, other in zip(ours, theirs):
            if mine != other:
                sys.exit(f'{what}: {mine} instead of {other}')
        if len(ours) != len(theirs):
            sys.exit(f'{what}: {len(ours)} lines instead of {len(theirs)}')


class Mono(Judge):
    def __init__(self, dump, csc, work, module):
        super().__init__(dump, csc, work)
        if not shutil.which('mono') or not shutil.which('mcs'):
            skip('mono', 'Mono or its compiler')
        self.module = module
        self.empty = os.path.join(work, 'empty.exe')
        with open(self.empty[:-4] + '.cs', 'w') as file:
            file.write(EMPTY)
        must(['mcs', '-out:' + self.empty, self.empty[:-4] + '.cs'])

    def locations(self, image):
        out = os.path.join(self.work, 'locations.tsv')
        must(['mono', f'--profile=locations:{image}:{out}', self.empty], LD_LIBRARY_PATH=os.path.dirname(self.module))
        with open(out, encoding='utf-8') as file:
            return rows(file.read())

    def ours(self, image, symbols):
        return rows(must([self.dump, 'locations', image, symbols]))

    def later_documents(self, image, symbols):
        """What Mono calls the document of a point, by method and offset: that of the next one, if there is one."""
        names, points, later = {}, collections.defaultdict(list), {}
        for row in rows(must([self.dump, 'points', image, symbols])):
            if row[0] == 'D':
                names[row[1]] = row[2]
            if row[0] == 'P':
                points[row[1]].append(row)
        for token, all_points in points.items():
            for point, following in zip(all_points, all_points[1:] + all_points[-1:]):
                later[token, point[2]] = names[following[3]]
        return later

    def check_mdb(self, image):
        theirs = self.locations(image)
        self.differ(image, self.ours(image, image + '.mdb'), theirs)
        self.counts['locations from .mdb'] += len(theirs)

    def check_programs(self, image):
        """The same with other line programs: each method of the file gets the next of them."""
        crafted = os.path.join(self.work, 'crafted', os.path.basename(image))
        os.makedirs(os.path.dirname(crafted), exist_ok=True)
        shutil.copy(image, crafted)
        with open(image + '.mdb', 'rb') as file:
            data = bytearray(file.read())
        sources, = struct.unpack_from('<I', data, 32 + 6 * 4)
        count, methods = struct.unpack_from('<II', data, 32 + 9 * 4)
        for i in range(count if sources > 1 else 0):
            struct.pack_into('<I', data, methods + i * 12 + 8, len(data))
            data += PROGRAMS[i % len(PROGRAMS)]
        with open(crafted + '.mdb', 'wb') as file:
            file.write(data)
        self.check_mdb(crafted)

    def check_pdb(self, image, symbols):
        later, theirs, ours = self.later_documents(image, symbols), self.locations(image), self.ours(image, symbols)
        self.counts['locations from portable PDBs'] += len(theirs)
        for row in ours:
            if len(row) == 6:
                self.counts['of which Mono names the next document'] += later[row[0], row[2]] != row[5]
                row[5] = later[row[0], row[2]]
        self.differ(image, ours, theirs)

    def check(self, source):
        image = os.path.join(self.work, os.path.basename(source)[:-3] + '.exe')
        must(['mcs', '-debug', '-unsafe', '-warn:0', '-out:' + image, source])
        self.check_mdb(image)
        self.check_programs(image)
        if must([self.csc, '--where']).strip():
            for options in KINDS[:2]:
                self.check_pdb(*self.compile_portable(source, options))

    def check_installed(self):
        for mdb in glob.glob('/usr/lib/mono/gac/*/*/*.dll.mdb'):
            self.check_mdb(mdb[:-4])
            self.likely(mdb[:-4], 'likely', 'found')


class CoreCLR(Judge):
    def __init__(self, dump, csc, work, oracle):
        super().__init__(dump, csc, work)
        compiler = must([csc, '--where']).strip()
        if not compiler:
            skip('coreclr', 'the SDK, or a class library of Mono to compile for,')
        self.sdk = os.path.dirname(os.path.dirname(os.path.dirname(compiler)))
        root = os.path.dirname(os.path.dirname(self.sdk))
        self.framework = sorted(glob.glob(root + '/shared/Microsoft.NETCore.App/*'))[-1]
        self.oracle = os.path.join(work, 'oracle.dll')
        references = ['-r:' + dll for dll in glob.glob(self.framework + '/System.*.dll')]
        options = ['-nologo', '-noconfig', '-nostdlib', '-out:' + self.oracle]
        must(['dotnet', 'exec', compiler] + options + [oracle] + references)
        with open(os.path.join(work, 'oracle.runtimeconfig.json'), 'w') as file:
            file.write('{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"%s"}}}'
                       % os.path.basename(self.framework))

    def compare(self, mode, *files):
        arguments = [mode, *files]
        theirs = rows(must(['dotnet', 'exec', self.oracle] + arguments))
        self.differ(' '.join(arguments), rows(must([self.dump] + arguments)), theirs)
        names = {'D': 'documents', 'P': 'sequence points', 'S': 'scopes', 'V': 'variables', 'K': 'state machines',
                 'A': 'attributes'}
        self.counts.update(names[row[0]] for row in theirs)

    def check(self, source):
        for options in KINDS:
            files = self.compile_portable(source, options)
            self.compare('points', *files)
            self.compare('attributes', files[0])
            self.likely(files[0], 'likely', 'found')
            for symbols in files[1:]:
                os.rename(symbols, symbols + '.away')
                self.likely(files[0], 'unlikely', 'none')
                os.rename(symbols + '.away', symbols)

    def check_installed(self):
        self.compare('attributes', self.framework + '/System.Private.CoreLib.dll')
        self.likely(self.framework + '/System.Private.CoreLib.dll', 'unlikely', 'none')
        for name in ['FSharp/FSharp.Core.dll', 'Spectre.Console.dll', 'vstest.console.dll']:
            path = os.path.join(self.sdk, name)
            if os.path.exists(path):
                self.compare('points', path)
                self.compare('attributes', path)


def main(name, dump, csc, other, *sources):
    with tempfile.TemporaryDirectory() as work:
        judge = {'mono': Mono, 'coreclr': CoreCLR}[name](dump, csc, work, other)
        for source in sources:
            judge.check(source)
        judge.check_installed()
        print(', '.join(f'{count} {what}' for what, count in judge.counts.items()))


if __name__ == '__main__':
    main(*sys.argv[1:])
