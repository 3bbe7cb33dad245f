#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rows of commands and options: wrong usage, help and the manual.

    test_options.py MONOCLE
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case


def commands(test):
    return [name for name in re.findall(r'^  (\w+) +\S', test.monocle('--help')[1], re.M) if name != 'help']


class Usage(case.Case):
    def test_wrong_usage_is_2(self):
        case.make_profile(self.work / 'p.pb.gz')
        for words in [[], ['nonsense'], ['run'], ['run', '--'], ['run', '--nonsense', '--', 'true'],
                      ['run', '--profile=', '--', 'true'], ['run', '--profile=:x', '--', 'true'],
                      ['run', '-o', 'x', '--profile=calls:output=y', '--', 'true'],
                      ['run', '-o', 'x', '--profile=calls:nooutput=1,output=y', '--', 'true'],
                      ['report', '--sort=colour'], ['report', '-n', '-3'], ['report', '-n', '99999999999999999999'],
                      ['report', '--format=xml'], ['flame', 'a', 'b'],
                      ['flame', 'p.pb.gz', '--min-share=much'], ['convert', 'p.pb.gz'], ['diff'],
                      ['diff', 'p.pb.gz', 'p.pb.gz', '--format=xml'], ['diff', 'p.pb.gz', 'p.pb.gz', '--sort=calls'],
                      ['diff', 'p.pb.gz', 'p.pb.gz', '--format=tsv', '-o', 'x.html'],
                      ['convert', '--to=pprof'], ['convert', 'p.pb.gz', '--to=xml'],
                      ['list', 'x'], ['doctor', 'x', 'y'], ['help', 'nonsense']]:
            code, out, error = self.monocle(*words)
            self.assertEqual((code, out), (2, ''), words)
            self.assertTrue(error, words)
            self.assertTrue(not words or len(error.splitlines()) == 1, error)

    def test_each_help_ends_with_examples_of_options_that_there_are(self):
        for name in commands(self):
            help = self.monocle(name, '--help')[1]
            examples = help.split('\nExamples:\n')[1].splitlines()
            self.assertGreaterEqual(len(examples), 2, name)
            for line in examples:
                self.assertRegex(line, r'^  (eval "\$\()?monocle \w+')
                for option in re.findall(r' (--[\w-]+)', line.split(' -- ')[0]):
                    command = line.split('monocle ')[1].split()[0]
                    self.assertIn(option, self.monocle(command, '--help')[1].split('\nExamples:')[0], line)

    def test_help_and_version_go_to_standard_output(self):
        for words in [['--help'], ['help'], ['help', 'run'], ['run', '--help'], ['report', '--help'], ['flame', '-h'],
                      ['convert', '--help'], ['diff', '--help'], ['list', '--help'], ['doctor', '--help']]:
            code, out, error = self.monocle(*words)
            self.assertEqual((code, error), (0, ''), words)
            self.assertIn('usage: monocle', out)
        self.assertRegex(self.monocle('--version')[1], r'^monocle \d+\.\d+')

    def test_a_help_gives_both_spellings_of_an_option_and_is_no_wider_than_a_terminal_can_be(self):
        for name in commands(self):
            help = self.monocle(name, '--help')[1]
            self.assertLessEqual(max(map(len, help.splitlines())), 120, name)
            for letter, rest in re.findall(r'^  -(\w)(.*)', help, re.M):
                self.assertTrue(letter == 'n' or rest.startswith(', --'), name + letter)
        self.assertIn('\n  help ', self.monocle('--help')[1])

    def test_a_mistyped_command_is_guessed(self):
        for typed, meant in [('repotr', 'report'), ('rnu', 'run'), ('flam', 'flame'), ('docter', 'doctor')]:
            self.assertIn("did you mean '%s'" % meant, self.monocle(typed)[2])
        self.assertNotIn('did you mean', self.monocle('xyzzy')[2])

    def test_words_of_other_tools_are_known(self):
        """Each row of tools/command/other-words.def: where a command is wanted, and where a module is."""
        table = (case.TOP / 'tools/command/other-words.def').read_text()
        rows = re.findall(r'^WORD \("(\w+)", +(?:"(\w+)"|NULL), +(?:"(\S+)"|NULL)\)$', table, re.M)
        self.assertEqual(len(rows), table.count('\nWORD ('))
        commands = re.findall(r'^  (\w+) ', self.monocle('--help')[1], re.M)
        for word, command, profile in rows:
            self.assertTrue(profile or command in commands, command)
            self.assertNotIn(word, commands)
            self.assertEqual(self.monocle(word)[::2], (2, "monocle: there is no command '%s'; %s\n" % (
                word, "did you mean '%s'?" % command if command else
                'that is monocle run --profile=%s -- COMMAND' % profile)))
            self.assertEqual(self.monocle('run', '--profile=' + word, '--', 'true')[::2], (2, (
                "monocle: there is no module '%s'; that is %s\n" % (
                    word, 'the command monocle ' + command if command else '--profile=' + profile))))

    def test_a_value_that_is_missing_is_not_taken_from_what_follows(self):
        for words, said in [
                (['run', '-o', '--', 'true'], "option '-o' needs a value before --"),
                (['run', '--output', '--', 'true'], "option '--output' needs a value before --"),
                (['stat', '-o', '--', 'true'], "option '-o' needs a value before --"),
                (['report', '--top'], "'--top' stands for '--topic', which needs a value"),
                (['report', '--topic'], "option '--topic' needs a value")]:
            self.assertEqual(self.monocle(*words), (2, '', 'monocle: %s; see monocle %s --help\n' % (said, words[0])))
        self.assertEqual(self.monocle('run', '-o', './--', '--', 'true')[0], 0)

    def test_a_process_beside_a_command_is_refused(self):
        for name in 'stat', 'top':
            self.assertEqual(self.monocle(name, 'shop', '--', 'true'), (
                2, '', "monocle: %s takes a process, 'shop', or a command, and not both; see monocle %s --help\n" % (
                    name, name)))

    def test_help_and_version_are_words_too(self):
        self.assertEqual(self.monocle('help', '--help'), self.monocle('--help'))
        self.assertEqual(self.monocle('version'), self.monocle('--version'))

    def test_a_mistyped_option_is_guessed(self):
        for words, meant in [(['run', '--quite', '--', 'true'], 'quiet'), (['report', '--sotr=self'], 'sort'),
                             (['convert', 'p', '--too=pprof'], 'to'), (['list', '--hlep'], 'help')]:
            code, out, error = self.monocle(*words)
            self.assertEqual((code, out), (2, ''))
            self.assertIn("did you mean '--%s'" % meant, error)
        for words in [['report', '--xyzzy'], ['flame', '--'], ['flame', 'p', '-x']]:
            self.assertNotIn('did you mean', self.monocle(*words)[2])

    def test_a_report_says_what_writes_files(self):
        for words in [['-o', 'x.html'], ['--output=x.html'], ['p.pb.gz', '-o', 'x.html']]:
            code, out, error = self.monocle('report', *words)
            self.assertEqual((code, out), (2, ''))
            self.assertEqual(error, 'monocle: report has no -o: monocle flame -o OUT.html draws a page, monocle '
                                    'convert --to=FORMAT -o OUT writes other files\n')

    def test_a_prefix_is_enough_where_one_option_has_it(self):
        self.assertEqual(self.monocle('report', '--form=nonsense')[2].split(',')[0], 'monocle: --format is text')
        self.assertIn('ambiguous', self.monocle('run', '--pro=x', '--', 'true')[2])


class Manual(case.Case):
    def test_it_names_all_commands_and_options(self):
        manual = (case.TOP / 'doc/monocle.1').read_text()
        for command in commands(self):
            section = re.split(r'\n\.S[hs] ', manual.split('.Ss monocle %s\n' % command)[1])[0]
            for option in re.findall(r'^  -(-?[\w-]+)', self.monocle(command, '--help')[1], re.M):
                self.assertRegex(section, r'\.It Fl %s\b' % option, command)


if __name__ == '__main__':
    case.main()
