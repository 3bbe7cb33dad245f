# SPDX-License-Identifier: MIT
"""Mono's own modules, as Debian's package libmono-profiler brings them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402

FOLDER = pathlib.Path("/usr/lib")


def module(name):
    return FOLDER / ("libmono-profiler-%s.so" % name)


def missing(suite, *names):
    """Says so when the files are not there."""
    absent = [name for name in names if not module(name).exists()]
    if absent:
        suite.skip(", ".join(absent), "libmono-profiler is not installed", "mono")
    return bool(absent)


def environment(build, runtime, desc, settings=None):
    """Some tests have modules with the names of Mono's: none of the build's folders is looked into."""
    env = harness.profile_environment(build, runtime, [desc], settings)
    if runtime.kind == "mono":
        env["LD_LIBRARY_PATH"] = str(FOLDER)
    else:
        env["MONOCLE_MODULE_PATH"] = str(FOLDER)
    return env
