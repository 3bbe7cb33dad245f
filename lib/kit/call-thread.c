/*
 * SPDX-License-Identifier: MIT
 *
 * call-thread.c - the life of a thread's part of the call tree: birth, memory, end, and the next thread that takes it
 * over.
 *
 * A thread is born at its first event. At its end everything it holds goes to a free list, and the next thread goes on
 * in it: in the same tree when the profile has one tree, under a root of its own when it has one per thread. So memory
 * follows the number of threads that live at once.
 *
 * Where an attach is over the tree goes before its threads do: each keeps what it holds, emptied (`spool` is NULL), and
 * is born again at its first event in another tree.
 */
#include "calltree.h"
#include "fork-pages.h"
#include "hash.h"
#include "invariant.h"
#include "pause.h"
#include "slow.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	FIRST_SLOTS = 4096,
	STACK_MOST = 4 << 20, /* open calls of one thread; address space, not memory */
	STACK_LEAST = 16 << 10,
	PAGES = 16 << 10, /* the thread's own pages: its record and its name buffer */
};

_Static_assert(MONOCLE_KIT_MAX_DEPTH < STACK_LEAST, "what is folded is on the stack");
_Static_assert(sizeof (struct monocle__call_thread) < PAGES / 2, "a thread has room for a name behind it");

struct monocle__call_thread monocle__call_thread_unborn = { .state = MONOCLE__UNBORN };
/*
 * Stands in while a thread is being made, and while one without a part of its own holds the pool's lock: a signal
 * handler's event must neither make it a second time nor wait for a lock that its own thread holds.
 */
static struct monocle__call_thread being_born = { .state = MONOCLE__BUSY };

monocle__thread_word monocle__call_thread_word; /* NULL: the thread is unborn */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct monocle__call_thread *free_threads; /* under pool_lock */
static struct monocle__call_thread *all_threads;  /* under pool_lock */

