#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lines of samples, against what the program says of its own lines, on Mono and CoreCLR.

busy.cs says in comments how much work each line does, itself (WORK) or by a call (CALL). Where the compiler's map of
the code cannot tell a line from the next one (HARD), there is none, and nothing is ever on a line that does nothing.
Symbols are read from portable PDBs, embedded ones and .mdb files; those of another build are refused.

  lines.py --build DIR [--runtimes mono,clr8,...]
"""
import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402
import pprof  # noqa: E402

SOURCE = (HERE / "busy.cs").read_text().splitlines()
# Mono's sampler ticks at 250 Hz: 8,000 rounds are some 500 samples, of which a share of 6/16 is known to 2 points. Four
# of these, and a bit: what is on the next line by mistake is missed by 12 points or has nothing.
TOLERANCE = 0.1
ROUNDS = {"mono": "8000", "coreclr": "5000"}
TRIES = 5
MOST_ELSEWHERE = 0.02  # what passes at the beginnings and ends of methods


def marks(word):
    """{line: (units, method that the line is in)}"""
    found, method = {}, None
    for number, text in enumerate(SOURCE, 1):
        begin = re.search(r"// BEGIN (\w+)", text)
        if begin or "static void Main" in text:
            method = begin.group(1) if begin else "Main"
        match = re.search(r"// %s (\d+)" % word, text)
        if match:
            found[number] = int(match.group(1)), method
    return found


WORK, CALL, HARD = marks("WORK"), marks("CALL"), marks("HARD")


class Lines(harness.Suite):
    def profile(self, runtime, name, options="sample:lines,freq=997", folder=None, rounds=None):
        """Runs the program; the profile's path and what `monocle run` said."""
        folder = folder or self.build.path / "test/conformance/lines"
        file = self.work / ("%s-%s.pb.gz" % (runtime.name, name))
        file.unlink(missing_ok=True)
        prefix = ["mono"] if runtime.kind == "mono" else runtime.prefix
        command = [self.build.monocle, "run", "-q", "--profile=" + options, "-o", file, "--"]
        rounds = rounds or ROUNDS["mono" if runtime.kind == "mono" else "coreclr"]
        seen = harness.run(command + prefix + [folder / (name + ".exe"), rounds], harness.bare_environment(),
                           cwd=self.work)
        # Mono itself says something of symbols that do not match, when it reads them.
        self.check(seen.code == 0 and seen.out.endswith("True\n"),
                   "%s %s: the program is unharmed" % (runtime, name), seen)
        return file, seen

    def report(self, file, *options):
        seen = harness.run([self.build.monocle, "report", *options, file], harness.bare_environment(), cwd=self.work)
        self.check(seen.code == 0, "monocle report %s" % " ".join(options), seen)
        return seen.out

    def rows(self, file):
        """{line: [self, total]} in the program's source, and the self cost of its methods that is on no line."""
        lines, nowhere = {}, 0
        for row in json.loads(self.report(file, "--lines", "--format=json"))["lines"]:
            if row.get("file", "").endswith("busy.cs"):
                cell = lines.setdefault(row["line"], [0, 0])
                cell[0] += row["self_cpu_ns"]
                cell[1] += row["total_cpu_ns"]
            elif row["method"].startswith("Busy"):
                nowhere += row["self_cpu_ns"]
        return lines, nowhere

    def shares(self, runtime, name, file):
        """[(is it so, what, what was seen)]: each line has the share of the whole that it says it has."""
        what = "%s %s" % (runtime, name)
        lines, nowhere = self.rows(file)
        whole = sum(own for own, _ in lines.values()) + nowhere
        if not whole:
            return [(False, what + ": there are samples", file)]
        claims = []
        # Lines 6, Calls 4, Hard 2, Iterate 2, Lambda 2. Spin does the work of Calls and Hard.
        work = {line: (6 if method == "Spin" else units) for line, (units, method) in WORK.items()}
        for line, units in work.items():
            share = lines.get(line, [0, 0])[0] / whole
            claims.append((share > 0 and abs(share - units / 16) <= TOLERANCE,
                           "%s: line %d did %d of 16 units" % (what, line, units), "%.3f of the time" % share))
        elsewhere = sum(own for line, (own, _) in lines.items() if line not in work) / whole
        claims.append((elsewhere <= MOST_ELSEWHERE, what + ": other lines did nothing",
                       "%.3f; %s" % (elsewhere, lines)))
        claims.append((nowhere / whole <= MOST_ELSEWHERE, what + ": hardly anything is on no line", nowhere / whole))
        for line, (units, method) in CALL.items():
            share = lines.get(line, [0, 0])[1] / whole
            if name == "classic" and "mcs" in SOURCE[line - 1]:
                continue
            claims.append((share > 0 and abs(share - units / 16) <= TOLERANCE,
                           "%s: line %d called %d of 16 units" % (what, line, units), "%.3f of the time" % share))
        told = [lines.get(line, [0, 0])[1] / whole for line in HARD]
        exact = all(0 < share <= 1 / 16 + TOLERANCE / 2 for share in told)
        claims.append((exact or not any(told),
                       what + ": lines that cannot be told apart have nothing, or what is theirs", told))
        return claims

    def profile_with_shares(self, runtime, name):
        """On a busy machine Mono does not hit a thread for long stretches, which then weigh on one line."""
        for _ in range(TRIES):
            file, _ = self.profile(runtime, name)
            claims = self.shares(runtime, name, file)
            if all(claim[0] for claim in claims):
                break
        for claim in claims:
            self.check(*claim)
        return file

    def list_of_pprof(self, file):
        """`go tool pprof -list` has the marked lines of a method beside their text."""
        if not shutil.which("go"):
            self.skip("go tool pprof -list", "go is not installed")
            return
        seen = harness.run(["go", "tool", "pprof", "-list", "Busy:Lines", file], harness.bare_environment(
            {"HOME": str(self.work), "GOCACHE": str(self.work / "go")}), cwd=self.work)
        listed = {int(line): (flat, text) for flat, line, text in
                  re.findall(r"^\s*(\S+)\s+\S+\s+(\d+):(.*)$", seen.out, re.M)}
        for line, (units, method) in WORK.items():
            if method == "Lines":
                flat, text = listed.get(line, (".", ""))
                self.check(flat != "." and "WORK %d" % units in text, "pprof -list: line %d has a cost" % line, seen)

    def annotation(self, file):
        text = self.report(file, "--annotate", "Busy.Calls")
        for line, (units, method) in CALL.items():
            if method == "Calls":
                self.check(re.search(r"^(?: +[\d.]+ [mµun]?s)+ +%d  .*// CALL %d$" % (line, units), text, re.M),
                           "annotate: line %d has a cost beside its text" % line, text)
        rows = [row.split("\t") for row in self.report(file, "--annotate", "Busy:Lines", "--format=tsv").splitlines()]
        self.check(rows[0][:2] == ["file", "line"] and rows[0][-1] == "text", "annotate: columns of tsv", rows[0])
        texts = {int(row[1]): row[-1] for row in rows[1:]}
        self.check(all(SOURCE[line - 1].strip() in text for line, text in texts.items() if line), "annotate: texts",
                   texts)

    def refused(self, runtime):
        """Symbols of another build, and a source that is not there, are told and not used."""
        folder = self.work / "moved"
        folder.mkdir()
        built = self.build.path / "test/conformance/lines"
        for ending in (".exe", ".runtimeconfig.json"):
            shutil.copy(built / ("portable" + ending), folder)
        shutil.copy(self.build.programs / "lines.pdb", folder / "portable.pdb")
        # Its compiler's own path leads to the right symbols: they are hidden by a copy elsewhere only when it is gone.
        image = bytearray((folder / "portable.exe").read_bytes())
        path = str(built / "portable.pdb").encode()
        at = image.find(path)
        if not self.check(at > 0, "the image names its symbols"):
            return
        image[at:at + len(path)] = path[:-5] + b"x.pdb"
        (folder / "portable.exe").write_bytes(image)
        file, seen = self.profile(runtime, "portable", folder=folder, rounds="10")
        self.check("portable.pdb: belongs to another build" in seen.err, "symbols of another build are refused", seen)
        seen = harness.run([self.build.monocle, "report", "--lines", file], harness.bare_environment(), cwd=self.work)
        self.check(seen.code == 1 and "has no lines" in seen.err, "without symbols there are no lines", seen)

    def first_lines(self, runtime, name):
        """Every method of a profile of calls has the line where it begins; without `monocle run`, convert finds it."""
        file = self.work / "calls.pb.gz"
        env = harness.profile_environment(self.build, runtime, ["calls:output=%s" % file])
        prefix = ["mono"] if runtime.kind == "mono" else runtime.prefix
        seen = harness.run(prefix + [self.build.path / ("test/conformance/lines/%s.exe" % name), "3"], env,
                           cwd=self.work)
        if not self.check(file.exists(), "%s %s: calls are counted" % (runtime, name), seen):
            return
        raw = pprof.load(file)
        self.check(not any(f["line"] for f in raw.functions.values()), "the program itself reads no symbols")
        done = self.work / "done.pb.gz"
        harness.run([self.build.monocle, "convert", file, "--to=pprof", "-o", done], harness.bare_environment())
        lines = {re.sub(r".*:(\w+) .*", r"\1", f["name"]): f["line"] for f in pprof.load(done).functions.values()
                 if f["file"].endswith("busy.cs")}
        begins = {match.group(1): number for number, text in enumerate(SOURCE, 1)
                  for match in [re.search(r"// BEGIN (\w+)", text)] if match and match.group(1) != "Iterate"}
        for method, begin in begins.items():
            self.check(lines.get(method) in (begin, begin + 1), "%s %s: %s begins at line %d" %
                       (runtime, name, method, begin), lines)


def main():
    suite = Lines("lines", __doc__.split("\n")[0])
    suite.parser.add_argument("--runtimes")
    options = suite.parse("mono," + harness.TO_10)
    folder = suite.build.path / "test/conformance/lines"
    runtimes = suite.runtimes()
    for runtime in runtimes:
        names = ["classic", "portable"] if runtime.kind == "mono" else ["portable"]
        names += ["embedded"] if runtime.name in suite.newer else []
        for name in names:
            if not (folder / (name + ".exe")).exists():
                suite.skip("%s %s" % (runtime, name), "no compiler")
                continue
            file = suite.profile_with_shares(runtime, name)
            if runtime.name in suite.newer and name == "portable":
                suite.list_of_pprof(file)
                suite.annotation(file)
                suite.refused(runtime)
            if name in ("classic", "portable") and runtime.name in ["mono"] + suite.newer:
                suite.first_lines(runtime, name)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
