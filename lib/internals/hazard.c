/*
 * SPDX-License-Identifier: MIT
 *
 * hazard.c - memory that other threads may still read: it is freed when no thread's slot holds it any more.
 *
 * Whoever reads shared memory without a lock writes its address into a slot of its own and looks again whether the
 * memory is still where it was found; whoever frees memory has made it unreachable first, and then asks all slots (see
 * Maged Michael, "Hazard Pointers", 2004). What a slot holds waits in a list here. Any thread, any context; only what
 * frees the list runs functions that a signal handler may not run.
 */
#include "internals.h"

#include <stdatomic.h>

typedef struct kept {
	struct kept *next;
	void *pointer;
	MonoHazardousFreeFunc free_func;
} kept;

enum { BLOCK_SIZE = 4096 };

/* It grows at its head, and is only ever taken as a whole: no node can come back while a thread looks at it. */
static _Atomic (kept *) all;

/* Records come from here because malloc () is not for signal handlers. */
static MonoLockFreeAllocSizeClass record_class = { .slot_size = sizeof (kept), .block_size = BLOCK_SIZE };
static MonoLockFreeAllocator records = { .size_class = &record_class };

static void
keep (kept *record)
{
	record->next = atomic_load_explicit (&all, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit (&all, &record->next, record, memory_order_release,
	                                               memory_order_relaxed))
		;
}

mono_bool
mono_thread_hazardous_try_free (void *pointer, MonoHazardousFreeFunc free_func)
{
	if (monocle__thread_holds (pointer)) {
		mono_thread_hazardous_queue_free (pointer, free_func);
		return 0;
	}
	free_func (pointer);
	return 1;
}

void
mono_thread_hazardous_queue_free (void *pointer, MonoHazardousFreeFunc free_func)
{
	kept *record = mono_lock_free_alloc (&records);
	if (!record)
		return;
	record->pointer = pointer;
	record->free_func = free_func;
	keep (record);
}

/* Whether anything was freed. */
static bool
free_what_is_free (kept *record)
{
	bool any = false;

	while (record) {
		kept one = *record;
		if (monocle__thread_holds (one.pointer)) {
			keep (record);
		} else {
			mono_lock_free_free (record, BLOCK_SIZE);
			one.free_func (one.pointer);
			any = true;
		}
		record = one.next;
	}
	return any;
}

/* What is freed may have others kept, which are looked at as well. */
void
mono_thread_hazardous_try_free_all (void)
{
	while (atomic_load_explicit (&all, memory_order_relaxed) &&
	       free_what_is_free (atomic_exchange_explicit (&all, NULL, memory_order_acquire)))
		;
}
