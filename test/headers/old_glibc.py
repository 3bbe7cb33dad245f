#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is linked for the tarball runs on glibc 2.23, and nothing that we call is missing there.

A program of the test's own is linked as the tarball's are, run here, and looked at; linked the usual way, the same look
finds it too new. Of this build's files, each symbol of a newer glibc has its place in packaging/glibc: what a change
calls for the first time fails here, not when packages are made.
"""
import os
import pathlib
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent),
                str(pathlib.Path(__file__).resolve().parent.parent.parent / "packaging")]
import check_elf  # noqa: E402
import harness  # noqa: E402

GLIBC = harness.TOP / "packaging/glibc"
OLDEST = (2, 23)
PROGRAM = r"""
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef WITHOUT_CLOCKWAIT
#define dlsym(scope, name) NULL
#include "semaphore.c"
#undef dlsym
#endif

static int constructed;

__attribute__ ((constructor)) static void
construct (int count, char **words, char **environment)
{
	constructed += count == 2 && words[1] && environment == environ;
}

__attribute__ ((destructor)) static void
destruct (void)
{
	puts ("destructed");
}

static void *
post (void *semaphore)
{
	assert (gettid () == syscall (SYS_gettid) && gettid () != getpid ());
	sem_post (semaphore);
	return semaphore;
}

