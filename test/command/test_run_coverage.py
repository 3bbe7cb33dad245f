#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`monocle run` with coverage: what its processes left becomes one file. The shell plays the program.

    test_run_coverage.py MONOCLE
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import cover_file

# A process of its own that leaves a file as the module does, and stays itself.
LEAVE = 'cp %s "$MONOCLE_RUN_DIR/output.%d.1.mcov"; echo "CoreCLR 9" > "$MONOCLE_RUN_DIR/%d.loaded"; '


class Coverage(case.Case):
    def setUp(self):
        super().setUp()
        self.make_module('cover', b'monocle_kit_output_open')

    def make(self, name, hits, counts=False, methods=True, **how):
        """Four lines of which some ran."""
        file = cover_file.File(counts=counts, **how)
        if methods:
            image = file.image('App', '/app/App.dll')
            file.document('/src/App.cs')
            file.method(file.type(image, 'N.Program'), 'Main ()', [(10 + i, n) for i, n in enumerate(hits)], flags=1)
        return file.write(self.work / name)

    def run_with(self, script, *options, **how):
        return self.shell(script, '--profile=cover', *options, **how)

    def hits(self, name):
        header, hits = cover_file.load(self.work / name)
        return [hits[key] for key in sorted(hits)], header

    def test_processes_are_added_up(self):
        self.make('a', [1, 0, 0, 0], ended=0)
        self.make('b', [0, 1, 0, 0])
        self.make('c', [1, 1, 0, 0])
        leave = ''.join(LEAVE % (name, pid, pid) for name, pid in [('a', 999997), ('b', 999998), ('c', 999999)])
        code, out, error = self.run_with(leave + 'echo said; exit 3', '-o', 'all.mcov')
        self.assertEqual((code, out), (3, 'said\n'))
        hits, header = self.hits('all.mcov')
        self.assertEqual([hit > 0 for hit in hits], [True, True, False, False])
        self.assertEqual((header['processes'], header['flags'] & cover_file.JOINED), (3, cover_file.JOINED))
        self.assertEqual(error.splitlines()[-1], 'monocle: wrote all.mcov (3 processes); see more: '
                                                 'monocle report all.mcov, monocle html all.mcov')
        self.assertRegex(error, r'lines +2 of 4 +50\.0%')
        self.assertRegex(error, r'App\.cs +12-13')
        self.assertNothingLeft()

    def test_rows_have_an_end_where_there_is_no_terminal(self):
        """A log gets the whole of no list: many missed lines, and a path without end."""
        file = cover_file.File()
        type = file.type(file.image('App', '/app/App.dll'), 'N.Program')
        for path in ('/src/App.cs', '/src/%s/Other.cs' % ('folder' * 40)):
            file.method(type, 'Main ()', [(10 + i, i % 2) for i in range(2000)], document=file.document(path), flags=1)
        file.write(self.work / 'a')
        code, out, error = self.run_with(LEAVE % ('a', 999999, 999999), '-o', 'all.mcov')
        rows = [line for line in error.splitlines() if '.cs' in line]
        self.assertEqual([len(row) <= 120 for row in rows], [True, True], rows)
        for row in rows:
            self.assertRegex(row, r'^ *1,?000/2,?000 +50.0% .*\.cs +10, 12, 14, .*(…|\.\.)$')

    def test_coverage_is_not_written_under_the_name_of_a_page(self):
        for name in 'all.html', 'all.svg', 'all.json':
            code, out, error = self.run_with('echo ran', '-o', name)
            self.assertEqual((code, out, len(error.splitlines())), (2, '', 1), error)
            self.assertIn('html', error)

    def test_executions_are_added_up(self):
        self.make('a', [1, 0, 7, 2**32 - 2], counts=True)
        self.make('b', [2, 0, 1, 5], counts=True)
        self.run_with(LEAVE % ('a', 999998, 999998) + LEAVE % ('b', 999999, 999999), '-o', 'all.mcov')
        self.assertEqual(self.hits('all.mcov')[0], [3, 0, 8, 2**32 - 1])

    def test_without_a_name_one_is_chosen_and_nothing_is_replaced(self):
        self.make('a', [1, 1, 1, 1])
        for _ in range(3):
            code, _, error = self.run_with(LEAVE % ('a', 999999, 999999))
            self.assertRegex(error, r'wrote sh_\d{8}_\d{6}(-\d)?\.cover\.mcov \(1 process\)')
        self.assertEqual(len(list(self.work.glob('sh_*.cover.mcov'))), 3)
        self.assertNothingLeft()

    def test_a_name_is_that_of_what_was_covered(self):
        tests = ['dotnet', 'exec', '--runtimeconfig', '/b/Shop.Tests.runtimeconfig.json', '--depsfile',
                 '/b/Shop.Tests.deps.json', '/b/testhost.dll', '--port', '4']
        for name, words in ('tests', tests), ('again', tests), ('app', ['dotnet', '/b/App.dll']), ('host', ['/b/Host']):
            self.make(name, [1, 0, 0, 0], arguments='\0'.join(words))
        for names, chosen in (['tests'], 'Shop.Tests'), (['app'], 'App'), (['host'], 'Host'), \
                (['tests', 'again'], 'Shop.Tests'), (['tests', 'app'], 'sh'):
            script = ''.join(LEAVE % (name, 999998 + i, 999998 + i) for i, name in enumerate(names))
            self.assertRegex(self.run_with(script)[2], r'wrote %s_\d{8}_\d{6}(-\d)?\.cover\.mcov ' % re.escape(chosen))

    def test_quiet_says_nothing(self):
        self.make('a', [1, 0, 0, 0])
        self.assertEqual(self.run_with(LEAVE % ('a', 999999, 999999), '-q', '-o', 'all.mcov'), (0, '', ''))
        self.assertEqual(self.hits('all.mcov')[0], [1, 0, 0, 0])

    def test_a_process_that_still_runs_is_read_and_said(self):
        start = pathlib.Path('/proc/self/stat').read_text().rsplit(')', 1)[1].split()[19]
        boot = pathlib.Path('/proc/sys/kernel/random/boot_id').read_text().strip()
        self.make('a', [1, 0, 0, 0], ended=0, pid=os.getpid(), process_start=int(start), boot_id=boot)
        code, _, error = self.run_with(LEAVE % ('a', os.getpid(), os.getpid()), '-o', 'all.mcov')
        self.assertIn('process %d, CoreCLR 9 is still running: what it covers from now on is not in the result'
                      % os.getpid(), error)
        self.assertEqual(self.hits('all.mcov')[0], [1, 0, 0, 0])
        folder = re.search(r'when it has ended: monocle merge (\S+) -o FILE', error).group(1)
        self.assertEqual(self.monocle('merge', folder, '-o', 'later.mcov')[0], 0)
        self.assertEqual(self.hits('later.mcov')[0], [1, 0, 0, 0])

    def test_what_cannot_be_read_stays(self):
        self.make('a', [1, 0, 0, 0])
        (self.work / 'b').write_bytes(cover_file.patch((self.work / 'a').read_bytes(), 'used', 'Q', 2**40))
        code, _, error = self.run_with(LEAVE % ('a', 999998, 999998) + LEAVE % ('b', 999999, 999999), '-o', 'all.mcov')
        self.assertEqual((code, self.hits('all.mcov')[0]), (0, [1, 0, 0, 0]))
        folder = re.search(r'what could not be read stays in (\S+)', error).group(1)
        self.assertIn('output.999999.1.mcov', os.listdir(folder))
        self.assertIn('(1 process)', error)

    def test_what_cannot_be_written_stays(self):
        self.make('a', [1, 0, 0, 0])
        (self.work / 'folder').mkdir()
        code, _, error = self.run_with(LEAVE % ('a', 999999, 999999) + 'exit 4', '-o', 'folder')
        self.assertEqual(code, 4)
        folder = re.search(r'cannot write folder: .*; when it can be: monocle merge (\S+) -o FILE', error).group(1)
        self.assertEqual(os.listdir(folder).count('output.999999.1.mcov'), 1)
        self.assertEqual(self.monocle('merge', folder, '-o', 'later.mcov')[0], 0)

    def test_files_that_the_user_named_stay_apart(self):
        self.make('a', [1, 0, 0, 0])
        script = 'echo "$PWD/a" > "$MONOCLE_RUN_DIR/999999.1.done"'
        code, _, error = self.shell(script, '--profile=cover:output=a')
        self.assertIn('wrote a (process 999999); see more: monocle report a', error)
        self.assertEqual(sorted(os.listdir(self.work)), ['a'])
        self.assertNothingLeft()

    def test_o_goes_to_the_first_module(self):
        self.make_module('calls', b'monocle_kit_spool_open')
        self.make('a', [1, 0, 0, 0])
        code, out, _ = self.shell('echo "$MONOCLE_PROFILE"; ' + LEAVE % ('a', 999999, 999999), '-o', 'x',
                                  '--profile=calls', '--profile=cover')
        self.assertRegex(out, r'calls:output=\S+/output\.%p\.%n cover$')
        self.assertEqual(len(list(self.work.glob('sh_*.cover.mcov'))), 1)
        self.assertFalse((self.work / 'x').exists())

    def test_why_nothing_is_in_it_is_said(self):
        for losses, reason in [({'skipped': 2}, 'none of the sources of 2 assemblies is on this machine'),
                               ({'sources': 1}, 'no debug symbols (.pdb, .mdb) of the right build were found for 1 '
                                                'method'),
                               ({}, 'the filters of --profile=cover leave none')]:
            self.make('a', [], methods=False, losses=losses)
            _, _, error = self.run_with(LEAVE % ('a', 999999, 999999), '-o', 'all.mcov')
            self.assertRegex(error, r'wrote all\.mcov \(1 process\); it is empty: .*' + re.escape(reason))

    def test_without_any_coverage_the_reason_is_said(self):
        code, _, error = self.run_with('exit 0', '-o', 'all.mcov')
        self.assertEqual(code, 0)
        self.assertIn('nothing was profiled: ', error)
        self.assertFalse((self.work / 'all.mcov').exists())
        self.assertNothingLeft()

    def test_a_snapshot_that_cannot_be_made_is_said_and_not_waited_for(self):
        ask = 'cd "$MONOCLE_SNAPSHOT_DIR"; %s > a.want; while [ -e a.want ]; do sleep 0.01; done; ls'
        for words, reason in [('echo $$', 'writes no coverage file'), ('echo 999999999', 'there is no process'),
                              ('echo one', 'the number of a process must be in it'),
                              ('true', 'the number of a process must be in it'),
                              ('touch a.mcov; echo $$', 'is there already')]:
            code, out, error = self.run_with(ask % words, '--snapshots=new/' if 'touch' in words else '--snapshots=old')
            self.assertEqual((code, out), (0, 'a.mcov\n' if 'touch' in words else ''))
            self.assertIn(reason, error.splitlines()[0])

    def test_a_folder_that_cannot_be_watched_is_refused(self):
        (self.work / 'file').touch()
        for name in ['file', 'no/such/folder']:
            code, out, error = self.run_with('echo ran', '--snapshots=' + name)
            self.assertEqual((code, out, len(error.splitlines())), (125, '', 1))
            self.assertIn('cannot watch %s for snapshots' % name, error)
        self.assertNothingLeft()


if __name__ == '__main__':
    case.main()
