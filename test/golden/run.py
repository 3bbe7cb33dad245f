#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `monocle` does as a program: exit codes, signals, environment, output errors. Needs no runtime.

    run.py MONOCLE
"""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pprof

MONOCLE = None


def make_profile(path):
    profile = pprof.Profile()
    profile.value('calls', 'count')
    profile.value('self', 'nanoseconds')
    profile.sample(['A:Main ()'], [1, 5000])
    pprof.write_gzip(path, profile.encode())


class Case(unittest.TestCase):
    """A folder with the program and empty files where its libraries would be, so that `run` has something to name."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name).resolve()
        self.program = str(self.folder / 'monocle')
        shutil.copy(MONOCLE, self.program)
        for name in ['lib/clr/libmonocle-clr.so', 'lib/mono/libmono-profiler-monocle.so',
                     'modules/libmono-profiler-calls.so']:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self.temporary = self.folder / 'tmp'
        self.temporary.mkdir()
        self.work = self.folder / 'work'
        self.work.mkdir()
        keep = ['PATH', 'HOME', 'ASAN_OPTIONS', 'UBSAN_OPTIONS']
        self.environment = {name: os.environ[name] for name in keep if name in os.environ}
        self.environment.update(TMPDIR=str(self.temporary), LC_ALL='C.UTF-8')

    def tearDown(self):
        self.holder.cleanup()

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

    def assertNothingLeft(self):
        self.assertEqual(os.listdir(self.temporary), [])


class ExitCodes(Case):
    def test_the_programs_exit_code_is_ours(self):
        for code in [0, 1, 2, 42, 125, 255]:
            self.assertEqual(self.shell('exit %d' % code)[0], code)
        self.assertNothingLeft()

    def test_death_by_a_signal_is_128_and_its_number(self):
        for name in ['KILL', 'TERM', 'ABRT', 'SEGV', 'USR1']:
            number = getattr(signal, 'SIG' + name)
            self.assertEqual(self.shell('ulimit -c 0; kill -%s $$' % name)[0], 128 + number)

    def test_what_is_not_found_is_127(self):
        for name in ['no-such-command-anywhere', './no-such-file', '/no/such/file']:
            code, _, error = self.monocle('run', '--', name)
            self.assertEqual(code, 127)
            self.assertEqual(len(error.splitlines()), 1)
            self.assertIn(name, error)
        self.assertNothingLeft()

    def test_what_cannot_be_executed_is_126(self):
        plain = self.work / 'plain'
        plain.write_text('x')
        self.assertEqual(self.monocle('run', '--', './plain')[0], 126)
        self.assertEqual(self.monocle('run', '--', str(self.folder))[0], 126)
        script = self.work / 'script'
        script.write_text('#!/no/such/interpreter\n')
        script.chmod(0o755)
        code, _, error = self.monocle('run', '--', './script')
        self.assertEqual(code, 126)
        self.assertIn('interpreter', error)

    def test_wrong_usage_is_2(self):
        make_profile(self.work / 'p.pb.gz')
        for words in [[], ['nonsense'], ['run'], ['run', '--'], ['run', '--nonsense', '--', 'true'],
                      ['run', '--profile=', '--', 'true'], ['run', '--profile=:x', '--', 'true'],
                      ['run', '-o', 'x', '--profile=calls:output=y', '--', 'true'],
                      ['run', '-o', 'x', '--profile=calls:nooutput=1,output=y', '--', 'true'],
                      ['report', '--sort=colour'], ['report', '-n', '-3'], ['report', '-n', '99999999999999999999'],
                      ['report', '--format=xml'], ['report', 'a', 'b'], ['flame'],
                      ['flame', 'p.pb.gz', '--min-share=much'], ['convert', 'p.pb.gz'], ['diff', 'p.pb.gz'],
                      ['diff', 'p.pb.gz', 'p.pb.gz', '--format=xml'], ['diff', 'p.pb.gz', 'p.pb.gz', '--sort=calls'],
                      ['diff', 'p.pb.gz', 'p.pb.gz', '--format=tsv', '-o', 'x.html'],
                      ['convert', '--to=pprof'], ['convert', 'p.pb.gz', '--to=xml'],
                      ['list', 'x'], ['doctor', 'x'], ['help', 'nonsense']]:
            code, out, error = self.monocle(*words)
            self.assertEqual((code, out), (2, ''), words)
            self.assertTrue(error, words)

    def test_what_run_cannot_do_is_said(self):
        for words, hint in [(['-o', '-', '--', '/bin/echo'], "standard output is the program's own"),
                            (['--profile=calls:help'], 'monocle run --profile=NAME:help -- COMMAND')]:
            code, out, error = self.monocle('run', *words)
            self.assertEqual((code, out), (2, ''))
            self.assertIn(hint, error)

    def test_a_run_without_any_library_of_ours_is_125(self):
        shutil.rmtree(self.folder / 'lib')
        code, out, error = self.shell('echo ran')
        self.assertEqual((code, out), (125, ''))
        self.assertIn('libmonocle-clr.so', error)

    def test_help_and_version_go_to_standard_output(self):
        for words in [['--help'], ['help'], ['help', 'run'], ['run', '--help'], ['report', '--help'], ['flame', '-h'],
                      ['convert', '--help'], ['diff', '--help'], ['list', '--help'], ['doctor', '--help']]:
            code, out, error = self.monocle(*words)
            self.assertEqual((code, error), (0, ''), words)
            self.assertIn('usage: monocle', out)
        self.assertRegex(self.monocle('--version')[1], r'^monocle \d+\.\d+')

    def test_a_mistyped_command_is_guessed(self):
        for typed, meant in [('repotr', 'report'), ('rnu', 'run'), ('flam', 'flame'), ('docter', 'doctor')]:
            self.assertIn("did you mean '%s'" % meant, self.monocle(typed)[2])
        self.assertNotIn('did you mean', self.monocle('xyzzy')[2])


