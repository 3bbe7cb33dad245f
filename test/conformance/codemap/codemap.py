#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Managed code by address: the adapter's own map against what the runtime says of every frame of every thread.

  codemap.py [--part programs|compiler|churn] [--seconds N]

An adapter that is built for this stops the runtime a thousand times a second. Every address on every stack must be
found with the method that the runtime names, in nearly all cases at first sight; the program must say what it says
without us.
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MONO_LIBRARY = pathlib.Path("/usr/lib/mono/4.5")
NAMED = ("jit", "r2r", "r2r-instance", "stub")
# The thread that looks may not get a CPU before a program of a fifth of a second is over.
TRIES = 5
SETTINGS = ({}, {"DOTNET_TieredCompilation": "0"}, {"DOTNET_ReadyToRun": "0"}, {"DOTNET_TieredPGO": "0"})


class Map:
    """What the adapter wrote: hits and addresses by kind, numbers, and lines about what is wrong."""

    def __init__(self, path):
        self.hits, self.addresses, self.numbers, self.wrong = {}, {}, {}, []
        for line in path.read_text().splitlines():
            name, *rest = line.split("\t")
            if name == "wrong":
                self.wrong.append(rest)
            elif len(rest) == 2:
                self.hits[name], self.addresses[name] = int(rest[0]), int(rest[1])
            else:
                self.numbers[name] = float(rest[0])

    def share(self):
        """Of the addresses, those that had a name at first sight; what has no name in the runtime does not count."""
        all_of_them = sum(n for kind, n in self.addresses.items() if kind != "nameless")
        return sum(self.addresses[kind] for kind in NAMED) / all_of_them if all_of_them else 0

    def misnamed(self):
        return [w for w in self.wrong if w[1] not in ("unnamed", "unknown")]

    def __str__(self):
        kinds = ", ".join("%s %d (%d)" % (k, n, self.addresses[k]) for k, n in self.hits.items() if n)
        return "%s; %.2f %% of the addresses named at first sight; %.0f ns a look-up, %.0f KB of tables" % (
            kinds, 100 * self.share(), self.numbers["lookup"], self.numbers["tables"] / 1024)


class CodemapSuite(harness.Suite):
    def look(self, runtime, command, settings, what, cwd=None, timeout=300):
        """A bare run and one with the map: the outcome of the second, and what was found."""
        report = self.work / "map.tsv"
        report.unlink(missing_ok=True)
        env = harness.profile_environment(self.build, runtime, ["quiet"], settings)
        env["CORECLR_PROFILER_PATH"] = str(self.build.path / "test/conformance/codemap/libmonocle-clr-codemap.so")
        env["MONOCLE_TEST_CODEMAP"] = str(report)
        for _ in range(TRIES):
            seen = harness.run(command, env, cwd=cwd, timeout=timeout)
            if report.exists():
                break
        if not self.check(report.exists(), what + ": the adapter wrote what it saw", seen):
            return seen, None
        found = Map(report)
        print("%s: %s" % (what, found))
        self.check(not found.misnamed(), what + ": no address has another method's name", found.misnamed())
        self.check(found.numbers["wrongs"] < 64, what + ": what was wrong is all listed", found.numbers["wrongs"])
        return seen, found

    def programs(self):
        for runtime in self.runtimes(self.net):
            maps = []
            for name in ("exceptions", "generics", "fibmt", "language"):
                command = runtime.command(self.build.exe(name))
                for settings in SETTINGS[:3]:
                    what = " ".join([str(runtime), name] + ["%s=%s" % s for s in settings.items()])
                    bare = harness.run(command, harness.bare_environment(settings), cwd=self.work)
                    seen, found = self.look(runtime, command, settings, what, self.work)
                    self.check((bare.code, bare.out, bare.err) == (seen.code, seen.out, seen.err),
                               what + ": says the same", seen)
                    maps += [found] if found else []
            addresses = sum(sum(m.addresses.values()) for m in maps)
            named = sum(sum(m.addresses[k] for k in NAMED) for m in maps)
            self.check(addresses > 300 and named >= 0.99 * addresses,
                       "%s: 99 %% of the addresses have a name at first sight" % runtime, (named, addresses))
            for kind in ("jit", "r2r", "r2r-instance"):
                self.check(sum(m.hits[kind] for m in maps) > 0, "%s: there is code of kind %s" % (runtime, kind))

    def compiler(self):
        where = subprocess.run([str(HERE.parent / "programs/csc.sh"), "--where"], capture_output=True, text=True)
        compiler = where.stdout.strip()
        if not compiler:
            self.skip("the compiler", "no SDK or no class library of Mono", "coreclr")
            return
        for runtime in self.runtimes(self.newer):
            self.compiler_on(runtime, compiler)

    def compiler_on(self, runtime, compiler):
        references = ["-r:%s" % (MONO_LIBRARY / name) for name in ("mscorlib.dll", "System.Core.dll")]
        command = runtime.command(compiler) + [
            "-nologo", "-noconfig", "-nostdlib", "-unsafe", "-deterministic", "-out:language.exe", *references,
            HERE.parent / "programs/language.cs"]
        for settings in SETTINGS:
            what = " ".join(["%s compiler" % runtime] + ["%s=%s" % s for s in settings.items()])
            seen, found = self.look(runtime, command, {"MONOCLE_RUN_ALL": "1", **settings}, what, self.work)
            self.check(seen.code == 0 and (self.work / "language.exe").exists(), what + ": compiles", seen)
            if found:
                self.check(sum(found.addresses.values()) > 1000 and found.share() >= 0.995,
                           what + ": 99.5 % of the addresses have a name at first sight", found)

    def churn(self):
        """Code whose memory is used again at once: each address is asked for each time it is seen."""
        for runtime in self.runtimes(self.net):
            command = runtime.command(self.build.path / "test/conformance/codemap/codemap-churn.exe") + [
                str(self.options.seconds), "3"]
            seen, found = self.look(runtime, command, {"MONOCLE_TEST_CODEMAP_REUSES": "1"}, "%s churn" % runtime)
            self.check(seen.code == 0 and seen.out == "wrong sums: 0\n", "%s churn: the sums are right" % runtime, seen)
            if found:
                self.check(found.hits["jit"] > 1000 and found.share() >= 0.99,
                           "%s churn: 99 %% of the addresses have a name at first sight" % runtime, found)


def main():
    suite = CodemapSuite("codemap", __doc__)
    suite.parser.add_argument("--part", choices=["programs", "compiler", "churn"])
    suite.parser.add_argument("--seconds", type=int, default=5)
    suite.parse()
    for part in [suite.options.part] if suite.options.part else ["programs", "compiler", "churn"]:
        getattr(suite, part)()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
