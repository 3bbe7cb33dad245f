/*
 * SPDX-License-Identifier: MIT
 *
 * event.c - the callback slots of the handles: setting them, counting them, raising events through them.
 *
 * Setters run in any context, signal handlers included, on any number of threads, also while others raise the same
 * event. A slot is one word; the thread that exchanges it knows from the old value whether there is a listener less.
 *
 * The public counts must be zero while nothing is delivered, and the host may start or stop delivering at any moment
 * between a setter's instructions. So a listener is counted in one of two places, and what a late setter left in the
 * wrong one is moved by the thread that looks next:
 *
 *      slots that are not NULL <= listeners = counts + parked     (modulo 2^32; equal when no setter is midway)
 *      parked = 0 while delivering,  counts = 0 otherwise
 *
 * While delivering, a setter only ever adds to `counts`, which is exact then.
 */
#include "event.h"

#include <stdatomic.h>
#include <string.h>
#include "handle.h"
#include "host.h"
#include "invariant.h"
#include "pause.h"

static _Atomic (uint32_t) listeners[MONOCLE_EVENT_COUNT];
static uint32_t counts[MONOCLE_EVENT_COUNT];
static uint32_t parked[MONOCLE_EVENT_COUNT];

static void
settle (monocle_event event)
{
	bool delivering;
	do {
		delivering = monocle__host_delivering ();
		uint32_t *from = delivering ? &parked[event] : &counts[event];
		uint32_t *to = delivering ? &counts[event] : &parked[event];

		if (__atomic_load_n (from, __ATOMIC_SEQ_CST)) {
			MONOCLE__PAUSE (event_count_found);
			uint32_t moved = __atomic_exchange_n (from, 0, __ATOMIC_SEQ_CST);
			MONOCLE__PAUSE (event_count_taken);
			__atomic_fetch_add (to, moved, __ATOMIC_SEQ_CST);
		}
	} while (delivering != monocle__host_delivering ());
}

/*
 * Two threads can pass each other on the way to the host, one bringing "wanted", one bringing "not wanted". Both look
 * again afterwards, so what the host is told last is true. The host ends by itself: it is told nothing about that.
 */
static void
tell_host (monocle_event event)
{
	const monocle_host_ops *host = monocle__host_ops ();
	int wanted;
	if (!host->event_wanted || monocle__host_ended ())
		return;
	do {
		wanted = atomic_load_explicit (&listeners[event], memory_order_seq_cst) != 0;
		MONOCLE__PAUSE (event_wanted_known);
		host->event_wanted (host->host, event, wanted);
	} while (wanted != (atomic_load_explicit (&listeners[event], memory_order_seq_cst) != 0));
}

static void
count_listener (monocle_event event, uint32_t change)
{
	uint32_t was = atomic_fetch_add_explicit (&listeners[event], change, memory_order_seq_cst);

	/* Counted before it is in its slot and until it is out of it: nobody takes away what was not added. */
	MONOCLE__INVARIANT (change == 1 ? was != UINT32_MAX : was != 0);
	uint32_t *count = monocle__host_delivering () ? &counts[event] : &parked[event];
	MONOCLE__PAUSE (event_count_chosen);
	__atomic_fetch_add (count, change, __ATOMIC_SEQ_CST);
	MONOCLE__PAUSE (event_counted);
	settle (event);
	if (was == 0 || was + change == 0)
		tell_host (event);
}

/*
 * A callback is counted before it is in its slot and until it is out of it. So however many setters of one slot pass
 * each other, and wherever the scheduler leaves one of them, the count is never less than the number of slots that are
 * in use: a handle that listens all the time misses nothing while others come and go.
 */
static void
set_callback (MonoProfilerHandle handle, monocle_event event, void *callback)
{
	monocle__handle *own = (monocle__handle *) handle;
	if (!handle)
		return;
	if (own->wrap)
		callback = own->wrap (own, event, callback);
	if (callback)
		count_listener (event, 1);
	void *old = __atomic_exchange_n (&handle->callbacks[event], callback, __ATOMIC_ACQ_REL);
	if (old) {
		MONOCLE__PAUSE (event_slot_emptied);
		count_listener (event, UINT32_MAX);
	}
	const monocle_host_ops *host = monocle__host_ops ();
	if (host->callback_changed && old != callback)
		host->callback_changed (host->host, event);
}

/* --- the core's own listeners ------------------------------------------------------------------------------------- */

static monocle__handle own;

MonoProfilerHandle
monocle__event_own (void)
{
	return &own.desc;
}

/* The end is told when all else is hidden. */
static struct _MonoProfilerDesc *
shown (monocle_event event)
{
	monocle__handle *first =
	    event == MONOCLE_EVENT_runtime_shutdown_end && !monocle__host_ended () ? monocle__handle_first () : NULL;
	return first ? &first->desc : __atomic_load_n (&monocle__handles_shown, __ATOMIC_ACQUIRE);
}

/* Whom an event is told first: of all events that have one, the core. */
static struct _MonoProfilerDesc *
first_of (monocle_event event, struct _MonoProfilerDesc *others)
{
	if (event == MONOCLE_EVENT_runtime_shutdown_end && !monocle__host_ended ())
		return &own.desc;
	return event == MONOCLE_EVENT_assembly_loaded && monocle__host_delivering () ? &own.desc : others;
}

/* --- what comes before -------------------------------------------------------------------------------------------- */

