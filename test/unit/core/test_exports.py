# SPDX-License-Identifier: MIT
"""What libmonocle.so shows to the world: the module API and the host API, as versioned functions, and nothing else.

usage: test_exports.py LIBRARY [MONO]

MONO is a real Mono (program or library); every mono_profiler_* function that it exports must be there.
"""
import re
import shutil
import subprocess
import sys

LEGACY = ('install', 'install_thread', 'install_gc', 'install_jit_end', 'install_allocation', 'install_enter_leave',
          'install_exception', 'set_events')
TABLES = ('mono_opcodes',)  # data, as on Mono


def exports(path):
    lines = subprocess.run(['nm', '-D', '--defined-only', path], check=True, capture_output=True, text=True).stdout
    return [(kind, name) for _, kind, name in (line.split() for line in lines.splitlines())]


def check(library, mono):
    errors = []
    names = set()
    for kind, name in exports(library):
        if kind == 'A':
            continue
        bare, _, version = name.partition('@@')
        names.add(bare)
        if kind != ('R' if bare in TABLES else 'T'):
            errors.append(f'{name} is of the wrong kind ({kind})')
        if not re.fullmatch(r'mono_\w+|monocle_(?!_)\w+', bare):
            errors.append(f'{name} is not of our interfaces')
        if version != 'MONOCLE_0.1':
            errors.append(f'{name} has no version')
    wanted = {'mono_profiler_' + name for name in LEGACY}
    wanted |= {'mono_profiler_set_inline_method_callback', 'mono_profiler_set_method_samplepoint_callback'}
    if mono:
        theirs = {name for _, name in exports(mono) if name.startswith('mono_profiler_')}
        if len(theirs) != 88:
            errors.append(f'{mono} exports {len(theirs)} profiler functions instead of 88')
        wanted |= theirs
    errors += [f'{name} is missing' for name in sorted(wanted - names)]
    return errors


def main():
    mono = sys.argv[2] if len(sys.argv) > 2 else shutil.which('mono-sgen')
    errors = check(sys.argv[1], mono)
    for error in errors:
        print(error)
    if not mono:
        print('no mono-sgen to compare with')
    return 1 if errors else 0


sys.exit(main())
