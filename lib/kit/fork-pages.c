/*
 * SPDX-License-Identifier: MIT
 *
 * fork-pages.c - memory that a forked child sees as zeros.
 *
 * The kernel does it (MADV_WIPEONFORK) where it may. A sandbox may refuse madvise: then the C library calls us in the
 * child before fork () returns there, and we write the zeros. A child that the program makes by a bare clone system
 * call without sharing its memory is not noticed in this way; the .NET runtimes and Mono make none.
 *
 * Pages that are known here are never given back, so that the list needs no lock that another thread could hold while
 * the program forks.
 */
#include "fork-pages.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spool.h"

/* Follows the pages, in one of its own. */
struct region {
	struct region *next;
	void *pages;
	size_t size;
};

static struct region *regions; /* pushed with compare and swap */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
wipe (void)
{
	for (struct region *region = __atomic_load_n (&regions, __ATOMIC_ACQUIRE); region; region = region->next)
		memset (region->pages, 0, region->size);
}

static void
watch_forks (void)
{
	pthread_atfork (NULL, NULL, wipe);
}

static size_t
page_size (void)
{
	return (size_t) sysconf (_SC_PAGESIZE);
}

static size_t
whole_pages (size_t size)
{
	return (size + page_size () - 1) & ~(page_size () - 1);
}

void *
monocle__fork_pages_new (size_t size)
{
	size_t whole = whole_pages (size);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	pthread_once (&once, watch_forks);
	void *pages =
	    monocle__fails () ? MAP_FAILED : mmap (NULL, whole + page_size (), PROT_READ | PROT_WRITE, flags, -1, 0);
	if (pages == MAP_FAILED)
		return NULL;
	if (madvise (pages, whole, MADV_WIPEONFORK) == 0)
		return pages;
	struct region *region = (struct region *) ((uint8_t *) pages + whole);
	*region = (struct region) { __atomic_load_n (&regions, __ATOMIC_RELAXED), pages, whole };
	while (!__atomic_compare_exchange_n (&regions, &region->next, region, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return pages;
}

void
monocle__fork_pages_free (void *pages, size_t size)
{
	const struct region *region = (const struct region *) ((uint8_t *) pages + whole_pages (size));
	if (!region->pages)
		munmap (pages, whole_pages (size) + page_size ());
}
