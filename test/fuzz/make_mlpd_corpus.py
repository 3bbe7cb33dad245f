# SPDX-License-Identifier: MIT
"""make_mlpd_corpus.py OUT...: files of Mono's log profiler with every kind of event, from format 14 on."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import mlpd  # noqa: E402

for version, target in enumerate(sys.argv[1:], mlpd.FIRST):
    pathlib.Path(target).write_bytes(mlpd.everything(version).encode())
