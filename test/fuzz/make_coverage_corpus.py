# SPDX-License-Identifier: MIT
"""Inputs of fuzz_coverage.c: files of hits and of counts, with what compilers make of lambdas and state machines.

    make_coverage_corpus.py HITS COUNTS
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'command'))
import cover_file  # noqa: E402

HEAD = cover_file.AT['boot_id']


def make(counts):
    file = cover_file.File(counts=counts)
    image = file.image('App', '/app/App.dll')
    source = file.document('/src/App.cs', b'h' * 32)
    other = file.document('C:\\src\\none.cs')
    program = file.type(image, 'N.P`1')
    main = file.method(program, 'Main (string[])', [(10, 1), (10, 0), {'line': 12, 'end_line': 14}],
                       [(0, 0, 1), (0, 1, 0)], document=source)
    file.method(program, 'Main (int)', [(30, 0)], document=other)
    file.method(program, '<Main>g__Local|0_0 (Func`1<int>)', [(11, 1)], document=source)
    machine = file.type(image, 'N.P`1/<>c/<<Main>b__0_0>d')
    file.method(machine, 'MoveNext ()', [(13, 1)], document=source, kickoff=main)
    file.method(file.type(image, 'N.P`1/<It-X>c__Iterator0'), 'MoveNext ()', [(40, 1)], document=source)
    file.method(file.type(image, 'f@12-1'), 'Invoke ()', [(50, 1)], document=source, kickoff=0x06000099)
    data = file.bytes()
    return data[:HEAD] + data[cover_file.HEADER:]


pathlib.Path(sys.argv[1]).write_bytes(make(False))
pathlib.Path(sys.argv[2]).write_bytes(make(True))
