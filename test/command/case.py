# SPDX-License-Identifier: MIT
"""What the tests of the command share: a folder in which `monocle` finds what it looks for. Needs no runtime."""
import fcntl
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / 'test'))
import pprof  # noqa: E402

MARK = b'\0end'
MONOCLE = None  # the program under test; main () sets it


def make_profile(path):
    profile = pprof.Writer()
    profile.value('calls', 'count')
    profile.value('self', 'nanoseconds')
    profile.sample(['A:Main ()'], [1, 5000])
    pprof.write_gzip(path, profile.encode())


def module_bytes(name, *texts):
    """The least that is a module's file: a shared library that exports its entry point, and has these texts."""
    PT_LOAD, PT_DYNAMIC, DT_NULL, DT_STRTAB, DT_STRSZ, ET_DYN, EM_X86_64 = 1, 2, 0, 5, 10, 3, 62
    strings = b'\0'.join([b'', b'mono_profiler_init_' + name.encode(), *texts, b''])
    dynamic = 64 + 2 * 56
    begin = dynamic + 3 * 16
    segments = [(PT_LOAD, 0, begin + len(strings)), (PT_DYNAMIC, dynamic, begin - dynamic)]
    header = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', ET_DYN, EM_X86_64, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    tables = b''.join(struct.pack('<IIQQQQQQ', kind, 4, at, at, at, size, size, 8) for kind, at, size in segments)
    entries = [(DT_STRTAB, begin), (DT_STRSZ, len(strings)), (DT_NULL, 0)]
    return header + tables + b''.join(struct.pack('<qQ', *entry) for entry in entries) + strings


def file_formats(monocle):
    """What `convert` writes of a profile."""
    said = subprocess.run([monocle, 'convert', 'x'], stderr=subprocess.PIPE, timeout=60).stderr.decode()
    return re.findall(r'\w+', said.split('--to=FORMAT: ')[1].split(' of a ')[0].replace(' or ', ' '))


def report_formats(monocle):
    """What `report` and `diff` print."""
    said = subprocess.run([monocle, 'report', '--help'], stdout=subprocess.PIPE, timeout=60).stdout.decode()
    return re.search(r'--format=([\w|]+)', said).group(1).split('|')


class Case(unittest.TestCase):
    """A folder with the program and small files where its libraries would be, so that `run` has something to name."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name).resolve()
        self.program = str(self.folder / 'monocle')
        shutil.copy(MONOCLE, self.program)
        for name in ['lib/clr/libmonocle-clr.so', 'lib/mono/libmono-profiler-monocle.so']:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        (self.folder / 'modules').mkdir()
        self.make_modules('calls', 'sample')
        self.temporary = self.folder / 'tmp'
        self.temporary.mkdir()
        self.work = self.folder / 'work'
        self.work.mkdir()
        keep = ['PATH', 'HOME', 'ASAN_OPTIONS', 'UBSAN_OPTIONS']
        self.environment = {name: os.environ[name] for name in keep if name in os.environ}
        self.environment.update(TMPDIR=str(self.temporary), LC_ALL='C.UTF-8')

    def tearDown(self):
        self.holder.cleanup()

    def be_patient(self, milliseconds):
        """How long `monocle` waits for other processes. Only a build with invariants can be told."""
        if b'MONOCLE_TEST_PATIENCE' not in pathlib.Path(MONOCLE).read_bytes():
            self.skipTest('this build cannot be told how long to wait')
        self.environment['MONOCLE_TEST_PATIENCE'] = str(milliseconds)

    def make_modules(self, *names):
        """They take -o and write a profile."""
        for name in names:
            self.make_module(name, b'monocle_kit_spool_open')

    def make_module(self, name, *texts, path='modules/libmono-profiler-%s.so'):
        (self.folder / (path % name)).write_bytes(module_bytes(name, *texts))

    def start(self, *words, env=None, **options):
        environment = dict(self.environment, **(env or {}))
        return subprocess.Popen([self.program, *words], cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def monocle(self, *words, env=None, **options):
        process = self.start(*words, env=env, **options)
        out, error = process.communicate(timeout=60)
        return process.returncode, out.decode(), error.decode()

    def shell(self, script, *options, env=None):
        return self.monocle('run', *options, '--', '/bin/sh', '-c', script, env=env)

    def see_on_terminal(self, *words, columns=80, **environment):
        """What a command writes to a terminal. It is not the command's own: the kernel hangs up that of a session when
        its first process ends, and what is not read yet may be lost then. It is all that comes before a mark."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        child = subprocess.Popen([self.program, *words], cwd=self.work, env=dict(self.environment, **environment),
                                 stdin=slave, stdout=slave, stderr=slave)
        end = threading.Thread(target=lambda: (child.wait(), os.write(slave, MARK)))
        end.start()
        text = b''
        while not text.endswith(MARK):
            text += os.read(master, 4096)
        end.join()
        os.close(master)
        os.close(slave)
        return text[:-len(MARK)].decode()

    def assertNothingLeft(self):
        self.assertEqual(os.listdir(self.temporary), [])


def hear_all_signals():
    """A shell that starts this in the background ignores two of them, and what is ignored no trap can undo."""
    for name in ('SIGINT', 'SIGQUIT'):
        if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
            signal.signal(getattr(signal, name), signal.SIG_DFL)


def main():
    """For a file of tests that is called with the program: test_NAME.py MONOCLE [TEST...]"""
    global MONOCLE
    hear_all_signals()
    MONOCLE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
