/*
 * SPDX-License-Identifier: MIT
 *
 * stack-ring.c - see stack-ring.h. Everything but init and done is async-safe.
 *
 * A writer that is interrupted between take and publish holds up the reader only: other writers go on as long as there
 * is room, even in a signal handler on the same thread.
 */
#include "stack-ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "invariant.h"
#include "pause.h"
#include "spool.h"

#define RING_LEAST ((uint64_t) 64 << 10)
#define RING_MOST  ((uint64_t) 1 << 30)

int
monocle__stack_ring_init (struct monocle__stack_ring *ring, uint64_t bytes)
{
	uint64_t size = RING_LEAST;
	while (size < bytes && size < RING_MOST)
		size *= 2;
	void *words = monocle__fails ()
	                ? MAP_FAILED
	                : mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (words == MAP_FAILED)
		return -ENOMEM;
	MONOCLE__INVARIANT ((size & (size - 1)) == 0); /* places are chosen by bits */
	*ring = (struct monocle__stack_ring) { .words = words, .size = size / sizeof *ring->words };
	return 0;
}

void
monocle__stack_ring_done (struct monocle__stack_ring *ring)
{
	if (ring->words)
		munmap (ring->words, ring->size * sizeof *ring->words);
	ring->words = NULL;
}

/* First word of a record: it is whole from now on. */
static void
store_first (uint64_t *word, uint64_t words, enum monocle__stack_kind kind)
{
	struct monocle__stack_record first = { .words = (uint32_t) words, .kind = kind };
	uint64_t value;
	memcpy (&value, &first, sizeof value);
	__atomic_store_n (word, value, __ATOMIC_RELEASE);
}

struct monocle__stack_record *
monocle__stack_ring_take (struct monocle__stack_ring *ring, uint32_t words)
{
	/* The tail first: an old one makes the ring look fuller than it is, and never emptier. */
	uint64_t tail = __atomic_load_n (&ring->tail, __ATOMIC_ACQUIRE);
	uint64_t head = __atomic_load_n (&ring->head, __ATOMIC_RELAXED), at, pad;
	do {
		at = head & (ring->size - 1);
		pad = at + words > ring->size ? ring->size - at : 0;
		if (head + pad + words - tail > ring->size)
			return NULL;
	} while (!__atomic_compare_exchange_n (&ring->head, &head, head + pad + words, true, __ATOMIC_RELAXED,
	                                       __ATOMIC_RELAXED));
	MONOCLE__PAUSE (stack_ring_head_moved);
	MONOCLE__INVARIANT ((pad ? 0 : at) + words <= ring->size);
	MONOCLE__INVARIANT (!ring->words[at] && !ring->words[pad ? 0 : at]); /* the reader has cleared them */
	if (pad)
		store_first (&ring->words[at], pad, MONOCLE__STACK_PAD);
	return (struct monocle__stack_record *) &ring->words[pad ? 0 : at];
}

void
monocle__stack_ring_publish (struct monocle__stack_record *record, uint32_t words, enum monocle__stack_kind kind)
{
	MONOCLE__INVARIANT (words != 0 && kind > MONOCLE__STACK_NONE && kind < MONOCLE__STACK_PAD);
	store_first ((uint64_t *) record, words, kind);
}

bool
monocle__stack_ring_is_pressed (const struct monocle__stack_ring *ring)
{
	uint64_t tail = __atomic_load_n (&ring->tail, __ATOMIC_RELAXED);
	return __atomic_load_n (&ring->head, __ATOMIC_RELAXED) - tail > ring->size / 2;
}

void
monocle__stack_ring_drop (struct monocle__stack_ring *ring, const struct monocle__stack_record *record)
{
	uint64_t words = record->words;
	MONOCLE__INVARIANT ((const uint64_t *) record == &ring->words[ring->tail & (ring->size - 1)]);
	MONOCLE__INVARIANT (words != 0 && words <= __atomic_load_n (&ring->head, __ATOMIC_RELAXED) - ring->tail);
	memset ((void *) record, 0, words * sizeof *ring->words);
	__atomic_store_n (&ring->tail, ring->tail + words, __ATOMIC_RELEASE);
}

const struct monocle__stack_record *
monocle__stack_ring_peek (struct monocle__stack_ring *ring)
{
	for (;;) {
		MONOCLE__INVARIANT (ring->tail <= __atomic_load_n (&ring->head, __ATOMIC_RELAXED));
		uint64_t *word = &ring->words[ring->tail & (ring->size - 1)];
		struct monocle__stack_record *record = (struct monocle__stack_record *) word;
		if (!__atomic_load_n (word, __ATOMIC_ACQUIRE))
			return NULL;
		if (record->kind != MONOCLE__STACK_PAD)
			return record;
		monocle__stack_ring_drop (ring, record);
	}
}
