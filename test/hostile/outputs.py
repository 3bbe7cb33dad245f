# SPDX-License-Identifier: MIT
"""What of a program's output can be compared between runs, and what in it is ours."""
import re

OURS = re.compile(r"^(CORECLR_ENABLE_PROFILING|CORECLR_PROFILER|CORECLR_PROFILER_PATH|MONOCLE_\w+|MONO_ENV_OPTIONS"
                  r"|MONO_PROFILE|LD_LIBRARY_PATH)=")


def stable(text, dump):
    """What can be compared of an output: not our own lines; of a crash dump only what has no address in it."""
    lines = [line for line in text.splitlines() if not line.startswith("monocle:") and not OURS.match(line)]
    if not dump:
        return lines
    kept = []
    for line in lines:
        if line.startswith("====="):
            break  # Mono's native dump: addresses, maps, threads
        line = re.sub(r"0x[0-9a-f]+|\d+", "N", line)
        if not kept or kept[-1] != line:
            kept.append(line)
    return kept
