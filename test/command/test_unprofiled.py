#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`monocle run` names each process with a runtime that was not profiled, and why. fake_runtime.py is such a process.

  test_unprofiled.py MONOCLE

It goes on when the command has ended, or ends when it has been seen: what is seen does not depend on time.
"""
import os
import re
import shlex
import sys
import unittest

import case
import fake_case

CLASS = '{12345678-0000-0000-0000-000000000001}'
OFF = ('process %s was not profiled: diagnostics were switched off (DOTNET_EnableDiagnostics=0); start the program '
       'without this setting')
LOST = ("process %s was not profiled: Monocle's variables were not in the environment: what started the program has "
        'taken them out; monocle env prints them')


class Unprofiled(fake_case.Case):
    def setUp(self):
        super().setUp()
        self.be_patient(0)
        self.count = 0
        os.mkfifo(self.work / 'end')
        self.end = os.open(self.work / 'end', os.O_RDWR)
        self.addCleanup(os.close, self.end)

    def word(self, settings='', library=None, before='', seen=None):
        """A word of the shell that starts a fake in the background, and goes on when it is ready."""
        self.count += 1
        ready = 'ready%d' % self.count
        seen = '' if seen is None else 'SEEN=%d' % seen
        return ('%s env %s %s "$PYTHON" "$FAKE" %s none < end > %s 2>&1 & '
                'while ! grep -qs ready %s; do sleep 0.01; done; echo $! > pid%d; ' % (
                    before, settings, seen, shlex.quote(str(library or self.library)), ready, ready, self.count))

    def run_all(self, *words, env=None, last='exit 3', options=()):
        env = dict({'PYTHON': sys.executable, 'FAKE': str(fake_case.FAKE)}, **(env or {}))
        code, out, error = self.shell(''.join(words) + last, *options, env=env)
        pids = [int((self.work / ('pid%d' % (self.count - i))).read_text()) for i in reversed(range(len(words)))]
        self.assertEqual((code, out), (3, ''))
        return pids, [line[len('monocle: '):] for line in error.splitlines()]

    def tearDown(self):
        for path in self.work.glob('pid*'):
            try:
                os.kill(int(path.read_text()), 9)
            except ProcessLookupError:
                pass
        super().tearDown()

    def reason(self, **fake):
        pids, lines = self.run_all(self.word(**fake))
        self.assertEqual(len(lines), 1, lines)
        return lines[0].replace('process %d (' % pids[0], 'process N (', 1)

    def name(self, number='N'):
        return '%s (%s)' % (number, os.path.basename(sys.executable))

    def test_each_reason_is_named_with_what_to_do(self):
        other = ('process %s was not profiled: another profiler was in the environment (%s), and CoreCLR takes one '
                 'main profiler; start the program without it')
        off = ('process %s was not profiled: profiling was switched off (CORECLR_ENABLE_PROFILING=0); start the '
               'program without this setting')
        name = self.name()
        expected = [
            ('CORECLR_PROFILER=%s CORECLR_PROFILER_PATH=/x/liby.so' % CLASS, other % (name, CLASS + ', liby.so')),
            ('CORECLR_PROFILER=%s CORECLR_PROFILER_PATH_64=/x/libz.so' % CLASS, other % (name, CLASS + ', libz.so')),
            ('CORECLR_PROFILER=' + CLASS, other % (name, CLASS)),
            ('CORECLR_ENABLE_PROFILING=0', off % name),
            ('DOTNET_EnableDiagnostics=0', OFF % name),
            ('COMPlus_EnableDiagnostics=0', OFF.replace('DOTNET', 'COMPlus') % name),
            ('DOTNET_EnableDiagnostics_IPC=0 DOTNET_EnableDiagnostics_Profiler=0',
             OFF.replace('Diagnostics=', 'Diagnostics_Profiler=') % name),
            ('-u CORECLR_PROFILER', LOST % name),
            ('-i PATH="$PATH" TMPDIR="$TMPDIR"', LOST % name),
        ]
        for settings, reason in expected:
            self.assertEqual((settings, self.reason(settings=settings)), (settings, reason))

    def test_a_program_whose_configuration_keeps_profilers_out_is_named(self):
        (self.work / 'app.runtimeconfig.json').write_text('{"configProperties": {"EnableDiagnostics": false}}')
        (self.work / 'app.dll').symlink_to(self.library)
        self.assertEqual(self.reason(library='app.dll'),
                         "process %s was not profiled: diagnostics were switched off, as the program's "
                         'runtimeconfig.json has EnableDiagnostics; take it out there' % self.name())

    def test_a_program_for_musl_is_named(self):
        musl = self.folder / 'ld-musl-x86_64.so.1'
        musl.write_bytes(bytes(4096))
        self.assertEqual(self.reason(settings='ALSO=%s' % shlex.quote(str(musl))),
                         "process %s was not profiled: the program runs on musl, and Monocle's libraries need glibc; "
                         "the program's build for glibc can be profiled" % self.name())

    def test_a_mono_that_was_not_told_is_named(self):
        mono = self.folder / 'libmonosgen-2.0.so.1'
        mono.write_bytes(bytes(4096))
        self.assertEqual(self.reason(settings='-u MONO_ENV_OPTIONS -u MONO_PROFILE', library=mono),
                         LOST % self.name())

    def test_a_mono_is_spoken_of_only_where_one_was_seen(self):
        mono = self.folder / 'libmonosgen-2.0.so.1'
        mono.write_bytes(bytes(4096))
        script = 'exec env SEEN=50 "$PYTHON" "$FAKE" %s none < end > out'
        env = {'PYTHON': sys.executable, 'FAKE': str(fake_case.FAKE)}
        for command, hint in [(script % shlex.quote(str(mono)), '; one that embeds Mono needs --embedded-mono'),
                              ('exit 0', '')]:
            error = self.shell(command, env=env)[2].splitlines()[-1]
            self.assertEqual(error, 'monocle: nothing was profiled: %s is not a .NET or Mono program, and started none '
                                    'that could be profiled%s' % (os.path.realpath('/bin/sh'), hint))

    @unittest.skipUnless(os.geteuid() == 0, 'only root can drop its rights')
    def test_a_program_that_dropped_its_rights_is_named(self):
        if not os.path.exists('/usr/bin/setpriv'):
            self.skipTest('there is no setpriv')
        os.chmod(self.temporary, 0o755)
        pids, lines = self.run_all(self.word(before='/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups'),
                                   env={'PYTHON': '/usr/bin/python3'})
        self.assertRegex(lines[0], r'^process %d \(python3\) was not profiled: the user is \w+, who may not write into '
                                   r'the folder of this run; put monocle run behind what changes the user$' % pids[0])
        self.assertEqual(len(lines), 1)

    def test_a_reason_is_said_once_with_the_number_of_processes(self):
        off, lost = 'DOTNET_EnableDiagnostics=0', '-i PATH="$PATH" TMPDIR="$TMPDIR"'
        pids, lines = self.run_all(self.word(off), self.word(lost), self.word(off), self.word(off))
        self.assertEqual(len(lines), 2, lines)
        example = re.match(r'process (\d+) \(', lines[0]).group(1)
        self.assertIn(int(example), [pids[0], pids[2], pids[3]])
        self.assertEqual(lines[0], (OFF % self.name(example)).replace('was not', 'and 2 more were not'))
        self.assertEqual(lines[1], LOST % self.name(pids[1]))

    def test_what_has_ended_is_named_as_well(self):
        """So often it was looked at while it was there; more than that is done by no command of another test."""
        pids, lines = self.run_all(self.word('DOTNET_EnableDiagnostics=0', seen=50), self.word(seen=50),
                                   last='wait; exit 3')
        self.assertEqual(lines, [OFF % self.name(pids[0]),
                                 'process %s was not profiled: the program ended before its runtime had loaded Monocle'
                                 % self.name(pids[1])])

    def test_it_is_said_beside_a_profile_and_beside_who_declined(self):
        case.make_profile(self.work / 'source')
        word = self.word('DOTNET_EnableDiagnostics=0')
        took = 'cp source $MONOCLE_RUN_DIR/output.41.1.pb.gz; '
        pids, lines = self.run_all(word, last=took + 'exit 3', options=('-q', '-o', 'p.pb.gz'))
        self.assertEqual(lines, [OFF % self.name(pids[0])])
        declined = 'echo because > $MONOCLE_RUN_DIR/41.declined; '
        pids, lines = self.run_all(self.word('DOTNET_EnableDiagnostics=0'), last=declined + 'exit 3')
        self.assertEqual(lines, [OFF % self.name(pids[0]), 'process 41 was not profiled: because'])

    def test_nothing_is_said_of_who_told_something_or_is_another_runs(self):
        tell = 'echo x > $MONOCLE_RUN_DIR/$!.%s; '
        for note in 'loaded', 'told':
            pids, lines = self.run_all(self.word('DOTNET_EnableDiagnostics=0'), last=tell % note + 'exit 3')
            self.assertEqual([line for line in lines if 'was not profiled' in line], [])
        pids, lines = self.run_all(self.word('DOTNET_EnableDiagnostics=0 MONOCLE_RUN_DIR=/somewhere/else'))
        self.assertEqual([line for line in lines if 'diagnostics' in line], [])


if __name__ == '__main__':
    case.main()
