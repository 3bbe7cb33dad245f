#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing that `monocle` prints can steer a terminal, turn the writing or make a spreadsheet compute.

    test_printed.py MONOCLE

Every text that comes from elsewhere (names, types, units and comments of a profile, file names, options, variables,
texts of libraries) holds each of HOSTILE in turn, and every output of every command is looked at.
"""
import json
import os
import re
import sys
import unicodedata
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import case
import cover_file
import pprof

# Raw bytes, as a file name or a variable may hold them: what UTF-8 can hold, what it cannot, and what ends a line.
HOSTILE = [
    b'x'.join([
        b'\x1b[31m',                        # a colour
        b'\x1b]0;owned\x07',                # a title
        b'\rgone',                          # a carriage return
        b'\x08\x08',                        # backspaces
        b'\x7f',                            # DEL
        '\x9b31m'.encode(),                 # CSI of C1
        '\x9d0;owned\x9c'.encode(),         # OSC of C1
        '\u202e'.encode(),                  # right to left
        '\u2067x\u2069'.encode(),           # an isolate
        '\u200e\u200f\u061c'.encode(),      # marks
        '\u2028\u2029'.encode(),            # line separators
    ]),
    b'x'.join([
        b'\x9b31m',                         # a byte of C1
        b'\xc0\x9b[31m',                    # overlong ESC
        b'\xe2\x80',                        # a cut sequence
    ]),
    b'\nmonocle: a lie',
]
# What XML 1.0 does not allow, on top of that (2.2): a document that has it is none for any reader.
NO_XML = [b'x'.join(chr(code).encode('utf-8', 'surrogatepass') for code in (0xfffe, 0xffff, 0xd800, 0xdfff)),
          b'x'.join(bytes([byte]) for byte in range(1, 256)),
          ''.join(chr(code) for code in (0x85, 0x9f, 0xfdd0, 0xfffd, 0x1fffe, 0x1ffff, 0x10ffff)).encode()]
FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '"a\tb']
SVG = '{http://www.w3.org/2000/svg}'
UNSAFE = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]')


def escape(raw):
    """For pprof.py."""
    return ''.join('\\x%02x' % byte for byte in raw)


class Case(case.Case):
    def assertSafe(self, data, what):
        try:
            text = data.decode('utf-8')
        except UnicodeDecodeError as error:
            self.fail('%s: %s in %r' % (what, error, data[:400]))
        found = UNSAFE.search(text)
        if found:
            name = unicodedata.name(found.group(), 'U+%04X' % ord(found.group()))
            self.fail('%s: %s in %r' % (what, name, text[max(0, found.start() - 60):found.start() + 60]))
        return text

    def look(self, *words, env=None, code=None):
        """Runs the command; both streams are safe. Answers what it printed."""
        process = self.start(*words, env=env)
        out, error = process.communicate(timeout=60)
        what = b' '.join(word if isinstance(word, bytes) else word.encode() for word in words)
        text = self.assertSafe(out, 'stdout of %r' % what), self.assertSafe(error, 'stderr of %r' % what)
        if code is not None:
            self.assertEqual(process.returncode, code, (what, text))
        for line in text[1].splitlines():
            self.assertFalse(line.startswith('monocle: a lie'), text)
        return text

    def profile(self, name, raw, unit=None):
        profile = pprof.Writer()
        text = raw.decode('utf-8', 'replace')
        profile.value('calls', 'count')
        profile.value(text + 'type', unit or text + 'unit')
        function = 'A%sB' % escape(raw)
        profile.sample(['Main', function], [1, 5000], [(text + 'key', text + 'label')])
        profile.sample(['Main', function, 'C@/dir/%s.cs' % escape(raw)], [2, 700], [('thread', text)])
        data = profile.encode() + pprof.block(6, b'#' + raw) + pprof.number(13, len(profile.strings))
        pprof.write_gzip(self.work / name, data)
        return name


class Profiles(Case):
    """What a file holds."""

    def test_reports_and_differences_are_safe(self):
        for raw in HOSTILE:
            one, two = self.profile('one.pb.gz', raw), self.profile('two.pb.gz', raw + b'2', unit='other')
            for shape in [[], ['--tree']]:
                for form in case.report_formats(case.MONOCLE):
                    out, _ = self.look('report', one, '--format=' + form, *shape, code=0)
                    self.assertIn('Main', out)
                    out, _ = self.look('diff', one, one, '--format=' + form, '--normalize', *shape, code=0)
            self.look('diff', one, two, code=1)
            self.look('diff', one, two, '--value=nothing', code=1)

    def test_what_is_written_for_other_tools_is_safe(self):
        for raw in HOSTILE:
            one = self.profile('one.pb.gz', raw)
            for form in set(case.file_formats(case.MONOCLE)) - {'pprof', 'mlpd'}:
                self.look('convert', one, '--to=' + form, '-o', '-', code=0)
            for words in [['flame', one, '-o', '-'], ['diff', one, one, '-o', '-']]:
                self.look(*words, code=0)

    def test_a_picture_is_xml_whatever_names_hold(self):
        for raw in HOSTILE + NO_XML:
            one = self.profile('one.pb.gz', raw)
            out, _ = self.look('convert', one, '--to=svg', '-o', '-', code=0)
            titles = [title.text for title in xml.etree.ElementTree.fromstring(out).iter(SVG + 'title')]
            self.assertEqual([title.split(':')[0] for title in titles if 'Main' in title], ['Main'])
            out, _ = self.look('flame', one, '-o', '-', code=0)
            self.assertFalse(re.search('[\ufffe\uffff]', out))

    def test_escaped_names_stay_exact_where_programs_read_them(self):
        for raw in HOSTILE:
            self.profile('one.pb.gz', raw)
            wanted = 'A%sB' % raw.decode('utf-8', 'replace')
            if '\ufffd' in wanted:  # what is no UTF-8 does not even enter a profile in memory
                continue
            out, _ = self.look('report', 'one.pb.gz', '--format=json', code=0)
            self.assertIn(wanted, [row['method'] for row in json.loads(out)['methods']])
            out, _ = self.look('report', 'one.pb.gz', '--format=tsv', code=0)
            self.assertIn(wanted, [unescape_tsv(row.split('\t')[0]) for row in out.split('\n')])

    def test_no_name_is_a_formula_for_a_spreadsheet(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        for amount, formula in enumerate(reversed(FORMULAS), 1):
            profile.sample([escape(formula.encode())], [amount])
        pprof.write_gzip(self.work / 'p.pb.gz', profile.encode())
        for words in [['report', 'p.pb.gz'], ['diff', 'p.pb.gz', 'p.pb.gz']]:
            for shape in [[], ['--tree']]:
                rows = self.look(*words, '--format=tsv', *shape, code=0)[0].split('\n')[1:-1]
                names = [row.split('\t')[0] for row in rows]
                self.assertEqual(sorted(map(unescape_tsv, names)), sorted(FORMULAS))
                for name in names:
                    self.assertNotIn(name[0], '=+-@\t\r"', rows)

    def test_damaged_files_are_told_safely(self):
        for raw in HOSTILE:
            for content in [b'a;b 3\n' + raw + b' not a number\n', b'{"$schema":"x", "x' + raw + b'": }', raw * 9]:
                (self.work / 'bad').write_bytes(content)
                for words in [['report', 'bad'], ['flame', 'bad'], ['convert', 'bad', '--to=pprof'],
                              ['diff', 'bad', 'bad']]:
                    self.look(*words)


class Coverage(Case):
    """What a coverage file holds, and a source."""

    def make(self, raw):
        (self.work / 'a.cs').write_bytes(b'a' + raw + b'b\n')
        file = cover_file.File(program=b'p' + raw, runtime=b'r' + raw, desc=b'd' + raw)
        image = file.image(b'I' + raw, b'/' + raw)
        for path in [os.fsencode(self.work) + b'/a.cs', b'/no/' + raw + b'/x' + raw + b'.cs', raw + b'\\y.cs']:
            type = file.type(image, b'N' + raw + b'.C' + raw)
            file.method(type, b'F' + raw + b' (int)', [(1, 1), (2, 0)], [(0, 0, 1), (0, 1, 0)], file.document(path))
        file.write(self.work / 'a.mcov')

    def test_reports_are_safe(self):
        for raw in HOSTILE:
            self.make(raw)
            for form in case.report_formats(case.MONOCLE):
                for shape in [[], ['--by=class'], ['--by=method'], ['--by=assembly'], ['--tree']]:
                    out, _ = self.look('report', 'a.mcov', '--format=' + form, *shape, code=0)
                    if form == 'json':
                        json.loads(out)
            self.look('report', 'a.mcov', '--annotate=a.cs', code=0)
            for name in [b'no' + raw, b'x' + raw + b'.cs', b'F']:
                self.look('report', 'a.mcov', b'--annotate=' + name, code=1)
            self.look('report', 'a.mcov', b'--fail-under=' + raw, code=2)

    def test_what_is_written_as_xml_is_xml(self):
        said, _ = self.look('convert', '--help')
        for raw in HOSTILE + NO_XML:
            self.make(raw.replace(b'\0', b''))
            for form in 'cobertura', 'jacoco', 'opencover', 'sonar':
                self.assertIn(form, said)
                out, _ = self.look('convert', 'a.mcov', '--to=' + form, '-o', '-', code=0)
                xml.etree.ElementTree.fromstring(re.sub('<!DOCTYPE[^>]*>', '', out))
            self.look('html', 'a.mcov', '-o', 'a.html', code=0)
            self.assertFalse(re.search('[\ufffe\uffff]', (self.work / 'a.html').read_text()))


class Words(Case):
    """File names, options and variables."""

    def test_file_names_are_safe(self):
        for raw in HOSTILE:
            folder = os.fsencode(self.work)
            name = b'p' + raw + b'.pb.gz'
            case.make_profile(os.fsdecode(folder + b'/' + name))
            for form in case.report_formats(case.MONOCLE):
                self.look('report', name, b'--format=' + form.encode(), code=0)
                self.look('diff', name, name, '--format=' + form, code=0)
            self.look('flame', name, code=0)
            self.look('flame', name, '-o', '-', code=0)
            self.look('convert', name, '--to=collapsed', code=0)
            self.look('convert', name, '--to=perfetto', '-o', '-', code=0)
            for command in [['report'], ['flame'], ['convert', '--to=pprof'], ['diff', name]]:
                self.look(*command, b'no' + raw, code=1)
            for command in [['flame', name, '-o'], ['convert', name, '--to=firefox', '-o']]:
                self.look(*command, b'/no' + raw + b'/x', code=1)

    def test_options_are_safe(self):
        case.make_profile(self.work / 'p.pb.gz')
        for raw in HOSTILE:
            for words in [[raw], ['help', raw], ['report', b'--sort=' + raw], ['report', '-n', raw],
                          ['report', b'-' + raw],
                          ['report', b'--' + raw], ['report', b'--tree=' + raw], ['report', b'--format=' + raw],
                          ['convert', 'p.pb.gz', b'--to=' + raw], ['flame', 'p.pb.gz', b'--min-share=' + raw],
                          ['diff', 'p.pb.gz', 'p.pb.gz', b'--format=' + raw], ['list', b'--' + raw],
                          ['doctor', b'--' + raw], ['run', b'--' + raw, '--', 'true'],
                          ['run', b'-' + raw, '--', 'true'],
                          ['run', '-o', 'x', b'--profile=calls:output=' + raw, '--', 'true'],
                          ['run', b'--profile=:' + raw, '--', 'true']]:
                _, error = self.look(*words, code=2)
                self.assertTrue(error.startswith('monocle: '), error)
            for words in [['convert', 'p.pb.gz', '--to=collapsed', b'--value=' + raw],
                          ['diff', 'p.pb.gz', 'p.pb.gz', b'--value=' + raw],
                          ['flame', 'p.pb.gz', b'--thread=' + raw]]:
                self.look(*words, code=1)

    def test_a_run_is_safe(self):
        for raw in HOSTILE:
            self.look('run', '--', b'no' + raw, code=127)
            self.look('run', '--', b'./no' + raw, code=127)
            self.look('run', '-o', b'/no' + raw + b'/x', '--', 'true', code=0)
            self.look('run', '--', 'true', env={'DOTNET_ENABLE_PROFILING': '1', 'DOTNET_PROFILER': b'{' + raw}, code=0)
            self.look('run', '--', 'true', env={'TMPDIR': b'/no' + raw}, code=0)

    def test_what_a_run_wrote_and_left_is_told_safely(self):
        """The program plays a runtime that loaded us: its folder holds names and texts of its own."""
        script = ('cd "$MONOCLE_RUN_DIR" && printf "%s\\n" "Mono $RAW" >$$.loaded && '
                  'printf "%s\\n" "$RAW" >7.declined && '
                  'printf "%s\\n" "$WORK/p$RAW.pb.gz" >$$.1.done && printf x >"calls.$$.1.spool"')
        for raw in HOSTILE:
            case.make_profile(os.fsdecode(os.fsencode(self.work) + b'/p' + raw.replace(b'\n', b'') + b'.pb.gz'))
            _, error = self.look('run', '--', '/bin/sh', '-c', script, env={'RAW': raw, 'WORK': str(self.work)}, code=0)
            self.assertIn('wrote p', error)

    def test_lists_are_safe(self):
        for raw in HOSTILE:
            folder = os.fsencode(self.folder) + b'/m' + raw.replace(b':', b'')
            os.mkdir(folder)
            open(folder + b'/libmono-profiler-' + raw + b'.so', 'w').close()
            out, _ = self.look('list', env={'MONOCLE_MODULE_PATH': folder}, code=0)
            self.assertIn('MONOCLE_MODULE_PATH', out)
            for name in ['MONOCLE_PROFILE', 'MONO_ENV_OPTIONS', 'MONOCLE_PROCESS', 'DOTNET_PROFILER_PATH']:
                self.look('doctor', env={name: raw, 'DOTNET_ENABLE_PROFILING': '1', 'DOTNET_PROFILER': '{x}'})
            self.look('doctor', env={'TMPDIR': b'/no' + raw})


def unescape_tsv(name):
    """As doc/formats.md tells programs to read a name."""
    def one(found):
        word = found.group(1)
        return {'t': '\t', 'n': '\n', 'r': '\r', '\\': '\\'}.get(word) or chr(int(word[1:], 16))
    return re.sub(r'\\([tnr\\]|x[0-9a-f]{2}|u[0-9a-f]{4})', one, name)


if __name__ == '__main__':
    case.main()
