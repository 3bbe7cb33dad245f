#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `monocle html` puts into its page, and what it says when it cannot. The page itself is test/golden's.

    test_html.py MONOCLE
"""
import base64
import hashlib
import json
import os
import re
import resource
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import cover_file

PACKED = re.compile(r'<script type="application/octet-stream">([A-Za-z0-9+/=]*)</script>')


def unpack(page):
    """The index, and the chunks: of each its files, and its texts one after the other."""
    *chunks, index = [zlib.decompress(base64.b64decode(text)) for text in PACKED.findall(page)]
    result = []
    for chunk in chunks:
        end = 4 + struct.unpack('<I', chunk[:4])[0]
        result.append((json.loads(chunk[4:end]), chunk[end:]))
    return json.loads(index), result


class Html(case.Case):
    def setUp(self):
        super().setUp()
        self.source = self.work / 'src' / 'A.cs'
        self.source.parent.mkdir()
        self.source.write_text('one\ntwo\nthree\n')

    def cover(self, name='a.mcov', path=None, hash=b'', hits=1, types=('N.A',), **how):
        file = cover_file.File(**how)
        image = file.image('App.dll')
        document = file.document(str(self.source if path is None else path), hash)
        for type in types:
            file.method(file.type(image, type), 'F ()', [(1, hits), (2, 0)], [(0, 0, hits), (0, 1, 0)],
                        document=document)
        file.write(self.work / name)
        return name

    def page(self, *words):
        code, out, error = self.monocle('html', *words, '-o', '-')
        self.assertEqual((code, error), (0, ''))
        return out

    def test_the_page_has_names_lines_branches_and_texts(self):
        index, [(files, text)] = unpack(self.page(self.cover()))
        self.assertEqual(index['images'], ['App.dll'])
        self.assertEqual(index['types'], ['N.A'])
        self.assertEqual(index['files'], [[str(self.source), 0, 0, 0, 2, 1, 2, 1,
                                           [[0, 2, 1, 2, 1, 'F ()', 1, 1, 2, 1, 2, 1]]]])
        self.assertEqual(text, self.source.read_bytes())
        self.assertEqual(files, [{'size': 14, 'lines': [1, 1, 1, 0], 'branches': [[1, 2, 1, [2, 1, 1, 2]]],
                                  'never': []}])

    def test_nothing_of_the_coverage_is_markup(self):
        evil = '</script><script>alert(1)</script>'
        name = self.cover(name='a<b>&.mcov', types=[evil], program=evil, path='/x/%s.cs' % evil)
        page = self.page(name)
        self.assertNotIn('alert(1)', page)
        self.assertNotIn('<b>', page.split('<style>')[0])
        self.assertIn('<title>a&#60;b&#62;&#38;.mcov</title>', page)
        self.assertEqual(unpack(page)[0]['program'], evil)

    def test_of_each_source_it_is_known_what_became_of_it(self):
        same = hashlib.sha256(self.source.read_bytes()).digest()
        os.mkfifo(self.work / 'pipe.cs')
        for how, state in [({'hash': same}, 0), ({'hash': hashlib.sha1(b'').digest()}, 1), ({'hash': b'12345'}, 0),
                           ({'path': self.work / 'gone.cs'}, 2), ({'path': self.work / 'pipe.cs'}, 2),
                           ({'path': self.work}, 2)]:
            index, [(files, text)] = unpack(self.page(self.cover(**how)))
            self.assertEqual(index['files'][0][3], state, how)
            self.assertEqual(text, self.source.read_bytes() if state < 2 else b'')
        large = self.work / 'large.cs'
        with open(large, 'wb') as out:
            out.truncate(9 << 20)
        index, [(files, text)] = unpack(self.page(self.cover(path=large)))
        self.assertEqual((index['files'][0][3], files[0]['why']), (3, 'it is larger than 8 MiB'))

    def test_sources_can_be_left_out_moved_and_looked_for(self):
        index, [(files, text)] = unpack(self.page(self.cover(), '--no-sources'))
        self.assertEqual((index['files'][0][3], text), (4, b''))
        name = self.cover(path='/build/agent/src/A.cs')
        index, [(files, text)] = unpack(self.page(name, '--map=/nowhere=/x', '--map=/build/agent=%s' % self.work))
        self.assertEqual((index['files'][0][0], text), (str(self.source), self.source.read_bytes()))
        index, [(files, text)] = unpack(self.page(name, '--source-root=%s' % self.work))
        self.assertEqual((index['files'][0][0], text), ('/build/agent/src/A.cs', self.source.read_bytes()))

    def test_the_page_is_named_after_the_first_file(self):
        (self.work / 'all').mkdir()
        for name in ['a.mcov', 'all/b.mcov', 'all/c.mcov']:
            self.cover(name)
        for words, name, title in [(['a.mcov', 'all/b.mcov'], 'a.html', 'a.mcov and 1 more'),
                                   (['all/'], 'all.html', 'all'), (['.'], 'coverage.html', 'coverage'),
                                   (['a.mcov', '--title=T <1>'], 'a.html', 'T <1>'),
                                   (['a.mcov', '-o', 'x'], 'x', 'a.mcov')]:
            self.assertEqual(self.monocle('html', *words), (0, name + '\n', ''), words)
            self.assertEqual(unpack((self.work / name).read_text())[0]['title'], title)

    def test_losses_and_conflicts_are_in_the_page(self):
        index = unpack(self.page(self.cover(ended=0, counts=True, losses={'space': 3, 'changed': 1})))[0]
        self.assertEqual(index['losses'], [3, 0, 0, 1, 0, 0, 0, 0])
        self.assertEqual((index['incomplete'], index['counts'], index['conflicts']), (1, 1, 0))

    def test_what_is_no_coverage_is_one_line(self):
        (self.work / 'text').write_text('text')
        for words, code in [([], 2), (['a.mcov', '--map=x'], 2), (['a.mcov', '--source-root='], 2), (['gone.mcov'], 1),
                            (['text'], 1)]:
            got, out, error = self.monocle('html', *words)
            self.assertEqual((got, out, error.count('\n')), (code, '', 1), error)
        self.cover()
        code, out, error = self.monocle('html', 'a.mcov', '-o', '/dev/full')
        self.assertEqual((code, error), (1, 'monocle: cannot write /dev/full: No space left on device\n'))

    def test_ten_thousand_files_are_written_quickly(self):
        file = cover_file.File()
        image = file.image('Many.dll')
        source = ''.join('        int line%d = %d;\n' % (i, i * 77777 % 1009) for i in range(100))
        for i in range(10000):
            path = self.work / 'src' / ('%d.cs' % i)
            if i % 20 == 0:
                path.write_text(source)
            file.method(file.type(image, 'N.C%d' % i), 'F ()', [(line, line % 3) for line in range(1, 60)],
                        document=file.document(str(path)))
        file.write(self.work / 'many.mcov')
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        index, chunks = unpack(self.page('many.mcov'))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(len(index['files']), 10000)
        self.assertEqual(sum(len(files) for files, text in chunks), 10000)
        self.assertLess(after.ru_utime - before.ru_utime, 20)


if __name__ == '__main__':
    case.main()
