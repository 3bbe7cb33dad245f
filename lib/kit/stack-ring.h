/*
 * SPDX-License-Identifier: MIT
 *
 * stack-ring.h - stacks on their way from any thread, or signal handler, to the one that counts them.
 */
#ifndef MONOCLE_KIT_STACK_RING_H
#define MONOCLE_KIT_STACK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum monocle__stack_kind {
	MONOCLE__STACK_NONE,
	MONOCLE__STACK_SAMPLE,
	MONOCLE__STACK_NAME,
	MONOCLE__STACK_END,
	MONOCLE__STACK_PAD
};

/*
 * A record: a first word, stored last with release, that says how many words it has and what it is; the thread; then
 *
 *   SAMPLE  two values, and the frames: a key, or an address with the highest bit set
 *   NAME    how many bytes, and the bytes
 *   END     nothing
 *
 * Words that belong to no record are zero: the reader clears what it has read.
 */
struct monocle__stack_record {
	uint32_t words; /* this one included */
	uint32_t kind;
	uint64_t thread;
	uint64_t rest[];
};

_Static_assert(offsetof (struct monocle__stack_record, thread) == 8 &&
                   sizeof (struct monocle__stack_record) == 2 * sizeof (uint64_t),
               "a record is whole with its first word");

#define MONOCLE__STACK_ADDRESS (UINT64_C (1) << 63)

/*
 *      tail                 head
 *       |  read   |  some whole, some not yet |   zeros   |       head - tail <= size, both only grow
 *
 * `head` moves by compare and swap: from then on the words belong to who moved it. `tail` is the reader's.
 */
struct monocle__stack_ring {
	uint64_t *words;
	uint64_t size; /* in words; a power of two */
	_Alignas(64) uint64_t head;
	_Alignas(64) uint64_t tail;
};

/* Memory for `bytes` at least, touched already. 0 or -errno. */
int monocle__stack_ring_init (struct monocle__stack_ring *ring, uint64_t bytes);
void monocle__stack_ring_done (struct monocle__stack_ring *ring);

/*
 * Words for a record, or NULL when there is no room. The caller fills them in and publishes; nothing may be given
 * back. Any context.
 */
struct monocle__stack_record *monocle__stack_ring_take (struct monocle__stack_ring *ring, uint32_t words);
void monocle__stack_ring_publish (struct monocle__stack_record *record, uint32_t words, enum monocle__stack_kind kind);

/* More than half full? */
bool monocle__stack_ring_is_pressed (const struct monocle__stack_ring *ring);

/* The reader: the oldest record, NULL when there is none or it is not whole yet; and on to the next one. */
const struct monocle__stack_record *monocle__stack_ring_peek (struct monocle__stack_ring *ring);
void monocle__stack_ring_drop (struct monocle__stack_ring *ring, const struct monocle__stack_record *record);

#endif
