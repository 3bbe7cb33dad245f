/*
 * SPDX-License-Identifier: MIT
 *
 * exception.c - the runtime's second pass, as exits of methods.
 *
 * UnwindFunctionLeave does not say which function is left, so Enter's ids are kept in a small per-thread stack. It is
 * not balanced: a catching frame is entered and never left; a finally that throws abandons its frame, which is entered
 * again; an exception that a filter swallows yields a Leave without Enter before and an Enter without Leave after. But
 * one pass makes all of its calls from one machine frame, give or take a few hundred bytes, and a pass that begins
 * inside a handler of another runs thousands of bytes below it. So each id carries the stack pointer of the callback:
 *
 *     what lies deeper than the present callback belongs to a pass that is over;
 *     what lies higher belongs to one that waits for this one: a Leave is none of its business.
 *
 * A filter runs while all frames below it are still alive: nothing that happens inside it ends them.
 *
 * .NET 9 and later read where the exception is, announce a filter in a way that lets the collector run, and then hand
 * the filter what they read. So from its throw until its catch block the exception is pinned there.
 *
 * .NET 9 reports a finally block that nothing but a return or a fall-through led to as a frame of its own: when it
 * throws, its function is left twice. So a Leave is believed when the next callback is about another function, or about
 * another frame of a recursive one.
 */
#include "exception.h"
#include <string.h>
#include <monocle/host.h>
#include "code/sampling.h"
#include "heap/object.h"
#include "images/image-failure.h"
#include "images/resolve.h"
#include "invariant.h"
#include "probes/shadow.h"
#include "state.h"
#include "thread-memory.h"
#include "throw-site.h"
#include "under-way.h"
#include "wants.h"

/* How far apart the callbacks of one pass are; a nested one puts two register contexts of 1,232 bytes between. */
enum { SPREAD = 0x800 };

#define HERE ((uintptr_t) __builtin_frame_address (0))

static uint32_t
floor_of (const monocle__unwinding *own)
{
	unsigned known = own->filters < MONOCLE__FILTERS_MAX ? own->filters : MONOCLE__FILTERS_MAX;
	uint32_t filter = known ? own->floors[known - 1] : 0, dispatched = monocle__shadow_dispatched ();
	return filter > dispatched ? filter : dispatched;
}

/* What the records knew of frames that are gone says nothing of those that are there next. */
static void
forget_entries (monocle__unwinding *own, uint32_t first)
{
	for (unsigned i = own->count; i-- > 0;)
		if (own->frames[i].entry >= first)
			own->frames[i].entry = UINT32_MAX;
}

/*
 * Passes that ran deeper are over. A frame that one of them entered and neither left nor stopped at lay above
 * native code, which took the exception.
 */
static void
forget_deeper (monocle__unwinding *own, uintptr_t sp)
{
	while (own->count && own->frames[own->count - 1].sp < sp) {
		uint32_t entry = own->frames[--own->count].entry;
		if (entry != UINT32_MAX && entry >= floor_of (own))
			monocle__shadow_cut (entry);
		forget_entries (own, monocle__shadow_depth ());
	}
}

/* The frames of a run of Leaves of one function. Two of them are one frame's where a finally block of it runs. */
static void
leave_all (monocle__unwinding *own, FunctionID function, uint32_t count)
{
	while (count--) {
		if (count && monocle__shadow_in_finally (function, floor_of (own)))
			count--;
		monocle__shadow_unwound (function, floor_of (own));
	}
}

/* Will a handler say which frame it is of, and so which ones are gone (monocle__under_way_frame ())? */
static bool
are_frames_named (void)
{
	enum { FIRST_WITH_SNAPSHOTS = 9 };
	return !monocle__clr_state.late || monocle__clr_state.major >= FIRST_WITH_SNAPSHOTS;
}

/* Is what was reported as left the innermost entry still, and an outer frame of the same function the next one? */
static bool
leaves_recursion (const monocle__unwinding *own)
{
	return own->left_depth == monocle__shadow_depth () && monocle__shadow_recursive (own->left, floor_of (own));
}

/*
 * Leaves are believed, unless the next callback may be about the same frame: then they wait for what a handler says.
 * `next`: the function that callback is about.
 */
static void
settle (monocle__unwinding *own, FunctionID next)
{
	FunctionID left = own->left;
	bool is_same = left && left == next;
	if (is_same && are_frames_named ())
		return;
	if (left && (is_same ? leaves_recursion (own) : own->left_depth == monocle__shadow_depth ()))
		leave_all (own, left, next ? 1 : own->left_count);
	own->left = 0;
	forget_entries (own, monocle__shadow_depth ());
}

/*
 * Frames that are deeper than the one whose handler is going to run are gone, and no other is. False: it is not known
 * which that is. After an attach it may be named wrongly, by the innermost frame that is gone, where native code is
 * going to take the exception.
 */
