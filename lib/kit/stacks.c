/*
 * SPDX-License-Identifier: MIT
 *
 * stacks.c - profiles by stack: any thread puts a stack into the ring, the drain thread counts it in the spool's tree.
 *
 * Most stacks were seen before. So a stack is looked up as it came, by a hash of its raw frames; when it is found it
 * costs one addition to its node: no frame is resolved, no tree walked. 64 bits of hash decide: that two of a million
 * stacks have the same one happens in one of 40 million profiles. A new stack is resolved from its outermost frame
 * inwards, and what could not be resolved is asked for again next time.
 *
 * The drain thread owns the tree, the caches and the table of threads; add, the names of threads and sync are for any
 * thread. A profile is never freed, because a thread may be in the middle of adding to it for as long as it likes.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "background.h"
#include "calltree.h"
#include "hash.h"
#include "invariant.h"
#include "nanoseconds.h"
#include "pause.h"
#include "spool-open.h"
#include "stack-ring.h"
#include "thread-state.h"

enum {
	RING_DEFAULT = 1 << 20,
	KNOWN_STACKS = 1 << 13,
	KNOWN_CODE = 1 << 12,
	FIRST_THREADS = 64,
	PERIOD_NS = 20000000,
	LONGEST_NS = 320000000, /* between two looks while nothing comes: what comes wakes */
	NAME_BUFFER = 16 << 10,
	DRAIN_STACK = 512 << 10, /* resolve and name are a runtime's */
	EXIT_WAIT_MS = 200,      /* for a drain thread that may be waiting for a thread that is gone */
	INLINED_MAX = 64,        /* frames that one address stands for */
};

struct known_stack {
	uint64_t hash;
	uint32_t node; /* 0: an empty place */
};

struct known_code {
	uint64_t address;
	uint32_t count; /* 0: an empty place */
	uint64_t key;   /* of one frame alone */
	uint64_t *keys; /* of several, innermost first; NULL: there is one */
};

struct thread {
	uint64_t number;
	uint32_t root; /* 0: an empty place */
	struct monocle__thread_record *record;
};

struct monocle_kit_stacks {
	monocle_kit_spool spool;
	monocle_kit_stacks_config config; /* its texts are gone */
	struct monocle__stack_ring ring;
	uint32_t closed;       /* relaxed */
	uint32_t closing;      /* relaxed; before a sem_post */
	uint32_t sync_wanted;  /* counts requests */
	uint32_t sync_done;    /* release; the latest that is fulfilled */
	uint32_t reset_wanted; /* as sync_wanted */
	uint32_t reset_done;   /* release */
	uint32_t cut_wanted;   /* as sync_wanted */
	uint32_t cut_done;     /* release */
	uint32_t cut_failed;   /* the latest that could not be written; before cut_done */
	uint32_t is_awake;     /* the semaphore was posted and not yet waited for */
	uint32_t is_quiet;     /* nothing has come for a period: what comes next is not to wait for the end of another */
	sem_t wake;
	pthread_t drain;
	monocle_kit_stacks *next; /* in the list of all */

	/* The drain thread's. */
	struct monocle__call_thread tree; /* its table of nodes only */
	struct known_stack stacks[KNOWN_STACKS];
	struct known_code code[KNOWN_CODE];
	struct thread *threads;
	uint32_t thread_mask, thread_count;
	uint64_t period; /* until it looks again, unless it is woken */
	bool is_asking;  /* between begin and end */
	bool is_counted; /* something is, since the last cut */
	uint64_t last_beat;
	char buffer[NAME_BUFFER];
};

static monocle_kit_stacks *all; /* keeps them reachable */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

static bool
is_open (const monocle_kit_stacks *stacks)
{
	return stacks && monocle__spool_is_ours (&stacks->spool) && !__atomic_load_n (&stacks->closed, __ATOMIC_RELAXED);
}

/* --- any thread's side: async-safe -------------------------------------------------------------------------------- */

static void
wake (monocle_kit_stacks *stacks)
{
	if (!__atomic_exchange_n (&stacks->is_awake, 1, __ATOMIC_ACQ_REL)) {
		int saved_errno = errno;
		sem_post (&stacks->wake);
		errno = saved_errno;
	}
}

