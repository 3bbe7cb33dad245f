# SPDX-License-Identifier: MIT
"""Chromium without a window, spoken to through two pipes (the DevTools protocol): pages are opened one after the other
in one process, scripts are evaluated and waited for.

    with chromium.Browser() as browser:
        browser.open('/tmp/page.html')
        browser.evaluate('document.title')
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

PROGRAM = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
ENDED = 'Chromium has ended'
# What breaks the rules landmark-one-main, empty-table-header and label-content-name-mismatch of axe.
UNLABELLED = '''[
    ...(document.querySelectorAll("main, [role=main]").length === 1 ? [] : ["not one main"]),
    ...[...document.querySelectorAll("th")].filter(item => !item.textContent.trim()),
    ...[...document.querySelectorAll("button[aria-label], a[aria-label]")].filter(item =>
        !item.getAttribute("aria-label").toLowerCase().includes(item.innerText.trim().toLowerCase()))
].map(item => item.outerHTML || item)'''


class Browser:
    def __init__(self, width=1200, height=800):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, ours = os.pipe()
        mine, out = os.pipe()
        command = [PROGRAM, '--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
                   '--enable-unsafe-swiftshader', '--hide-scrollbars', '--disable-dev-shm-usage',
                   '--remote-debugging-pipe', '--user-data-dir=' + self.home.name,
                   '--window-size=%d,%d' % (width, height), 'about:blank']
        self.process = subprocess.Popen(
            ['sh', '-c', 'exec "$@" 3<&%d 4>&%d' % (theirs, out), 'sh', *command], pass_fds=[theirs, out],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=self.home.name))
        os.close(theirs)
        os.close(out)
        self.to, self.of = os.fdopen(ours, 'wb'), os.fdopen(mine, 'rb')
        self.number, self.session, self.rest, self.errors = 0, None, b'', []
        pages = self.call('Target.getTargets')['targetInfos']
        page = next(page for page in pages if page['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=page['targetId'], flatten=True)['sessionId']
        self.call('Page.enable')
        self.call('Runtime.enable')
        self.call('Emulation.setFocusEmulationEnabled', enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.to.close()
        self.of.close()
        self.process.kill()
        self.process.wait()
        self.home.cleanup()

    def message(self):
        while b'\0' not in self.rest:
            more = os.read(self.of.fileno(), 1 << 20)
            if not more:
                raise RuntimeError(ENDED)
            self.rest += more
        message, self.rest = self.rest.split(b'\0', 1)
        message = json.loads(message)
        if message.get('method') == 'Runtime.exceptionThrown':
            self.errors.append(message['params']['exceptionDetails'])
        return message

    def call(self, method, **params):
        self.number += 1
        request = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            request['sessionId'] = self.session
        self.to.write(json.dumps(request).encode() + b'\0')
        self.to.flush()
        while True:
            message = self.message()
            if message.get('id') == self.number:
                if 'error' in message:
                    raise RuntimeError('%s: %s' % (method, message['error']['message']))
                return message['result']

    def open(self, path, link=''):
        """Goes to a file, by a number of its own: another link of the same address would not load it again."""
        self.call('Page.navigate', url='%s?%d%s' % (pathlib.Path(path).resolve().as_uri(), self.number, link))
        while self.message().get('method') != 'Page.loadEventFired':
            pass

    def evaluate(self, script):
        """The value of an expression, after its promise is kept."""
        answer = self.call('Runtime.evaluate', expression=script, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(json.dumps(answer['exceptionDetails'], indent=1))
        return answer['result'].get('value')

    def until(self, condition):
        """Waits for a condition, which is asked again and again; a minute is far more than any takes."""
        self.evaluate('''new Promise((done, fail) => {
            const end = Date.now() + 60000;
            (function ask() {
                if (%s) done(); else if (Date.now() > end) fail(%s); else setTimeout(ask, 5);
            })(); })''' % (condition, json.dumps('not within a minute: ' + condition)))

    def size(self, width, height, scale=1, mobile=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=scale,
                  mobile=mobile)

    def dark(self, is_dark):
        self.call('Emulation.setEmulatedMedia',
                  features=[{'name': 'prefers-color-scheme', 'value': 'dark' if is_dark else 'light'}])

    def key(self, key):
        for kind in ['keyDown', 'keyUp']:
            text = key if len(key) == 1 and kind == 'keyDown' else ''
            self.call('Input.dispatchKeyEvent', type=kind, key=key, text=text)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

    def print(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call('Page.printToPDF')['data']))
