#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle stat where nothing, or nonsense, comes from the other side. What it counts is test/conformance/live.

  test_stat.py MONOCLE
"""
import os
import re
import signal
import subprocess

import case
import fake_case


SILENT = r'^monocle: process %d \(.*\) has told nothing for \d+\.\d s, nor when it was asked to end: only the ' \
         r"kernel's figures are complete\n$"


class Stat(fake_case.Case):
    def stat(self, *words, **options):
        return self.monocle('stat', *words, **options)

    def test_each_hostile_process_is_one_line(self):
        self.be_patient(60000)
        expected = {
            'nonsense': 'answers nonsense on its diagnostics socket',
            'stream-none': 'answers nonsense on its diagnostics socket',
            'stream-nonsense': 'sends something else than events',
            'short': 'broke off',
            'nothing': 'closed the connection without an answer',
            'deaf': 'closed the connection without an answer',
            'error': 'does not know this question: its runtime is too old, or has no such part',
            'unknown': 'refused with 0x80990001',
            'stale': 'has a diagnostics socket on which nobody listens',
        }
        fakes = {how: self.fake(how) for how in expected}
        running = {how: self.start('stat', str(fake.pid)) for how, fake in fakes.items()}
        for how, process in running.items():
            out, error = process.communicate(timeout=60)
            lines = error.decode().splitlines()
            self.assertEqual((how, process.returncode, len(lines)), (how, 1, 1), (out, error))
            self.assertTrue(lines[0].startswith('monocle: process %d ' % fakes[how].pid), lines)
            self.assertIn('closed the connection' if how == 'short' else expected[how], lines[0])

    def test_diagnostics_that_are_off_are_named(self):
        fake = self.fake('none', env={'DOTNET_EnableDiagnostics_IPC': '0'})
        for words in ('stat', '--duration=1s'), ('top', '--plain', '--duration=1s'):
            code, out, error = self.monocle(words[0], str(fake.pid), *words[1:])
            self.assertEqual((code, error.count('\n')), (1, 1), error)
            self.assertIn('has no diagnostics socket: diagnostics off (DOTNET_EnableDiagnostics_IPC=0)', error)

    def test_who_does_not_answer_in_time_is_left(self):
        self.be_patient(100)
        fake = self.fake('silent')
        code, _, error = self.stat(str(fake.pid))
        self.assertEqual((code, error.count('\n')), (1, 1), error)
        self.assertIn('has not answered on its diagnostics socket for 0.1 s', error)

    def test_who_has_not_answered_when_the_time_is_over_is_named(self):
        fake = self.fake('silent')
        self.stop(fake)
        code, out, error = self.stat(str(fake.pid), '--duration=100ms', '--format=json')
        self.assertEqual(code, 1)
        self.assertRegex(error, r'^monocle: process %d \(.*\) has not answered on its diagnostics socket for \d+\.\d '
                         r's: it is stopped\n$' % fake.pid)
        fake.send_signal(signal.SIGCONT)

    def test_a_process_that_sends_nothing_is_left_when_the_time_is_over_and_named(self):
        fake = self.fake('stream-silent')
        code, out, error = self.stat(str(fake.pid), '--duration=100ms', '--format=json')
        self.assertEqual(code, 1)
        self.assertRegex(error, SILENT % fake.pid)
        self.assertIn('"exceptions": 0', out)

    def test_a_stream_that_is_cut_off_ends_the_count(self):
        fake = self.fake('stream-cut')
        code, out, error = self.stat(str(fake.pid), '--format=tsv')
        self.assertEqual((code, error), (0, ''))
        self.assertEqual(len(out.splitlines()), 2)

    def test_events_that_come_with_the_answer_are_read_from_their_beginning(self):
        """More at once than the largest answer has, and before it is asked."""
        fake = self.fake('stream-at-once')
        code, out, error = self.stat(str(fake.pid), '--format=tsv')
        self.assertEqual((code, error, len(out.splitlines())), (0, '', 2))

    def test_people_are_shown_each_interval_below_a_head(self):
        fake = self.fake('stream-silent')
        process = self.start('stat', str(fake.pid), '--interval=10ms')
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        lines = [process.stdout.readline().decode() for _ in range(24)]
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        process.wait(timeout=60)
        head = ['time', 'CPU', 'memory', 'heap', 'alloc/s', 'gen0/s', 'gen1/s', 'gen2/s', 'paused', 'throws/s',
                'locks/s', 'waited', 'pool', 'queue', 'items/s', 'process']
        self.assertEqual([at for at, line in enumerate(lines) if line.split() == head], [0, 21])
        row = (r'^ +\d+\.\d s +\d+\.\d%% +\d[\d.]* [KM]iB +- +- +0\.0 +0\.0 +0\.0 +0\.0%% +0\.0 +0\.0 +- +- +- +-  '
               r'%d \S+\n$' % fake.pid)
        for line in lines[1:21] + lines[22:]:
            self.assertRegex(line, row)
            self.assertEqual(line.index('  %d ' % fake.pid), lines[0].index('  process'))

    def test_ctrl_c_prints_what_is_known(self):
        fake = self.fake('stream-silent')
        process = self.start('stat', str(fake.pid), '--interval=10ms', '--format=tsv')
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        process.stdout.readline()
        self.assertIn(b'\t%d\t' % fake.pid, process.stdout.readline())
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        self.assertEqual(process.wait(timeout=60), 1)
        self.assertRegex(process.stderr.read().decode(), SILENT % fake.pid)

    def test_a_command_keeps_its_output_its_code_and_its_signals(self):
        code, out, error = self.stat('--', '/bin/sh', '-c', 'echo out; exit 7')
        self.assertEqual((code, out), (7, 'out\n'))
        self.assertEqual(error, 'monocle: no .NET runtime was met that tells its figures\n')
        self.assertEqual(self.stat('--', 'true')[0], 0)
        self.assertIn('its exit code is passed on, as by run;\nalso where it starts none', self.stat('--help')[1])
        code, out, error = self.stat('--', '/bin/sh', '-c', 'kill -9 $$')
        self.assertEqual(code, 137)
        code, out, error = self.stat('--', 'no-such-command')
        self.assertEqual((code, error), (127, "monocle: cannot find 'no-such-command' along PATH\n"))
        script = 'grep SigIgn /proc/self/status'
        bare = subprocess.run(['/bin/sh', '-c', script], env=self.environment, stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        self.assertEqual(self.stat('--', '/bin/sh', '-c', script)[1], bare)

    def test_a_command_whose_runtime_is_hostile_goes_on(self):
        for how in ('nonsense', 'silent', 'stream-cut'):
            script = 'import subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, ' \
                     'stdout=subprocess.PIPE); p.stdout.readline(); p.stdout.readline(); p.kill(); p.wait(); ' \
                     'sys.exit(3)'
            code, out, error = self.stat('--', 'python3', '-c', script, 'python3', str(fake_case.FAKE),
                                         str(self.library), how)
            self.assertEqual((code, out), (3, ''), error)

    def test_what_cannot_be_counted_is_one_line(self):
        mono = self.folder / 'libmonosgen-2.0.so.1'
        mono.write_bytes(bytes(4096))
        fake = self.fake('none', library=mono)
        for words, line in (
                ([str(os.getpid())], 'process %d (NAME) is neither .NET nor Mono' % os.getpid()),
                (['2147483000'], 'there is no process 2147483000'),
                (['no-such-name'], 'no .NET or Mono process is called no-such-name; monocle ps lists them'),
                ([str(fake.pid)], 'process %d is Mono, which tells no figures; monocle run --profile=sample samples a '
                                  'new run' % fake.pid)):
            code, out, error = self.stat(*words)
            self.assertEqual((code, out), (1, ''))
            self.assertRegex(error, '^monocle: %s\n$' % re.escape(line).replace('NAME', '.*'))

    def test_wrong_use_is_one_line(self):
        for words in ([], ['1', '2'], ['1', '--interval=0'], ['1', '--interval=x'], ['1', '--duration=-1s'],
                      ['1', '--format=xml'], ['--']):
            code, out, error = self.stat(*words)
            self.assertEqual((words, code, out, error.count('\n')), (words, 2, '', 1))
        code, out, error = self.stat('1', '-o', '/no/such/folder/file')
        self.assertEqual((code, out, error.count('\n')), (1, '', 1))


if __name__ == '__main__':
    case.main()
