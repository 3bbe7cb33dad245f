/*
 * SPDX-License-Identifier: MIT
 *
 * arena.c - the memory records live in: taken from mmap, handed out by bumping, never given back.
 *
 * Any thread enters, in any context, a signal handler included: there is no lock and no libc allocator, only one
 * fetch-and-add in the common case. Memory comes zeroed and 16-byte aligned.
 */
#include "arena.h"

#include <string.h>
#include <sys/mman.h>
#include <monocle/host.h>
#include "hash.h"
#include "intern.h"
#include "invariant.h"

enum {
	CHUNK_SIZE = 1 << 20,
	ALIGNMENT = 16,
	/* Larger requests get a mapping of their own, so that at most an eighth of a chunk is wasted at its end. */
	LARGE = CHUNK_SIZE / 8,
};

struct chunk {
	_Atomic size_t used; /* may run past CHUNK_SIZE: a thread that gets an offset beyond the end moves on */
};

static _Atomic (struct chunk *) current;
static _Atomic uint64_t mapped; /* bytes of all chunks and mappings */
static monocle__intern strings;
/* How many allocations succeed before all fail; negative: no limit. Tests drive every failure path with it. */
static _Atomic int64_t budget = -1;

static void *
map (size_t size)
{
	void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	atomic_fetch_add_explicit (&mapped, size, memory_order_relaxed);
	return memory;
}

static void
unmap (void *memory, size_t size)
{
	munmap (memory, size);
	uint64_t before = atomic_fetch_sub_explicit (&mapped, size, memory_order_relaxed);
	MONOCLE__INVARIANT (before >= size);
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
	MONOCLE__INVARIANT (!full || atomic_load_explicit (&full->used, memory_order_relaxed) > CHUNK_SIZE);
	if (!atomic_compare_exchange_strong_explicit (&current, &full, fresh, memory_order_acq_rel, memory_order_relaxed))
		unmap (fresh, CHUNK_SIZE);
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
			MONOCLE__INVARIANT (offset >= sizeof *chunk && offset % ALIGNMENT == 0);
			MONOCLE__INVARIANT (!size || offset + size > CHUNK_SIZE || !*((char *) chunk + offset)); /* zeroed */
			if (offset + size <= CHUNK_SIZE)
				return (char *) chunk + offset;
		}
		if (!chunk_replace (chunk))
			return NULL;
	}
}

struct string {
	monocle__node node;
	char text[];
};

static bool
string_same (const monocle__node *node, const void *text)
{
	return strcmp (((const struct string *) node)->text, text) == 0;
}

/* Equal texts are one: an assembly that comes a thousand times, or a thousand methods called .ctor, have one name. */
const char *
monocle__arena_string (const char *text)
{
	if (!text)
		return NULL;
	if (!*text)
		return "";
	uint64_t hash = monocle__hash_text (0, text);
	const monocle__node *known = monocle__intern_find (&strings, hash, string_same, text);
	if (known)
		return ((const struct string *) known)->text;
	size_t size = strlen (text) + 1;
	struct string *copy = monocle__arena_alloc (sizeof *copy + size);
	if (!copy)
		return NULL;
	memcpy (copy->text, text, size);
	return ((struct string *) monocle__intern_add (&strings, hash, &copy->node, string_same, text))->text;
}

const char *
monocle_intern (const char *text)
{
	return monocle__arena_string (text);
}

/* All that is mapped but for what the current chunk has left. */
uint64_t
monocle_records_size (void)
{
	struct chunk *chunk = atomic_load_explicit (&current, memory_order_acquire);
	size_t used = chunk ? atomic_load_explicit (&chunk->used, memory_order_relaxed) : 0;
	uint64_t all = atomic_load_explicit (&mapped, memory_order_relaxed);
	return chunk && used < CHUNK_SIZE ? all - (CHUNK_SIZE - used) : all;
}

void
monocle__arena_set_budget (int64_t allocations)
{
	atomic_store (&budget, allocations < 0 ? -1 : allocations);
}