static struct _MonoProfilerDesc preparing;

/* A constant where it is used: raising all others costs nothing more. */
static inline __attribute__ ((always_inline)) bool
is_prepared (monocle_event event)
{
	switch (event) {
	case MONOCLE_EVENT_jit_begin:
	case MONOCLE_EVENT_jit_failed:
	case MONOCLE_EVENT_jit_done:
	case MONOCLE_EVENT_class_loading:
	case MONOCLE_EVENT_class_failed:
	case MONOCLE_EVENT_class_loaded:
	case MONOCLE_EVENT_vtable_loading:
	case MONOCLE_EVENT_vtable_failed:
	case MONOCLE_EVENT_vtable_loaded:
	case MONOCLE_EVENT_image_loading:
	case MONOCLE_EVENT_image_failed:
	case MONOCLE_EVENT_image_loaded:
	case MONOCLE_EVENT_assembly_loading:
	case MONOCLE_EVENT_assembly_loaded: return true;
	default: return false;
	}
}

void
monocle__event_prepare (monocle_event event, void *callback)
{
	MONOCLE__INVARIANT (is_prepared (event));
	__atomic_store_n (&preparing.callbacks[event], callback, __ATOMIC_RELEASE);
}

/* --- to and from the host ----------------------------------------------------------------------------------------- */

void
monocle__event_publish (void)
{
	for (int event = 0; event < MONOCLE_EVENT_COUNT; event++)
		settle (event);
}

void
monocle__event_announce (void)
{
	for (int event = 0; event < MONOCLE_EVENT_COUNT; event++)
		if (atomic_load_explicit (&listeners[event], memory_order_seq_cst))
			tell_host (event);
}

void
monocle__event_clear (monocle__handle *handle)
{
	for (int event = 0; event < MONOCLE_EVENT_COUNT; event++)
		set_callback (&handle->desc, event, NULL);
}

const uint32_t *
monocle_event_counts (void)
{
	return counts;
}

/* --- by name ------------------------------------------------------------------------------------------------------ */

/* An event without a row in events.def has no number here, and a row without an event has none there. */
enum {
#define EVENT(event, ...) NUMBER_OF_##event = MONOCLE_EVENT_##event,
#include <monocle/events.def>
};

static const char *const names[MONOCLE_EVENT_COUNT] = {
#define MONOCLE_EVENT_ROW(name, ...) [NUMBER_OF_##name] = #name,
#include <monocle/event-rows.h>
};

_Static_assert(MONOCLE_EVENT_MONO_END <= MONOCLE_EVENT_EXT_BEGIN, "the two tables share no number");
_Static_assert(MONOCLE_EVENT_exception_phase == MONOCLE_EVENT_EXT_BEGIN, "compiled hosts count from there");

const char *
monocle_event_name (monocle_event event)
{
	return (unsigned) event < MONOCLE_EVENT_COUNT ? names[event] : NULL;
}

static MonocleSupport
support_of (monocle_event event)
{
	const monocle_host_ops *host = monocle__host_ops ();
	if (host->event_support)
		return host->event_support (host->host, event);
	return event < MONOCLE_EVENT_MONO_END ? MONOCLE_SUPPORT_EXACT : MONOCLE_SUPPORT_NONE;
}

MonocleSupport
monocle_event_support (const char *event)
{
	for (int i = 0; event && i < MONOCLE_EVENT_COUNT; i++)
		if (names[i] && strcmp (event, names[i]) == 0)
			return support_of ((monocle_event) i);
	return MONOCLE_SUPPORT_NONE;
}

/* --- setting and raising ------------------------------------------------------------------------------------------ */

/* clang-format off */

#define MONOCLE_EVENT_ROW(name, setter, Callback, parameters, raised, arguments, ...)                             \
	void                                                                                                          \
	setter (MonoProfilerHandle handle, Callback callback)                                                         \
	{                                                                                                             \
		set_callback (handle, MONOCLE_EVENT_##name, (void *) callback);                                           \
	}                                                                                                             \
	void                                                                                                          \
	monocle_raise_##name raised                                                                                   \
	{                                                                                                             \
		struct _MonoProfilerDesc *shown_ = shown (MONOCLE_EVENT_##name);                                          \
		struct _MonoProfilerDesc *to_ = first_of (MONOCLE_EVENT_##name, shown_);                                  \
		bool prepared_ = !is_prepared (MONOCLE_EVENT_##name);                                                     \
                                                                                                                  \
		if (MONOCLE_EVENT_##name == MONOCLE_EVENT_runtime_shutdown_begin)                                         \
			monocle__host_begin_shutdown ();                                                                      \
		for (; to_; to_ = to_ == &own.desc ? shown_ : to_->next) {                                                \
			void *slot_ = __atomic_load_n (&to_->callbacks[MONOCLE_EVENT_##name], __ATOMIC_ACQUIRE);              \
			MonoProfiler *prof = to_->prof;                                                                       \
			if (slot_ && !prepared_) {                                                                            \
				void *before_ = __atomic_load_n (&preparing.callbacks[MONOCLE_EVENT_##name], __ATOMIC_ACQUIRE);   \
				prepared_ = true;                                                                                 \
				if (before_)                                                                                      \
					((Callback) before_) arguments;                                                               \
			}                                                                                                     \
			if (slot_)                                                                                            \
				((Callback) slot_) arguments;                                                                     \
		}                                                                                                         \
	}
#include <monocle/event-rows.h>