static struct monocle__stack_record *
take (monocle_kit_stacks *stacks, uint32_t words, uint64_t thread)
{
	struct monocle__stack_record *record = monocle__stack_ring_take (&stacks->ring, words);
	if (record)
		record->thread = thread;
	else
		monocle__spool_lose (&stacks->spool, MONOCLE__LOSS_STACKS, 1);
	if (monocle__stack_ring_is_pressed (&stacks->ring))
		wake (stacks);
	return record;
}

/* What comes after a silence may be why the process ends, and the process be gone before the period is. */
static void
publish (monocle_kit_stacks *stacks, struct monocle__stack_record *record, uint32_t words,
         enum monocle__stack_kind kind)
{
	monocle__stack_ring_publish (record, words, kind);
	MONOCLE__PAUSE (stacks_put);
	if (__atomic_load_n (&stacks->is_quiet, __ATOMIC_SEQ_CST)) {
		MONOCLE__PAUSE (stacks_quiet_seen);
		__atomic_store_n (&stacks->is_quiet, 0, __ATOMIC_RELAXED);
		wake (stacks);
	}
}

static uint64_t
word_of (const monocle_kit_frame *frame)
{
	return frame->method ? (uintptr_t) frame->method : frame->address | MONOCLE__STACK_ADDRESS;
}

bool
monocle_kit_stacks_add (monocle_kit_stacks *stacks, const monocle_kit_frame *frames, uint32_t count, uint64_t thread,
                        const uint64_t values[2])
{
	enum { FIXED = sizeof (struct monocle__stack_record) / sizeof (uint64_t) + 2 };
	static const monocle_kit_frame unknown = { (void *) MONOCLE_KIT_FRAME_UNKNOWN, 0 };
	if (!is_open (stacks))
		return false;
	if (!count) {
		frames = &unknown;
		count = 1;
	}
	uint32_t kept = count < MONOCLE_KIT_MAX_FRAMES ? count : MONOCLE_KIT_MAX_FRAMES;
	struct monocle__stack_record *record = take (stacks, FIXED + kept, thread);
	if (!record)
		return false;
	record->rest[0] = values[0];
	record->rest[1] = values[1];
	for (uint32_t i = 0; i < kept; i++)
		record->rest[2 + i] = word_of (&frames[i]);
	if (kept < count)
		record->rest[1 + kept] = MONOCLE_KIT_FRAME_TRUNCATED;
	publish (stacks, record, FIXED + kept, MONOCLE__STACK_SAMPLE);
	return true;
}

void
monocle_kit_stacks_thread_name (monocle_kit_stacks *stacks, uint64_t thread, const char *name)
{
	enum { FIXED = sizeof (struct monocle__stack_record) / sizeof (uint64_t) + 1 };
	size_t length = name ? strnlen (name, sizeof ((struct monocle__thread_record *) 0)->name - 1) : 0;
	uint32_t words = FIXED + (uint32_t) (length / sizeof (uint64_t)) + 1;
	if (!is_open (stacks) || !stacks->config.threads)
		return;
	struct monocle__stack_record *record = take (stacks, words, thread);
	if (!record)
		return;
	record->rest[0] = length;
	if (length)
		memcpy (&record->rest[1], name, length);
	publish (stacks, record, words, MONOCLE__STACK_NAME);
}

void
monocle_kit_stacks_thread_end (monocle_kit_stacks *stacks, uint64_t thread)
{
	enum { WORDS = sizeof (struct monocle__stack_record) / sizeof (uint64_t) };
	if (!is_open (stacks) || !stacks->config.threads)
		return;
	struct monocle__stack_record *record = take (stacks, WORDS, thread);
	if (record)
		publish (stacks, record, WORDS, MONOCLE__STACK_END);
}

uint64_t
monocle_kit_stacks_lost (const monocle_kit_stacks *stacks)
{
	if (!stacks || !monocle__spool_is_ours (&stacks->spool))
		return 0;
	return __atomic_load_n (&stacks->spool.header->losses[MONOCLE__LOSS_STACKS], __ATOMIC_RELAXED);
}

/* --- the drain thread: frames ------------------------------------------------------------------------------------- */

static void
ask (monocle_kit_stacks *stacks)
{
	if (!stacks->is_asking && stacks->config.begin)
		stacks->config.begin (stacks->config.data);
	stacks->is_asking = true;
}

