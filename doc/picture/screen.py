#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes doc/top-threads.png and doc/top-methods.png, the pictures in live.md: `monocle top` in a real terminal of 80
columns and 24 rows, of a web server under load.

    doc/picture/screen.py MONOCLE [--seconds N]

Needs the SDK of .NET, tmux and Chromium.
"""
import argparse
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / 'test')]
import chromium  # noqa: E402
import picture  # noqa: E402

COLUMNS, ROWS = 80, 24
WIDTH, HEIGHT = 690, 438
PAGE = '''<!doctype html><meta charset=utf-8><style>
body { margin: 0; background: #16181d }
pre { margin: 9px 10px; font: 14px/17.5px "DejaVu Sans Mono", monospace; color: #d5d8de }
.bold { font-weight: bold; color: #fff } .reverse { background: #d5d8de; color: #16181d }
</style><pre>%s</pre>'''
STYLES = {'1': 'bold', '7': 'reverse'}


class Terminal:
    """One pane of a tmux of its own."""

    def __init__(self, folder, command):
        self.base = ['tmux', '-f', '/dev/null', '-S', str(folder / 'tmux')]
        subprocess.run([*self.base, 'new-session', '-d', '-x', str(COLUMNS), '-y', str(ROWS), *command],
                       check=True, env={**os.environ, 'TERM': 'screen'})
        subprocess.run([*self.base, 'set', '-g', 'status', 'off'], check=True)
        subprocess.run([*self.base, 'resize-window', '-x', str(COLUMNS), '-y', str(ROWS)], check=True)

    def type(self, keys):
        subprocess.run([*self.base, 'send-keys', keys], check=True)

    def show(self):
        return subprocess.run([*self.base, 'capture-pane', '-p', '-e', '-N'], check=True, capture_output=True,
                              text=True).stdout

    def end(self):
        subprocess.run([*self.base, 'kill-server'], check=False)


def as_page(text):
    """What the terminal shows, with its bold and reverse words."""
    pieces, style = [], ''
    for piece in re.split(r'(\x1b\[[\d;]*m)', text):
        escape = re.fullmatch(r'\x1b\[([\d;]*)m', piece)
        if escape:
            names = [STYLES[code] for code in escape[1].split(';') if code in STYLES]
            style = ' '.join(names)
        elif piece:
            words = html.escape(piece)
            pieces.append('<span class="%s">%s</span>' % (style, words) if style else words)
    return PAGE % ''.join(pieces)


def build(folder):
    picture.shutil.copytree(HERE, folder / 'shop', ignore=picture.shutil.ignore_patterns('*.py', 'bin', 'obj'))
    subprocess.run(['dotnet', 'build', '-c', 'Release', '-o', folder / 'out', '--nologo', '-v', 'q'],
                   cwd=folder / 'shop', check=True)
    return folder / 'out/shop.dll'


class Running:
    """Whether the server can be waited for: it is the terminal that has it."""

    @staticmethod
    def poll():
        return None


def take(monocle, folder, seconds):
    port = 5000 + os.getpid() % 5000
    command = [monocle, 'top', '-o', str(folder / 'shop.pb.gz'), '--', 'dotnet', str(build(folder)), '--urls',
               'http://127.0.0.1:%d' % port]
    terminal = Terminal(folder, command)
    try:
        order = json.dumps(picture.capitals(json.loads(picture.wait_for_server(port, Running)))).encode()
        load = threading.Thread(target=picture.load, args=(port, seconds, order))
        load.start()
        shots = []
        for keys, name in (('t', 'top-threads'), ('m', 'top-methods')):
            terminal.type(keys)
            time.sleep(seconds / 3)
            shots.append((name, terminal.show()))
        load.join()
    finally:
        terminal.end()
    with chromium.Browser(WIDTH, HEIGHT) as browser:
        browser.size(WIDTH, HEIGHT)
        for name, text in shots:
            (folder / (name + '.html')).write_text(as_page(text))
            browser.open(folder / (name + '.html'), '')
            browser.screenshot(HERE.parent / (name + '.png'))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('monocle')
    parser.add_argument('--seconds', type=float, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as holder:
        take(os.path.abspath(arguments.monocle), pathlib.Path(holder), arguments.seconds)


if __name__ == '__main__':
    main()
