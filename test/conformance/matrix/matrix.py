#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What may be called where: every introspection function in every context, on Mono and on CoreCLR.

matrix.tsv holds the expected answers. A row covers the named contexts (comma separated, or * for all that no other row
of the function names), with the answer on Mono and on CoreCLR: "=" the same as on Mono, "-" the cell does not exist
there, "dies" the call ends the runtime, "*" it varies. A row whose answers differ must tell why. A row of function *
says that a runtime does not deliver a context, or not all its subjects: there a cell may be absent on that runtime.

`--update` rewrites the answers from what the runtimes say now and keeps the reasons, the * rows and the * answers;
`--report` prints the whole matrix.
"""
import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import harness  # noqa: E402

TABLE = pathlib.Path(__file__).resolve().parent / "matrix.tsv"
CONTEXTS = ["init", "image_loaded", "runtime_initialized", "assembly_loaded", "class_loaded", "jit_begin", "jit_done",
            "method_enter", "method_leave", "signal", "own_thread", "foreign_thread", "exception_throw",
            "method_exception_leave", "gc_allocation", "gc_stopped", "thread_started", "shutdown_begin", "shutdown_end"]
ABSENT = "-"

Row = collections.namedtuple("Row", "function contexts mono clr reason")


def read_table():
    if not TABLE.exists():
        return []
    lines = TABLE.read_text().splitlines()[1:]
    return [Row(*line.split("\t")) for line in lines if line]


def expand(rows):
    """{(context, function): Row}: the row that speaks for each cell."""
    cells = {}
    for row in rows:
        named = CONTEXTS if row.contexts == "*" else row.contexts.split(",")
        for context in named:
            if row.contexts != "*" or (context, row.function) not in cells:
                cells[context, row.function] = row
    return cells


def read_cells(path):
    """{(context, function): answer}; a line without an answer is the cell that never came back."""
    cells = {}
    text = path.read_text(errors="replace") if path.exists() else ""
    for line in text.splitlines():
        parts = line.split("\t")
        if len(parts) == 3:
            cells[parts[0], parts[1]] = parts[2] or "never returned"
    return cells


def contexts_lacking(rows):
    """{kind: contexts whose cells may be absent there}, out of the * rows."""
    lacking = {"mono": set(), "coreclr": set()}
    for row in rows:
        if row.function == "*":
            for kind, answer in (("mono", row.mono), ("coreclr", row.clr)):
                if answer == ABSENT:
                    lacking[kind].update(row.contexts.split(","))
    return lacking


class Matrix(harness.Suite):
    def visit(self, runtime, deadly, everywhere=False):
        """All answers of one runtime."""
        file = self.work / ("matrix-%s.tsv" % runtime)
        words = ["everywhere"] * everywhere + ["output=%s" % file] + ["skip=%s/%s" % cell for cell in sorted(deadly)]
        if runtime.kind != "mono":
            words.append("foreign")
        env = harness.profile_environment(self.build, runtime, ["matrix:" + ",".join(words) + ","])
        exe = self.build.path / "test/conformance/matrix/matrix.exe"
        seen = harness.run(runtime.command(exe), env, cwd=self.work, timeout=60)
        cells = read_cells(file)
        last = " / ".join(list(cells)[-1]) if cells else "nothing"
        self.check(seen.code == 0 and seen.out == "7\n", "%s: the program is untouched" % runtime,
                   "last cell: %s\n%s" % (last, seen))
        return cells

    def compare(self, runtime, cells, expected):
        bad = []
        for cell in sorted(set(cells) | set(expected), key=lambda c: (c[1], CONTEXTS.index(c[0]))):
            row = expected.get(cell)
            got = cells.get(cell, ABSENT)
            want = self.wanted(runtime, row)
            if got == ABSENT and cell[0] in self.may_lack[runtime.kind]:
                continue
            if want == "*" or got == want:
                self.passed += got != ABSENT
            else:
                bad.append("%s in %s: %s instead of %s" % (cell[1], cell[0], got, want))
        self.check(not bad, "%s: every cell as expected" % runtime, "\n    " + "\n    ".join(bad))
        self.failed += max(0, len(bad) - 1)

    @staticmethod
    def wanted(runtime, row):
        if row is None:
            return ABSENT
        return row.mono if runtime.kind == "mono" or row.clr == "=" else row.clr

    def survives(self, runtime, allowed):
        """What is not allowed answers something on the CLR, or nothing, but it comes back and nobody dies."""
        cells = self.visit(runtime, [], everywhere=True)
        lost = [cell for cell, answer in cells.items() if answer == "never returned"]
        self.check(set(cells) > set(allowed) and not lost, "%s: every call comes back everywhere" % runtime, lost)
        print("%s: %d calls came back, %d of them where they are not allowed" % (runtime, len(cells),
                                                                              len(set(cells) - set(allowed))))

    def complete(self):
        """Every function that the core exports and does not refuse has a row, or says why not."""
        library = self.build.path / "lib/core/libmonocle.so"
        names = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True).stdout
        exported = {name for name in re.findall(r"\b(mono_\w+)", names) if not name.startswith("mono_profiler_")}
        refused = set(re.findall(r"\bmono_\w+", (harness.TOP / "lib/core/model/refusals.def").read_text()))
        here = re.findall(r"^(?:ROW|LIMIT|WITHOUT) +\(.*?\b(mono_\w+)", (TABLE.parent / "matrix.def").read_text(), re.M)
        missing = exported - refused - set(here)
        self.check(exported and not missing, "every implemented function is in the matrix", ", ".join(sorted(missing)))

    def reasons(self, rows):
        for row in rows:
            if row.clr != "=" and not row.reason:
                self.fail("%s in %s: no reason for answering otherwise than Mono" % (row.function, row.contexts))


def update(mono, clr, old):
    """Rows that say what was seen, the most common pair of answers of a function as its "*" row."""
    reasons = {(r.function, r.mono, r.clr): r.reason for r in old}
    before = expand([r for r in old if r.function != "*"])
    lacking = contexts_lacking(old)
    functions = list(dict.fromkeys(function for _, function in list(mono) + list(clr)))
    lines = ["function\tcontexts\tmono\tclr\treason"] + ["\t".join(r) for r in old if r.function == "*"]
    for function in functions:
        groups = collections.defaultdict(list)
        for context in CONTEXTS:
            a, b = mono.get((context, function), ABSENT), clr.get((context, function), ABSENT)
            if a == ABSENT and context in lacking["mono"]:
                a = b
            if b == ABSENT and context in lacking["coreclr"]:
                b = a
            row = before.get((context, function))
            if row and "*" in (row.mono, row.clr):
                a, b = row.mono, row.clr
            groups[a, "=" if a == b else b].append(context)
        common = max(groups, key=lambda pair: len(groups[pair]))
        order = [pair for pair in groups if pair != common] + [common]
        for pair in order:
            contexts = "*" if pair == common else ",".join(groups[pair])
            lines.append("\t".join([function, contexts, *pair, reasons.get((function, *pair), "")]))
    TABLE.write_text("\n".join(lines) + "\n")


def report(mono, clr):
    for function in dict.fromkeys(function for _, function in list(mono) + list(clr)):
        print(function)
        for context in CONTEXTS:
            a, b = mono.get((context, function), ABSENT), clr.get((context, function), ABSENT)
            if (a, b) != (ABSENT, ABSENT):
                print("    %-24s %-30s %s" % (context, a, "=" if a == b else b))


def main():
    suite = Matrix("matrix", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--update", action="store_true")
    suite.parser.add_argument("--report", action="store_true")
    options = suite.parse()
    rows = read_table()
    expected = expand([r for r in rows if r.function != "*"])
    suite.may_lack = contexts_lacking(rows)
    seen = {}
    for runtime in suite.runtimes():
        deadly = [cell for cell, row in expected.items() if suite.wanted(runtime, row) == "dies"]
        seen[runtime.kind] = suite.visit(runtime, deadly)
        if not options.update:
            suite.compare(runtime, seen[runtime.kind], expected)
            if runtime.kind == "coreclr":
                suite.survives(runtime, seen[runtime.kind])
    if options.update and suite.failed:
        print("nothing is updated")
    elif options.update:
        update(seen.get("mono", {}), seen.get("coreclr", {}), rows)
    elif "coreclr" in seen:
        suite.reasons(rows)
        suite.complete()
    if options.report:
        report(seen.get("mono", {}), seen.get("coreclr", {}))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
