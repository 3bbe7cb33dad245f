#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`monocle list` and `monocle doctor`.

    test_tools.py MONOCLE
"""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case


class Tools(case.Case):
    def test_a_module_is_no_command(self):
        for name in ('sample', 'coverage', 'calls'):
            code, out, error = self.monocle(name)
            self.assertEqual((code, out, error), (2, '', "monocle: '%s' is a module: monocle run --profile=%s -- "
                                                  "COMMAND\n" % (name, name)))

    def test_list_names_modules_with_their_origin(self):
        extra = self.folder / 'extra'
        extra.mkdir()
        (extra / 'libmono-profiler-mine.so').touch()
        (extra / 'libmono-profiler-calls.so').touch()
        code, out, _ = self.monocle('list', '-v', env={'MONOCLE_MODULE_PATH': str(extra)})
        lines = out.splitlines()
        self.assertEqual(code, 0)
        self.assertIn('%s/libmono-profiler-mine.so  (MONOCLE_MODULE_PATH)' % extra, lines[1])
        self.assertIn('(monocle; an earlier folder has the name)', lines[2])
        self.assertNotIn('libmono-profiler-monocle.so', out)

    def test_list_says_what_a_module_is_for(self):
        self.make_module('calls', b'monocle_kit_summary=counts \x1b calls')
        (self.folder / 'modules/libmono-profiler-log.so').touch()
        out = self.monocle('list')[1]
        self.assertRegex(out, r'(?m)^calls +counts \? calls +monocle$')
        self.assertRegex(out, r'(?m)^log +all events into one \.mlpd file +monocle$')
        self.assertNotIn('/', out)

    def test_all_of_ours_say_what_they_are_for(self):
        listed = subprocess.run([case.MONOCLE, 'list'], env=self.environment, capture_output=True, text=True,
                                timeout=60).stdout
        for name in ('calls', 'cover', 'exceptions', 'sample'):
            self.assertRegex(listed, r'(?m)^%s +(\S+ ){3,6} *monocle$' % name)

    def test_a_link_to_a_module_is_not_another_module(self):
        (self.folder / 'links').mkdir()
        (self.folder / 'links/libmono-profiler-calls.so').symlink_to('../modules/libmono-profiler-calls.so')
        out = self.monocle('list', env={'LD_LIBRARY_PATH': str(self.folder / 'links')})[1]
        self.assertEqual(len([line for line in out.splitlines() if line.startswith('calls ')]), 1)

    def test_doctor_fails_when_the_adapter_does_not_load(self):
        code, out, _ = self.monocle('doctor')
        line = [line for line in out.splitlines() if 'CoreCLR adapter' in line][0]
        self.assertTrue(line.startswith('fail'), line)
        self.assertIn('does not load', line)
        self.assertEqual(code, 1)

    def test_doctor_tells_of_the_environment(self):
        out = self.monocle('doctor', env={
            'DOTNET_EnableDiagnostics': '0', 'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER_PATH': '/opt/other.so',
            'CORECLR_PROFILER': '{00000000-0000-0000-0000-000000000001}', 'MONOCLE_ENABLED': '0'})[1]
        for text in ['fail  diagnostics', 'warn  other profilers', 'fail  environment',
                     '/opt/other.so: monocle run joins it']:
            self.assertIn(text, out)

    def test_doctor_says_whether_mono_finds_the_modules_by_itself(self):
        programs = self.folder / 'programs'
        programs.mkdir()
        mono = programs / 'mono'
        lines = {}
        for answer in ('mono --profile=monocle:NAME[:ARGUMENTS]   loads the profiler module NAME', 'Mono alone'):
            mono.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Mono JIT compiler version 6.8"\n'
                            '[ "$1" = --profile=monocle:help ] && echo "%s"\n' % answer)
            mono.chmod(0o755)
            out = self.monocle('doctor', env={'PATH': '%s:%s' % (programs, self.environment['PATH'])})[1]
            lines[answer[:10]] = [line for line in out.splitlines() if ' mono --profile  ' in line]
        self.assertEqual(lines['mono --pro'], ['ok    mono --profile   Mono finds monocle:NAME without monocle run'])
        self.assertEqual(lines['Mono alone'], [
            'warn  mono --profile   Mono does not look in our folder: without monocle run set LD_LIBRARY_PATH=%s for '
            'mono --profile=monocle:NAME' % (self.folder / 'lib/mono')])

    def look_at_module_path(self, *folders):
        out = self.monocle('doctor', env={'MONOCLE_MODULE_PATH': ':'.join(map(str, folders))})[1]
        return [line for line in out.splitlines() if 'your modules' in line][0]

    def test_doctor_looks_at_folders_that_the_user_names(self):
        mine = self.folder / 'mine'
        mine.mkdir(mode=0o755)
        self.assertEqual(self.look_at_module_path(), 'ok    your modules     MONOCLE_MODULE_PATH is not set')
        self.assertIn('warn  your modules     no libmono-profiler-NAME.so is in', self.look_at_module_path(mine))
        self.make_module('first', path='mine/libmono-profiler-%s.so')
        self.assertEqual(self.look_at_module_path(mine), 'ok    your modules     first')
        self.assertEqual(self.look_at_module_path(mine, '/nowhere'),
                         'warn  your modules     MONOCLE_MODULE_PATH names /nowhere: No such file or directory')
        mine.chmod(0o777)
        self.assertIn('every user can write to %s;' % mine, self.look_at_module_path(mine))

    def test_doctor_says_where_a_program_is_that_path_does_not_have(self):
        (self.work / 'game').touch(mode=0o755)
        out = self.monocle('doctor', 'game')[1]
        self.assertIn('game was not found along PATH; the file that is here is ./game', out)

    def test_doctor_says_that_a_file_cannot_be_executed(self):
        (self.work / 'app.dll').touch(mode=0o644)
        out = self.monocle('doctor', './app.dll')[1]
        self.assertIn('warn  the program      ./app.dll cannot be executed: Permission denied; ', out)

    def told_of(self, name):
        return [line[len('????  the program      '):] if line.startswith(('ok ', 'warn')) else line
                for line in self.monocle('doctor', name)[1].splitlines() if '  the program  ' in line][0]

    def test_doctor_says_yes_to_nothing_but_programs_that_are_profiled(self):
        (self.work / 'folder').mkdir()
        for name in 'app.exe', 'net.dll', 'no bit.exe':
            (self.work / name).write_bytes(b'MZ' + bytes(100))
        (self.work / 'app.exe').chmod(0o755)
        (self.work / 'net.runtimeconfig.json').touch()
        (self.work / 'script').write_text('#!/bin/sh\n')
        (self.work / 'script').chmod(0o755)
        assembly = '%s is an assembly, and no program that starts by itself: monocle run -- %s'
        ls = '/bin/ls is not a .NET or Mono program: only such that it starts would be profiled'
        for name, sentence in [('/bin/ls', ls), ('folder', 'folder is a folder'), ('./folder', './folder is a folder'),
                               ('./app.exe', assembly % ('./app.exe', 'mono ./app.exe')),
                               ('./net.dll', assembly % ('./net.dll', 'dotnet ./net.dll')),
                               ('./no bit.exe', assembly % ('./no bit.exe', "mono './no bit.exe'")),
                               ('./script', './script is a script: monocle run profiles the .NET and Mono programs '
                                            'that it starts')]:
            self.assertEqual(self.told_of(name), sentence)
            state = 'ok  ' if 'script' in name else 'warn'
            self.assertIn('\n%s  the program' % state, self.monocle('doctor', name)[1])

    def test_doctor_knows_programs_for_musl(self):
        ours, musl = b'/lib64/ld-linux-x86-64.so.2\0', b'/lib/ld-musl-x86_64.so.1\0'
        program = pathlib.Path('/bin/true').read_bytes()
        if ours not in program:
            self.skipTest('programs here have another dynamic linker')
        path = self.work / 'app'
        path.write_bytes(program.replace(ours, musl.ljust(len(ours), b'\0')) + b'\0hostfxr\0')
        path.chmod(0o755)
        self.assertEqual(self.told_of('./app'), "%s is a program for musl, and Monocle's libraries need glibc; the "
                                                "program's build for glibc can be profiled" % path)
        path.write_bytes(program + b'\0hostfxr\0')
        self.assertEqual(self.told_of('./app'), 'monocle run profiles ./app: it is .NET')

    def test_a_build_folder_may_be_called_bin(self):
        build = self.folder / 'x/bin'
        shutil.copytree(self.folder / 'modules', build / 'modules')
        shutil.copytree(self.folder / 'lib', build / 'lib')
        shutil.copy(case.MONOCLE, build / 'monocle')
        result = subprocess.run([build / 'monocle', 'list', '-v'], env=self.environment, stdout=subprocess.PIPE,
                                timeout=60)
        self.assertIn(str(build / 'modules/libmono-profiler-calls.so'), result.stdout.decode())

    def test_a_folder_with_glob_characters_is_no_pattern(self):
        strange = self.folder / 'a[b]*?'
        shutil.copytree(self.folder / 'modules', strange / 'modules')
        shutil.copytree(self.folder / 'lib', strange / 'lib')
        shutil.copy(case.MONOCLE, strange / 'monocle')
        result = subprocess.run([strange / 'monocle', 'list', '-v'], env=self.environment, stdout=subprocess.PIPE,
                                timeout=60)
        self.assertIn(str(strange / 'modules/libmono-profiler-calls.so'), result.stdout.decode())


if __name__ == '__main__':
    case.main()
