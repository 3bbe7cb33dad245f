/*
 * SPDX-License-Identifier: MIT
 *
 * thread.c - a record for each thread that a module meets: its small id, its hazard pointers, a word of the module's.
 *
 * A record is found through a word of its thread, or by its tid where the end of a thread is told on another one
 * (monocle_thread_self ()). It is kept when its thread is gone until that end was told, so that the module can clear it
 * away. Ids are given back then: a server starts more threads in its life than there are ids.
 *
 * Regions do nothing. A module enters them around its lock of readers and writers, whose writer is either the
 * collector, while no thread is in managed code, or a native helper, which nobody stops: neither can wait for a thread
 * that waits for it.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <mono/jit/jit.h>
#include <mono/metadata/threads.h>
#include <monocle/host.h>
#include "internals.h"
#include "thread-word.h"

/* Small ids are at most 32,767: a module shifts them into the upper half of a signed word. 0 would be "nobody". */
enum { RECORDS_PER_CHUNK = 64, CHUNKS = 512, RECORD_COUNT = RECORDS_PER_CHUNK * CHUNKS - 1 };
/* What the module takes for Mono's own record of a thread; it sets a bit at 208. */
enum { INTERNAL_SIZE = 256 };
enum { FLAG_NO_SAMPLE = 2 };
/* Of a thread's destructors before ours gives back; the last one is left to a thread sanitizer's own end. */
enum { TURNS = PTHREAD_DESTRUCTOR_ITERATIONS - 1 };

struct monocle__internal_thread {
	MonoThreadHazardPointers hazards;
	_Atomic (uintptr_t) tid; /* 0: free */
	atomic_bool is_gone;     /* its thread is; that this was told is awaited */
	bool is_tool;            /* it was attached by set_flags () */
	uint8_t turns;           /* destructors of the thread's data that ran so far */
	int small_id;
	_Atomic (void *) tools_data;
	_Alignas(8) char internal[INTERNAL_SIZE];
};

typedef struct {
	MonoThreadInfo records[RECORDS_PER_CHUNK];
} chunk;

static _Atomic (chunk *) chunks[CHUNKS];
static atomic_int highest;        /* small id that was ever given */
static atomic_int gone;           /* records whose thread is gone */
static monocle__thread_word word; /* where a thread has its record */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* --- records ------------------------------------------------------------------------------------------------------ */

/* NULL: nobody has had that id. */
static MonoThreadInfo *
record_at (int small_id)
{
	chunk *c = atomic_load_explicit (&chunks[small_id / RECORDS_PER_CHUNK], memory_order_acquire);
	return c ? &c->records[small_id % RECORDS_PER_CHUNK] : NULL;
}

