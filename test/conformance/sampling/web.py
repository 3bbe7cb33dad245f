#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A web server answers 64 clients while its threads are sampled at 10 kHz: no request is lost, and it stops when asked.

  web.py --build DIR [--seconds N] [--rate HZ] [--mode process,real] [--bare] [--module DESC]
"""
import pathlib
import resource
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
sys.path.insert(0, str(HERE.parent / "events"))
import harness  # noqa: E402
import load  # noqa: E402


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Web(load.Load):
    def under(self, runtime, program, what, modules):
        env = harness.profile_environment(self.build, runtime, modules) if modules else harness.bare_environment()
        before = cpu_of_children()
        clients, seen = self.serve(runtime, program, env, self.options.seconds)
        bad = [b for c in clients for b in c.bad]
        asked = sum(c.asked for c in clients)
        self.check(asked >= load.CLIENTS * len(load.PAGES) and not bad, what + ": every request is answered",
                   (asked, bad[:5], str(seen)))
        self.check(seen.code == 0 and "stopped" in seen.out, what + ": it stops when asked", seen)
        print("%s: %d requests, %.0f us CPU each" % (what, asked, 1e6 * (cpu_of_children() - before) / max(asked, 1)))

    def sampled(self, runtime, program, mode):
        file = self.work / "hits.tsv"
        what = "web server, %s %d Hz" % (mode, self.options.rate)
        desc = self.options.module or "hits:%s,mode=%s,freq=%d,walk" % (file, mode, self.options.rate)
        self.under(runtime, program, what, [desc])
        if self.options.module:
            return
        if self.check(file.exists(), what + ": the module is told of the end"):
            wrote = dict(line.split("\t") for line in file.read_text().splitlines())
            self.check(int(wrote["hits"]) > 200 and wrote["wrong"] == "0", what + ": samples come", wrote)


def main():
    suite = Web("sampling-web", __doc__)
    suite.parser.add_argument("--seconds", type=int, default=2)
    suite.parser.add_argument("--rate", type=int, default=10000)
    suite.parser.add_argument("--mode", default="process,real")
    suite.parser.add_argument("--bare", action="store_true", help="without samples as well")
    suite.parser.add_argument("--module", help="another module in place of hits")
    options = suite.parse()
    for runtime in suite.runtimes(suite.newer):
        program = suite.built()
        if program and options.bare:
            suite.under(runtime, program, "web server, bare", [])
        for mode in options.mode.split(",") if program else ():
            suite.sampled(runtime, program, mode)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
