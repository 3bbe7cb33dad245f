#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No test of the first tier waits for a time, measures one, or compares shares.

  timing.py --build BUILD [--shrink]

The sources of the first tier are the scripts and programs of all tests without the suite `full`, with what the scripts
import from the tests. In a script, functions that are reached with --full alone are left out. Found are

  sleep      a wait for a time: sleep (), usleep (), nanosleep (), Thread.Sleep () and their like, unless it is in a
             loop that ends by a condition, or so long that it stands for "until it is ended"
  clock      a check that a time that was measured is short
  share      a comparison with a fraction or a percentage

A function that needs such a thing all the same is a row of timing.tsv (file, function or * for all, kind, reason). The
table may only shrink: a row that is not needed is a failure as well. --shrink removes such rows.
"""
import argparse
import ast
import json
import pathlib
import re
import sys

TEST = pathlib.Path(__file__).resolve().parent.parent
TOP = TEST.parent
TABLE = TEST / "timing.tsv"

ENDLESS = 10  # seconds
SLEEPS = {"sleep", "usleep", "nanosleep", "clock_nanosleep"}
CHECKS = re.compile(r"^(check|assert\w*|expect\w*)$")
CLOCKS = re.compile(r"(^|_)(took|elapsed|seconds|milliseconds|micros|nanoseconds|duration|lasted|ms|us|ns)$")
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|@?\"(?:\\.|[^\"\\\n])*\"", re.S)
# Of C and C#: a wait, the head of a loop, a check.
WAIT = re.compile(r"\b(sleep|usleep|nanosleep|clock_nanosleep|Thread\.Sleep|Task\.Delay|\w+\.Sleep|SpinWait) \(")
LONG = re.compile(r"Sleep \((Timeout\.Infinite|-1|\d{5,})|\bsleep \(\d\d+\)|\busleep \(\d{8,}\)"
                  r"|\.Wait(One)? \(\d{5,}\)")
POLL = re.compile(r"\bpoll \(NULL, 0, |\bselect \(0, NULL|\.Wait(One)? \(\d")
LOOP = re.compile(r"\b(while|for) \((.*)|\bdo\b")
C_CHECK = re.compile(r"\b(assert_\w+|CHECK|g_assert|check) \(")
FRACTION = r"\b\d+\.\d*[1-9]\d*\b"
C_SHARE = re.compile(r"[<>]=? *[^;&|]*(\* *\d+ */ *\d+|/ *100\b|%s)|%s[^;&|]*[<>]=?" % (FRACTION, FRACTION))
C_CLOCK = re.compile(r"<=? *[^;&|]*(SECOND\b|MILLISECOND|_MS\b|\b\d+ms\b)|\b(took|elapsed\w*|milliseconds) *<")


# --- Python -------------------------------------------------------------------------------------------------------

def names_in(node):
    return [getattr(one, "attr", None) or getattr(one, "id", "") for one in ast.walk(node)]


def is_fraction(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != int(node.value)


class Script:
    """One file: its functions, and which of them --full alone reaches."""

    def __init__(self, path):
        self.tree = ast.parse(path.read_text())
        for parent in ast.walk(self.tree):
            for child in ast.iter_child_nodes(parent):
                child.parent = parent
        self.functions = [node for node in ast.walk(self.tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
        names = {node.name for node in self.functions if isinstance(node, ast.FunctionDef)}
        self.sites = {name: [] for name in names}
        for node in ast.walk(self.tree):
            name = getattr(node, "attr", None) or getattr(node, "id", None)
            if name in names and isinstance(node, (ast.Attribute, ast.Name)):
                self.sites[name].append(node)
        self.full = set()
        while True:  # what such functions alone reach is reached with --full alone, too
            more = {name for name, sites in self.sites.items() if sites and all(map(self.is_full, sites))}
            if more == self.full:
                break
            self.full = more

    @staticmethod
    def asks_for_full(test):
        """1: true with --full alone, -1: true without it alone, 0: neither."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return -Script.asks_for_full(test.operand)
        if isinstance(test, ast.BoolOp):
            found = [Script.asks_for_full(value) for value in test.values]
            return max(found) if isinstance(test.op, ast.And) else min(found)
        return int(isinstance(test, ast.Attribute) and test.attr == "full" or isinstance(test, ast.Name) and
                   test.id == "full")

    def is_full(self, node):
        """Whether a place is reached with --full alone."""
        while not isinstance(node, ast.Module):
            parent = node.parent
            if isinstance(parent, (ast.If, ast.IfExp)) and node is not parent.test:
                asked = self.asks_for_full(parent.test)
                inside = node is parent.body if isinstance(parent, ast.IfExp) else node in parent.body
                if asked == (1 if inside else -1):
                    return True
            if isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.And):
                if any(self.asks_for_full(value) == 1 for value in parent.values[:parent.values.index(node)]):
                    return True
            for field in ("body", "orelse"):
                block = getattr(parent, field, None)
                if isinstance(block, list) and node in block and any(
                        isinstance(one, ast.If) and self.asks_for_full(one.test) == -1 and
                        isinstance(one.body[-1], (ast.Return, ast.Continue)) for one in block[:block.index(node)]):
                    return True
            if isinstance(node, ast.FunctionDef) and (node.name in self.full or self.is_skipped(node)):
                return True
            node = parent
        return False

    @staticmethod
    def is_skipped(function):
        """Whether it is decorated by skipUnless (full, ...)."""
        return any(isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "skipUnless" and
                   Script.asks_for_full(one.args[0]) == 1 for one in function.decorator_list)

    @staticmethod
    def name_of(node):
        while not isinstance(node, (ast.FunctionDef, ast.Module)):
            node = node.parent
        return getattr(node, "name", "-")

    @staticmethod
    def is_in_a_loop(node):
        """Whether a condition ends the wait: in a while, or in a for that is left by break or return."""
        while not isinstance(node, (ast.FunctionDef, ast.Module)):
            if isinstance(node, ast.While):
                return True
            if isinstance(node, ast.For) and any(isinstance(one, (ast.Break, ast.Return)) for one in ast.walk(node)):
                return True
            node = node.parent
        return False

    @staticmethod
    def is_in_a_check(node):
        while not isinstance(node, ast.stmt):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
                if CHECKS.match(name):
                    return True
            node = node.parent
        return isinstance(node, ast.Assert)

    @staticmethod
    def is_short(node):
        """Whether a comparison says that a time is below a limit; a time that has passed cannot be too long."""
        sides = [node.left, *node.comparators]
        pairs = [(left, right) if isinstance(op, (ast.Lt, ast.LtE)) else (right, left)
                 for left, op, right in zip(sides, node.ops, sides[1:])]
        return any(CLOCKS.search(word) for below, _ in pairs for word in names_in(below))

    def kind_of(self, node):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
            if name in SLEEPS and not self.is_in_a_loop(node):
                long = node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value >= ENDLESS
                return None if long else "sleep"
            if name == "assertAlmostEqual":
                return "share"
            order = re.match("assert(Less|Greater)(Equal)?$", name)
            if order and any(map(is_fraction, ast.walk(node))):
                return "share"
            if order and any(map(CLOCKS.search, names_in(node.args[order.group(1) == "Greater"]))):
                return "clock"
        if isinstance(node, ast.Compare) and any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops):
            if any(map(is_fraction, ast.walk(node))) and "random" not in names_in(node):
                return "share"
            if self.is_in_a_check(node) and self.is_short(node):
                return "clock"
        return None

    def findings(self):
        for node in ast.walk(self.tree):
            kind = self.kind_of(node)
            if kind and not self.is_full(node):
                yield node.lineno, self.name_of(node), kind


