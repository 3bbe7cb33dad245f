/*
 * SPDX-License-Identifier: MIT
 *
 * allocator.c - where the C library's allocator lies, so that a thread is not walked while it is in there.
 *
 * Mono's walk says that it is async-safe, and yet allocates now and then (6.8: when it first looks into code that was
 * compiled ahead of time). On a thread that was interrupted inside malloc, holding the arena's lock, that is for ever.
 * The allocator is one object file, so that its functions lie together; those that have no name precede those that
 * have one. What it calls lies elsewhere, and is not covered.
 */
#include "sample.h"

#include <dlfcn.h>

static uintptr_t start, end; /* 0: not known */

void
allocator_init (void)
{
	enum { BEFORE = 0x6000, BEHIND = 0x2000, FARTHEST = 0x10000 };
	static const char *const names[] = { "malloc", "free", "calloc", "realloc", "memalign", "malloc_trim", "mallopt" };
	uintptr_t first = (uintptr_t) dlsym (RTLD_DEFAULT, "malloc"), last = first;
	if (!first)
		return;
	uintptr_t middle = first;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uintptr_t address = (uintptr_t) dlsym (RTLD_DEFAULT, names[i]);
		if (address + FARTHEST < middle || address > middle + FARTHEST)
			continue; /* Another library's. */
		first = address < first ? address : first;
		last = address > last ? address : last;
	}
	start = first - BEFORE;
	end = last + BEHIND;
}

bool
allocator_holds (uintptr_t ip)
{
	return ip - start < end - start;
}
