#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`monocle env`: what it prints is what `monocle run` sets, read back as the reader of each format reads it.

    test_env.py MONOCLE
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case

try:
    import yaml
except ImportError:
    yaml = None  # what is made of YAML is still read by the rules below

FILES = ['systemd', 'docker', 'compose', 'kubernetes']
HOSTILE = ("it's \"quoted\"", '$HOME ${HOME} $(touch made) `touch made` $$ $', '%n %% %', '\\ \\\\ \\" \\n \\x41 \\$',
           ' # not: a comment ', '- ? : , [ ] { } & * ! | > @', 'gr\u00fcn \u2028 \U0001f600 \ufeff',
           '\ttab \x1b[31m \x7f',
           '; & | < > ( ) ~ !', '\u202e turned')
TWO_LINES = 'first\nexport A=1\r\nlast\n'


# --- readers ----------------------------------------------------------------------------------------------------------

def unescape(text, simple):
    """C's escapes as systemd and YAML have them; what is neither a pair nor a number is a mistake."""
    def one(match):
        if match[1]:
            return chr(int(match[1][1:], 16))
        assert match[2] in simple, repr(text)
        return match[2]
    assert not re.search(r'[\x00-\x1f\x7f]', text), repr(text)
    return re.sub(r'\\(?:(x[0-9a-f]{2}|u[0-9a-f]{4})|(.))', one, text)


def halve(text, sign):
    """Two signs stand for one, and there is none alone."""
    assert sign not in text.replace(sign * 2, ''), repr(text)
    return text.replace(sign * 2, sign)


def between_quotes(text):
    found = re.fullmatch(r'"((?:[^"\\]|\\.)*)"', text)
    assert found, repr(text)
    return found[1]


def read_systemd(lines):
    seen = {}
    for line in lines:
        key, value = line.split('=', 1)
        if key == 'Environment':
            name, text = between_quotes(value).split('=', 1)
            seen[name] = halve(unescape(text, '"\\'), '%')
        else:
            assert (line, key) == ('[Service]', '[Service]') or key == 'StateDirectory', line
    return seen


def read_docker(lines):
    """A backslash before one of three signs is that sign, elsewhere itself; a dollar sign alone would be replaced."""
    seen = {}
    for line in lines:
        name, value = re.fullmatch(r'ENV (\w+)=(.*)', line).groups()
        text = between_quotes(value)
        assert '$' not in re.sub(r'\\.', '', text), text
        seen[name] = re.sub(r'\\(["\\$])', r'\1', text)
    return seen


def read_scalar(text):
    value = unescape(between_quotes(text), '"\\')
    assert not yaml or yaml.safe_load(text) == value
    return halve(value, '$')


def read_compose(lines):
    assert lines[0] == 'environment:'
    return {name: read_scalar(text) for name, text in (line[2:].split(': ', 1) for line in lines[1:])}


def read_kubernetes(lines):
    assert lines[0] == 'env:'
    names = [re.fullmatch(r'- name: (\w+)', line)[1] for line in lines[1::2]]
    return {name: read_scalar(re.fullmatch('  value: (.*)', line)[1]) for name, line in zip(names, lines[2::2])}


def read_file(form, text):
    lines = [line for line in text.split('\n')[:-1] if not line.startswith('#')]
    assert text.endswith('\n')
    if yaml and form in ('compose', 'kubernetes'):
        yaml.safe_load(text)
    return globals()['read_' + form]([line for line in lines if line != '[Service]' or form != 'systemd'])


class Reader(case.Case):
    def setUp(self):
        super().setUp()
        for name, uses in [('calls', b'monocle_kit_spool_open'), ('sample', b'monocle_kit_stacks_open'),
                           ('cover', b'monocle_kit_output_open'), ('texts', b'monocle_kit_text_open'),
                           ('plain', b'')]:
            self.make_module(name, uses)

    def read(self, form, *options, env=None):
        """({name: value}, the comments, standard error)."""
        process = self.start('env', '--format=' + form, *options, env=env)
        out, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, error)
        comments = [line for line in out.decode(errors='replace').split('\n') if line.startswith('# ')]
        if form == 'shell':
            return self.evaluate(out, env), comments, error.decode()
        return read_file(form, out.decode()), comments, error.decode()

    def evaluate(self, script, env):
        """What differs after a shell has evaluated it."""
        given = dict(self.environment, **(env or {}))
        seen = subprocess.run(['/bin/sh', '-c', 'eval "$0"; exec env -0', script], env=given, cwd=self.work,
                              stdout=subprocess.PIPE, check=True, timeout=60).stdout
        given = {os.fsencode(name): os.fsencode(value) for name, value in given.items()}
        changed = dict(item.split(b'=', 1) for item in seen.split(b'\0') if item)
        return {os.fsdecode(name): os.fsdecode(value) for name, value in changed.items()
                if given.get(name) != value and name not in (b'PWD', b'_', b'OLDPWD', b'SHLVL')}

    def set_by_run(self, *options, env=None):
        code, out, _ = self.shell('exec env -0', *options, env=env)
        self.assertEqual(code, 0)
        before = dict(self.environment, **(env or {}))
        seen = dict(item.split('=', 1) for item in out.split('\0') if item)
        return {name: value for name, value in seen.items() if before.get(name) != value and
                name not in ('MONOCLE_RUN_DIR', 'MONOCLE_RUN_PID', 'PWD', '_', 'OLDPWD', 'SHLVL')}


