#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle attach to programs that collect without end: none dies of what is loaded into it.

  collecting.py --build DIR [--runtimes clr8,...] [--attaches N] [--beside N] [--each N] [--minutes N]

A collection stops all threads by signals, whose handler uses thread-local variables of the runtime. What an attach
opens and closes may disturb these (lib/base/thread-word.h). So the modules come in turn, some programs run beside each
other, and after a few attaches each makes room for a new one: the toolkit and the adapter are only opened by the first
attach to a program. Thousands take an hour; --minutes ends them sooner, and the end says how many were made.
"""
import concurrent.futures
import faulthandler
import itertools
import pathlib
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]
import attach  # noqa: E402
import harness  # noqa: E402

MODULES = ("sample:freq=1000,output=/dev/null", "exceptions:output=/dev/null",
           "events:only=gc_event,output=/dev/null")


class Collecting(attach.Attach):
    def begin_count(self):
        self.lock, self.left, self.made, self.wrong = threading.Lock(), self.options.attaches, 0, []
        self.until = time.monotonic() + 60 * self.options.minutes

    def claim(self):
        """May one more attach be made?"""
        with self.lock:
            self.left -= 1
            return self.left >= 0 and time.monotonic() < self.until

    def note(self, what):
        with self.lock:
            self.wrong.append(what)
            print(what, flush=True)

    def one_program(self, runtime):
        """False: enough attaches were made."""
        target, goes_on = attach.Target(self, runtime, "collects"), True
        target.begin()
        for module in itertools.islice(itertools.cycle(MODULES), self.options.each):
            goes_on = self.claim()
            if not goes_on or target.process.poll() is not None:
                break
            seen = self.attach(target, "-q", "--profile=" + module, "--duration=20ms", timeout=300)
            with self.lock:
                self.made += 1
                if self.made % 100 == 0:
                    print("%s: %d attaches" % (runtime, self.made), flush=True)
            if seen.code and target.process.poll() is None:
                self.note("%s: an attach failed: %s" % (runtime, seen))
        target.process.stdin.close()
        code, said = target.end()
        if (code, said) != (3, "unharmed\n"):
            self.note("%s: after %d attaches a program ended with %s: %s" % (runtime, self.made, code, said[-2000:]))
        return goes_on

    def collect(self, runtime):
        self.begin_count()
        with concurrent.futures.ThreadPoolExecutor(self.options.beside) as pool:
            def row():
                while self.one_program(runtime):
                    pass
            for done in [pool.submit(row) for _ in range(self.options.beside)]:
                done.result()
        print("%s: %d attaches to programs that collect, %d times something was wrong" %
              (runtime, self.made, len(self.wrong)))
        self.check(self.made > 0 and not self.wrong, "%s: no program notices that it is attached to" % runtime,
                   self.wrong[:5])


def main():
    suite = Collecting("collecting", __doc__)
    suite.parser.add_argument("--runtimes", default="clr8")
    suite.parser.add_argument("--attaches", type=int, default=300)
    suite.parser.add_argument("--beside", type=int, default=3, help="programs that run beside each other")
    suite.parser.add_argument("--each", type=int, default=6, help="attaches to a program before the next one begins")
    suite.parser.add_argument("--minutes", type=float, default=60)
    options = suite.parse()
    faulthandler.cancel_dump_traceback_later()  # it says how far it is; each step has a limit of its own
    for runtime in suite.runtimes(options.runtimes.split(",")):
        suite.collect(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
