#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The flame graph of a real program: the SDK's C# compiler is profiled, and its picture opened in a real browser.

    test_flame_compiler.py MONOCLE [--profile DESC] [--keep FOLDER]

The page must hold what the profile holds; search, zoom and reset must work on it; its screenshot must show frames. With
--keep the profile, the page and the screenshots stay to be looked at. Exit code 77 (skipped) without Chromium, the SDK
or Mono's class library.
"""
import argparse
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import browser_case
import test_flame_browser

CSC = browser_case.HERE.parent / 'conformance/programs/csc.sh'
LIBRARY = pathlib.Path('/usr/lib/mono/4.5')
ARGUMENTS = None


def source(classes):
    """Enough C# to keep a compiler busy for some seconds."""
    parts = ['using System; using System.Collections.Generic; using System.Linq;']
    for i in range(classes):
        parts.append('''
class C%d<T> where T : IComparable<T> {
	readonly Dictionary<string, List<T>> map = new Dictionary<string, List<T>> ();
	public IEnumerable<T> All (Func<T, bool> keep) {
		foreach (var pair in map.OrderBy (p => p.Key.Length %% %d))
			foreach (var item in pair.Value.Where (x => keep (x)).Select (x => x))
				yield return item;
	}
	public int Count (params T[] items) {
		int n = %d;
		foreach (var item in items) {
			List<T> list;
			if (!map.TryGetValue (item.ToString (), out list))
				map[item.ToString ()] = list = new List<T> ();
			list.Add (item);
			n += list.Count > 3 ? list.Sum (x => x.CompareTo (item)) : (int) Math.Sqrt (n + %d);
		}
		return n;
	}
}''' % (i, i + 2, i, i))
    return '\n'.join(parts) + '\nstatic class Program { static void Main () { } }\n'


def pixels(path):
    """Width, height and rows of (r, g, b) of an 8-bit PNG without interlacing."""
    data = pathlib.Path(path).read_bytes()
    at, packed, size, kind = 8, b'', None, 0
    while at < len(data):
        length, name = struct.unpack('>I4s', data[at:at + 8])
        if name == b'IHDR':
            width, height, _, kind = struct.unpack('>IIBB', data[at + 8:at + 18])
            size = (width, height)
        elif name == b'IDAT':
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    step = 4 if kind == 6 else 3
    raw, stride, rows = zlib.decompress(packed), size[0] * step, []
    before = bytearray(stride)
    for y in range(size[1]):
        start = y * (stride + 1)
        before = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), before, step)
        rows.append([tuple(before[x:x + 3]) for x in range(0, stride, step)])
    return size[0], size[1], rows


def paeth(a, b, c):
    p = a + b - c
    return min((a, b, c), key=lambda value: abs(p - value))


def unfilter(kind, row, before, step):
    for x in range(len(row)):
        left = row[x - step] if x >= step else 0
        corner = before[x - step] if x >= step else 0
        guess = [0, left, before[x], (left + before[x]) // 2, paeth(left, before[x], corner)][kind]
        row[x] = row[x] + guess & 0xFF
    return row


class Compiler(test_flame_browser.Acted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if ARGUMENTS.keep:
            cls.folder = pathlib.Path(ARGUMENTS.keep).resolve()
            cls.folder.mkdir(parents=True, exist_ok=True)
        (cls.folder / 'big.cs').write_text(source(400))
        cls.profile = cls.folder / 'compiler.pb.gz'
        compiler = subprocess.run([CSC, '--where'], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        command = ['dotnet', 'exec', compiler, '-nologo', '-noconfig', '-nostdlib', '-target:exe',
                   '-out:%s' % (cls.folder / 'big.exe'), cls.folder / 'big.cs']
        command += ['-r:%s' % (LIBRARY / name) for name in ['mscorlib.dll', 'System.Core.dll']]
        # Compilers are the SDK's own processes, which decline to be profiled unless asked.
        run = [ARGUMENTS.monocle, 'run', '--profile=' + ARGUMENTS.profile, '-o', cls.profile, '--']
        cls.outcome = subprocess.run(run + command, env=dict(os.environ, MONOCLE_RUN_ALL='1'), stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT)

    def page(self, name):
        self.run_monocle('flame', self.profile, '-o', name + '.html')
        return self.folder / (name + '.html')

    def test_the_compiler_ran_and_has_a_profile(self):
        self.assertEqual(self.outcome.returncode, 0, self.outcome.stdout.decode())
        self.assertTrue((self.folder / 'big.exe').exists())
        self.assertTrue(self.profile.exists(), self.outcome.stdout.decode())

    def test_search_zoom_and_reset(self):
        seen = self.act(self.page('acted'), '''
            const width = i => m.totals[m.totals.length - 1][i];
            seen.whole = width(0); seen.count = m.count;
            m.search("Microsoft.CodeAnalysis"); seen.found = m.state().matched;
            let widest = 0, best = -1;
            for (let i = 1; i < m.count; i++)
                if (/^Microsoft\\.CodeAnalysis.*(Compile|Emit|Bind)/.test(m.nameAt(i)) && width(i) > best)
                    best = width(widest = i);
            m.zoom(widest); frame(); seen.zoomed = m.nameAt(m.state().zoomed); seen.drawn = m.state().drawn;
            key("Escape"); key("Escape"); seen.reset = m.state().zoomed; m.search("");
            frame(); seen.all = m.state().drawn;''')
        self.assertGreater(seen['whole'], 0)
        self.assertGreater(seen['count'], 500)
        share = float(seen['found'].split(', ')[-1].split(' %')[0])
        self.assertGreater(share, 50, seen['found'])
        self.assertTrue(seen['zoomed'].startswith('Microsoft.CodeAnalysis'), seen)
        self.assertEqual(seen['reset'], 0)
        self.assertGreater(seen['drawn'], 10)
        self.assertGreater(seen['all'], 50)

    def test_its_screenshot_shows_frames(self):
        page, picture = self.page('compiler'), self.folder / 'compiler.png'
        for link, path in [('', picture), ('#q=Binder', self.folder / 'search.png')]:
            self.browser.open(page, link)
            self.browser.screenshot(path)
        width, height, rows = pixels(picture)
        self.assertEqual(width, 1000)
        background = max(set(rows[-1]), key=rows[-1].count)
        painted = [sum(pixel != background for pixel in row) for row in rows]
        colours = {pixel for row in rows for pixel in row}
        self.assertGreater(sum(count > width / 2 for count in painted), height / 4, 'half of a quarter of the rows')
        self.assertGreater(len(colours), 50)
        self.assertNotEqual(rows, pixels(self.folder / 'search.png')[2])


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('monocle')
    parser.add_argument('--profile', default='sample:freq=1000')
    parser.add_argument('--keep')
    ARGUMENTS = parser.parse_args()
    ARGUMENTS.monocle = os.path.abspath(ARGUMENTS.monocle)
    browser_case.ARGUMENTS = ARGUMENTS
    compiler = subprocess.run([CSC, '--where'], stdout=subprocess.PIPE).stdout.strip()
    needed = {'Chromium': browser_case.chromium.PROGRAM, "the .NET SDK with Mono's class library": compiler}
    missing = [what for what, there in needed.items() if not there]
    if missing:
        print('skipped: there is no ' + ' and no '.join(missing))
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
