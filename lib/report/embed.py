# SPDX-License-Identifier: MIT
"""embed.py IN OUT NAME: a file as a C array of char, for what is edited as HTML but must travel inside the program.

A line of IN that says only `@include FILE@` becomes that file, which lies beside IN.
"""
import pathlib
import re
import sys

source, target, name = sys.argv[1:]
folder = pathlib.Path(source).parent
data = re.sub(rb'^@include (\S+)@$', lambda found: (folder / found[1].decode()).read_bytes().rstrip(b'\n'),
              pathlib.Path(source).read_bytes(), flags=re.M)
with open(target, 'w') as out:
    out.write('/* made from %s */\nstatic const char %s[] = {\n' % (source.rsplit('/', 1)[-1], name))
    for at in range(0, len(data), 24):
        out.write('\t' + ','.join(str(b if b < 128 else b - 256) for b in data[at:at + 24]) + ',\n')
    out.write('};\n')
