#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `monocle convert` writes, opened by speedscope itself in a real browser.

    test_speedscope.py MONOCLE

Speedscope is the npm package of that name: MONOCLE_SPEEDSCOPE names its folder, or `./dev test` has fetched it, or it
is installed globally. Exit code 77 (skipped) without it or without Chromium.
"""
import base64
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pprof

HERE = pathlib.Path(__file__).resolve().parent
MONOCLE = None
BROWSER = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')


def find_speedscope():
    store = os.environ.get('MONOCLE_RUNTIMES', HERE.parents[1] / '.runtimes')
    folders = [os.environ.get('MONOCLE_SPEEDSCOPE'), '%s/node_modules/speedscope' % store,
               '/usr/local/lib/node_modules/speedscope', '/usr/lib/node_modules/speedscope']
    return next((pathlib.Path(folder).resolve() for folder in folders
                 if folder and os.path.exists(os.path.join(folder, 'dist/release/index.html'))), None)


class Speedscope(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.profile = self.folder / 'calls.pb.gz'
        pprof.write_gzip(self.profile, pprof.read_text(HERE / 'profiles/calls.profile'))

    def convert(self, name):
        path = self.folder / ('converted.' + name)
        subprocess.run([MONOCLE, 'convert', self.profile, '--to=' + name, '-o', path], check=True,
                       stdout=subprocess.DEVNULL)
        return path

    def opened(self, path):
        """The words on speedscope's page after it has loaded the file, as its own command hands it over."""
        script = self.folder / 'load.js'
        content = base64.b64encode(path.read_bytes()).decode()
        script.write_text('speedscope.loadFileFromBase64(%s, %s)' % (json.dumps(path.name), json.dumps(content)))
        page = (find_speedscope() / 'dist/release/index.html').as_uri()
        command = [BROWSER, '--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
                   '--enable-unsafe-swiftshader', '--disable-dev-shm-usage', '--user-data-dir=%s/home' % self.folder,
                   '--virtual-time-budget=8000', '--dump-dom', '%s#localProfilePath=%s' % (page, script)]
        dom = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout.decode()
        return html.unescape(re.sub(r'(<[^>]+>|\s)+', ' ', dom[dom.find('<body'):]))

    def test_it_reads_speedscope_files_with_their_threads_and_weights(self):
        self.assertRegex(self.opened(self.convert('speedscope')), r'calls\.pb\.gz 3\.01s .*worker 50\.68µs')

    def test_it_reads_trace_events_as_perfetto_does(self):
        self.assertRegex(self.opened(self.convert('perfetto')), r'3\.01s .*worker \(tid 2\) 50\.68µs')

    def test_it_reads_our_pprof_and_collapsed_stacks(self):
        for name in ['pprof', 'collapsed']:
            self.assertIn('Left Heavy', self.opened(self.convert(name)), name)

    def test_its_schema_is_met(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest('the Python module jsonschema is not installed')
        schema = json.loads((find_speedscope() / 'dist/release/file-format-schema.json').read_text())
        jsonschema.validate(json.loads(self.convert('speedscope').read_text()), schema)


if __name__ == '__main__':
    MONOCLE = os.path.abspath(sys.argv.pop(1))
    if not BROWSER or not find_speedscope():
        print('skipped: there is no %s' % ('npm package speedscope (MONOCLE_SPEEDSCOPE)' if BROWSER else 'Chromium'))
        sys.exit(77)
    unittest.main()
