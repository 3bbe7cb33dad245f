#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A process that looks like CoreCLR from outside, takes each attach, and then does to the folder of the attach what its
user may do there.

  thief.py LIBRARY DEED VICTIM    LIBRARY and TMPDIR as for fake_runtime.py; VICTIM is a folder of somebody else

It prints "ready", and "done" after each deed, and goes on until its standard input is closed.
"""
import mmap
import os
import re
import socket
import struct
import sys
import threading

import fake_runtime

REFUSED = 0x80131368  # CORPROF_E_PROFILER_CANCEL_ACTIVATION: at once
MEGABYTE = 1 << 20


def sparse(folder, name, size, begin=b""):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=folder)
    os.write(fd, begin)
    os.truncate(fd, size)
    os.close(fd)


def note(folder, *kinds):
    for kind in kinds:
        sparse(folder, "%d.%s" % (os.getpid(), kind), 0)


def exchange(path, victim):
    os.rename(path, path + "-old")
    os.symlink(victim, path)


def output(number, kind="pb.gz"):
    return "output.%d.%d.%s" % (os.getpid(), number, kind)


def steal(deed, path, victim):
    """What the attach is answered."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    if deed in ("exchanges", "exchanges-and-refuses", "exchanges-and-stays"):
        exchange(path, victim)
    elif deed in ("long-log", "long-log-and-refuses"):
        sparse(folder, "log", 900 * MEGABYTE, b"first\n")
    elif deed == "large-files":
        for number in range(1, 6):
            sparse(folder, output(number, "log"), 400 * MEGABYTE)
    elif deed == "large-profile":
        sparse(folder, output(1), 1000 * MEGABYTE, b"\1")
    elif deed == "large-stacks":
        sparse(folder, "stacks.pb.gz", 1000 * MEGABYTE, b"\1")
    elif deed == "many-files":
        for number in range(5000):
            sparse(folder, output(number), 0)
    note(folder, "loaded")
    if not deed.endswith("stays"):
        note(folder, "detached")
    os.close(folder)
    return REFUSED if deed.endswith("refuses") else 0


def answer(connection, deed, victim):
    request = b""
    while len(request) < 20 or len(request) < struct.unpack_from("<H", request, 14)[0]:
        piece = connection.recv(65536)
        if not piece:
            return
        request += piece
    found = re.search(rb"MONOCLE_RUN_DIR=([^\0]*)", request)
    if found:
        result = steal(deed, os.fsdecode(found.group(1)), victim)
        print("done", flush=True)
        connection.sendall(fake_runtime.message(struct.pack("<I", result)))
    connection.close()


def main():
    library, deed, victim = sys.argv[1:]
    with open(library, "rb") as file:
        mapping = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(fake_runtime.path_of(os.getpid()))
    listener.listen(5)

    def serve():
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0], deed, victim), daemon=True).start()
    threading.Thread(target=serve, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    mapping.close()


if __name__ == "__main__":
    main()
