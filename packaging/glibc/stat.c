/*
 * SPDX-License-Identifier: MIT
 *
 * stat.c - stat () and its family. In glibc 2.23 they are no symbols of the library; a program brought them along.
 *
 * The kernel fills the struct that programs see: on the 64-bit CPUs that we know, glibc changes nothing in it.
 */
#undef _FILE_OFFSET_BITS
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof (struct stat) == sizeof (struct stat64), "files of any size have one struct");

int
fstatat (int folder, const char *path, struct stat *ret_status, int flags)
{
	return (int) syscall (SYS_newfstatat, folder, path, ret_status, flags);
}

int
stat (const char *path, struct stat *ret_status)
{
	return fstatat (AT_FDCWD, path, ret_status, 0);
}

int
lstat (const char *path, struct stat *ret_status)
{
	return fstatat (AT_FDCWD, path, ret_status, AT_SYMLINK_NOFOLLOW);
}

int
fstat (int descriptor, struct stat *ret_status)
{
	return (int) syscall (SYS_fstat, descriptor, ret_status);
}

int fstatat64 (int folder, const char *path, struct stat64 *ret_status, int flags) __attribute__ ((alias ("fstatat")));
int stat64 (const char *path, struct stat64 *ret_status) __attribute__ ((alias ("stat")));
int lstat64 (const char *path, struct stat64 *ret_status) __attribute__ ((alias ("lstat")));
int fstat64 (int descriptor, struct stat64 *ret_status) __attribute__ ((alias ("fstat")));
