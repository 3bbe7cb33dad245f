#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the packages work where there is nothing but .NET?

  test_roots.py --packages=FOLDER --program=EXE --dotnet=FOLDER [--root=FOLDER]...

An empty Debian is made in FOLDER/roots by debootstrap, from the mirror that apt uses here; it needs root, takes a
minute and is kept. In a copy of it a user without rights unpacks the tarball, runs the program on .NET under `monocle
run`, reads the profile, asks `doctor` and `list`, and does so again after the folder was moved. In another copy the
Debian package is installed instead, and at last Debian's own Mono beside it.

--root=FOLDER is one more root, an older system for example; the tarball is tried there. --dotnet is a folder that has
the program `dotnet` and a runtime. What was said is in FOLDER/transcript-NAME.txt.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ["calls", "cover", "events", "exceptions", "sample"]
CALLS = "13 methods, 1,159,849 calls"  # of words.exe, exactly
PRINTED = "talk 28823\njump 28821\nrest 28650\n"
USER = "1000:1000"
ENTER = 'mount -t proc proc "$1/proc" && shift && exec "$@"'


class Root:
    """A copy of a system's files, which is thrown away; and what was done there."""

    def __init__(self, name, template, options):
        self.name, self.folder = name, options.packages / "roots" / (name + "-copy")
        self.transcript, self.failures = [], 0
        self.remove()
        subprocess.run(["cp", "-a", "--reflink=auto", str(template), str(self.folder)], check=True)
        shutil.copytree(options.dotnet, self.folder / "usr/share/dotnet", symlinks=True, dirs_exist_ok=True)
        (self.folder / "app").mkdir()
        for file in options.program.parent.glob(options.program.stem + ".*"):  # its settings, and symbols
            shutil.copy(file, self.folder / "app")
        (self.folder / "work").mkdir()
        os.chown(self.folder / "work", 1000, 1000)

    def remove(self):
        if self.folder.exists():
            subprocess.run(["rm", "-rf", "--one-file-system", str(self.folder)], check=True)

    def run(self, *words, user=USER):
        """Nothing is inherited. The namespaces end with the command: nothing stays mounted, no process stays."""
        environment = {"PATH": "/usr/share/dotnet:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/work",
                       "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "DEBIAN_FRONTEND": "noninteractive"}
        inside = ["chroot", "--userspec=" + user, str(self.folder), "sh", "-c", 'cd /work && exec "$@"', "sh", *words]
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh",
                               str(self.folder), *inside], env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.transcript.append("$ %s\n%s[%d]\n" % (" ".join(words), done.stdout, done.returncode))
        return done

    def check(self, what, holds, said=None):
        print("%-8s %-10s %s" % ("ok" if holds else "FAILED", self.name, what))
        self.failures += not holds
        if not holds and said:
            print(said)

    def succeeds(self, what, *words, says=(), user=USER):
        done = self.run(*words, user=user)
        missing = [text for text in says if text not in done.stdout]
        self.check(what + (": it does not say %r" % missing if missing else ""), done.returncode == 0 and not missing,
                   done.stdout)
        return done


# --- what is asked everywhere -----------------------------------------------------------------------------------------

def try_commands(root, monocle, program):
    root.succeeds("doctor finds .NET and nothing wrong", monocle, "doctor",
                  says=["ok    .NET", "ok    CoreCLR adapter"])
    root.succeeds("list shows all modules", monocle, "list", says=[name + " " for name in MODULES])
    root.succeeds("a program is sampled", monocle, "run", "-o", "sample.pb.gz", "--", "dotnet", program,
                  says=[PRINTED, "monocle: wrote sample.pb.gz"])
    root.succeeds("its profile is read", monocle, "report", "sample.pb.gz", says=["# desc: sample", " samples"])
    root.succeeds("its calls are counted", monocle, "run", "--profile=calls", "-o", "calls.pb.gz", "--", "dotnet",
                  program, says=[PRINTED, CALLS])
    root.succeeds("every event is shown", monocle, "run", "--profile=events:output=events.txt", "--", "dotnet",
                  program, says=[PRINTED])
    events = root.folder / "work/events.txt"
    root.check("with its methods' names", events.exists() and "Words:Main" in events.read_text())
    root.succeeds("its lines are covered", monocle, "run", "--profile=cover:sources=any", "-o", "lines.mcov", "--",
                  "dotnet", program, says=[PRINTED, "methods   13 of 13"])
    root.succeeds("its exceptions are counted", monocle, "run", "--profile=exceptions", "-o", "thrown.pb.gz", "--",
                  "dotnet", program, says=[PRINTED])
    root.succeeds("a flame graph is drawn", monocle, "flame", "calls.pb.gz", "-o", "calls.html")
    for file in ("sample.pb.gz", "calls.pb.gz", "calls.html", "events.txt", "lines.mcov", "thrown.pb.gz"):
        (root.folder / "work" / file).unlink(missing_ok=True)


