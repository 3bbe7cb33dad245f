#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_il_rewrite.py - the runtimes as judges of lib/ecma/il.h: assemblies with every method edited behave as before.
#
#   test_il_rewrite.py mono|coreclr IL_REWRITE PROGRAM.cs...
#
# The compiler of the runtime is rewritten too, and must compile the programs to the same. Half a million insertions in
# front of every kind of instruction, of loops, handlers, filters and switches find what small bodies do not show.

import glob
import os
import shutil
import subprocess
import sys
import tempfile


def skip(name, why):
    print(f'{why} is not here')
    sys.exit(1 if name in os.environ.get('MONOCLE_REQUIRE', '').split(',') else 77)


def run(command, **environment):
    return subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def must(command, **environment):
    result = run(command, **environment)
    if result.returncode:
        sys.exit(f'{command}: {result.returncode}\n{result.stdout.decode()}{result.stderr.decode()}')
    return result


class Mono:
    def __init__(self, work):
        self.compiler = '/usr/lib/mono/4.5/mcs.exe'
        if not shutil.which('mono') or not os.path.exists(self.compiler):
            skip('mono', 'Mono or its compiler')
        self.work = work

    def rewritten_compiler(self, rewrite):
        path = os.path.join(self.work, 'mcs.exe')
        print(must([rewrite, self.compiler, path, '1']).stdout.decode(), end='')
        return path

    def compile(self, compiler, source, out):
        must(['mono', compiler, '-nologo', '-sdk:/usr/lib/mono/4.5', '-warn:0', '-unsafe', '-out:' + out, source])

    def run(self, program):
        return run(['mono', program])


class CoreCLR:
    def __init__(self, work):
        dotnet = shutil.which('dotnet')
        root = os.path.dirname(os.path.realpath(dotnet)) if dotnet else '/nowhere'
        compilers = sorted(glob.glob(root + '/sdk/*/Roslyn/bincore'))
        frameworks = sorted(glob.glob(root + '/shared/Microsoft.NETCore.App/*'))
        if not compilers or not frameworks:
            skip('coreclr', 'the .NET SDK')
        self.work = work
        self.folder = compilers[-1]
        self.compiler = self.folder + '/csc.dll'
        self.references = ['-r:' + dll for dll in glob.glob(frameworks[-1] + '/System.*.dll')]
        self.config = os.path.join(work, 'runtimeconfig.json')
        with open(self.config, 'w') as file:
            file.write('{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"%s"}}}'
                       % os.path.basename(frameworks[-1]))

    def rewritten_compiler(self, rewrite):
        folder = os.path.join(self.work, 'bincore')
        shutil.copytree(self.folder, folder)
        for name in ['Microsoft.CodeAnalysis.CSharp.dll', 'Microsoft.CodeAnalysis.dll', 'csc.dll']:
            path = os.path.join(folder, name)
            print(name, must([rewrite, os.path.join(self.folder, name), path, '1']).stdout.decode(), end='')
        return os.path.join(folder, 'csc.dll')

    def compile(self, compiler, source, out):
        # Without the ready-made code of the images, which would hide the rewritten bodies.
        switch = {} if compiler == self.compiler else {'DOTNET_ReadyToRun': '0'}
        must(['dotnet', 'exec', compiler, '-nologo', '-deterministic', '-noconfig', '-nostdlib', '-warn:0', '-unsafe',
              '-out:' + out, source] + self.references, **switch)

    def run(self, program):
        return run(['dotnet', 'exec', '--runtimeconfig', self.config, program])


def check(runtime, compiler, rewrite, source):
    """The same file from both compilers where they are deterministic, the same run of it and of its rewritten copy."""
    paths = []
    # One file name for all, because the name of the assembly goes into the file.
    for step in ['plain', 'by-rewritten', 'rewritten']:
        os.makedirs(os.path.join(runtime.work, step), exist_ok=True)
        paths.append(os.path.join(runtime.work, step, os.path.basename(source)[:-3] + '.exe'))
    plain, by_rewritten, rewritten = paths
    runtime.compile(runtime.compiler, source, plain)
    runtime.compile(compiler, source, by_rewritten)
    must([rewrite, plain, rewritten, '2'])
    if isinstance(runtime, CoreCLR) and open(plain, 'rb').read() != open(by_rewritten, 'rb').read():
        sys.exit(f'{source}: the rewritten compiler writes another file')
    expected = runtime.run(plain)
    for path in paths[1:]:
        result = runtime.run(path)
        if (result.returncode, result.stdout) != (expected.returncode, expected.stdout):
            sys.exit(f'{path}: {result.returncode} instead of {expected.returncode}\n'
                     f'{result.stdout.decode()}{result.stderr.decode()}')
    print(os.path.basename(source), 'is the same')


def main(name, rewrite, *sources):
    with tempfile.TemporaryDirectory() as work:
        runtime = {'mono': Mono, 'coreclr': CoreCLR}[name](work)
        compiler = runtime.rewritten_compiler(rewrite)
        for source in sources:
            check(runtime, compiler, rewrite, source)


if __name__ == '__main__':
    main(*sys.argv[1:])
