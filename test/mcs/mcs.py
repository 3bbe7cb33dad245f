#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mcs, for a build of many programs: the compiler is started once, and compiles one program after the other.

The arguments, the output and the exit code are those of mcs. A start of mcs is four fifths of what a small program
takes. server.cs is the compiler; it is started in the folder where the build runs, and ends by itself some seconds
after the last program. Where it cannot be had, mcs itself does the work.
"""
import fcntl
import os
import pathlib
import socket
import subprocess
import sys

SOCKET, LOCK, SERVER = "mcs.socket", "mcs.lock", "mcs-server.exe"
SOURCE = pathlib.Path(__file__).with_name("server.cs")
COMPILER = pathlib.Path("/usr/lib/mono/4.5/mcs.exe")


def ask(arguments):
    """(exit code, output), or None where no server answers."""
    request = "".join(argument + "\0" for argument in arguments).encode()
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(SOCKET)
            server.sendall(request)
            server.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: server.recv(65536), b""))
    except OSError:
        return None
    return (int(answer[:1]), answer[1:]) if answer else None


def start():
    if not os.path.exists(SERVER) or os.path.getmtime(SERVER) < SOURCE.stat().st_mtime:
        subprocess.run(["mcs", "-warnaserror", "-out:" + SERVER, str(SOURCE)], check=True)
    server = subprocess.Popen(["mono", SERVER, SOCKET, str(COMPILER)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    server.stdout.readline()  # that it listens, or its end


def compiled(arguments):
    """By a server that runs, or by one that is started."""
    answer = ask(arguments)
    if answer or not COMPILER.exists():
        return answer
    with open(LOCK, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        answer = ask(arguments)  # another program's client may have started one meanwhile
        if not answer:
            start()
            answer = ask(arguments)
    return answer


def main():
    arguments = sys.argv[1:]
    try:
        answer = compiled(arguments)
    except (OSError, subprocess.SubprocessError):
        answer = None
    if not answer:
        os.execvp("mcs", ["mcs", *arguments])
    code, output = answer
    sys.stdout.buffer.write(output)
    sys.exit(code)


if __name__ == "__main__":
    main()