def unpack_tarball(root, options):
    """The name of its folder, which is in /work."""
    tarball = next(options.packages.glob("monocle-*.tar.gz"))
    shutil.copy(tarball, root.folder / "work")
    root.succeeds("a user without rights unpacks the tarball", "tar", "-xzf", tarball.name)
    return tarball.name[:-len(".tar.gz")]


def try_tarball(root, options):
    root.run("ldd", "--version")
    name = unpack_tarball(root, options)
    try_commands(root, "/work/%s/bin/monocle" % name, "/app/" + options.program.name)
    root.succeeds("the folder is moved", "mv", name, "/work/a new place")
    try_commands(root, "/work/a new place/bin/monocle", "/app/" + options.program.name)
    pc = (root.folder / "work/a new place/lib/pkgconfig/monocle-module.pc").read_text()
    root.check("pkg-config is told nothing absolute", "prefix=${pcfiledir}/../..\n" in pc and "=/" not in pc)


def try_deb(root, options):
    package = next(options.packages.glob("monocle_*.deb"))
    program = "/app/" + options.program.name
    shutil.copy(package, root.folder / "app")
    root.succeeds("apt reads its mirror", "apt-get", "update", "-q", user="0:0")
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends"]
    root.succeeds("apt installs the Debian package", *install, "/app/" + package.name, user="0:0")
    try_commands(root, "monocle", program)
    listed = root.run("dpkg", "-L", "monocle").stdout.split()
    for part in ("man/man1/monocle.1.gz", "doc/monocle/copyright", "doc/monocle/changelog.gz",
                 "bash-completion/completions/monocle", "zsh/vendor-completions/_monocle",
                 "fish/vendor_completions.d/monocle.fish"):
        root.check("it brings " + part, "/usr/share/" + part in listed)
    root.succeeds("the linker finds libmonocle", "ldconfig", "-p", says=["libmonocle.so.0"], user="0:0")

    root.succeeds("Debian's Mono is installed beside it", *install, "mono-runtime", "libmono-profiler",
                  "libmono-system-core4.0-cil", user="0:0")
    root.succeeds("mono --profile=calls finds it", "mono", "--profile=calls:output=mono.pb.gz", program, says=[PRINTED])
    root.succeeds("its profile is read", "monocle", "report", "mono.pb.gz", says=[CALLS])
    root.succeeds("Debian's own module runs beside it", "mono", "--profile=log:output=own.mlpd", program,
                  says=[PRINTED])
    root.succeeds("it is removed", "dpkg", "-P", "monocle", user="0:0")
    left = root.run("find", "/etc", "/usr", "/var", "-xdev", "-name", "*monocle*", user="0:0").stdout
    root.check("without a trace", left == "", left)

    folder = "/work/" + unpack_tarball(root, options)
    root.succeeds("Mono finds the tarball's modules", "env", "LD_LIBRARY_PATH=%s/lib" % folder, "mono",
                  "--profile=calls:output=own.pb.gz", program, says=[PRINTED])
    root.succeeds("their profile is read", folder + "/bin/monocle", "report", "own.pb.gz", says=[CALLS])
    root.succeeds("the tarball runs Mono", folder + "/bin/monocle", "run", "--profile=calls", "-o", "run.pb.gz", "--",
                  "mono", program, says=[PRINTED, CALLS])


# --- roots ------------------------------------------------------------------------------------------------------------

def apt_source():
    """(release, mirror) of this machine's own system, as apt has it."""
    release = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M)[1]
    rows = subprocess.run(["apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages"],
                          capture_output=True, text=True, check=True).stdout.split("\n")
    mirrors = [row.split()[1] for row in rows if row.split()[:1] == [release]]
    if not mirrors:
        sys.exit("test_roots.py: apt knows no mirror of %s; run apt-get update first" % release)
    return release, mirrors[0]


def empty_debian(options):
    release, mirror = apt_source()
    folder = options.packages / "roots" / release
    if not (folder / "usr/bin/dpkg").exists() or (folder / "debootstrap").exists():
        print("making %s from %s" % (folder, mirror), flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with open(options.packages / "debootstrap.log", "w") as log:
            subprocess.run(["debootstrap", "--variant=minbase", release, str(folder), mirror], check=True, stdout=log,
                           stderr=subprocess.STDOUT)
    return folder


def try_root(name, template, attempt, options):
    root = Root(name, template, options)
    try:
        attempt(root, options)
    finally:
        (options.packages / ("transcript-%s.txt" % name)).write_text("\n".join(root.transcript))
        root.remove()
    return root.failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--dotnet", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, action="append", default=[])
    options = parser.parse_args()
    options.packages = options.packages.resolve()
    if os.geteuid() != 0:
        parser.error("chroot needs root")
    debian = empty_debian(options)
    failures = try_root("tarball", debian, try_tarball, options) + try_root("deb", debian, try_deb, options)
    for template in options.root:
        failures += try_root(template.resolve().name, template, try_tarball, options)
    print("%d checks failed" % failures if failures else "every check passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
