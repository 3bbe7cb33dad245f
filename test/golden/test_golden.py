#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golden tests: profiles/NAME.profile is made into pprof; what `monocle` prints of it must be expected/NAME.KIND.

    test_golden.py MONOCLE [--update]
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ('.', 'command')]
import case
import pprof

HERE = pathlib.Path(__file__).resolve().parent

KINDS = {
    'txt': ['report'],
    'calls.txt': ['report', '--sort=calls', '-n', '2'],
    'tree.txt': ['report', '--tree'],
    'tree-3.txt': ['report', '--tree', '-n', '3'],
    'total.tsv': ['report', '--format=tsv', '--sort=total'],
    'tree.tsv': ['report', '--format=tsv', '--tree'],
    'json': ['report', '--format=json'],
    'tree.json': ['report', '--format=json', '--tree', '--sort=calls'],
    'flame.json': ['flame', '-o', '-'],
    'folded.json': ['flame', '-o', '-', '--min-share=1'],
}


SLOW_KINDS = {
    'txt': ['report'],
    'calls.txt': ['report', '--slow'],
    'tree.txt': ['report', '--slow', '--tree', '-n', '3'],
    'tsv': ['report', '--slow', '--format=tsv'],
    'tree.tsv': ['report', '--slow', '--tree', '--format=tsv'],
    'tree.json': ['report', '--slow', '--tree', '--format=json'],
}


# What of a profile is shown: of each kind of option one, and what undoes what is done anyway.
VIEW_KINDS = {
    'txt': ['report'],
    'tree.txt': ['report', '--tree'],
    'all.tree.txt': ['report', '--tree', '--all-frames'],
    'mono.tree.txt': ['report', '--tree', '--names=mono'],
    'total.txt': ['report', '--sort=total'],
    'all.total.txt': ['report', '--sort=total', '--all-frames'],
    'mine.tree.txt': ['report', '--tree', '--mine'],
    'focus.txt': ['report', '--focus=Regex', '--focus=^Shop.*Sum'],
    'ignore.tree.txt': ['report', '--tree', '--ignore=Regex', '--ignore=^.native'],
    'hide.tree.txt': ['report', '--tree', '--hide=lambda', '--hide=^.native'],
    'thread.txt': ['report', '--thread=worker*'],
    'threads.txt': ['report', '--threads'],
    'threads.tsv': ['report', '--threads', '--format=tsv'],
    'threads.tree.txt': ['report', '--threads', '--tree', '-n', '5'],
    'threads.flame.json': ['flame', '-o', '-', '--threads'],
    'process.txt': ['report', '--process=sho*', '--mine'],
    'tsv': ['report', '--format=tsv'],
    'fold.tree.tsv': ['report', '--format=tsv', '--tree', '--fold', '--names=csharp'],
    'json': ['report', '--format=json', '-n', '3'],
    'flame.json': ['flame', '-o', '-'],
    'collapsed.txt': ['convert', '--to=collapsed', '-o', '-'],
    'svg': ['convert', '--to=svg', '-o', '-'],
}


# Call paths that found no room.
PATHS_KINDS = {
    'txt': ['report'],
    'total.txt': ['report', '--sort=total'],
    'tree.txt': ['report', '--tree'],
    'mine.tree.txt': ['report', '--tree', '--mine'],
    'tsv': ['report', '--format=tsv'],
    'flame.json': ['flame', '-o', '-'],
    'collapsed.txt': ['convert', '--to=collapsed', '-o', '-'],
}


EXCEPTION_KINDS = {
    'txt': ['report'],
    'three.txt': ['report', '-n', '3'],
    'tree.txt': ['report', '--tree'],
    'mine.tree.txt': ['report', '--tree', '--mine'],
    'tsv': ['report', '--format=tsv'],
}


SPEEDSCOPE, FIREFOX, PERFETTO, SVG = (['convert', '--to=' + name, '-o', '-']
                                      for name in ('speedscope', 'firefox', 'perfetto', 'svg'))


