#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every event at once, under load: nothing crashes, hangs or changes, and the log of the module `events` is balanced.

Three programs: load.cs does all at once on every runtime; the SDK's C# compiler must write the same assembly; a web
server answers 64 clients. The events that slow a program down most, or stop its world, have runs of their own.

  load.py --build DIR [--runtimes mono,clr8,...] [--part load,compiler,web] [--rounds N] [--seconds N]
"""
import http.client
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import balance  # noqa: E402
import harness  # noqa: E402
import rows  # noqa: E402

BUFFER = 1 << 25
PAGES = [("/", "hello"), ("/json/3", None), ("/throw", "caught"), ("/later", "thrown")]
CLIENTS = 64


def desc(words, **options):
    words = "+".join(words)
    return "events:" + ",".join(["only=" + words, "also=" + words] + ["%s=%s" % o for o in options.items()])


class Client(threading.Thread):
    def __init__(self, port, until):
        super().__init__()
        self.port, self.until = port, until
        self.asked, self.bad = 0, []

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            while time.monotonic() < self.until or self.asked < len(PAGES):
                for page, body in PAGES:
                    connection.request("GET", page)
                    answer = connection.getresponse().read().decode()
                    self.asked += 1
                    if body and answer != body:
                        self.bad.append((page, answer))
        except (OSError, http.client.HTTPException) as error:
            self.bad.append(("connection", repr(error)))


class Load(harness.Suite):
    @property
    def log(self):
        return self.work / "events.log"

    def events(self, runtime, **options):
        self.log.unlink(missing_ok=True)
        return desc(rows.words(runtime.kind), **dict({"output": self.log, "buffer": BUFFER}, **options))

    def judge(self, what, runtime, needed, whole=True):
        """The log is balanced, and holds of each of these events at least so many."""
        if not self.check(self.log.exists(), what + ": there is a log"):
            return
        with open(self.log, errors="replace") as file:
            seen = balance.Balance(runtime.kind).read(file)
        faults = seen.verdict(whole)
        self.check(not faults, what + ": the log is balanced",
                   "%d faults\n    %s" % (len(faults), "\n    ".join(faults[:12])))
        few = {e: seen.counts[e] for e, n in needed.items() if seen.counts[e] < n}
        self.check(not few, what + ": what happened is told", (few, dict(seen.lost)))
        if self.options.verbose:
            print("%s: %d events, %d lost" % (what, sum(seen.counts.values()), sum(seen.lost.values())))

    # --- everything at once -----------------------------------------------------------------------------------------

    def needed(self, runtime, settings, rounds):
        needed = {"gc_event": 8, "gc_allocation": 80 * rounds, "gc_handle_created": 8 * rounds,
                  "exception_throw": 12 * rounds,
                  "method_enter": 30 * rounds, "jit_done": 20, "monitor_contention": 2, "thread_started": rounds + 10,
                  "image_loaded": 2 + rounds // 20, "gc_finalizing": 1, "class_loaded": 100}
        if runtime.kind == "coreclr":
            needed.update({"exception_phase": 50 * rounds, "suspension": 8, "code_search": 100, "jit_inlining": 1,
                           "image_unloaded": 1, "thread_os_id": rounds + 10})
            if settings.get("DOTNET_ReadyToRun") == "0":
                del needed["code_search"]  # there is nothing to look for
        return needed

    def program(self, runtime, settings, module, rounds, what):
        exe = self.build.path / "test/conformance/events/events-load.exe"
        what = "%s on %s %s" % (what, runtime, " ".join("%s=%s" % s for s in settings.items()))
        command = runtime.command(exe) + [str(rounds)]
        if runtime.name not in self.bare:
            self.bare[runtime.name] = harness.run(command, harness.bare_environment(), self.work, 300)
        env = harness.profile_environment(self.build, runtime, [module], settings)
        seen, bare = harness.run(command, env, self.work, 300), self.bare[runtime.name]
        self.check((seen.code, seen.out) == (bare.code, bare.out) and seen.code == 3, what + ": runs as it would", seen)
        return what, seen

    def everything(self, runtime, settings, rounds):
        what, _ = self.program(runtime, settings, self.events(runtime), rounds, "every event")
        self.judge(what, runtime, self.needed(runtime, settings, rounds))

    def small_buffer(self, runtime, rounds):
        """Lines are lost and said to be; the program does not wait for them."""
        module = self.events(runtime, output="/dev/null", buffer=1 << 17)
        what, seen = self.program(runtime, {}, module, rounds, "a small buffer")
        told = re.findall(r"monocle: events: (\d+) lines are missing from /dev/null", seen.err)
        self.check(len(told) <= 1, what + ": loss is told once", seen)

    def apart(self, runtime, rounds):
        """What stops the world longer or comes with every call into native code."""
        for event in sorted(rows.APART):
            self.log.unlink(missing_ok=True)
            module = desc([event, "gc_event"], output=self.log, buffer=BUFFER)
            what, _ = self.program(runtime, {}, module, rounds, event)
            self.judge(what, runtime, {event: 1, "gc_event": 8})

    def load(self, runtimes):
        self.bare, rounds = {}, self.options.rounds
        for runtime in runtimes:
            every_setting = runtime.name in self.newer or (self.options.all and runtime.kind == "coreclr")
            for settings in rows.SETTINGS if every_setting else [{}]:
                self.everything(runtime, settings, rounds)
            self.small_buffer(runtime, rounds)
            if runtime.kind == "coreclr":
                self.apart(runtime, rounds)

    # --- the compiler -----------------------------------------------------------------------------------------------

    def compiler(self, runtime):
        where = subprocess.run([str(HERE.parent / "programs/csc.sh"), "--where"], capture_output=True,
                               text=True).stdout.strip()
        if not where:
            self.skip("the SDK's compiler", "there is none, or no class library of Mono's to compile for", "coreclr")
            return
        target = self.work / "language.exe"
        command = runtime.command(where) + ["-nologo", "-noconfig", "-nostdlib", "-unsafe", "-deterministic",
                                            "-out:%s" % target, "-r:/usr/lib/mono/4.5/mscorlib.dll",
                                            "-r:/usr/lib/mono/4.5/System.Core.dll",
                                            HERE.parent / "programs/language.cs"]
        bare = harness.run(command, harness.bare_environment(), self.work, 300)
        if not self.check(bare.code == 0, "the compiler compiles", bare):
            return
        plain = target.read_bytes()
        # Calls of Main's image are written; those of everything fill no disk.
        for what, module in (("the compiler, every event", self.events(runtime, callspec="csc")),
                             ("the compiler, every call", self.events(runtime, callspec="program",
                                                                      output="/dev/null"))):
            target.unlink(missing_ok=True)
            env = harness.profile_environment(self.build, runtime, [module], {"MONOCLE_RUN_ALL": "1"})
            seen = harness.run(command, env, self.work, 600)
            self.check((seen.code, seen.out) == (bare.code, bare.out), what + ": says the same", seen)
            self.check(target.exists() and target.read_bytes() == plain,
                       what + ": the assembly is the same byte for byte")
            if "/dev/null" not in module:
                self.judge(what, runtime, {"jit_done": 100, "class_loaded": 1000, "gc_allocation": 50000})

    # --- a web server -----------------------------------------------------------------------------------------------

    def built(self):
        """The engine suite's program; None after a skip."""
        made = self.build.path / "test/engine/programs/web/engine-web.dll"
        if made.exists():
            return made
        self.skip("web", "not compiled: the SDK has no ASP.NET, or there is no mcs", "coreclr")
        return None

    def serve(self, runtime, program, env, seconds):
        # What the server says goes to files: nobody reads pipes while it runs.
        with open(self.work / "web.out", "w+") as out, open(self.work / "web.err", "w+") as err:
            server = subprocess.Popen(runtime.prefix[:2] + [str(program)], env=env, cwd=self.work,
                                      stdin=subprocess.DEVNULL,
                                      stdout=out, stderr=err, start_new_session=True)
            watchdog = threading.Timer(seconds + 200, server.kill)
            watchdog.start()
            port, until = None, time.monotonic() + 60
            while not port and server.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
                port = re.search(r":(\d+)$", (self.work / "web.out").read_text().strip())
            clients = [Client(int(port[1]), time.monotonic() + seconds) for _ in range(CLIENTS)] if port else []
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            server.send_signal(signal.SIGTERM)
            server.wait()
            watchdog.cancel()
            out.seek(0)
            err.seek(0)
            return clients, harness.Outcome(server.returncode, out.read(), err.read())

    def web(self, runtime):
        program = self.built()
        for settings in ({}, {"DOTNET_gcServer": "1"}) if program else ():
            what = "web server, 64 clients %s" % " ".join("%s=%s" % s for s in settings.items())
            env = harness.profile_environment(self.build, runtime, [self.events(runtime)], settings)
            clients, seen = self.serve(runtime, program, env, self.options.seconds)
            bad = [b for c in clients for b in c.bad]
            asked = sum(c.asked for c in clients)
            self.check(asked >= CLIENTS * len(PAGES) and not bad, what + ": every request is answered",
                       (asked, bad[:5], str(seen)))
            self.check(seen.code == 0 and "stopped" in seen.out, what + ": it stops when asked", seen)
            self.judge(what, runtime, {"exception_throw": asked // 4, "gc_allocation": asked,
                                       "method_enter": asked // 4})
            print("%s: %d requests" % (what, asked))


def main():
    suite = Load("events-load", __doc__)
    suite.parser.add_argument("--runtimes", default=harness.ALL)
    suite.parser.add_argument("--part", default="load,compiler,web")
    suite.parser.add_argument("--all", action="store_true", help="every setting on .NET 8 and 9, too")
    suite.parser.add_argument("--rounds", type=int, default=40, help="how long load.cs works")
    suite.parser.add_argument("--seconds", type=int, default=1, help="how long the clients ask")
    options = suite.parse()
    runtimes = suite.runtimes(options.runtimes.split(","))
    if not suite.build.module("events"):
        suite.skip("events", "not compiled: libffi was absent")
        return suite.finish()
    parts = options.part.split(",")
    if "load" in parts and (suite.build.path / "test/conformance/events/events-load.exe").exists():
        suite.load(runtimes)
    for runtime in (r for r in runtimes if r.name in suite.newer):
        if "compiler" in parts:
            suite.compiler(runtime)
        if "web" in parts:
            suite.web(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
