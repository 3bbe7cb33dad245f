#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is what is read of a running server ever wrong, and does the server notice?

One Kestrel process (test/engine/programs/web) under `sample` serves 64 clients (web_load.c), while its profile is read
from outside again and again: by report, flame, diff, convert and `ctl snapshot` in turn. Each has to succeed; what was
counted can only become more, to the end, where the server's own file has all of it; each request has to be answered,
and the server has to end as ever. Not in any suite: a thousand rounds take minutes.

  live.py --build DIR [--rounds N] [--clients N]
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TEST), str(TEST / "engine")]
import harness  # noqa: E402
import hosts  # noqa: E402
import pprof  # noqa: E402


class Load:
    """Clients, round after round, until they are told to end."""

    def __init__(self, suite, port, pid):
        self.ours, theirs = socket.socketpair()
        self.is_over, self.failures, self.answers = False, [], 0
        self.command = [suite.build.path / "test/bench/web-load", port, "/work", suite.options.clients, pid,
                        theirs.fileno(), 10, 200]
        self.theirs = theirs
        self.threads = [threading.Thread(target=self.echo, daemon=True), threading.Thread(target=self.run)]
        for thread in self.threads:
            thread.start()

    def echo(self):
        while True:
            got = self.ours.recv(1)
            if not got:
                return
            self.ours.send(got)

    def run(self):
        while not self.is_over:
            made = subprocess.run([str(c) for c in self.command], capture_output=True, text=True,
                                  pass_fds=[self.theirs.fileno()])
            if made.returncode:
                self.failures.append(made.stderr)
            self.answers += sum(int(n) for line in made.stdout.splitlines() for n in line.split("\t")[1::2])

    def end(self):
        self.is_over = True
        self.threads[1].join()


class Live(hosts.Hosts):
    def start(self, runtime, folder):
        self.output = self.work / "web.pb.gz"
        env = harness.profile_environment(self.build, runtime, ["sample:output=%s" % self.output],
                                          {"XDG_RUNTIME_DIR": str(self.work)})
        command = runtime.prefix[:2] + [str(folder / "engine-web.dll")]
        return subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def monocle(self, *words):
        made = harness.run([self.build.monocle, *[str(w) for w in words]], harness.bare_environment(), cwd=self.work)
        return None if made.code else made.out or "", made

    def read_once(self, number, pid):
        """What is wrong, or nothing."""
        now = self.work / "now.pb.gz"
        way = number % 5
        if way == 0:
            out, made = self.monocle("report", pid, "--format=json")
            return str(made) if out is None or not json.loads(out) else ""
        if way == 1:
            out, made = self.monocle("flame", pid, "-o", self.work / "now.html")
            page = (self.work / "now.html").read_text() if out is not None else ""
            return "" if page.rstrip().endswith("</html>") else str(made)
        if way == 2:
            out, made = self.monocle("diff", now, pid) if now.exists() else ("", None)
            return str(made) if out is None else ""
        now.unlink(missing_ok=True)
        out, made = self.monocle("convert", pid, "--to=pprof", "-o", now) if way == 3 else \
            self.monocle("ctl", pid, "snapshot", "sample", "-o", now)
        if out is None:
            return str(made)
        sums = [sum(values[i] for _, values, _ in pprof.load(str(now)).samples) for i in range(2)]
        wrong = "" if sums >= self.sums else "there were %s, now there are %s" % (self.sums, sums)
        self.sums = sums
        return wrong

    def see(self, runtime, folder):
        server = self.start(runtime, folder)
        self.sums, wrong, begun = [0, 0], [], time.monotonic()
        port = re.search(r":(\d+)$", server.stdout.readline().strip())[1]
        load = Load(self, port, server.pid)
        try:
            time.sleep(2)
            for number in range(self.options.rounds):
                problem = self.read_once(number, server.pid)
                if problem:
                    wrong.append("round %d: %s" % (number, problem))
        finally:
            load.end()
            server.send_signal(signal.SIGTERM)
            _, err = server.communicate()
        print("%d rounds in %.0f s, %d answers, %d samples seen last" % (
            self.options.rounds, time.monotonic() - begun, load.answers, self.sums[0]))
        self.check(not wrong, "no wrong profile", "%d of them; %s" % (len(wrong), wrong[:3]))
        self.check(not load.failures and load.answers, "every request is answered", load.failures[:3])
        self.check(server.returncode == 0, "the server ends as ever", err)
        last = sum(values[0] for _, values, _ in pprof.load(str(self.output)).samples)
        self.check(last >= self.sums[0], "its own file has all of it", (last, self.sums))


def main():
    suite = Live("bench-live", __doc__)
    suite.parser.add_argument("--rounds", type=int, default=1000)
    suite.parser.add_argument("--clients", type=int, default=64)
    suite.parse()
    os.nice(5)
    runtimes = suite.runtimes(["clr10"])
    folder = suite.web_folder() if runtimes else None
    if folder:
        suite.see(runtimes[0], folder)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