class Env(Reader):
    def setUp(self):
        super().setUp()
        self.make_modules('mine')

    ENVIRONMENTS = [
        {},
        {'LD_LIBRARY_PATH': '/mine', 'MONO_ENV_OPTIONS': '--gc=sgen', 'MONO_PROFILE': 'log', 'MONOCLE_PROFILE': 'x'},
        {'CORECLR_PROFILER_PATH_64': '/old.so', 'DOTNET_PROFILER_PATH': '/old.so', 'MONOCLE_PROFILE': ''},
        {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': '{00000000-0000-0000-0000-000000000001}',
         'CORECLR_PROFILER_PATH': '/opt/other.so', 'CORECLR_ENABLE_NOTIFICATION_PROFILERS': '1',
         'CORECLR_NOTIFICATION_PROFILERS_64': '/third.so={00000000-0000-0000-0000-000000000003}'},
    ]

    def test_what_run_sets_is_printed_and_nothing_else(self):
        for env in self.ENVIRONMENTS:
            for options in [[], ['--all', '--process=a*,!b', '--profile=calls:x,output=/y', '--profile=mine']]:
                wanted = self.set_by_run(*options, env=env)
                self.assertEqual(self.read('shell', *options, env=env)[0], wanted)
                self.assertEqual('CORECLR_PROFILER_PATH' in wanted, 'CORECLR_PROFILER' not in env)

    def test_every_format_says_the_same(self):
        options = ['-o', '/profiles', '--profile=calls:x', '--profile=mine']
        for env in self.ENVIRONMENTS:
            wanted = self.read('shell', *options, env=env)[0]
            for form in FILES:
                self.assertEqual(self.read(form, *options, env=env)[0], wanted, form)

    def test_standby_is_for_programs_that_others_start(self):
        seen, comments, error = self.read('shell', '--profile=standby')
        self.assertEqual((seen['MONOCLE_PROFILE'], seen['MONO_ENV_OPTIONS'], error),
                         ('standby', '--profile=monocle:standby', ''))
        self.assertIn('standby: nothing, until monocle attach comes', ' '.join(comments))
        code, out, error = self.monocle('run', '--profile=standby', '--', 'true')
        self.assertEqual((code, out, error.count('\n')), (2, '', 1))
        self.assertIn('standby is for a program that somebody else starts', error)

    def test_hostile_values_arrive_byte_for_byte(self):
        for value in HOSTILE:
            options = ['--profile=calls:' + value, '--process=' + value, '-o', '/' + value]
            env = {'LD_LIBRARY_PATH': value, 'MONOCLE_MODULE_PATH': value}
            wanted = self.set_by_run('--profile=calls:' + value, '--process=' + value, env=env)
            for form in ['shell', *FILES]:
                seen, comments, _ = self.read(form, *options, env=env)
                self.assertEqual(seen['MONOCLE_PROCESS'], value, form)
                self.assertEqual(seen['LD_LIBRARY_PATH'], wanted['LD_LIBRARY_PATH'], form)
                self.assertEqual(seen['MONOCLE_MODULE_PATH'], wanted['MONOCLE_MODULE_PATH'], form)
                self.assertTrue(seen['MONOCLE_PROFILE'].startswith(wanted['MONOCLE_PROFILE'] + ','), form)
                self.assertEqual([len(line.splitlines()) for line in comments], [1] * len(comments), comments)
        self.assertEqual(os.listdir(self.work), [])

    def test_two_lines_are_two_lines_or_refused(self):
        for form in ['shell', *FILES]:
            if form == 'docker':
                code, out, error = self.monocle('env', '--format=docker', '--process=' + TWO_LINES)
                self.assertEqual((code, out), (1, ''))
                self.assertEqual(error, 'monocle: --format=docker cannot hold the value of MONOCLE_PROCESS: it holds a '
                                        'line feed or a carriage return\n')
                continue
            self.assertEqual(self.read(form, '--process=' + TWO_LINES)[0]['MONOCLE_PROCESS'], TWO_LINES)
            seen, comments, _ = self.read(form, '-o', '/two\nlines\u2028three')
            self.assertIn('/two lines?three', ' '.join(comments))

    def test_bytes_that_are_no_text_are_for_shells_only(self):
        value = os.fsdecode(b'/a\xff\xc0\x80b')
        self.assertEqual(self.read('shell', '--process=' + value)[0]['MONOCLE_PROCESS'], value)
        for form in FILES:
            code, out, error = self.monocle('env', '--format=' + form, '--process=' + value)
            self.assertEqual((code, out), (1, ''))
            self.assertIn('MONOCLE_PROCESS: it is not UTF-8', error)

    def test_a_script_without_its_quotes_works_too(self):
        out = self.monocle('env', '--profile=calls')[1]
        seen = subprocess.run(['/bin/sh', '-c', 'eval $0; echo "$MONOCLE_PROFILE,$MONO_PROFILE"', out],
                              env=self.environment, stdout=subprocess.PIPE, timeout=60).stdout
        self.assertEqual(seen, b'calls,monocle\n')


