#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A process that looks like CoreCLR from outside, and answers on its diagnostics socket as it is told.

  fake_runtime.py LIBRARY[:...] HOW    each LIBRARY is mapped, and tells the version by its folder; TMPDIR holds the
                                       socket; a thread has the name THREAD, the file ALSO is mapped, too, and in the
                                       folder HIDDEN the process sees nothing of what others see there

It prints "ready", and "asked" for each question, and goes on until its standard input is closed; with SEEN, until
another process has looked so often whether it is there.
"""
import ctypes
import mmap
import os
import socket
import struct
import sys
import threading
import time

MAGIC = b"DOTNET_IPC_V1\0"


def text(word):
    return struct.pack("<I", len(word) + 1) + word.encode("utf-16le") + b"\0\0"


def message(payload, command=0, size=None, magic=MAGIC):
    return magic + struct.pack("<HBBH", len(payload) + 20 if size is None else size, 0xff, command, 0) + payload


def info(entry, version="9.8.7+0123456789abcdef"):
    words = ["app", "linux", "x64", entry, version]
    return struct.pack("<Q", os.getpid()) + bytes(16) + b"".join(text(word) for word in words)


def start_time(pid):
    with open("/proc/%d/stat" % pid) as stat:
        return int(stat.read().rpartition(")")[2].split()[19])


def path_of(pid):
    return "%s/dotnet-diagnostic-%d-%d-socket" % (os.environ["TMPDIR"], pid, start_time(pid))


def stream(size):
    """A stream without an event, in `size` bytes and some."""
    out = b"Nettrace\x14\0\0\0!FastSerialization.1"
    for name, data in ("Trace", bytes(16) + struct.pack("<QQ", 1, 10 ** 9) + bytes(16)), ("Filler", bytes(size)):
        out += b"\x05\x05\x01" + struct.pack("<III", 4, 4, len(name)) + name.encode() + b"\x06"
        if name != "Trace":
            out += struct.pack("<I", size)
            out += bytes(-len(out) % 4)
        out += data + b"\x06"
    return out + b"\x01"


def nonsense():
    """Whatever is asked, these are not answers."""
    return {
        "nonsense": b"HTTP/1.1 400 Bad Request\r\n\r\n",
        "zeros": bytes(70000),
        "small": message(b"", size=3),
        "event": message(b"abcd", command=7),
        "no-code": message(b"a", command=0xff),
        "short": message(info("app"))[:50],
        "long": message(b"abc", size=0xffff),
        "strings": message(struct.pack("<Q", 1) + bytes(16) + struct.pack("<I", 0xffffffff) + b"abc"),
        "error": message(struct.pack("<I", 0x80131385), command=0xff),
        "unknown": message(struct.pack("<I", 0x80990001), command=0xff),
        "good": message(info("app")),
        "escapes": message(info("a\x1b[2J", "1\x1b]0;x\x07\u202e")),
        "nothing": b"",
        "stream-nonsense": message(struct.pack("<Q", 1)) + b"HTTP/1.1 200 OK\r\n\r\n" * 100,
        "stream-cut": message(struct.pack("<Q", 1)) + b"Nettrace\x14\0\0\0!FastSerialization.1\x05\x05\x01",
        "stream-at-once": message(struct.pack("<Q", 1)) + stream(100000),
        "stream-silent": message(struct.pack("<Q", 1)),
        "stream-none": message(b"abc"),
    }


def trickle(connection):
    """A byte now and then, and never the last one."""
    for byte in message(info("app"))[:-1]:
        connection.sendall(bytes([byte]))
        time.sleep(0.05)
    time.sleep(60)


def answer(connection, how):
    try:
        if how == "silent":
            time.sleep(60)
        elif how == "trickle":
            trickle(connection)
        elif how == "deaf":
            connection.close()
        elif how == "ends":
            os._exit(0)
        else:
            is_early = how == "stream-at-once"
            if not is_early:
                connection.recv(65536)
            connection.sendall(nonsense()[how])
            if is_early:  # whoever has not asked yet is not hung up on
                connection.recv(65536)
            if how == "stream-silent":
                time.sleep(60)
        connection.close()
    except OSError:
        pass


def serve(listener, how):
    while True:
        connection, _ = listener.accept()
        print("asked", flush=True)
        threading.Thread(target=answer, args=(connection, how), daemon=True).start()


def listen(path, how):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen(255)
    threading.Thread(target=serve, args=(listener, how), daemon=True).start()


def name_thread(name, is_named):
    PR_SET_NAME = 15
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())
    is_named.set()
    threading.Event().wait()


def hide(folder):
    """From here on the process has mounts of its own. False: it may not."""
    CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 1 << 14, 1 << 18
    library = ctypes.CDLL(None)
    return (library.unshare(CLONE_NEWNS) == 0 and library.mount(None, b"/", None, MS_REC | MS_PRIVATE, None) == 0 and
            library.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, None) == 0)


def map_file(path):
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)


def wait_until_seen(count):
    IN_OPEN, EVENT_SIZE = 0x20, 16
    with open("/proc/self/stat", "rb"):  # it stays the same file as long as it is open
        name = b"/proc/%d/stat" % os.getpid()
        events = ctypes.CDLL(None).inotify_init1(os.O_CLOEXEC)
        ctypes.CDLL(None).inotify_add_watch(events, name, IN_OPEN)
        while count > 0:
            count -= len(os.read(events, 4096)) // EVENT_SIZE


def main():
    if "THREAD" in os.environ:
        is_named = threading.Event()
        threading.Thread(target=name_thread, args=(os.environ["THREAD"], is_named), daemon=True).start()
        is_named.wait()
    libraries, how = sys.argv[1:3]
    also = [os.environ["ALSO"]] if "ALSO" in os.environ else []
    mappings = [map_file(path) for path in libraries.split(":") + also]
    if "HIDDEN" in os.environ and not hide(os.environ["HIDDEN"]):
        print("may not", flush=True)
        return
    path = path_of(os.getpid())
    if how == "stale":
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(path)
    elif how == "file":
        open(path, "w").close()
    elif how == "link":
        listen(path + ".real", "good")
        os.symlink(path + ".real", path)
    elif how != "none":
        listen(path, how)
    print("ready", flush=True)
    if "SEEN" in os.environ:
        wait_until_seen(int(os.environ["SEEN"]))
    else:
        sys.stdin.read()
    for mapping in mappings:
        mapping.close()


if __name__ == "__main__":
    main()