# --- C and C# -----------------------------------------------------------------------------------------------------

def bare_lines(text):
    """The lines without comments and texts."""
    return COMMENTS.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text).split("\n")


def function_at(lines, number, sharp):
    """The name of the function that a line is in."""
    for at in range(number, -1, -1):
        found = (re.match(r"\t+(?!return|else|new|await|if|while|for|using|lock|throw|catch|foreach|switch)"
                          r"[\w<>\[\],.? ]+ (\w+)(?:<\w+>)? \([^;]*$", lines[at]) if sharp else
                 re.match(r"(?:CHILD_TEST|CHILD_PRINTS) \((\w+)|(\w+) \([^;]*$", lines[at]))
        if found:
            return next(filter(None, found.groups()))
    return "-"


def is_in_a_loop(lines, number):
    """Whether the wait is the body of a loop that a condition ends, or one of its lines, by the indentation."""
    indent = len(lines[number]) - len(lines[number].lstrip("\t"))
    for at in range(number, -1, -1):
        line = lines[at]
        depth = len(line) - len(line.lstrip("\t"))
        if not line.strip() or (at != number and depth >= indent):
            continue
        loop = LOOP.search(line)
        if loop:
            body = [one for one in lines[at:number + 30] if one.strip()]
            counted = loop.group(1) == "for" and not re.search(r"&&|\|\||;[^;]*\(|; *; *\)?", loop.group(2) or "")
            if not counted or any(re.search(r"\b(break|return)\b", one) for one in body[:number - at + 8]):
                return True
        if at != number:
            indent = depth
        if depth == 0 and at != number:
            break
    return False


