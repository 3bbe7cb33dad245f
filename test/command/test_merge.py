#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle merge: one coverage file of several."""
import itertools

import case
import cover_file


def make(hits, document='/src/App.cs', lines=(10, 11), counts=True, type='N.P', kickoff=0, image='App',
         **how):
    """A file with one method; `hits` of its points, and of its arms the reverse."""
    file = cover_file.File(counts=counts, **how)
    image = file.image(image, '/app/App.dll')
    source = file.document(document)
    file.method(file.type(image, type), 'Main (string[])', list(zip(lines, hits)),
                [(0, index, more) for index, more in enumerate(reversed(hits))], document=source, kickoff=kickoff)
    return file


class Merge(case.Case):
    def files(self, *files):
        names = []
        for number, file in enumerate(files):
            names.append('%c.mcov' % (ord('a') + number))
            file.write(self.work / names[-1])
        return names

    def merge(self, *names, said=''):
        code, out, error = self.monocle('merge', *names, '-o', 'out.mcov')
        self.assertEqual((code, out, error), (0, 'out.mcov\n', said))
        return (self.work / 'out.mcov').read_bytes()

    def assert_no_order(self, *files, said=''):
        """Whatever the order, and whatever is merged first, the bytes are the same."""
        names = self.files(*files)
        whole = {self.merge(*order, said=said) for order in itertools.permutations(names)}
        self.assertEqual(len(whole), 1)
        for first, second, third in itertools.permutations(names):
            code, _, _ = self.monocle('merge', first, second, '-o', 'two.mcov')
            self.assertEqual(code, 0)
            code, _, _ = self.monocle('merge', 'two.mcov', third, '-o', 'out.mcov')
            self.assertEqual(code, 0)
            self.assertEqual({(self.work / 'out.mcov').read_bytes()}, whole)
        return whole.pop()

    def test_the_order_of_files_does_not_matter(self):
        other = make((1, 2), document='/src/B.cs', type='A.B', image='B', program='Other', begun=7,
                     losses={'refused': 2})
        other.method(other.type(other.image('Lib'), 'L'), 'F ()', [(3, 4)])
        self.assert_no_order(make((1, 9), ended=0), other, make((5, 2**32 - 1), begun=5),
                             said='monocle: the files lack 2 methods\n')

    def test_hits_and_counts_make_hits(self):
        said = 'monocle: some of the files have counts and some have hits: the result has hits\n'
        merged = self.assert_no_order(make((3, 0)), make((0, 1), counts=False), make((9, 0)), said=said)
        self.assertEqual(merged[cover_file.AT['counter_size']], 1)

    def test_versions_that_differ_are_one_and_are_told(self):
        said = ('monocle: the files do not agree about 1 method of assemblies with the same id: of each one version '
                'is kept\n')
        self.assert_no_order(make((1, 0)), make((1, 1), lines=(10, 12)), make((2, 2), kickoff=7), said=said)

    def test_what_did_not_run_gives_way(self):
        merged = self.assert_no_order(make((0, 0), lines=(10, 99)), make((1, 1)), make((0, 0)))
        self.assertEqual(merged, self.assert_no_order(make((0, 0)), make((1, 1)), make((0, 0))))

    def test_a_folder_is_all_that_is_in_it(self):
        names = self.files(make((1, 0)), make((5, 2)))
        whole = self.merge(*names)
        (self.work / 'out.mcov').unlink()
        self.assertEqual(self.merge('.'), whole)

    def test_standard_output_is_one(self):
        names = self.files(make((1, 0)))
        with open(self.work / 'x.mcov', 'wb') as out:
            process = self.start('merge', *names, '-o', '-')
            out.write(process.communicate(timeout=60)[0])
        self.assertEqual((self.work / 'x.mcov').read_bytes(), self.merge(*names))

    def test_what_is_wrong_is_one_line(self):
        whole = make((1, 0)).bytes()
        (self.work / 'cut.mcov').write_bytes(whole[:-8])
        (self.work / 'text.mcov').write_text('no coverage at all')
        (self.work / 'huge.mcov').write_bytes(cover_file.patch(whole, 'used', 'Q', 2**60))
        (self.work / 'empty').mkdir()
        for name, problem in (('cut.mcov', 'it is cut off'), ('text.mcov', 'it is no coverage file'),
                              ('huge.mcov', 'File too large'), ('none.mcov', 'No such file or directory'),
                              ('empty', 'no coverage files (NAME.mcov) are in it')):
            self.assertEqual(self.monocle('merge', name, '-o', 'out.mcov'),
                             (1, '', 'monocle: %s: %s\n' % (name, problem)))
            self.assertFalse((self.work / 'out.mcov').exists())


if __name__ == '__main__':
    case.main()
