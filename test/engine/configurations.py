# SPDX-License-Identifier: MIT
"""What the suites of this folder share: programs, configurations of the runtime, and the tokens module's file."""
import collections
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402

SETTINGS = {
    "default": {},
    "no-tiering": {"DOTNET_TieredCompilation": "0"},
    "no-r2r": {"DOTNET_ReadyToRun": "0"},
    "no-pgo": {"DOTNET_TieredPGO": "0"},
    "full-loops": {"DOTNET_TC_QuickJitForLoops": "0"},
    "osr": {"DOTNET_TC_QuickJitForLoops": "1", "DOTNET_TC_OnStackReplacement_InitialCounter": "10",
            "DOTNET_OSR_HitLimit": "1", "DOTNET_TC_BackgroundWorkerTimeoutMs": "0",
            "DOTNET_TC_CallCountThreshold": "3"},
}

Row = collections.namedtuple("Row", "enter leave tail exception open")
Counts = collections.namedtuple("Counts", "rows names lost mismatches left_open threads")


def read_tokens(path):
    """The file of the tokens module: counts by (image, token), instances of one definition added up."""
    rows, names, notes, threads = {}, {}, {}, []
    for line in pathlib.Path(path).read_text().splitlines()[1:]:
        cells = line.split("\t")
        if cells[0] == "#thread":
            threads.append((cells[2], int(cells[3])))
        elif cells[0].startswith("#"):
            notes[cells[0][1:]] = cells[1:]
        else:
            key = (cells[0], cells[1])
            old = rows.get(key, Row(0, 0, 0, 0, 0))
            rows[key] = Row(*[a + int(b) for a, b in zip(old, cells[3:8])])
            names[key] = cells[2]
    return Counts(rows, names, int(notes["lost"][0]), notes["mismatches"], int(notes["left-open"][0]), threads)


def differences(one, other):
    """Lines that say which definitions differ, at most 20."""
    keys = sorted(k for k in set(one.rows) | set(other.rows) if one.rows.get(k) != other.rows.get(k))
    return ["%s %s: %s against %s" % (k[1], one.names.get(k) or other.names.get(k), one.rows.get(k), other.rows.get(k))
            for k in keys[:20]]


def unbalanced(counts):
    return ["%s %s: %s" % (k[1], counts.names[k], row) for k, row in sorted(counts.rows.items())
            if row.enter != row.leave + row.tail + row.exception + row.open][:20]


def where():
    """The SDK's C# compiler, and the folder of .NET 8's reference assemblies."""
    return subprocess.run([sys.executable, str(HERE.parent / "csharp.py"), "--where"], capture_output=True,
                          text=True).stdout.split()


class EngineSuite(harness.Suite):
    """A suite with the programs of this folder and the tokens module at hand."""

    def programs(self):
        """The folder of the compiled programs (test/csharp.py), or None after a skip."""
        out = self.build.path / "test" / "engine" / "programs"
        if (out / "shapes.dll").exists():
            return out
        self.skip("programs", "not compiled: no SDK, no mcs, or no reference assemblies of .NET 8", "coreclr")
        return None

    def each(self, programs):
        """The command line, behind that of a runtime, that runs several programs in one process."""
        jobs = self.work / "jobs"
        jobs.write_text("".join("\t".join(map(str, words)) + "\n" for words in programs))
        return [self.build.path / "test/each.exe", jobs]

    def bare(self, runtime, command, settings=None, timeout=120):
        return super().bare(runtime.prefix + [str(c) for c in command], settings, timeout)

    def under(self, runtime, command, options, settings=None, timeout=300):
        """Runs under the tokens module; the outcome and the counts, which are None when none were written."""
        file = self.work / "tokens.tsv"
        file.unlink(missing_ok=True)
        desc = "tokens:" + ",".join(options + ["output=%s" % file])
        env = harness.profile_environment(self.build, runtime, [desc], settings)
        seen = harness.run(runtime.prefix + [str(c) for c in command], env, self.work, timeout)
        return seen, read_tokens(file) if file.exists() else None

    def sound(self, what, counts):
        """Nothing lost, calls nest on every thread, every call ended or is still open."""
        self.check(counts.lost == 0, what + ": no event lost", counts.lost)
        self.check(counts.mismatches[0] == "0", what + ": calls nest", counts.mismatches)
        self.check(counts.left_open == 0, what + ": threads end with no call open", counts.left_open)
        bad = unbalanced(counts)
        self.check(not bad, what + ": enters = exits + open", "\n    " + "\n    ".join(bad))
