#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle diff of two coverage files."""
import csv
import json

import case
import cover_file


def make(methods, document='/src/App.cs', mvid=b'1' * 16, hash=b'', counts=True):
    """Methods are names and their lines with hits."""
    file = cover_file.File(counts=counts)
    image = file.image('App', mvid=mvid)
    file.document(document, hash)
    type = file.type(image, 'N.P`1')
    for name, points in methods.items():
        file.method(type, name, points)
    return file


class Diff(case.Case):
    def diff(self, before, after, *options, said=''):
        before.write(self.work / 'before.mcov')
        after.write(self.work / 'after.mcov')
        code, out, error = self.monocle('diff', 'before.mcov', 'after.mcov', *options)
        self.assertEqual((code, error), (0, said))
        return out

    def changes(self, before, after, lacks=(0, 0)):
        """Sign and line after, and line before, of each; `lacks` is how many lines were not compared."""
        line = 'monocle: not compared: lines that only one has, %d before and %d after\n' % lacks if any(lacks) else ''
        said = json.loads(self.diff(before, after, '--format=json', said=line))
        rows = csv.DictReader(self.diff(before, after, '--format=tsv', said=line).splitlines(), delimiter='\t')
        self.assertEqual((said['only_before'], said['only_after']), lacks)
        self.assertEqual([{key: str(value) for key, value in line.items()} for line in said['lines']],
                         [{key: row[key] for key in said['lines'][0]} for row in rows])
        changes = ['%s%d was %d' % ('+' if line['change'] == 'gained' else '-', line['line'], line['line_before'])
                   for line in said['lines']]
        self.assertEqual((said['gained'], said['lost']), (sum(change[0] == '+' for change in changes),
                                                          sum(change[0] == '-' for change in changes)))
        return changes

    def test_people_see_both_sums_and_the_lines(self):
        before = make({'F ()': [(10, 0), (11, 0), (13, 5), (14, 5)], 'G ()': [(20, 0)]})
        after = make({'F ()': [(10, 2), (11, 1), (13, 0), (14, 5)], 'G ()': [(20, 0)]})
        self.assertEqual(self.diff(before, after).splitlines(), [
            '# before: before.mcov', '# after: after.mcov', '',
            '                                    before                             after    points',
            'lines               2 of 5          40.0%            3 of 5          60.0%    +20.00',
            'branches            0 of 0              -            0 of 0              -     +0.00',
            'methods             1 of 2          50.0%            1 of 2          50.0%     +0.00',
            'classes             1 of 1         100.0%            1 of 1         100.0%     +0.00', '',
            '+2 -1  /src/App.cs', '  N.P<T>.F ()  +10-11  -13', '',
            '2 lines newly covered, 1 lost.'])

    def test_lines_of_one_build_are_compared_by_number(self):
        self.assertEqual(self.changes(make({'F ()': [(1, 0), (2, 1)]}), make({'F ()': [(1, 1), (2, 0)]})),
                         ['+1 was 1', '-2 was 2'])

    def test_a_source_that_did_not_change_is_compared_by_number_wherever_it_lies(self):
        before = make({'F ()': [(1, 0), (2, 1)]}, hash=b'h' * 32)
        after = make({'Renamed ()': [(1, 1), (2, 1)]}, hash=b'h' * 32, mvid=b'2' * 16, document='/else/App.cs')
        self.assertEqual(self.changes(before, after), ['+1 was 1'])

    def test_points_of_a_changed_source_are_compared_by_their_place_in_the_method(self):
        before = make({'F ()': [(1, 0), (2, 1)], 'Gone ()': [(9, 1)]}, hash=b'1' * 32)
        after = make({'New ()': [(1, 1)], 'F ()': [(5, 1), (6, 0), (7, 1)]}, hash=b'2' * 32, mvid=b'2' * 16)
        self.assertEqual(self.changes(before, after, (1, 2)), ['+5 was 1', '-6 was 2'])
        self.assertIn('# not compared: lines that only one has, 1 before and 2 after', self.diff(before, after))

    def test_nothing_changed(self):
        self.assertIn('No line that both have changed.', self.diff(make({'F ()': [(1, 1)]}), make({'F ()': [(1, 7)]})))

    def test_what_is_wrong_is_one_line(self):
        make({'F ()': [(1, 1)]}).write(self.work / 'a.mcov')
        case.make_profile(self.work / 'p.pb.gz')
        for words, problem in ((['a.mcov', 'p.pb.gz'], 'a.mcov is coverage, and p.pb.gz is none'),
                               (['p.pb.gz', 'a.mcov'], 'a.mcov is coverage, and p.pb.gz is none'),
                               (['a.mcov', 'a.mcov', '--tree'], '--tree is for profiles, and a.mcov is coverage'),
                               (['a.mcov', 'a.mcov', '-o', 'x'], '-o is for profiles, and a.mcov is coverage')):
            self.assertEqual(self.monocle('diff', *words),
                             (2, '', 'monocle: %s; see monocle diff --help\n' % problem))


if __name__ == '__main__':
    case.main()