static bool
reach_handler (monocle__unwinding *own, FunctionID function)
{
	uintptr_t frame = monocle__under_way_frame (function);
	if (!frame)
		return false;
	monocle__shadow_handled (function, frame, floor_of (own));
	if (monocle__clr_state.late && own->left == function && leaves_recursion (own))
		leave_all (own, function, own->left_count);
	own->left = 0;
	forget_entries (own, monocle__shadow_depth ());
	return true;
}

/* --- pins --------------------------------------------------------------------------------------------------------- */

/* Exceptions whose passes ran deeper are no longer under way. */
static void
unpin_deeper (monocle__pins *own, uintptr_t sp)
{
	while (own->count && own->list[own->count - 1].sp < sp)
		monocle__clr_object_release (own->list[--own->count].held);
}

/* False: it may move. */
static bool
pin (ObjectID object, uintptr_t sp)
{
	enum { FIRST_WITH_HOLE = 9 };
	monocle__pins *own = monocle__clr_state.major >= FIRST_WITH_HOLE ? monocle__thread_memory_pins () : NULL;
	if (!own)
		return false;
	unpin_deeper (own, sp + SPREAD);
	void *held = own->count < MONOCLE__PINS_MAX ? monocle__clr_object_hold (object) : NULL;
	if (!held)
		return false;
	MONOCLE__INVARIANT (!own->count || own->list[own->count - 1].sp >= sp);
	own->list[own->count].sp = sp;
	own->list[own->count++].held = held;
	return true;
}

/* The catch block has its own reference; nothing lets the collector run between this callback and there. */
static void
unpin (uintptr_t sp)
{
	if (monocle__thread_memory_exists ())
		unpin_deeper (monocle__thread_memory_pins (), sp + SPREAD);
}

void
monocle__exception_end (void)
{
	if (monocle__thread_memory_exists ())
		unpin_deeper (monocle__thread_memory_pins (), UINTPTR_MAX);
}

/* --- exception_phase ---------------------------------------------------------------------------------------------- */

static void
tell (MonocleExceptionPhase phase, FunctionID function, ObjectID object)
{
	if (monocle__clr_listened (MONOCLE_EVENT_exception_phase))
		monocle_raise_exception_phase (phase, function ? monocle__resolve_method (function) : NULL,
		                               (MonoObject *) object);
}

HRESULT
monocle__callback_ExceptionSearchFunctionEnter (ICorProfilerCallback11 *self, FunctionID function)
{
	tell (MONOCLE_EXCEPTION_SEARCH_ENTER, function, 0);
	monocle__under_way_search_enter (function);
	return S_OK;
}

HRESULT
monocle__callback_ExceptionSearchFunctionLeave (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_EXCEPTION_SEARCH_LEAVE, 0, 0);
	monocle__under_way_search_leave ();
	return S_OK;
}

HRESULT
monocle__callback_ExceptionSearchCatcherFound (ICorProfilerCallback11 *self, FunctionID function)
{
	tell (MONOCLE_EXCEPTION_CATCHER_FOUND, function, 0);
	monocle__under_way_found ();
	return S_OK;
}

HRESULT
monocle__callback_ExceptionUnwindFinallyEnter (ICorProfilerCallback11 *self, FunctionID function)
{
	tell (MONOCLE_EXCEPTION_FINALLY_ENTER, function, 0);
	monocle__unwinding *own = monocle__thread_memory_unwinding ();
	if (own)
		reach_handler (own, function);
	monocle__under_way_finally_enter (function);
	return S_OK;
}

HRESULT
monocle__callback_ExceptionUnwindFinallyLeave (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_EXCEPTION_FINALLY_LEAVE, 0, 0);
	monocle__under_way_handler_leave ();
	return S_OK;
}

HRESULT
monocle__callback_ExceptionCatcherLeave (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_EXCEPTION_CATCHER_LEAVE, 0, 0);
	monocle__under_way_handler_leave ();
	return S_OK;
}

/* --- the shadow stack follows ------------------------------------------------------------------------------------- */

static void
begin_filter (monocle__unwinding *own, FunctionID function)
{
	settle (own, function);
	if (own->filters++ < MONOCLE__FILTERS_MAX)
		own->floors[own->filters - 1] = monocle__shadow_depth ();
}

HRESULT
monocle__callback_ExceptionSearchFilterEnter (ICorProfilerCallback11 *self, FunctionID function)
{
	tell (MONOCLE_EXCEPTION_FILTER_ENTER, function, 0);
	monocle__unwinding *own = monocle__thread_memory_unwinding ();
	if (own)
		begin_filter (own, function);
	monocle__under_way_filter_enter (function);
	return S_OK;
}