def kinds(monocle, folder, name):
    """KINDS, and each format of convert by its ending; pprof is read back instead, and so is mlpd
    (test/command/test_mlpd.py). Some have kinds of their own."""
    for stem, own in (('slow', SLOW_KINDS), ('view', VIEW_KINDS), ('exceptions', EXCEPTION_KINDS),
                      ('paths', PATHS_KINDS)):
        if name.startswith(stem):
            return own
    found = dict(KINDS)
    for form in set(case.file_formats(monocle)) - {'pprof', 'mlpd'}:
        out = run(monocle, ['convert', '--to=' + form], folder, name).strip()
        os.unlink(os.path.join(folder, out))
        found[out[len(name) - len('pb.gz'):]] = ['convert', '--to=' + form, '-o', '-']
    return found


def flame_data(page):
    """The profile in the page: between its only data element's tags, which nothing in it may close."""
    found = re.findall(r'<script type="application/json" id="profile">(.*?)</script>', page, re.S)
    assert len(found) == 1, 'the page has one profile'
    assert page.count('</script>') == 2 and page.count('<script') == 2, 'nothing from the profile is markup'
    json.loads(found[0])
    return found[0] + '\n'


def run(monocle, arguments, folder, name):
    environment = dict(os.environ, TZ='UTC', LC_ALL='C.UTF-8', NO_COLOR='1')
    result = subprocess.run([monocle, *arguments, name], cwd=folder, env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=60)
    noted = b'does not count calls' in result.stderr and result.stderr.count(b'\n') == 1
    if result.returncode or (result.stderr and not noted):
        raise AssertionError('%s: exit code %d, %s' % (' '.join(arguments), result.returncode, result.stderr.decode()))
    text = result.stdout.decode('utf-8')
    return flame_data(text) if arguments[0] == 'flame' else text


def check(kind, actual, update):
    path = HERE / 'expected' / kind
    if update:
        path.write_text(actual, encoding='utf-8', newline='')
        return True
    expected = path.read_bytes().decode('utf-8') if path.exists() else ''
    if actual == expected:
        return True
    print('not as in expected/%s:' % kind)
    lines = expected.splitlines(True), actual.splitlines(True)
    sys.stdout.writelines(difflib.unified_diff(*lines, 'expected', 'actual'))
    return False


def check_speedscope(file):
    """What speedscope's schema (https://www.speedscope.app/file-format-schema.json) asks of a sampled file."""
    assert file['$schema'] == 'https://www.speedscope.app/file-format-schema.json'
    assert set(file) <= {'$schema', 'shared', 'profiles', 'name', 'activeProfileIndex', 'exporter'}
    assert isinstance(file['name'], str) and isinstance(file['exporter'], str)
    frames = file['shared']['frames']
    for frame in frames:
        assert set(frame) <= {'name', 'file', 'line', 'col'} and isinstance(frame['name'], str)
    assert 0 <= file['activeProfileIndex'] < len(file['profiles'])
    for profile in file['profiles']:
        assert set(profile) == {'type', 'name', 'unit', 'startValue', 'endValue', 'samples', 'weights'}
        assert profile['type'] == 'sampled' and isinstance(profile['name'], str)
        assert profile['unit'] in ['none', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'bytes']
        assert len(profile['samples']) == len(profile['weights'])
        assert all(weight > 0 for weight in profile['weights'])
        assert all(0 <= frame < len(frames) for sample in profile['samples'] for frame in sample)
        assert profile['startValue'] == 0 and profile['endValue'] == min(sum(profile['weights']), 2**63 - 1)


def check_firefox(file):
    """The processed profile format, version 48: tables are columns of equal length, indices lead somewhere."""
    assert file['meta']['preprocessedProfileVersion'] == 48
    for thread in file['threads']:
        for name in ['funcTable', 'frameTable', 'stackTable', 'samples', 'markers', 'nativeSymbols', 'resourceTable']:
            for column in thread[name].values():
                assert not isinstance(column, list) or len(column) == thread[name]['length'], name
        stacks, frames, functions = thread['stackTable'], thread['frameTable'], thread['funcTable']
        assert all(prefix is None or 0 <= prefix < i for i, prefix in enumerate(stacks['prefix']))
        assert all(0 <= frame < frames['length'] for frame in stacks['frame'])
        assert all(0 <= function < functions['length'] for function in frames['func'])
        strings = [index for index in functions['name'] + functions['fileName'] if index is not None]
        assert all(0 <= index < len(thread['stringArray']) for index in strings)
        assert all(0 <= stack < stacks['length'] for stack in thread['samples']['stack'])
        assert thread['samples']['time'] == sorted(thread['samples']['time'])
        assert all(weight > 0 for weight in thread['samples']['weight'])