class Signals(Case):
    def setUp(self):
        super().setUp()
        # Who ignores a signal hands that down, and a shell cannot trap what it was born ignoring (nohup).
        for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1:
            if signal.getsignal(number) == signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)

    def wait_for(self, path):
        for _ in range(600):
            if path.exists():
                return
            time.sleep(0.05)
        self.fail('%s did not appear' % path)

    def wait_ready(self):
        self.wait_for(self.work / 'ready')

    def test_a_signal_to_monocle_reaches_the_program_once(self):
        for name in ['TERM', 'HUP', 'INT', 'QUIT', 'USR1']:
            script = ('trap "echo got >> got; sleep 0.2; exit 7" %s; touch ready; '
                      'while :; do sleep 0.05; done' % name)
            process = self.start('run', '--', '/bin/sh', '-c', script)
            self.wait_ready()
            process.send_signal(getattr(signal, 'SIG' + name))
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, 7, name)
            self.assertEqual((self.work / 'got').read_text(), 'got\n', name)
            (self.work / 'got').unlink()
            (self.work / 'ready').unlink()
        self.assertNothingLeft()

    def test_a_program_that_dies_of_the_passed_on_signal_is_128_and_its_number(self):
        process = self.start('run', '--', '/bin/sh', '-c', 'touch ready; exec sleep 30')
        self.wait_ready()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_ctrl_c_of_a_terminal_reaches_the_program_once(self):
        import pty
        script = 'trap "echo got >> got" INT; touch ready; while [ ! -e stop ]; do sleep 0.05; done; exit 9'
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execve(self.program, [self.program, 'run', '--', '/bin/sh', '-c', script],
                      dict(self.environment))
        self.wait_ready()
        os.write(terminal, b'\x03')
        self.wait_for(self.work / 'got')
        time.sleep(0.3)
        (self.work / 'stop').touch()
        while True:
            try:
                if not os.read(terminal, 4096):
                    break
            except OSError:
                break
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 9)
        self.assertEqual((self.work / 'got').read_text(), 'got\n')

    def test_ctrl_z_stops_both_and_the_shell_continues_both(self):
        import pty
        script = 'touch ready; while [ ! -e stop ]; do sleep 0.05; done; exit 9'
        shell = 'set -m; "$0" run -- /bin/sh -c \'%s\'; echo code $?; touch stopped stop; fg; echo code $?' % script
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execve('/bin/bash', ['/bin/bash', '-c', shell, self.program], dict(self.environment))
        self.wait_ready()
        os.write(terminal, b'\x1a')
        self.wait_for(self.work / 'stopped')
        text = b''
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        os.waitpid(pid, 0)
        os.close(terminal)
        self.assertEqual([line for line in text.decode().splitlines() if line.startswith('code')],
                         ['code %d' % (128 + signal.SIGTSTP), 'code 9'])

    def test_what_was_ignored_stays_ignored_in_the_program(self):
        script = 'trap "" HUP PIPE; exec "$0" run -q -- /bin/sh -c "grep SigIgn /proc/self/status"'
        nohup = subprocess.run(['/bin/sh', '-c', script, self.program], cwd=self.work, env=self.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        mask = int(nohup.stdout.split()[1], 16)
        self.assertTrue(mask & 1 << signal.SIGHUP - 1)
        self.assertTrue(mask & 1 << signal.SIGPIPE - 1)

    def test_nothing_is_ignored_or_blocked_in_the_program_that_was_not(self):
        lines = 'grep -E "Sig(Blk|Ign)" /proc/self/status'
        bare = subprocess.run(['/bin/sh', '-c', lines], stdout=subprocess.PIPE, timeout=60, restore_signals=True)
        self.assertEqual(self.shell(lines)[1], bare.stdout.decode())


class Environment(Case):
    def variables(self, *options, env=None):
        code, out, error = self.shell('env -0', *options, env=env)
        self.assertEqual(code, 0)
        return dict(item.split('=', 1) for item in out.split('\0') if item), error

    def test_both_runtimes_are_told_of_the_default_module(self):
        seen, _ = self.variables()
        self.assertEqual(seen['CORECLR_ENABLE_PROFILING'], '1')
        self.assertEqual(seen['CORECLR_PROFILER'], '{F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}')
        self.assertEqual(seen['CORECLR_PROFILER_PATH'], str(self.folder / 'lib/clr/libmonocle-clr.so'))
        self.assertEqual(seen['MONOCLE_PROFILE'], 'sample')
        self.assertEqual(seen['MONO_ENV_OPTIONS'], '--profile=monocle:sample')
        folders = [str(self.folder / 'lib/mono'), str(self.folder / 'modules')]
        self.assertEqual(seen['LD_LIBRARY_PATH'].split(':'), folders)
        self.assertEqual(seen['MONOCLE_MODULE_PATH'].split(':')[-1], str(self.folder / 'modules'))
        self.assertTrue(seen['MONOCLE_RUN_DIR'].startswith(str(self.temporary) + '/monocle-'))
        self.assertNotIn('MONOCLE_RUN_ALL', seen)
        self.assertNotIn('CORECLR_PROFILER_PATH_64', seen)

    def test_the_run_folder_is_private_and_the_parent_is_named(self):
        code, out, _ = self.shell('stat -c %a "$MONOCLE_RUN_DIR"; test "$PPID" = "$MONOCLE_RUN_PID" && echo parent')
        self.assertEqual(out, '700\nparent\n')

    def test_what_is_there_stays_in_front(self):
        seen, _ = self.variables('--profile=a:x', '--profile=b', env={
            'MONOCLE_PROFILE': 'mine', 'MONO_ENV_OPTIONS': '--gc=sgen', 'LD_LIBRARY_PATH': '/opt/lib',
            'MONOCLE_MODULE_PATH': '/opt/modules', 'CORECLR_PROFILER_PATH_64': '/old/libmonocle-clr.so'})
        self.assertEqual(seen['MONOCLE_PROFILE'], 'mine a:x b')
        self.assertEqual(seen['MONO_ENV_OPTIONS'], '--gc=sgen --profile=monocle:a:x --profile=monocle:b')
        self.assertTrue(seen['LD_LIBRARY_PATH'].startswith('/opt/lib:/'))
        self.assertTrue(seen['MONOCLE_MODULE_PATH'].startswith('/opt/modules:/'))
        self.assertEqual(seen['CORECLR_PROFILER_PATH_64'], str(self.folder / 'lib/clr/libmonocle-clr.so'))

    def test_an_empty_search_path_does_not_become_the_current_folder(self):
        seen, _ = self.variables(env={'LD_LIBRARY_PATH': ''})
        self.assertNotIn('', seen['LD_LIBRARY_PATH'].split(':'))

    def test_a_module_may_have_any_name(self):
        seen, _ = self.variables('--profile=output=x', '-o', 'y.pb.gz')
        self.assertTrue(seen['MONOCLE_PROFILE'].startswith('output=x:output=/'))

    def test_words_are_quoted_for_both_readers(self):
        seen, _ = self.variables('''--profile=calls:filter='a b',x="c\\d"''')
        self.assertEqual(seen['MONOCLE_PROFILE'], r"""calls:filter=\'a\ b\',x=\"c\\d\"""")
        self.assertEqual(seen['MONO_ENV_OPTIONS'], '--profile=monocle:' + seen['MONOCLE_PROFILE'])

    def test_options_become_variables(self):
        seen, _ = self.variables('--all', '--process=app*,!test*')
        self.assertEqual(seen['MONOCLE_RUN_ALL'], '1')
        self.assertEqual(seen['MONOCLE_PROCESS'], 'app*,!test*')

    def test_output_goes_through_the_run_folder(self):
        seen, _ = self.variables('-o', 'out/prof.pb.gz', '--profile=calls:time=none')
        self.assertEqual(seen['MONOCLE_PROFILE'],
                         'calls:time=none,output=%s/output.%%p.%%n.pb.gz' % seen['MONOCLE_RUN_DIR'])

    def test_a_foreign_profiler_is_left_alone_and_said(self):
        foreign = {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': '{00000000-0000-0000-0000-000000000001}',
                   'CORECLR_PROFILER_PATH': '/opt/other.so'}
        seen, error = self.variables(env=foreign)
        for name, value in foreign.items():
            self.assertEqual(seen[name], value)
        self.assertEqual(seen['MONO_ENV_OPTIONS'], '--profile=monocle:sample')
        self.assertIn('CORECLR_PROFILER_PATH=/opt/other.so', error)

    def test_a_profiler_that_is_switched_off_is_not_foreign(self):
        seen, error = self.variables(env={'CORECLR_ENABLE_PROFILING': '0', 'CORECLR_PROFILER_PATH': '/opt/other.so',
                                          'CORECLR_PROFILER': '{00000000-0000-0000-0000-000000000001}'})
        self.assertEqual(seen['CORECLR_PROFILER_PATH'], str(self.folder / 'lib/clr/libmonocle-clr.so'))
        self.assertNotIn('another profiler', error)

    def test_monocle_inside_monocle_is_not_foreign(self):
        code, out, error = self.monocle('run', '-q', '--', self.program, 'run', '-q', '--', '/bin/sh', '-c', 'exit 3')
        self.assertEqual(code, 3)
        self.assertNotIn('another profiler', error)

    def test_switched_off_diagnostics_are_said(self):
        for name in ['DOTNET_EnableDiagnostics', 'DOTNET_EnableDiagnostics_Profiler', 'COMPlus_EnableDiagnostics']:
            self.assertIn(name + '=0', self.variables(env={name: '0'})[1])
        self.assertNotIn('EnableDiagnostics', self.variables(env={'DOTNET_EnableDiagnostics': '1'})[1])


class Collecting(Case):
    """The shell plays the profiled processes."""

    def setUp(self):
        super().setUp()
        make_profile(self.work / 'source')

    def run_processes(self, script, *options):
        return self.shell('cd %s; d=$MONOCLE_RUN_DIR; %s' % (self.work, script), *options)

    def test_one_process_makes_exactly_the_file(self):
        code, out, error = self.run_processes(
            'echo coreclr 10.0 > $d/41.loaded; cp source $d/output.41.1.pb.gz; '
            'echo $d/output.41.1.pb.gz > $d/41.1.done; exit 3',
            '-o', 'prof.pb.gz')
        self.assertEqual((code, out), (3, ''))
        self.assertEqual(sorted(os.listdir(self.work)), ['prof.pb.gz', 'source'])
        self.assertIn('A:Main ()', error)
        self.assertIn('process 41, coreclr 10.0', error)
        self.assertIn('monocle report prof.pb.gz', error)
        self.assertNothingLeft()

    def test_of_several_processes_the_first_that_loaded_has_the_file(self):
        self.run_processes('echo b > $d/52.loaded; sleep 0.05; echo a > $d/41.loaded; '
                           'cp source $d/output.41.1.pb.gz; cp source $d/output.52.1.pb.gz', '-o', 'prof.pb.gz')
        self.assertEqual(sorted(os.listdir(self.work)), ['prof.41.pb.gz', 'prof.pb.gz', 'source'])
        self.assertNothingLeft()

    def test_an_empty_profile_is_called_so(self):
        profile = pprof.Profile()
        profile.value('calls', 'count')
        pprof.write_gzip(self.work / 'source', profile.encode())
        code, _, error = self.run_processes('cp source $d/output.41.1.pb.gz', '-o', 'prof.pb.gz')
        self.assertIn('wrote prof.pb.gz (process 41); it is empty', error)
        self.assertNotIn('monocle flame', error)

    def test_a_profile_elsewhere_is_reported_where_it_is(self):
        code, _, error = self.run_processes('cp source "$PWD/a b.pb.gz"; echo "$PWD/a b.pb.gz" > $d/41.1.done')
        self.assertIn("monocle report 'a b.pb.gz'", error)
        self.assertTrue((self.work / 'a b.pb.gz').exists())
        self.assertNothingLeft()

    def test_quiet_prints_no_report(self):
        code, out, error = self.run_processes('cp source $d/output.41.1.pb.gz', '-q', '-o', 'prof.pb.gz')
        self.assertEqual((code, out, error), (0, '', ''))
        self.assertTrue((self.work / 'prof.pb.gz').exists())

    def test_an_unwritable_output_is_one_line_and_the_profile_is_kept(self):
        code, out, error = self.run_processes('echo ran; cp source $d/output.41.1.pb.gz; exit 4', '-q', '-o',
                                              'no-folder/prof.pb.gz')
        self.assertEqual((code, out), (4, 'ran\n'))
        self.assertEqual(len(error.splitlines()), 1, error)
        self.assertIn('cannot write no-folder/prof.pb.gz: No such file', error)
        kept = pathlib.Path(error.strip().rsplit(' ', 1)[1]) / 'output.41.1.pb.gz'
        self.assertEqual(kept.read_bytes(), (self.work / 'source').read_bytes())

    def test_output_to_a_pipe_or_device_is_written(self):
        self.run_processes('cp source $d/output.41.1.pb.gz', '-q', '-o', '/dev/null')
        self.assertTrue(os.path.exists('/dev/null'))
        self.assertNothingLeft()

    def mode(self, path):
        return oct(os.stat(path).st_mode & 0o7777)

    def folders(self):
        """Where the run's folder may be: on the disk of the profile, and on another one."""
        yield str(self.temporary)
        if os.access('/dev/shm', os.W_OK) and os.stat('/dev/shm').st_dev != os.stat(self.work).st_dev:
            other = tempfile.TemporaryDirectory(dir='/dev/shm')
            self.addCleanup(other.cleanup)
            yield other.name

    def test_a_profile_is_its_users_and_a_file_that_was_there_keeps_its_modes(self):
        for folder in self.folders():
            script = 'umask 0; cd %s; cp source $MONOCLE_RUN_DIR/output.41.1.pb.gz' % self.work
            self.shell(script, '-q', '-o', 'new.pb.gz', env={'TMPDIR': folder})
            (self.work / 'old.pb.gz').write_text('')
            (self.work / 'old.pb.gz').chmod(0o640)
            self.shell(script, '-q', '-o', 'old.pb.gz', env={'TMPDIR': folder})
            self.assertEqual([self.mode(self.work / name) for name in ('new.pb.gz', 'old.pb.gz')], ['0o600', '0o640'])
            self.assertEqual(sorted(os.listdir(self.work)), ['new.pb.gz', 'old.pb.gz', 'source'])
            (self.work / 'new.pb.gz').unlink()

    def test_a_file_that_nobody_may_read_takes_a_profile_from_another_disk(self):
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            user = {'user': 65534, 'group': 65534, 'extra_groups': []}
        else:
            user = {}
        for folder in self.folders():
            old = self.work / 'old.pb.gz'
            old.write_text('')
            old.chmod(0o200)
            for path in [self.work, old, folder] if user else []:
                os.chown(path, 65534, 65534)
            process = self.start('run', '-q', '-o', 'old.pb.gz', '--', '/bin/sh', '-c',
                                 'cp source $MONOCLE_RUN_DIR/output.41.1.pb.gz', env={'TMPDIR': folder}, **user)
            _, error = process.communicate(timeout=60)
            self.assertEqual((process.returncode, error), (0, b''))
            self.assertEqual((self.mode(old), os.listdir(folder)), ('0o200', []))
            old.unlink()

    def test_a_link_is_written_through(self):
        for folder in self.folders():
            (self.work / 'target').write_text('what was there before, and is longer than what comes now' * 100)
            (self.work / 'link').symlink_to('target')
            (self.work / 'dangling').symlink_to('later')
            for name in ['link', 'dangling']:
                self.shell('cd %s; cp source $MONOCLE_RUN_DIR/output.41.1.pb.gz' % self.work, '-q', '-o', name,
                           env={'TMPDIR': folder})
                self.assertTrue((self.work / name).is_symlink())
                self.assertEqual((self.work / name).read_bytes(), (self.work / 'source').read_bytes())
            for name in ['target', 'link', 'dangling', 'later']:
                (self.work / name).unlink()
            self.assertNothingLeft()

    def test_what_the_command_makes_follows_the_mask(self):
        for words, name in [(['flame'], 'source.html'), (['convert', '--to=collapsed'], 'source.collapsed.txt')]:
            for mask, mode in [(0o022, '0o644'), (0o077, '0o600')]:
                self.monocle(*words, 'source', umask=mask)
                self.assertEqual(self.mode(self.work / name), mode)
                (self.work / name).unlink()

    def test_a_declined_process_is_said_with_its_reason(self):
        error = self.run_processes('echo it is a build server > $d/41.declined')[2]
        self.assertIn('process 41 was not profiled: it is a build server', error)

    def test_a_process_that_loaded_and_wrote_nothing_is_said(self):
        module = self.folder / 'modules/libmono-profiler-calls.so'
        module.write_bytes(b'\0monocle_kit_spool_open\0')
        error = self.run_processes('echo coreclr 10.0 > $d/41.loaded', '--profile=calls')[2]
        self.assertEqual(error, 'monocle: process 41 (coreclr 10.0) loaded the profiler, but ended without leaving a '
                                'profile\n')
        error = self.run_processes('echo coreclr 10.0 > $d/41.loaded; echo calls > $d/41.told', '--profile=calls')[2]
        self.assertEqual(error, '')
        module.write_bytes(b'a module that leaves nothing')
        self.assertEqual(self.run_processes('echo coreclr 10.0 > $d/41.loaded', '--profile=calls')[2], '')
        self.assertNothingLeft()

    def test_a_module_whose_start_never_ended_is_named(self):
        gone = subprocess.Popen(['true'])
        gone.wait()
        _, _, error = self.run_processes('echo x > $d/%d.starting.my.module; echo Mono > $d/%d.loaded; exit 9'
                                         % (gone.pid, gone.pid))
        self.assertEqual(error, "monocle: process %d ended before the module 'my.module' had come back from "
                                'mono_profiler_init_my.module\n' % gone.pid)
        own = os.getpid()
        _, _, error = self.run_processes('echo x > $d/%d.starting.mine; echo Mono > $d/%d.loaded' % (own, own))
        self.assertNotIn('mono_profiler_init', error)

    def test_output_goes_to_the_module_that_takes_it(self):
        for name, content in [('hello', b'\0mono_profiler_create\0'), ('mine', b'\0monocle_kit_text_open\0')]:
            (self.folder / ('modules/libmono-profiler-%s.so' % name)).write_bytes(content)
        words = ['-q', '-o', 'x.txt', '--profile=hello:a', '--profile=mine:b']
        out = self.monocle('run', *words, '--', '/bin/sh', '-c', 'echo "$MONOCLE_PROFILE"')[1]
        self.assertRegex(out, r'^hello:a mine:b,output=\S+/output\.%p\.%n\.txt\n$')
        code, out, error = self.monocle('run', *words[:4], '--', '/bin/sh', '-c', 'echo ran')
        self.assertEqual((code, out), (2, ''))
        self.assertIn('--profile=hello:a is not known to take output=', error)
        self.assertNothingLeft()

    def test_a_pipe_with_the_name_of_a_module_is_not_waited_for(self):
        os.mkfifo(self.folder / 'modules/libmono-profiler-pipe.so')
        process = self.start('run', '-q', '--profile=pipe', '--', '/bin/echo', 'ran')
        self.addCleanup(process.kill)
        out, _ = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out), (0, b'ran\n'))

    def test_a_damaged_spool_is_said_and_kept(self):
        error = self.run_processes('echo nonsense > $d/calls.41.1.spool')[2]
        self.assertIn('process 41', error)
        kept = error.strip().splitlines()[0].rsplit(' ', 1)[1]
        self.assertTrue(os.path.exists(kept))

    def test_strange_files_in_the_run_folder_do_no_harm(self):
        code, _, error = self.run_processes('touch $d/.loaded $d/x.done $d/99999999999999999999.loaded $d/-1.declined; '
                                            'printf "\\0\\0" > $d/7.done; head -c 100000 /dev/zero > $d/8.done; '
                                            'mkdir $d/folder.spool; echo relative > $d/9.done; exit 6')
        self.assertEqual(code, 6)


