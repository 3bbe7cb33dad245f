#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bigger hosts than a console program: `dotnet test` with xunit, and a web server under requests.

The SDK's own processes decline to be profiled; the test host does not, and says the same as without us. The server
answers every request, and its handlers are counted once per request. The tests, whose packages have to be fetched, run
with --full, and a server whose every method is probed.
"""
import collections
import http.client
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import configurations
import harness

PAGES = [("/", "hello", "Handlers:Hello"), ("/json/3", None, "Handlers:Json"), ("/throw", "caught", "Handlers:Throw"),
         ("/later", "thrown", "Handlers:Later ")]


class Client(threading.Thread):
    """Asks for the pages in turn until it has asked enough, and until the time is over."""

    ENOUGH = 60

    def __init__(self, port, until):
        super().__init__()
        self.port, self.until = port, until
        self.asked = collections.Counter()
        self.bad = []

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            while time.monotonic() < self.until or self.asked.total() < self.ENOUGH:
                for page, body, _ in PAGES:
                    connection.request("GET", page)
                    answer = connection.getresponse().read().decode()
                    self.asked[page] += 1
                    if body and answer != body:
                        self.bad.append((page, answer))
        except (OSError, http.client.HTTPException) as error:
            self.bad.append(("connection", repr(error)))


class Hosts(configurations.EngineSuite):
    def built(self):
        """The project of tests, built in the build folder; None after a skip with the reason."""
        source = configurations.HERE / "programs/xunit"
        out = self.build.path / "test/engine/xunit"
        out.mkdir(parents=True, exist_ok=True)
        for file in source.iterdir():
            if not (out / file.name).exists() or (out / file.name).read_bytes() != file.read_bytes():
                shutil.copy(file, out)
        env = harness.bare_environment({"DOTNET_CLI_USE_MSBUILD_SERVER": "0"})
        made = harness.run(["dotnet", "build", "-nologo", "-c", "Release", "-nodeReuse:false",
                            "-p:UseSharedCompilation=false"],
                           env, out, 240)
        if made.code != 0:
            lines = [x for x in (made.out + made.err).splitlines() if "error" in x] or ["no reason given"]
            self.skip("xunit", "cannot be built: " + lines[0].strip(), "nuget")
            return None
        return out

    # --- dotnet test -----------------------------------------------------------------------------------------------

    def tests(self, runtime, folder, options):
        command = ["dotnet", "test", "-nologo", "-c", "Release", "--no-build", "--logger", "console;verbosity=normal"]
        # The runner kills a test host that takes longer than 100 ms to end, which would cut the counts off.
        settings = {"DOTNET_CLI_USE_MSBUILD_SERVER": "0", "MSBUILDDISABLENODEREUSE": "1",
                    "VSTEST_TESTHOST_SHUTDOWN_TIMEOUT": "60000"}
        env = harness.bare_environment(settings)
        if options is not None:
            desc = "tokens:" + ",".join(options + ["output=%s" % (self.work / "tests.tsv")])
            env = harness.profile_environment(self.build, runtime, [desc], settings)
        return harness.run(command, env, folder, 240)

    @staticmethod
    def verdicts(seen):
        lines = [re.sub(r" \[[<\d][^]]*\]", "", x.strip()) for x in seen.out.splitlines()]
        outcome = re.compile(r"(Passed|Failed|Skipped) |(Total|Passed|Failed|Skipped)( tests)?: ")
        return sorted(x for x in lines if outcome.match(x))

    def test_host(self, runtime):
        folder = self.built()
        if not folder:
            return
        bare = self.tests(runtime, folder, None)
        self.check(len(self.verdicts(bare)) > 40, "dotnet test runs", bare)
        for what, options in (("own methods", ["image=engine-xunit"]), ("everything", [])):
            (self.work / "tests.tsv").unlink(missing_ok=True)
            seen = self.tests(runtime, folder, options)
            self.check((seen.code, self.verdicts(seen)) == (bare.code, self.verdicts(bare)),
                       "dotnet test, %s: the same verdicts" % what, seen)
            if self.check((self.work / "tests.tsv").exists(), "dotnet test, %s: the test host is profiled" % what,
                          seen):
                self.judge_tests("dotnet test, " + what, configurations.read_tokens(self.work / "tests.tsv"))

    def judge_tests(self, what, counts):
        self.sound(what, counts)
        rows = {counts.names[k]: r for k, r in counts.rows.items() if k[0] == "engine-xunit"}
        self.check(rows.get("Tests:Factorial (int)", configurations.Row(0, 0, 0, 0, 0))[:4] == (19, 18, 0, 1),
                   what + ": Factorial", rows)
        self.check(rows.get("Tests:Sums (int)", [0])[0] == 40, what + ": Sums", rows)

    # --- a web server ----------------------------------------------------------------------------------------------

    def serve(self, runtime, folder, options, seconds):
        """Requests of four clients; what they asked, what went wrong, the server's outcome and counts."""
        file = self.work / "web.tsv"
        file.unlink(missing_ok=True)
        desc = "tokens:" + ",".join(options + ["output=%s" % file])
        env = harness.profile_environment(self.build, runtime, [desc])
        command = runtime.prefix[:2] + [str(folder / "engine-web.dll")]
        server = subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, start_new_session=True)
        watchdog = threading.Timer(seconds + 90, server.kill)
        watchdog.start()
        line = server.stdout.readline()
        port = re.search(r":(\d+)$", line.strip())
        clients = [Client(int(port[1]), time.monotonic() + seconds) for _ in range(4)] if port else []
        for c in clients:
            c.start()
        for c in clients:
            c.join()
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate()
        watchdog.cancel()
        asked = sum((c.asked for c in clients), collections.Counter())
        bad = [b for c in clients for b in c.bad]
        counts = configurations.read_tokens(file) if file.exists() else None
        return asked, bad, harness.Outcome(server.returncode, line + out, err), counts

    def web_folder(self):
        folder = self.build.path / "test/engine/programs/web"
        if (folder / "engine-web.dll").exists():
            return folder
        self.skip("a web server", "not compiled: the SDK has no ASP.NET, or there is no mcs", "coreclr")
        return None

    def web(self, runtime, folder, seconds):
        for what, options in (("own methods", ["image=engine-web"]), ("everything", []))[:1 + self.options.full]:
            what = "web server, " + what
            asked, bad, seen, counts = self.serve(runtime, folder, options, seconds)
            self.check(sum(asked.values()) >= 4 * Client.ENOUGH and not bad, what + ": every request is answered",
                       (asked, bad[:5], str(seen)))
            self.check(seen.code == 0 and "stopped" in seen.out, what + ": it stops when asked", seen)
            if self.check(counts is not None, what + ": the module wrote its counts", seen):
                print("%s: %d requests, %d definitions" % (what, sum(asked.values()), len(counts.rows)))
                self.judge_web(what, asked, counts)

    def judge_web(self, what, asked, counts):
        # Threads of the pool end whenever they like, also inside their last call while the process goes down.
        self.check(counts.lost == 0 and counts.mismatches[0] == "0", what + ": calls nest", counts.mismatches)
        bad = configurations.unbalanced(counts)
        self.check(not bad, what + ": enters = exits + open", "\n    " + "\n    ".join(bad))
        for page, _, method in PAGES:
            got = sum(r.enter for k, r in counts.rows.items()
                      if k[0] == "engine-web" and counts.names[k].startswith(method))
            wanted = asked[page] + (asked["/later"] if page == "/throw" else 0)
            self.check(got == wanted, what + ": %s once per request" % method, (got, wanted))


def main():
    suite = Hosts("engine-hosts", __doc__)
    suite.parser.add_argument("--every", action="store_true", help="requests for ten seconds instead of two")
    options = suite.parse()
    for runtime in suite.runtimes(suite.newer):
        if options.full:
            suite.test_host(runtime)
        folder = suite.web_folder()
        if folder:
            suite.web(runtime, folder, 10 if options.every else 2 if options.full else 0)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