class Folder(Reader):
    def profile_of(self, form, *options, env=None):
        seen, comments, error = self.read(form, *options, env=env)
        return seen['MONOCLE_PROFILE'], '\n'.join(comments), error

    def test_profiles_stay_with_the_program_or_go_into_a_folder(self):
        profile, comments, _ = self.profile_of('shell', '--profile=calls')
        self.assertEqual(profile, 'calls')
        self.assertIn("calls: ./PROGRAM_TIME_PID.calls.pb.gz in the program's current folder", comments)
        for form in FILES:
            profile, comments, _ = self.profile_of(form, '--profile=calls')
            self.assertEqual(profile, 'calls:output=/var/lib/monocle/')
            self.assertIn('calls: /var/lib/monocle/PROGRAM_TIME_PID.calls.pb.gz', comments)
            self.assertIn('monocle report FILE.spool', comments)
            self.assertIn('monocle convert FILE.spool --to=pprof', comments)
        self.assertEqual(self.profile_of('shell', '--profile=calls:x', '-o', '/p//')[0], 'calls:x,output=/p/')

    def test_a_folder_of_a_shell_is_seen_from_here(self):
        self.assertEqual(self.profile_of('shell', '--profile=calls', '-o', 'p')[0], 'calls:output=%s/p/' % self.work)
        for form in FILES:
            code, out, error = self.monocle('env', '--format=' + form, '-o', 'p')
            self.assertEqual((code, out), (2, ''))
            self.assertIn('-o takes an absolute path with --format=' + form, error)

    def test_a_folder_that_is_not_there_is_told_to_who_evaluates_it(self):
        told = 'monocle: /nowhere: No such file or directory; without it programs run unprofiled\n'
        self.assertEqual(self.monocle('env', '--profile=calls', '-o', '/nowhere')[2], told)
        self.assertEqual(self.monocle('env', '--profile=calls', '-o', str(self.work))[2], '')
        self.assertEqual(self.monocle('env', '--profile=calls', '--format=docker', '-o', '/nowhere')[2], '')

    def test_each_module_writes_there_unless_it_says_otherwise(self):
        names = ['calls', 'texts', 'plain', 'nosuch', 'log', 'calls:output=/x']
        profile, comments, error = self.profile_of('systemd', *['--profile=' + name for name in names])
        self.assertEqual(profile, 'calls:output=/var/lib/monocle/ texts:output=/var/lib/monocle/ plain nosuch log '
                                  'calls:output=/x')
        for words in ['texts: /var/lib/monocle/PROGRAM_TIME_PID.texts.log', 'plain: as it does by itself',
                      'log: as it does by itself', 'calls: where its output= says']:
            self.assertIn(words, comments)
        self.assertEqual(error, "monocle: no module 'nosuch' is found here (monocle list); it is named all the same\n")

    def test_systemd_makes_folders_below_its_own(self):
        for folder, line in [('/var/lib/shop/p', 'StateDirectory=shop/p'), ('/var/lib/../etc', None), ('/srv/p', None),
                             ('/var/lib/a b', None), ('/var/lib/%n', None), ('/var/lib', None)]:
            out = self.monocle('env', '--format=systemd', '-o', folder)[1]
            self.assertEqual(re.findall('^StateDirectory=.*', out, re.M), [line] if line else [], folder)
            self.assertEqual('# %s must be there' % folder in out, not line)

    def test_what_the_shell_here_adds_is_said(self):
        for form in FILES:
            comments = self.profile_of(form, env={'LD_LIBRARY_PATH': '/mine', 'MONOCLE_PROFILE': 'old'})[1]
            self.assertIn('# LD_LIBRARY_PATH, MONOCLE_PROFILE: begins with what is set', comments)
            self.assertNotIn('begins with', self.profile_of(form)[1])

    def test_coverage_leaves_no_spool(self):
        said = {profiles: self.monocle('env', '--format=systemd', *['--profile=' + name for name in profiles])[1]
                for profiles in [('cover',), ('calls', 'cover')]}
        for profiles, text in said.items():
            self.assertIn('# Each process writes:\n#   ' + profiles[0], text)
            self.assertIn('# A coverage file is good at every moment', text)
            self.assertEqual('FILE.spool' in text, 'calls' in profiles)

    def test_the_whole_of_it(self):
        out = self.monocle('env', '--format=systemd', '--profile=calls')[1]
        self.assertEqual(out.replace(str(self.folder), 'HERE'), '''\
# Each process writes at its end:
#   calls: /var/lib/monocle/PROGRAM_TIME_PID.calls.pb.gz
# A process that was killed leaves FILE.spool instead: monocle report FILE.spool shows it,
# monocle convert FILE.spool --to=pprof makes the profile of it.
# What there is to be said is said on stderr where that is a terminal or the journal, else in
# monocle.PID.log in the folder in which the process is started; MONOCLE_LOG=FILE and
# MONOCLE_LOG=stderr say otherwise.
# The files that are named here must be there for the program, under the same names.
[Service]
Environment="CORECLR_ENABLE_PROFILING=1"
Environment="CORECLR_PROFILER={F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}"
Environment="CORECLR_PROFILER_PATH=HERE/lib/clr/libmonocle-clr.so"
Environment="LD_LIBRARY_PATH=HERE/lib/mono:HERE/modules"
Environment="MONOCLE_MODULE_PATH=HERE/lib/mono:HERE/modules"
Environment="MONOCLE_PROFILE=calls:output=/var/lib/monocle/"
Environment="MONO_ENV_OPTIONS=--profile=monocle:calls:output=/var/lib/monocle/"
Environment="MONO_PROFILE=monocle"
StateDirectory=monocle
''')


