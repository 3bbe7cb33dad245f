#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program published as ReadyToRun code: precompiled bodies know nothing of probes, and nothing may be lost.

All shapes, all of the program's methods wanted, and then only some: where one is wanted the whole image's precompiled
code is refused, because its callers hold inlined copies. Frames of the framework stay precompiled: exceptions pass
them. A module that wants nothing of the program leaves its precompiled code in use.
"""
import shutil
import sys

import configurations
import harness


class ReadyToRun(configurations.EngineSuite):
    def published(self, folder):
        out = self.build.path / "test" / "engine" / "r2r"
        out.mkdir(parents=True, exist_ok=True)
        done, source = out / "out" / "shapes.dll", configurations.HERE / "programs" / "r2r" / "engine-r2r.csproj"
        inputs = list((configurations.HERE / "programs").glob("*.cs")) + [source]
        if done.exists() and all(done.stat().st_mtime > f.stat().st_mtime for f in inputs):
            return done
        shutil.copy(source, out)
        env = harness.bare_environment({"DOTNET_CLI_USE_MSBUILD_SERVER": "0"})
        made = harness.run(["dotnet", "publish", out / source.name, "-c", "Release", "-o", out / "out", "-nologo",
                            "-nodeReuse:false", "-p:UseSharedCompilation=false",
                            "-p:EngineSources=%s" % (configurations.HERE / "programs"),
                            "-p:EngineIl=%s" % (folder / "shapes-il.dll")],
                           env, out, 240)
        if made.code == 0:
            return done
        lines = [x for x in (made.out + made.err).splitlines() if "error" in x] or ["no reason given"]
        self.skip("ReadyToRun", "the program cannot be published: " + lines[0].strip(), "nuget")
        return None

    def compare(self, runtime, exe, what, options, settings, reference):
        seen, counts = self.under(runtime, [exe], options, settings)
        self.check((seen.code, seen.out) == (self.plain.code, self.plain.out), what + ": output as without a profiler",
                   seen)
        if not self.check(counts is not None, what + ": the module wrote its counts", seen):
            return None
        self.sound(what, counts)
        bad = [] if reference is None else [
            "%s %s, not %s" % (counts.names[k], row, reference.rows.get(k))
            for k, row in sorted(counts.rows.items()) if reference.rows.get(k) != row]
        self.check(not bad, what + ": counts of try/fault", "\n    " + "\n    ".join(bad[:20]))
        return counts

    def run(self, runtime, exe):
        self.plain = self.bare(runtime, [exe])
        images = ["image=shapes", "image=shapes-il"]
        reference = self.compare(runtime, exe, "r2r try-fault", images, {"MONOCLE_CLR_TRY_FAULT": "1"}, None)
        if reference is None:
            return
        for settings in ("default", "no-tiering", "no-pgo"):
            chosen = configurations.SETTINGS[settings]
            every = self.compare(runtime, exe, "r2r " + settings, images, chosen, reference)
            self.check(every and every.rows.keys() == reference.rows.keys(), "r2r %s: no method is missing" % settings)
            for modulus, phase in ((2, 0), (7, 3), (40, 5)):
                some = ["every=%d" % modulus, "phase=%d" % phase]
                what = "r2r %s, one method of %d" % (settings, modulus)
                self.compare(runtime, exe, what, images + some, chosen, reference)
        # Precompiled frames of the program between and below the probed ones.
        self.compare(runtime, exe, "r2r, another image wanted", ["image=shapes-il"], {}, reference)
        nothing = self.compare(runtime, exe, "r2r, nothing wanted", ["image=nothing"], {}, reference)
        self.check(nothing and not nothing.rows, "r2r, nothing wanted: nothing is counted")


def main():
    suite = ReadyToRun("engine-r2r", __doc__)
    suite.parse()
    folder = suite.programs()
    exe = suite.published(folder) if folder else None
    for runtime in suite.runtimes(suite.newer) if exe else []:
        suite.run(runtime, exe)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
