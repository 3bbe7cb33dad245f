/*
 * SPDX-License-Identifier: MIT
 *
 * memfd.c - memfd_create (), which glibc has since 2.27, and Linux since 3.17. Who calls it (libffi) has another way.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int
memfd_create (const char *name, unsigned flags)
{
	return (int) syscall (SYS_memfd_create, name, flags);
}