static void *
take_memory (size_t size)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *memory = monocle__fails () ? MAP_FAILED : mmap (NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

/* NULL: the thread is unborn. */
static void
put_self (struct monocle__call_thread *thread)
{
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	monocle__thread_word_set (&monocle__call_thread_word, thread);
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
}

/* On a thread that may be unborn. Returns what unlocking puts back. */
static void *
lock_pool (void)
{
	void *own = monocle__thread_word_get (&monocle__call_thread_word);
	if (!own)
		monocle__thread_word_exchange (&monocle__call_thread_word, &being_born, &own);
	pthread_mutex_lock (&pool_lock);
	MONOCLE__PAUSE (call_thread_pool_held);
	return own;
}

static void
unlock_pool (void *own)
{
	pthread_mutex_unlock (&pool_lock);
	if (monocle__thread_word_get (&monocle__call_thread_word) != own)
		put_self (own);
}

/* --- the table of children ---------------------------------------------------------------------------------------- */

static uint64_t
hash_of (uint32_t parent, uint64_t key)
{
	return monocle__hash_spread (key ^ (uint64_t) parent << 29) >> 32;
}

uint32_t *
monocle__thread_slot (const struct monocle__call_thread *thread, uint32_t parent, uint64_t key)
{
	for (uint64_t i = hash_of (parent, key);; i++) {
		uint32_t *slot = &thread->slots[i & thread->mask];
		const struct monocle__node *node = &thread->nodes[*slot];
		if (!*slot || (node->key == key && node->parent == parent))
			return slot;
	}
}

bool
monocle__thread_grow_slots (struct monocle__call_thread *thread)
{
	uint32_t *old = thread->slots, old_count = thread->mask + 1, count = old ? old_count * 2 : FIRST_SLOTS;
	uint32_t *slots = take_memory (count * sizeof *slots);
	if (!slots)
		return false;
	MONOCLE__INVARIANT ((count & (count - 1)) == 0 && thread->count < count);
	thread->slots = slots;
	thread->mask = count - 1;
	for (uint32_t i = 0; old && i < old_count; i++) {
		const struct monocle__node *node = &thread->nodes[old[i]];
		if (old[i])
			*monocle__thread_slot (thread, node->parent, node->key) = old[i];
	}
	if (old)
		munmap (old, old_count * sizeof *old);
	return true;
}

static bool
has_node_room (struct monocle__call_thread *thread)
{
	if (thread->extent && thread->extent->used + sizeof (struct monocle__node) <= MONOCLE__EXTENT_SIZE)
		return true;
	struct monocle__extent *extent = monocle__spool_extent (thread->spool, MONOCLE__EXTENT_NODES);
	if (extent)
		thread->extent = extent;
	return extent != NULL;
}

static void
note_full (monocle_kit_spool *spool)
{
	char text[200];
	if (__atomic_load_n (&spool->paths.is_full, __ATOMIC_RELAXED) ||
	    __atomic_exchange_n (&spool->paths.is_full, true, __ATOMIC_RELAXED))
		return;
	monocle__path_room_reason (&spool->paths, text, sizeof text);
	monocle_kit_spool_note (spool, MONOCLE__NOTE_FOLDED, text);
}

uint32_t
monocle__thread_new_node (struct monocle__call_thread *thread, uint32_t parent, uint64_t key, uint32_t depth,
                          enum monocle__path_kind kind)
{
	if (!monocle__path_room_take (&thread->spool->paths, &thread->owed, depth, kind)) {
		note_full (thread->spool);
		return 0;
	}
	if (thread->count * 2 > thread->mask && !monocle__thread_grow_slots (thread) && thread->count + 1 >= thread->mask)
		return 0;
	if (!has_node_room (thread))
		return 0;
	struct monocle__extent *extent = thread->extent;
	struct monocle__node *node = (struct monocle__node *) ((uint8_t *) extent + extent->used);
	uint32_t index = (uint32_t) (node - thread->nodes);
	MONOCLE__INVARIANT (parent < index); /* readers take parents before their children */
	MONOCLE__INVARIANT ((extent->used - MONOCLE__EXTENT_HEADER) % sizeof *node == 0 &&
	                    extent->kind == MONOCLE__EXTENT_NODES);
	*node = (struct monocle__node) { .key = key, .parent = parent };
	MONOCLE__PAUSE (call_thread_node_written);
	__atomic_store_n (&extent->used, extent->used + (uint32_t) sizeof *node, __ATOMIC_RELEASE);
	MONOCLE__INVARIANT (!*monocle__thread_slot (thread, parent, key) && thread->count < thread->mask);
	*monocle__thread_slot (thread, parent, key) = index;
	thread->count++;
	return index;
}

uint32_t
monocle__thread_fold (struct monocle__call_thread *thread, uint32_t parent, uint64_t key, uint32_t depth,
                      enum monocle__path_kind kind)
{
	void *other = (void *) MONOCLE_KIT_FRAME_OTHER;
	uint32_t fold = *monocle__thread_slot (thread, parent, MONOCLE_KIT_FRAME_OTHER);
	MONOCLE__INVARIANT (!monocle__thread_is_folded (thread, &thread->nodes[parent]));
	if (!fold) {
		monocle__spool_name (thread->spool, other, NULL, 0);
		fold = monocle__thread_new_node (thread, parent, MONOCLE_KIT_FRAME_OTHER, depth, kind);
	}
	if (!fold)
		return 0;
	thread->has_folds = true;
	uint32_t index = *monocle__thread_slot (thread, fold, key);
	return index ? index : monocle__thread_new_node (thread, fold, key, depth + 1, kind);
}

/* --- birth -------------------------------------------------------------------------------------------------------- */

static struct monocle__call_thread *
take_free (void)
{
	pthread_mutex_lock (&pool_lock);
	struct monocle__call_thread *thread = free_threads;
	if (thread)
		free_threads = thread->next_free;
	pthread_mutex_unlock (&pool_lock);
	return thread;
}

static void
give_free (struct monocle__call_thread *thread)
{
	pthread_mutex_lock (&pool_lock);
	thread->next_free = free_threads;
	free_threads = thread;
	pthread_mutex_unlock (&pool_lock);
}

static bool
take_stack (struct monocle__call_thread *thread)
{
	for (size_t count = STACK_MOST; count >= STACK_LEAST && !thread->stack; count /= 4) {
		thread->stack = take_memory (count * sizeof *thread->stack);
		thread->stack_end = thread->stack + count;
	}
	return thread->stack != NULL;
}

static void
give_memory (struct monocle__call_thread *thread)
{
	if (thread->stack)
		munmap (thread->stack, (size_t) ((char *) thread->stack_end - (char *) thread->stack));
	if (thread->slots)
		munmap (thread->slots, (thread->mask + 1) * sizeof *thread->slots);
	monocle__slow_thread_free (thread);
	monocle__fork_pages_free (thread, PAGES);
}

static struct monocle__call_thread *
new_thread (monocle_kit_spool *spool)
{
	struct monocle__call_thread *thread = monocle__fork_pages_new (PAGES);
	if (!thread)
		return NULL;
	if (!take_stack (thread) || !monocle__thread_grow_slots (thread)) {
		give_memory (thread);
		return NULL;
	}
	pthread_mutex_lock (&pool_lock);
	thread->next = all_threads;
	all_threads = thread;
	pthread_mutex_unlock (&pool_lock);
	return thread;
}

/* What is new, or is left over from a tree before this one, becomes part of it. False: no memory. */
static bool
join_tree (struct monocle__call_thread *thread, monocle_kit_spool *spool)
{
	if (thread->spool)
		return true;
	thread->spool = spool;
	thread->nodes = monocle__spool_nodes (spool);
	if (monocle__slow_thread_new (thread))
		return true;
	monocle__slow_thread_free (thread);
	thread->spool = NULL;
	return false;
}

/*
 * A record and a root: new ones, or those of the thread that had this memory before when threads are not kept apart.
 */
static bool
take_record (struct monocle__call_thread *thread)
{
	monocle_kit_spool *spool = thread->spool;
	bool apart = spool->header->flags & MONOCLE__SPOOL_THREADS;
	uint32_t number;
	if (thread->record && !apart)
		return true;
	struct monocle__thread_record *record = monocle__spool_thread (spool, &number);
	uint32_t root = record ? monocle__thread_new_node (thread, 0, number, 0, MONOCLE__PATH_NEEDED) : 0;
	if (!root)
		return false;
	record->root = root;
	thread->number = number;
	thread->root = root;
	pthread_mutex_lock (&pool_lock);
	thread->record = record;
	pthread_mutex_unlock (&pool_lock);
	return true;
}

static void
start_counting (struct monocle__call_thread *thread)
{
	const struct monocle__spool_header *header = thread->spool->header;
	struct monocle__thread_record *record = thread->record;
	thread->clock = !(header->flags & MONOCLE__SPOOL_TIMES) ? MONOCLE__CLOCK_NONE
	              : header->flags & MONOCLE__SPOOL_CPU      ? MONOCLE__CLOCK_CPU
	              : monocle__clock_uses_ticks               ? MONOCLE__CLOCK_TICKS
	                                                        : MONOCLE__CLOCK_CALL;
	thread->current = &thread->nodes[thread->root];
	thread->top = thread->stack;
	*thread->top = thread->root;
	thread->fold = thread->stack + header->max_depth;
	MONOCLE__INVARIANT (thread->fold < thread->stack_end && thread->nodes[thread->root].parent == 0);
	thread->skip = 0;
	pthread_mutex_lock (&pool_lock);
	record->tid = (uint64_t) (uintptr_t) pthread_self ();
	pthread_mutex_unlock (&pool_lock);
	__atomic_store_n (&record->current, thread->root, __ATOMIC_RELAXED);
	__atomic_store_n (&record->last, monocle__thread_now (thread), __ATOMIC_RELAXED);
	monocle__slow_thread_begin (thread);
	__atomic_store_n (&record->ended, 0, __ATOMIC_RELEASE);
	thread->state = MONOCLE__READY;
}

void
monocle__thread_begin (monocle_kit_spool *spool)
{
	int saved_errno = errno;
	if (!monocle__spool_is_ours (spool) || __atomic_load_n (&spool->closed, __ATOMIC_RELAXED))
		return;
	MONOCLE__PAUSE (call_thread_unborn);
	void *own;
	if (!monocle__thread_word_exchange (&monocle__call_thread_word, &being_born, &own))
		return;
	struct monocle__call_thread *before = own;
	if (before && before->state != MONOCLE__UNBORN) { /* A signal handler was faster. */
		put_self (before);
		return;
	}
	MONOCLE__PAUSE (call_thread_being_born);
	struct monocle__call_thread *thread = before ? before : take_free ();
	if (!thread)
		thread = new_thread (spool);
	if (thread && (!join_tree (thread, spool) || !take_record (thread))) {
		give_free (thread);
		thread = NULL;
	}
	if (thread)
		start_counting (thread);
	MONOCLE__PAUSE (call_thread_made);
	put_self (thread);
	errno = saved_errno;
}

char *
monocle__thread_buffer (struct monocle__call_thread *thread, size_t *ret_size)
{
	*ret_size = PAGES - sizeof *thread;
	return (char *) (thread + 1);
}

/* --- end ---------------------------------------------------------------------------------------------------------- */

/* What runs is charged, and the record says that it is over. Under the pool's lock. */
static void
finish (struct monocle__call_thread *thread)
{
	struct monocle__thread_record *record = thread->record;
	uint64_t now = monocle__thread_now (thread),
	         stopped = __atomic_load_n (&thread->spool->header->stopped, __ATOMIC_RELAXED);
	if (stopped && thread->clock == MONOCLE__CLOCK_CPU)
		now = record->last; /* What its CPU time was then is not known. */
	else if (stopped && stopped < now)
		now = stopped;
	MONOCLE__INVARIANT (record && thread->top >= thread->stack && thread->top < thread->stack_end);
	if (thread->state == MONOCLE__PAUSED)
		monocle__call_pause_end (thread); /* What has run since is not counted. */
	monocle__slow_thread_end (thread, now);
	if (thread->clock && now > record->last)
		__atomic_store_n (&thread->current->self, thread->current->self + (now - record->last), __ATOMIC_RELAXED);
	__atomic_store_n (&record->last, now, __ATOMIC_RELAXED);
	__atomic_store_n (&record->ended, 1, __ATOMIC_RELEASE);
}

/*
 * No module keeps a thread that ends away from a tree that is closed and freed: its destructor is ours. Under the
 * pool's lock the tree is still there, or what the thread holds is empty.
 */
static void
hand_on (struct monocle__call_thread *thread)
{
	MONOCLE__PAUSE (call_thread_ends);
	pthread_mutex_lock (&pool_lock);
	MONOCLE__PAUSE (call_thread_pool_held);
	if (thread->spool)
		finish (thread);
	thread->next_free = free_threads;
	free_threads = thread;
	pthread_mutex_unlock (&pool_lock);
	MONOCLE__PAUSE (call_thread_given);
}

/* In a forked child there is nothing to be ended, and the lock may be held for ever. */
static bool
is_of_parent (const struct monocle__call_thread *thread)
{
	return __atomic_load_n (&thread->state, __ATOMIC_RELAXED) == MONOCLE__OFF;
}

/*
 * A signal handler's event is lost meanwhile, and counted; when it finds the thread unborn already, it is born again.
 * The C library has taken the word back before this is called: a handler that came in between has made a newer part.
 */
static void
on_thread_exit (void *part)
{
	void *newer;
	if (part == &being_born || is_of_parent (part))
		return;
	monocle__thread_word_exchange (&monocle__call_thread_word, &being_born, &newer);
	hand_on (part);
	put_self (newer);
}

void
monocle_kit_calls_thread_end (monocle_kit_spool *spool)
{
	struct monocle__call_thread *thread = monocle__call_thread_self ();
	if (!spool || thread == &monocle__call_thread_unborn || thread == &being_born || is_of_parent (thread))
		return;
	put_self (&being_born);
	hand_on (thread);
	put_self (NULL);
}

static bool is_prepared;

static void
prepare (void)
{
	is_prepared = monocle__thread_word_make (&monocle__call_thread_word, on_thread_exit);
}

bool
monocle__call_thread_prepare (void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once (&once, prepare);
	return is_prepared;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

void
monocle__thread_record_name (struct monocle__thread_record *record, const char *name)
{
	size_t length = name ? strnlen (name, sizeof record->name) : 0;
	while (length == sizeof record->name ||
	       (length && length < strlen (name) && ((unsigned char) name[length] & 0xc0) == 0x80))
		length--;
	MONOCLE__INVARIANT (length < sizeof record->name);
	__atomic_store_n (&record->name_length, 0, __ATOMIC_RELEASE);
	if (length)
		memcpy (record->name, name, length);
	__atomic_store_n (&record->name_length, (uint32_t) length, __ATOMIC_RELEASE);
}

void
monocle_kit_calls_thread_name (monocle_kit_spool *spool, uintptr_t tid, const char *name)
{
	if (!spool || !monocle__spool_is_ours (spool) || !(spool->header->flags & MONOCLE__SPOOL_THREADS || spool->watch))
		return;
	if (monocle__call_thread_self ()->state == MONOCLE__UNBORN && tid == (uintptr_t) pthread_self ())
		monocle__thread_begin (spool);
	void *own = lock_pool ();
	for (struct monocle__call_thread *thread = all_threads; thread; thread = thread->next)
		if (thread->record && thread->record->tid == tid && !__atomic_load_n (&thread->record->ended, __ATOMIC_ACQUIRE))
			monocle__thread_record_name (thread->record, name);
	unlock_pool (own);
}

void
monocle__call_thread_each (void (*each) (struct monocle__call_thread *thread, void *data), void *data)
{
	void *own = lock_pool ();
	for (struct monocle__call_thread *thread = all_threads; thread; thread = thread->next)
		each (thread, data);
	unlock_pool (own);
}

/* Pages that are given back read as zeros. */
static void
empty (struct monocle__call_thread *thread, void *data)
{
	monocle__slow_thread_free (thread);
	madvise (thread->slots, ((size_t) thread->mask + 1) * sizeof *thread->slots, MADV_DONTNEED);
	thread->count = 0;
	thread->skip = 0;
	thread->owed = 0;
	thread->has_folds = false;
	thread->extent = NULL;
	thread->record = NULL;
	thread->spool = NULL;
	__atomic_store_n (&thread->state, MONOCLE__UNBORN, __ATOMIC_RELEASE);
}

void
monocle__call_thread_empty_all (void)
{
	monocle__call_thread_each (empty, NULL);
}

void
monocle__threads_reset (void)
{
	while (all_threads) {
		struct monocle__call_thread *thread = all_threads;
		all_threads = thread->next;
		give_memory (thread);
	}
	free_threads = NULL;
	put_self (NULL);
}
