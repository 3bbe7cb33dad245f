#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `monocle report` prints of coverage must be expected/coverage.report.KIND.

    test_coverage_report.py MONOCLE [--update]
"""
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import coverage_fixture

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
KINDS = {
    'txt': [],
    'class.txt': ['--by=class', '--sort=missed'],
    'method.txt': ['--by=method', '--missed', '-n', '4'],
    'tree.txt': ['--tree'],
    'tree-5.txt': ['--tree', '-n', '5', '--sort=percent'],
    'tsv': ['--format=tsv', '--by=method'],
    'tree.tsv': ['--format=tsv', '--tree'],
    'json': ['--format=json'],
    'class.json': ['--format=json', '--by=class'],
}


def main():
    monocle, update = os.path.abspath(sys.argv[1]), '--update' in sys.argv
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        coverage_fixture.hard().write(os.path.join(folder, 'hard.mcov'))
        for kind, words in KINDS.items():
            environment = dict(os.environ, TZ='UTC', LC_ALL='C.UTF-8', NO_COLOR='1')
            actual = subprocess.run([monocle, 'report', *words, 'hard.mcov'], cwd=folder, env=environment, check=True,
                                    stdout=subprocess.PIPE, timeout=60).stdout.decode('utf-8')
            path = HERE / 'expected' / ('coverage.report.' + kind)
            if kind.endswith('json'):
                json.loads(actual)
            if update:
                path.write_text(actual, encoding='utf-8', newline='')
            expected = path.read_bytes().decode('utf-8') if path.exists() else ''
            if actual != expected:
                failures += 1
                print('not as in expected/%s:' % path.name)
                lines = expected.splitlines(True), actual.splitlines(True)
                sys.stdout.writelines(difflib.unified_diff(*lines, 'expected', 'actual'))
    print('%d kinds, %d failures' % (len(KINDS), failures))
    return failures != 0


sys.exit(main())
