/*
 * SPDX-License-Identifier: MIT
 *
 * calltree.h - what one thread needs to count its calls.
 */
#ifndef MONOCLE_KIT_CALLTREE_H
#define MONOCLE_KIT_CALLTREE_H

#include "spool.h"
#include "thread-word.h"

/*
 * OFF is zero: a forked child sees this state in every thread's page, because the page is wiped on fork. Only READY
 * takes the hot path. BUSY is set while an event is worked on, so that a signal handler's events are noticed.
 */
enum monocle__thread_state {
	MONOCLE__OFF,
	MONOCLE__READY,
	MONOCLE__BUSY,
	MONOCLE__SKIPPING,
	MONOCLE__UNBORN,
	MONOCLE__PAUSED, /* written by who pauses: call-pause.c */
};

/* How a thread tells the time. */
enum monocle__thread_clock {
	MONOCLE__CLOCK_NONE,
	MONOCLE__CLOCK_TICKS,
	MONOCLE__CLOCK_CALL, /* of this one and the next the hot path keeps away */
	MONOCLE__CLOCK_CPU,
};

/*
 * Written by its thread only, also from signal handlers of that thread. The first 64 bytes are what every event
 * touches. Lies in pages of its own; `stack` and `slots` are other mappings, whose contents a child does not care
 * about.
 *
 *   stack[0] = root, ..., *top = current node; level = top - stack
 *   level <= fold: the node's parent is the node below it on the stack
 *   level >  fold: the node's parent is the node at level fold ("folded")
 */
struct monocle__call_thread {
	uint32_t state; /* monocle__thread_state */
	uint32_t clock; /* monocle__thread_clock */
	struct monocle__node *current;
	struct monocle__node *nodes; /* node 0: the header */
	uint32_t *top;
	struct monocle__thread_record *record;
	uint32_t *fold;
	uint32_t *stack;
	uint32_t *stack_end;

	uint32_t *slots; /* open addressing, keyed (parent, key); node indexes, 0 is empty */
	uint32_t mask, count;
	struct monocle__extent *extent; /* where new nodes go; NULL at first */
	uint64_t skip;                  /* SKIPPING: calls open that have no node */
	bool deep;                      /* SKIPPING because the stack is full: calls still count */
	bool has_folds;                 /* some calls found no room for a path of their own */
	uint32_t owed;                  /* to the spool's room for paths */
	uint32_t root;
	monocle_kit_spool *spool; /* NULL: of no tree, and UNBORN */

	/* Of spools with a threshold: */
	struct monocle__starts *starts;                /* NULL: calls have no starts */
	uint64_t slow;                                 /* ticks; a call that took as many may be slow */
	struct monocle__kept *kept;                    /* by level; NULL: nothing is kept */
	uint8_t *keep;                                 /* what is kept, level after level */
	uint32_t number, tid;                          /* of the record; the kernel's */
	struct monocle__call_thread *next_free, *next; /* under the pool's lock */
};

/* What a module keeps of an open call: `length` bytes in `keep`. */
struct monocle__kept {
	uint32_t at, length;
};

enum { MONOCLE__KEEP_SIZE = 4 << 20 }; /* address space, not memory */

/* Shared by all threads that have no part of their own. */
extern struct monocle__call_thread monocle__call_thread_unborn;
/* Where the others have theirs: a word of each thread. */
extern monocle__thread_word monocle__call_thread_word;

/* The calling thread's, never NULL. Async-safe. */
static inline struct monocle__call_thread *
monocle__call_thread_self (void)
{
	struct monocle__call_thread *thread = monocle__thread_word_get (&monocle__call_thread_word);
	return thread ? thread : &monocle__call_thread_unborn;
}

/* The same where every nanosecond shows, without a call. NULL: it is unborn, or is not found that way. */
static inline struct monocle__call_thread *
monocle__call_thread_look (void)
{
	return monocle__thread_word_look (&monocle__call_thread_word);
}

/* Now, by the thread's clock. Async-safe. */
static inline uint64_t
monocle__thread_now (const struct monocle__call_thread *thread)
{
	if (thread->clock == MONOCLE__CLOCK_CPU)
		return monocle__clock_cpu_now ();
	return thread->clock ? monocle__clock_now () : 0;
}

/* On a thread that is PAUSED, when counting goes on. */
void monocle__call_pause_end (struct monocle__call_thread *thread);
/* Before the first thread begins; once is enough. False: no thread can be known. Normal context. */
bool monocle__call_thread_prepare (void);
/* Makes the calling thread known. Afterwards it has a part of its own, or is UNBORN when it cannot be profiled. */
void monocle__thread_begin (monocle_kit_spool *spool);
/* Where a node's name is made; as large as the rest of the thread's page. */
char *monocle__thread_buffer (struct monocle__call_thread *thread, size_t *ret_size);
/* Twice as many slots. False: no memory. */
bool monocle__thread_grow_slots (struct monocle__call_thread *thread);
uint32_t *monocle__thread_slot (const struct monocle__call_thread *thread, uint32_t parent, uint64_t key);
/* A new node under `parent`, in the slot table too; `depth`: of its frames, itself included. 0: no room. */
uint32_t monocle__thread_new_node (struct monocle__call_thread *thread, uint32_t parent, uint64_t key, uint32_t depth,
                                   enum monocle__path_kind kind);
/*
 * The node of `key` in [other paths] below `parent`, both made if need be and there is room. 0: there is none. `key`
 * has a name; `buffer` is for that of [other paths].
 */
uint32_t monocle__thread_fold (struct monocle__call_thread *thread, uint32_t parent, uint64_t key, uint32_t depth,
                               enum monocle__path_kind kind);

/* Is the node in [other paths]? Where paths are folded; what is there has no callees of its own. */
static inline bool
monocle__thread_is_folded (const struct monocle__call_thread *thread, const struct monocle__node *node)
{
	return thread->nodes[node->parent].key == MONOCLE_KIT_FRAME_OTHER;
}

/* Writes a thread's name, cut to what a record holds; NULL clears. By one thread at a time. */
void monocle__thread_record_name (struct monocle__thread_record *record, const char *name);
/* Calls `each` for every thread that has lived, under the pool's lock. */
void monocle__call_thread_each (void (*each) (struct monocle__call_thread *thread, void *data), void *data);
/* The tree is gone: what threads hold is empty, and is another tree's at their next event. None may be in the tree. */
void monocle__call_thread_empty_all (void);
/* Tests: forgets all threads; no other thread may be in the tree. */
void monocle__threads_reset (void);
/* Tests: forgets the process's tree altogether, so that another can be opened. The spool file, if any, stays. */
void monocle__spool_open_reset (void);

#endif
