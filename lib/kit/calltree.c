/*
 * SPDX-License-Identifier: MIT
 *
 * calltree.c - enter and leave: the hot path.
 *
 * Time is accounted as self time: each event charges what has passed since the thread's last event to the node that was
 * running. Totals are sums over a subtree and are made offline; so the tree is right at every instant, for a reader
 * beside us and after SIGKILL. A pair of events costs two readings of the clock and some ten stores to lines of the
 * thread's own.
 *
 * A child is found by the node's last_child (loops), else in the thread's table keyed (parent, method).
 *
 * The nodes are in a shared mapping. Fields that a closing thread may read while we write are stored with relaxed
 * atomics, which are plain moves.
 *
 * In signal handlers: a handler that interrupts an event finds BUSY and its events are lost; between events it is a
 * caller like any other, except for the first visit of a path, which takes locks: BUSY covers those too.
 */
#include "calltree.h"
#include "invariant.h"
#include "pause.h"
#include "slow.h"

#include <errno.h>

#define unlikely(condition) __builtin_expect (!!(condition), 0)

static inline void
begin_event (struct monocle__call_thread *thread)
{
	MONOCLE__INVARIANT (thread->state == MONOCLE__READY || thread->state == MONOCLE__SKIPPING);
	MONOCLE__PAUSE (calltree_event_begins);
	__atomic_store_n (&thread->state, MONOCLE__BUSY, __ATOMIC_RELAXED);
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	MONOCLE__PAUSE (calltree_busy);
}

static inline void
end_event (struct monocle__call_thread *thread)
{
	MONOCLE__INVARIANT (thread->state == MONOCLE__BUSY || thread->state == MONOCLE__SKIPPING);
	MONOCLE__PAUSE (calltree_event_ends);
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	__atomic_store_n (&thread->state, MONOCLE__READY, __ATOMIC_RELAXED);
}

/* The node that was running pays up to now; `next` runs from now on. A clock that steps back charges nothing. */
static inline void
charge (struct monocle__call_thread *thread, struct monocle__node *node, uint32_t next, uint64_t now)
{
	struct monocle__thread_record *record = thread->record;
	uint64_t passed = now - record->last;
	if ((int64_t) passed > 0)
		__atomic_store_n (&node->self, node->self + passed, __ATOMIC_RELAXED);
	__atomic_store_n (&record->last, now, __ATOMIC_RELAXED);
	__atomic_store_n (&record->current, next, __ATOMIC_RELAXED);
}

static inline void
enter_node (struct monocle__call_thread *thread, struct monocle__node *child, uint32_t index, uint64_t now)
{
	MONOCLE__INVARIANT (thread->current == &thread->nodes[*thread->top] && child == &thread->nodes[index]);
	MONOCLE__INVARIANT (thread->top >= thread->stack && thread->top + 1 < thread->stack_end);
	MONOCLE__INVARIANT (child->parent == (thread->top < thread->fold ? *thread->top : *thread->fold) ||
	                    monocle__thread_is_folded (thread, child));
	if (thread->clock)
		charge (thread, thread->current, index, now);
	__atomic_store_n (&child->calls, child->calls + 1, __ATOMIC_RELAXED);
	*++thread->top = index;
	thread->current = child;
}

/* Back to the node of `level`. */
static inline void
leave_to (struct monocle__call_thread *thread, uint32_t *level, uint64_t now)
{
	MONOCLE__INVARIANT (level >= thread->stack && level < thread->top);
	MONOCLE__INVARIANT (thread->current == &thread->nodes[*thread->top]);
	uint32_t index = *level;
	if (thread->clock)
		charge (thread, thread->current, index, now);
	thread->top = level;
	thread->current = &thread->nodes[index];
}

/* --- spools with a threshold -------------------------------------------------------------------------------------- */

/* Before the next level is entered: a reader takes the start of each level up to that of the current node. */
static inline void
note_start (struct monocle__call_thread *thread, uint64_t now)
{
	size_t level = (size_t) (thread->top - thread->stack) + 1;
	if (unlikely (level >= MONOCLE__WATCHED_LEVELS)) {
		monocle__spool_lose (thread->spool, MONOCLE__LOSS_UNWATCHED, 1);
		return;
	}
	__atomic_store_n (&thread->starts->starts[level - 1], now, __ATOMIC_RELAXED);
	if (thread->kept)
		thread->kept[level] = (struct monocle__kept) { thread->kept[level - 1].at + thread->kept[level - 1].length, 0 };
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
}

/* The call at `level` ends. */
static inline void
note_end (struct monocle__call_thread *thread, const uint32_t *level, uint64_t now, monocle_kit_end end, void *context)
{
	size_t number = (size_t) (level - thread->stack);
	if (number < MONOCLE__WATCHED_LEVELS && now - thread->starts->starts[number - 1] >= thread->slow)
		monocle__slow_note (thread, level, now, end, context);
}

