#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""root attaches to a process whose user is a thief: nothing of root's is shown, moved or deleted, and little is spent.

  test_other_user.py MONOCLE

The process only looks like a runtime, so that its deeds come at a certain time: while the attach is under way. What
real runtimes do of another user is in conformance/attach.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

import case
import fake_case

sys.path.insert(0, str(case.TOP / 'test'))
import harness  # noqa: E402

OTHER = 65534
SECRET = "root's own\n"
KILOBYTES_MOST = 100 << 10  # of memory; a command that prints a small profile needs a tenth


@unittest.skipUnless(os.geteuid() == 0, 'only root can be two users')
class OtherUser(fake_case.Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.temporary, 0o1777)
        os.chmod(self.folder, 0o755)
        self.victim = self.folder / 'victim'
        self.victim.mkdir()
        self.secrets = ['log', 'stop', 'secret', 'stacks.pb.gz']
        for name in self.secrets:
            (self.victim / name).write_text(SECRET)
        case.make_profile(self.victim / 'output.1.1.pb.gz')
        self.python = '/usr/bin/python3'  # that of the test may be where nobody else can look
        if not os.path.exists(self.python):
            self.skipTest('there is no %s' % self.python)

    def thief(self, deed):
        script = pathlib.Path(__file__).with_name('thief.py')
        process = subprocess.Popen([self.python, '-B', str(script), str(self.library), deed, str(self.victim)],
                                   env=dict(self.environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd='/',
                                   user=OTHER, group=OTHER, extra_groups=[])
        self.fakes.append(process)
        self.assertEqual(process.stdout.readline(), b'ready\n')
        return process

    def begin(self, *words):
        return subprocess.Popen([self.program, *words], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run_to_end(self, process):
        """Its exit code, what it printed, and how many kilobytes of memory it had at most."""
        said = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        return process.returncode, said, usage.ru_maxrss

    def attach(self, deed, *words, command='attach'):
        thief = self.thief(deed)
        words = words or (['--duration=1s'] if command == 'attach' else [])
        code, said, memory = self.run_to_end(self.begin(command, str(thief.pid), *words))
        self.assertEqual(thief.stdout.readline(), b'done\n', said)
        self.assertLess(memory, KILOBYTES_MOST)
        self.assertUntouched(said)
        return code, said

    def assertUntouched(self, said):
        self.assertNotIn("root's own", said)
        for name in self.secrets:
            self.assertEqual((self.victim / name).read_text(), SECRET, said)
        self.assertTrue((self.victim / 'output.1.1.pb.gz').exists(), said)
        self.assertEqual(len(list(self.victim.iterdir())), len(self.secrets) + 1)

    def test_an_exchanged_folder_is_not_read_nor_emptied(self):
        code, said = self.attach('exchanges')
        self.assertEqual(code, 1)
        self.assertRegex(said, 'cannot take .* from its user: something else has its name')

    def test_stacks_are_not_read_from_an_exchanged_folder(self):
        self.assertEqual(self.attach('exchanges', command='stack')[0], 1)

    def test_a_refusal_does_not_print_the_log_of_an_exchanged_folder(self):
        for command in 'attach', 'stack':
            code, said = self.attach('exchanges-and-refuses', command=command)
            self.assertEqual(code, 1)
            self.assertIn('refused the profiler', said)
            self.clean()

    def clean(self):
        for left in self.temporary.glob('monocle-*'):
            left.unlink() if left.is_symlink() else shutil.rmtree(left)

    def test_nothing_is_brought_from_an_exchanged_folder_whose_process_is_not_waited_for(self):
        thief = self.thief('exchanges-and-stays')
        process = self.begin('attach', str(thief.pid), '--duration=1h', '-o', 'x.pb.gz')
        self.assertIn(b'profiling process', process.stdout.readline())
        process.send_signal(signal.SIGINT)  # it asks, and waits
        old, = self.temporary.glob('*-old')
        self.assertTrue(harness.wait_for(lambda: (old / 'stop').exists()))
        process.send_signal(signal.SIGINT)
        code, said, memory = self.run_to_end(process)
        self.assertUntouched(said)
        self.assertEqual((code, list(self.work.iterdir())), (1, []), said)
        self.assertIn('what it still writes stays in', said)

    def test_a_long_log_is_cut(self):
        code, said = self.attach('long-log')
        self.assertRegex(said.splitlines()[1], r'^monocle: process \d+: first$')
        self.assertLess(len(said), 2 << 20)
        self.assertIn('has said more than a megabyte: the rest is left out', said)

    def test_a_refusal_with_a_long_log_is_cut(self):
        code, said = self.attach('long-log-and-refuses')
        self.assertRegex(said.splitlines()[0], r'^monocle: process \d+: first$')
        self.assertLess(len(said), 2 << 20)
        self.assertIn('has said more than a megabyte: the rest is left out', said)

    def used(self, folder):
        """Bytes on the disk, those of holes not."""
        return sum(path.stat().st_blocks * 512 for path in folder.rglob('*') if path.is_file())

    def test_all_files_together_are_limited_and_holes_take_no_room(self):
        code, said = self.attach('large-files')
        self.assertRegex(said, r'cannot take output\.\d+\.\d\.log from its user: the files of an attach may have 1 GB '
                               r'together\nmonocle: nor can 2 other files be taken')
        left = list(self.temporary.glob('monocle-*/output.*'))
        self.assertEqual(sum(path.stat().st_size for path in left), 2 * 400 << 20)
        self.assertLess(self.used(self.temporary), 1 << 20)

    def test_a_large_profile_is_not_read_into_memory(self):
        code, said = self.attach('large-profile', '--duration=1s', '-o', 'x.pb.gz')
        self.assertLess(self.used(self.work), 1 << 20)
        code, said = self.attach('large-profile', '--duration=1s', '-o', 'x.svg')
        self.assertFalse((self.work / 'x.svg').exists())

    def test_large_stacks_are_not_read_into_memory(self):
        code, said = self.attach('large-stacks', command='stack')
        self.assertEqual(code, 1)
        self.assertRegex(said, '^monocle: the stacks of process [0-9]+ are larger than any\n$')

    def test_more_files_than_an_attach_makes_are_not_taken(self):
        self.be_patient(600000)  # the files are many, and the machine may be busy
        code, said = self.attach('many-files')
        self.assertEqual(code, 1)
        self.assertRegex(said, 'cannot take .* from its user: it holds more files than an attach makes')
        self.assertNothingLeftOfAttach()

    def assertNothingLeftOfAttach(self):
        self.assertEqual(list(self.temporary.glob('monocle-*')), [])


if __name__ == '__main__':
    case.main()
