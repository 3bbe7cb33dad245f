#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does a server that is attached to say the same as one that was started with the module, and does it lose a request?

Two Kestrel processes (test/engine/programs/web) of the same kind, one after the other, serve 64 clients (web_load.c).
One was started with `sample`, which is told to forget what it knows when the server is warm, and gives a snapshot after
SECONDS. The other one was started with nothing of ours, and is attached to for SECONDS when it is warm. Every request
has to be answered, and each method's share, self and total, has to be the same within POINTS. Left out are threads of
the pool that look for work and find none, which was a third to a half of all, and the compiler: how long the ones spin,
and how much the other has still to do, differs from process to process. Not in any suite: on a busy machine the shares
of the two processes differ by themselves.

  attached.py --build DIR [--rounds N] [--seconds N] [--clients N] [--points N] [--runtime clr10]
"""
import re
import signal
import statistics
import subprocess
import sys
import time
import pathlib

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TEST), str(TEST / "engine"), str(TEST / "bench")]
import harness  # noqa: E402
import hosts  # noqa: E402
import live  # noqa: E402

RATE = 1000
WARM = 10  # seconds
LEAST = 2  # percent of a share that is shown
LEFT_OUT = r"LowLevelLifoSemaphore|^\[tiered compilation\]$"


class Attached(hosts.Hosts):
    def start(self, runtime, folder, module):
        env = harness.bare_environment()
        if module:
            env = harness.profile_environment(self.build, runtime, [module])
        env["XDG_RUNTIME_DIR"] = str(self.work)
        env.pop("DOTNET_EnableDiagnostics", None)
        command = runtime.prefix[:2] + [str(folder / "engine-web.dll")]
        return subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def monocle(self, *words):
        env = dict(harness.bare_environment(), XDG_RUNTIME_DIR=str(self.work))
        made = harness.run([self.build.monocle, *[str(word) for word in words]], env, cwd=self.work)
        self.check(made.code == 0, "monocle " + " ".join(str(word) for word in words), made)
        return made.out

    def started(self, pid, file):
        self.monocle("ctl", pid, "reset")
        time.sleep(self.options.seconds)
        self.monocle("ctl", pid, "snapshot", "sample", "-o", file)

    def attached(self, pid, file):
        self.monocle("attach", pid, "--profile=sample:freq=%d" % RATE, "--duration=%ds" % self.options.seconds, "-q",
                     "-o", file)

    def shares(self, file):
        """{(method, "self" or "total"): percent}"""
        report = self.monocle("report", "--all-frames", "--format=tsv", "--ignore=" + LEFT_OUT, file)
        lines = [line.split("\t") for line in report.splitlines()]
        columns = {kind: lines[0].index(kind + "_cpu_ns") for kind in ("self", "total")}
        whole = sum(int(cells[columns["self"]]) for cells in lines[1:])
        self.whole = whole / 1e9
        return {(cells[0], kind): 100 * int(cells[at]) / whole for cells in lines[1:] for kind, at in columns.items()}

    def measure(self, runtime, folder, way, module):
        server, file = self.start(runtime, folder, module), self.work / "web.pb.gz"
        try:
            port = re.search(r":(\d+)$", server.stdout.readline().strip())[1]
            load = live.Load(self, port, server.pid)
            try:
                time.sleep(WARM)
                way(server.pid, file)
                time.sleep(1)
            finally:
                load.end()
        finally:
            server.send_signal(signal.SIGTERM)
            err = server.communicate()[1]
        name = "%s, %s" % (runtime, way.__name__)
        self.check(not load.failures and load.answers, name + ": every request is answered", load.failures[:3])
        self.check(server.returncode == 0 and not err, name + ": the server ends as ever", err)
        found = self.shares(file)
        print("%s: %d answers, %d failures, %.1f s of CPU in the profile" % (
            name, load.answers, len(load.failures), self.whole))
        sys.stdout.flush()
        file.unlink()
        return found

    def compare(self, runtime, folder):
        rounds = {self.started: [], self.attached: []}
        for _ in range(self.options.rounds):
            for way, module in (self.started, "sample:freq=%d,output=%s" % (RATE, self.work / "own")), (self.attached,
                                                                                                        None):
                rounds[way].append(self.measure(runtime, folder, way, module))
        names = {name for found in rounds.values() for one in found for name in one}
        middle = {way: {name: statistics.median(one.get(name, 0) for one in found) for name in names}
                  for way, found in rounds.items()}
        one, other = middle[self.started], middle[self.attached]
        print("%8s %8s %8s" % ("started", "attached", "points"))
        for name in sorted(names, key=lambda name: -one[name]):
            if max(one[name], other[name]) >= LEAST:
                print("%8.2f %8.2f %+8.2f  %s of %s" % (one[name], other[name], other[name] - one[name], name[1],
                                                      name[0]))
        far = {name: other[name] - one[name] for name in names if abs(other[name] - one[name]) > self.options.points}
        worst = max(names, key=lambda name: abs(other[name] - one[name]))
        print("the farthest apart: %+.2f points, %s of %s" % (other[worst] - one[worst], worst[1], worst[0]))
        self.check(not far, "%s: shares are equal within %g points" % (runtime, self.options.points), far)


def main():
    suite = Attached("bench-attached", __doc__)
    suite.parser.add_argument("--rounds", type=int, default=3)
    suite.parser.add_argument("--seconds", type=int, default=10)
    suite.parser.add_argument("--clients", type=int, default=64)
    suite.parser.add_argument("--points", type=float, default=2)
    suite.parser.add_argument("--runtime", default="clr10")
    options = suite.parse()
    runtimes = suite.runtimes([options.runtime])
    folder = suite.web_folder() if runtimes else None
    if folder:
        suite.compare(runtimes[0], folder)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
