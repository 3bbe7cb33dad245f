#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lives how long: assemblies that come and go under a module that keeps every record it ever saw.

  unloading.py [--rounds N] [--runtimes clr10,clr9] [--sanitized]

A program loads and unloads a collectible assembly N times (500), bare and under the module `keeper`, which asks old
records again and again. The program must behave the same, no answer may ever change, and the bytes of records must
grow by no more than a bound per round; with --full what malloc () gives is measured, too. With 10000 rounds this takes
some ten minutes. `--sanitized` says that the build has the address sanitizer: its libraries are loaded into the
runtime, and memory is not measured.
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
COMPILE = HERE.parent / "csharp.py"

# Bytes that records may take per round. The guest has 34 methods in 12 types. What is kept of it is
# doc/lifetimes.md's account; in short runs the framework's own methods come on top. With only loads and code asked
# for, and with classes, fields and call probes as well.
RECORDS = {"loads": 18000, "probes": 56000}
# Bytes of malloc per round above the bare run. Probes: the runtime never frees the line maps of rewritten methods.
MALLOC = {"loads": 600, "probes": 8000}
# Bytes of malloc that come once, whatever is measured: short runs cannot tell them from growth, long ones can.
ONCE = 1000000
PROGRAMS = (("dep", "library"), ("plugin", "library"), ("guest", "library"), ("unload", "exe"), ("dynamic", "exe"),
            ("contexts", "exe"))


def numbers(report):
    """{name: value} of the module's report, and its samples [(unloads, bytes, records kept)]."""
    values, sizes = {}, []
    for line in report.read_text().splitlines():
        name, *rest = line.split("\t")
        if name == "size":
            sizes.append(tuple(int(r) for r in rest))
        elif name != "name":
            values[name] = int(rest[0])
    return values, sizes


