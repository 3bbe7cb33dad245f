#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle ps: which processes are .NET, and what their sockets may do. Needs no runtime: fake_runtime.py is like one.

  test_ps.py MONOCLE
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import unittest

import case
import fake_case
import fake_runtime


class Ps(fake_case.Case):
    def rows(self, **options):
        code, out, error = self.monocle('ps', '--format=json', **options)
        self.assertEqual((code, error), (0, ''))
        return {row['pid']: row for row in json.loads(out)}

    def reason(self, how, **options):
        fake = self.fake(how, **options)
        row = self.rows()[fake.pid]
        self.assertEqual(row['attach'], row['reason'] is None)
        return row['reason']

    def test_a_runtime_that_answers_is_listed_with_its_version(self):
        fake = self.fake('good')
        row = self.rows()[fake.pid]
        self.assertEqual((row['runtime'], row['version'], row['attach'], row['reason'], row['container']),
                         ('CoreCLR', '9.8.7', True, None, None))
        self.assertEqual(row['modules'], [])
        self.assertIn('fake_runtime.py', row['command'])
        code, out, error = self.monocle('ps', '--full')
        line = [line for line in out.splitlines() if line.startswith('%d ' % fake.pid)][0]
        self.assertRegex(line, r'^\d+ +CoreCLR +9\.8\.7 +\S+ .*yes .*fake_runtime\.py')
        code, out, error = self.monocle('ps', '--format=tsv')
        heads = out.splitlines()[0].split('\t')
        cells = [line.split('\t') for line in out.splitlines() if line.startswith('%d\t' % fake.pid)][0]
        self.assertEqual(dict(zip(heads, cells))['attach'], 'yes')

    def test_off_a_terminal_a_command_line_is_cut_unless_all_of_it_is_wanted(self):
        fake = self.fake('good', more=['x' * 300])
        line = lambda *words: next(line for line in self.monocle('ps', *words)[1].splitlines()
                                   if line.startswith('%d ' % fake.pid))
        head = self.monocle('ps')[1].splitlines()[0]
        self.assertEqual(len(line()), head.index('COMMAND') + 100)
        self.assertTrue(line('--full').endswith('x' * 300))
        self.assertIn('x' * 300, self.monocle('ps', '--format=tsv')[1])
        self.assertIn('x' * 300, self.monocle('ps', '--format=json')[1])

    def test_each_hostile_socket_has_one_reason(self):
        self.be_patient(60000)
        expected = {
            'nonsense': 'answers nonsense on its diagnostics socket',
            'zeros': 'answers nonsense on its diagnostics socket',
            'small': 'answers nonsense on its diagnostics socket',
            'event': 'answers nonsense on its diagnostics socket',
            'no-code': 'answers nonsense on its diagnostics socket',
            'short': 'broke off in the middle of an answer',
            'long': 'broke off in the middle of an answer',
            'strings': None,
            'error': 'does not know this question: its runtime is too old, or has no such part',
            'unknown': 'refused with 0x80990001',
            'nothing': 'closed the connection without an answer',
            'deaf': 'closed the connection without an answer',
            'stale': 'has a diagnostics socket on which nobody listens',
            'none': 'has no diagnostics socket in %s: it was removed, or the runtime has not begun' % self.temporary,
            'escapes': None,
        }
        fakes = {how: self.fake(how) for how in expected}
        rows = self.rows()
        for how, reason in expected.items():
            self.assertEqual((how, rows[fakes[how].pid]['reason']), (how, reason))
        self.assertEqual(rows[fakes['strings'].pid]['version'], '9.9.9')
        self.assertEqual(rows[fakes['escapes'].pid]['version'], '1?]0;x??')

    def test_who_does_not_answer_in_time_is_left(self):
        self.be_patient(100)
        for how in 'silent', 'trickle':
            self.assertEqual(self.reason(how), 'has not answered on its diagnostics socket for 0.1 s')

    def test_what_is_no_socket_is_not_opened(self):
        for how in ('file', 'link'):
            self.assertRegex(self.reason(how), r'^has no diagnostics socket: dotnet-diagnostic-\d+-\d+-socket in .* is '
                                               r'no socket$')

    def test_a_socket_on_which_another_process_listens_gets_no_byte(self):
        fake = self.fake('none')
        path = '%s/dotnet-diagnostic-%d-%d-socket' % (self.temporary, fake.pid, fake_runtime.start_time(fake.pid))
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(5)
            reason = self.rows()[fake.pid]['reason']
            self.assertEqual(reason, 'has a diagnostics socket on which process %d of user %d listens' % (
                os.getpid(), os.geteuid()))
            connection, _ = listener.accept()
            self.assertEqual(connection.recv(100), b'')
            connection.close()

    @unittest.skipUnless(os.geteuid() == 0, 'only root can be two users')
    def test_a_file_of_another_user_is_not_connected_to(self):
        fake = self.fake('good')
        path = '%s/dotnet-diagnostic-%d-%d-socket' % (self.temporary, fake.pid, fake_runtime.start_time(fake.pid))
        os.chown(path, 65534, 65534)
        self.assertRegex(self.rows()[fake.pid]['reason'], r'^has no diagnostics socket of its own: user 65534 made ')

    @unittest.skipUnless(os.geteuid() == 0, 'only root can be two users')
    def test_another_users_process_is_known_by_its_threads(self):
        os.chmod(self.temporary, 0o755)
        kinds = {'.NET SynchManag': 'CoreCLR', '.NET SigHandler': 'CoreCLR', 'SGen worker': 'Mono'}
        fakes = {name: self.fake('good', env={'THREAD': name}) for name in kinds}
        unknown = self.fake('good', env={'THREAD': '.NET'})
        code, out, error = self.monocle('ps', '--format=json', user=65534)
        self.assertEqual((code, error), (0, ''))
        rows = {row['pid']: row for row in json.loads(out)}
        for name, kind in kinds.items():
            row = rows[fakes[name].pid]
            self.assertEqual((row['runtime'], row['user'], row['attach'], row['reason']),
                             (kind, 'root', False, "another user's"))
        self.assertNotIn(unknown.pid, rows)

    @unittest.skipUnless(os.geteuid() == 0, 'only root can be two users')
    def test_a_name_means_ones_own_process(self):
        os.chmod(self.temporary, 0o755)
        theirs = self.fake('good', env={'THREAD': '.NET SynchManag'}, name='same.dll')
        code, out, error = self.monocle('attach', 'same', user=65534)
        self.assertEqual((code, out, error), (1, '', "monocle: cannot attach to process %d (same.dll): another user's\n"
                                              % theirs.pid))
        python = '/usr/bin/python3'  # that of the test may be where nobody else can look
        if not os.path.exists(python):
            self.skipTest('there is no %s' % python)
        os.chmod(self.temporary, 0o1777)
        own = self.fake('nonsense', name='same.dll', user=65534, executable=python)
        code, out, error = self.monocle('attach', 'same', user=65534)
        self.assertEqual((code, out), (1, ''))
        self.assertIn('process %d ' % own.pid, error)

    def test_settings_that_keep_everybody_out_are_named(self):
        for name, value in (('DOTNET_EnableDiagnostics', '0'), ('COMPlus_EnableDiagnostics', '0'),
                            ('DOTNET_EnableDiagnostics_IPC', '0'), ('DOTNET_EnableDiagnostics_Profiler', '0')):
            self.assertEqual(self.reason('none', env={name: value}), 'diagnostics off (%s=%s)' % (name, value))
        self.assertIsNone(self.reason('good', env={'DOTNET_EnableDiagnostics': '1'}))
        self.assertEqual(self.reason('good', env={'CORECLR_ENABLE_PROFILING': '1',
                                                  'CORECLR_PROFILER_PATH': '/opt/other/libother.so'}),
                         'has the profiler libother.so')

    def assertRefused(self, fake, reason, advice):
        """`ps` and the commands that attach ask the same question."""
        self.assertEqual(self.rows()[fake.pid]['reason'], reason)
        for words in (['attach'], ['stack']):
            code, out, error = self.monocle(*words, str(fake.pid))
            self.assertEqual((code, out, error), (1, '', 'monocle: cannot attach to process %d (%s): %s%s\n' % (
                fake.pid, os.path.basename(sys.executable), reason, advice)))

    def test_a_program_for_musl_is_refused_by_all(self):
        for name in ('ld-musl-x86_64.so.1', 'libc.musl-x86_64.so.1', 'x86_64-linux-musl/libc.so'):
            library = self.folder / name
            library.parent.mkdir(exist_ok=True)
            library.write_bytes(bytes(4096))
            self.assertRefused(self.fake('good', env={'ALSO': str(library)}), 'runs on musl',
                               "; Monocle's libraries need glibc")
        ours = self.folder / 'libc.so.6'
        ours.write_bytes(bytes(4096))
        self.assertIsNone(self.reason('good', env={'ALSO': str(ours)}))

    @unittest.skipUnless(os.geteuid() == 0, 'only root may hide a folder')
    def test_a_process_that_does_not_see_our_library_is_refused_by_all(self):
        library = self.folder / 'lib/clr/libmonocle-clr.so'
        self.assertRefused(self.fake('good', env={'HIDDEN': str(library.parent)}), 'does not see libmonocle-clr.so',
                           ', which is %s here: run monocle in its container, or mount Monocle there under the same '
                           'path' % library)

    def test_what_is_in_it_is_named(self):
        library = self.folder / 'libmono-profiler-calls.so'
        library.write_bytes(bytes(4096))
        first = self.fake('good', library=library)
        self.assertNotIn(first.pid, self.rows())
        mono = self.folder / 'libmonosgen-2.0.so.1'
        mono.write_bytes(bytes(4096))
        second = self.fake('none', library=mono)
        row = self.rows()[second.pid]
        self.assertEqual((row['runtime'], row['attach'], row['reason']), ('Mono', False, 'Mono'))

    def test_who_only_reads_the_file_of_a_runtime_is_none(self):
        """A debugger maps it."""
        read = self.folder / 'mono-sgen'
        read.write_bytes(bytes(4096))
        script = ('import mmap, sys; f = open(sys.argv[1], "rb"); '
                  'm = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ); print("ready", flush=True); sys.stdin.read()')
        debugger = subprocess.Popen([sys.executable, '-c', script, str(read)], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE)
        self.fakes.append(debugger)
        self.assertEqual(debugger.stdout.readline(), b'ready\n')
        self.assertNotIn(debugger.pid, self.rows())

    def test_a_stopped_process_is_not_asked(self):
        fake = self.fake('good')
        self.stop(fake)
        self.assertEqual(self.rows()[fake.pid]['reason'], 'stopped')
        fake.send_signal(signal.SIGCONT)

    def test_a_stopped_process_that_was_attached_to_before_is_not_said_to_be_at_work(self):
        library = self.folder / 'left/libmonocle-clr.so'
        library.parent.mkdir()
        library.write_bytes(bytes(4096))
        fake = self.fake('good', library='%s:%s' % (self.library, library))
        self.stop(fake)
        self.assertRegex(self.monocle('attach', str(fake.pid))[2],
                         r'^monocle: cannot attach to process %d \(.*\): stopped\n$' % fake.pid)
        fake.send_signal(signal.SIGCONT)

    def test_processes_that_end_meanwhile_do_no_harm(self):
        for _ in range(3):
            children = [subprocess.Popen(['true']) for _ in range(20)]
            self.rows()
            for child in children:
                child.wait()

    def test_a_process_that_ends_when_it_is_attached_to_is_said_to(self):
        for words in (['attach'], ['stack']):
            fake = self.fake('ends')
            code, out, error = self.monocle(*words, str(fake.pid))
            self.assertEqual((code, out, error), (1, '', 'monocle: process %d has ended\n' % fake.pid))

    def test_wrong_use_is_one_line(self):
        code, out, error = self.monocle('ps', 'extra')
        self.assertEqual((code, out, error.count('\n')), (2, '', 1))
        with open('/dev/full', 'w') as full:
            self.fake('good')
            process = subprocess.run([self.program, 'ps'], stdout=full, stderr=subprocess.PIPE, env=self.environment)
        self.assertEqual((process.returncode, process.stderr.count(b'\n')), (1, 1))


if __name__ == '__main__':
    case.main()
