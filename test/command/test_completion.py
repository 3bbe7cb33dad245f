#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Tab offers in bash, zsh and fish, each asked itself, with the script that `monocle completion` prints.

    test_completion.py MONOCLE
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import fake_case

class Answers(case.Case):
    """What the scripts ask. The rows are those of --help, so that nothing can be missing in one of the two."""

    def answer(self, *words):
        code, out, error = self.monocle('completion', '--answer', '--', *words)
        self.assertEqual((code, error), (0, ''), words)
        return [line.split('\t') for line in out.splitlines()]

    def words(self, *words):
        return [row[0] for row in self.answer(*words)]

    def commands(self):
        return re.findall(r'^  (\w+) +\S', self.monocle('--help')[1], re.M)

    def test_the_commands_are_those_of_the_help(self):
        listed = self.commands()
        self.assertGreaterEqual(len(listed), 14)
        self.assertEqual(self.words(''), listed)
        self.assertEqual(self.words('-'), ['--help', '--version'])
        self.assertEqual(self.words('help', 'mer'), ['merge'])
        self.assertIn('sample', self.words('help', ''))

    def test_the_options_of_each_command_are_those_of_its_help(self):
        for command in set(self.commands()) - {'help'}:
            rows = re.findall(r'^  (-\w)?(?:, )?(--[\w-]+=?)?', self.monocle(command, '--help')[1], re.M)
            short = {letter or name for letter, name in rows} - {''} | {'--help'}
            long = {name for _, name in rows} - {''} | {'--help'}
            self.assertEqual({word for word in self.words(command, '-') if word != '--'}, short, command)
            self.assertEqual({word for word in self.words(command, '--') if word != '--'}, long, command)

    def test_values_follow_both_spellings(self):
        sorts = ['self', 'total', 'calls', 'path', 'missed', 'percent']
        self.assertEqual(self.words('report', '--sort', ''), sorts)
        self.assertEqual(self.words('report', '--sort='), ['--sort=' + sort for sort in sorts])
        self.assertEqual(self.answer('run', '-o', 'x'), [[':files', '', '']])
        self.assertEqual(self.answer('run', '--output=x'), [[':files', '--output=', '']])
        self.assertEqual(self.words('report', '-n', ''), [])

    def test_operands_are_files_programs_and_words(self):
        for command in ('report', 'flame', 'diff', 'convert', 'merge'):
            (kind, prefix, ends), = self.answer(command, '')
            self.assertEqual((kind, prefix), (':files', ''))
            self.assertLessEqual({'.pb.gz', '.mcov', '.spool', '.mlpd'}, set(ends.split()))
        self.assertEqual(self.words('doctor', ''), [':programs'])
        self.assertEqual(self.words('completion', ''), ['bash', 'zsh', 'fish'])
        self.assertEqual(self.answer('new', ''), [])

    def test_a_command_of_run_is_left_to_the_shell(self):
        for words, index in [(('run', '--', 'cat', 'a'), '2'), (('run', 'cat', 'a'), '1'),
                             (('run', '-o', 'x', '--all', '--profile=calls', 'cat', '-'), '5')]:
            self.assertEqual(self.answer(*words), [[':command', index]], words)
        for words in [('run', '--', 'ca'), ('run', '-o', 'x', 'ca')]:
            self.assertEqual(self.words(*words), [':programs'], words)

    def test_what_nobody_knows_is_answered_with_nothing(self):
        for words in [(), ('nonsense', ''), ('report', '--nonsense='), ('run', '--profile=nonsense:'),
                      ('run', '--profile=sample:x=', ''), ('\xff' * 5000,)]:
            code, out, error = self.monocle('completion', '--answer', '--', *words)
            self.assertEqual((code, error), (0, ''))
            self.assertIn(out, ('', ':programs\n'))

    def test_the_order_of_the_usage_line_is_one_too(self):
        for words in (['bash', '--answer', '--'], ['--answer', 'bash', '--'], ['--answer']):
            self.assertEqual(self.monocle('completion', *words, 'ru')[1].split('\t')[0], 'run')

    def test_wrong_usage_is_told(self):
        for words in [(), ('tcsh',), ('bash', 'zsh')]:
            code, out, error = self.monocle('completion', *words)
            self.assertEqual((code, out, len(error.splitlines())), (2, '', 1))
            self.assertIn('bash', error)