def slope(points):
    """Growth per round over the later half, by least squares: what comes first is caches that fill."""
    points = points[len(points) // 3:]
    mean_x = sum(p[0] for p in points) / len(points)
    mean_y = sum(p[1] for p in points) / len(points)
    spread = sum((p[0] - mean_x) ** 2 for p in points)
    return sum((p[0] - mean_x) * (p[1] - mean_y) for p in points) / spread if spread else 0


class LifetimeSuite(harness.Suite):
    def compile(self):
        where = subprocess.run([str(COMPILE), "--where"], capture_output=True, text=True)
        if where.returncode:
            self.skip("lifetimes", where.stderr.strip(), "coreclr")
            return False
        compiler, references = where.stdout.split()
        refs = ["-r:" + str(p) for p in sorted(pathlib.Path(references).glob("*.dll"))]
        base = ["dotnet", "exec", compiler, "-nologo", "-noconfig", "-nostdlib", "-unsafe", "-deterministic",
                "-langversion:13", "-optimize+", "-debug:portable", "-nowarn:CS0649", *refs]
        for name, kind in PROGRAMS:
            more = ["-r:" + str(self.work / "dep.dll")] if name == "plugin" else []
            made = subprocess.run([*base, *more, "-target:" + kind, "-out:%s" % (self.work / (name + ".dll")),
                                   str(HERE / "programs" / (name + ".cs"))],
                                  capture_output=True, text=True, env=harness.bare_environment())
            if not self.check(made.returncode == 0, name + ".cs compiles", made.stdout):
                return False
            (self.work / (name + ".runtimeconfig.json")).write_text(
                '{ "runtimeOptions": { "tfm": "net8.0", "framework": { "name": "Microsoft.NETCore.App", '
                '"version": "8.0.0" }, "rollForward": "LatestMajor" } }')
        for folder in "abc":
            (self.work / folder).mkdir()
            for name in ("dep.dll", "plugin.dll"):
                shutil.copy(self.work / name, self.work / folder)
        return True

    def named(self, runtime, program, arguments, prefix, settings=None):
        """Runs a program under the keeper: its outcome and the rows of the report about methods."""
        what = "%s, %s" % (runtime, program)
        report = self.work / ("%s-%s.tsv" % (runtime, program))
        command = runtime.command(self.work / (program + ".dll")) + arguments
        bare = harness.run(command, harness.bare_environment(settings))
        module = "keeper:loads,names=%s,output=%s" % (prefix, report)
        seen = harness.run(command, harness.profile_environment(self.build, runtime, [module], settings))
        self.check(seen.code == bare.code == 0 and seen.out == bare.out, what + ": behaves the same", seen)
        if not self.check(report.exists(), what + ": there is a report", seen):
            return []
        values, _ = numbers(report)
        self.check(values["wrong"] == 0, what + ": no record ever changed its answers", seen.err)
        return [line.split("\t")[1:] for line in report.read_text().splitlines() if line.startswith("name\t")]

    def dynamic(self, runtime, settings=None):
        """Images without a file: what runs in them has names, signatures and base classes, also when it has gone."""
        rows = self.named(runtime, "dynamic", ["20"], "Made", settings)
        arguments = "System.Collections.Generic.List`1<string>,int&)"
        expected = {("Made.Point:OfPoint (int," + arguments, "ValueType"),
                    ("Made.While.Running/Inner<int>:Deep (int," + arguments, "Object"),
                    ("Made.While.Running:Add (int," + arguments, "Object"),
                    ("Made.While.Running:Generic<U_REF> (U_REF," + arguments, "Object")}
        for image in ("Made0", "Made1"):
            found = [(r[1], r[2]) for r in rows if r[0] == image]
            self.check(set(found) == expected and len(found) == 40,
                       "%s: methods of dynamic images have names, %s" % (runtime, image), found)

    def contexts(self, runtime, settings=None):
        """References between images of equal names stay in their load context."""
        rows = self.named(runtime, "contexts", [str(self.work)], "plugin", settings)
        rows = [r for r in rows if r[1].startswith("Plugin:Use")]
        orders = [(int(r[3]), int(r[4])) for r in rows]
        self.check(len(rows) == 5, "%s: each context's plugin ran" % runtime, rows)
        self.check([pathlib.Path(r[5]).parent.name for r in rows[:2]] == ["a", "b"],
                   "%s: references lead to images of their folder" % runtime, rows)
        self.check(all(target == own - 1 for own, target in orders[1:]) and orders[0][1] > orders[0][0],
                   "%s: references lead to images that came with them" % runtime, orders)

    def unload(self, runtime, rounds, module=None, settings=None):
        command = runtime.command(self.work / "unload.dll") + [str(rounds), str(self.work / "guest.dll")]
        env = harness.profile_environment(self.build, runtime, [module], settings) if module \
            else harness.bare_environment(settings)
        return harness.run(command, env, timeout=60 + rounds)

    def keep(self, runtime, rounds, options, bare, settings=None):
        """One run under the keeper; what must hold whatever is measured."""
        what = "%s, %d rounds, %s" % (runtime, rounds, options)
        report = self.work / ("%s-%s.tsv" % (runtime, options))
        seen = self.unload(runtime, rounds, "keeper:%s,output=%s" % (options, report), settings)
        self.check(seen.code == bare.code == 0, what + ": the program ends well", seen)
        self.check(last_line(seen) == last_line(bare), what + ": the program answers the same", seen)
        self.check(not re.search("monocle: |ERROR|runtime error", seen.err), what + ": nothing to complain of",
                   seen.err)
        if not self.check(report.exists(), what + ": there is a report", seen):
            return None
        values, sizes = numbers(report)
        self.check(values["wrong"] == 0 and values["dropped"] == 0, what + ": no record ever changed its answers",
                   "%s\n%s" % (values, seen.err))
        self.check(values["images unloaded"] == values["assemblies unloaded"] == rounds,
                   what + ": every unload is told", values)
        self.check(values["asked"] > rounds * 100, what + ": old records were asked", values)
        if options == "probes":
            self.check(values["enters"] == values["leaves"] > rounds * 50, what + ": enters and leaves balance", values)
        print("%s: kept %d records (%d methods), asked %d times" %
              (what, sum(values[k] for k in ("image", "assembly", "class", "method", "signature", "field", "type",
                                             "jit")), values["method"], values["asked"]))
        return seen, values, sizes

    def measure(self, runtime, rounds, options, bare):
        kept = self.keep(runtime, rounds, options, bare)
        if not kept:
            return
        seen, values, sizes = kept
        what = "%s, %d rounds, %s" % (runtime, rounds, options)
        records = slope([(u, b) for u, b, _ in sizes[:-1]])
        base, ours = ([slope([(r, m[i]) for r, *m in samples(run)]) for i in (0, 1)] for run in (bare, seen))
        kept_per_round = slope([(u, k) for u, _, k in sizes[:-1]])
        print("%s: records %.0f B/round (%.0f records asked for), malloc %+.0f B/round (bare %+.0f), "
              "resident %+.0f B/round (bare %+.0f)" %
              (what, records, kept_per_round, ours[0], base[0], ours[1], base[1]))
        self.check(records <= RECORDS[options], what + ": records grow by a bounded amount", "%.0f B" % records)
        if self.options.full:
            self.check(ours[0] - max(0, base[0]) <= MALLOC[options] + ONCE / rounds, what + ": nothing else grows",
                       "%.0f B a round, bare %.0f" % (ours[0], base[0]))


def samples(outcome):
    return [tuple(int(n) for n in m.groups()) for m in re.finditer(r"^sample (\d+) (\d+) (\d+)$", outcome.out, re.M)]


def last_line(outcome):
    return outcome.out.splitlines()[-1:]


def sanitized_environment(suite):
    """The sanitizer must be first in the process; the runtime handles its faults itself."""
    library = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    log = suite.work / "asan"
    return log, {"LD_PRELOAD": library,
                 "ASAN_OPTIONS": "handle_segv=0:handle_sigfpe=0:detect_leaks=0:use_sigaltstack=0:log_path=%s" % log}


def sanitized(suite, runtime, rounds):
    log, settings = sanitized_environment(suite)
    bare = suite.unload(runtime, rounds, None, settings)
    for options in ("loads", "probes"):
        suite.keep(runtime, rounds, options, bare, settings)
    suite.dynamic(runtime, settings)
    suite.contexts(runtime, settings)
    reports = "\n".join(p.read_text() for p in log.parent.glob(log.name + ".*"))
    suite.check(not reports, "%s: the address sanitizer finds nothing" % runtime, reports[:4000])


def main():
    suite = LifetimeSuite("lifetime", __doc__)
    suite.parser.add_argument("--rounds", type=int, default=500)
    suite.parser.add_argument("--runtimes", default="clr10")
    suite.parser.add_argument("--sanitized", action="store_true", help="the build has the address sanitizer")
    options = suite.parse()
    if not suite.compile():
        return suite.finish()
    for runtime in suite.runtimes(options.runtimes.split(",")):
        if options.sanitized:
            sanitized(suite, runtime, options.rounds)
            continue
        bare = suite.unload(runtime, options.rounds)
        for what in ("loads", "probes"):
            suite.measure(runtime, options.rounds, what, bare)
        suite.dynamic(runtime)
        suite.contexts(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