class Diagnosis(Case):
    def reason(self, *words):
        return self.monocle('run', '--', *words)[2]

    def test_a_program_without_runtime_is_called_so(self):
        self.assertIn('is not a .NET or Mono program', self.reason('/bin/true'))

    def test_a_script_is_called_so(self):
        script = self.work / 'script'
        script.write_text('#!/bin/sh\nexit 0\n')
        script.chmod(0o755)
        self.assertIn('is a script', self.reason('./script'))

    def fake(self, name, patch):
        """A program whose file looks like something else, because it is a copy with bytes at the end."""
        path = self.work / name
        shutil.copy(os.path.realpath('/bin/true'), path)
        with open(path, 'ab') as out:
            out.write(patch)
        path.chmod(0o755)
        return './' + name

    def test_nothing_is_said_when_a_modules_help_was_asked(self):
        self.assertEqual(self.monocle('run', '--profile=calls:help', '--', '/bin/true')[2], '')

    def test_native_aot_is_called_so(self):
        self.assertIn('NativeAOT', self.reason(self.fake('aot', b'\0__managedcode\0')))

    def test_set_user_id_is_called_so(self):
        name = self.fake('privileged', b'')
        (self.work / name).chmod(0o4755)
        self.assertIn('set-user-id', self.reason(name))

    def test_a_dotnet_host_with_a_switch_in_its_configuration_is_called_so(self):
        name = self.fake('app', b'\0hostfxr\0')
        config = '{"configProperties":{"System.Runtime.EnableDiagnostics":false}}'
        (self.work / 'app.runtimeconfig.json').write_text(config)
        self.assertIn('runtimeconfig.json', self.reason(name))

    def test_a_host_whose_adapter_is_missing_is_called_so(self):
        (self.folder / 'lib/clr/libmonocle-clr.so').unlink()
        self.assertIn('libmonocle-clr.so was not found', self.reason(self.fake('app', b'\0hostfxr\0')))

    def test_a_high_exit_code_is_told_from_a_signal(self):
        for script, words in [('exit 131', 'dotnet ended with exit code 131 before it started a runtime'),
                              ('kill -9 $$', 'dotnet was ended by a signal before its runtime loaded us')]:
            path = self.work / 'dotnet'
            path.write_text('#!/bin/sh\n%s\n' % script)
            path.chmod(0o755)
            self.assertIn(words, self.reason('./dotnet'))

    def test_mono_whose_umbrella_is_missing_is_called_so(self):
        (self.folder / 'lib/mono/libmono-profiler-monocle.so').unlink()
        self.assertIn('libmono-profiler-monocle.so was not found', self.reason(self.fake('mono', b'')))