static void
stop_asking (monocle_kit_stacks *stacks)
{
	if (stacks->is_asking && stacks->config.end)
		stacks->config.end (stacks->config.data);
	stacks->is_asking = false;
}

/* The frames that an address stands for, innermost first. What is unknown now may be known later: not remembered. */
static uint32_t
ask_for_keys (monocle_kit_stacks *stacks, uint64_t address, uint64_t ret[INLINED_MAX])
{
	void *keys[INLINED_MAX];
	ask (stacks);
	uint32_t count = stacks->config.resolve (stacks->config.data, address, keys, INLINED_MAX);
	MONOCLE__INVARIANT (count <= INLINED_MAX);
	for (uint32_t i = 0; i < count; i++)
		ret[i] = (uintptr_t) keys[i];
	return count;
}

static void
forget_known (struct known_code *known)
{
	free (known->keys);
	*known = (struct known_code) { .count = 0 };
}

static void
remember (struct known_code *known, uint64_t address, const uint64_t *keys, uint32_t count)
{
	forget_known (known);
	if (count > 1) {
		known->keys = malloc (count * sizeof *keys);
		if (!known->keys)
			return;
		memcpy (known->keys, keys, count * sizeof *keys);
	}
	known->address = address;
	known->count = count;
	known->key = keys[0];
}

/* The keys of an address, innermost first; 0: it is unknown. */
static uint32_t
resolve (monocle_kit_stacks *stacks, uint64_t address, uint64_t ret[INLINED_MAX])
{
	struct known_code *known = &stacks->code[monocle__hash (0, address) >> 32 & (KNOWN_CODE - 1)];
	if (known->count && known->address == address) {
		memcpy (ret, known->keys ? known->keys : &known->key, known->count * sizeof *ret);
		return known->count;
	}
	if (!stacks->config.resolve)
		return 0;
	uint32_t count = ask_for_keys (stacks, address, ret);
	if (count)
		remember (known, address, ret, count);
	return count;
}

static void
name (monocle_kit_stacks *stacks, uint64_t key)
{
	if (monocle__spool_is_named (&stacks->spool, (void *) (uintptr_t) key))
		return;
	ask (stacks);
	monocle__spool_name (&stacks->spool, (void *) (uintptr_t) key, stacks->buffer, sizeof stacks->buffer);
}

/* The node of `key` below `parent`, with its name in the spool. 0: no room. */
static uint32_t
find_or_make (monocle_kit_stacks *stacks, uint32_t parent, uint64_t key, uint32_t depth)
{
	uint32_t index = *monocle__thread_slot (&stacks->tree, parent, key);
	if (index)
		return index;
	name (stacks, key);
	return monocle__thread_new_node (&stacks->tree, parent, key, depth, MONOCLE__PATH_ORDINARY);
}

/* --- the drain thread: threads ------------------------------------------------------------------------------------ */

static struct thread *
thread_place (const monocle_kit_stacks *stacks, uint64_t number)
{
	for (uint64_t i = monocle__hash (0, number) >> 32;; i++) {
		struct thread *thread = &stacks->threads[i & stacks->thread_mask];
		if (!thread->root || thread->number == number)
			return thread;
	}
}

/* Room for one more, with half of the places empty. */
static bool
grow_threads (monocle_kit_stacks *stacks)
{
	struct thread *old = stacks->threads;
	uint32_t old_count = old ? stacks->thread_mask + 1 : 0, count = old ? old_count * 2 : FIRST_THREADS;
	if (old && stacks->thread_count * 2 < old_count)
		return true;
	struct thread *threads = monocle__fails () ? NULL : calloc (count, sizeof *threads);
	if (!threads)
		return false;
	stacks->threads = threads;
	stacks->thread_mask = count - 1;
	for (uint32_t i = 0; i < old_count; i++)
		if (old[i].root)
			*thread_place (stacks, old[i].number) = old[i];
	free (old);
	return true;
}

/* Takes one out, and closes the gap: those after it may have been looked for past its place. */
static void
forget_thread (monocle_kit_stacks *stacks, struct thread *thread)
{
	uint32_t mask = stacks->thread_mask, i = (uint32_t) (thread - stacks->threads);
	MONOCLE__INVARIANT (thread->root && stacks->thread_count != 0);
	__atomic_store_n (&thread->record->ended, 1, __ATOMIC_RELEASE);
	*thread = (struct thread) { .root = 0 };
	stacks->thread_count--;
	for (i = (i + 1) & mask; stacks->threads[i].root; i = (i + 1) & mask) {
		struct thread moved = stacks->threads[i];
		stacks->threads[i].root = 0;
		*thread_place (stacks, moved.number) = moved;
	}
}

