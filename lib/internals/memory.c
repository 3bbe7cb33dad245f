/*
 * SPDX-License-Identifier: MIT
 *
 * memory.c - pages, and what the machine has.
 *
 * Pages are asked for with one length and may be given back with another one: the log profiler makes a buffer that is
 * as long as one large event and frees it as if it had the usual length, which on Mono loses what is beyond. So the
 * length is kept, in a page in front.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "internals.h"

enum { FLAG_READ = 1, FLAG_WRITE = 2, FLAG_EXECUTE = 4 };

int
mono_cpu_count (void)
{
	long count = sysconf (_SC_NPROCESSORS_ONLN);
	return count > 0 ? (int) count : 1;
}

int
mono_pagesize (void)
{
	return (int) sysconf (_SC_PAGESIZE);
}

static int
protection (int flags)
{
	return (flags & FLAG_READ ? PROT_READ : 0) | (flags & FLAG_WRITE ? PROT_WRITE : 0) |
	       (flags & FLAG_EXECUTE ? PROT_EXEC : 0);
}

/* Modules ask for no place; one that did would get another one. */
void *
mono_valloc (void *address, size_t length, int flags, int account)
{
	size_t page = (size_t) mono_pagesize ();
	int error = errno;
	if (!length || length > SIZE_MAX / 2)
		return NULL;
	size_t whole = page + ((length + page - 1) & ~(page - 1));
	char *base = mmap (NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = error;
	if (base == MAP_FAILED)
		return NULL;
	*(size_t *) base = whole;
	int wanted = protection (flags);
	if (wanted != (PROT_READ | PROT_WRITE) && mprotect (base + page, whole - page, wanted)) {
		munmap (base, whole);
		errno = error;
		return NULL;
	}
	return base + page;
}

int
mono_vfree (void *address, size_t length, int account)
{
	if (!address)
		return 0;
	char *base = (char *) address - mono_pagesize ();
	return munmap (base, *(size_t *) base);
}
