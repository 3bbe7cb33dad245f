/*
 * SPDX-License-Identifier: MIT
 *
 * failing-mmap.c - see failing-mmap.h.
 */
#include "failing-mmap.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *__real_mmap (void *address, size_t size, int protection, int flags, int descriptor, off_t offset);
void *__wrap_mmap (void *address, size_t size, int protection, int flags, int descriptor, off_t offset);
/* What mmap () is with offsets of 64 bits. */
void *__wrap_mmap64 (void *address, size_t size, int protection, int flags, int descriptor, off_t offset)
    __attribute__ ((alias ("__wrap_mmap")));

_Atomic (long) failing_mmap_allowed = -1, failing_mmap_count;
size_t failing_mmap_beside;

static bool
fails (void)
{
	failing_mmap_count++;
	return failing_mmap_allowed >= 0 && failing_mmap_allowed-- == 0;
}

void *
__wrap_mmap (void *address, size_t size, int protection, int flags, int descriptor, off_t offset)
{
	size_t page = (size_t) sysconf (_SC_PAGESIZE), odd = failing_mmap_beside;
	char *memory, *here;

	if (fails ()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	memory = __real_mmap (address, size + (odd ? odd + page : 0), protection, flags, descriptor, offset);
	if (!odd || memory == MAP_FAILED)
		return memory;
	here = (char *) (((uintptr_t) memory + odd - 1) / odd * odd) + page;
	munmap (memory, (size_t) (here - memory));
	if (here + size < memory + size + odd + page)
		munmap (here + size, (size_t) (memory + odd + page - here));
	return here;
}