/* 0: no room. */
static uint32_t
make_root (monocle_kit_stacks *stacks, uint32_t number)
{
	return monocle__thread_new_node (&stacks->tree, 0, number, 0, MONOCLE__PATH_NEEDED);
}

/* NULL: no room. */
static struct thread *
find_or_make_thread (monocle_kit_stacks *stacks, uint64_t number)
{
	uint32_t file_number;
	if (!stacks->config.threads)
		number = 0;
	if (!grow_threads (stacks))
		return NULL;
	struct thread *thread = thread_place (stacks, number);
	if (thread->root)
		return thread;
	struct monocle__thread_record *record = monocle__spool_thread (&stacks->spool, &file_number);
	uint32_t root = record ? make_root (stacks, file_number) : 0;
	if (!root)
		return NULL;
	/* Who reads the file meanwhile sees the one or the other. */
	__atomic_store_n (&record->root, root, __ATOMIC_RELAXED);
	__atomic_store_n (&record->current, root, __ATOMIC_RELAXED);
	__atomic_store_n (&record->tid, number, __ATOMIC_RELAXED);
	__atomic_store_n (&record->ended, 0, __ATOMIC_RELEASE);
	MONOCLE__INVARIANT (!thread->root && stacks->thread_count < stacks->thread_mask);
	*thread = (struct thread) { number, root, record };
	stacks->thread_count++;
	return thread;
}

static void
end_thread (monocle_kit_stacks *stacks, uint64_t number)
{
	struct thread *thread = stacks->threads ? thread_place (stacks, number) : NULL;
	if (thread && thread->root)
		forget_thread (stacks, thread);
}

static void
name_thread (monocle_kit_stacks *stacks, const struct monocle__stack_record *record)
{
	char name[sizeof ((struct monocle__thread_record *) 0)->name];
	struct thread *thread = find_or_make_thread (stacks, record->thread);
	if (!thread)
		return;
	MONOCLE__INVARIANT (record->rest[0] < sizeof name);
	memcpy (name, &record->rest[1], record->rest[0]);
	name[record->rest[0]] = '\0';
	monocle__thread_record_name (thread->record, name);
}

/* --- the drain thread: stacks ------------------------------------------------------------------------------------- */

/* At least one. */
static uint32_t
keys_of (monocle_kit_stacks *stacks, uint64_t frame, uint64_t ret[INLINED_MAX], bool *ret_whole)
{
	uint32_t count = 0;
	if (frame & MONOCLE__STACK_ADDRESS) {
		count = resolve (stacks, frame & ~MONOCLE__STACK_ADDRESS, ret);
		frame = MONOCLE_KIT_FRAME_UNKNOWN;
		*ret_whole &= count != 0;
	}
	if (!count)
		ret[count++] = frame;
	return count;
}

/* Nothing is above it: it is a thread, or what the thread did. */
static bool
is_top (const monocle_kit_stacks *stacks, uint32_t node, uint32_t root)
{
	const struct monocle__node *nodes = stacks->tree.nodes;
	return node == root || (nodes[node].parent == root && monocle__thread_state_is_key (nodes[node].key));
}

/*
 * There is no room for the path of a stack below `node`, at `depth`: its innermost frame, which its values belong to,
 * is below the nearest caller that can have [other paths]. The outermost one always can.
 */
static uint32_t
fold (monocle_kit_stacks *stacks, uint32_t root, uint32_t node, uint64_t innermost, uint32_t depth)
{
	uint32_t index = 0;
	name (stacks, innermost);
	for (; !index && !is_top (stacks, node, root); node = stacks->tree.nodes[node].parent)
		index = monocle__thread_fold (&stacks->tree, node, innermost, depth, MONOCLE__PATH_FOLDED);
	return index ? index : monocle__thread_fold (&stacks->tree, node, innermost, 1, MONOCLE__PATH_NEEDED);
}

/*
 * All keys of a stack, innermost first, at the end of `keys`. Where there is no room for all of them, methods that were
 * inlined are left out. Returns where they begin.
 */