class Output(Case):
    def setUp(self):
        super().setUp()
        make_profile(self.work / 'p.pb.gz')

    def test_a_full_disk_is_one_line_and_exit_code_1(self):
        for words in [['report', 'p.pb.gz'], ['report', '--format=tsv', 'p.pb.gz'], ['--help'], ['--version'],
                      ['flame', 'p.pb.gz', '-o', '-'], ['doctor']]:
            with open('/dev/full', 'w') as full:
                result = subprocess.run([self.program, *words], cwd=self.work, env=self.environment, stdout=full,
                                        stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(result.returncode, 1, words)
            self.assertEqual(result.stderr.decode(),
                             'monocle: cannot write to standard output: No space left on device\n')

    def test_a_closed_pipe_is_one_line_and_exit_code_1(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([self.program, 'report', 'p.pb.gz'], cwd=self.work, env=self.environment, stdout=writer,
                                stderr=subprocess.PIPE, timeout=60)
        os.close(writer)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.decode(), 'monocle: cannot write to standard output: Broken pipe\n')

    def test_a_flame_graph_that_cannot_be_written_is_one_line(self):
        code, out, error = self.monocle('flame', 'p.pb.gz', '-o', 'no-folder/x.html')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        self.assertEqual(self.monocle('flame', 'p.pb.gz', '-o', '/dev/full')[0], 1)

    def test_of_a_flame_graph_that_does_not_fit_nothing_is_left(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        code, out, error = self.monocle('flame', 'p.pb.gz', preexec_fn=limit, restore_signals=False)
        self.assertEqual((code, out), (1, ''))
        self.assertEqual(error, 'monocle: cannot write p.html: File too large\n')
        self.assertEqual(os.listdir(self.work), ['p.pb.gz'])

    def test_the_flame_graph_is_named_after_the_profile(self):
        self.assertEqual(self.monocle('flame', 'p.pb.gz')[:2], (0, 'p.html\n'))
        self.assertTrue((self.work / 'p.html').read_text().startswith('<!DOCTYPE html>'))

    def test_what_is_no_plain_file_is_not_written_by_a_name_that_nobody_gave(self):
        (self.work / 'mine').write_text('mine')
        made = self.work / 'p.html'
        for put in [lambda: os.mkfifo(made), lambda: os.link(self.work / 'mine', made),
                    lambda: made.symlink_to('mine'), lambda: made.symlink_to('later')]:
            put()
            process = self.start('flame', 'p.pb.gz')
            self.addCleanup(process.kill)
            out, error = process.communicate(timeout=20)
            self.assertEqual((process.returncode, out, len(error.splitlines())), (1, b'', 1), error)
            self.assertIn(b'name the file to write with -o', error)
            made.unlink()
        self.assertEqual((self.work / 'mine').read_text(), 'mine')
        self.assertFalse((self.work / 'later').exists())
        made.write_text('an older one' * 10000)
        self.assertEqual(self.monocle('flame', 'p.pb.gz')[:2], (0, 'p.html\n'))
        self.assertTrue(made.read_text().endswith('</html>\n'))

    def test_the_newest_profile_is_the_default(self):
        make_profile(self.work / 'old.pb.gz')
        os.utime(self.work / 'old.pb.gz', (1, 1))
        self.assertTrue(self.monocle('report')[1].startswith('p.pb.gz'))

    def test_without_any_profile_report_says_so(self):
        (self.work / 'p.pb.gz').unlink()
        code, out, error = self.monocle('report')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))

    def test_what_is_no_profile_is_one_line(self):
        (self.work / 'text').write_text('hello, this is no profile')
        (self.work / 'empty').write_text('')
        (self.work / 'cut.pb.gz').write_bytes((self.work / 'p.pb.gz').read_bytes()[:-9])
        (self.work / 'fake.spool').write_bytes(b'MNCSPOOL' + bytes(100))
        (self.work / 'stacks').write_text('a;b 1\na;c\n')
        (self.work / 'json').write_text('{"shared": {"frames": []}, "profiles": [{}]}')
        for name in ['text', 'empty', 'cut.pb.gz', 'fake.spool', 'stacks', 'json', 'missing', '.']:
            for words in [['report'], ['flame'], ['convert', '--to=collapsed', '-o', '-']]:
                code, out, error = self.monocle(*words, name)
                self.assertEqual((code, out, len(error.splitlines())), (1, '', 1), (name, error))

    def test_a_conversion_has_the_endings_of_its_format(self):
        for name, made in [('collapsed', 'p.collapsed.txt'), ('speedscope', 'p.speedscope.json')]:
            self.assertEqual(self.monocle('convert', 'p.pb.gz', '--to=' + name)[:2], (0, made + '\n'))
            self.assertIn('A:Main ()', self.monocle('report', made)[1])
            self.assertEqual(self.monocle('convert', made, '--to=pprof', '-o', 'q.pb.gz')[0], 0)
            self.assertIn('A:Main ()\t5000\t5000', self.monocle('report', 'q.pb.gz', '--format=tsv')[1])

    def make_threads(self):
        profile = pprof.Profile()
        profile.value('calls', 'count')
        profile.value('self', 'nanoseconds')
        profile.sample(['A:Main ()'], [1, 2000000], [('thread', 'main')])
        profile.sample(['A:Run ()'], [1, 500000], [('thread', 'worker')])
        profile.sample(['A:Run ()', 'A:Work ()'], [3, 1500000], [('thread', 'worker')])
        pprof.write_gzip(self.work / 't.pb.gz', profile.encode())

    def test_a_flame_graph_has_the_threads_that_match(self):
        import json
        self.make_threads()
        for pattern, names, total in [('work*', ['A:Run ()', 'A:Work ()'], 2000000), ('main', ['A:Main ()'], 2000000),
                                      ('*', ['A:Main ()', 'A:Run ()', 'A:Work ()'], 4000000)]:
            code, page, error = self.monocle('flame', 't.pb.gz', '-o', '-', '--thread=' + pattern)
            self.assertEqual((code, error), (0, ''))
            data = json.loads(re.search(r'id="profile">(.*?)</script>', page, re.S).group(1))
            self.assertEqual(data['names'], names)
            self.assertEqual(sum(data['nodes'][3::4]), total)
            self.assertEqual(data['comments'], ['threads: ' + pattern])
        self.assertEqual(self.monocle('flame', 't.pb.gz', '--thread=x'),
                         (1, '', "monocle: no thread of t.pb.gz matches 'x'; it has: main, worker\n"))
        code, out, error = self.monocle('flame', 'p.pb.gz', '--thread=*')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        self.assertIn('does not tell threads apart', error)
        self.assertEqual(sorted(os.listdir(self.work)), ['p.pb.gz', 't.pb.gz'])

    def test_tracks_of_other_viewers_are_one_per_thread(self):
        import json
        self.make_threads()
        self.assertEqual(self.monocle('convert', 't.pb.gz', '--to=firefox')[:2], (0, 't.firefox.json\n'))
        self.assertEqual(self.monocle('convert', 't.pb.gz', '--to=perfetto')[:2], (0, 't.perfetto.json\n'))
        main, worker = json.loads((self.work / 't.firefox.json').read_text())['threads']
        self.assertEqual([main['name'], worker['name']], ['main', 'worker'])
        self.assertEqual(worker['stringArray'][:2], ['A:Run ()', 'A:Work ()'])
        self.assertEqual(worker['stackTable']['prefix'], [None, 0])
        self.assertEqual(worker['samples'], {'length': 2, 'weightType': 'tracing-ms', 'stack': [0, 1],
                                             'time': [0, 0.5], 'weight': [0.5, 1.5]})
        slices = [(event['tid'], event['name'], event['ts'], event['dur']) for event in
                  json.loads((self.work / 't.perfetto.json').read_text())['traceEvents'] if event['ph'] == 'X']
        self.assertEqual(slices, [(1, 'A:Main ()', 0, 2000), (2, 'A:Run ()', 0, 2000), (2, 'A:Work ()', 0, 1500)])

    def test_a_conversion_takes_the_value_that_is_named(self):
        words = ['convert', 'p.pb.gz', '--to=collapsed', '-o', '-']
        self.assertEqual(self.monocle(*words)[1], 'A:Main () 5000\n')
        self.assertEqual(self.monocle(*words, '--value=calls')[1], 'A:Main () 1\n')
        self.assertEqual(self.monocle(*words, '--value=bytes'),
                         (1, '', "monocle: p.pb.gz has no value 'bytes'; it has: calls, self\n"))
        self.monocle('convert', 'p.pb.gz', '--to=pprof', '--value=calls', '-o', 'one.pb.gz')
        self.assertEqual(self.monocle('report', 'one.pb.gz', '--format=tsv')[1], 'method\tcalls\nA:Main ()\t1\n')

    def test_a_value_that_is_not_there_is_said_with_those_that_are(self):
        for words in [['diff', '--value=zz', 'p.pb.gz', 'p.pb.gz'],
                      ['convert', '--to=collapsed', '--value=zz', 'p.pb.gz']]:
            self.assertEqual(self.monocle(*words), (1, '', "monocle: p.pb.gz has no value 'zz'; it has: calls, self\n"))

    def test_a_profile_is_not_replaced_by_its_conversion(self):
        before = (self.work / 'p.pb.gz').read_bytes()
        code, out, error = self.monocle('convert', 'p.pb.gz', '--to=pprof')
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        self.assertEqual((self.work / 'p.pb.gz').read_bytes(), before)

    def make_stacks(self):
        (self.work / 'a.txt').write_text('main;work;parse 500\nmain;work;lex 300\nmain;old 100\nmain 100\n')
        (self.work / 'b.txt').write_text('main;work;parse 900\nmain;work;lex 200\nmain;new 50\nmain 100\n')

    def test_a_difference_has_the_largest_change_first(self):
        self.make_stacks()
        self.assertEqual(self.monocle('diff', 'a.txt', 'b.txt')[:2], (0, '''\
before: a.txt, 1,000
after:  b.txt, 1,250

before  after  change  points  method
   500    900    +400  +22.00  parse
   300    200    -100  -14.00  lex
   100      0    -100  -10.00  old
     0     50     +50   +4.00  new
(2 methods did not change)
'''))
        self.assertIn('(3 more methods changed, -150)', self.monocle('diff', 'a.txt', 'b.txt', '-n', '1')[1])
        total = self.monocle('diff', 'a.txt', 'b.txt', '--sort=total')[1].splitlines()
        self.assertEqual([line.split()[-1] for line in total[4:7]], ['parse', 'work', 'main'])

    def test_a_difference_of_shares_scales_the_first(self):
        self.make_stacks()
        self.assertEqual(self.monocle('diff', 'a.txt', 'b.txt', '--tree', '--normalize')[1], '''\
before: a.txt, 1,250 (scaled to the whole after)
after:  b.txt, 1,250

before  after  change  points  path, with everything it called
 1,250  1,250       0   +0.00  main
     0     50     +50   +4.00    new
   125      0    -125  -10.00    old
 1,000  1,100    +100   +8.00    work
   375    200    -175  -14.00      lex
   625    900    +275  +22.00      parse
''')
        (self.work / 'half.txt').write_text('main;work;parse 250\nmain;work;lex 150\nmain;old 50\nmain 50\n')
        rows = self.monocle('diff', 'half.txt', 'a.txt', '--normalize')[1].splitlines()
        self.assertEqual(rows[4:], ['(5 methods did not change)'])

    def test_a_difference_for_programs_has_all_rows(self):
        import json
        self.make_stacks()
        rows = [line.split('\t') for line in self.monocle('diff', 'a.txt', 'b.txt', '--format=tsv')[1].splitlines()]
        self.assertEqual(rows[0], ['method', 'self_before', 'self_after', 'self_change', 'self_points', 'total_before',
                                   'total_after', 'total_change', 'total_points'])
        self.assertEqual(rows[1], ['parse', '500', '900', '400', '22.000', '500', '900', '400', '22.000'])
        self.assertEqual(len(rows), 7)
        data = json.loads(self.monocle('diff', 'a.txt', 'b.txt', '--format=json', '--tree')[1])
        self.assertEqual((data['before'], data['after']),
                         ({'profile': 'a.txt', 'sum': 1000}, {'profile': 'b.txt', 'sum': 1250}))
        self.assertEqual([(row['depth'], row['method'], row['total_change']) for row in data['paths']],
                         [(1, 'main', 250), (2, 'new', 50), (2, 'old', -100), (2, 'work', 300), (3, 'lex', -100),
                          (3, 'parse', 400)])
        times = self.monocle('diff', 'p.pb.gz', 'p.pb.gz', '--format=tsv')[1]
        self.assertIn('self_change_ns\tself_points\ttotal_before_ns', times)

    def test_what_cannot_be_compared_is_one_line(self):
        self.make_stacks()
        for words in [['p.pb.gz', 'a.txt'], ['a.txt', 'missing'], ['missing', 'a.txt'],
                      ['a.txt', 'b.txt', '--value=self'], ['a.txt', 'b.txt', '-o', 'no-folder/x.html']]:
            code, out, error = self.monocle('diff', *words)
            self.assertEqual((code, out, len(error.splitlines())), (1, '', 1), (words, error))

    def test_names_are_shortened_on_a_terminal_only(self):
        import pty
        profile = pprof.Profile()
        profile.value('calls', 'count')
        profile.sample(['Begin' + 'x' * 300 + 'End'], [1])
        pprof.write_gzip(self.work / 'long.pb.gz', profile.encode())
        self.assertIn('Begin' + 'x' * 300 + 'End', self.monocle('report', 'long.pb.gz')[1])
        for extra, bold in [({}, True), ({'NO_COLOR': '1'}, False), ({'TERM': 'dumb'}, False)]:
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(self.work)
                os.execve(self.program, [self.program, 'report', 'long.pb.gz'],
                          dict(self.environment, COLUMNS='80', TERM='xterm') | extra)
            text = b''
            while True:
                try:
                    piece = os.read(terminal, 4096)
                except OSError:
                    break
                if not piece:
                    break
                text += piece
            os.waitpid(pid, 0)
            os.close(terminal)
            last = text.decode().splitlines()[-1]
            self.assertEqual(len(last), 80)
            self.assertIn('x…x', last)
            self.assertTrue(last.endswith('End'))
            self.assertEqual(b'\x1b[' in text, bold)


