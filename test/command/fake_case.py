# SPDX-License-Identifier: MIT
"""A folder of a test in which fake runtimes are started, which end with it."""
import os
import pathlib
import signal
import subprocess
import sys
import time

import case

FAKE = pathlib.Path(__file__).with_name('fake_runtime.py')


class Case(case.Case):
    def setUp(self):
        super().setUp()
        self.library = self.folder / 'shared/Microsoft.NETCore.App/9.9.9/libcoreclr.so'
        self.library.parent.mkdir(parents=True)
        self.library.write_bytes(bytes(4096))
        os.chmod(self.folder, 0o755)
        self.fakes = []

    def tearDown(self):
        for fake in self.fakes:
            fake.stdin.close()
            fake.kill()
            fake.wait()
            fake.stdout.close()
        super().tearDown()

    def fake(self, how, env=None, library=None, name=None, more=(), **options):
        environment = dict(self.environment, **(env or {}))
        options.setdefault('executable', sys.executable)
        process = subprocess.Popen([name or sys.executable, str(FAKE), str(library or self.library), how, *more],
                                   env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.fakes.append(process)
        said = process.stdout.readline()
        if said == b'may not\n':
            self.skipTest('a process may have no mounts of its own here')
        self.assertEqual(said, b'ready\n')
        return process

    def stop(self, fake):
        fake.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + 30
        while pathlib.Path('/proc/%d/stat' % fake.pid).read_text().rpartition(')')[2].split()[0] != 'T':
            self.assertLess(time.monotonic(), deadline)
