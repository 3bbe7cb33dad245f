# SPDX-License-Identifier: MIT
"""A container for the tests: a root folder with .NET and nothing else, run in namespaces of its own. Needs root.

There is no shell in it, as in the smallest images: what a program needs is bound or copied in, and what prepares it is
started before the root is changed.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading

USER = 1654  # of the user app in Microsoft's images
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The first process that the outer shell starts is the first one of the namespace; `wait` gives its exit code.
OUTER = 'sh -c "$0" sh "$@" & wait $!'
# What follows the two dashes is the command: limits, a filter, chroot.
START = """set -e
root=$1 dotnet=$2 read_only=$3; shift 3
mount --bind "$root" "$root"
mount --bind "$dotnet" "$root/usr/share/dotnet"
mount -t proc proc "$root/proc"
for device in null urandom; do mount --bind /dev/$device "$root/dev/$device"; done
while [ "$1" != -- ]; do
  case $1 in tmpfs) mount -t tmpfs -o mode=1777 none "$root$3" ;; *) mount --bind "$2" "$root$3" ;; esac
  shift 3
done
shift
[ "$read_only" = no ] || mount -o remount,bind,ro "$root"
exec "$@"
"""


def why_not():
    """Why there can be no container here; None: there can."""
    if os.geteuid() != 0:
        return "only root can change its root"
    tried = subprocess.run(["unshare", "-m", "-p", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True)
    return "namespaces and mounts are not permitted" if tried.returncode else None


def libraries_of(files):
    """The files of the system that the libraries need."""
    said = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"^\t(?:\S+ => )?(/\S+) \(", said, re.M)))


class Image:
    """A root folder with the runtime's libraries, as runtime images have them: .NET itself is bound in."""

    def __init__(self, root, runtime):
        self.root = root
        self.dotnet = pathlib.Path(runtime.prefix[0]).resolve().parent
        shared = next((self.dotnet / "shared/Microsoft.NETCore.App").glob(runtime.version))
        for folder in ("app", "dev", "proc", "tmp", "usr/bin", "usr/share/dotnet", "var/lib"):
            (root / folder).mkdir(parents=True)
        (root / "tmp").chmod(0o1777)
        for device in ("null", "urandom"):
            (root / "dev" / device).touch()
        (root / "usr/bin/dotnet").symlink_to("/usr/share/dotnet/dotnet")
        for library in libraries_of([self.dotnet / "dotnet", *shared.glob("*.so")]):
            if str(self.dotnet) not in library and "libz.so" not in library:  # images of .NET 9 have no zlib
                self.copy(library, library)

    def below(self, path):
        return self.root / str(path).lstrip("/")

    def copy(self, source, target, owner=None):
        """As COPY does: the folder's contents, or the file; into a folder where the name ends with a slash."""
        source, place = pathlib.Path(source), self.below(target)
        if source.is_dir():
            shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
        else:
            place = place / source.name if str(target).endswith("/") else place
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, place)
        if owner is not None:
            os.chown(place, owner, owner)


class Container:
    """One run of an image. `mounts`: (folder here or "tmpfs", path there); `before`: what runs ahead of chroot."""

    def __init__(self, image, command, env, user=0, read_only=False, mounts=(), before=()):
        words = [str(image.root), str(image.dotnet), "yes" if read_only else "no"]
        for source, path in mounts:
            image.below(path).mkdir(parents=True, exist_ok=True)
            words += ["tmpfs" if source == "tmpfs" else "bind", str(source), path]
        change = ["env", "--default-signal=INT,QUIT", "chroot", "--userspec=%d:%d" % (user, user), "--groups=",
                  str(image.root), *command]
        start = ["unshare", "-m", "-p", "sh", "-c", OUTER, START, *words, "--", *map(str, before), *change]
        self.process = subprocess.Popen(start, env={"PATH": PATH, **env}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.out, self.limit = b"", threading.Timer(60, self.kill)
        self.limit.start()

    def wait_for(self, line):
        """False: it ended without that line."""
        while line not in self.out:
            piece = os.read(self.process.stdout.fileno(), 4096)
            if not piece:
                return False
            self.out += piece
        return True

    def first(self):
        """The container's process 1."""
        path = "/proc/%d/task/%d/children" % (self.process.pid, self.process.pid)
        return int(pathlib.Path(path).read_text().split()[0])

    def signal(self, number):
        """As `docker stop` and `docker kill` do."""
        os.kill(self.first(), number)

    def kill(self):
        try:
            self.signal(signal.SIGKILL)
        except (OSError, IndexError):
            self.process.kill()

    def end(self):
        """(exit code as a shell has it, standard output, standard error)"""
        out, error = self.process.communicate()
        self.limit.cancel()
        return self.process.returncode, (self.out + out).decode(), error.decode()


    def stop(self, number):
        """As `docker stop` does: first this signal, then SIGKILL. What end () says."""
        self.signal(number)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()
        return self.end()
