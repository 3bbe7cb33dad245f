#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modules by their names, and their arguments: what is wrong ends the command before the program has begun.

    test_modules.py MONOCLE
"""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case


class Names(case.Case):
    def refuse(self, *options, env=None):
        code, out, error = self.shell('echo ran', *options, env=env)
        self.assertEqual((code, out, len(error.splitlines())), (2, '', 1), error)
        self.assertNothingLeft()
        return error

    def test_a_name_that_is_no_modules_is_refused_with_what_was_meant(self):
        self.assertEqual(self.refuse('--profile=smaple'),
                         "monocle: there is no module 'smaple'; did you mean 'sample'? monocle list shows all\n")
        self.assertIn("did you mean 'calls'", self.refuse('--profile=sample', '--profile=call:x'))

    def test_where_nothing_is_near_all_are_named(self):
        self.assertRegex(self.refuse('--profile=xyzzyxyzzy'), "no module 'xyzzyxyzzy'; there are: calls, sample")

    def test_where_ones_own_are_looked_for_is_said(self):
        self.assertTrue(self.refuse('--profile=mytally').endswith(
            '; MONOCLE_MODULE_PATH=FOLDER adds those of a folder of yours\n'))
        missing = {'MONOCLE_MODULE_PATH': '%s:/no/such/folder' % self.folder}
        for name in 'mytally', 'smaple':
            self.assertTrue(self.refuse('--profile=' + name, env=missing).endswith(
                '; MONOCLE_MODULE_PATH names /no/such/folder: No such file or directory\n'))
        there = self.refuse('--profile=mytally', env={'MONOCLE_MODULE_PATH': str(self.folder)})
        self.assertNotIn('MONOCLE_MODULE_PATH', there)

    def test_a_comma_for_a_colon_is_seen(self):
        self.assertIn('arguments follow a colon: --profile=sample:freq=5', self.refuse('--profile=sample,freq=5'))

    def test_a_path_is_called_so(self):
        self.assertIn("'./x.so' is a path", self.refuse('--profile=./x.so'))

    def test_a_module_anywhere_on_the_search_path_is_taken(self):
        for variable, name in [('MONOCLE_MODULE_PATH', 'libmono-profiler-%s.so'),
                               ('LD_LIBRARY_PATH', 'mono-profiler-%s.so')]:
            folder = self.folder / variable
            folder.mkdir()
            self.make_module('mine', path=variable + '/' + name)
            code, out, _ = self.shell('echo ran', '--profile=mine', env={variable: str(folder)})
            self.assertEqual((code, out), (0, 'ran\n'), variable)

    def test_monos_own_need_no_file_here(self):
        self.assertEqual(self.shell('echo ran', '--profile=log')[:2], (0, 'ran\n'))

    def test_what_only_the_program_sees_may_be_named(self):
        self.assertEqual(self.shell('echo ran', '--unchecked', '--profile=elsewhere')[:2], (0, 'ran\n'))

    def test_a_pipe_with_the_name_of_a_module_is_not_asked(self):
        os.mkfifo(self.folder / 'modules/libmono-profiler-pipe.so')
        process = self.start('run', '-q', '--profile=pipe:x', '--', '/bin/echo', 'ran')
        self.addCleanup(process.kill)
        out, error = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out, error.decode()), (
            2, b'', 'monocle: %s is no shared library of this machine\n' % (
                self.folder / 'modules/libmono-profiler-pipe.so')))

    def test_a_file_that_cannot_be_a_module_is_refused(self):
        """Before the program is started: it would run, and nothing be profiled."""
        file = self.folder / 'modules/libmono-profiler-mine.so'
        for content, said in [(b'a text', '%s is no shared library of this machine'),
                              (case.module_bytes('my'),
                               '%s has no entry point mono_profiler_init_mine that is exported'),
                              (case.module_bytes('my', b'mono_profiler_startup'),
                               "%s is written for Mono's old profiler API (mono_profiler_startup); "
                               'mono_profiler_init_mine is expected')]:
            file.write_bytes(content)
            self.assertEqual(self.refuse('--profile=mine'), 'monocle: %s\n' % (said % file))
            self.assertEqual(self.shell('echo ran', '--unchecked', '--profile=mine')[:2], (0, 'ran\n'))
            out = self.monocle('doctor', env={'MONOCLE_MODULE_PATH': str(file.parent)})[1]
            self.assertIn('fail  your modules     some will not be loaded: ' + said % file, out)


class Arguments(case.Case):
    """The modules as they were built."""

    def built(self, *words, env=None):
        result = subprocess.run([case.MONOCLE, *words], cwd=self.work, env=dict(self.environment, **(env or {})),
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return result.returncode, result.stdout, result.stderr

    def test_a_wrong_argument_of_ours_is_refused_in_the_modules_words(self):
        for desc, wanted in [('sample:freq=abc', 'monocle: sample: option freq=abc: a number from 1 to 10000 is '
                                                 'wanted\n'),
                             ('calls:time=cup', 'monocle: calls: option time=cup: one of wall|cpu|none is wanted\n'),
                             ('cover:"x', 'monocle: cover: option x: a quote is not closed\n'),
                             ('exceptions:bogus', 'monocle help exceptions prints all')]:
            code, out, error = self.built('run', '--profile=' + desc, '--', 'echo', 'ran')
            self.assertEqual((code, out), (2, ''), desc)
            self.assertIn(wanted, error)
            self.assertEqual(len(error.splitlines()), 1)
        self.assertNothingLeft()

    def test_right_arguments_are_no_word(self):
        for desc in ['sample:freq=10,threads', 'sample:', "calls:callspec='all,-T:X'", 'calls:output=a\\\\']:
            code, out, error = self.built('run', '-q', '--profile=' + desc, '--', 'echo', 'ran')
            self.assertEqual((code, out), (0, 'ran\n'), error)
            self.assertNotIn('option', error)
        self.assertEqual(os.listdir(self.work), [])

    def test_the_words_of_a_module_come_from_the_command_whatever_is_set_for_programs(self):
        wanted = 'monocle: calls: option time=cup: one of wall|cpu|none is wanted\n'
        for settings in [{'MONOCLE_PROFILE': 'sample'}, {'MONOCLE_LOG': str(self.work / 'log')},
                         {'CORECLR_PROFILER': '{F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}'},
                         {'MONOCLE_RUN_DIR': str(self.temporary)}]:
            self.assertEqual(self.built('run', '--profile=calls:time=cup', '--', 'true', env=settings), (2, '', wanted))
        self.assertEqual(os.listdir(self.work) + os.listdir(self.temporary), [])

    def test_help_of_a_module_needs_no_program(self):
        wanted = self.built('help', 'sample')
        self.assertEqual((wanted[0], wanted[2]), (0, ''))
        self.assertIn('freq=HZ', wanted[1])
        for words in [['run', '--profile=sample:help'], ['run', '--profile=sample:help', '--', 'echo', 'ran']]:
            self.assertEqual(self.built(*words), wanted)

    @unittest.skipUnless(os.path.exists('/usr/lib/libmono-profiler-log.so'), "Mono's own modules are not installed")
    def test_monos_own_modules_are_asked_too(self):
        for module, right, wrong in [('log', 'nocalls,sample=50', 'bogus=3'), ('coverage', 'output=x', 'bogus')]:
            code, out, error = self.built('help', module)
            self.assertEqual((code, error), (0, ''))
            self.assertIn('--profile=%s' % module, out)
            code, out, error = self.built('run', '--profile=%s:%s,%s' % (module, right, wrong), '--', 'touch', 'ran')
            self.assertEqual((code, out), (2, ''))
            self.assertEqual(error, "monocle: %s: there is no option '%s'; monocle help %s prints them\n"
                             % (module, wrong, module))
            self.assertFalse((self.work / 'ran').exists())
            code, out, error = self.built('run', '--profile=%s:%s' % (module, right), '--', 'true')
            self.assertEqual((code, 'option' in error), (0, False))
            self.assertEqual(os.listdir(self.work), [])

    def test_help_of_what_is_no_module_is_refused(self):
        for words in [['help', 'smaple'], ['run', '--profile=smaple:help']]:
            code, out, error = self.built(*words)
            self.assertEqual((code, out), (2, ''))
            self.assertIn('did you mean', error)


if __name__ == '__main__':
    case.main()