static void
end_filter (monocle__unwinding *own)
{
	settle (own, 0);
	MONOCLE__INVARIANT (own->filters != 0);
	if (own->filters <= MONOCLE__FILTERS_MAX)
		monocle__shadow_cut (own->floors[own->filters - 1]); /* what the filter called and never came back from */
	own->filters--;
}

HRESULT
monocle__callback_ExceptionSearchFilterLeave (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_EXCEPTION_FILTER_LEAVE, 0, 0);
	monocle__unwinding *own = monocle__thread_memory_unwinding ();
	if (own && own->filters)
		end_filter (own);
	monocle__under_way_handler_leave ();
	return S_OK;
}

static void
enter_frame (monocle__unwinding *own, FunctionID function, uintptr_t sp)
{
	settle (own, function);
	uint32_t entry = monocle__shadow_reached (function, floor_of (own));
	/* What a pass that is over knew of this frame is now this one's to know. */
	forget_entries (own, entry == UINT32_MAX ? monocle__shadow_depth () : entry);
	forget_deeper (own, sp - SPREAD);
	if (own->count == MONOCLE__UNWINDING_MAX) {
		memmove (own->frames, own->frames + 1, sizeof own->frames - sizeof *own->frames);
		own->count--;
	}
	MONOCLE__INVARIANT (own->count < MONOCLE__UNWINDING_MAX);
	MONOCLE__INVARIANT (entry == UINT32_MAX || entry < monocle__shadow_depth ());
	own->frames[own->count].function = function;
	own->frames[own->count].entry = entry;
	own->frames[own->count++].sp = sp;
}

HRESULT
monocle__callback_ExceptionUnwindFunctionEnter (ICorProfilerCallback11 *self, FunctionID function)
{
	tell (MONOCLE_EXCEPTION_UNWIND_ENTER, function, 0);
	monocle__unwinding *own = monocle__thread_memory_unwinding ();
	if (own)
		enter_frame (own, function, HERE);
	monocle__under_way_unwind_enter (function);
	return S_OK;
}

static void
report_left (monocle__unwinding *own, FunctionID function)
{
	settle (own, function);
	own->left_count = own->left ? own->left_count + 1 : 1;
	own->left = function;
	own->left_depth = monocle__shadow_depth ();
}

HRESULT
monocle__callback_ExceptionUnwindFunctionLeave (ICorProfilerCallback11 *self)
{
	tell (MONOCLE_EXCEPTION_UNWIND_LEAVE, 0, 0);
	monocle__unwinding *own = monocle__thread_memory_unwinding ();
	if (!own)
		return S_OK;
	forget_deeper (own, HERE - SPREAD);
	if (own->count && own->frames[own->count - 1].sp < HERE + SPREAD)
		report_left (own, own->frames[--own->count].function);
	else
		settle (own, 0);
	return S_OK;
}

/* The catching frame lives on, whatever passes entered it. */
static void
stop_at (monocle__unwinding *own, FunctionID function, uintptr_t sp)
{
	if (!reach_handler (own, function))
		settle (own, function);
	forget_entries (own, monocle__shadow_caught (function, floor_of (own)));
	forget_deeper (own, sp + SPREAD);
}

HRESULT
monocle__callback_ExceptionCatcherEnter (ICorProfilerCallback11 *self, FunctionID function, ObjectID object)
{
	tell (MONOCLE_EXCEPTION_CATCHER_ENTER, function, object);
	monocle__unwinding *own = monocle__thread_memory_unwinding ();
	if (own)
		stop_at (own, function, HERE);
	monocle__under_way_catcher_enter (function, object);
	unpin (HERE);
	return S_OK;
}

/* What a module asks may let the collector run; the exception stays where it is. */
static void
raise_throw (ObjectID object, bool pinned)
{
	void *held = pinned ? NULL : monocle__clr_object_hold (object);
	uintptr_t entry = monocle__thread_memory_set_callback (HERE);
	monocle_raise_exception_throw ((MonoObject *) object);
	monocle__thread_memory_set_callback (entry);
	monocle__clr_object_release (held);
}

HRESULT
monocle__callback_ExceptionThrown (ICorProfilerCallback11 *self, ObjectID object)
{
	monocle__unwinding *own = monocle__thread_memory_unwinding ();
	monocle__sampling_thrown ();
	if (!monocle__throw_site_is_managed (HERE))
		monocle__wants_no_exceptions ();
	if (own) {
		settle (own, 0);
		forget_deeper (own, HERE + SPREAD);
	}
	bool pinned = pin (object, HERE);
	monocle__under_way_thrown (object);
	monocle__image_failure_thrown (object);
	if (monocle__clr_listened (MONOCLE_EVENT_exception_throw))
		raise_throw (object, pinned);
	monocle__shadow_thrown ();
	return S_OK;
}
