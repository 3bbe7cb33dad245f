#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`monocle run`: exit codes, signals, environment, what becomes of the profiles. The shell plays the program.

    test_run.py MONOCLE
"""
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import harness
import pprof


class ExitCodes(case.Case):
    def test_what_is_no_program_is_told_with_what_starts_it(self):
        """A shell would take a file of an unknown format for a script of its own."""
        (self.work / 'shop.dll').write_bytes(b'MZ\0\0BSJB')
        for name in ('words.exe', 'tool.exe'):
            (self.work / name).write_bytes(b'MZ\0\0echo not by a shell\nBSJB')
            (self.work / name).chmod(0o755)
        (self.work / 'tool.runtimeconfig.json').write_text('{}')
        (self.work / 'shop.csproj').write_text('<Project />')
        (self.work / 'game').write_text('#!/bin/sh\n')
        (self.work / 'game').chmod(0o755)
        (self.work / 'damaged').write_bytes(b'\x7fELF\0\n echo not by a shell\n')
        (self.work / 'damaged').chmod(0o755)
        for word, code, said in [
                ('shop.dll', 127, "cannot find 'shop.dll' along PATH; ./shop.dll is an assembly, and is started so: "
                 "-- dotnet shop.dll"),
                ('./shop.dll', 126, 'cannot execute ./shop.dll: Permission denied; ./shop.dll is an assembly, and is '
                 'started so: -- dotnet ./shop.dll'),
                ('./words.exe', 126, 'cannot execute ./words.exe: Exec format error; ./words.exe is an assembly, and '
                 'is started so: -- mono ./words.exe'),
                ('./tool.exe', 126, 'cannot execute ./tool.exe: Exec format error; ./tool.exe is an assembly, and is '
                 'started so: -- dotnet ./tool.exe'),
                ('./shop.csproj', 126, 'cannot execute ./shop.csproj: Permission denied; ./shop.csproj is a project, '
                 'and is started so: -- dotnet run --project ./shop.csproj'),
                ('game', 127, "cannot find 'game' along PATH; the file that is here is ./game"),
                ('./damaged', 126, 'cannot execute ./damaged: Exec format error'),
                ('./nowhere', 127, "cannot find './nowhere'")]:
            self.assertEqual(self.monocle('run', '--', word), (code, '', 'monocle: %s\n' % said))

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

    def test_what_run_cannot_do_is_said(self):
        for words, hint in [(['-o', '-', '--', '/bin/echo'], "standard output is the program's own"),
                            (['--profile=calls'], 'run takes a command')]:
            code, out, error = self.monocle('run', *words)
            self.assertEqual((code, out), (2, ''))
            self.assertIn(hint, error)

    def test_a_run_without_any_library_of_ours_is_125(self):
        shutil.rmtree(self.folder / 'lib')
        code, out, error = self.shell('echo ran')
        self.assertEqual((code, out), (125, ''))
        self.assertIn('libmonocle-clr.so', error)


class Signals(case.Case):
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
            script = ('trap "echo got >> got" %s; trap "exit 7" USR2; touch ready; while :; do sleep 0.05; done' % name)
            process = self.start('run', '--', '/bin/sh', '-c', script)
            self.wait_ready()
            process.send_signal(getattr(signal, 'SIG' + name))
            self.wait_for(self.work / 'got')
            process.send_signal(signal.SIGUSR2)
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

    def test_what_does_not_end_is_killed_by_who_asks_again_and_no_sooner(self):
        """A process that hangs may ignore everything; one that is slow to end must be left alone."""
        script = 'trap "echo got >> got" TERM INT; touch ready; while [ ! -e stop ]; do :; done; exit 9'
        for patience, number, code in [(3600000, signal.SIGTERM, 9), (0, signal.SIGTERM, 128 + signal.SIGKILL),
                                       (0, signal.SIGINT, 128 + signal.SIGKILL)]:
            self.be_patient(patience)
            process = self.start('run', '--', '/bin/sh', '-c', script)
            self.wait_ready()
            process.send_signal(number)
            self.wait_for(self.work / 'got')
            (self.work / 'got').unlink()
            process.send_signal(number)
            if patience:
                self.wait_for(self.work / 'got')
                (self.work / 'stop').touch()
            error = process.communicate(timeout=60)[1].decode()
            self.assertEqual(process.returncode, code, error)
            for name in os.listdir(self.work):
                (self.work / name).unlink()
        self.assertIn('monocle: the program had not ended 0 seconds after it was asked to; asked again', error)
        self.assertNothingLeft()

    def test_ctrl_c_of_a_terminal_reaches_the_program_once(self):
        script = ('trap "echo got >> got" INT; trap "touch last" USR1; touch ready; '
                  'while [ ! -e last ]; do sleep 0.05; done; exit 9')
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execve(self.program, [self.program, 'run', '--', '/bin/sh', '-c', script],
                      dict(self.environment))
        self.wait_ready()
        os.write(terminal, b'\x03')
        self.wait_for(self.work / 'got')
        os.kill(pid, signal.SIGUSR1)  # which is passed on after all that was to be before it
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
        script = 'touch ready; while [ ! -e stop ]; do sleep 0.05; done; exit 9'
        shell = ('set -m; "$0" run -- /bin/sh -c \'%s\'; echo code $?; touch stopped stop; fg; echo code $?; read end'
                 % script)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execve('/bin/bash', ['/bin/bash', '-c', shell, self.program], dict(self.environment))
        self.wait_ready()
        os.write(terminal, b'\x1a')
        self.wait_for(self.work / 'stopped')
        text = b''
        while len(re.findall(rb'^code \d+\r', text, re.M)) < 2:  # what is not read may be lost when the shell ends
            text += os.read(terminal, 4096)
        os.write(terminal, b'\n')
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


class Environment(case.Case):
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
        self.assertEqual(seen['MONO_PROFILE'], 'monocle')
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
        self.make_modules('a', 'b')
        seen, _ = self.variables('--profile=a:x', '--profile=b', env={
            'MONOCLE_PROFILE': 'mine', 'MONO_ENV_OPTIONS': '--gc=sgen', 'MONO_PROFILE': 'log',
            'LD_LIBRARY_PATH': '/opt/lib',
            'MONOCLE_MODULE_PATH': '/opt/modules', 'CORECLR_PROFILER_PATH_64': '/old/libmonocle-clr.so'})
        self.assertEqual(seen['MONOCLE_PROFILE'], 'mine a:x b')
        self.assertEqual(seen['MONO_ENV_OPTIONS'], '--gc=sgen --profile=monocle:a:x --profile=monocle:b')
        self.assertEqual(seen['MONO_PROFILE'], 'log')
        self.assertTrue(seen['LD_LIBRARY_PATH'].startswith('/opt/lib:/'))
        self.assertTrue(seen['MONOCLE_MODULE_PATH'].startswith('/opt/modules:/'))
        self.assertEqual(seen['CORECLR_PROFILER_PATH_64'], str(self.folder / 'lib/clr/libmonocle-clr.so'))

    def test_names_that_newer_runtimes_read_first_say_the_same(self):
        seen, _ = self.variables(env={'DOTNET_ENABLE_PROFILING': '0', 'DOTNET_PROFILER_PATH': '/old.so'})
        self.assertEqual(seen['DOTNET_ENABLE_PROFILING'], '1')
        self.assertEqual(seen['DOTNET_PROFILER_PATH'], str(self.folder / 'lib/clr/libmonocle-clr.so'))
        self.assertNotIn('DOTNET_PROFILER', seen)
        seen, _ = self.variables(env={
            'DOTNET_ENABLE_PROFILING': '1', 'DOTNET_PROFILER': '{00000000-0000-0000-0000-000000000001}',
            'DOTNET_PROFILER_PATH': '/opt/other.so', 'DOTNET_ENABLE_NOTIFICATION_PROFILERS': '0',
            'DOTNET_NOTIFICATION_PROFILERS': '/off.so={00000000-0000-0000-0000-000000000002}'})
        ours = '%s={F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C};' % (self.folder / 'lib/clr/libmonocle-clr.so')
        self.assertEqual(seen['DOTNET_PROFILER_PATH'], '/opt/other.so')
        self.assertEqual(seen['DOTNET_ENABLE_NOTIFICATION_PROFILERS'], '1')
        self.assertEqual(seen['DOTNET_NOTIFICATION_PROFILERS'], ours)
        self.assertEqual(seen['CORECLR_NOTIFICATION_PROFILERS'], ours)

    def test_an_empty_search_path_does_not_become_the_current_folder(self):
        seen, _ = self.variables(env={'LD_LIBRARY_PATH': ''})
        self.assertNotIn('', seen['LD_LIBRARY_PATH'].split(':'))

    def test_a_module_may_have_any_name(self):
        self.make_modules('output=x')
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

    OTHER = {'CORECLR_ENABLE_PROFILING': '1', 'CORECLR_PROFILER': '{00000000-0000-0000-0000-000000000001}',
             'CORECLR_PROFILER_PATH': '/opt/other.so'}

    def list_of(self, **env):
        seen, error = self.variables(env=dict(self.OTHER, **env))
        self.assertEqual(seen['CORECLR_ENABLE_NOTIFICATION_PROFILERS'], '1')
        self.assertIn('joins it', error)
        for name, value in self.OTHER.items():
            self.assertEqual(seen[name], value)
        return seen

    def own_entry(self):
        return str(self.folder / 'lib/clr/libmonocle-clr.so') + '={F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C};'

    def test_a_foreign_profiler_is_joined(self):
        seen = self.list_of()
        self.assertEqual(seen['CORECLR_NOTIFICATION_PROFILERS'], self.own_entry())
        self.assertNotIn('CORECLR_NOTIFICATION_PROFILERS_64', seen)

    def test_who_is_in_the_list_stays_there(self):
        third = '/opt/third.so={00000000-0000-0000-0000-000000000003}'
        for old in [third, third + ';', third + ';/old/us.so={f5e0f6a1-5b3c-4c7e-9d64-6d6f6e6f636c};']:
            seen = self.list_of(CORECLR_ENABLE_NOTIFICATION_PROFILERS='1', CORECLR_NOTIFICATION_PROFILERS=old,
                                CORECLR_NOTIFICATION_PROFILERS_64=old)
            for name in ['CORECLR_NOTIFICATION_PROFILERS', 'CORECLR_NOTIFICATION_PROFILERS_64']:
                self.assertEqual(seen[name], third + ';' + self.own_entry())

    def test_a_list_that_is_switched_off_stays_so(self):
        third = '/opt/third.so={00000000-0000-0000-0000-000000000003};'
        for env in [{}, {'CORECLR_ENABLE_NOTIFICATION_PROFILERS': '0'}]:
            seen = self.list_of(CORECLR_NOTIFICATION_PROFILERS=third, **env)
            self.assertEqual(seen['CORECLR_NOTIFICATION_PROFILERS'], self.own_entry())

    def test_a_path_that_no_list_can_hold_is_said(self):
        strange = self.folder / 'a=b'
        strange.mkdir()
        for name in ['monocle', 'lib', 'modules']:
            (self.folder / name).rename(strange / name)
        self.program = str(strange / 'monocle')
        seen, error = self.variables(env=self.OTHER)
        self.assertNotIn('CORECLR_NOTIFICATION_PROFILERS', seen)
        self.assertIn('are not profiled: no list of profilers can hold a path', error)

    def test_without_a_foreign_profiler_no_list_is_touched(self):
        third = '/opt/third.so={00000000-0000-0000-0000-000000000003}'
        seen, _ = self.variables(env={'CORECLR_NOTIFICATION_PROFILERS': third})
        self.assertEqual(seen['CORECLR_NOTIFICATION_PROFILERS'], third)
        self.assertEqual(seen['CORECLR_PROFILER_PATH'], str(self.folder / 'lib/clr/libmonocle-clr.so'))

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


class Collecting(case.Case):
    """The shell plays the profiled processes."""

    def setUp(self):
        super().setUp()
        case.make_profile(self.work / 'source')

    def run_processes(self, script, *options):
        return self.shell('cd %s; d=$MONOCLE_RUN_DIR; %s' % (self.work, script), *options)

    def test_one_process_makes_exactly_the_file(self):
        code, out, error = self.run_processes(
            'echo coreclr 10.0 > $d/41.loaded; cp source $d/output.41.1.pb.gz; '
            'echo $d/output.41.1.pb.gz > $d/41.1.done; exit 3',
            '-o', 'prof.pb.gz')
        self.assertEqual((code, out), (3, ''))
        self.assertEqual(sorted(os.listdir(self.work)), ['prof.pb.gz', 'source'])
        self.assertIn('A.Main ()', error)
        self.assertIn('process 41, coreclr 10.0', error)
        self.assertIn('monocle report prof.pb.gz', error)
        self.assertNothingLeft()

    def test_of_several_processes_the_first_that_loaded_has_the_file(self):
        self.run_processes('echo b > $d/52.loaded; sleep 0.05; echo a > $d/41.loaded; '
                           'cp source $d/output.41.1.pb.gz; cp source $d/output.52.1.pb.gz', '-o', 'prof.pb.gz')
        self.assertEqual(sorted(os.listdir(self.work)), ['prof.41.pb.gz', 'prof.pb.gz', 'source'])
        self.assertNothingLeft()

    def test_an_empty_profile_is_called_so(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        pprof.write_gzip(self.work / 'source', profile.encode())
        code, _, error = self.run_processes('cp source $d/output.41.1.pb.gz', '-o', 'prof.pb.gz')
        self.assertIn('wrote prof.pb.gz (process 41); it is empty: nothing happened that the module was', error)
        self.assertNotIn('monocle flame', error)

    def test_an_empty_profile_of_what_was_asked_for_says_so(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.line('comment desc: calls:time=none,callspec=M:Worker:Cpuu,threads')
        pprof.write_gzip(self.work / 'source', profile.encode())
        error = self.run_processes('cp source $d/output.41.1.pb.gz', '-o', 'prof.pb.gz')[2]
        self.assertIn('it is empty: no method that was called matches callspec=M:Worker:Cpuu\n', error)

    def make_process(self, name, program, pid, cost):
        profile = pprof.Writer()
        profile.value('samples', 'count')
        profile.value('cpu', 'nanoseconds')
        profile.line('comment program: %s, pid %d, on vm' % (program, pid))
        profile.sample(['%s:Main ()' % program], [cost // 1000, cost])
        pprof.write_gzip(self.work / name, profile.encode())

    def run_two(self, *options):
        self.make_process('a', 'small', 41, 5000)
        self.make_process('b', 'large', 52, 7000000)
        return self.run_processes('echo x > $d/41.loaded; sleep 0.05; echo y > $d/52.loaded; '
                                  'cp a $d/output.41.1.pb.gz; cp b $d/output.52.1.pb.gz', '-o', 'p.pb.gz', *options)

    def test_several_processes_have_a_row_each_and_the_dearest_is_shown(self):
        code, _, error = self.run_two()
        self.assertRegex(error, r'(?m)^ +cpu +wall +samples +pid +program +file\n'
                                r'7\.000 ms +0 ns +7,000 +52 +large +p\.52\.pb\.gz\n'
                                r'5\.000 us +0 ns +5 +41 +small +p\.pb\.gz\n')
        self.assertIn('large.Main ()', error)
        self.assertNotIn('small.Main ()', error)
        self.assertIn('see more: monocle report p.52.pb.gz', error)

    def test_several_profiles_of_one_process_are_all_shown(self):
        self.make_process('a', 'small', 41, 5000)
        self.make_process('b', 'large', 41, 7000000)
        error = self.run_processes('echo x > $d/41.loaded; cp a $d/output.41.1.pb.gz; cp b $d/output.41.2.pb.gz',
                                   '-o', 'p.pb.gz')[2]
        self.assertIn('large.Main ()', error)
        self.assertIn('small.Main ()', error)

    def test_no_profile_of_a_process_replaces_another(self):
        names = ['a', 'b', 'c', 'd']
        for name in names:
            self.make_process(name, name, 41, 5000)
        script = 'echo x > $d/41.loaded; ' + ' '.join(
            'cp %s $d/%s.pb.gz; echo $d/%s.pb.gz > $d/41.%d.done;' % (name, name, name, place)
            for place, name in enumerate(names))
        self.run_processes(script, '-q', '-o', 'p.pb.gz')
        made = {name for name in os.listdir(self.work) if name.startswith('p.')}
        self.assertEqual(made, {'p.pb.gz', 'p.41.pb.gz', 'p.41.2.pb.gz', 'p.41.3.pb.gz'})
        mains = [self.monocle('report', '--format=tsv', name)[1] for name in made]
        self.assertEqual(sorted(re.search(r'(\w):Main', text).group(1) for text in mains), names)

    def test_several_processes_can_be_one_profile(self):
        code, _, error = self.run_two('--merge')
        self.assertEqual(sorted(os.listdir(self.work)), ['a', 'b', 'p.pb.gz', 'source'])
        rows = [line.split('\t') for line in self.monocle('report', '--format=tsv', 'p.pb.gz')[1].splitlines()]
        cpu = rows[0].index('self_cpu_ns')
        self.assertEqual({row[0]: row[cpu] for row in rows[1:]}, {'small:Main ()': '5000', 'large:Main ()': '7000000'})
        for text in ['small.Main ()', 'large.Main ()', 'wrote p.pb.gz (all processes)']:
            self.assertIn(text, error)
        out = self.monocle('report', '--process=large', 'p.pb.gz')[1]
        self.assertIn('large.Main', out)
        self.assertNotIn('small.Main', out)
        self.assertIn('\t5000\t', self.monocle('report', '--process=41', '--format=tsv', 'p.pb.gz')[1])
        self.assertNothingLeft()

    def test_the_ending_of_the_name_decides_what_is_written(self):
        for name, begins in [('p.html', b'<!DOCTYPE html>'), ('p.json', b'{'), ('p.svg', b'<svg ')]:
            code, _, error = self.run_processes('cp source $d/output.41.1.pb.gz', '-o', name)
            self.assertTrue((self.work / name).read_bytes().startswith(begins))
            self.assertIn('A.Main ()', error)
            self.assertIn('wrote %s (process 41)\n' % name, error)
            self.assertNotIn('see more', error)
        self.assertTrue((self.work / 'p.json').read_text().count('speedscope'))
        for name in 'p.html', 'p.json':  # in the words of the source, as flame and convert have it
            self.assertIn('"A.Main ()"', (self.work / name).read_text())
        self.assertIn('"collapsed":true', (self.work / 'p.html').read_text())
        self.assertIn('>A.Main ()<', (self.work / 'p.svg').read_text())
        self.run_two('--merge', '-o', 'sum.html')
        self.assertIn('large', (self.work / 'sum.html').read_text())
        self.assertNothingLeft()

    def test_a_name_that_nobody_can_write_is_refused_before_the_program_starts(self):
        for name in 'p.png', 'p.pdf':
            code, out, error = self.shell('echo ran', '-o', name)
            self.assertEqual((code, out, len(error.splitlines())), (2, '', 1), error)
            self.assertIn('OUT.svg', error)

    def test_to_merge_takes_a_file(self):
        self.assertEqual(self.shell('exit 3', '--merge')[0], 2)

    def test_a_file_of_monos_own_modules_is_told(self):
        (self.work / 'output.mlpd').write_text('old')
        os.utime(self.work / 'output.mlpd', (1, 1))
        self.assertNotIn('wrote', self.shell('exit 0', '--profile=log')[2])
        for options, name in [('log', 'output.mlpd'), ('log:nocalls,output=x y.mlpd', 'x y.mlpd'),
                              ('coverage', 'coverage.xml'), ('coverage:output=c.xml', 'c.xml')]:
            error = self.shell('echo new > "%s"' % name, '--unchecked', '--profile=' + options)[2]
            self.assertIn('monocle: wrote %s\n' % name, error)
            self.assertEqual('monocle report' in error, name.endswith('.mlpd'))
        self.assertNotIn('wrote', self.shell('echo new > output.mlpd', '--profile=log', '-q')[2])

    def test_a_module_that_writes_to_a_command_is_not_missed(self):
        self.make_module('calls', b'monocle_kit_spool_open')
        for output in ['|cat', '#3']:
            self.assertEqual(self.run_processes('echo coreclr 10.0 > $d/41.loaded',
                                                '--profile=calls:output=' + output)[2], '')

    def leave(self, *files, parent='1:1', name='monocle-left00', age=3600):
        left = self.temporary / name
        left.mkdir()
        (left / 'parent').symlink_to(parent)
        for name in files:
            (left / name).touch()
            os.utime(left / name, (time.time() - age,) * 2)
        os.utime(left, (time.time() - age,) * 2)
        return left

    def test_what_a_killed_run_has_left_is_named(self):
        (self.work / 'source').unlink()
        left = self.leave('41.loaded', 'sample.41.1.spool', age=-60)
        self.shell('exit 0')
        error = self.monocle('report')[2]
        self.assertIn('an earlier run has left %s/sample.41.1.spool\n' % left, error)

    def test_what_runs_have_left_is_named_at_once_and_the_newest_first(self):
        (self.work / 'source').unlink()
        for number, age in enumerate([-50, -300, -20, -200]): # later than what other runs of this machine have left
            self.leave('sample.4%d.1.spool' % number, name='monocle-left0%d' % number, age=age)
        error = self.monocle('report')[2]
        named = re.findall(r'an earlier run has left %s/monocle-left0(\d)/' % re.escape(str(self.temporary)), error)
        self.assertEqual(named, ['1', '3', '0'])

    def test_folders_of_killed_runs_with_nothing_in_them_are_removed(self):
        left = self.leave('41.loaded', '41.declined')
        self.shell('exit 0')
        self.assertFalse(left.exists())

    def test_a_young_folder_stays_since_a_program_may_be_starting(self):
        left = self.leave('41.loaded', age=0)
        self.shell('exit 0')
        self.assertTrue(left.exists())

    def test_the_folder_of_a_run_that_goes_on_stays(self):
        start = pathlib.Path('/proc/self/stat').read_text().rsplit(')')[1].split()[19]
        left = self.leave('41.loaded', parent='%d:%s' % (os.getpid(), start))
        self.shell('exit 0')
        self.assertTrue(left.exists())
        self.assertNotIn('has left %s' % left, self.monocle('report', env={'HOME': '/'})[2])

    def test_an_empty_profile_is_explained_in_the_words_of_its_module(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.line('comment desc: mine:a=b')
        pprof.write_gzip(self.work / 'source', profile.encode())
        self.make_module('mine', b'monocle_kit_spool_open', b'x', b'monocle_kit_when_empty=ask \x1b for more')
        error = self.run_processes('cp source $d/output.41.1.pb.gz', '--profile=mine:a=b', '-o', 'prof.pb.gz')[2]
        self.assertIn('it is empty: ask ? for more\n', error)

    def test_an_empty_profile_names_the_filter(self):
        for option, words in [('filter=System.IO.*', 'no exception that was thrown matches filter=System.IO.*'),
                              ('callspec=N:A', 'no method that was called matches callspec=N:A')]:
            profile = pprof.Writer()
            profile.value('exceptions', 'count')
            profile.line('comment desc: exceptions:%s' % option)
            pprof.write_gzip(self.work / 'source', profile.encode())
            self.assertIn('it is empty: %s\n' % words,
                          self.run_processes('cp source $d/output.41.1.pb.gz', '-o', 'prof.pb.gz')[2])

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

    def test_a_pipe_that_nobody_reads_is_one_line_and_not_waited_for(self):
        os.mkfifo(self.work / 'pipe')
        (self.work / 'link').symlink_to('pipe')
        for name in ['pipe', 'link']:
            process = self.start('run', '-q', '-o', name, '--', '/bin/sh', '-c',
                                 'cp source $MONOCLE_RUN_DIR/output.41.1.pb.gz; exit 4')
            self.addCleanup(process.kill)
            out, error = process.communicate(timeout=20)
            self.assertEqual((process.returncode, out), (4, b''))
            line = error.decode()
            self.assertRegex(line, r'^monocle: cannot write %s: nobody reads this pipe; the profile stays in .*\n$'
                             % name)
            kept = pathlib.Path(line.strip().rsplit(' ', 1)[1])
            self.assertEqual(kept.read_bytes(), (self.work / 'source').read_bytes())

    @staticmethod
    def waiting(pipe):
        return struct.unpack('i', fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]

    def test_a_pipe_that_is_read_slowly_has_it_all(self):
        os.mkfifo(self.work / 'pipe')
        (self.work / 'source').write_bytes(harness.chance(1).randbytes(1 << 20))
        pipe = os.open(self.work / 'pipe', os.O_RDONLY | os.O_NONBLOCK)  # a reader is there before the run ends
        process = self.start('run', '-q', '-o', 'pipe', '--', '/bin/sh', '-c',
                             'cp source $MONOCLE_RUN_DIR/output.41.1.pb.gz')
        self.addCleanup(process.kill)
        with open(pipe, 'rb') as reader:
            select.select([pipe], [], [])
            os.set_blocking(pipe, True)
            while self.waiting(pipe) < fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ):  # until no more fits into it
                time.sleep(0.001)
            self.assertEqual(reader.read(), (self.work / 'source').read_bytes())
        self.assertEqual((process.wait(20), process.stderr.read()), (0, b''))
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
        self.make_module('calls', b'monocle_kit_spool_open')
        error = self.run_processes('echo coreclr 10.0 > $d/41.loaded', '--profile=calls')[2]
        self.assertEqual(error, 'monocle: no profile from process 41 (coreclr 10.0)\n')
        error = self.run_processes('echo coreclr 10.0 > $d/41.loaded; echo calls > $d/41.told', '--profile=calls')[2]
        self.assertEqual(error, '')
        self.make_module('calls', b'a module that leaves nothing')
        self.assertEqual(self.run_processes('echo coreclr 10.0 > $d/41.loaded', '--profile=calls')[2], '')
        self.assertNothingLeft()

    def test_a_log_of_events_is_told_with_what_is_in_it(self):
        self.make_module('texts', b'monocle_kit_text_open')
        lines = ['# events:x on 10.0', '# time thread event'] + ['  0.1  7 %s x=y' % name for name in
                                           ['jit_done'] * 1200 + ['class_loaded'] * 30 + ['gc_event', 'gc_resize']]
        for count, said in [(2, '0 lines'), (3, '1 line: 1 jit_done'),
                            (None, '1,232 lines: 1,200 jit_done, 30 class_loaded, 1 gc_event, ...')]:
            (self.work / 'source').write_text('\n'.join(lines[:count] + ['--- 3 lines of thread 7 are missing', '']))
            error = self.run_processes('cp source $d/output.41.1.log', '--profile=texts', '-o', 'x.log')[2]
            self.assertEqual(error, 'monocle: wrote x.log (process 41): %s\n' % said)
        (self.work / 'source').write_text('another log\n')
        error = self.run_processes('cp source $d/output.41.1.log', '--profile=texts', '-o', 'x.log')[2]
        self.assertEqual(error, 'monocle: wrote x.log (process 41)\n')

    def test_who_writes_a_module_that_crashes_is_told_where_to_read(self):
        (self.folder / 'own').mkdir()
        self.make_module('mine', path='own/libmono-profiler-%s.so')
        own = {'MONOCLE_MODULE_PATH': str(self.folder / 'own')}
        said = ('monocle: /bin/sh was ended by signal 11 (Segmentation fault); if a callback of the module mine did '
                'it, doc/debugging-a-module.md says how to find where\n')
        crash = 'kill -SEGV $$'
        code, _, error = self.shell(crash, '--profile=calls', '--profile=mine:x', env=own)
        self.assertEqual((code, error.splitlines(True)[0]), (139, said))
        for script, options in [(crash, ['--profile=calls']), (crash, ['-q', '--profile=mine']),
                                ('kill -TERM $$', ['--profile=mine']), ('exit 139', ['--profile=mine'])]:
            self.assertNotIn('debugging-a-module', self.shell(script, *options, env=own)[2])

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

    def test_what_has_no_name_goes_where_the_command_was_typed(self):
        self.assertEqual(self.shell('cd /; readlink "$MONOCLE_RUN_DIR/here"')[1], '%s\n' % self.work)
        self.assertNothingLeft()

    def test_a_profile_that_could_not_go_there_is_kept_and_told(self):
        _, _, error = self.run_processes('cp source $d/a.pb.gz; echo $d/a.pb.gz > $d/41.1.done', '-q')
        kept = pathlib.Path(error.strip().rsplit(' ', 1)[1])
        self.assertRegex(error, '^monocle: the profile of process 41 could not be written into this folder; it stays '
                         'in /')
        self.assertEqual(kept.read_bytes(), (self.work / 'source').read_bytes())

    def test_a_run_has_its_folder_where_there_is_room(self):
        out = self.shell('echo "$MONOCLE_RUN_DIR"', env={'TMPDIR': '/nowhere'})[1]
        self.assertRegex(out, '^/tmp/monocle-')

    def test_output_goes_to_the_module_that_takes_it(self):
        for name, text in [('hello', b'mono_profiler_create'), ('mine', b'monocle_kit_text_open')]:
            self.make_module(name, text)
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
        self.assertEqual((process.returncode, out), (2, b''))

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


class LeftBehind(case.Case):
    """A command that ends before a program that it has started: here the shell's end is what the program waits for."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.work / 'end')

    def leave_behind(self, then, *options, first=':'):
        """`first` is done before the command ends, `then` after it; what it left behind lives until the test ends."""
        pipe = os.open(self.work / 'end', os.O_RDWR)
        (self.work / 'program').write_text(
            'd=$MONOCLE_RUN_DIR; echo $d > folder; %s; echo $$ > pid\nwhile kill -0 $1 2> /dev/null; do :; done\n'
            '%s\nexec cat end > /dev/null 2>&1\n' % (first, then))
        script = '/bin/sh program $$ < /dev/null > /dev/null 2> said & while [ ! -s pid ]; do sleep 0.01; done; exit 3'
        code, _, error = self.shell(script, *options)
        pid = self.left_pid()
        self.assertEqual(code, 3)
        self.assertEqual((self.work / 'said').read_text(), '')
        self.addCleanup(os.close, pipe)
        return error, pid

    def left_pid(self):
        pid = int((self.work / 'pid').read_text())
        self.addCleanup(self.end, pid)
        return pid

    @staticmethod
    def end(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def folder_of_run(self):
        return pathlib.Path((self.work / 'folder').read_text().strip())

    def test_what_has_said_nothing_yet_is_named_and_keeps_the_folder(self):
        self.be_patient(0)
        error, pid = self.leave_behind('')
        self.assertRegex(error, r'^monocle: nothing has been profiled so far: process %d \(\w+\) is still running, and '
                                r'no runtime in it has loaded Monocle yet\n$' % pid)
        self.assertTrue(self.folder_of_run().is_dir())

    def test_the_folder_stays_as_long_as_the_program_lives(self):
        self.be_patient(0)
        pid = self.leave_behind('')[1]
        folder = self.folder_of_run()
        os.utime(folder, (time.time() - 3600,) * 2)
        self.shell('exit 0')
        self.assertTrue(folder.is_dir())
        os.kill(pid, signal.SIGKILL)
        while self.is_there(pid):
            time.sleep(0.01)
        self.shell('exit 0')
        self.assertFalse(folder.exists())

    @staticmethod
    def is_there(pid):
        try:
            return pathlib.Path('/proc/%d/environ' % pid).read_bytes() != b''
        except OSError:
            return False

    def test_what_has_just_begun_is_waited_for_until_it_tells_something(self):
        self.be_patient(3600000)
        error, pid = self.leave_behind('echo because > $d/$$.declined')
        self.assertEqual(error, 'monocle: process %d was not profiled: because\n' % pid)
        self.assertNothingLeft()

    def test_a_reason_that_is_not_written_yet_is_none(self):
        self.be_patient(0)
        error, pid = self.leave_behind('', first=': > $d/$$.declined')
        self.assertRegex(error, r'^monocle: nothing has been profiled so far: process %d \(\w+\) is still running, and '
                                r'no runtime in it has loaded Monocle yet\n$' % pid)

    def test_what_has_loaded_a_runtime_and_written_nothing_is_still_running(self):
        self.be_patient(0)
        self.make_module('calls', b'monocle_kit_spool_open')
        script = 'echo 1.0 > $MONOCLE_RUN_DIR/$$.loaded; touch loaded; exec cat end'
        (self.work / 'loads').write_text(script)
        self.addCleanup(os.close, os.open(self.work / 'end', os.O_RDWR))
        _, _, error = self.shell('/bin/sh loads > /dev/null 2>&1 < /dev/null & echo $! > pid; '
                                 'while [ ! -e loaded ]; do sleep 0.01; done', '--profile=calls')
        pid = self.left_pid()
        self.assertEqual(error, 'monocle: process %d is still running, and has written no profile so far\n' % pid)


class Diagnosis(case.Case):
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

    def test_nothing_is_said_when_the_program_was_to_print_a_modules_help(self):
        self.assertEqual(self.monocle('run', '--profile=log:help', '--', '/bin/true')[2], '')

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

    def test_no_runtime_is_told_to_load_what_others_can_change(self):
        adapter, umbrella = self.folder / 'lib/clr/libmonocle-clr.so', self.folder / 'lib/mono'
        adapter.chmod(0o666)
        code, out, error = self.shell('env')
        self.assertEqual(code, 0)
        self.assertNotIn('CORECLR_PROFILER_PATH', out)
        self.assertIn('MONO_ENV_OPTIONS', out)
        self.assertIn('%s is not used: every user can write to %s; chmod go-w %s mends that' % ((adapter,) * 3), error)
        umbrella.chmod(0o777)
        self.assertIn('every user can write to %s;' % umbrella, self.monocle('doctor')[1])
        code, out, error = self.shell('echo ran')
        self.assertEqual((code, out, error.count('is not used:')), (125, '', 2))
        code, out, error = self.monocle('env')
        self.assertEqual((code, out, error.count('is not used:')), (1, '', 2))

    def test_mono_whose_umbrella_is_missing_is_called_so(self):
        (self.folder / 'lib/mono/libmono-profiler-monocle.so').unlink()
        self.assertIn('libmono-profiler-monocle.so was not found', self.reason(self.fake('mono', b'')))


if __name__ == '__main__':
    case.main()
