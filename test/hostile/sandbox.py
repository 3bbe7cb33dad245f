#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A sandbox that refuses fallocate, madvise and perf events, as containers do: the program is as without us, its
profile whole.

A disk without room is among it: where blocks cannot be asked for they are written, and no store may end the program.
"""
import errno
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))
import counts  # noqa: E402
import harness  # noqa: E402

LEAF = "Hostile:Leaf (int)"


class Sandbox(harness.Suite):
    def wrapped(self, runtime, number, prefix=()):
        exe = self.build.path / "test/hostile/programs/hostile.exe"
        refuse = [self.build.path / "test/hostile/refuse", number] if number else []
        return [*prefix, *refuse, *runtime.command(exe), "return", str(self.work / "reused")]

    def profiled(self, runtime, number, module):
        folder = self.work / ("%s-%s-%d" % (runtime, module, number))
        folder.mkdir()
        ours = [self.build.monocle, "run", "-q", "--profile=" + module, "-o", "p.pb.gz", "--"]
        command = self.wrapped(runtime, number, ours)
        return folder / "p.pb.gz", harness.run(command, harness.bare_environment(), cwd=folder)

    def try_module(self, runtime, number, module):
        what = "%s, %s, %s" % (runtime, errno.errorcode[number], module)
        bare = harness.run(self.wrapped(runtime, number), harness.bare_environment(), cwd=self.work)
        profile, seen = self.profiled(runtime, number, module)
        self.check((seen.code, seen.out) == (bare.code, bare.out), what + ": the program is as without us",
                   "%s\n--- bare\n%s" % (seen, bare))
        self.check(seen.err == bare.err and profile.exists(), what + ": the profile is there", seen)
        report = harness.run([self.build.monocle, "report", "--format=tsv", profile], harness.bare_environment())
        if module == "calls":
            got = counts.read_report(report.out) if report.code == 0 else {}
            self.check(got.get(LEAF) == 1000, what + ": it is exact", got.get(LEAF))

    def full_disk(self, runtime, number):
        """On a file system of 2 MiB that is all but full, in a mount namespace of its own."""
        what = "%s, %s, full disk" % (runtime, errno.errorcode[number] if number else "no sandbox")
        folder = self.work / ("full-%s-%d" % (runtime, number))
        folder.mkdir()
        env = harness.profile_environment(self.build, runtime, ["calls:output=%s/p.pb.gz" % folder])
        script = "mount -t tmpfs -o size=2m none %s && head -c 1500000 /dev/zero > %s/filler && exec \"$@\"" % (
            folder, folder)
        command = ["unshare", "-m", "sh", "-c", script, "sh", *self.wrapped(runtime, number)]
        bare = harness.run(command, harness.bare_environment(), cwd=self.work)
        seen = harness.run(command, env, cwd=self.work)
        self.check((seen.code, seen.out) == (bare.code, bare.out), what + ": the program is as without us",
                   "%s\n--- bare\n%s" % (seen, bare))
        self.check("No space left on device" in seen.err and seen.err.count("monocle:") == 1, what + ": one line", seen)


def main():
    suite = Sandbox("sandbox", __doc__)
    suite.parser.add_argument("--runtimes", default="mono,clr10")
    options = suite.parse()
    if subprocess.run([suite.build.path / "test/hostile/refuse", str(errno.EPERM), "true"]).returncode == 77:
        suite.skip("sandboxes", "there are no seccomp filters here", "seccomp")
        return suite.finish()
    mounts = os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
    if not mounts:
        suite.skip("full disks", "only root can mount one", "root")
    for runtime in suite.runtimes(options.runtimes.split(",")):
        for number in (errno.EPERM, errno.ENOSYS):
            for module in ("calls", "sample"):
                suite.try_module(runtime, number, module)
        for number in (0, errno.EPERM) if mounts else ():
            suite.full_disk(runtime, number)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
