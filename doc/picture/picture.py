#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes doc/flame.png, the picture in README.md: the real page, in a real browser, of a web server under load.

    doc/picture/picture.py MONOCLE [--keep FOLDER] [--seconds N]

Needs the SDK of .NET and Chromium. With --keep the profile, the page and a picture of each view (light, dark, reversed,
sandwich, the table, a phone) stay in FOLDER, to be looked at.
"""
import argparse
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / 'test'))
import chromium  # noqa: E402

SEARCH = urllib.parse.quote('Shop.OrderService.Search (string)')
VIEWS = [('light', '', 1100, 480), ('dark', '#theme=dark', 1100, 480), ('reversed', '#view=reversed', 1100, 480),
         ('sandwich', '#view=sandwich&method=' + SEARCH, 1100, 480), ('table', '#table=total', 1100, 480),
         ('phone', '', 420, 800)]


def get(port, path, body=None, connection=None):
    connection = connection or http.client.HTTPConnection('127.0.0.1', port)
    connection.request('POST' if body else 'GET', path, body)
    return connection.getresponse().read()


def wait_for_server(port, server):
    while server.poll() is None:
        try:
            return get(port, '/first')
        except OSError:
            time.sleep(0.05)
    sys.exit('the server has ended')


def capitals(value):
    """JSON as the server reads it: it writes other letters than it reads."""
    if isinstance(value, list):
        return [capitals(item) for item in value]
    if isinstance(value, dict):
        return {key[0].upper() + key[1:]: capitals(item) for key, item in value.items()}
    return value


def client(port, number, order, end):
    connection = http.client.HTTPConnection('127.0.0.1', port)
    while time.monotonic() < end:
        number += 1
        get(port, '/search?q=word%d.*word1[0-9]%%2B' % (number % 500), None, connection)
        get(port, '/report/%d' % (number % 200), None, connection)
        get(port, '/import', order, connection)


def load(port, seconds, order):
    end = time.monotonic() + seconds
    clients = [threading.Thread(target=client, args=(port, n, order, end)) for n in range(8)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()


def profile(monocle, folder, seconds):
    """Builds the server, runs it under load, and draws what was sampled."""
    shutil.copytree(HERE, folder / 'shop', ignore=shutil.ignore_patterns('*.py', 'bin', 'obj'), dirs_exist_ok=True)
    subprocess.run(['dotnet', 'build', '-c', 'Release', '-o', folder / 'out', '--nologo', '-v', 'q'],
                   cwd=folder / 'shop', check=True)
    port = 5000 + os.getpid() % 5000
    server = subprocess.Popen([monocle, 'run', '--profile=sample:threads', '-o', folder / 'shop.pb.gz', '--', 'dotnet',
                               folder / 'out/shop.dll', '--urls', 'http://127.0.0.1:%d' % port],
                              stderr=subprocess.DEVNULL)
    order = json.dumps(capitals(json.loads(wait_for_server(port, server)))).encode()
    load(port, seconds, order)
    get(port, '/quit')
    if server.wait() != 0:
        sys.exit('the server has failed')
    subprocess.run([monocle, 'flame', folder / 'shop.pb.gz', '-o', folder / 'shop.html'], check=True)
    return folder / 'shop.html'


def take(page, folder):
    with chromium.Browser() as browser:
        for name, link, width, height in VIEWS:
            browser.size(width, height)
            browser.open(page, link)
            browser.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
            browser.screenshot(folder / (name + '.png'))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('monocle')
    parser.add_argument('--keep', type=pathlib.Path)
    parser.add_argument('--seconds', type=float, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as holder:
        folder = (arguments.keep or pathlib.Path(holder)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        take(profile(os.path.abspath(arguments.monocle), folder, arguments.seconds), folder)
        shutil.copy(folder / 'light.png', HERE.parent / 'flame.png')


if __name__ == '__main__':
    main()
