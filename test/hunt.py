#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Repeats a test beside a load until it fails, and says how often it does.

  ./dev hunt TEST [--runs=200] [--load=8] [--jobs=1] [--keep] [--seed=N] [--build=DIR] [--no-cores]

TEST is a name of `meson test --list`, a part of one name, or a pattern with * and ? that names several. Each run is as
meson does it, by way of alone.sh, and has the next seed (test/README.md); the first seed is drawn where none is given.
The hunt ends with the first failure, unless --keep asks for all of them. A failure leaves a folder in DIR/hunt: what
the test said, how to have the run again, and the core files of its processes with their stacks, where the system
writes such files.

The rate is given with a 95 % interval: Wilson's for a given number of runs, and the exact one of the geometric
distribution where the first failure ended the hunt.

Exit codes: 0 nothing failed, 1 something did, 2 wrong usage or nothing ran, 130 interrupted.
"""
import argparse
import concurrent.futures
import contextlib
import ctypes
import difflib
import fnmatch
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

TEST = pathlib.Path(__file__).resolve().parent
PATIENCE = 4  # times the limit of a test, as `./dev test` has it
DUMPING = 30  # seconds in which the processes of a test that hangs have to write their cores
SKIPPED = 77
Z = 1.959964  # of the normal distribution, for 95 %
CORE_PATTERN = pathlib.Path("/proc/sys/kernel/core_pattern")


def die(text):
    print("hunt: " + text, file=sys.stderr)
    sys.exit(2)


# --- rates --------------------------------------------------------------------------------------------------------

def wilson(failed, runs):
    """Wilson's interval of a share, of which `runs` were looked at."""
    share, square = failed / runs, Z * Z
    middle = share + square / (2 * runs)
    half = Z * (share * (1 - share) / runs + square / (4 * runs * runs)) ** 0.5
    return max(0.0, (middle - half) / (1 + square / runs)), min(1.0, (middle + half) / (1 + square / runs))


def geometric(runs):
    """The interval of a rate whose first event ended the trials at number `runs`."""
    return 1 - 0.975 ** (1 / runs), 1 - 0.025 ** (1 / (runs - 1)) if runs > 1 else 1.0


def rate(failed, runs, stopped):
    if not runs:
        return "no run came to its end"
    low, high = geometric(runs) if stopped else wilson(failed, runs)
    method = "exact, the first failure ended the hunt" if stopped else "Wilson"
    return "%d of %d failed: %.2f %%, 95 %% interval %.2f to %.2f %% (%s)" % (
        failed, runs, 100 * failed / runs, 100 * low, 100 * high, method)


# --- the load -----------------------------------------------------------------------------------------------------

def compute():
    data = b"busy" * 256
    while True:
        for _ in range(1000):
            data = hashlib.sha256(data).digest() * 32


def allocate():
    while True:
        block = bytearray(32 << 20)
        for at in range(0, len(block), 4096):
            block[at] = 1


def write():
    with tempfile.TemporaryFile() as file:
        while True:
            file.seek(0)
            file.write(os.urandom(1 << 20))
            file.flush()
            os.fsync(file.fileno())
            file.seek(0)
            file.read()


def switch():
    """Two threads that wake each other: a processor changes hands all the time."""
    ours, theirs = os.pipe(), os.pipe()

    def answer():
        while True:
            os.write(theirs[1], os.read(ours[0], 1))
    threading.Thread(target=answer, daemon=True).start()
    while True:
        os.write(ours[1], b"x")
        os.read(theirs[0], 1)


KINDS = compute, allocate, compute, write, compute, switch


class Load:
    """Busy processes, which end with this one however it ends."""

    def __init__(self, count):
        self.pids = [self.begin(KINDS[number % len(KINDS)]) for number in range(count)]

    @staticmethod
    def begin(kind):
        parent, pid = os.getpid(), os.fork()
        if pid:
            return pid
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            if os.getppid() == parent:
                os.setsid()
                kind()
        finally:
            os._exit(1)

    def end(self):
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.pids = []


# --- tests --------------------------------------------------------------------------------------------------------

