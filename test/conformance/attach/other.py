#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""root attaches to a program of another user: its profile is root's, and the program's user gets nothing of root's.

  other.py --build DIR [--runtimes clr8,...]

The folder of an attach belongs to the program's user, who may put anything there, or something else in its place. A
thief of that user does: links to what is root's, pipes that nobody writes to, the folder itself exchanged. Services and
containers have folders for temporary files of their own: a place is found that both have, or one inside.
"""
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
import harness  # noqa: E402

OTHER = 65534
AS_OTHER = {"user": OTHER, "group": OTHER, "extra_groups": []}

# It waits until the folder is its user's, and does what it is told. Argument: the folder for temporary files.
THIEF = r"""
import os, sys, time
place, victim, deed = sys.argv[1:]
def mine():
    for name in os.listdir(place):
        path = place + "/" + name
        if name.startswith("monocle-") and os.lstat(path).st_uid == os.geteuid():
            return path
def replace(path, make):
    if os.path.lexists(path):
        os.unlink(path)
    make(path)
print("ready", flush=True)
while not mine():
    time.sleep(0.001)
folder = mine()
if deed == "exchanges the folder":
    os.rename(folder, folder + "-old")
    os.symlink(victim, folder)
elif deed == "makes pipes of notes":
    for name in "1.asleep", "1.2.done", "stop", "output.1.1.pb.gz", "sample.1.1.spool", "sample.1.1.spool.plan":
        os.mkfifo(folder + "/" + name)
elif deed == "makes a pipe of the log":
    replace(folder + "/log", os.mkfifo)
elif deed == "makes links":
    for name in "log", "output.1.1.pb.gz", "1.asleep", "1.loaded", "stop":
        replace(folder + "/" + name, lambda path: os.symlink(victim + "/secret", path))
elif deed == "names files":
    for number, name in enumerate(["secret", "pipe"]):
        with open("%s/1.%d.done" % (folder, number), "w") as note:
            note.write("%s/%s\n" % (victim, name))
elif deed == "writes to the log":
    with open(folder + "/log", "a") as log:
        log.write("\033[2J\033]0;title\007\n")
print("done", flush=True)
"""
DEEDS = ["exchanges the folder", "makes pipes of notes", "makes a pipe of the log", "makes links", "names files",
         "writes to the log"]


# Starts a command in whose mounts some folders are empty ones of its own, but for others below them.
PRIVATE = r"""
import ctypes, os, sys
hidden, kept, user = sys.argv[1].split(":"), sys.argv[2].split(":"), int(sys.argv[3])
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 1 << 12, 1 << 14, 1 << 18
library = ctypes.CDLL(None)
def must(result):
    if result != 0:
        print("may not", flush=True)
        sys.exit(0)