/* --- the seldom part ---------------------------------------------------------------------------------------------- */

/* Where there are no ticks, the clock is a call; the hot path holds no register across one. */
static __attribute__ ((noinline)) void
enter_by_clock (struct monocle__call_thread *thread, struct monocle__node *child, uint32_t index)
{
	uint64_t now = monocle__thread_now (thread);
	if (thread->starts)
		note_start (thread, now);
	enter_node (thread, child, index, now);
	end_event (thread);
}

static __attribute__ ((noinline)) void
leave_by_clock (struct monocle__call_thread *thread, monocle_kit_end end, void *context)
{
	uint64_t now = monocle__thread_now (thread);
	if (thread->starts)
		note_end (thread, thread->top, now, end, context);
	leave_to (thread, thread->top - 1, now);
	end_event (thread);
}

/* The deepest level whose node may have a path of its own. */
static const uint32_t *
innermost_path (const struct monocle__call_thread *thread)
{
	return thread->top < thread->fold ? thread->top : thread->fold;
}

/* There is no room for the path: the nearest caller that can have [other paths]. The outermost one always can. */
static uint32_t
fold (struct monocle__call_thread *thread, uint64_t key)
{
	const uint32_t *level = innermost_path (thread);
	uint32_t index = 0;
	for (; !index && level > thread->stack; level--)
		if (!monocle__thread_is_folded (thread, &thread->nodes[*level]))
			index = monocle__thread_fold (thread, *level, key, (uint32_t) (level - thread->stack) + 1,
			                              MONOCLE__PATH_FOLDED);
	return index ? index : monocle__thread_fold (thread, *thread->stack, key, 1, MONOCLE__PATH_NEEDED);
}

/*
 * Not inlined, so that what calls it uses little stack: where a recursion runs out of stack in here, and not in managed
 * code, Mono has no exception for it.
 */
static __attribute__ ((noinline, cold)) uint32_t
make_node (struct monocle__call_thread *thread, uint32_t parent, void *method)
{
	int saved_errno = errno;
	size_t size;
	char *buffer = monocle__thread_buffer (thread, &size);
	monocle__spool_name (thread->spool, method, buffer, size);
	uint32_t depth = (uint32_t) (innermost_path (thread) - thread->stack) + 1;
	bool folded = thread->nodes[parent].key == MONOCLE_KIT_FRAME_OTHER;
	uint32_t index = monocle__thread_new_node (thread, parent, (uintptr_t) method, depth,
	                                           folded ? MONOCLE__PATH_FOLDED : MONOCLE__PATH_ORDINARY);
	if (!index && __atomic_load_n (&thread->spool->paths.is_full, __ATOMIC_RELAXED))
		index = fold (thread, (uintptr_t) method);
	errno = saved_errno;
	return index;
}

/* Is the current node in [other paths]? All that it calls is there, beside it. */
static inline bool
is_in_fold (const struct monocle__call_thread *thread)
{
	return unlikely (thread->has_folds) && monocle__thread_is_folded (thread, thread->current);
}

/* The node for a call of `method` now, made if need be; 0: no room. */
static inline uint32_t
find_or_make (struct monocle__call_thread *thread, void *method)
{
	uint32_t parent = is_in_fold (thread)        ? thread->current->parent
	                : thread->top < thread->fold ? *thread->top
	                                             : *thread->fold;
	uint32_t index = *monocle__thread_slot (thread, parent, (uintptr_t) method);
	return unlikely (!index) ? make_node (thread, parent, method) : index;
}

/* This call and all below it have no place on the stack; leaves are counted until it ends. */
static void
begin_skip (struct monocle__call_thread *thread, bool deep)
{
	thread->skip = 1;
	thread->deep = deep;
	if (!deep)
		monocle__spool_lose (thread->spool, MONOCLE__LOSS_SPACE, 1);
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	__atomic_store_n (&thread->state, MONOCLE__SKIPPING, __ATOMIC_RELAXED);
}

/* Beyond the end of the stack: the call counts in its folded node and gets no time of its own. */
static void
count_deep (struct monocle__call_thread *thread, void *method)
{
	uint32_t index = find_or_make (thread, method);
	if (index)
		__atomic_store_n (&thread->nodes[index].calls, thread->nodes[index].calls + 1, __ATOMIC_RELAXED);
	else
		monocle__spool_lose (thread->spool, MONOCLE__LOSS_SPACE, 1);
}

