#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs in Visual Basic and F#: methods are called as their sources have them, and coverage is of what was written.

  languages.py --build DIR [--runtimes clr8,...]

Each program is built as Debug and Release are. `calls` counts all methods that run, and the names in its profile must
be these; `stack --async` shows the same names while methods wait. Of coverage each line must be the method's that the
source has around it, methods that are left out have none, and only lines that say so have branches.
"""
import collections
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

MADE = re.compile(r"VB\$StateMachine|_Closure\$|_Lambda\$|@|__debug|Startup|ShapeModule|Pipe #")
# `closure`: the constructors of what keeps the locals of lambdas; methods of state machines but MoveNext.
LEFT_OUT = re.compile(r"\.closure\.|\.Bind |\.\.c?ctor \(|\.get_Current \(|\.(Dispose|GetEnumerator|Close) \(|"
                      r"\.GetFreshEnumerator \(|\.(add|remove|set)_")
BASIC = """
Shop.Box.Inner.Once (iterator)
Shop.Box.Inner.Once.lambda (int)
Shop.Box.Wait (async)
Shop.Box.Wait.lambda ()
Shop.Box<T>.Wait (T)
Shop.Box<string>.Inner<int>.Once (int)
Shop.M.Main (string[])
Shop.M.Main.lambda ()
Shop.Order..cctor.lambda (int)
Shop.Order.Choose (int)
Shop.Order.Fire ()
Shop.Order.Fire (async)
Shop.Order.Handle (object, EventArgs)
Shop.Order.LeftOut (List<int>)
Shop.Order.LeftOut.lambda (int)
Shop.Order.LeftOutLater (List<int>)
Shop.Order.LeftOutLater (async)
Shop.Order.LeftOutLater.lambda (async)
Shop.Order.LeftOutLater.lambda (int)
Shop.Order.LeftOutLater.lambda2 (int)
Shop.Order.Query (List<int>)
Shop.Order.Query.lambda (int)
Shop.Order.Query.lambda2 (int)
Shop.Order.Query.lambda3 (int)
Shop.Order.Raise (Order)
Shop.Order.Some (int)
Shop.Order.Some (iterator)
Shop.Order.Total (async)
Shop.Order.Total (int)
Shop.Order.Total.lambda (int)
Shop.Order.Total.lambda2 (int)
Shop.Order.Total.lambda3 (async)
Shop.Order.Total.lambda3 (int)
Shop.Order.Total.lambda4 (int)
Shop.Order.Total.lambda5 (int)
Shop.Order.Total.lambda6 ()
Shop.Order.Total.lambda6 (iterator)
Shop.Order.Work (async)
Shop.Order.Work<int> (int)
Shop.Order.get_All ()
Shop.Order.get_All (iterator)
Shop.Order.get_Count ()
Shop.Order.get_Count.lambda ()
"""
FUNCTIONAL = """
Shop.Program.Account.WorkAsync (async)
Shop.Program.Account.WorkAsync (int)
Shop.Program.Account.get_Shared ()
Shop.Program.Box.Map.lambda (Unit)
Shop.Program.Box.Wait (async)
Shop.Program.Box<T>.Map<U> (FSharpFunc<T, U>)
Shop.Program.Box<T>.Wait ()
Shop.Program.Inner.helper (int)
Shop.Program.Inner.helper.lambda (int)
Shop.Program.Shape.NewCircle (double)
Shop.Program.Shape.get_Area ()
Shop.Program.Shape.scale (double, Program.Shape)
Shop.Program.Trouble.get_Data0 ()
Shop.Program.asynchronous (async)
Shop.Program.asynchronous (int)
Shop.Program.captured (int)
Shop.Program.captured.factorial (int)
Shop.Program.captured.inner (int)
Shop.Program.caught (FSharpFunc<Unit, string>)
Shop.Program.caughtLater (async)
Shop.Program.caughtLater (int)
Shop.Program.caughtOne (FSharpFunc<Unit, string>)
Shop.Program.comparer ()
Shop.Program.comparer.Compare (int, int)
Shop.Program.compose (FSharpList<int>)
Shop.Program.forced<int> (FSharpOption<int>)
Shop.Program.get_lazily ()
Shop.Program.lazily.lambda (Unit)
Shop.Program.leftOut (FSharpList<int>)
Shop.Program.leftOut.added (int)
Shop.Program.main (string[])
Shop.Program.numbers (int)
Shop.Program.numbers (iterator)
Shop.Program.parity (int)
Shop.Program.runAll ()
Shop.Program.runAll.lambda (string)
Shop.Program.runAll.lambda2 (Unit)
Shop.Program.runAll.lambda3 (Unit)
Shop.Program.runAll.twice (int)
Shop.Program.slice (string)
Shop.Program.spaced name (int)
Shop.Program.spaced name.lambda (int)
Shop.Program.work (async)
Shop.Program.work (int)
Shop.Program.|Even|Odd| (int)
"""
MEMBERS = """
Shop.Counter.LeftOut (int)
Shop.Counter.LeftOut.lambda (int)
Shop.Counter.Twice (int)
Shop.Counter.Twice.twice (int)
Shop.Counter.WorkAsync (async)
Shop.Counter.WorkAsync (int)
Shop.Program.main (string[])
Shop.Values.get_table ()
Shop.Values.other (int)
"""
DEPOSIT = """
Shop.Program.Account.Deposit (int)
Shop.Program.Account.Deposit.add (Unit)
Shop.Program.runAll.squared (int)
"""
PIPES = "".join("\nShop.Program.%s.pipe.stage%d (int)" % row for row in (
    ("compose", 1), ("compose", 2), ("compose", 3), ("leftOut", 2)))
LAMBDAS = "".join("\nShop.Program.%s (int)" % name for name in (
    "compose.lambda", "compose.lambda2", "compose.lambda3", "leftOut.lambda"))
BASIC_CHAIN = ["Shop.M.Innermost (async)", "Shop.M.Outermost.lambda (async)", "Shop.M.Outermost (async)"]
FUNCTIONAL_CHAIN = ["Shop.Program.innermost (async)", "Shop.Program.outermost (async)"]
FUNCTIONAL_IDLE = {"never", "wait", "innermost", "outermost"}
BASIC_IDLE = {"Never", "NeverEither", "BeginWaiting", "Innermost", "Outermost"}
Program = collections.namedtuple("Program", "name source names chain idle")
# Not optimised, F# leaves a task to its library, which keeps no state machine that has a name.
PROGRAMS = [
    Program("basic.dll", "basic.vb", BASIC, BASIC_CHAIN, BASIC_IDLE),
    Program("debug/basic.dll", "basic.vb", BASIC, BASIC_CHAIN, BASIC_IDLE),
    Program("functional.dll", "functional.fs", FUNCTIONAL + LAMBDAS, FUNCTIONAL_CHAIN,
            FUNCTIONAL_IDLE | {"Deposit", "squared"}),
    Program("debug/functional.dll", "functional.fs", FUNCTIONAL + DEPOSIT + PIPES, None, FUNCTIONAL_IDLE),
    Program("members.dll", "members.fs", MEMBERS + "Shop.Values.get_other ()\n", None, {"beside"}),
    Program("debug/members.dll", "members.fs", MEMBERS.replace("LeftOut.lambda", "LeftOut.pipe.stage1"), None,
            {"beside"}),
]


DECLARED = {
    "basic.vb": re.compile(r"( *)(?:(?:Public|Private|Async|Iterator) )*(?:Function|Sub) (\w+)\("),
    "functional.fs": re.compile(r"()let (?:rec |inline )?(\w+) (?!=)|(    )member (?:this|_)\.(\w+)\("),
    "members.fs": re.compile(r"(    )(?:let |member this\.)(\w+)[ (](?!=)"),
}


def declared(source):
    """{line: the method around it}: what is not indented more ends it."""
    found, name, indent = {}, None, 0
    for number, line in enumerate((HERE / source).read_text().splitlines(), 1):
        match = DECLARED[source].match(line)
        if source.endswith(".fs") and re.match(r" {0,%d}\S" % indent, line):
            name = None
        if match:
            indent, name = [word for word in match.groups() if word is not None]
            indent = len(indent)
        if name:
            found[number] = name
        if re.match(r" {%d}End (Function|Sub)" % indent, line):
            name = None
    return found


def said(source):
    """{line: its ways}"""
    lines = enumerate((HERE / source).read_text().splitlines(), 1)
    return {number: int(match[1]) for number, match in ((n, re.search(r"(?:'|//) (\d)$", text)) for n, text in lines)
            if match}


class Languages(harness.Suite):
    def monocle(self, *words):
        return harness.run([self.build.monocle, *words], harness.bare_environment(), cwd=self.work)

    def profile(self, what, command, modules, output):
        """What `monocle run` wrote of a run that went well; the file's path."""
        output.unlink(missing_ok=True)
        seen = self.monocle("run", "-q", "--profile=" + modules, "-o", output, "--", *command)
        good = self.check(seen.code == 0 and seen.out == self.said and output.exists(),
                          what + ": the program does what it does without us", seen)
        return output if good else None

    def names(self, what, command, program):
        """In the table, and in stacks that are folded."""
        file = self.profile(what, command, "calls", self.work / "calls.pb.gz")
        if not file:
            return
        image = pathlib.Path(program.name).name
        table = self.monocle("report", "--names=csharp", "--format=tsv", file)
        rows = [row.split("\t") for row in table.out.splitlines()[1:]]
        own = {row[0] for row in rows if row[4] == image}
        wanted = set(program.names.split("\n")) - {""}
        seen = {name for name in own if not LEFT_OUT.search(name)}
        self.check(seen == wanted, what + ": names are the source's", "too many: %s\n    missing: %s" %
                   (sorted(seen - wanted), sorted(wanted - seen)))
        made = [name for name in own if MADE.search(name)]
        self.check(not made, what + ": no name is the compiler's", made)
        folded = self.monocle("convert", "--to=collapsed", "--all-frames", "-o", "-", file)
        lost = [name for name in wanted if name not in folded.out]
        self.check(folded.code == 0 and not lost, what + ": folded stacks have the same names", (lost, folded.err))

    def waits(self, what, command, program):
        target = subprocess.Popen([*command, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  env=harness.bare_environment({"TMPDIR": "/tmp"}), cwd=self.work)
        self.check(target.stdout.readline() == "ready\n", what + ": the program is ready")
        seen = harness.run([self.build.monocle, "stack", "--async", target.pid], harness.bare_environment(),
                           cwd=self.work, timeout=60)
        chain = re.search(r"(?ms)^1 async chain$\n(.*?)(?:\n\n|\Z)", seen.out)
        self.check([line.strip() for line in chain[1].splitlines()] == program.chain if chain else False,
                   what + ": the chain has the source's names", seen)
        out, _ = target.communicate(timeout=60)
        self.check((target.returncode, out) == (0, ""), what + ": the program is unharmed", (target.returncode, out))

    def coverage(self, what, command, program):
        file = self.profile(what, command, "cover", self.work / "cover.mcov")
        if not file:
            return
        seen = self.monocle("convert", "--to=cobertura", "-o", "-", file)
        root = xml.etree.ElementTree.fromstring(seen.out)
        ways = {}
        for line in root.iterfind(".//class/lines/line"):
            if line.get("condition-coverage"):
                ways[int(line.get("number"))] = int(re.search(r"/(\d+)\)", line.get("condition-coverage"))[1])
        self.check(ways == said(program.source), what + ": branches are a person's", (ways, said(program.source)))
        around, odd, ran = declared(program.source), [], collections.Counter()
        counted = {int(line.get("number")) for line in root.iterfind(".//class/lines/line")}
        left_out = {number for number, name in around.items() if name.lower().startswith("leftout")}
        self.check(left_out and not counted & left_out, what + ": what is left out is left out", counted & left_out)
        for method in root.iterfind(".//method"):
            name = method.get("name").split(" ")[0]
            for line in method.iterfind("lines/line"):
                ran[name] += int(line.get("hits")) > 0
                if around.get(int(line.get("number")), name) != name:
                    odd.append((name, int(line.get("number"))))
        self.check(not odd, what + ": lines are of the methods that they are in", odd)
        made = [one.get("name") for kind in ("class", "method") for one in root.iterfind(".//" + kind)
                if re.search(r"[@$]|MoveNext|Invoke", one.get("name"))]
        self.check(not made, what + ": coverage has no name of the compiler's", made)
        methods = {name for name in around.values() if not name.lower().startswith("leftout")}
        self.check(methods <= set(ran), what + ": each method is there", methods - set(ran))
        idle = {name for name in methods if not ran[name]}
        self.check(idle == program.idle, what + ": methods that never ran", idle)

    def all(self, runtimes):
        for runtime in runtimes:
            for program in PROGRAMS:
                path = self.build.path / "test/conformance/languages" / program.name
                what = "%s, %s" % (runtime, program.name)
                if not path.exists():
                    self.skip(what, "it was not compiled")
                    continue
                command = runtime.command(path)
                self.said = harness.run(command, harness.bare_environment(), cwd=self.work).out
                self.names(what, command, program)
                self.coverage(what, command, program)
                if program.chain:
                    self.waits(what, command, program)


def main():
    suite = Languages("languages", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse("clr10", harness.NET)
    suite.all(suite.runtimes())
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