class Processes(fake_case.Case):
    def answer(self, *words):
        out = self.monocle('completion', '--answer', '--', *words)[1]
        return [line.split('\t') for line in out.splitlines()]

    def test_processes_are_offered_by_name_and_number(self):
        """A name that a shell would find a meaning in would be run with the command line."""
        fake = self.fake('good', name='/x/shopfront')
        self.fake('good', name='/x/shop$(touch made)')
        for command in ('attach', 'ctl', 'stack', 'stat', 'top'):
            self.assertEqual(self.answer(command, 'shop'), [['shopfront', 'CoreCLR %d' % fake.pid]], command)
            self.assertIn([str(fake.pid), 'CoreCLR shopfront'], self.answer(command, str(fake.pid)[0]))
        self.assertEqual(self.answer('stack', '--fold', 'shop')[0][0], 'shopfront')
        self.assertEqual(self.answer('stack', 'shopfront', ''), [])

    def test_the_verbs_of_ctl_are_offered(self):
        verbs = [row[0] for row in self.answer('ctl', 'shop', '')]
        self.assertEqual([row[0] for row in self.answer('ctl', '-o', 'x', 'shop', 'un')], ['unload'])
        said = self.monocle('ctl', 'shop', 'nonsense')[2]
        self.assertGreaterEqual(len(verbs), 7)
        for verb in verbs:
            self.assertRegex(said, r'\b%s\b' % verb)


class Terminal:
    """A shell that reads its keys from a terminal."""

    def __init__(self, words, environment, folder):
        self.seen = b''
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, dict(environment, PS1='READY>'))
        self.wait_for('READY>')

    def wait_for(self, text):
        end = time.monotonic() + 60
        while text.encode() not in self.seen:
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError('%r was not printed, but %r' % (text, self.seen))
            self.seen += os.read(self.terminal, 65536)

    def run(self, keys):
        """Types a command line, and waits until it has run. The terminal shows what is typed, too, but not as this."""
        self.seen = b''
        os.write(self.terminal, keys.encode() + b'; echo DO""NE\r')
        self.wait_for('DONE')

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


class Shell:
    """The questions, all to one shell; how they are asked is a shell's. `offers` gives the words that the last one of a
    line may become, without what of it is typed already up to its last = or :."""
    NAME = None

    def setUp(self):
        super().setUp()
        if not shutil.which(self.NAME):
            self.skipTest(self.NAME + ' is not installed')
        self.environment.update(TERM='dumb', HOME=str(self.folder), TMPDIR=str(self.temporary),
                                PATH='%s:%s' % (pathlib.Path(case.MONOCLE).parent, self.environment['PATH']))
        code, out, error = self.monocle('completion', self.NAME)
        self.assertEqual((code, error), (0, ''))
        self.script = self.folder / 'script'
        self.script.write_text(out)
        self.begin()

    @staticmethod
    def cut(line, words):
        typed = line.split(' ')[-1]
        kept = re.match(r'(.*[=:])?', typed).group()
        return sorted(word[len(kept):] if kept and word.startswith(kept) else word for word in words)

    def test_the_words_are_offered(self):
        for name in dir(self):
            if name.startswith('ask_'):
                with self.subTest(name):
                    getattr(self, name)()

    def ask_commands(self):
        self.assertEqual(self.offers('monocle re'), ['report'])
        self.assertLessEqual({'run', 'flame', 'completion', 'help'}, set(self.offers('monocle ')))

    def ask_options(self):
        self.assertEqual(self.offers('monocle report --fo'), sorted(['--fold', '--focus=', '--format=']))

    def ask_values_of_options(self):
        self.assertEqual(self.offers('monocle report --format='), ['json', 'text', 'tsv'])
        self.assertEqual(self.offers('monocle report --sort t'), ['total'])

    def ask_modules_and_their_options(self):
        self.assertEqual(self.offers('monocle run --profile=sa'), ['sample', 'sample:'])
        self.assertLessEqual({'mode=', 'freq=', 'threads'}, set(self.offers('monocle run --profile=sample:')))
        self.assertEqual(self.offers('monocle run --profile=sample:fr'), ['freq='])
        self.assertEqual(self.offers('monocle run --profile=sample:mode='), ['cpu', 'none', 'wall'])
        self.assertEqual([word.split(',')[-1] for word in self.offers('monocle run --profile=sample:threads,na')],
                         ['native'])

    def ask_profiles(self):
        for name in ('a b.pb.gz', 'a.mcov', 'a.txt'):
            (self.work / name).touch()
        (self.work / 'afolder').mkdir()
        self.assertEqual({word.rstrip('/') for word in self.offers('monocle report a')},
                         {'a b.pb.gz', 'a.mcov', 'afolder'})
        self.assertEqual({word.rstrip('/') for word in self.offers('monocle run --output=a')},
                         {'a b.pb.gz', 'a.mcov', 'a.txt', 'afolder'})

    def ask_the_command_of_run_is_completed_as_without_us(self):
        (self.work / 'other.txt').touch()
        self.assertIn('other.txt', self.offers('monocle run -- cat oth'))
        self.assertIn('monocle', self.offers('monocle run -- monocl'))