class Said(case.Case):
    def test_wrong_usage_is_2(self):
        for words, hint in [(['--format=xml'], '--format'), (['--', 'true'], 'monocle run -- COMMAND'),
                            (['--profile=calls:help'], 'monocle help NAME'),
                            (['-o', ''], '-o takes the name of a folder')]:
            code, out, error = self.monocle('env', *words)
            self.assertEqual((code, out), (2, ''), words)
            self.assertIn(hint, error)
            self.assertEqual(error.count('\n'), 1)

    def test_what_run_says_of_the_environment_is_said(self):
        other = {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': '{00000000-0000-0000-0000-000000000001}',
                 'CORECLR_PROFILER_PATH': '/opt/other.so', 'DOTNET_EnableDiagnostics': '0'}
        error = self.monocle('env', env=other)[2]
        self.assertIn('/opt/other.so', error)
        self.assertIn('joins it', error)
        self.assertIn('DOTNET_EnableDiagnostics=0', error)

    def test_a_missing_library_is_said(self):
        (self.folder / 'lib/clr/libmonocle-clr.so').unlink()
        code, out, error = self.monocle('env')
        self.assertEqual(code, 0)
        self.assertNotIn('CORECLR', out)
        self.assertIn('libmonocle-clr.so was not found: CoreCLR programs will not be profiled', error)
        shutil.rmtree(self.folder / 'lib')
        code, out, error = self.monocle('env')
        self.assertEqual((code, out), (1, ''))
        self.assertIn('libmonocle-clr.so', error)

    def test_a_full_disk_is_said(self):
        with open('/dev/full', 'w') as full:
            process = subprocess.run([self.program, 'env'], stdout=full, stderr=subprocess.PIPE, env=self.environment)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b'No space left', process.stderr)


if __name__ == '__main__':
    case.main()
