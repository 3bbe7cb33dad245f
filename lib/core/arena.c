/*
 * SPDX-License-Identifier: MIT
 *
 * arena.c - the memory records live in: taken from mmap, handed out by bumping, never given back.
 *
 * Any thread enters, in any context, a signal handler included: there is no lock and no libc allocator, only one
 * fetch-and-add in the common case. Memory comes zeroed and 16-byte aligned.
 */
#include "records.h"

#include <string.h>
#include <sys/mman.h>

enum {
	CHUNK_SIZE = 1 << 20,
	ALIGNMENT = 16,
	/* Larger requests get a mapping of their own, so that at most an eighth of a chunk is wasted at its end. */
	LARGE = CHUNK_SIZE / 8,
};

struct chunk {
	_Atomic size_t used; /* may run past CHUNK_SIZE: whoever gets an offset beyond the end moves on */
};

static _Atomic(struct chunk *) current;
/* How many allocations succeed before all fail; negative: no limit. Tests drive every failure path with it. */
static _Atomic int64_t budget = -1;

static void *
map (size_t size)
{
	void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static bool
budget_spent (void)
{
	int64_t left = atomic_load_explicit (&budget, memory_order_relaxed);
	if (left > 0)
		atomic_fetch_sub_explicit (&budget, 1, memory_order_relaxed);
	return left == 0;
}

/* Replaces a full chunk. Several threads may race; the losers unmap theirs and use the winner's. */
static bool
chunk_replace (struct chunk *full)
{
	struct chunk *fresh = map (CHUNK_SIZE);
	if (!fresh)
		return false;
	atomic_init (&fresh->used, (sizeof *fresh + ALIGNMENT - 1) & ~(size_t) (ALIGNMENT - 1));
	if (!atomic_compare_exchange_strong_explicit (&current, &full, fresh, memory_order_acq_rel, memory_order_relaxed))
		munmap (fresh, CHUNK_SIZE);
	return true;
}

void *
monocle__arena_alloc (size_t size)
{
	if (budget_spent () || size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGNMENT - 1) & ~(size_t) (ALIGNMENT - 1);
	if (size > LARGE)
		return map (size);
	for (;;) {
		struct chunk *chunk = atomic_load_explicit (&current, memory_order_acquire);
		if (chunk) {
			size_t offset = atomic_fetch_add_explicit (&chunk->used, size, memory_order_relaxed);
			if (offset + size <= CHUNK_SIZE)
				return (char *) chunk + offset;
		}
		if (!chunk_replace (chunk))
			return NULL;
	}
}

const char *
monocle__arena_string (const char *text)
{
	if (!text)
		return NULL;
	if (!*text)
		return "";
	size_t size = strlen (text) + 1;
	char *copy = monocle__arena_alloc (size);
	if (copy)
		memcpy (copy, text, size);
	return copy;
}

void
monocle__arena_set_budget (int64_t allocations)
{
	atomic_store (&budget, allocations < 0 ? -1 : allocations);
}