static uint32_t
expand (monocle_kit_stacks *stacks, const uint64_t *frames, uint32_t count, uint64_t keys[MONOCLE_KIT_MAX_FRAMES],
        bool *ret_whole)
{
	uint64_t of_frame[INLINED_MAX];
	uint32_t begin = MONOCLE_KIT_MAX_FRAMES;
	for (uint32_t left = count; left--;) {
		uint32_t many = keys_of (stacks, frames[left], of_frame, ret_whole), first = many - 1;
		if (many + left <= begin)
			first = 0;
		for (uint32_t i = many; i-- > first;)
			keys[--begin] = of_frame[i];
	}
	return begin;
}

/* The node of a stack that is not known yet. *ret_whole: every frame was resolved. 0: no room. */
static uint32_t
walk (monocle_kit_stacks *stacks, uint32_t root, const uint64_t *frames, uint32_t count, bool *ret_whole)
{
	uint64_t keys[MONOCLE_KIT_MAX_FRAMES];
	uint32_t node = root;
	*ret_whole = true;
	uint32_t begin = expand (stacks, frames, count, keys, ret_whole), left = MONOCLE_KIT_MAX_FRAMES - begin;
	if (stacks->config.shorten) {
		ask (stacks);
		left = stacks->config.shorten (stacks->config.data, keys + begin, left);
		MONOCLE__INVARIANT (left && left <= MONOCLE_KIT_MAX_FRAMES - begin);
	}
	for (uint32_t depth = 1; depth <= left; depth++) {
		uint32_t next = find_or_make (stacks, node, keys[begin + left - depth], depth);
		if (!next && __atomic_load_n (&stacks->spool.paths.is_full, __ATOMIC_RELAXED))
			return fold (stacks, root, node, keys[begin], depth);
		if (!next)
			return 0;
		node = next;
	}
	return node;
}

static uint32_t
node_of (monocle_kit_stacks *stacks, uint32_t root, const uint64_t *frames, uint32_t count)
{
	uint64_t hash = monocle__hash (0, root); /* Spread: roots and methods differ in the same few bits. */
	bool whole;
	for (uint32_t i = 0; i < count; i++)
		hash = monocle__hash (hash, frames[i]);
	struct known_stack *known = &stacks->stacks[hash >> 32 & (KNOWN_STACKS - 1)];
	MONOCLE__INVARIANT (known->node <
	                    stacks->spool.header->extent_count * (MONOCLE__EXTENT_SIZE / sizeof (struct monocle__node)));
	if (known->node && known->hash == hash)
		return known->node;
	uint32_t node = walk (stacks, root, frames, count, &whole);
	if (node && whole)
		*known = (struct known_stack) { hash, node };
	return node;
}

static void
count_stack (monocle_kit_stacks *stacks, const struct monocle__stack_record *record)
{
	MONOCLE__INVARIANT (record->words > sizeof *record / sizeof (uint64_t) + 2);
	uint32_t count = record->words - (uint32_t) (sizeof *record / sizeof (uint64_t)) - 2;
	MONOCLE__INVARIANT (count <= MONOCLE_KIT_MAX_FRAMES);
	struct thread *thread = find_or_make_thread (stacks, record->thread);
	uint32_t index = thread ? node_of (stacks, thread->root, record->rest + 2, count) : 0;
	struct monocle__node *node = &stacks->tree.nodes[index];
	if (!index) {
		monocle__spool_lose (&stacks->spool, thread ? MONOCLE__LOSS_SPACE : MONOCLE__LOSS_THREADS, 1);
		return;
	}
	__atomic_store_n (&node->calls, node->calls + record->rest[0], __ATOMIC_RELAXED);
	__atomic_store_n (&node->self, node->self + record->rest[1], __ATOMIC_RELAXED);
	stacks->is_counted = true;
}

static void
take_record (monocle_kit_stacks *stacks, const struct monocle__stack_record *record)
{
	MONOCLE__INVARIANT (record->kind > MONOCLE__STACK_NONE && record->kind < MONOCLE__STACK_PAD);
	switch (record->kind) {
	case MONOCLE__STACK_SAMPLE: count_stack (stacks, record); break;
	case MONOCLE__STACK_NAME: name_thread (stacks, record); break;
	case MONOCLE__STACK_END: end_thread (stacks, record->thread); break;
	default: break;
	}
	monocle__stack_ring_drop (&stacks->ring, record);
}