/* Of threads that race to make it one wins. */
static MonoThreadInfo *
make_record_at (int small_id)
{
	_Atomic (chunk *) *place = &chunks[small_id / RECORDS_PER_CHUNK];
	chunk *expected = NULL;
	if (!atomic_load_explicit (place, memory_order_acquire)) {
		chunk *fresh = mmap (NULL, sizeof *fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (fresh == MAP_FAILED)
			return NULL;
		if (!atomic_compare_exchange_strong (place, &expected, fresh))
			munmap (fresh, sizeof *fresh);
	}
	return record_at (small_id);
}

static void
give_back (MonoThreadInfo *record)
{
	memset (&record->hazards, 0, sizeof record->hazards);
	memset (record->internal, 0, sizeof record->internal);
	atomic_store (&record->tools_data, NULL);
	record->is_tool = false;
	record->turns = 0;
	if (atomic_exchange (&record->is_gone, false))
		atomic_fetch_sub (&gone, 1);
	atomic_store_explicit (&record->tid, 0, memory_order_release);
}

static MonoThreadInfo *
find (uintptr_t tid)
{
	int last = atomic_load_explicit (&highest, memory_order_acquire);
	for (int id = 1; id <= last; id++) {
		MonoThreadInfo *record = record_at (id);
		if (record && atomic_load_explicit (&record->tid, memory_order_acquire) == tid)
			return record;
	}
	return NULL;
}

/* Those whose end was told by now. */
static void
give_back_ended (void)
{
	int last = atomic_load_explicit (&highest, memory_order_acquire);
	for (int id = 1; id <= last && atomic_load (&gone); id++) {
		MonoThreadInfo *record = record_at (id);
		uintptr_t tid = record && atomic_load (&record->is_gone) ? atomic_load (&record->tid) : 0;
		/* Who changes the tid first has it. */
		if (tid && !monocle_thread_is_attached (tid) && atomic_compare_exchange_strong (&record->tid, &tid, 1))
			give_back (record);
	}
}

static void
raise_highest (int id)
{
	int was = atomic_load (&highest);
	while (was < id && !atomic_compare_exchange_weak (&highest, &was, id))
		;
}

static MonoThreadInfo *
take_record (uintptr_t tid)
{
	for (int id = 1; id <= RECORD_COUNT; id++) {
		MonoThreadInfo *record = make_record_at (id);
		uintptr_t expected = 0;
		if (!record)
			return NULL;
		if (atomic_load_explicit (&record->tid, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong (&record->tid, &expected, tid))
			continue;
		record->small_id = id;
		raise_highest (id);
		return record;
	}
	return NULL;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

/* Of a thread that ends; after the runtime's own, as far as one can be: those of a thread run in several turns. */
static void
thread_ends (void *data)
{
	MonoThreadInfo *record = data;
	if (++record->turns < TURNS && monocle__thread_word_set (&word, record))
		return;
	if (record->is_tool)
		mono_thread_detach (mono_thread_current ());
	if (!monocle_thread_is_attached (atomic_load (&record->tid))) {
		give_back (record);
		return;
	}
	atomic_store (&record->is_gone, true);
	atomic_fetch_add (&gone, 1);
}

static void
make_word (void)
{
	monocle__thread_word_make (&word, thread_ends);
}

/*
 * A dead thread's record whose id the system gave to this one is this one's from now on. And a thread that ends has its
 * word taken away for a moment before it ends its record: a signal handler finds that here.
 */
static MonoThreadInfo *
adopt (uintptr_t tid)
{
	MonoThreadInfo *record = find (tid);
	if (record && atomic_exchange (&record->is_gone, false)) {
		atomic_fetch_sub (&gone, 1);
		record->turns = 0;
	}
	return record;
}

static MonoThreadInfo *
attach_own (void)
{
	uintptr_t tid = (uintptr_t) pthread_self ();
	int error = errno;
	pthread_once (&once, make_word);
	MonoThreadInfo *record = adopt (tid);
	if (!record && atomic_load (&gone))
		give_back_ended ();
	if (!record)
		record = take_record (tid);
	if (record && !monocle__thread_word_set (&word, record)) {
		give_back (record);
		record = NULL;
	}
	errno = error;
	return record;
}

static MonoThreadInfo *
current (void)
{
	uintptr_t tid = monocle_thread_self ();
	return tid == (uintptr_t) pthread_self () ? monocle__thread_word_get (&word) : find (tid);
}

/* Without a record nothing works that could be told to the module, whose answers are not looked at: as on Mono. */
MonoThreadInfo *
mono_thread_info_attach (void)
{
	MonoThreadInfo *record = current ();
	if (!record && monocle_thread_self () == (uintptr_t) pthread_self ())
		record = attach_own ();
	return record;
}

MonoThreadInfo *
mono_thread_info_current_unchecked (void)
{
	return current ();
}

int
mono_thread_info_register_small_id (void)
{
	MonoThreadInfo *record = mono_thread_info_attach ();
	return record ? record->small_id : RECORD_COUNT + 1;
}

/*
 * A module asks for its word first of all. Where the end of a dead thread with our tid was not told yet, the word is
 * that one's: what the module keeps of it goes by the tid, and the end is told on this thread.
 */
void *
mono_thread_info_get_tools_data (void)
{
	MonoThreadInfo *record = current ();
	if (!record && atomic_load (&gone) && monocle_thread_is_attached (monocle_thread_self ()))
		record = find (monocle_thread_self ());
	return record ? atomic_load (&record->tools_data) : NULL;
}

/*
 * Mono's takes a value once. So a module's mark for a thread that it is done with, -1, never gets there, and it relies
 * on never reading it.
 */
mono_bool
mono_thread_info_set_tools_data (void *data)
{
	MonoThreadInfo *record = mono_thread_info_attach ();
	if (!record)
		return 0;
	atomic_store (&record->tools_data, (intptr_t) data == -1 ? NULL : data);
	return 1;
}

/* Only modules' helpers set flags, each on itself. No collection stops them anyway. */
void
mono_thread_info_set_flags (int flags)
{
	MonoThreadInfo *record = mono_thread_info_attach ();
	if (!record || !(flags & FLAG_NO_SAMPLE) || record->is_tool)
		return;
	mono_threads_attach_tools_thread ();
	record->is_tool = true;
}

mono_bool
mono_thread_info_yield (void)
{
	return sched_yield () == 0;
}

/* Never NULL: a module writes into it. The place for threads without a record is nobody's. */
MonoInternalThread *
mono_thread_internal_current (void)
{
	static _Alignas(8) char nobody[INTERNAL_SIZE];
	MonoThreadInfo *record = mono_thread_info_attach ();
	return (MonoInternalThread *) (record ? record->internal : nobody);
}

/* The calling thread, whose name the system has cut at fifteen bytes. */
size_t
mono_thread_set_name (MonoInternalThread *thread, const char *name, size_t length, const uint16_t *utf16, int flags,
                      MonoError *error)
{
	char cut[16];
	snprintf (cut, sizeof cut, "%.*s", (int) (length < sizeof cut ? length : sizeof cut), name ? name : "");
	pthread_setname_np (pthread_self (), cut);
	monocle_thread_set_name ((uintptr_t) pthread_self (), name);
	return name ? length : 0;
}

uintptr_t
mono_native_thread_id_get (void)
{
	return monocle_thread_self ();
}

/* It gets none of the program's signals. */
mono_bool
mono_native_thread_create (uintptr_t *ret_tid, void *function, void *argument)
{
	sigset_t all, before;
	pthread_t thread;
	sigfillset (&all);
	pthread_sigmask (SIG_SETMASK, &all, &before);
	int error = pthread_create (&thread, NULL, (void *(*) (void *) ) function, argument);
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	if (error)
		return 0;
	*ret_tid = (uintptr_t) thread;
	return 1;
}

/* --- hazard pointers ---------------------------------------------------------------------------------------------- */

MonoThreadHazardPointers *
mono_hazard_pointer_get (void)
{
	static MonoThreadHazardPointers nobody;
	MonoThreadInfo *record = mono_thread_info_attach ();
	return record ? &record->hazards : &nobody;
}

bool
monocle__thread_holds (const void *pointer)
{
	int last = atomic_load (&highest);
	for (int id = 1; id <= last; id++) {
		MonoThreadInfo *record = record_at (id);
		for (size_t i = 0; record && i < sizeof record->hazards.hazards / sizeof *record->hazards.hazards; i++)
			if (__atomic_load_n (&record->hazards.hazards[i], __ATOMIC_SEQ_CST) == pointer)
				return true;
	}
	return false;
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

void *
mono_threads_enter_gc_safe_region_internal (MonoStackData *stack)
{
	return NULL;
}

void *
mono_threads_enter_gc_safe_region_with_info (MonoThreadInfo *info, MonoStackData *stack)
{
	return NULL;
}

void *
mono_threads_enter_gc_unsafe_region_with_info (MonoThreadInfo *info, MonoStackData *stack)
{
	return NULL;
}

void
mono_threads_exit_gc_safe_region_internal (void *cookie, MonoStackData *stack)
{
}

void
mono_threads_exit_gc_unsafe_region_internal (void *cookie, MonoStackData *stack)
{
}