class Completion(Case):
    """What bash offers behind words; the last one is being typed."""
    SCRIPT = pathlib.Path(__file__).resolve().parents[2] / 'misc/completions/monocle.bash'
    ASK = ('source "$1"; shift; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _monocle; '
           '((${#COMPREPLY[@]} == 0)) || printf "%s\\n" "${COMPREPLY[@]}"')

    def offers(self, *words):
        environment = dict(self.environment, PATH='%s:%s' % (self.folder, self.environment['PATH']))
        result = subprocess.run(['bash', '-c', self.ASK, 'bash', self.SCRIPT, 'monocle', *words], cwd=self.work,
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.stderr, b'')
        return result.stdout.decode().split('\n')[:-1]

    def test_all_commands_are_offered(self):
        listed = re.findall(r'^  (\w+) +\S', self.monocle('--help')[1], re.M)[:-1]
        self.assertGreaterEqual(len(listed), 5)
        self.assertEqual([word for word in self.offers('') if word not in ('help', '--help', '--version')], listed)

    def test_all_options_of_a_command_are_offered(self):
        for command in ['run', 'report', 'flame', 'diff', 'convert', 'list', 'doctor']:
            text = self.monocle(command, '--help')[1]
            named = set(re.findall(r'^  (--?[\w-]+)', text, re.M))
            offered = {word.rstrip('=') for word in self.offers(command, '-')} - {'--help', '--'}
            self.assertEqual(offered, named, command)

    def test_the_manual_names_all_commands_and_options(self):
        manual = (self.SCRIPT.parents[2] / 'doc/monocle.1').read_text()
        for command in ['run', 'report', 'flame', 'diff', 'convert', 'list', 'doctor']:
            section = manual.split('.Ss monocle %s\n' % command)[1].split('\n.S')[0]
            for option in re.findall(r'^  -(-?[\w-]+)', self.monocle(command, '--help')[1], re.M):
                self.assertRegex(section, r'\.It Fl %s\b' % option, command)

    def test_values_modules_and_profiles_are_offered(self):
        make_profile(self.work / 'a b.pb.gz')
        (self.work / 'a.txt').touch()
        self.assertEqual(self.offers('report', '--sort', '=', ''), ['self', 'total', 'calls'])
        self.assertEqual(self.offers('report', '--format', '=', 't'), ['text', 'tsv'])
        self.assertEqual(self.offers('run', '--profile', '=', 'ca'), ['calls'])
        self.assertEqual(self.offers('report', 'a'), ['a b.pb.gz'])