def scan(text, sharp):
    lines = bare_lines(text)
    for number, line in enumerate(lines):
        kind = None
        wait = (WAIT.search(line) or POLL.search(line)) and not LONG.search(line)
        if wait and not is_in_a_loop(lines, number):
            kind = "sleep"
        elif C_CHECK.search(line) and C_SHARE.search(line):
            kind = "share"
        elif C_CHECK.search(line) and C_CLOCK.search(line):
            kind = "clock"
        function = kind and function_at(lines, number, sharp)
        if kind and function not in SLEEPS and not function.startswith("__wrap_"):  # those stand for the library's
            yield number + 1, function, kind


# --- the first tier -----------------------------------------------------------------------------------------------

def imported(path, seen):
    """A script and what it imports of the tests."""
    if path in seen or not path.exists():
        return
    seen.add(path)
    for name in re.findall(r"^(?:import|from) (\w+)", path.read_text(), re.M):
        for folder in (path.parent, path.parent.parent, TEST, *TEST.glob("conformance/*"), TEST / "conformance"):
            if (folder / (name + ".py")).exists():
                imported(folder / (name + ".py"), seen)
                break


def sources(build):
    read = {what: json.loads((build / "meson-info" / ("intro-%s.json" % what)).read_text())
            for what in ("tests", "targets")}
    targets = {target["id"]: target for target in read["targets"]}
    found = set()
    for test in read["tests"]:
        if any(suite.rpartition(":")[2] in ("full", "bench") for suite in test["suite"]):
            continue
        for word in test["cmd"]:
            path = pathlib.Path(word).resolve()
            if path.suffix == ".py" and TEST in path.parents:
                imported(path, found)
        for one in test["depends"]:
            for part in targets[one]["target_sources"]:
                found |= {pathlib.Path(file) for file in part.get("sources", ()) if file.endswith((".c", ".cs"))}
    return sorted(path for path in found if TEST in path.parents and TEST / "bench" not in path.parents)


def findings(path):
    if path.suffix == ".py":
        return Script(path).findings()
    return scan(path.read_text(errors="replace"), path.suffix == ".cs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--shrink", action="store_true")
    options = parser.parse_args()
    files = sources(options.build.resolve())
    found = [(str(path.relative_to(TOP)), function, kind, line) for path in files
             for line, function, kind in findings(path)]
    needed = {one[:3] for one in found} | {(file, "*", kind) for file, _, kind, _ in found}
    head, *rows = TABLE.read_text().splitlines() if TABLE.exists() else ["file\tfunction\tkind\treason"]
    if options.shrink:
        rows = [row for row in rows if tuple(row.split("\t")[:3]) in needed]
        TABLE.write_text("\n".join([head, *rows]) + "\n")
    listed = {tuple(row.split("\t")[:3]): row.split("\t")[3:] for row in rows}
    problems = ["%s:%d: %s: %s" % (file, line, function, kind) for file, function, kind, line in found
                if (file, function, kind) not in listed and (file, "*", kind) not in listed]
    problems += ["timing.tsv: the row \"%s\" is not needed: timing.py --shrink" % " ".join(row)
                 for row in listed if row not in needed]
    problems += ["timing.tsv: the row \"%s\" has no reason" % " ".join(row) for row, reason in listed.items()
                 if not reason or not reason[0]]
    if len(listed) < len(rows) or rows != sorted(rows):
        problems.append("timing.tsv: the rows are not sorted, each once")
    for problem in problems:
        print("FAIL " + problem)
    print("%d files, %d exceptions, %d problems" % (len(files), len(rows), len(problems)))
    return 1 if problems or len(files) < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
