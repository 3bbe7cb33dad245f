#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds what users install: a tarball that runs in any folder, and a Debian package.

  package.py --build=FOLDER [--output=FOLDER] [tarball] [deb]

Each has a build folder of its own below FOLDER, made by meson, and a tree of files there, made by `meson install`; the
version is that of meson.build. doc/packaging.md describes both. Needs dpkg-dev for the Debian package.
"""
import argparse
import email.utils
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
# What users run aborts on no assertion; -O2 is what is tested and measured.
OPTIONS = ["-Dtests=disabled", "-Doptimization=2", "-Ddebug=false", "-Db_ndebug=true"]
LINK = re.compile(r"\[([^][]*)\]\(([^()#:]+)(#[^()]*)?\)")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def output_of(*words, **options):
    return run(*words, stdout=subprocess.PIPE, text=True, **options).stdout


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_gzip(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 9, mtime=0))


class Project:
    def __init__(self):
        self.version = re.search(r"\bversion: '([^']+)'", (TOP / "meson.build").read_text())[1]
        self.time = int(os.environ.get("SOURCE_DATE_EPOCH") or self.of_last_commit("%ct"))
        self.maintainer = "%s <%s>" % (os.environ.get("DEBFULLNAME") or self.of_last_commit("%cn"),
                                       os.environ.get("DEBEMAIL") or self.of_last_commit("%ce"))

    @staticmethod
    def of_last_commit(form):
        return output_of("git", "-C", TOP, "log", "-1", "--format=" + form).strip()


class Build:
    """A build folder, and a tree that holds what it installs."""

    def __init__(self, folder, name, *options):
        self.folder, self.tree = folder / name, folder / (name + "-tree")
        if not (self.folder / "build.ninja").exists():
            run("meson", "setup", self.folder, TOP, *OPTIONS, *options, stdout=subprocess.DEVNULL)
        run("ninja", "-C", self.folder, "--quiet")
        shutil.rmtree(self.tree, ignore_errors=True)
        run("meson", "install", "-C", self.folder, "--no-rebuild", "--quiet", "--strip", "--destdir", self.tree)

    def static_libraries(self):
        """The archives of other projects that became a part of ours."""
        named = re.findall(r"(/usr/\S*?/lib\w+\.a)\b", (self.folder / "build.ninja").read_text())
        return sorted({os.path.realpath(archive) for archive in named})


def not_examples(folder, names):
    """What builds and tests the examples here; only tally is a project of its own."""
    left_out = shutil.ignore_patterns("*.py", "expected.txt", ".gitignore", "__pycache__")(folder, names)
    return left_out | ({"meson.build"} if "tally" not in folder else set())


def copy_documents(folder, include):
    """README.md, LICENSE, doc/ and examples/, in the places that they have in the sources: their links hold. INCLUDE is
    where include/ is, seen from doc/. A link to what is not installed becomes its text."""
    shutil.copytree(TOP / "examples", folder / "examples", ignore=not_examples)
    (folder / "doc").mkdir()
    shutil.copy(TOP / "doc/flame.png", folder / "doc")
    pages = [TOP / "README.md", *sorted((TOP / "doc").glob("*.md"))]
    for page in pages:
        shutil.copy(page, folder / page.relative_to(TOP))

    for page in pages:
        there = folder / page.relative_to(TOP)

        def placed(match, there=there):
            text, target, anchor = match[1], match[2], match[3] or ""
            target = re.sub(r"^(\.\./)?include/", include, target)
            return "[%s](%s%s)" % (text, target, anchor) if (there.parent / target).exists() else text

        there.write_text(LINK.sub(placed, there.read_text()))


# --- the tarball ------------------------------------------------------------------------------------------------------

def copy_licences(build, folder):
    """Debian's packages say whose their libraries are."""
    folder.mkdir()
    for archive in build.static_libraries():
        package = output_of("dpkg", "-S", archive).split(":")[0]
        if package == "libc6-dev":  # its archives are empty; what they had is in the library
            continue
        shutil.copy(pathlib.Path("/usr/share/doc") / package / "copyright", folder / (package[:-len("-dev")] + ".txt"))


