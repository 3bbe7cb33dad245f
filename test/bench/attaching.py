#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it takes to come into a web server that runs, and what the server loses by being looked at.

Kestrel (test/engine/programs/web) with 200 images serves clients (web_load.c). A thread of it does nothing but read the
clock, and tells of each moment in which it did not run (images.cs). Rounds take turns:

  nothing     for a second: what the machine itself does to that thread
  attach      a module (first.c) tells when its first sample came; its time is a second
  trace       the same with dotnet-trace, until the first bytes of its file, where TOOLS has it

and then nobody looks for some seconds, and `monocle top`, `stat`, and dotnet-counters do, and `attach` samples. Given
are medians with the quickest and the slowest. The longest moment is that of the second; on a busy machine it may be
the machine's. TOOLS is a folder of `dotnet tool install --tool-path TOOLS`. Not in any suite, since it takes minutes.

  attaching.py --build DIR [--rounds N] [--looks N] [--clients N] [--images N] [--seconds N] [--tools TOOLS]
"""
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TEST), str(TEST / "engine"), str(TEST / "bench")]
import harness  # noqa: E402
import hosts  # noqa: E402
import live  # noqa: E402

WARM = 5  # seconds
PAUSE = 20  # milliseconds, that no attach is to take
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(pid):
    """Seconds that the process has used."""
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def shown(values, unit="ms"):
    return "%6.1f %s (%.1f .. %.1f)" % (statistics.median(values), unit, min(values), max(values))


class Attaching(hosts.Hosts):
    def start(self, runtime, folder):
        self.gaps, self.first = self.work / "gaps", self.work / "first"
        hook = self.build.path / "test/bench/images.dll"
        env = harness.bare_environment({"TMPDIR": "/tmp", "DOTNET_STARTUP_HOOKS": str(hook), "GAPS": str(self.gaps),
                                        "IMAGES": str(self.options.images)})
        command = runtime.prefix[:2] + [str(folder / "engine-web.dll")]
        self.server = subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True)
        return re.search(r":(\d+)$", self.server.stdout.readline().strip())[1]

    def tool(self, name):
        path = self.options.tools and self.options.tools / ("dotnet-" + name)
        return path if path and path.exists() else None

    def environment(self):
        return harness.bare_environment({"TMPDIR": "/tmp", "MONOCLE_MODULE_PATH": str(self.build.path / "test/bench")})

    def longest(self, begun, ended):
        """Milliseconds of the longest moment between the two."""
        rows = [line.split("\t") for line in self.gaps.read_text().splitlines()]
        return max([int(row[1]) for row in rows if len(row) == 2 and begun <= int(row[0]) <= ended] or [0]) / 1e6

    def nothing(self):
        time.sleep(1)
        return []

    def attach(self):
        begun = time.monotonic_ns()
        made = harness.run([self.build.monocle, "attach", self.server.pid, "-q", "--profile=first:%s" % self.first,
                            "--duration=1s"], self.environment(), cwd=self.work)
        told = self.first.read_text() if self.first.exists() else ""
        if not self.check(told.endswith("\n"), "a sample comes", made):
            return []
        self.first.unlink()
        return [(int(told) - begun) / 1e6]

    def trace(self):
        file = self.work / "t.nettrace"
        begun = time.monotonic()
        tool = subprocess.Popen([self.tool("trace"), "collect", "-p", str(self.server.pid), "-o", file, "--duration",
                                 "00:00:00:02"], env=self.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while tool.poll() is None and not (file.exists() and file.stat().st_size):
            time.sleep(0.001)
        shown_at = time.monotonic()
        self.check(tool.wait() == 0, "dotnet-trace ends well", tool.returncode)
        file.unlink(missing_ok=True)
        return [(shown_at - begun) * 1e3]

    def rounds(self):
        ways = [self.nothing, self.attach] + ([self.trace] if self.tool("trace") else [])
        pauses, firsts = {way: [] for way in ways}, {way: [] for way in ways}
        for _ in range(self.options.rounds):
            for way in ways:
                begun = time.monotonic_ns()
                firsts[way] += way()
                pauses[way].append(self.longest(begun, time.monotonic_ns()))
        for way in ways:
            first = "; first sample after " + shown(firsts[way]) if firsts[way] else ""
            late = sum(pause > PAUSE for pause in pauses[way])
            print("%-8s longest moment %s, %d of %d over %d ms%s" % (way.__name__, shown(pauses[way]), late,
                                                                     len(pauses[way]), PAUSE, first))

    def watched(self, command):
        """What the server and the command use, in percent of a CPU, and the server's answers a second."""
        seconds = self.options.seconds
        tool = command and subprocess.Popen([str(word) for word in command], env=self.environment(), cwd=self.work,
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        answers, begun = self.load.answers, time.monotonic()
        own, servers = tool and cpu_of(tool.pid), cpu_of(self.server.pid)
        time.sleep(seconds)
        took = time.monotonic() - begun
        result = [100 * (cpu_of(tool.pid) - own) / took if tool else 0,
                  (cpu_of(self.server.pid) - servers) / max(self.load.answers - answers, 1) * 1e6]
        if tool:
            tool.send_signal(signal.SIGINT)
            _, err = tool.communicate()
            self.check(tool.returncode == 0 or command[0] != self.build.monocle, "%s ends well" % command[1], err)
        return result

    def looks(self):
        pid, monocle = self.server.pid, self.build.monocle
        ways = {"nobody": None, "top": [monocle, "top", pid, "--plain"], "stat": [monocle, "stat", pid],
                "sample": [monocle, "attach", pid, "-q", "--duration=1h", "-o", self.work / "s.pb.gz"]}
        if self.tool("counters"):
            ways["counters"] = [self.tool("counters"), "collect", "-p", pid, "--format", "csv", "-o",
                                self.work / "c.csv"]
        rows = {name: [] for name in ways}
        for _ in range(self.options.looks):
            for name, command in ways.items():
                rows[name].append(self.watched(command))
        bare = statistics.median(row[1] for row in rows["nobody"])
        for name, values in rows.items():
            own, server = zip(*values)
            print("%-8s itself %s of a CPU; the server %.3f of bare (%s per answer)" % (
                name, shown(own, "%"), statistics.median(server) / bare, shown(server, "us")))

    def measure(self, runtime, folder):
        self.load = live.Load(self, self.start(runtime, folder), self.server.pid)
        try:
            time.sleep(WARM)
            maps = pathlib.Path("/proc/%d/maps" % self.server.pid).read_text()
            print("%s: %d images, %d clients, load %.1f" % (runtime, len(set(re.findall(r"/\S+\.dll$", maps, re.M))),
                                                          self.options.clients, os.getloadavg()[0]))
            self.rounds()
            if self.options.looks:
                self.looks()
        finally:
            self.load.end()
            self.server.send_signal(signal.SIGTERM)
            _, err = self.server.communicate()
        self.check(not self.load.failures and self.load.answers, "every request is answered", self.load.failures[:3])
        self.check(self.server.returncode == 0 and not err, "the server ends as ever", err)


def main():
    suite = Attaching("bench-attaching", __doc__)
    suite.parser.add_argument("--rounds", type=int, default=15)
    suite.parser.add_argument("--looks", type=int, default=3)
    suite.parser.add_argument("--clients", type=int, default=64)
    suite.parser.add_argument("--images", type=int, default=200)
    suite.parser.add_argument("--seconds", type=float, default=10)
    suite.parser.add_argument("--runtime", default="clr10")
    suite.parser.add_argument("--tools", type=pathlib.Path, help="a folder that has dotnet-trace and dotnet-counters")
    suite.parse()
    runtimes = suite.runtimes([suite.options.runtime])
    folder = suite.web_folder() if runtimes else None
    if folder:
        suite.measure(runtimes[0], folder)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
