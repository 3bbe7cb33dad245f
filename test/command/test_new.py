#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`monocle new`. examples/tally/tally.py builds and runs what it makes.

    test_new.py MONOCLE
"""
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case

TALLY = case.TOP / 'examples/tally'


def contents(folder):
    """{path: (is executable, text)} of all files, also where a folder is a link, but not of what was built there."""
    found = {}
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if name not in ('bin', 'build', 'obj')]
        for path in (pathlib.Path(place) / name for name in names):
            found[str(path.relative_to(folder))] = (os.access(path, os.X_OK), path.read_text())
    return found


def without_licence(text):
    text = re.sub(r'^#!/bin/sh\n# SPDX.*\n#\n', '#!/bin/sh\n', text)
    return re.sub(r'^.*SPDX-License-Identifier.*\n', '', text, flags=re.M)


class New(case.Case):
    def test_a_project_is_the_example_with_another_name(self):
        for language in sorted(path.parent.name for path in TALLY.glob('*/test')):
            code, _, error = self.monocle('new', 'mine_' + language, '--lang=' + language)
            self.assertEqual((code, error), (0, ''))
            made = contents(self.work / ('mine_' + language))
            wanted = {path.replace('tally', 'mine_' + language):
                      (executable, without_licence(text).replace('tally', 'mine_' + language))
                      for path, (executable, text) in contents(TALLY / language).items()}
            self.assertEqual(made, wanted)
            self.assertGreater(len(made), 5)

    def test_c_is_the_language_when_none_is_named(self):
        self.monocle('new', 'plain')
        self.assertTrue((self.work / 'plain/plain.c').exists())

    def test_files_are_named_then_the_next_two_commands(self):
        lines = self.monocle('new', 'mine', '--lang=rust')[1].splitlines()
        self.assertEqual(sorted(lines[:lines.index('')]),
                         sorted('mine/' + path for path in contents(self.work / 'mine')))
        self.assertEqual(lines[-2:], ['  make -C mine', '  MONOCLE=%s make -C mine test' % self.program])

    def test_the_command_is_named_only_where_the_shell_does_not_find_it(self):
        path = '%s:%s' % (self.folder, self.environment['PATH'])
        lines = self.monocle('new', 'MONOCLE', '--lang=rust', env={'PATH': path})[1].splitlines()
        self.assertEqual(lines[-2:], ['  make -C MONOCLE', '  make -C MONOCLE test'])

    def test_a_folder_of_headers_is_named_only_where_pkg_config_does_not_look(self):
        headers = self.folder / 'meson-uninstalled'
        headers.mkdir()
        (headers / 'monocle-module-uninstalled.pc').touch()
        lines = self.monocle('new', 'one')[1].splitlines()
        self.assertEqual(lines[-2], '  PKG_CONFIG_PATH=%s meson setup one/build one && ninja -C one/build' % headers)
        lines = self.monocle('new', 'two', env={'PKG_CONFIG_PATH': '/nowhere:%s' % headers})[1].splitlines()
        self.assertEqual(lines[-2], '  meson setup two/build two && ninja -C two/build')

    def test_a_path_is_quoted_for_the_shell(self):
        strange = self.folder / "it's here"
        strange.mkdir()
        os.rename(self.program, strange / 'monocle')
        self.program = str(strange / 'monocle')
        line = self.monocle('new', 'mine', '--lang=rust')[1].splitlines()[-1].strip()
        said = subprocess.run(['/bin/sh', '-c', line.replace('make -C mine test', 'sh -c \'printf %s "$MONOCLE"\'')],
                              stdout=subprocess.PIPE).stdout.decode()
        self.assertEqual(said, self.program)

    def test_what_is_there_stays(self):
        for kind in ('folder', 'file', 'link'):
            path = self.work / kind
            if kind == 'folder':
                path.mkdir()
            elif kind == 'file':
                path.touch()
            else:
                path.symlink_to('nowhere')
            code, out, error = self.monocle('new', kind)
            self.assertEqual((code, out), (1, ''))
            self.assertEqual(error, 'monocle: %s is there already, and nothing in it was changed\n' % kind)
        self.assertEqual(sorted(os.listdir(self.work)), ['file', 'folder', 'link'])
        self.assertEqual(os.listdir(self.work / 'folder'), [])

    def test_a_name_that_is_none_is_refused(self):
        for name in ['', '1a', '_a', 'a-b', 'a b', 'a/b', '..', 'a.b', '\u00e4', 'a\n', 'x' * 41]:
            code, out, error = self.monocle('new', name)
            self.assertEqual((code, out), (2, ''), name)
            self.assertIn("cannot be a module's name", error)
            self.assertEqual(error.count('\n'), 1)
        self.assertEqual(os.listdir(self.work), [])
        self.assertEqual(self.monocle('new', 'x' * 40)[0], 0)

    def test_the_name_of_another_module_is_refused(self):
        for name in ['calls', 'monocle', 'log', 'coverage', 'aot']:
            code, _, error = self.monocle('new', name)
            self.assertEqual(code, 2)
            self.assertIn('there is a module %s already' % name, error)
        self.assertEqual(os.listdir(self.work), [])

    def test_a_project_that_cannot_be_finished_is_taken_away(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        code, out, error = self.monocle('new', 'mine', preexec_fn=small_files)
        self.assertEqual((code, out), (1, ''))
        self.assertRegex(error, r'^monocle: mine/\S+: File too large\n$')
        self.assertEqual(os.listdir(self.work), [])

    def test_one_name_is_needed(self):
        for words in [], ['a', 'b']:
            code, _, error = self.monocle('new', *words)
            self.assertEqual(code, 2)
            self.assertIn('new takes one NAME', error)


if __name__ == '__main__':
    case.main()