class Tests:
    """What meson knows of the tests of a build folder."""

    def __init__(self, build):
        self.build = build
        if not (build / "build.ninja").exists():
            die("%s is no build folder; make one with: meson setup %s -Dtests=enabled" % (build, build))
        if subprocess.run(["ninja", "-C", str(build), "build.ninja"], stdout=subprocess.DEVNULL).returncode:
            die("%s cannot be configured" % build)
        self.all = self.read("tests")
        if not self.all:
            die("%s has no tests; take them in with: meson configure %s -Dtests=enabled" % (build, build))

    def read(self, what):
        return json.loads((self.build / "meson-info" / ("intro-%s.json" % what)).read_text())

    def find(self, wanted):
        """The tests that are meant: one by its name or by a part of it, several by a pattern."""
        names = [test["name"] for test in self.all]
        if wanted in names:
            chosen = [wanted]
        elif re.search(r"[*?[]", wanted):
            chosen = fnmatch.filter(names, wanted)
        else:
            chosen = [name for name in names if wanted.lower() in name.lower()]
            if len(chosen) > 1:
                die("%r is a part of %d names; give one of them, or a pattern such as '*%s*':\n%s" % (
                    wanted, len(chosen), wanted, "\n".join("  " + name for name in chosen[:20])))
        if not chosen:
            near = difflib.get_close_matches(wanted, names, 5, 0.4)
            die("no test is called %r%s" % (wanted, "; the nearest are:\n%s" % "\n".join("  " + name for name in near)
                                            if near else "; meson test -C %s --list has the names" % self.build))
        return [test for test in self.all if test["name"] in chosen]

    def compile(self, tests):
        """Only what the tests depend on, as `meson test` does."""
        files = {target["id"]: target["filename"] for target in self.read("targets")}
        wanted = {os.path.relpath(path, self.build) for test in tests for one in test["depends"] for path in files[one]}
        if wanted and subprocess.run(["ninja", "-C", str(self.build), "--quiet", *sorted(wanted)]).returncode:
            die("what the tests need does not compile")


# --- core files ---------------------------------------------------------------------------------------------------

def why_no_cores():
    """Why the system keeps no core file for us; None when it does."""
    pattern = CORE_PATTERN.read_text().strip()
    if pattern.startswith("|"):
        return "the system gives them to a program (%s)" % pattern
    if not pattern:
        return "/proc/sys/kernel/core_pattern is empty"
    if "/" in pattern:
        return "the system puts them at %s" % pattern
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        return "the hard limit of their size is 0 (ulimit -Hc)"
    return None


def is_core(path):
    """Whether a file is a core file, whatever it is called: e_type of its ELF header is ET_CORE."""
    try:
        with open(path, "rb") as file:
            head = file.read(18)
        return head[:4] == b"\x7fELF" and head[16:18] == b"\x04\x00"
    except OSError:
        return False


class Cores:
    """
    Watches the folders in which processes of a run may die, and holds each core file by a second link: suites remove
    the folders that they worked in.
    """

    def __init__(self, build, folder, held):
        self.build, self.folder, self.held = build, folder, held
        self.name = re.split("%", CORE_PATTERN.read_text().strip())[0] or "core"
        self.inodes, self.over = set(), threading.Event()
        self.old = {path.stat().st_ino for path in build.glob(self.name + "*") if path.is_file()}
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def look(self):
        places = [str(path) for path in self.build.glob(self.name + "*")]
        for folder, _, names in os.walk(self.folder):
            places += [os.path.join(folder, name) for name in names if name.startswith(self.name)]
        for place in places:
            try:
                inode = os.lstat(place).st_ino
                if inode in self.inodes or inode in self.old or not os.path.isfile(place) or not is_core(place):
                    continue
                self.inodes.add(inode)
                os.link(place, self.held / ("core.%d" % len(self.inodes)))
                if os.path.dirname(place) == str(self.build):
                    os.unlink(place)
            except OSError:
                pass  # It was there a moment ago.

    def watch(self):
        while not self.over.wait(0.1):
            self.look()

    def end(self):
        self.over.set()
        self.thread.join()
        self.look()


def mapped_files(core):
    """The files that a process had mapped, in the order of their addresses: the note NT_FILE of its core file."""
    with open(core, "rb") as file:
        head = file.read(64)
        file.seek(int.from_bytes(head[32:40], "little"))
        table = file.read(56 * int.from_bytes(head[56:58], "little"))
        for at in range(0, len(table), 56):
            kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", table, at)
            if kind == 4:  # PT_NOTE
                file.seek(offset)
                notes, note = file.read(size), 0
                while note + 12 <= len(notes):
                    name, length, which = struct.unpack_from("<III", notes, note)
                    begin = note + 12 + (name + 3 & ~3)
                    if which == 0x46494c45:  # NT_FILE
                        count, = struct.unpack_from("<Q", notes, begin)
                        names = notes[begin + 16 + 24 * count:begin + length].split(b"\0")
                        return [os.fsdecode(one) for one in names if one]
                    note = begin + (length + 3 & ~3)
    return []


def program_of(core):
    """The program of a core file: of its mapped files, the first that can be run."""
    for path in mapped_files(core):
        if os.path.isfile(path) and os.access(path, os.X_OK) and ".so" not in os.path.basename(path):
            return path
    return None