static __attribute__ ((noinline)) void
enter_other_child (struct monocle__call_thread *thread, void *method)
{
	if (unlikely (thread->top + 1 == thread->stack_end)) {
		count_deep (thread, method);
		begin_skip (thread, true);
		return;
	}
	uint32_t index = find_or_make (thread, method);
	if (unlikely (!index)) {
		begin_skip (thread, false);
		return;
	}
	/* Where there is no end of levels, each call looks whether the stack is full. */
	if (thread->top <= thread->fold && !is_in_fold (thread))
		thread->current->last_child = index;
	uint64_t now = monocle__thread_now (thread);
	if (thread->starts)
		note_start (thread, now);
	enter_node (thread, &thread->nodes[index], index, now);
	end_event (thread);
}

static void
enter_skipped (struct monocle__call_thread *thread, void *method)
{
	thread->skip++;
	if (!thread->deep) {
		monocle__spool_lose (thread->spool, MONOCLE__LOSS_SPACE, 1);
		return;
	}
	begin_event (thread);
	count_deep (thread, method);
	__atomic_signal_fence (__ATOMIC_SEQ_CST);
	__atomic_store_n (&thread->state, MONOCLE__SKIPPING, __ATOMIC_RELAXED);
}

/* By whatever clock, whether calls have starts or not. */
static void
enter_ready (struct monocle__call_thread *thread, void *method)
{
	begin_event (thread);
	enter_other_child (thread, method);
}

static __attribute__ ((noinline, cold)) void
enter_not_ready (monocle_kit_spool *spool, void *method)
{
	MONOCLE__PAUSE (calltree_not_ready);
	struct monocle__call_thread *thread = monocle__call_thread_self ();
	if (!spool || !monocle__spool_is_ours (spool))
		return;
	switch (thread->state) {
	case MONOCLE__BUSY: monocle__spool_lose (spool, MONOCLE__LOSS_NESTED, 1); return;
	case MONOCLE__SKIPPING: enter_skipped (thread, method); return;
	case MONOCLE__READY: enter_ready (thread, method); return; /* its word has no place that a look finds */
	case MONOCLE__PAUSED:
		if (__atomic_load_n (&spool->is_paused, __ATOMIC_ACQUIRE))
			return;
		monocle__call_pause_end (thread);
		enter_ready (thread, method);
		return;
	case MONOCLE__UNBORN:
		monocle__thread_begin (spool);
		thread = monocle__call_thread_self ();
		if (thread->state == MONOCLE__READY)
			enter_ready (thread, method);
		else if (!__atomic_load_n (&spool->closed, __ATOMIC_RELAXED))
			monocle__spool_lose (spool, MONOCLE__LOSS_THREADS, 1);
		return;
	default: return;
	}
}

/* Looks for the call further down: what lies above it has left without telling. */
static __attribute__ ((noinline)) void
leave_other_call (struct monocle__call_thread *thread, void *method, monocle_kit_end end, void *context)
{
	enum { FARTHEST = 1 << 16 };
	uint64_t key = (uintptr_t) method;
	uint32_t *level = thread->top;
	uint32_t *stop = thread->top - thread->stack > FARTHEST ? thread->top - FARTHEST : thread->stack;
	while (level > stop && thread->nodes[*level].key != key)
		level--;
	if (level == stop) {
		monocle__spool_lose (thread->spool, MONOCLE__LOSS_UNMATCHED, 1);
	} else {
		monocle__spool_lose (thread->spool, MONOCLE__LOSS_UNBALANCED, (uint64_t) (thread->top - level));
		uint64_t now = monocle__thread_now (thread);
		for (const uint32_t *open = thread->top; thread->starts && open > level; open--)
			note_end (thread, open, now, MONOCLE_KIT_ABANDONED, NULL);
		if (thread->starts)
			note_end (thread, level, now, end, context);
		leave_to (thread, level - 1, now);
	}
	end_event (thread);
}

static void
leave_ready (struct monocle__call_thread *thread, void *method, monocle_kit_end end, void *context)
{
	begin_event (thread);
	if (thread->current->key != (uintptr_t) method)
		leave_other_call (thread, method, end, context);
	else
		leave_by_clock (thread, end, context);
}

static __attribute__ ((noinline, cold)) void
leave_not_ready (monocle_kit_spool *spool, void *method, monocle_kit_end end, void *context)
{
	struct monocle__call_thread *thread = monocle__call_thread_self ();
	if (!spool || !monocle__spool_is_ours (spool))
		return;
	if (thread->state == MONOCLE__READY)
		leave_ready (thread, method, end, context);
	if (thread->state != MONOCLE__SKIPPING)
		return;
	MONOCLE__INVARIANT (thread->skip != 0);
	if (--thread->skip == 0)
		end_event (thread);
}

