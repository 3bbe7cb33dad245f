#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""monocle top in a terminal: what it shows of a live runtime, its keys, other sizes, every end.

  top.py --build BUILD BUSY-EXE
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import harness  # noqa: E402

LIMIT = 60
FOOT = "? help  q quit"


class Terminal:
    """A terminal in which a command runs; `picture` is what was drawn last, without its colours."""

    def __init__(self, command, env, columns=80, rows=24, cwd=None):
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        self.text = ""
        self.child = subprocess.Popen([str(word) for word in command], env=env, stdin=self.slave, stdout=self.slave,
                                      stderr=self.slave, start_new_session=True, cwd=cwd,
                                      preexec_fn=self.control)

    def control(self):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            self.text += os.read(self.master, 65536).decode(errors="replace")

    def picture(self):
        """The rows of the last picture that is whole."""
        pictures = re.split(r"\x1b\[H", self.text)
        whole = [part for part in pictures[1:] if FOOT in part or "any key" in part or "_\x1b" in part]
        return [re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", row).rstrip() for row in whole[-1].split("\n")] if whole else []

    def wait(self, condition):
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            if condition(self):
                return True
            self.read(0.05)
        return False

    def shows(self, pattern):
        return self.wait(lambda self: re.search(pattern, "\n".join(self.picture()), re.M))

    def type(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        """The exit code, once all that it wrote is read."""
        deadline = time.monotonic() + LIMIT
        while self.child.poll() is None and time.monotonic() < deadline:
            self.read(0.05)
        self.read(0.1)
        if self.child.poll() is None:
            self.child.kill()
        return self.child.wait()

    def is_restored(self):
        return (termios.tcgetattr(self.slave) == self.before and
                self.text.rfind("\x1b[?1049l") > self.text.rfind("\x1b[?1049h") and
                self.text.rfind("\x1b[?25h") > self.text.rfind("\x1b[?25l"))

    def close(self):
        os.close(self.master)
        os.close(self.slave)


class Program:
    def __init__(self, runtime, exe):
        self.process = subprocess.Popen(runtime.command(exe), env=harness.bare_environment(), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=LIMIT)


def thread_names(pid):
    """Those of the threads of a process; one that ends meanwhile has none."""
    for task in pathlib.Path("/proc/%d/task" % pid).glob("*/comm"):
        try:
            yield task.read_text()
        except OSError:
            pass


def attaches_to(pid):
    """The commands that sample a process, and what each waits for."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            if words[1:3] == ["attach", str(pid)]:
                yield words, (folder / "wchan").read_text(), (folder / "status").read_text().split("\n")[2]
        except OSError:
            pass


def environment(**settings):
    return harness.bare_environment(dict({"TERM": "xterm"}, **settings))


def keys(suite, runtime, exe, top):
    """What is shown, and what each key does to it."""
    program, name = Program(runtime, exe), str(runtime)
    terminal = Terminal(top + [program.pid, "--interval=200ms"], environment())
    suite.check(terminal.shows(r"^busy\.exe  pid %d  CoreCLR %s " % (program.pid, re.escape(runtime.version))),
                name + ": its head", terminal.picture())
    suite.check(terminal.shows(r"exceptions [1-9][\d.]*/s"), name + ": exceptions are thrown", terminal.picture())
    suite.check(terminal.shows(r"methods [1-9]\d+, compiling"), name + ": methods are compiled", terminal.picture())
    suite.check(terminal.shows(r"^allocated [1-9][\d.]* [KM]iB/s"), name + ": bytes are allocated", terminal.picture())
    suite.check(terminal.shows(r"^ %CPU\*   thread .*\n +[1-9][\d.]+ +\d+  . +hot-thread$"),
                name + ": the thread that computes is first", terminal.picture())
    suite.check(all(len(row) <= 80 for row in terminal.picture()) and len(terminal.picture()) == 24,
                name + ": 24 rows of 80", terminal.picture())
    terminal.type("s")
    suite.check(terminal.shows(r"name\*$"), name + ": sorted by name", terminal.picture())
    terminal.type("/thrower\r")
    suite.check(terminal.shows(r"name\*\n +[\d.]+ +\d+  . +thrower\n\n"), name + ": a search", terminal.picture())
    terminal.type("\x1b")
    suite.check(terminal.shows(r"hot-thread"), name + ": all again", terminal.picture())
    terminal.type("m")
    suite.check(terminal.shows(r"^This process is not sampled"), name + ": methods", terminal.picture())
    terminal.type("w")
    suite.check(terminal.wait(lambda self: "nothing to write" in self.text), name + ": nothing to write")
    terminal.type("\t?")
    suite.check(terminal.shows(r"any key goes back"), name + ": help", terminal.picture())
    terminal.type(" f")
    suite.check(terminal.shows(r"frozen"), name + ": frozen", terminal.picture())
    terminal.type("f")
    suite.check(terminal.wait(lambda self: self.picture() and "frozen" not in self.picture()[0]), name + ": goes on")
    terminal.resize(50, 14)
    os.killpg(terminal.child.pid, signal.SIGWINCH)
    suite.check(terminal.wait(lambda self: len(self.picture()) == 14 and max(map(len, self.picture())) <= 50),
                name + ": a smaller terminal", terminal.picture())
    terminal.type("q")
    suite.check(terminal.end() == 0 and terminal.is_restored(), name + ": q", terminal.text[-300:])
    suite.check(program.end() == 0, name + ": the program is unharmed")
    terminal.close()


def endings(suite, runtime, exe, top):
    """Whatever ends it, the terminal is as it was."""
    for how, code in ((signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGSEGV, -signal.SIGSEGV), ("\x03", 0),
                      ("end", 0), ("kill", 0)):
        program = Program(runtime, exe)
        terminal = Terminal(top + [program.pid, "--interval=200ms"], environment())
        suite.check(terminal.shows("hot-thread"), "%s: it is drawn" % how, terminal.text[-500:])
        if how == "end":
            program.process.stdin.close()
        elif how == "kill":
            program.process.kill()
        elif isinstance(how, str):
            terminal.type(how)
        else:
            os.kill(terminal.child.pid, how)
        suite.check(terminal.end() == code and terminal.is_restored(), "%s: the terminal is restored" % how,
                    (terminal.child.returncode, terminal.text[-300:]))
        if how in ("end", "kill"):
            suite.check("process %d (busy.exe) has ended" % program.pid in terminal.text, "%s: it is said" % how,
                        terminal.text[-300:])
        program.end()
        terminal.close()


def silence(suite, runtime, exe, top):
    """A program that is stopped sends no figures; that is said, and keys work."""
    program = Program(runtime, exe)
    terminal = Terminal(top + [program.pid, "--interval=200ms"], environment())
    suite.check(terminal.shows("hot-thread"), "silence: it is drawn", terminal.text[-500:])
    os.kill(program.pid, signal.SIGSTOP)
    suite.check(terminal.shows(r"^busy\.exe .*  no figures for [3-9] s$"), "silence is said", terminal.picture())
    terminal.type("s")
    suite.check(terminal.shows(r"name\*$"), "silence: keys work", terminal.picture())
    os.kill(program.pid, signal.SIGCONT)
    suite.check(terminal.wait(lambda self: self.picture() and "no figures" not in self.picture()[0]),
                "figures come again", terminal.picture())
    os.kill(program.pid, signal.SIGSTOP)
    suite.check(terminal.shows("no figures for"), "silence is said again", terminal.picture())
    terminal.type("q")
    suite.check(terminal.end() == 1 and terminal.is_restored() and "(busy.exe) has told nothing for" in terminal.text,
                "silence: q", terminal.text[-300:])
    os.kill(program.pid, signal.SIGCONT)
    suite.check(program.end() == 0, "silence: the program is unharmed")
    terminal.close()


def command(suite, runtime, exe, top):
    """A command is sampled: its methods are there, its words come at the end, its profile is written."""
    folder = suite.work / "command"
    folder.mkdir()
    terminal = Terminal(top + ["--interval=200ms", "-o", folder / "busy.pb.gz", "--"] + runtime.command(exe) + ["100"],
                        environment())
    terminal.type("m")
    suite.check(terminal.shows(r"^ +[\d.]+ m?s +[\d.]+%.*Busy\.(Compute|Hot)"), "a command's methods",
                terminal.picture())
    terminal.type("q")
    code = terminal.end()
    suite.check(code != 125 and terminal.is_restored(), "a command ends by q", (code, terminal.text[-300:]))
    after = terminal.text[terminal.text.rfind("\x1b[?1049l"):]
    suite.check("ready\r\n" in after and "wrote" in after, "its words come when the screen is gone", after[:300])
    suite.check((folder / "busy.pb.gz").exists(), "its profile is written")
    terminal.close()


def sampled(suite, runtime, exe, top):
    """The key a has the process sampled until top ends, and leaves nothing behind."""
    program, name = Program(runtime, exe), "%s, sampled" % runtime
    folder = suite.work / ("sampled-%s" % runtime)
    folder.mkdir()
    terminal = Terminal(top + [program.pid, "--interval=200ms"], environment(), cwd=folder)
    suite.check(terminal.shows("hot-thread"), name + ": it is drawn", terminal.text[-500:])
    terminal.type("a")
    suite.check(terminal.shows(r"^ +[\d.]+ m?s +[\d.]+%.*Busy\.(Compute|Hot)"), name + ": methods", terminal.picture())
    terminal.type("w")
    suite.check(terminal.wait(lambda self: "wrote busy" in self.text), name + ": a profile", terminal.picture())
    terminal.type("q")
    suite.check(terminal.end() == 0 and terminal.is_restored(), name + ": q", terminal.text[-300:])
    harness.wait_for(lambda: not any("monocle" in thread for thread in thread_names(program.pid)))
    threads = list(thread_names(program.pid))
    suite.check(not any("monocle" in thread for thread in threads), name + ": nothing stays", threads)
    files = [file.name for file in folder.iterdir()]
    suite.check(len(files) == 1 and re.match(r"busy_\d{8}_\d{6}_%d\.sample\.pb\.gz$" % program.pid, files[0]),
                name + ": one profile, under the program's name", files)
    suite.check(program.end() == 0, name + ": the program is unharmed")
    terminal.close()
    program = Program(runtime, exe)
    terminal = Terminal(top + [program.pid, "--interval=200ms"], environment(), cwd=folder)
    terminal.type("a")
    suite.check(terminal.shows(r"Busy\.(Compute|Hot)"), name + ": methods of another", terminal.picture())
    terminal.child.kill()
    terminal.end()
    harness.wait_for(lambda: not any("monocle" in thread for thread in thread_names(program.pid)))
    threads = list(thread_names(program.pid))
    suite.check(not any("monocle" in thread for thread in threads), name + ": nothing stays when top is killed",
                (threads, list(attaches_to(program.pid))))
    suite.check(program.end() == 0, name + ": the program is unharmed by that")
    terminal.close()


def plain(suite, runtime, exe, top):
    """Without a terminal, or colours."""
    program = Program(runtime, exe)
    outcome = harness.run(top + [str(program.pid), "--interval=200ms", "--duration=1s"], environment())
    suite.check(outcome.code == 0 and "\x1b" not in outcome.out and len(outcome.out.splitlines()) >= 2 and
                re.match(r"%d busy\.exe   CPU " % program.pid, outcome.out), "lines without a terminal", outcome)
    longest = max(map(len, outcome.out.splitlines()))
    outcome = harness.run(top + [str(program.pid), "--interval=200ms", "--duration=1s", "--full"], environment())
    suite.check(longest < 200 and "gen2" in outcome.out, "they are short unless all is wanted", (longest, outcome))
    terminal = Terminal(top + [program.pid], environment(NO_COLOR="1"))
    suite.check(terminal.shows("hot-thread") and not re.search(r"\x1b\[[17]m", terminal.text), "NO_COLOR",
                terminal.text[-300:])
    terminal.type("q")
    suite.check(terminal.end() == 0 and terminal.is_restored(), "NO_COLOR: q")
    terminal.close()
    program.end()


def main():
    suite = harness.Suite("live-top", __doc__)
    suite.parser.add_argument("exe", type=pathlib.Path)
    suite.parser.add_argument("--runtimes")
    options = suite.parse("clr10", harness.NET)
    top = [str(suite.build.monocle), "top"]
    runtimes = suite.runtimes()
    for runtime in runtimes:
        keys(suite, runtime, options.exe, top)
        sampled(suite, runtime, options.exe, top)
    for runtime in (r for r in runtimes if r.name in suite.newer):
        endings(suite, runtime, options.exe, top)
        silence(suite, runtime, options.exe, top)
        command(suite, runtime, options.exe, top)
        plain(suite, runtime, options.exe, top)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
