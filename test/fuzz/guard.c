/*
 * SPDX-License-Identifier: MIT
 *
 * guard.c - see guard.h.
 */
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard
guard_new (size_t size)
{
	size_t page = (size_t) sysconf (_SC_PAGESIZE);
	struct guard guard = { .size = (size + page - 1) / page * page };
	guard.pages = mmap (NULL, guard.size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guard.pages == MAP_FAILED || mprotect (guard.pages + guard.size, page, PROT_NONE)) {
		perror ("guard");
		exit (1);
	}
	return guard;
}

uint8_t *
guard_fill (const struct guard *guard, const void *data, size_t size)
{
	uint8_t *at = guard->pages + guard->size - size;
	return size ? memcpy (at, data, size) : at;
}

void
guard_free (struct guard *guard)
{
	munmap (guard->pages, guard->size + (size_t) sysconf (_SC_PAGESIZE));
}
