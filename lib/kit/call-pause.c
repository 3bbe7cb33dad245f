/*
 * SPDX-License-Identifier: MIT
 *
 * call-pause.c - counting calls is interrupted, and goes on; what was counted is forgotten.
 *
 * The hot path asks nothing for this. The module sees to it that no event comes any more; the events that are under way
 * have some time to end, and then the threads' parts of the tree are still: each is told PAUSED, the time of its open
 * calls is charged up to now, and its record shows it outside of any call. Its own fields stay as they are. When events
 * come again, a PAUSED thread takes the seldom path, which puts it at its root: which of the calls that were open have
 * ended meanwhile nobody has said.
 *
 * A thread that stands still for longer than the pause between reading its state and writing BUSY, two instructions
 * further on, counts one more event, and its time; memory is sound all the same, since nobody else writes its fields.
 */
#include "calltree.h"

#include <time.h>

enum { GRACE_NS = 20000000, STEP_NS = 1000000, STEPS_MOST = 1000 };

static void
wait_for (long nanoseconds)
{
	nanosleep (&(struct timespec) { .tv_nsec = nanoseconds }, NULL);
}

/* --- pause -------------------------------------------------------------------------------------------------------- */

static void
see_busy (struct monocle__call_thread *thread, void *data)
{
	bool *is_any = data;
	if (__atomic_load_n (&thread->state, __ATOMIC_ACQUIRE) == MONOCLE__BUSY && thread->record &&
	    !__atomic_load_n (&thread->record->ended, __ATOMIC_ACQUIRE))
		*is_any = true;
}

/* What is not over after a second is a thread that was stopped in the middle, by a debugger or a collection. */
static void
wait_for_events (void)
{
	bool is_any = true;
	wait_for (GRACE_NS);
	for (int i = 0; is_any && i < STEPS_MOST; i++) {
		is_any = false;
		monocle__call_thread_each (see_busy, &is_any);
		if (is_any)
			wait_for (STEP_NS);
	}
}

static void
pause_thread (struct monocle__call_thread *thread, void *data)
{
	uint64_t now = *(const uint64_t *) data;
	struct monocle__thread_record *record = thread->record;
	uint32_t is = __atomic_load_n (&thread->state, __ATOMIC_ACQUIRE);
	if ((is != MONOCLE__READY && is != MONOCLE__SKIPPING) || !record || record->ended)
		return;
	struct monocle__node *node = &thread->nodes[__atomic_load_n (&record->current, __ATOMIC_RELAXED)];
	/* Another thread's CPU time cannot be read. */
	if (thread->clock && thread->clock != MONOCLE__CLOCK_CPU) {
		if (now > record->last)
			__atomic_store_n (&node->self, node->self + (now - record->last), __ATOMIC_RELAXED);
		__atomic_store_n (&record->last, now, __ATOMIC_RELAXED);
	}
	__atomic_store_n (&record->current, record->root, __ATOMIC_RELAXED);
	__atomic_store_n (&thread->state, MONOCLE__PAUSED, __ATOMIC_RELEASE);
}

void
monocle_kit_calls_pause (monocle_kit_spool *spool)
{
	if (!spool || !monocle__spool_is_ours (spool) || spool->is_paused)
		return;
	wait_for_events ();
	uint64_t now = monocle__clock_now ();
	__atomic_store_n (&spool->is_paused, true, __ATOMIC_RELEASE);
	__atomic_store_n (&spool->header->stopped, now, __ATOMIC_RELAXED);
	monocle__call_thread_each (pause_thread, &now);
}

/* --- go on -------------------------------------------------------------------------------------------------------- */

static void
touch_thread (struct monocle__call_thread *thread, void *data)
{
	if (thread->record && !thread->record->ended && thread->clock != MONOCLE__CLOCK_CPU &&
	    __atomic_load_n (&thread->state, __ATOMIC_ACQUIRE) == MONOCLE__PAUSED)
		__atomic_store_n (&thread->record->last, *(const uint64_t *) data, __ATOMIC_RELAXED);
}

void
monocle_kit_calls_resume (monocle_kit_spool *spool)
{
	if (!spool || !monocle__spool_is_ours (spool) || !spool->is_paused)
		return;
	uint64_t now = monocle__clock_now ();
	monocle__call_thread_each (touch_thread, &now);
	spool->header->flags |= MONOCLE__SPOOL_LATE; /* Calls that were open leave without an enter. */
	__atomic_store_n (&spool->header->stopped, 0, __ATOMIC_RELAXED);
	__atomic_store_n (&spool->is_paused, false, __ATOMIC_RELEASE);
}

/* On the thread itself, which is PAUSED: it is outside of any call from now on. */
void
monocle__call_pause_end (struct monocle__call_thread *thread)
{
	thread->skip = 0;
	thread->top = thread->stack;
	*thread->top = thread->root;
	thread->current = &thread->nodes[thread->root];
	__atomic_store_n (&thread->record->current, thread->root, __ATOMIC_RELAXED);
	__atomic_store_n (&thread->record->last, monocle__thread_now (thread), __ATOMIC_RELAXED);
	__atomic_store_n (&thread->state, MONOCLE__READY, __ATOMIC_RELEASE);
}

/* --- forget ------------------------------------------------------------------------------------------------------- */

bool
monocle_kit_calls_reset (monocle_kit_spool *spool)
{
	if (!spool || !monocle__spool_is_ours (spool) || !spool->is_paused || spool->watch)
		return false;
	monocle__spool_forget (spool);
	return true;
}
