#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""After `meson install`: puts links to our modules where Mono looks for `--profile=NAME`.

usage: install_links.py MODULEDIR MONODIR. Both are final paths; DESTDIR is put before them. A file that is not a
link of ours is left alone and named.

usage: install_links.py --foretell MONODIR. Says whether Mono will find links there. Setup asks so, because Meson shows
nothing of what a script prints that succeeds while it installs.
"""
import glob
import os
import pathlib
import shutil
import subprocess
import sys


def staged(path):
    destdir = os.environ.get("DESTDIR", "")
    return pathlib.Path(destdir + path) if destdir else pathlib.Path(path)


def link(module, folder, target):
    place = folder / module.name
    if place.is_symlink() and os.readlink(place) == target:
        return
    if place.is_symlink() and os.path.basename(os.path.dirname(os.readlink(place))) == module.parent.name:
        place.unlink()
    elif place.exists() or place.is_symlink():
        print("not replaced, since it is not ours: %s" % place)
        return
    place.symlink_to(target)
    print("Installing symlink %s to %s" % (place, target))


def configured_folders(path):
    """The folders that the dynamic linker's configuration names, in files that it includes as well."""
    try:
        lines = pathlib.Path(path).read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        words = line.split("#")[0].split()
        if words[:1] == ["include"]:
            for pattern in words[1:]:
                for included in sorted(glob.glob(os.path.join(os.path.dirname(path), pattern))):
                    yield from configured_folders(included)
        elif words[:1] != ["hwcap"]:
            yield from words


def mono_looks_in(folder, configuration="/etc/ld.so.conf"):
    """Will Mono find a module there? It looks in the lib beside its own folder, and where the dynamic linker looks."""
    folders = ["/lib", "/usr/lib", *configured_folders(configuration)]
    mono = shutil.which("mono")
    if mono:
        folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(mono))), "lib"))
    return os.path.realpath(folder) in map(os.path.realpath, folders)


def foretell(folder):
    if mono_looks_in(folder):
        return "will find the modules"
    return ("will not look in %s: set LD_LIBRARY_PATH=%s, or configure with -Dmonodir=/usr/lib; monocle run needs "
            "neither" % (folder, folder))


def linker_finds(ldconfig, folder, name):
    """Is the file there by which the dynamic linker knows the name? Its default folders are not in its cache."""
    if str(folder) in ("/lib", "/usr/lib"):
        return True
    listed = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
    return any(line.strip().startswith(name + " ") and line.endswith("=> %s" % (folder / name))
               for line in listed.splitlines())


def refresh_linker_cache(folder, names):
    """The dynamic linker finds libraries outside its default folders through a cache only."""
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
    if os.environ.get("DESTDIR") or not names:
        return
    if os.geteuid() == 0 and os.access(ldconfig, os.X_OK):
        subprocess.run([ldconfig], check=False)
    if not os.access(ldconfig, os.X_OK) or not linker_finds(ldconfig, folder, names[0]):
        print("The dynamic linker does not look in %s: for mono --profile=NAME set LD_LIBRARY_PATH=%s, or install with "
              "-Dmonodir=/usr/lib. monocle run needs neither." % (folder, folder))


def main():
    if sys.argv[1] == "--foretell":
        print(foretell(sys.argv[2]))
        return 0
    moduledir, monodir = sys.argv[1:3]
    source, folder = staged(moduledir), staged(monodir)
    if source == folder:
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    modules = sorted(source.glob("libmono-profiler-*.so"))
    for module in modules:
        link(module, folder, os.path.relpath(os.path.join(moduledir, module.name), monodir))
    refresh_linker_cache(folder, [module.name for module in modules])
    return 0


if __name__ == "__main__":
    sys.exit(main())
