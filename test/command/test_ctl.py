#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle ctl, and processes that say anything. Needs no runtime: a control socket is easily made.

  test_ctl.py MONOCLE
"""
import ctypes
import mmap
import multiprocessing
import os
import pathlib
import re
import socket
import unittest

import case

THREAD = b'monocle-ctl'  # by which the one that serves the socket is known
PR_SET_NAME = 15
OTHER = 65534  # a user


def listen(folder, ready):
    """The calling process has a control socket from now on."""
    ctypes.CDLL(None).prctl(PR_SET_NAME, THREAD, 0, 0, 0)
    folder.mkdir(mode=0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / 'socket'))
    listener.listen()
    ready.set()
    return listener


def serve(folder, answer, ready, user):
    """A process whose every answer is this; of another user where there is one."""
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    listener = listen(folder, ready)
    while True:
        client = listener.accept()[0]
        try:
            client.recv(1 << 16)
            client.sendall(answer)
            client.recv(1)  # until the command has read enough
        except OSError:
            pass
        client.close()


def stand_by(folder, libraries, ready, refusals, left):
    """
    A Mono that stands by, as it is seen from outside: it refuses so often, then it loads, leaves a file of this kind
    in the folder of the run, and is done at once.
    """
    maps = [mmap.mmap(os.open(library, os.O_RDONLY), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC) for library in libraries]
    listener = listen(folder, ready)
    while maps:
        client = listener.accept()[0]
        words = client.recv(1 << 16)
        run = re.search(rb'MONOCLE_RUN_DIR=(\S+)', words)
        if not run:
            client.sendall(b'runtime Mono 9.8.7\nstandby idle\nok\n')
        elif refusals.value > 0:
            refusals.value -= 1
            client.sendall(b'error modules are loaded already: another attach is at work\n')
        else:
            for name in ('%d.loaded', *left, '%d.standing-by'):
                (pathlib.Path(os.fsdecode(run[1])) / (name % os.getpid())).touch()
            client.sendall(b'ok\n')
        client.close()


class Attach(case.Case):
    """Another attach may come between the look at a process that stands by and the request to load."""

    def attach(self, count, *left):
        """To what refuses `count` times: exit code, stderr, and how often it would still refuse."""
        libraries = [self.folder / 'libmonosgen-2.0.so.1', self.folder / 'lib/mono/libmono-profiler-monocle.so']
        for library in libraries:
            library.write_bytes(bytes(4096))
        context = multiprocessing.get_context('fork')
        ready, refusals = context.Event(), context.Value('i', count)
        server = context.Process(target=stand_by, args=(self.folder / 'monocle-ctl-0000000000000000', libraries, ready,
                                                        refusals, left), daemon=True)
        server.start()
        self.addCleanup(server.join)
        self.addCleanup(server.kill)
        self.assertTrue(ready.wait(60))
        code, _, error = self.monocle('attach', str(server.pid), '--profile=sample', '--quiet')
        return code, error, refusals.value

    def test_one_that_comes_second_waits_for_the_first(self):
        _, error, left = self.attach(2)
        self.assertEqual(left, 0, error)
        self.assertRegex(error, r'^monocle: process \d+ left no profile\n$')

    def test_a_profile_that_stays_where_it_is_has_one_line(self):
        code, error, _ = self.attach(0, 'sample.%d.1.spool')
        self.assertRegex(error, r'^monocle: process \d+ left a profile that cannot be completed: .* it stays in \S+\n$')
        self.assertEqual(code, 1)

    def test_one_that_waits_in_vain_is_refused_in_a_line(self):
        code, error, left = self.attach(1 << 30)
        self.assertEqual((code, error.count('\n')), (1, 1), error)
        self.assertIn('modules are loaded already: another attach is at work\n', error)


class Ctl(case.Case):
    def setUp(self):
        super().setUp()
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            server.kill()
            server.join()
        super().tearDown()

    def ask(self, answer, verb, *words, user=None):
        """What `monocle ctl` makes of it: exit code, stdout, stderr."""
        context = multiprocessing.get_context('fork')
        ready = context.Event()
        folder = self.folder / ('monocle-ctl-%016x' % len(self.servers))
        server = context.Process(target=serve, args=(folder, answer, ready, user), daemon=True)
        server.start()
        self.servers.append(server)
        self.assertTrue(ready.wait(60))
        return self.monocle('ctl', str(server.pid), verb, *words)

    def refuse(self, answer, says, user=None):
        code, out, error = self.ask(answer, 'snapshot', user=user)
        self.assertEqual((code, out, error.count('\n')), (1, '', 1), error)
        self.assertIn(says, error)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_a_text_is_copied_as_it_is_now(self):
        log = self.folder / 'a.log'
        log.write_text('one\ntwo\n')
        self.assertEqual(self.ask(b'file events %s\nok\n' % bytes(log), 'snapshot', '-o', 'x.log')[0], 0)
        self.assertEqual((self.work / 'x.log').read_text(), 'one\ntwo\n')

    def test_what_is_no_file_is_neither_waited_for_nor_read_without_an_end(self):
        for ending in '.log', '.spool', '.mcov':
            pipe = self.folder / ('pipe' + ending)
            os.mkfifo(pipe)
            self.refuse(b'file events %s\nok\n' % bytes(pipe), 'pipe' + ending)
        for path in b'/dev/zero', b'/dev/full', b'/tmp', b'/nowhere/at/all':
            self.refuse(b'file events %s\nok\n' % path, pathlib.Path(os.fsdecode(path)).name)

    @unittest.skipUnless(os.geteuid() == 0, 'only root can be two users')
    def test_another_users_process_names_no_file_of_roots(self):
        os.chmod(self.folder, 0o1777)
        for ending in '.log', '.spool', '.mcov':
            secret = self.folder / ('secret' + ending)
            secret.write_text("root's own\n")
            secret.chmod(0o600)
            link = self.folder / ('link' + ending)
            link.symlink_to(secret)
            os.chown(link, OTHER, OTHER, follow_symlinks=False)
            self.refuse(b'file events %s\nok\n' % bytes(secret), 'it is no file of the user', OTHER)
            self.refuse(b'file events %s\nok\n' % bytes(link), 'Too many levels of symbolic links', OTHER)

    @unittest.skipUnless(os.geteuid() == 0, 'only root can be two users')
    def test_another_users_own_file_is_copied_unless_it_is_too_large(self):
        os.chmod(self.folder, 0o1777)
        log = self.folder / 'a.log'
        log.write_text('one\ntwo\n')
        os.chown(log, OTHER, OTHER)
        self.assertEqual(self.ask(b'file events %s\nok\n' % bytes(log), 'snapshot', '-o', 'x.log', user=OTHER)[0], 0)
        self.assertEqual((self.work / 'x.log').read_text(), 'one\ntwo\n')
        (self.work / 'x.log').unlink()
        os.truncate(log, 1 << 32)
        self.refuse(b'file events %s\nok\n' % bytes(log), 'larger than the 1 GB', OTHER)

    def test_lines_that_name_no_file_are_passed_over(self):
        lines = b''.join(b'file events%d /nowhere/%d\nfile nothing\n' % (i, i) for i in range(200))
        code, out, error = self.ask(lines + b'ok\n', 'snapshot')
        self.assertEqual((code, out, error.count('\n')), (1, '', 200), error)

    def test_a_process_with_thousands_of_files_is_not_believed(self):
        self.refuse(b'file events /etc/hostname\n' * 20000 + b'ok\n', 'names more files than modules can have')

    def test_an_answer_steers_no_terminal(self):
        code, out, error = self.ask(b'module \033[2J run\033]0;x\007\nprocess \033[31m\nerror \033[2Jbad\n', 'status')
        self.assertEqual((code, error.count('\n')), (1, 1))
        self.assertNotRegex(out + error, r'[\x00-\x09\x0b-\x1f]')


if __name__ == '__main__':
    case.main()