/* --- the hot part ------------------------------------------------------------------------------------------------- */

void
monocle_kit_calls_enter (monocle_kit_spool *spool, void *method)
{
	struct monocle__call_thread *thread = monocle__call_thread_look ();
	if (unlikely (!thread || thread->state != MONOCLE__READY)) {
		enter_not_ready (spool, method);
		return;
	}
	begin_event (thread);
	uint32_t index = thread->current->last_child;
	struct monocle__node *child = &thread->nodes[index];
	if (unlikely (child->key != (uintptr_t) method)) {
		enter_other_child (thread, method);
		return;
	}
	if (unlikely (thread->clock >= MONOCLE__CLOCK_CALL)) {
		enter_by_clock (thread, child, index);
		return;
	}
	enter_node (thread, child, index, thread->clock ? monocle__ticks_now () : 0);
	end_event (thread);
}

void
monocle_kit_calls_leave (monocle_kit_spool *spool, void *method)
{
	struct monocle__call_thread *thread = monocle__call_thread_look ();
	if (unlikely (!thread || thread->state != MONOCLE__READY)) {
		leave_not_ready (spool, method, MONOCLE_KIT_RETURNED, NULL);
		return;
	}
	begin_event (thread);
	if (unlikely (thread->current->key != (uintptr_t) method)) {
		leave_other_call (thread, method, MONOCLE_KIT_RETURNED, NULL);
		return;
	}
	if (unlikely (thread->clock >= MONOCLE__CLOCK_CALL)) {
		leave_by_clock (thread, MONOCLE_KIT_RETURNED, NULL);
		return;
	}
	leave_to (thread, thread->top - 1, thread->clock ? monocle__ticks_now () : 0);
	end_event (thread);
}

/* --- the hot part of spools with a threshold ---------------------------------------------------------------------- */

void
monocle_kit_calls_enter_watched (monocle_kit_spool *spool, void *method)
{
	struct monocle__call_thread *thread = monocle__call_thread_look ();
	if (unlikely (!thread || thread->state != MONOCLE__READY)) {
		enter_not_ready (spool, method);
		return;
	}
	begin_event (thread);
	uint32_t index = thread->current->last_child;
	struct monocle__node *child = &thread->nodes[index];
	if (unlikely (child->key != (uintptr_t) method)) {
		enter_other_child (thread, method);
		return;
	}
	if (unlikely (thread->clock != MONOCLE__CLOCK_TICKS || !thread->starts)) {
		enter_by_clock (thread, child, index);
		return;
	}
	uint64_t now = monocle__ticks_now ();
	note_start (thread, now);
	enter_node (thread, child, index, now);
	end_event (thread);
}

void
monocle_kit_calls_leave_watched (monocle_kit_spool *spool, void *method, monocle_kit_end end, void *context)
{
	struct monocle__call_thread *thread = monocle__call_thread_look ();
	if (unlikely (!thread || thread->state != MONOCLE__READY)) {
		leave_not_ready (spool, method, end, context);
		return;
	}
	begin_event (thread);
	if (unlikely (thread->current->key != (uintptr_t) method)) {
		leave_other_call (thread, method, end, context);
		return;
	}
	if (unlikely (thread->clock != MONOCLE__CLOCK_TICKS || !thread->starts)) {
		leave_by_clock (thread, end, context);
		return;
	}
	uint64_t now = monocle__ticks_now ();
	note_end (thread, thread->top, now, end, context);
	leave_to (thread, thread->top - 1, now);
	end_event (thread);
}

/* The innermost open call's, NULL: nothing can be kept of it. */
static struct monocle__kept *
kept_of (const monocle_kit_spool *spool, const struct monocle__call_thread *thread)
{
	if (!spool || thread->state != MONOCLE__READY || !thread->kept)
		return NULL;
	size_t level = (size_t) (thread->top - thread->stack);
	return level == 0 || level >= MONOCLE__WATCHED_LEVELS ? NULL : &thread->kept[level];
}

void *
monocle_kit_calls_keep (monocle_kit_spool *spool, size_t size)
{
	struct monocle__call_thread *thread = monocle__call_thread_self ();
	struct monocle__kept *kept = kept_of (spool, thread);
	if (!kept || size > MONOCLE__KEEP_SIZE - kept->at)
		return NULL;
	MONOCLE__INVARIANT (kept->at <= MONOCLE__KEEP_SIZE && kept->length == 0);
	kept->length = (uint32_t) size;
	return thread->keep + kept->at;
}

void
monocle_kit_calls_kept (monocle_kit_spool *spool, size_t size)
{
	struct monocle__kept *kept = kept_of (spool, monocle__call_thread_self ());
	if (kept && size < kept->length)
		kept->length = (uint32_t) size;
}