def check_perfetto(file):
    """Slices of one track either hold one another or do not touch."""
    tracks = {}
    for event in file['traceEvents']:
        if event['ph'] == 'X':
            tracks.setdefault((event['pid'], event['tid']), []).append(event)
        else:
            assert event['ph'] == 'M' and event['name'] in ['process_name', 'thread_name'] and event['args']['name']
    for events in tracks.values():
        if max(event['dur'] for event in events) > 1e15:
            continue  # a double no longer tells one from the next
        ends = []
        for event in events:
            begin, end = event['ts'], event['ts'] + event['dur']
            while ends and ends[-1] <= begin + 1e-6:
                ends.pop()
            assert not ends or end <= ends[-1] + 1e-6, event
            ends.append(end)


def check_svg(text):
    """Well-formed; frames of one row do not overlap, and each lies below one that holds it."""
    rows = {}
    for frame in xml.etree.ElementTree.fromstring(text).iter('{http://www.w3.org/2000/svg}g'):
        assert [child.tag.split('}')[1] for child in frame][:2] == ['title', 'rect']
        x, y, width = (float(frame[1].get(name)) for name in ('x', 'y', 'width'))
        rows.setdefault(y, []).append((x, x + width))
    above = None
    for y, frames in sorted(rows.items()):
        assert frames == sorted(frames) and all(a[1] <= b[0] + 0.2 for a, b in zip(frames, frames[1:])), frames
        # Between neighbours is a hair, which the rounded places may share.
        assert above is None or all(any(a[0] - 0.2 <= x and end <= a[1] + 0.7 for a in above) for x, end in frames)
        above = frames


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('monocle')
    parser.add_argument('--update', action='store_true')
    arguments = parser.parse_args()
    monocle = os.path.abspath(arguments.monocle)
    failures = checks = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted((HERE / 'profiles').glob('*.profile')):
            data = pprof.read_text(source)
            name = source.stem + '.pb.gz'
            pprof.write_gzip(os.path.join(folder, name), data)
            with open(os.path.join(folder, source.stem + '.pb'), 'wb') as plain:
                plain.write(data)
            for kind, words in kinds(monocle, folder, name).items():
                checks += 1
                actual = run(monocle, words, folder, name)
                if kind.endswith('.json') or words[-1] == '--format=json':
                    json.loads(actual)
                failures += not check('%s.%s' % (source.stem, kind), actual, arguments.update)
            check_speedscope(json.loads(run(monocle, SPEEDSCOPE, folder, name)))
            check_firefox(json.loads(run(monocle, FIREFOX, folder, name)))
            check_perfetto(json.loads(run(monocle, PERFETTO, folder, name)))
            check_svg(run(monocle, SVG, folder, name))
            pprof.write_gzip(os.path.join(folder, 'same.pb.gz'), data)
            run(monocle, ['convert', '--to=pprof', '-o', 'again.pb.gz'], folder, 'same.pb.gz')
            for words in [['report', '--format=tsv', '--tree'], ['report', '--slow', '--format=json', '--tree'],
                          ['convert', '--to=speedscope', '-o', '-']]:
                checks += 1
                first = run(monocle, words, folder, 'same.pb.gz')
                again = run(monocle, words, folder, 'again.pb.gz').replace('again.pb.gz', 'same.pb.gz')
                if first != again:
                    print('%s: pprof written from pprof is not the same for %s' % (source.stem, words))
                    failures += 1
            plain = run(monocle, ['report', '--format=tsv'], folder, source.stem + '.pb')
            packed = run(monocle, ['report', '--format=tsv'], folder, name)
            failures += plain != packed
    print('%d checks, %d failures' % (checks, failures))
    return failures != 0


sys.exit(main())