class OnTerminal(Shell):
    def tearDown(self):
        if hasattr(self, 'terminal'):
            self.terminal.close()
        super().tearDown()

    def offers(self, line):
        """All that is offered is put into the line, and the line's words are printed into a file."""
        result = self.folder / 'result'
        result.unlink(missing_ok=True)
        begin = 'printf "%s\\n" '
        self.terminal.run('%s%s\x01%s\x05 > %s' % (line, self.ALL, begin, result))
        words = result.read_text().splitlines()
        return self.cut(line, words[len(line.split(' ')) - 1:])


    def ask_that_more_may_follow_an_option_of_a_module(self):
        result = self.folder / 'typed'
        self.terminal.run('monocle run --profile=sample:mode=w\t,thr\t -- x\x01echo \x05 > %s' % result)
        self.assertEqual(result.read_text(), 'monocle run --profile=sample:mode=wall,threads -- x\n')


class Bash(OnTerminal, case.Case):
    NAME, ALL = 'bash', '\x1b*'

    def begin(self):
        self.terminal = Terminal(['bash', '--norc', '--noprofile', '-i'],
                                 dict(self.environment, HISTFILE=''), self.work)
        self.terminal.run('source %s' % self.script)


class Zsh(OnTerminal, case.Case):
    NAME, ALL = 'zsh', '\x18'
    SETUP = ("autoload -Uz compinit && compinit -D -u; source %s; "
             "every() { _main_complete; compstate[insert]=all; compstate[list]=''; }; "
             "zle -C every complete-word every; bindkey '^X' every; bindkey '^A' beginning-of-line; "
             "bindkey '^E' end-of-line")

    def begin(self):
        self.terminal = Terminal(['zsh', '-f', '-i'], self.environment, self.work)
        self.terminal.run(self.SETUP % self.script)


class Fish(Shell, case.Case):
    NAME = 'fish'
    SERVE = 'source $argv[1]; while read line; complete -C $line; echo DONE; end'

    def begin(self):
        self.fish = subprocess.Popen(['fish', '--no-config', '-c', self.SERVE, str(self.script)], cwd=self.work,
                                     text=True, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)

    def tearDown(self):
        if hasattr(self, 'fish'):
            self.assertEqual(self.fish.communicate(timeout=60), ('', ''))
        super().tearDown()

    def offers(self, line):
        self.fish.stdin.write(line + '\n')
        self.fish.stdin.flush()
        words = iter(self.fish.stdout.readline, 'DONE\n')
        return self.cut(line, [word.rstrip('\n').split('\t')[0] for word in words])


if __name__ == '__main__':
    case.main()
