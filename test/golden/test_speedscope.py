#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `monocle convert` writes, opened by speedscope itself in a real browser.

    test_speedscope.py MONOCLE

Speedscope is the npm package of that name: MONOCLE_SPEEDSCOPE names its folder, or `./dev test` has fetched it, or it
is installed globally.
"""
import base64
import json
import os
import pathlib
import re
import unittest

import browser_case


def find_speedscope():
    store = os.environ.get('MONOCLE_RUNTIMES', browser_case.HERE.parents[1] / '.runtimes')
    folders = [os.environ.get('MONOCLE_SPEEDSCOPE'), '%s/node_modules/speedscope' % store,
               '/usr/local/lib/node_modules/speedscope', '/usr/lib/node_modules/speedscope']
    return next((pathlib.Path(folder).resolve() for folder in folders
                 if folder and os.path.exists(os.path.join(folder, 'dist/release/index.html'))), None)


@unittest.skipUnless(find_speedscope(), 'there is no npm package speedscope (MONOCLE_SPEEDSCOPE)')
class Speedscope(browser_case.Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write('calls', cls.golden('calls'))

    def convert(self, name):
        self.run_monocle('convert', 'calls.pb.gz', '--to=' + name, '-o', 'converted.' + name)
        return self.folder / ('converted.' + name)

    def opened(self, name, words):
        """Waits until these words are on speedscope's page, which loads the file as its own command hands it over."""
        path, script = self.convert(name), self.folder / 'load.js'
        content = base64.b64encode(path.read_bytes()).decode()
        script.write_text('speedscope.loadFileFromBase64(%s, %s)' % (json.dumps(path.name), json.dumps(content)))
        self.browser.open(find_speedscope() / 'dist/release/index.html', '#localProfilePath=%s' % script)
        self.browser.until('/%s/s.test(document.body.textContent)' % words)

    def test_it_reads_speedscope_files_with_their_threads_and_weights(self):
        self.opened('speedscope', r'calls\.pb\.gz.*3\.01s.*worker.*50\.68µs')

    def test_it_reads_trace_events_as_perfetto_does(self):
        self.opened('perfetto', r'3\.01s.*worker \(tid 2\).*50\.68µs')

    def test_it_reads_our_pprof_and_collapsed_stacks(self):
        for name in ['pprof', 'collapsed']:
            self.opened(name, 'Left Heavy')

    def test_its_schema_is_met(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest('the Python module jsonschema is not installed')
        schema = json.loads((find_speedscope() / 'dist/release/file-format-schema.json').read_text())
        jsonschema.validate(json.loads(self.convert('speedscope').read_text()), schema)


if __name__ == '__main__':
    browser_case.main()