static void
forget_code (monocle_kit_stacks *stacks)
{
	memset (stacks->stacks, 0, sizeof stacks->stacks);
	for (uint32_t i = 0; i < KNOWN_CODE; i++)
		forget_known (&stacks->code[i]);
}

/* What happens again finds its place. */
static void
count_from_zero (monocle_kit_stacks *stacks)
{
	monocle__spool_forget (&stacks->spool);
	stacks->is_counted = false;
}

/* All that was asked for up to `wanted` get one piece. What cannot be written stays, and is in the next one. */
static void
cut (monocle_kit_stacks *stacks, uint32_t wanted)
{
	if (wanted == stacks->cut_done)
		return;
	if (stacks->is_counted && monocle__spool_open_piece (&stacks->spool)) {
		__atomic_store_n (&stacks->cut_failed, wanted, __ATOMIC_RELAXED);
	} else if (stacks->is_counted) {
		count_from_zero (stacks);
	}
	__atomic_store_n (&stacks->cut_done, wanted, __ATOMIC_RELEASE);
}

static void
reset (monocle_kit_stacks *stacks, uint32_t wanted)
{
	if (wanted == stacks->reset_done)
		return;
	count_from_zero (stacks);
	__atomic_store_n (&stacks->reset_done, wanted, __ATOMIC_RELEASE);
}

/*
 * Who puts a stack moves the head before it asks whether it is quiet: either it sees that it is, and wakes this thread,
 * or this thread sees the head. It stays quiet for whoever has moved the head and not put the stack yet: that wakes. A
 * program that does nothing is looked at less and less often.
 */
static void
note_quiet (monocle_kit_stacks *stacks, bool is_quiet)
{
	MONOCLE__PAUSE (stacks_drain_looked);
	__atomic_store_n (&stacks->is_quiet, is_quiet, __ATOMIC_SEQ_CST);
	MONOCLE__PAUSE (stacks_quiet_told);
	bool has_come = __atomic_load_n (&stacks->ring.head, __ATOMIC_SEQ_CST) != stacks->ring.tail;
	stacks->period = is_quiet && !has_come ? stacks->period * 2 : PERIOD_NS;
	if (stacks->period > LONGEST_NS)
		stacks->period = LONGEST_NS;
}

/* All that was there when the round began. */
static void
drain (monocle_kit_stacks *stacks)
{
	uint32_t wanted = __atomic_load_n (&stacks->sync_wanted, __ATOMIC_ACQUIRE);
	uint32_t cuts = __atomic_load_n (&stacks->cut_wanted, __ATOMIC_ACQUIRE);
	uint32_t resets = __atomic_load_n (&stacks->reset_wanted, __ATOMIC_ACQUIRE);
	uint64_t head = __atomic_load_n (&stacks->ring.head, __ATOMIC_ACQUIRE);
	const struct monocle__stack_record *record;
	note_quiet (stacks, !monocle__stack_ring_peek (&stacks->ring));
	while (stacks->ring.tail < head && (record = monocle__stack_ring_peek (&stacks->ring)))
		take_record (stacks, record);
	stop_asking (stacks);
	MONOCLE__INVARIANT ((int32_t) (wanted - stacks->sync_done) >= 0);
	if (stacks->ring.tail < head)
		return;
	cut (stacks, cuts);
	reset (stacks, resets);
	if (wanted == stacks->sync_done)
		return;
	forget_code (stacks);
	__atomic_store_n (&stacks->sync_done, wanted, __ATOMIC_RELEASE);
}

static void
sleep_a_while (monocle_kit_stacks *stacks)
{
	monocle__background_sleep (&stacks->wake, stacks->period);
	MONOCLE__PAUSE (stacks_drain_awake);
	__atomic_store_n (&stacks->is_awake, 0, __ATOMIC_RELEASE);
}

/* Says that the process is alive; a reader takes the spool's duration from it. */
static void
beat (monocle_kit_stacks *stacks, bool always)
{
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	__atomic_store_n (&stacks->spool.header->heartbeat, monocle__clock_now (), __ATOMIC_RELAXED);
	monocle__spool_pair (&stacks->spool, false);
	if (!always && now - stacks->last_beat < 1000000000)
		return;
	stacks->last_beat = now;
	if (stacks->config.beat)
		stacks->config.beat (stacks->config.data);
}