def write_stacks(core):
    """All stacks of a core file, beside it."""
    program = shutil.which("gdb") and program_of(core)
    if program:
        with open(str(core) + ".stacks", "wb") as out:
            subprocess.run(["gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-ex", "info threads", "-ex",
                            "thread apply all backtrace 60", program, str(core)], stdin=subprocess.DEVNULL, stdout=out,
                           stderr=subprocess.STDOUT)


# --- runs ---------------------------------------------------------------------------------------------------------

def processes_of(folder, above):
    """The processes whose folder for temporary files is that of a run, and those below its first one."""
    parents, found = {}, set(above)
    mark = b"TMPDIR=" + os.fsencode(folder) + b"\0"
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            with open("/proc/%s/environ" % name, "rb") as file:
                if mark in file.read() + b"\0":
                    found.add(int(name))
        except OSError:
            pass
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return found & set(parents)
        found |= more


def signal_all(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass


def gone(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@contextlib.contextmanager
def undisturbed():
    """An interrupt waits for the end: one in the middle of how Python begins a thread makes it wait for ever."""
    came = []
    before = {number: signal.signal(number, lambda *_: came.append(True)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


class Hunt:
    """The runs of one test."""

    def __init__(self, options, test, cores):
        self.options, self.test, self.cores = options, test, cores
        self.build = options.build
        slug = re.sub(r"\W+", "-", test["name"]).strip("-")
        self.folder = self.build / "hunt" / ("%s, %s" % (slug, time.strftime("%Y-%m-%d %H.%M.%S")))
        self.runs = self.failed = self.skipped = 0
        self.seconds = []
        self.kept = []
        self.lock, self.over = threading.Lock(), threading.Event()
        self.alive = {}  # the first process of each run under way, by the run's folder

    def environment(self, seed, folder):
        env = dict(os.environ, **self.test["env"])
        env["MONOCLE_TEST_SEED"], env["TMPDIR"] = str(seed), str(folder)
        if self.cores:
            most = resource.getrlimit(resource.RLIMIT_CORE)[1]
            env["MONOCLE_TEST_CORES"] = "unlimited" if most == resource.RLIM_INFINITY else str(most // 512)
        return env

    def one(self, number):
        if self.over.is_set():
            return
        seed = self.options.seed + number
        holder = pathlib.Path(tempfile.mkdtemp(prefix="hunt-"))
        os.chmod(holder, 0o755)
        folder, held = holder / "tmp", holder / "cores"
        folder.mkdir()
        held.mkdir()
        os.chmod(folder, 0o1777)  # as the folder that it stands for: some tests have processes of other users
        cores = Cores(self.build, folder, held) if self.cores else None
        start = time.monotonic()
        try:
            code = self.run(seed, folder, holder / "output")
        finally:
            if cores:
                cores.end()
            signal_all(processes_of(folder, []), signal.SIGKILL)
        if not self.over.is_set():
            self.count(number, seed, code, time.monotonic() - start, holder)
        shutil.rmtree(holder, ignore_errors=True)

    def run(self, seed, folder, output):
        """The exit code; a text for a test that hangs."""
        limit = self.test["timeout"] * PATIENCE if self.test["timeout"] > 0 else None
        with open(output, "wb") as out:
            process = subprocess.Popen([str(TEST / "alone.sh"), *self.test["cmd"]], stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=subprocess.STDOUT, cwd=self.test["workdir"] or self.build,
                                       env=self.environment(seed, folder), start_new_session=True)
            with self.lock:
                self.alive[folder] = process.pid
            if self.over.is_set():  # stop () may have looked before the process was there
                signal_all(processes_of(folder, [process.pid]), signal.SIGKILL)
            try:
                return process.wait(timeout=limit)
            except subprocess.TimeoutExpired:
                self.end(folder, process.pid, signal.SIGABRT if self.cores else signal.SIGKILL)
                process.wait()
                return "hangs, and was ended after %d s" % limit
            finally:
                with self.lock:
                    del self.alive[folder]

    @staticmethod
    def end(folder, pid, number):
        pids = processes_of(folder, [pid])
        signal_all(pids, number)
        end = time.monotonic() + DUMPING
        while not all(map(gone, pids)) and time.monotonic() < end:
            time.sleep(0.1)
        signal_all(pids | processes_of(folder, [pid]), signal.SIGKILL)

    def count(self, number, seed, code, seconds, holder):
        with self.lock:
            self.runs += 1
            self.seconds.append(seconds)
            self.skipped += code == SKIPPED
            if code not in (0, SKIPPED):
                self.failed += 1
                self.keep(number, seed, code, seconds, holder)
                if not self.options.keep:
                    self.over.set()
            if self.runs % max(1, self.options.runs // 10) == 0 and not self.over.is_set():
                print("hunt: %d of %d runs, %d failed" % (self.runs, self.options.runs, self.failed), flush=True)

    def keep(self, number, seed, code, seconds, holder):
        how = code if isinstance(code, str) else "exit %d" % code if code >= 0 else signal.Signals(-code).name
        folder = self.folder / ("run %d" % (number + 1))
        folder.mkdir(parents=True)
        self.kept.append(folder)
        shutil.copy(holder / "output", folder / "output")
        cores = sorted((holder / "cores").iterdir())
        for core in cores:
            subprocess.run(["cp", "--sparse=always", str(core), str(folder / core.name)])
            write_stacks(folder / core.name)
        repeat = "./dev hunt '%s' --runs=1 --load=%d --seed=%d" % (self.test["name"], self.options.load, seed)
        (folder / "about").write_text("%s\nrun %d, seed %d, load %d: %s after %.1f s\nagain: %s\n" % (
            self.test["name"], number + 1, seed, self.options.load, how, seconds, repeat))
        print("hunt: run %d with seed %d failed: %s; %s kept in %s" % (
            number + 1, seed, how, "output and %d cores" % len(cores) if cores else "output", folder), flush=True)

    def stop(self):
        """Ends what runs, for an interrupted hunt."""
        self.over.set()
        with self.lock:
            alive = dict(self.alive)
        for folder, pid in alive.items():
            signal_all(processes_of(folder, [pid]), signal.SIGKILL)

    def all(self):
        print("hunt: %s: %d runs beside a load of %d, seeds from %d" % (
            self.test["name"], self.options.runs, self.options.load, self.options.seed), flush=True)
        pool = concurrent.futures.ThreadPoolExecutor(self.options.jobs)
        try:
            with undisturbed():
                runs = [pool.submit(self.one, number) for number in range(self.options.runs)]
            while concurrent.futures.wait(runs, 0.5).not_done:
                pass  # Python may leave an interrupt aside that comes just before a wait without end
            for run in runs:
                run.result()
        except BaseException:
            self.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            self.report()

    def report(self):
        print("%s: %s" % (self.test["name"], rate(self.failed, self.runs, self.failed and not self.options.keep)))
        if self.seconds:
            print("  a run takes %.1f s (median), %.1f to %.1f s" % (
                statistics.median(self.seconds), min(self.seconds), max(self.seconds)))
        if self.skipped:
            print("  %d runs were skipped by the test itself" % self.skipped)
        for folder in self.kept:
            print("  " + str(folder))
        sys.stdout.flush()


# --- the command --------------------------------------------------------------------------------------------------

def interrupted(number, frame):
    raise KeyboardInterrupt


def number(least):
    def read(text):
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError("%d is less than %d" % (value, least))
        return value
    read.__name__ = "number"
    return read


def parse():
    parser = argparse.ArgumentParser(prog="./dev hunt", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test", metavar="TEST", help="a name, a part of one name, or a pattern with * and ?")
    parser.add_argument("--runs", type=number(1), default=200, help="of each test (200)")
    parser.add_argument("--load", type=number(0), default=8,
                        help="processes that compute, allocate, write and switch meanwhile (8)")
    parser.add_argument("--jobs", type=number(1), default=1, help="runs beside each other (1)")
    parser.add_argument("--keep", action="store_true", help="go on after the first failure, and keep every one")
    parser.add_argument("--seed", type=number(0), help="of the first run; each next one has the next number")
    parser.add_argument("--build", type=pathlib.Path, default=TEST.parent / "build-test", help="the build folder")
    parser.add_argument("--no-cores", action="store_true",
                        help="for a test that minds a core file in a folder of its own")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.seed = random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed
    return options


def main():
    options = parse()
    tests = Tests(options.build)
    chosen = tests.find(options.test)
    tests.compile(chosen)
    why = "they were not asked for" if options.no_cores else why_no_cores()
    if why:
        print("hunt: no core files are kept: " + why)
    signal.signal(signal.SIGTERM, interrupted)
    load = Load(options.load)
    hunts = [Hunt(options, test, not why) for test in chosen]
    try:
        for hunt in hunts:
            hunt.all()
    except KeyboardInterrupt:
        print("hunt: interrupted")
        return 130
    finally:
        load.end()
    if any(hunt.failed for hunt in hunts):
        return 1
    if all(hunt.skipped == hunt.runs for hunt in hunts):
        print("hunt: every run was skipped, so that nothing was asked")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
