#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads that wait in native calls which any signal ends early (waits.cs): monocle stack, with and without --async,
and an attached sampler of elapsed time find each of them, and none of the calls ends before its time.

  waits.py --build DIR [--runtimes clr8,...]
"""
import pathlib
import re
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
import attach  # noqa: E402
import harness  # noqa: E402
import probed  # noqa: E402


def marked_lines():
    lines = (HERE / "waits.cs").read_text().splitlines()
    return {match.group(1): number for number, line in enumerate(lines, 1)
            for match in [re.search(r"// at (\w+)$", line)] if match}


class Waits(probed.Probed):
    def stack(self, what, target, *options):
        seen = harness.run([self.build.monocle, "stack", *options, target.pid], harness.bare_environment(),
                           cwd=self.work, timeout=60)
        self.check((seen.code, seen.err) == (0, ""), what + ": stack succeeds", seen)
        blocks = [block.splitlines() for block in seen.out.split("\n\n")[1:]]
        for name, line in marked_lines().items():
            place = "    Waits.%s ()  waits.cs:%d" % (name, line)
            own = [block for block in blocks if block[0] == '"%s", waiting' % name and place in block]
            self.check(bool(own), "%s: %s waits where it does" % (what, name), (place, seen.out))
            self.check(all(any("    Waits.One.Run (" in frame for frame in block) for block in own),
                       "%s: %s has its caller" % (what, name), own)

    def sampled(self, what, target, profile, wanted):
        file = self.work / "sample.pb.gz"
        child = self.begin(target, profile, file)

        def is_seen():
            text = self.report(target.pid, "--format=tsv")
            return all(name in text for name in wanted)
        self.check(harness.wait_for(is_seen), what + ": all of them are sampled", wanted)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.check(child.returncode == 0, what + ": the attach ends well", (child.returncode, out, err))
        file.unlink(missing_ok=True)

    def one(self, runtime):
        target, what = attach.Target(self, runtime, program="waits.dll"), str(runtime)
        names = ["Waits:%s ()" % name for name in marked_lines()]
        self.stack(what, target)
        self.stack(what + ", with --async", target, "--async")
        self.sampled(what + ", mode=wall", target, "sample:mode=wall", names)
        self.stack(what + ", later", target)
        target.process.stdin.close()
        said = target.process.stdout.read().splitlines()
        code = target.process.wait(timeout=60)
        self.check((code, said) == (3, [name + " waits" for name in marked_lines()]),
                   what + ": no call was ended early", (code, said))
        target.end()


def main():
    suite = Waits("waits", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse(harness.TO_10, harness.NET)
    for runtime in suite.runtimes():
        suite.one(runtime)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