static void *
run (void *data)
{
	monocle_kit_stacks *stacks = data;
	while (!__atomic_load_n (&stacks->closing, __ATOMIC_ACQUIRE)) {
		MONOCLE__PAUSE (stacks_drain_begins);
		sleep_a_while (stacks);
		drain (stacks);
		beat (stacks, false);
	}
	drain (stacks);
	beat (stacks, true);
	return NULL;
}

/* --- normal context ----------------------------------------------------------------------------------------------- */

/* Asks the drain thread: true when it has answered this request of a kind, or a later one. */
static bool
request (monocle_kit_stacks *stacks, uint32_t *wanted, const uint32_t *done, uint32_t milliseconds, uint32_t *ret_mine)
{
	int saved_errno = errno;
	uint64_t deadline = monocle__nanoseconds (CLOCK_MONOTONIC) + (uint64_t) milliseconds * 1000000;
	uint32_t mine = __atomic_add_fetch (wanted, 1, __ATOMIC_ACQ_REL);
	bool is_done = false;
	wake (stacks);
	for (;;) {
		is_done = (int32_t) (__atomic_load_n (done, __ATOMIC_ACQUIRE) - mine) >= 0;
		if (is_done || !is_open (stacks) || monocle__nanoseconds (CLOCK_MONOTONIC) >= deadline)
			break;
		nanosleep (&(struct timespec) { .tv_nsec = 200000 }, NULL);
	}
	errno = saved_errno;
	*ret_mine = mine;
	return is_done;
}

bool
monocle_kit_stacks_sync (monocle_kit_stacks *stacks, uint32_t milliseconds)
{
	uint32_t mine;
	return !is_open (stacks) || request (stacks, &stacks->sync_wanted, &stacks->sync_done, milliseconds, &mine);
}

bool
monocle_kit_stacks_reset (monocle_kit_stacks *stacks, uint32_t milliseconds)
{
	uint32_t mine;
	return is_open (stacks) && request (stacks, &stacks->reset_wanted, &stacks->reset_done, milliseconds, &mine);
}

const char *
monocle_kit_stacks_file (const monocle_kit_stacks *stacks)
{
	return stacks->spool.path;
}

bool
monocle_kit_stacks_cut (monocle_kit_stacks *stacks, uint32_t milliseconds)
{
	uint32_t mine;
	return is_open (stacks) && stacks->config.pieces &&
	       request (stacks, &stacks->cut_wanted, &stacks->cut_done, milliseconds, &mine) &&
	       (!stacks->cut_failed || (int32_t) (stacks->cut_failed - mine) < 0);
}

/*
 * The process calls exit () and its runtime says nothing, as Mono's after an unhandled exception: what came last, often
 * the reason for the end, is still in the rings.
 */
static void
sync_at_exit (void)
{
	pthread_mutex_lock (&all_lock);
	for (monocle_kit_stacks *stacks = all; stacks; stacks = stacks->next)
		monocle_kit_stacks_sync (stacks, EXIT_WAIT_MS);
	pthread_mutex_unlock (&all_lock);
}

static void
register_exit (void)
{
	atexit (sync_at_exit);
}

