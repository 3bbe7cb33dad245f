#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A sandbox that refuses fallocate, madvise and perf events, as containers do: the program is as without us, its
profile whole.

A disk without room is among it: where blocks cannot be asked for they are written, and no store may end the program.
With --full calls are refused by another error, too, and each module is tried alone.
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
        return [*prefix, *refuse, *runtime.command(exe), str(self.work / "reused"), "return"]

    def profiled(self, runtime, number, modules):
        folder = self.work / ("%s-%s-%d" % (runtime, "-".join(modules), number))
        folder.mkdir()
        ours = [self.build.monocle, "run", "-q"]
        for module in modules:
            ours.append("--profile=%s:output=%s.pb.gz" % (module, module))
        return folder, harness.run(self.wrapped(runtime, number, ours + ["--"]), harness.bare_environment(), cwd=folder)

    def try_modules(self, runtime, number, *modules):
        what = "%s, %s, %s" % (runtime, errno.errorcode[number], " ".join(modules))
        bare = self.bare(self.wrapped(runtime, number))
        folder, seen = self.profiled(runtime, number, modules)
        self.check((seen.code, seen.out) == (bare.code, bare.out), what + ": the program is as without us",
                   "%s\n--- bare\n%s" % (seen, bare))
        profiles = [folder / (module + ".pb.gz") for module in modules]
        self.check(seen.err == bare.err and all(path.exists() for path in profiles), what + ": the profiles are there",
                   seen)
        if "calls" in modules:
            report = harness.run([self.build.monocle, "report", "--format=tsv", profiles[0]],
                                 harness.bare_environment())
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
    suite.parser.add_argument("--runtimes")
    options = suite.parse(full="mono,clr10,clr11")
    if subprocess.run([suite.build.path / "test/hostile/refuse", str(errno.EPERM), "true"]).returncode == 77:
        suite.skip("sandboxes", "there are no seccomp filters here", "seccomp")
        return suite.finish()
    mounts = os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
    if not mounts:
        suite.skip("full disks", "only root can mount one", "root")
    for runtime in suite.runtimes():
        suite.try_modules(runtime, errno.EPERM, "calls", "sample")
        for number in (errno.EPERM, errno.ENOSYS) if options.full else ():
            for module in ("calls", "sample"):
                suite.try_modules(runtime, number, module)
        for number in (0, errno.EPERM)[not options.full:] if mounts else ():
            suite.full_disk(runtime, number)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
