#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spools that others made: who looks at one gets what is in it, and nothing of theirs is changed.

    test_spools.py MONOCLE

Anybody can make a spool, so every spool here wants something: a file overwritten, a command run, a terminal obeyed.
Each is shown to report, flame, diff and convert, and put into the folder of a run.
"""
import hashlib
import os
import pathlib
import stat
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import spool

COMMANDS = [['report'], ['report', '--tree'], ['report', '--format=json'], ['flame', '-o', '-'],
            ['convert', '--to=collapsed', '-o', '-'], ['convert', '--to=pprof', '-o', '-'], ['diff']]


class Spools(case.Case):
    def setUp(self):
        super().setUp()
        self.home = self.folder / 'home'
        self.home.mkdir()
        self.victim = self.home / '.bashrc'
        self.victim.write_text('alias ls=ls\n')
        self.proof = self.home / 'proof'
        self.environment['HOME'] = str(self.home)

    def state(self):
        """All that there is, with its content, its kind, its modes and when it was changed."""
        found = {}
        for path in sorted(self.folder.rglob('*')):
            status = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(status.st_mode) else None
            found[str(path)] = (content, status.st_mode, status.st_mtime_ns, status.st_ino)
        return found

    def look(self, path):
        """Every command that reads a profile looks at the spool; nothing at all may change."""
        before = self.state()
        for words in COMMANDS:
            files = [path] * (2 if words == ['diff'] else 1)
            code, out, error = self.monocle(*words, *map(str, files))
            self.assertEqual(code, 0, (words, error))
            self.assertEqual(self.state(), before, words)
            if words != ['diff'] and words[1:2] != ['--to=pprof']:
                self.assertRegex(out, r'A[.:]Main \(\)', words)
            if '--to=pprof' not in words: # What makes a profile of it need not say how to make one.
                self.assertIn('%s --to=pprof (%s can be deleted then)' % (path, path), error)
            self.assertNotIn('\033', error)

    def monocle(self, *words, env=None, **options):
        process = self.start(*words, env=env, **options)
        try:
            out, error = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail('%s hangs: %s' % (words, process.communicate()[1]))
        return process.returncode, out.decode(errors='replace'), error.decode(errors='replace')

    def make(self, path, **said):
        path.write_bytes(spool.spool(**{key: str(value).encode() if isinstance(value, (str, pathlib.Path)) else value
                                        for key, value in said.items()}))
        return path

    def test_a_left_over_spool_stays_as_it_is(self):
        made = self.make(self.work / 'p.pb.gz.spool', output=self.work / 'p.pb.gz')
        self.look(made)

    def test_a_run_folder_on_the_spools_own_word_is_not_believed(self):
        for where in ['.', self.work]:
            self.look(self.make(self.work / 'cool.spool', run_directory=where, output=self.victim))

    def test_a_spool_beside_the_file_it_wants_gets_nothing(self):
        self.look(self.make(self.home / '.bashrc.spool', output=self.victim))
        self.look(self.make(self.home / 'x.spool', output=self.victim))
        self.look(self.make(self.home / 'y.spool', output=self.home / '.profile', output_kind=spool.NEW))

    def test_a_command_of_a_spool_is_not_run(self):
        self.look(self.make(self.work / 'c.spool', output='touch %s' % self.proof, output_kind=spool.COMMAND))
        self.assertFalse(self.proof.exists())

    def test_a_descriptor_or_a_device_is_not_written(self):
        self.look(self.make(self.work / 'f.spool', output='1', output_kind=spool.DESCRIPTOR))
        self.look(self.make(self.work / 'd.spool', output='/dev/full'))

    def test_names_choose_no_folder_and_no_terminal_obeys_them(self):
        self.look(self.make(self.work / 'n.spool', program='../../home/\033[31m.bashrc', module='../../../x',
                            output='|', output_kind=spool.COMMAND))
        self.look(self.make(self.work / 'e.spool', program='%e%p%n', module='%m', output=self.home / '%n.%e'))

    def test_links_in_the_folder_are_not_followed(self):
        made = self.make(self.work / 'p.pb.gz.spool', output=self.work / 'p.pb.gz')
        for name in ['p.pb.gz', 'p.html', 'p.collapsed.txt']:
            (self.work / name).symlink_to(self.victim)
        before = self.state()
        for words in [['report'], ['flame'], ['convert', '--to=collapsed'], ['convert', '--to=pprof']]:
            code, out, error = self.monocle(*words, str(made))
            self.assertEqual(code, 0 if words == ['report'] else 1, (words, error))
            self.assertEqual(self.state(), before, words)
        self.assertEqual(self.victim.read_text(), 'alias ls=ls\n')

    def test_who_asks_for_a_file_gets_that_and_nothing_else(self):
        made = self.make(self.work / 'x.pb.gz.spool', output=self.victim, run_directory='.')
        before = self.state()
        for words, name in [(['convert', '--to=pprof', '-o', 'y.pb.gz'], 'y.pb.gz'), (['flame'], 'x.html'),
                            (['convert', '--to=pprof'], 'x.pb.gz')]:
            code, out, error = self.monocle(*words, str(made))
            self.assertEqual((code, os.path.basename(out)), (0, name + '\n'), error)
            path = self.work / name
            self.assertIn(b'A.F ()' if name == 'x.html' else b'A:F ()', path.read_bytes() if name == 'x.html'
                          else subprocess.run(['gzip', '-dc', path], capture_output=True).stdout)
            path.unlink()
            after = self.state()
            self.assertEqual({k: v[0] for k, v in after.items()}, {k: v[0] for k, v in before.items()}, words)

    def test_a_profile_made_of_a_spool_is_its_users(self):
        self.make(self.work / 'x.pb.gz.spool', output=self.victim).chmod(0o600)
        for words, name in [([], 'x.pb.gz'), (['-o', 'y.pb.gz'], 'y.pb.gz')]:
            code, out, error = self.monocle('convert', '--to=pprof', 'x.pb.gz.spool', *words, umask=0o022)
            self.assertEqual((code, out), (0, name + '\n'), error)
            self.assertEqual(stat.S_IMODE((self.work / name).stat().st_mode), 0o600)

    def test_a_spool_is_not_replaced_by_what_is_made_of_it(self):
        made = self.make(self.work / 'x.spool', output=self.work / 'x')
        before = made.read_bytes()
        for form in ['pprof', 'collapsed']:
            code, out, error = self.monocle('convert', '--to=' + form, '-o', 'x.spool', 'x.spool')
            self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        self.assertEqual(made.read_bytes(), before)

    def test_a_profile_that_is_there_is_not_overwritten_by_a_name_that_nobody_gave(self):
        made = self.make(self.work / 'x.pb.gz.spool', output=self.work / 'x.pb.gz')
        (self.work / 'x.pb.gz').write_bytes(b'mine')
        code, out, error = self.monocle('convert', '--to=pprof', str(made))
        self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
        self.assertIn('is there already', error)
        self.assertEqual((self.work / 'x.pb.gz').read_bytes(), b'mine')

    def test_a_spool_of_another_user_is_only_read(self):
        if os.geteuid():
            self.skipTest('only root can give a file away')
        made = self.make(self.work / 'o.spool', output=self.victim, run_directory=self.work)
        os.chown(made, 65534, 65534)
        os.chmod(self.work, 0o1777)
        self.look(made)

    def test_a_spool_that_claims_to_be_alive_is_only_read(self):
        with open('/proc/sys/kernel/random/boot_id') as file:
            boot = file.read().strip()
        start = int(pathlib.Path('/proc/self/stat').read_text().rsplit(')')[1].split()[19])
        made = self.make(self.work / 'a.spool', boot_id=boot, pid=os.getpid(), process_start=start, output=self.victim)
        before = self.state()
        for words in COMMANDS:
            code, _, error = self.monocle(*words, str(made), *([str(made)] if words == ['diff'] else []))
            self.assertEqual(code, 0, error)
            if '--to=pprof' not in words:
                self.assertIn('its process is still running: this is what it had so far', error)
        self.assertEqual(self.state(), before)

    def test_a_process_is_named_by_its_number(self):
        made = self.make(self.work / 'a.spool', output=self.victim)
        script = 'import mmap, sys; f = open(sys.argv[1], "rb"); ' \
                 'm = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ); print(flush=True); sys.stdin.read()'
        child = subprocess.Popen([sys.executable, '-c', script, str(made)], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        self.assertEqual(child.stdout.readline(), b'\n')
        before = self.state()
        for pid in child.pid, os.getpid(): # The second has started the first.
            code, out, error = self.monocle('report', str(pid))
            self.assertEqual(code, 0, error)
            self.assertIn('A.Main ()', out)
            self.assertIn(str(made), error)
        self.assertEqual(self.state(), before)
        for name in case.file_formats(self.program):
            if name == 'mlpd':
                continue
            code, out, error = self.monocle('convert', str(child.pid), '--to=' + name)
            self.assertEqual(code, 0, (name, error))
            written = self.work / out.strip()
            self.assertTrue(written.name.startswith('%d.' % child.pid), out)
            if name == 'pprof':  # what the process would have written, and for its user only
                self.assertEqual(self.monocle('convert', str(made), '--to=pprof', '-o', 'same.pb.gz')[0], 0)
                self.assertEqual(written.read_bytes(), (self.work / 'same.pb.gz').read_bytes())
                self.assertEqual(written.stat().st_mode & 0o777, 0o600)
                self.assertEqual(error, '')
        child.communicate()
        self.assertIn('No such process', self.monocle('convert', str(child.pid), '--to=pprof')[2])
        for pid, why in [(os.getpid(), 'writes no profile'), (child.pid, 'No such process')]:
            code, out, error = self.monocle('report', str(pid))
            self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
            self.assertIn(why, error)

    def test_a_number_that_is_a_files_name_is_the_file(self):
        case.make_profile(self.work / '1')
        self.assertEqual(self.monocle('report', '1')[0], 0)

    def test_a_profile_of_which_there_is_only_the_spool_names_it(self):
        self.make(self.work / 'x.pb.gz.spool', output=self.work / 'x.pb.gz')
        self.assertEqual(self.monocle('report', 'x.pb.gz'),
                         (1, '', 'monocle: x.pb.gz is not there, but its spool is: name x.pb.gz.spool\n'))

    def test_an_empty_spool_says_so(self):
        for content in [b'', bytes(8), bytes(1 << 20)]:
            (self.work / 'z.spool').write_bytes(content)
            code, out, error = self.monocle('report', 'z.spool')
            self.assertEqual((code, out, len(error.splitlines())), (1, '', 1))
            self.assertIn('had not begun to count', error)

    # --- the folder of a run

    def collect(self, script, *options):
        """What `monocle run` does with what `script` puts into its folder $d."""
        return self.shell('umask 077; cd %s; d=$MONOCLE_RUN_DIR; %s' % (self.work, script), *options)

    def put_in_run(self, name, **said):
        """A script that puts a spool into the folder of the run; its run_directory is that folder unless given."""
        said.setdefault('run_directory', '')
        template = self.make(self.work / 'template', **said)
        patch = 'printf %%s "$d" | dd of="$d/%s" bs=1 seek=%d conv=notrunc status=none; ' % (
            name, spool.Header.run_directory.offset)
        return 'cp %s "$d/%s"; ' % (template, name) + ('' if said['run_directory'] else patch)

    def plan(self, name, output, kind='file'):
        """A script that puts the plan of a spool into the folder of the run."""
        return 'printf "%%s %%s" %s %s > "$d/%s.plan"; ' % (kind, output, name)

    def test_a_run_completes_what_its_own_processes_left(self):
        script = self.put_in_run('calls.41.1.spool', output=self.work / 'p.pb.gz')
        code, out, error = self.collect(script + self.plan('calls.41.1.spool', self.work / 'p.pb.gz'))
        self.assertEqual(code, 0)
        self.assertIn('A.F ()', error)
        self.assertTrue((self.work / 'p.pb.gz').exists())
        self.assertNothingLeft()

    def test_the_process_is_known_whatever_its_module_is_called(self):
        for module in ['my.module', '7zip', 'v1.2']:
            name, output = module + '.41.1.spool', self.work / (module + '.pb.gz')
            script = self.put_in_run(name, output=output) + self.plan(name, output)
            code, out, error = self.collect(script)
            self.assertEqual(code, 0)
            self.assertIn('wrote %s.pb.gz (process 41' % module, error)

    def test_a_run_writes_no_file_that_was_not_planned(self):
        name = 'calls.41.1.spool'
        planned = self.work / 'p.pb.gz'
        link = 'ln -s planned "$d/%s.plan"; printf "file %s" > "$d/planned"; ' % (name, self.victim)
        for plan in ['', self.plan(name, planned), self.plan(name, self.victim, 'new'), self.plan(name, self.victim)
                     + 'printf x >> "$d/%s.plan"; ' % name, link, 'mkfifo "$d/%s.plan"; ' % name]:
            script = self.put_in_run(name, output=self.victim)
            code, out, error = self.collect(script + plan, '-o', 'q.pb.gz')
            self.assertEqual((code, self.victim.read_text()), (0, 'alias ls=ls\n'), plan)
            self.assertFalse(planned.exists())
            self.assertIn('A.F ()', error)
            (self.work / 'q.pb.gz').unlink()
            self.assertNothingLeft()

    def test_a_run_does_not_believe_the_spools_of_another(self):
        for where in ['.', '/elsewhere', self.work]:
            script = self.put_in_run('calls.41.1.spool', output=self.victim, run_directory=where)
            code, out, error = self.collect(script)
            self.assertEqual((code, self.victim.read_text()), (0, 'alias ls=ls\n'))
            self.assertIn('it is not of this run', error)

    def test_a_run_runs_no_command_of_a_spool(self):
        script = self.put_in_run('calls.41.1.spool', output='touch %s' % self.proof, output_kind=spool.COMMAND)
        code, out, error = self.collect(script, '-o', 'p.pb.gz')
        self.assertEqual(code, 0)
        self.assertFalse(self.proof.exists())
        self.assertIn('A.F ()', error)
        self.assertTrue((self.work / 'p.pb.gz').exists())
        self.assertNothingLeft()

    def test_a_run_follows_no_link_and_waits_for_no_pipe(self):
        secret = self.home / 'secret'
        secret.write_text('secret\n')
        links = 'ln -s %s "$d/%%s"; ' % secret
        script = ''.join(links % name for name in ['41.loaded', '42.declined', '43.1.done', 'output.44.1.pb.gz'])
        script += 'mkfifo "$d/45.loaded" "$d/46.1.done" "$d/output.47.1.pb.gz" "$d/calls.48.1.spool" pipe; '
        script += 'echo "$d/output.44.1.pb.gz" > "$d/49.1.done"; echo "$d/.." > "$d/50.1.done"; '
        script += 'echo %s/pipe > "$d/51.1.done"; exit 6' % self.work
        code, out, error = self.collect(script, '-o', 'p.pb.gz')
        self.assertEqual(code, 6)
        self.assertNotIn('secret', error)
        self.assertFalse((self.work / 'p.pb.gz').is_symlink())

    def test_a_process_that_had_not_begun_leaves_nothing_and_alarms_nobody(self):
        for size in [0, 1 << 20]:
            script = 'echo coreclr 10.0 > $d/%d.loaded; truncate -s %d $d/calls.%d.1.spool; ' % (2**30, size, 2**30)
            code, out, error = self.collect(script + 'exit 9')
            self.assertEqual(code, 9)
            self.assertEqual(error, 'monocle: process %d ended before there was anything to count\n' % 2**30)
            self.assertNothingLeft()


if __name__ == '__main__':
    case.main()
