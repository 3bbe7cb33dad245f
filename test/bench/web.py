#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a web server under full load loses by a module: requests a second, on against off.

One Kestrel process (test/engine/programs/web) serves 64 clients (web_load.c) on the same CPUs, while what the module
does is switched on and off in turn (switched/): two processes of this kind differ by more than any module costs. A
figure is the mean of the pairs' ratios without their outer tenths, with its 95 % interval (bootstrap); *CPU* is the
server's CPU time for an answer, by the same pairs. *nothing* switches nothing: what the measurement is worth. *kernel*
has the kernel send the samples to a handler that does nothing, with nothing of ours in the process (switched/floor.c).

What stays while a module is off is not in these figures: probes in code, exceptions that the runtime announces.

  web.py --build DIR [--pairs N] [--milliseconds N] [--clients N] [--pages LIST] [--only LABEL,LABEL] [--smoke]
"""
import math
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TEST), str(TEST / "bench"), str(TEST / "engine")]
import harness  # noqa: E402
import hosts  # noqa: E402
import sampling  # noqa: E402

GOAL = 98  # percent of the requests, under `sample` as it comes

# What is measured: its module, the engine that samples, and the pages that show it.
PAGES = "/json/3", "/throw", "/work"
ROWS = {
    "nothing": ("floor:0", "", PAGES),
    "kernel 1 Hz": ("floor:1", "", PAGES[2:]),
    "kernel 100 Hz": ("floor:100", "", PAGES[2:]),
    "by perf 100 Hz": ("sample:freq=100", "perf", PAGES[2:]),
    "sample": ("sample", "", PAGES),
    "kernel 1000 Hz": ("floor:1000", "", PAGES),
    "sample 1000 Hz": ("sample:freq=1000", "", PAGES),
    "calls": ("calls", "", PAGES),
    "exceptions": ("exceptions", "", PAGES[:2]),
}


def ratio(pairs):
    """In percent, with its interval. Of logarithms, so that twice as much and half as much weigh the same."""
    logarithms = [math.log(on / off) for on, off in pairs]
    low, high = sampling.middle(sampling.resampled(logarithms))
    return [100 * math.exp(x) for x in (sampling.trimmed(logarithms), low, high)]


class Web(hosts.Hosts):
    def start(self, runtime, folder, module, engine, switch):
        desc = module if module.startswith("floor") else \
            module + ("," if ":" in module else ":") + "output=%s" % (self.work / "web.out")
        settings = {"MONOCLE_SWITCH": str(switch), "MONOCLE_SAMPLER": engine}
        env = harness.profile_environment(self.build, runtime, [desc], settings)
        env["MONOCLE_MODULE_PATH"] = str(self.build.path / "test/bench/switched")
        command = runtime.prefix[:2] + [str(folder / "engine-web.dll")]
        return subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True, pass_fds=[switch])

    def load(self, port, page, pid, switch, pairs):
        """Rows of answers and nanoseconds, off and on."""
        options = self.options
        command = [self.build.path / "test/bench/web-load", port, page, options.clients, pid, switch, pairs,
                   options.milliseconds]
        made = subprocess.run([str(c) for c in command], capture_output=True, text=True, pass_fds=[switch], timeout=600)
        self.check(made.returncode == 0, "%s is answered" % page, made.stderr)
        return [[int(n) for n in line.split("\t")[1:]] for line in made.stdout.splitlines()]

    def measure(self, runtime, folder, label):
        module, engine, pages = ROWS[label]
        wanted = self.options.pages.split(",") if self.options.pages else pages
        ours, theirs = socket.socketpair()
        server = self.start(runtime, folder, module, engine, theirs.fileno())
        watchdog = threading.Timer(900, server.kill)
        watchdog.start()
        try:
            port = re.search(r":(\d+)$", server.stdout.readline().strip())
            for page in [p for p in pages if p in wanted] if port else []:
                self.load(port[1], page, server.pid, ours.fileno(), self.options.warm)  # compiles
                self.tell(label, page, self.load(port[1], page, server.pid, ours.fileno(), self.options.pairs))
        finally:
            server.send_signal(signal.SIGTERM)
            _, err = server.communicate()
            watchdog.cancel()
            ours.close()
            theirs.close()
        self.check(port and server.returncode == 0, "%s: the server serves and stops" % label, err)
        for line in err.splitlines() if self.options.verbose else []:
            print("  " + line)
        for file in self.work.glob("web.out*"):
            if self.options.verbose:
                print("  " + self.comment(file))
            file.unlink()

    def comment(self, file):
        made = subprocess.run([self.build.monocle, "report", file], capture_output=True, text=True)
        return " ".join(line for line in made.stdout.splitlines() if "Hz" in line)

    def tell(self, label, page, rows):
        rows = [r for r in rows if all(r)]
        if len(rows) < 2:
            return
        share, low, high = ratio((on, off) for off, _, on, _ in rows)
        cpu, cpu_low, cpu_high = ratio((on_cpu / on, off_cpu / off) for off, off_cpu, on, on_cpu in rows)
        rate = statistics.median(r[0] for r in rows) * 1000 / self.options.milliseconds
        bound = "   >= %d %%%s" % (GOAL, "" if share >= GOAL else " !") if label == "sample" else ""
        print("%-16s %-8s %7.0f/s   %5.1f %% of the requests  [%.1f, %.1f]   CPU %+5.1f %%  [%+.1f, %+.1f]%s" % (
            label, page, rate, share, low, high, cpu - 100, cpu_low - 100, cpu_high - 100, bound))
        sys.stdout.flush()


def main():
    suite = Web("bench-web", __doc__)
    suite.parser.add_argument("--pairs", type=int, default=200)
    suite.parser.add_argument("--warm", type=int, default=40, help="pairs before the first that counts")
    suite.parser.add_argument("--milliseconds", type=int, default=50, help="of each half of a pair")
    suite.parser.add_argument("--clients", type=int, default=64)
    suite.parser.add_argument("--pages", default="")
    suite.parser.add_argument("--only", default="")
    suite.parser.add_argument("--smoke", action="store_true")
    options = suite.parse()
    if options.smoke:
        options.pairs, options.warm, options.milliseconds, options.clients = 2, 0, 20, 4
        options.pages = "/work"
    runtimes = suite.runtimes(["clr10"])
    folder = suite.web_folder() if runtimes else None
    for label in (options.only.split(",") if options.only else ROWS) if folder else []:
        suite.measure(runtimes[0], folder, label)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