class Tools(Case):
    def test_list_names_modules_with_their_origin(self):
        extra = self.folder / 'extra'
        extra.mkdir()
        (extra / 'libmono-profiler-mine.so').touch()
        (extra / 'libmono-profiler-calls.so').touch()
        code, out, _ = self.monocle('list', env={'MONOCLE_MODULE_PATH': str(extra)})
        lines = out.splitlines()
        self.assertEqual(code, 0)
        self.assertIn('%s/libmono-profiler-mine.so  (MONOCLE_MODULE_PATH)' % extra, lines[1])
        self.assertIn('(monocle; an earlier folder has the name)', lines[2])
        self.assertNotIn('libmono-profiler-monocle.so', out)

    def test_a_link_to_a_module_is_not_another_module(self):
        (self.folder / 'links').mkdir()
        (self.folder / 'links/libmono-profiler-calls.so').symlink_to('../modules/libmono-profiler-calls.so')
        out = self.monocle('list', env={'LD_LIBRARY_PATH': str(self.folder / 'links')})[1]
        self.assertEqual(len([line for line in out.splitlines() if line.startswith('calls ')]), 1)

    def test_doctor_fails_when_the_adapter_does_not_load(self):
        code, out, _ = self.monocle('doctor')
        line = [line for line in out.splitlines() if 'CoreCLR adapter' in line][0]
        self.assertTrue(line.startswith('fail'), line)
        self.assertIn('does not load', line)
        self.assertEqual(code, 1)

    def test_doctor_tells_of_the_environment(self):
        out = self.monocle('doctor', env={
            'DOTNET_EnableDiagnostics': '0', 'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER_PATH': '/opt/other.so',
            'CORECLR_PROFILER': '{00000000-0000-0000-0000-000000000001}', 'MONOCLE_ENABLED': '0'})[1]
        for text in ['fail  diagnostics', 'warn  other profilers', 'fail  variables', '/opt/other.so']:
            self.assertIn(text, out)

    def test_a_build_folder_may_be_called_bin(self):
        build = self.folder / 'x/bin'
        shutil.copytree(self.folder / 'modules', build / 'modules')
        shutil.copytree(self.folder / 'lib', build / 'lib')
        shutil.copy(MONOCLE, build / 'monocle')
        result = subprocess.run([build / 'monocle', 'list'], env=self.environment, stdout=subprocess.PIPE, timeout=60)
        self.assertIn(str(build / 'modules/libmono-profiler-calls.so'), result.stdout.decode())

    def test_a_folder_with_glob_characters_is_no_pattern(self):
        strange = self.folder / 'a[b]*?'
        shutil.copytree(self.folder / 'modules', strange / 'modules')
        shutil.copytree(self.folder / 'lib', strange / 'lib')
        shutil.copy(MONOCLE, strange / 'monocle')
        result = subprocess.run([strange / 'monocle', 'list'], env=self.environment, stdout=subprocess.PIPE, timeout=60)
        self.assertIn(str(strange / 'modules/libmono-profiler-calls.so'), result.stdout.decode())


def hear_all_signals():
    """A shell that starts this in the background ignores two of them, and what is ignored no trap can undo."""
    for name in ('SIGINT', 'SIGQUIT'):
        if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
            signal.signal(getattr(signal, name), signal.SIG_DFL)


if __name__ == '__main__':
    hear_all_signals()
    MONOCLE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
