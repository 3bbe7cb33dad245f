/*
 * SPDX-License-Identifier: MIT
 *
 * rename.c - renameat2 (), which glibc has since 2.28, and Linux since 3.15.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int
renameat2 (int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned flags)
{
	return (int) syscall (SYS_renameat2, old_folder, old_path, new_folder, new_path, flags);
}
