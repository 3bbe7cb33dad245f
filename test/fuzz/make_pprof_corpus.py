# SPDX-License-Identifier: MIT
"""make_pprof_corpus.py PROFILE OUT: a golden test's profile as the bytes of a pprof file, not compressed."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import pprof  # noqa: E402

source, target = sys.argv[1:]
pathlib.Path(target).write_bytes(pprof.read_text(source))