static long
milliseconds (void)
{
	struct timespec now;
	clock_gettime (CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void
check_semaphores (void)
{
	pthread_t thread;
	sem_t semaphore;
	struct timespec until;
	void *result;
	long begin = milliseconds ();
	sem_init (&semaphore, 0, 0);
	clock_gettime (CLOCK_MONOTONIC, &until);
	until.tv_sec--; /* long over */
	assert (sem_clockwait (&semaphore, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT);
	until.tv_nsec += 50000000;
	until.tv_sec += 1 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	assert (sem_clockwait (&semaphore, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT);
	assert (milliseconds () - begin >= 49);
	until.tv_sec += 3600;
	assert (pthread_create (&thread, NULL, post, &semaphore) == 0);
	assert (sem_clockwait (&semaphore, CLOCK_MONOTONIC, &until) == 0);
	assert (pthread_join (thread, &result) == 0 && result == &semaphore);
}

static void
check_files (const char *folder)
{
	struct stat one, other;
	glob_t found;
	int file, copy;
	assert (chdir (folder) == 0 && stat (".", &one) == 0 && S_ISDIR (one.st_mode));
	assert (stat ("nothing", &one) == -1 && errno == ENOENT);
	assert ((file = open ("file", O_CREAT | O_RDWR, 0640)) >= 0 && write (file, "12345", 5) == 5);
	assert (fstat (file, &one) == 0 && one.st_size == 5 && S_ISREG (one.st_mode) && one.st_uid == geteuid ());
	assert (symlink ("file", "link") == 0 && stat ("link", &other) == 0 && other.st_ino == one.st_ino);
	assert (lstat ("link", &other) == 0 && S_ISLNK (other.st_mode));
	assert (fstatat (AT_FDCWD, "link", &other, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK (other.st_mode));
	assert (one.st_mtim.tv_sec > 0 && one.st_nlink == 1 && one.st_blksize > 0);
	assert ((copy = fcntl (file, F_DUPFD_CLOEXEC, 700)) >= 700 && fcntl (copy, F_GETFD) == FD_CLOEXEC);
	struct flock lock = { .l_type = F_WRLCK };
	assert (fcntl (file, F_SETLK, &lock) == 0);
	assert (renameat2 (AT_FDCWD, "file", AT_FDCWD, "link", RENAME_NOREPLACE) == -1 && errno == EEXIST);
	assert (renameat2 (AT_FDCWD, "file", AT_FDCWD, "moved", RENAME_NOREPLACE) == 0);
	assert (glob ("m*", 0, NULL, &found) == 0 && found.gl_pathc == 1 && !strcmp (found.gl_pathv[0], "moved"));
	globfree (&found);
	assert ((file = memfd_create ("m", MFD_CLOEXEC)) >= 0 && fcntl (file, F_GETFD) == FD_CLOEXEC);
}

int
main (int count, char **words)
{
	check_semaphores ();
	check_files (words[1]);
	assert (dlsym (RTLD_DEFAULT, "glob64") || dlerror ());
	printf ("constructed %d times, %d words\n", constructed, count);
	return 0;
}
"""


def compile_program(suite, cc, name, *flags):
    source, program = suite.work / "program.c", suite.work / name / "program"
    source.write_text(PROGRAM)
    (suite.work / name / "files").mkdir(parents=True)
    done = subprocess.run([*cc, "-O1", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", str(source), "-o", str(program),
                           *flags, "-pthread", "-ldl"], capture_output=True, text=True)
    suite.check(done.returncode == 0, "the program is linked " + name, done.stderr)
    ran = subprocess.run([program, suite.work / name / "files"], capture_output=True, text=True)
    suite.check((ran.returncode, ran.stdout) == (0, "constructed 1 times, 2 words\ndestructed\n"),
                "it runs, linked " + name, ran.stdout + ran.stderr)
    return check_elf.File(program)


def make_old_glibc(suite, cc):
    folder = suite.work / "glibc"
    folder.mkdir()
    sources = [str(path) for path in sorted(GLIBC.glob("*.c"))]
    done = subprocess.run([sys.executable, GLIBC / "old_glibc.py", GLIBC / "moved.tsv", *sources,
                           folder / "libc.so", "--", *cc], capture_output=True, text=True)
    suite.check(done.returncode == 0, "the old libc.so is made", done.stderr)
    return folder


def written_by_us(folder):
    out = subprocess.run(["nm", "--defined-only", "--extern-only", folder / "libold.a"], capture_output=True, text=True,
                         check=True).stdout
    return {line.split()[2] for line in out.splitlines() if len(line.split()) == 3}


def check_program(suite, cc, folder, moved):
    old = compile_program(suite, cc, "for the old glibc", "-L%s" % folder)
    suite.check(not list(old.wrong_symbols(OLDEST, moved)), "nothing in it is too new",
                list(old.wrong_symbols(OLDEST, moved)))
    owners = {name: library for name, library, _ in old.wanted}
    for name, library in (("pthread_create", "libpthread.so.0"), ("sem_init", "libpthread.so.0"),
                          ("dlsym", "libdl.so.2"), ("open64", "libc.so.6")):
        suite.check(owners.get(name) == library and library in old.needed, "%s is sought in %s" % (name, library),
                    owners)
    compile_program(suite, cc, "without sem_clockwait", "-L%s" % folder, "-DWITHOUT_CLOCKWAIT", "-I%s" % GLIBC)
    plain = compile_program(suite, cc, "as usual")
    if tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))) >= (2, 34):
        suite.check({"needs pthread_create of GLIBC_2.34", "needs fcntl64 of GLIBC_2.28"} <=
                    set(plain.wrong_symbols(OLDEST, moved)), "linked as usual it is too new",
                    list(plain.wrong_symbols(OLDEST, moved)))


def check_build(suite, folder, moved):
    """In this build nothing is bound to the old names; each too new one must be a name that the other build has."""
    known = set(moved) | written_by_us(folder)
    files = [suite.build.path / "monocle"]
    files += [path for part in ("lib", "modules") for path in (suite.build.path / part).rglob("*.so")]
    suite.check(len(files) > 10, "the build has its files", files)
    for path in files:
        file = check_elf.File(path)
        new = {name for name, library, version in file.wanted if library in check_elf.GLIBC and
               check_elf.number(version[len("GLIBC_"):]) > OLDEST}
        suite.check(new <= known, "%s runs on glibc 2.23" % path.name, "no row or function in packaging/glibc for " +
                    ", ".join(sorted(new - known)))


def main():
    suite = harness.Suite("old-glibc", __doc__)
    suite.parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    cc = suite.parse().cc.split()
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        suite.skip("the old glibc", "packages are made for x86-64 only")
        return suite.finish()
    folder, moved = make_old_glibc(suite, cc), check_elf.moved_symbols()
    check_program(suite, cc, folder, moved)
    check_build(suite, folder, moved)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