void
monocle_kit_stacks_note (monocle_kit_stacks *stacks, const char *key, const char *text)
{
	monocle_kit_spool_note (stacks ? &stacks->spool : NULL, key, text);
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void
describe (struct monocle__spool_header *header, const monocle_kit_stacks_config *config)
{
	header->flags |= MONOCLE__SPOOL_STACKS | (config->pieces ? MONOCLE__SPOOL_PIECES : 0);
	header->value_count = config->values[1].type ? 2 : 1;
	header->period = config->period ? config->period : 1;
	header->period_value = header->value_count - 1;
	memset (header->values, 0, sizeof header->values);
	for (uint32_t i = 0; i < header->value_count; i++) {
		struct monocle__value_name *value = &header->values[i];
		snprintf (value->type, sizeof value->type, "%s", config->values[i].type);
		snprintf (value->unit, sizeof value->unit, "%s", config->values[i].unit);
	}
}

static bool
make_tree (monocle_kit_stacks *stacks)
{
	stacks->tree.spool = &stacks->spool;
	stacks->tree.nodes = monocle__spool_nodes (&stacks->spool);
	return monocle__thread_grow_slots (&stacks->tree);
}

static monocle_kit_stacks *
fail (monocle_kit_stacks *stacks, const char *module, const char *what)
{
	if (stacks->spool.header)
		monocle__spool_open_remove (&stacks->spool);
	monocle__spool_unmap (&stacks->spool);
	monocle__stack_ring_done (&stacks->ring);
	free (stacks);
	monocle_kit_log_failure (module, "%s; the program runs unprofiled", what);
	return NULL;
}

static monocle_kit_stacks *
open_stacks (const monocle_kit_stacks_config *config)
{
	monocle_kit_spool_config spool = {
		.size = sizeof spool,
		.module = config->module,
		.output = config->output,
		.desc = config->desc,
		.runtime = config->runtime,
		.name_method = config->name,
		.threads = config->threads,
		.paths = config->paths,
		.apart = config->apart,
	};
	monocle_kit_stacks *stacks = monocle__fails () ? NULL : calloc (1, sizeof *stacks);
	if (!stacks) {
		monocle_kit_log_failure (config->module, "out of memory; the program runs unprofiled");
		return NULL;
	}
	stacks->config = *config;
	if (!monocle__spool_open_make (&stacks->spool, &spool)) {
		free (stacks);
		return NULL;
	}
	describe (stacks->spool.header, config);
	stacks->is_quiet = 1;
	if (!make_tree (stacks) || monocle__stack_ring_init (&stacks->ring, config->buffer ? config->buffer : RING_DEFAULT))
		return fail (stacks, config->module, "out of memory");
	sem_init (&stacks->wake, 0, 0);
	stacks->period = PERIOD_NS;
	if (!monocle__background_start (&stacks->drain, run, stacks, DRAIN_STACK))
		return fail (stacks, config->module, "cannot start a thread");
	monocle__spool_publish (&stacks->spool);
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once (&once, register_exit);
	pthread_mutex_lock (&all_lock);
	stacks->next = all;
	all = stacks;
	pthread_mutex_unlock (&all_lock);
	return stacks;
}

monocle_kit_stacks *
monocle_kit_stacks_open (const monocle_kit_stacks_config *given)
{
	monocle_kit_stacks_config config = { .size = 0 };
	int saved_errno = errno;
	/* An older module's struct is shorter; what it does not know is zero. */
	memcpy (&config, given, given->size < sizeof config ? given->size : sizeof config);
	monocle_kit_stacks *stacks = open_stacks (&config);
	errno = saved_errno;
	return stacks;
}

int
monocle_kit_stacks_close (monocle_kit_stacks *stacks)
{
	if (!stacks || !monocle__spool_is_ours (&stacks->spool) ||
	    __atomic_exchange_n (&stacks->closed, 1, __ATOMIC_ACQ_REL))
		return 0;
	int saved_errno = errno;
	__atomic_store_n (&stacks->closing, 1, __ATOMIC_RELEASE);
	sem_post (&stacks->wake);
	pthread_join (stacks->drain, NULL);
	__atomic_store_n (&stacks->spool.closed, 1, __ATOMIC_RELAXED);
	int result = 0;
	if (stacks->config.pieces && !stacks->is_counted)
		monocle__spool_open_remove (&stacks->spool);
	else
		result = monocle__spool_open_finish (&stacks->spool);
	errno = saved_errno;
	return result;
}

void
monocle_kit_stacks_free (monocle_kit_stacks *stacks)
{
	if (!stacks || !__atomic_load_n (&stacks->closed, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock (&all_lock);
	for (monocle_kit_stacks **at = &all; *at; at = &(*at)->next)
		if (*at == stacks) {
			*at = stacks->next;
			break;
		}
	pthread_mutex_unlock (&all_lock);
	monocle__spool_names_reset (&stacks->spool);
	monocle__spool_unmap (&stacks->spool);
	monocle__stack_ring_done (&stacks->ring);
	if (stacks->tree.slots)
		munmap (stacks->tree.slots, (stacks->tree.mask + 1) * sizeof *stacks->tree.slots);
	sem_destroy (&stacks->wake);
	for (uint32_t i = 0; i < KNOWN_CODE; i++)
		forget_known (&stacks->code[i]);
	free (stacks->threads);
	free (stacks);
}