must(library.unshare(CLONE_NEWNS))
must(library.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
folders = [(path, os.open(path, os.O_PATH)) for path in kept if any(path.startswith(one + "/") for one in hidden)]
for path in hidden:
    must(library.mount(b"tmpfs", path.encode(), b"tmpfs", 0, b"mode=1777"))
for path, fd in folders:
    os.makedirs(path, exist_ok=True)
    must(library.mount(b"/proc/self/fd/%d" % fd, path.encode(), None, MS_BIND | MS_REC, None))
os.setgroups([])
os.setgid(user)
os.setuid(user)
os.execvp(sys.argv[4], sys.argv[4:])
"""


class Other(harness.Suite):
    def start(self, runtime, place):
        exe = self.build.path / "test/conformance/attach/blocked.exe"
        target = subprocess.Popen(runtime.command(exe) + ["1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/",
                                  env=harness.bare_environment({"TMPDIR": str(place)}), **AS_OTHER)
        target.stdout.readline()
        return target

    def attach(self, target, place, *arguments, command="attach"):
        return harness.run([self.build.monocle, command, target.pid, *arguments],
                           harness.bare_environment({"TMPDIR": str(place)}), cwd=self.victim, timeout=60)

    def attach_until(self, target, place, condition):
        """An attach that ends by Ctrl-C as soon as it has begun and something is so, or by itself."""
        said = self.work / "said"
        with open(said, "w") as file:
            child = subprocess.Popen([self.build.monocle, "attach", str(target.pid), "--duration=5m"], cwd=self.victim,
                                     env=harness.bare_environment({"TMPDIR": str(place)}), stderr=file)
        harness.wait_for(lambda: child.poll() is not None or
                         ("profiling process" in said.read_text() and condition()))
        child.send_signal(signal.SIGINT)
        try:
            code, timeout = child.wait(timeout=60), False
        except subprocess.TimeoutExpired:
            child.kill()
            code, timeout = child.wait(), True
        return harness.Outcome(code, "", said.read_text(errors="replace"), timeout)

    def profiles(self, runtime, left, target, place=None):
        """`left` is where the folders of attaches are, `place` what the command has for temporary files."""
        place = place or left
        for arguments, pattern in (([], "*.sample.pb.gz"), (["-o", "named.pb.gz"], "named.pb.gz"),
                                   (["--profile=events", "-q"], "*.events.log")):
            what = "%s: a profile of another user's program, %s" % (runtime, " ".join(arguments))
            seen = self.attach(target, place, "--duration=50ms", *arguments)
            found = list(self.victim.glob(pattern))
            self.check(seen.code == 0 and len(found) == 1 and found[0].stat().st_uid == os.geteuid() and
                       stat.S_IMODE(found[0].stat().st_mode) == 0o600, what, (seen, found))
            for path in found:
                path.unlink()
        seen = self.attach(target, place, command="stack")
        self.check(seen.code == 0 and "Blocked" in seen.out, "%s: its stacks" % runtime, seen)
        # The command of stack ends before the runtime has let us go; the folder goes when it has.
        self.check(harness.wait_for(lambda: not list(left.glob("monocle-*"))), "%s: nothing is left" % runtime,
                   list(left.iterdir()))

    # --- temporary files of its own ---------------------------------------------------------------------------------

    def start_private(self, runtime, hidden, settings):
        """None: it may not be started here."""
        exe = self.build.path / "test/conformance/attach/blocked.exe"
        command = runtime.command(exe) + ["1"]
        kept = [str(self.build.path.resolve()), os.path.realpath(os.environ.get("MONOCLE_RUNTIMES", "/nowhere"))]
        target = subprocess.Popen([sys.executable, "-c", PRIVATE, ":".join(hidden), ":".join(kept), str(OTHER)] +
                                  [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  cwd="/", env=harness.bare_environment(settings))
        if target.stdout.readline() != b"may not\n":
            return target
        self.end(target)
        return None

    def private(self, runtime, place):
        """A service with a folder for temporary files of its own, and a container with none but its own."""
        own = {"a service": ([str(place)], {"TMPDIR": str(place)}, str(place)),
               "a container": (["/tmp", "/dev/shm"], {"TMPDIR": "/tmp"}, "/tmp")}
        for path in self.victim.glob("*.pb.gz"):  # of attaches to others
            path.unlink()
        for what, (hidden, settings, inside) in own.items():
            target = self.start_private(runtime, hidden, settings)
            if not target:
                self.skip("%s of its own" % what, "a process may have no mounts of its own here")
                return
            temporary = pathlib.Path("/proc/%d/root%s" % (target.pid, inside))
            self.profiles("%s, %s" % (runtime, what), temporary, target, place)
            if what == "a container":
                self.closed("%s, %s" % (runtime, what), temporary, target, place)
            self.end(target)

    def closed(self, what, temporary, target, place):
        """Its folder for temporary files is a link to a place of root's, or may be by now."""
        temporary.chmod(0o755)
        seen = self.attach(target, place, "--duration=50ms")
        self.check(seen.code == 1 and "/tmp none can be made: Permission denied" in seen.err,
                   what + ": where its user may make no folder, none is made for it", seen)

    @staticmethod
    def end(target):
        target.kill()
        target.wait()
        target.stdin.close()
        target.stdout.close()

    def theft(self, runtime, place, target, deed, command):
        what = "%s, monocle %s, whose user %s" % (runtime, command, deed)
        (self.victim / "secret").write_text("root's own\n")
        thief = subprocess.Popen([self.python, "-c", THIEF, place, self.victim, deed], stdout=subprocess.PIPE,
                                 cwd="/", text=True, **AS_OTHER)
        thief.stdout.readline()
        if command == "stack":
            seen = self.attach(target, place, command=command)
        else:
            seen = self.attach_until(target, place, lambda: thief.poll() is not None)
        self.check(not seen.timeout, what + " is not waited for")
        self.check(thief.communicate(timeout=60)[0] == "done\n", what + ": the thief was at work")
        left = (self.victim / "secret").exists() and (self.victim / "secret").read_text()
        self.check(left == "root's own\n", what + ": what is root's is there", seen)
        self.check("root's own" not in seen.out + seen.err and "\033" not in seen.err + seen.out,
                   what + ": nothing of it is shown", seen)
        copies = [path for path in self.victim.iterdir() if path.name not in ("secret", "pipe") and
                  b"root's own" in path.read_bytes()]
        self.check(not copies, what + ": nothing of it is copied", copies)
        self.check(not (self.victim / "stop").exists(), what + ": nothing is made there", seen)


def python_of_other():
    """That the other user can run; None: there is none, or we are not root."""
    for path in [sys.executable, "/usr/bin/python3"] if os.geteuid() == 0 else []:
        try:
            if subprocess.run([path, "-c", ""], stderr=subprocess.DEVNULL, cwd="/", **AS_OTHER).returncode == 0:
                return path
        except OSError:
            continue
    return None


def main():
    suite = Other("attach to another user's program", __doc__)
    suite.parser.add_argument("--runtimes")
    suite.parse("clr10", harness.NET)
    suite.python = python_of_other()
    if not suite.python:
        suite.skip("another user's program", "only root can be another user")
        return suite.finish()
    for runtime in suite.runtimes():
        with tempfile.TemporaryDirectory(prefix="monocle-other-", dir="/tmp") as folder:
            os.chmod(folder, 0o755)
            place, suite.victim = pathlib.Path(folder, "place"), pathlib.Path(folder, "victim")
            place.mkdir()
            place.chmod(0o1777)
            suite.victim.mkdir(mode=0o755)
            os.mkfifo(suite.victim / "pipe")
            target = suite.start(runtime, place)
            suite.profiles(runtime, place, target)
            # A stack is soon over, and a busy machine may let the thief come too late.
            stacks = DEEDS[:2] if suite.options.full else []
            for deed, command in [(deed, "attach") for deed in DEEDS] + [(deed, "stack") for deed in stacks]:
                suite.theft(runtime, place, target, deed, command)
                for left in place.glob("monocle-*"):  # what the thief has made, or taken away
                    left.unlink() if left.is_symlink() else shutil.rmtree(left, ignore_errors=True)
            suite.end(target)
            suite.private(runtime, place)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