def make_tarball(project, options):
    build = Build(options.build, "portable", "-Dportable=true", "-Dpkgconfig.relocatable=true", "--prefix=/usr",
                  "--libdir=lib")
    name = "monocle-%s-linux-%s" % (project.version, os.uname().machine)
    folder = build.tree / name
    (build.tree / "usr").rename(folder)
    shutil.copy(TOP / "LICENSE", folder)
    copy_licences(build, folder / "licenses")
    copy_documents(folder, "../include/monocle/")
    run(sys.executable, HERE / "check_elf.py", "--standalone", folder)
    tarball = options.output / (name + ".tar.gz")
    with open(tarball, "wb") as file:
        tar = subprocess.Popen(["tar", "-C", str(build.tree), "-c", "--sort=name", "--owner=0", "--group=0",
                                "--numeric-owner", "--mode=go=rX,u+rw", "--mtime=@%d" % project.time, name],
                               stdout=subprocess.PIPE)
        run("gzip", "-9n", stdin=tar.stdout, stdout=file)
        if tar.wait() != 0:
            raise subprocess.CalledProcessError(tar.returncode, "tar")
    return tarball


# --- the Debian package -----------------------------------------------------------------------------------------------

def needed_packages(tree, work):
    """What dpkg knows of the libraries that ours need. It wants to be where a control file is."""
    (tree / "DEBIAN").mkdir()
    write(work / "debian/control", "Source: monocle\n\nPackage: monocle\nArchitecture: any\n")
    files = [path for path in sorted(tree.rglob("*"))
             if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]
    said = output_of("dpkg-shlibdeps", "-O", "--ignore-missing-info",
                     *("-l%s" % path for path in sorted({path.parent for path in files})),
                     *("-e%s" % path for path in files), cwd=work)
    return re.search(r"shlibs:Depends=(.*)", said)[1]


def write_control(project, tree, depends, architecture):
    control = tree / "DEBIAN"
    size = sum(path.lstat().st_size + 1023 >> 10 for path in tree.rglob("*") if not path.is_symlink())
    text = (HERE / "debian/control.in").read_text()
    write(control / "control", text.format(version=project.version, architecture=architecture, size=size,
                                           maintainer=project.maintainer, depends=depends))
    write(control / "shlibs", "libmonocle 0 monocle (>= %s)\n" % project.version)
    write(control / "triggers", "activate-noawait ldconfig\n")
    sums = ["%s  %s\n" % (hashlib.md5(path.read_bytes()).hexdigest(), path.relative_to(tree))
            for path in sorted(tree.rglob("*"))
            if path.is_file() and not path.is_symlink() and control not in path.parents]
    write(control / "md5sums", "".join(sums))


def move_completions(tree):
    """Debian's zsh looks in a folder of its own."""
    folder = tree / "usr/share/zsh/site-functions"
    if folder.exists():
        folder.rename(folder.with_name("vendor-completions"))


def compress_pages(tree):
    for page in sorted((tree / "usr/share/man").rglob("*.[1-9]")):
        write_gzip(page.with_name(page.name + ".gz"), page.read_bytes())
        page.unlink()


def make_deb(project, options):
    architecture = output_of("dpkg", "--print-architecture").strip()
    triplet = output_of("gcc", "-print-multiarch").strip()
    build = Build(options.build, "debian", "--prefix=/usr", "--libdir=lib/" + triplet)
    tree, documents = build.tree, build.tree / "usr/share/doc/monocle"
    documents.mkdir(parents=True)
    copy_documents(documents, "../../../../include/monocle/")
    shutil.copy(HERE / "debian/copyright.txt", documents / "copyright")
    write_gzip(documents / "changelog.gz", (HERE / "debian/changelog.in").read_text().format(
        version=project.version, maintainer=project.maintainer,
        date=email.utils.formatdate(project.time)).encode())
    compress_pages(tree)
    move_completions(tree)
    overrides = tree / "usr/share/lintian/overrides/monocle"
    overrides.parent.mkdir(parents=True)
    shutil.copy(HERE / "debian/lintian-overrides", overrides)
    run("chmod", "-R", "go=rX,u+rw", tree)
    for library in tree.rglob("*.so*"):
        library.chmod(0o644)  # Debian wants no execute bits on libraries
    write_control(project, tree, needed_packages(tree, options.build / "debian-work"), architecture)
    for path in [tree, *tree.rglob("*")]:
        os.utime(path, (project.time, project.time), follow_symlinks=False)
    package = options.output / ("monocle_%s_%s.deb" % (project.version, architecture))
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, package, stdout=subprocess.DEVNULL,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(project.time)})
    return package


MAKERS = {"tarball": make_tarball, "deb": make_deb}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, help="where both are written (the folder of --build)")
    parser.add_argument("what", nargs="*", metavar="tarball|deb")
    options = parser.parse_args()
    options.build, project = options.build.resolve(), Project()
    options.output = options.output or options.build
    for what in options.what or MAKERS:
        if what not in MAKERS:
            parser.error("there is no %s" % what)
    for what in options.what or MAKERS:
        made = MAKERS[what](project, options)
        print("%9d  %s" % (made.stat().st_size, made), flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print("package.py: failed: %s" % error, file=sys.stderr)
        sys.exit(1)
