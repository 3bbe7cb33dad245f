#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks of interrupted threads: against names that say who called, against the runtime's own answer, and to the root.

Walks of `callers`, which calls leaves of every shape, are compared with DoStackSnapshot at allocations, throws and
compilations. With --full it is sampled as well: the innermost method's caller, and the whole chain to Main, must be
what the names say. Then whole programs, the SDK's C# compiler and a web server are sampled, and it is counted how many
walks reach the thread's root. The CPU time that a walk takes is printed by depth.
"""
import http.client
import pathlib
import signal
import subprocess
import sys
import threading
import time

import configurations
import harness
import stacks

SHARE = 99.5         # percent of the program's samples whose stacks are as the names say
ROOTS = 99.0         # percent of all walks that reach the root
NO_TIERING = {"DOTNET_TieredCompilation": "0"}
DEEP_MAX = 4096      # frames that the module keeps of a walk


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


class Walks(configurations.EngineSuite):
    def sampled(self, runtime, command, options, settings=None, cwd=None):
        """The outcome and the walks of a run under the module walks; None: it wrote no file."""
        file = self.work / "walks.txt"
        file.unlink(missing_ok=True)
        desc = "walks:" + ",".join(["output=%s" % file] + options)
        env = harness.profile_environment(self.build, runtime, [desc], dict(settings or {}, MONOCLE_RUN_ALL="1"))
        seen = harness.run(command, env, cwd or self.work, 300)
        walks = stacks.read(file)[0] if file.exists() else None
        file.unlink(missing_ok=True)
        return seen, walks

    def roots(self, what, walks, at_least=50):
        """Whoever stopped because a walk was too long did not get lost."""
        lost = [w for w in walks if w.result < 0]
        share = percent(len(walks) - len(lost), len(walks))
        frames = [f for w in walks for f in w.frames if f.kind in "MU"]
        named = percent(sum(f.kind == "M" for f in frames), len(frames))
        print("%-34s %6d walks, %6.2f %% to the root, %6.2f %% of managed frames named" % (
            what, len(walks), share, named))
        self.check(len(walks) >= at_least, what + ": there are samples", len(walks))
        ends = [[(f.kind, f.name, f.image) for f in w.frames[-3:]] for w in lost[:5]]
        self.check(share >= ROOTS, what + ": walks reach the root", "%.2f %%; ends: %s" % (share, ends))

    def times(self, walks):
        """Median and 99th percentile of a walk's time, by how many frames it had."""
        line = []
        for low, high in ((1, 10), (10, 20), (20, 40), (40, 80), (80, 200), (200, DEEP_MAX + 1)):
            some = sorted(w.nanoseconds for w in walks if low <= len(w.frames) < high)
            if len(some) >= 20:
                middle, slow = some[len(some) // 2] / 1e3, some[len(some) * 99 // 100] / 1e3
                line.append("%d..%d: %.1f/%.1f" % (low, high - 1, middle, slow))
        print("    us of CPU per walk, median/p99 by frames: " + "  ".join(line))

    # --- a program that knows its callers --------------------------------------------------------------------------

    def callers(self, runtime, folder, name, settings, seconds):
        what = "callers, %s, %s" % (runtime, name)
        command = runtime.command(folder / "callers.dll") + [str(seconds)]
        seen, walks = self.sampled(runtime, command, ["freq=1000"], settings)
        if not self.check(seen.code == 0 and seen.out == "done\n" and walks, what + ": runs as ever", seen):
            return
        leaf = chain = known = 0
        wrong = {}
        for walk in walks:
            places = stacks.chain(walk)
            if not places:
                continue
            at = stacks.wrong_at(places)
            known += 1
            leaf += at != 0
            chain += at is None
            if at is not None:
                wrong.setdefault((places[at], places[at + 1] if at + 1 < len(places) else None), walk)
        print("%-34s %6d of the program: %.3f %% of leaf callers, %.3f %% of chains right" % (
            what, known, percent(leaf, known), percent(chain, known)))
        examples = "\n    ".join("%s %s: %s" % (k + ([f.name for f in w.frames[:8]],))
                                 for k, w in list(wrong.items())[:8])
        self.check(known > 200 * seconds, what + ": there are samples", known)
        self.check(percent(leaf, known) >= SHARE, what + ": leaf callers are right", examples)
        self.check(percent(chain, known) >= SHARE, what + ": chains are right", examples)
        shapes = {stacks.chain(w)[0][0] for w in walks if stacks.chain(w)}
        self.check(len(shapes) >= 25, what + ": every shape was met", sorted(shapes))
        self.roots(what, walks)
        self.times(walks)

    # --- against the runtime ---------------------------------------------------------------------------------------

    def agree(self, runtime, command, what, code=0, settings=None):
        """The program alone, with code that is optimised at once, never changes: no walk of it may differ."""
        file = self.work / "agree.txt"
        file.unlink(missing_ok=True)
        desc = "agree:output=%s,every=4" % file
        env = harness.profile_environment(self.build, runtime, [desc], settings or {"MONOCLE_RUN_ALL": "1"})
        seen = harness.run(command, env, self.work, 300)
        text = file.read_text() if file.exists() else ""
        rows = [line.split()[1:] for line in text.splitlines() if line.startswith("= ")]
        if not self.check(seen.code == code and rows, what + ": compared", seen):
            return
        compared = sum(int(r[1]) for r in rows)
        different, lost, filters = (sum(int(r[i]) for r in rows) for i in (2, 3, 4))
        print("%-34s %6d stacks like DoStackSnapshot's, %d different, %d lost, %d under filters" % (
            what, compared, different, lost, filters))
        self.check(compared > 500, what + ": there is something to compare", compared)
        self.check(percent(different, compared) <= (0 if settings else 0.1), what + ": the runtime sees the same",
                   text[:3000])
        self.check(lost == 0, what + ": every walk reaches the root", lost)

    # --- whole programs --------------------------------------------------------------------------------------------

    def compiler_command(self, folder):
        """The SDK's C# compiler over this folder's programs."""
        csc, references = configurations.where()
        response = self.work / "references.rsp"
        response.write_text("".join('-r:"%s"\n' % f for f in sorted(pathlib.Path(references).glob("*.dll"))))
        sources = sorted(str(f) for f in (configurations.HERE / "programs").glob("*.cs"))
        return ["dotnet", "exec", csc, "-nologo", "-noconfig", "-nostdlib", "-unsafe", "-langversion:13",
                "-nowarn:CS0649", "-optimize+", "-r:%s" % (folder / "shapes-il.dll"), "@%s" % response,
                "-out:%s" % (self.work / "out.dll")] + sources

    def programs_to_the_root(self, runtime, folder):
        """Together: the shorter they are, the more is seen of libraries that have only just been loaded."""
        together = []
        for exe in ("shapes", "tail"):
            if not (folder / (exe + ".dll")).exists():
                continue
            bare = self.bare(runtime, [folder / (exe + ".dll")])
            seen, walks = self.sampled(runtime, runtime.command(folder / (exe + ".dll")), ["freq=1000"])
            if self.check((seen.code, seen.out) == (bare.code, bare.out) and walks is not None,
                          "%s, %s: runs as ever" % (exe, runtime), seen):
                together += walks
        self.roots("programs, %s" % runtime, together)
        self.times(together)

    def compiler(self, runtime, folder):
        for name, settings in (("default", {}), ("no-tiering", NO_TIERING)):
            what = "the C# compiler, %s" % name
            seen, walks = self.sampled(runtime, self.compiler_command(folder), ["freq=1000"], settings)
            if self.check(seen.code == 0 and walks is not None, what + ": compiles", seen):
                self.roots(what, walks)
                self.times(walks)
        self.agree(runtime, self.compiler_command(folder), "the C# compiler")

    def web(self, runtime, folder, seconds):
        program = folder / "web/engine-web.dll"
        if not program.exists():
            self.skip("a web server", "the SDK has no ASP.NET")
            return
        file = self.work / "walks.txt"
        env = harness.profile_environment(self.build, runtime, ["walks:freq=200,output=%s" % file])
        server = subprocess.Popen([*runtime.prefix[:2], str(program)], env=env, cwd=program.parent, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  start_new_session=True)
        watchdog = threading.Timer(seconds + 90, server.kill)
        watchdog.start()
        try:
            port = int(server.stdout.readline().rsplit(":", 1)[1])
            until = time.monotonic() + seconds
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            while time.monotonic() < until:
                for page in ("/", "/json/3", "/throw", "/later"):
                    connection.request("GET", page)
                    connection.getresponse().read()
            connection.close()
            server.send_signal(signal.SIGTERM)
            server.wait(60)
        finally:
            watchdog.cancel()
            if server.poll() is None:
                server.kill()
        walks = stacks.read(file)[0] if file.exists() else []
        self.roots("a web server", walks)
        self.times(walks)

    # --- the ends of stacks ----------------------------------------------------------------------------------------

    def deep(self, runtime, folder):
        """A visitor that stops, thousands of frames, and a program that dies of them."""
        what = "deep recursion, %s" % runtime
        command = runtime.command(folder / "callers.dll") + ["deep", "2"]
        seen, walks = self.sampled(runtime, command, ["freq=500", "max=4000"])
        if self.check(seen.code == 0 and walks, what + ": runs", seen):
            self.check(any(len(w.frames) == 4000 and w.result == 1 for w in walks),
                       what + ": the visitor's limit is kept")
            self.roots(what, walks)
            self.times(walks)
        bare = self.bare(runtime, [folder / "callers.dll", "overflow"])
        seen = self.sampled(runtime, runtime.command(folder / "callers.dll") + ["overflow"], ["freq=1000"])[0]
        self.check(seen.code == bare.code and "Stack overflow" in seen.err,
                   "stack overflow, %s: dies as ever" % runtime, seen)


def main():
    suite = Walks("walks", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parser.add_argument("--seconds", type=int, default=4)
    suite.parser.add_argument("--only", default="", help="callers, agree, programs, compiler, web, deep")
    options = suite.parse(harness.NET, harness.NET)
    wanted = options.only.split(",") if options.only else ["callers", "agree", "programs", "compiler", "web", "deep"]
    folder = suite.programs()
    if not folder:
        return suite.finish()
    for runtime in suite.runtimes():
        # Bodies that take over frames differ on .NET 11; the rest is there as on .NET 10.
        for name in ("no-tiering", "osr") if options.full else ("osr",) if runtime.name == "clr11" else ("no-tiering",):
            suite.agree(runtime, runtime.command(folder / "callers.dll") + ["rounds", "3"],
                        "callers once, %s, %s" % (runtime, name), settings=configurations.SETTINGS[name])
        if not options.full:
            continue
        if "callers" in wanted:
            suite.callers(runtime, folder, "default", {}, options.seconds)
            suite.callers(runtime, folder, "no-tiering", NO_TIERING, options.seconds)
        if "agree" in wanted:
            suite.agree(runtime, runtime.command(folder / "callers.dll") + ["2"], "callers, %s" % runtime)
        if "deep" in wanted:
            suite.deep(runtime, folder)
        if runtime.name in harness.OLDER:
            continue
        if "agree" in wanted:
            suite.agree(runtime, runtime.command(folder / "shapes.dll"), "shapes, %s" % runtime, 42)
        if "programs" in wanted:
            suite.programs_to_the_root(runtime, folder)
        if "compiler" in wanted:
            suite.compiler(runtime, folder)
        if "web" in wanted:
            suite.web(runtime, folder, options.seconds)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
