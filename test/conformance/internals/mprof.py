# SPDX-License-Identifier: MIT
"""What `mprof-report --verbose --method-sort=calls` says of a file of Mono's log profiler, as numbers."""
import collections
import re
import subprocess

SECTION = re.compile(r"^(\w[\w ]*?)(?: summary)?:?$")
HEAD = "Mono log profiler data"
ROW = re.compile(r"^ +(\d+) +(\d+) +\d+ (.+)$")       # of allocations and heap shots; calls have the count third
CALL = re.compile(r"^ +\d+ +\d+ +(\d+) (.+)$")
HIT = re.compile(r"^\t +(\d+) +[\d.]+ (.+)$")
COLLECTIONS = re.compile(r"^\tGen(\d) collections: (\d+)")
GROWTH = re.compile(r" \(bytes: [+-]\d+, count: [+-]\d+\)$") # beyond the shot before
THREAD = re.compile(r'^\tThread: 0x[0-9a-f]+, name: "(.*)"$')
FIGURE = re.compile(r"^\t([A-Z][\w ]+): +(\d+)")


class Report:
    """`noise`: what the reader complains of; `sections`: their lines, by name; the rest is in them."""

    def __init__(self, text):
        before, _, rest = text.partition(HEAD)
        self.noise = before.strip()
        self.sections = collections.defaultdict(list)
        name = "Header"
        for line in rest.split("\n"):
            found = SECTION.match(line)
            if found:
                name = found.group(1)
                self.sections[name]
            elif line:
                self.sections[name].append(line)

    def figures(self, section):
        """{"Throws": 1000}: the lines of a section that are a name and a number."""
        found = (FIGURE.match(line) for line in self.sections[section])
        return {m.group(1): int(m.group(2)) for m in found if m}

    def calls(self):
        return {m.group(2): int(m.group(1)) for m in map(CALL.match, self.sections["Method call"]) if m}

    def hits(self):
        return {m.group(2): int(m.group(1)) for m in map(HIT.match, self.sections["Statistical samples"]) if m}

    def allocations(self):
        """{class: (objects, bytes)}"""
        return {m.group(3): (int(m.group(2)), int(m.group(1)))
                for m in map(ROW.match, self.sections["Allocation"]) if m}

    def heap_shots(self):
        """The same for each shot."""
        shots = []
        for line in self.sections["Heap shot"]:
            found = ROW.match(line.lstrip("\t"))
            if line.startswith("\tHeap shot "):
                shots.append({})
            elif found and shots:
                shots[-1][GROWTH.sub("", found.group(3))] = int(found.group(2)), int(found.group(1))
        return shots

    def collections(self):
        """{generation: number}"""
        found = map(COLLECTIONS.match, self.sections["GC"])
        return {int(m.group(1)): int(m.group(2)) for m in found if m}

    def threads(self):
        return [m.group(1) for m in map(THREAD.match, self.sections["Thread"]) if m]


def read(path):
    """The report on a file, or None and why there is none."""
    done = subprocess.run(["mprof-report", "--verbose", "--method-sort=calls", str(path)], capture_output=True,
                          text=True, errors="replace", timeout=120)
    if done.returncode or HEAD not in done.stdout:
        return None, "mprof-report %s: %d %s" % (path, done.returncode, (done.stdout + done.stderr)[-500:])
    return Report(done.stdout), ""
