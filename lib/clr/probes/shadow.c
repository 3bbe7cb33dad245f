/*
 * SPDX-License-Identifier: MIT
 *
 * shadow.c - what exceptions do to the shadow stack of the thread that they are thrown on (shadow.h).
 */
#include "shadow.h"
#include <errno.h>
#include <stdatomic.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "context.h"
#include "exceptions/under-way.h"
#include "images/image.h"
#include "images/resolve.h"
#include "invariant.h"
#include "probing.h"
#include "raise.h"
#include "state.h"
#include "stub.h"
#include "thread-memory.h"

typedef monocle__thread_memory shadow;
typedef monocle__shadow_entry entry;

/*
 * Of an entry that was there when an exception was thrown (stub.h), the upper bits of `ip` hold how far above its stack
 * pointer that of its frame is, in words. A segment or a dispatcher has another word in place of an address.
 */
enum { ADDRESS_BITS = 48, SIZE_MAX_WORDS = (1 << 15) - 1 };
#define SETTLED      ((uintptr_t) 1 << 63)
#define ADDRESS_MASK (((uintptr_t) 1 << ADDRESS_BITS) - 1)

static bool
has_address (const entry *e)
{
	return !(e->sp_flags & (MONOCLE__SHADOW_SEGMENT | MONOCLE__SHADOW_DISPATCHES));
}

static bool
is_settled (const entry *e)
{
	return e->ip & SETTLED && has_address (e);
}

/* The function whose code the probe of an entry was called from; 0: it was called through a stub. */
static FunctionID
function_of (const entry *e)
{
	return has_address (e) ? monocle__stub_caller (e->ip & ADDRESS_MASK) : 0;
}

static uintptr_t
sp_of (const entry *e)
{
	return e->sp_flags & ~(uintptr_t) MONOCLE__SHADOW_BITS;
}

/* The stack pointer of its frame; of an entry that is not settled that of its probe, which may be deeper. */
static uintptr_t
frame_sp (const entry *e)
{
	uintptr_t words = is_settled (e) ? (e->ip & ~SETTLED) >> ADDRESS_BITS : 0;
	return sp_of (e) + words * sizeof words;
}

/* What a suspension raises; in the number of a segment, whose other bits count. */
enum { SEGMENT_LEAVES = 1, SEGMENT_HAS_CONTEXT = 2, SEGMENT_BITS = 2 };

static void
pop_raising (shadow *s)
{
	MONOCLE__INVARIANT (s->top > s->base && s->top <= s->limit);
	entry *e = --s->top;
	if (e->sp_flags & MONOCLE__SHADOW_DISPATCHES)
		s->dispatched = (uint32_t) e->ip;
	if (e->sp_flags & MONOCLE__SHADOW_RAISES && monocle__clr_listened (MONOCLE_EVENT_method_exception_leave))
		monocle_raise_method_exception_leave (e->method, monocle__under_way_left ());
	if (e->sp_flags & MONOCLE__SHADOW_INVOKES && monocle__clr_listened (MONOCLE_EVENT_method_end_invoke))
		monocle_raise_method_end_invoke (e->method);
}

static void
pop_suspended (shadow *s)
{
	entry *e = --s->top;
	if (e->ip & SEGMENT_LEAVES)
		monocle__raise (MONOCLE_EVENT_method_leave, e->method,
		                e->ip & SEGMENT_HAS_CONTEXT ? monocle__context_empty () : NULL);
}

/* Its frame is gone, and no exception unwound it. A segment ends so where its suspension was not seen. */
static void
pop_vanished (shadow *s)
{
	if (s->top[-1].sp_flags & MONOCLE__SHADOW_SEGMENT)
		pop_suspended (s);
	else
		pop_raising (s);
}

/* Is this the frame that leaves? Its stack pointer is unknown where the probe was called through a stub. */
static bool
is_own_frame (const entry *e, MonoMethod *definition, uintptr_t sp)
{
	return e->definition == definition && (sp_of (e) >= sp || !function_of (e));
}

__attribute__ ((cold)) void
monocle__shadow_end_dead (shadow *s, uintptr_t sp)
{
	while (s->top > s->base) {
		entry *e = s->top - 1;
		if (sp_of (e) >= sp || (sp_of (e) + MONOCLE__SHADOW_STUB >= sp && !function_of (e)))
			return;
		pop_vanished (s);
	}
}

/*
 * The innermost entry is not that of the frame which leaves: frames vanished without a word, as they do when native
 * code swallows an exception. Their methods are left now. Or our own entry was lost: then all that is not deeper stays.
 */
__attribute__ ((cold)) MonoMethod *
monocle__shadow_resynchronise (shadow *s, MonoMethod *definition, uintptr_t sp)
{
	if (s->overflow) {
		s->overflow--;
		return definition;
	}
	entry *e = s->top;
	while (e > s->base && !is_own_frame (e - 1, definition, sp) && sp_of (e - 1) <= sp)
		e--;
	bool found = e > s->base && is_own_frame (e - 1, definition, sp);
	MONOCLE__INVARIANT (e >= s->base && e <= s->top);
	while (s->top > e && (found || sp_of (s->top - 1) < sp))
		pop_vanished (s);
	if (found)
		return (--s->top)->method;
	return monocle__clr_state.late ? NULL : definition;
}

static MonoMethod *
definition_of (FunctionID function)
{
	MonoMethod *method = function ? monocle__resolve_method (function) : NULL;
	return method ? monocle_method_definition (method) : NULL;
}

static bool
is_probed (MonoMethod *definition)
{
	monocle__clr_image *image = definition ? monocle__clr_image_of (monocle_method_image (definition)) : NULL;
	uint32_t row = definition ? monocle_method_token (definition) & 0xFFFFFF : 0;
	return image && row && row <= image->method_rows &&
	       monocle__probing_is_probed (atomic_load (&image->methods[row - 1]));
}

/* Was the probe of this entry called from code of this very method, as its own frame or inlined into it? */
static bool
is_code_of (const entry *e, FunctionID function, MonoMethod *own)
{
	FunctionID found = function_of (e);
	return found && (found == function || definition_of (found) == own);
}

/* Has it a machine frame of its own, to its knowledge? What was inlined into one has its stack pointer. */
static bool
is_alone (const shadow *s, const entry *e)
{
	return is_settled (e) && (e == s->base || frame_sp (e - 1) != frame_sp (e));
}

/*
 * Where the frame of `function` begins, the innermost machine frame of the shadow stack; NULL: it has no entry. A
 * probed function has one of its own, and what is above that was inlined into it. A function without probes is
 * known by what was inlined into it. Probes in blocks that the compiler takes for rare are called through a stub: their
 * code is unknown.
 */
static entry *
frame_of (shadow *s, FunctionID function, MonoMethod *own, uint32_t floor)
{
	bool probed = is_probed (own);
	for (entry *e = s->top; e-- > s->base + floor;) {
		if (e->definition == own)
			return e;
		bool ours = is_code_of (e, function, own);
		if (!ours && (!probed || is_alone (s, e) || function_of (e)))
			return NULL;
		if (!probed && (e == s->base || frame_sp (e - 1) != frame_sp (e)))
			return e;
	}
	return NULL;
}

uint32_t
monocle__shadow_depth (void)
{
	const shadow *s = monocle__thread_memory_own ();
	return s ? (uint32_t) (s->top - s->base) : 0;
}

void
monocle__shadow_cut (uint32_t depth)
{
	while (monocle__shadow_depth () > depth)
		pop_raising (monocle__thread_memory_own ());
}

static void
forget (monocle__thread_memory *memory)
{
	memory->top = memory->base;
	memory->overflow = 0;
	memory->dispatched = 0;
	memory->unwinding.count = memory->unwinding.filters = 0;
	memory->unwinding.left = 0;
}

void
monocle__shadow_forget (void)
{
	monocle__thread_memory_each (forget);
}

/*
 * Has this frame, which is not the outermost, called into the middle of its own function? That is how compiled code
 * runs its finally blocks. The call left its return address just below the frame's stack pointer. Of an entry that is
 * not settled the frame may be a little above what the entry says, but not above the next entry.
 */
static bool
runs_own_finally (const entry *e, FunctionID function, MonoMethod *own)
{
	bool exact = is_settled (e) || is_code_of (e, function, own);
	uintptr_t first = frame_sp (e), last = exact ? first : first + MONOCLE__SHADOW_STUB;
	for (uintptr_t sp = first; sp <= last && sp <= frame_sp (e - 1); sp += sizeof sp) {
		uintptr_t back = monocle__arch_return_address (sp);
		FunctionID found = monocle__stub_caller (back);
		if (!found || (found != function && definition_of (found) != own))
			continue;
		uintptr_t target = monocle__arch_call_target (back);
		if (target && monocle__stub_caller (target) == found)
			return true;
	}
	return false;
}

bool
monocle__shadow_recursive (FunctionID function, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own ();
	MonoMethod *own = definition_of (function);
	entry *e = own ? frame_of (s, function, own, floor) : NULL;
	if (!e || e == s->base || (e[-1].definition != own && !is_code_of (e - 1, function, own)))
		return false;
	return !runs_own_finally (e, function, own);
}

bool
monocle__shadow_in_finally (FunctionID function, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own ();
	MonoMethod *own = monocle__shadow_depth () > floor ? definition_of (function) : NULL;
	entry *e = own ? frame_of (s, function, own, floor) : NULL;
	return e && e > s->base && runs_own_finally (e, function, own);
}

void
monocle__shadow_unwound (FunctionID function, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own ();
	MonoMethod *own = monocle__shadow_depth () > floor ? definition_of (function) : NULL;
	entry *e = own ? frame_of (s, function, own, floor) : NULL;
	if (e)
		monocle__shadow_cut ((uint32_t) (e - s->base));
}

/*
 * A probed function that lives has an entry, so what is above the innermost one is over, also what the runtime said
 * nothing of: the last managed frame above native code, and on .NET 10 all but one frame of a recursion that a handler
 * left.
 */
static entry *
own_entry (shadow *s, MonoMethod *own, uint32_t floor)
{
	for (entry *e = s->top; is_probed (own) && e-- > s->base + floor;)
		if (e->definition == own)
			return e;
	return NULL;
}

uint32_t
monocle__shadow_reached (FunctionID function, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own ();
	MonoMethod *own = monocle__shadow_depth () > floor ? definition_of (function) : NULL;
	entry *frame = own ? own_entry (s, own, floor) : NULL;
	if (!frame)
		return UINT32_MAX;
	entry *e = frame + 1;
	while (e < s->top && is_code_of (e, function, own))
		e++;
	MONOCLE__INVARIANT (e > frame && e <= s->top);
	monocle__shadow_cut ((uint32_t) (e - s->base));
	return (uint32_t) (frame - s->base);
}

uint32_t
monocle__shadow_caught (FunctionID function, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own ();
	MonoMethod *own = monocle__shadow_depth () > floor ? definition_of (function) : NULL;
	entry *e = own ? own_entry (s, own, floor) : NULL;
	if (own && !e)
		monocle__shadow_unwound (function, floor);
	if (!e)
		return UINT32_MAX;
	monocle__shadow_cut ((uint32_t) (e - s->base) + 1);
	return (uint32_t) (e - s->base);
}

/* An entry that is not settled may be of a frame that is a little above it, if it is of the same method. */
static bool
is_deeper (const entry *e, uintptr_t frame, MonoMethod *own)
{
	if (frame_sp (e) >= frame)
		return false;
	return is_settled (e) || e->definition != own || sp_of (e) + MONOCLE__SHADOW_STUB < frame || function_of (e);
}

/*
 * A frame is named by its stack pointer, which is above those of all that it calls. A frame that has grown (localloc),
 * or that another body took over, and from .NET 9 on a handler inside of another one may be named by one that is deeper
 * than the frame's was when it began.
 */
void
monocle__shadow_handled (FunctionID function, uintptr_t frame, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own ();
	MonoMethod *own = definition_of (function);
	entry *e = s->top;
	while (e > s->base + floor && is_deeper (e - 1, frame, own))
		e--;
	monocle__shadow_cut ((uint32_t) (e - s->base));
}

static void
settle (entry *e)
{
	uint32_t size;
	if (!has_address (e) || !monocle__stub_size (e->ip, &size) || size / sizeof (uintptr_t) > SIZE_MAX_WORDS)
		return;
	MONOCLE__INVARIANT (!(e->ip & ~ADDRESS_MASK) && size % sizeof (uintptr_t) == 0);
	e->ip |= SETTLED | (uintptr_t) size / sizeof (uintptr_t) << ADDRESS_BITS;
}

/* Below an entry that is settled all are, as far as they can be. */
void
monocle__shadow_thrown (void)
{
	shadow *s = monocle__thread_memory_own ();
	for (entry *e = s ? s->top : NULL; s && e-- > s->base && !is_settled (e);)
		settle (e);
}

/* --- segments ----------------------------------------------------------------------------------------------------- */

uint32_t
monocle__shadow_dispatched (void)
{
	const shadow *s = monocle__thread_memory_own ();
	return s ? s->dispatched : 0;
}

/*
 * What was found at return addresses, by hash: what comes later takes the place. `check` is the address, the method and
 * the epoch of images together, so that words of two threads never make a pair.
 */
static struct {
	_Atomic (uintptr_t) method, check;
} known[1 << 8];

/* The definition of the method whose code a return address is in; NULL: no managed code is there. */
static MonoMethod *
definition_at (uintptr_t ip)
{
	size_t at = ip * 0x9E3779B97F4A7C15u >> 56;
	uintptr_t key = ip ^ (uintptr_t) atomic_load (&monocle__clr_state.instance_epoch) << 48;
	uintptr_t method = atomic_load_explicit (&known[at].method, memory_order_relaxed);
	if ((atomic_load_explicit (&known[at].check, memory_order_relaxed) ^ method) == key)
		return (MonoMethod *) method;
	int saved_errno = errno;
	FunctionID function = monocle__stub_caller (ip);
	method = function ? (uintptr_t) definition_of (function) : 0;
	errno = saved_errno;
	atomic_store_explicit (&known[at].method, method, memory_order_relaxed);
	atomic_store_explicit (&known[at].check, method ^ key, memory_order_relaxed);
	return (MonoMethod *) method;
}

bool
monocle__shadow_is_managed (uintptr_t ip)
{
	return definition_at (ip) != NULL;
}

/* Threads take numbers by the thousand. */
static uintptr_t
next_number (shadow *s)
{
	enum { TAKEN = 1 << 12 };
	static _Atomic (uint64_t) taken = TAKEN;
	if (s->segment == s->segments_end) {
		s->segment = atomic_fetch_add_explicit (&taken, TAKEN, memory_order_relaxed);
		s->segments_end = s->segment + TAKEN;
	}
	return s->segment++;
}

uintptr_t
monocle__shadow_begin_segment (MonoMethod *method, MonoMethod *definition, uintptr_t sp,
                               MonoProfilerCallInstrumentationFlags flags)
{
	shadow *s = monocle__thread_memory_get ();
	if (!s || s->top == s->limit)
		return 0;
	uintptr_t number = next_number (s) << SEGMENT_BITS;
	number |= flags & MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE ? SEGMENT_LEAVES : 0;
	number |= flags & MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT ? SEGMENT_HAS_CONTEXT : 0;
	uintptr_t raises = flags & MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE ? MONOCLE__SHADOW_RAISES : 0;
	monocle__shadow_push (method, definition, sp | raises | MONOCLE__SHADOW_SEGMENT, number);
	return number;
}

static entry *
segment_of (shadow *s, uintptr_t number)
{
	for (entry *e = s ? s->top : NULL; s && e-- > s->base + s->dispatched;)
		if (e->ip == number && e->sp_flags & MONOCLE__SHADOW_SEGMENT)
			return e;
	return NULL;
}

bool
monocle__shadow_has_segment (uintptr_t segment)
{
	return !segment || segment_of (monocle__thread_memory_own (), segment);
}

MonoMethod *
monocle__shadow_end_segment (uintptr_t segment, MonoMethod *definition)
{
	shadow *s = monocle__thread_memory_own ();
	entry *e = segment_of (s, segment);
	if (!e)
		return segment ? NULL : definition;
	while (s->top > e + 1)
		pop_vanished (s);
	s->top = e;
	return e->method;
}

/* The innermost segment of this method; NULL: it has none. */
static entry *
segment_in (shadow *s, MonoMethod *definition)
{
	for (entry *e = s->top; definition && e-- > s->base + s->dispatched;)
		if (e->definition == definition && e->sp_flags & MONOCLE__SHADOW_SEGMENT)
			return e;
	return NULL;
}

void
monocle__shadow_suspended (uintptr_t ip)
{
	shadow *s = monocle__thread_memory_own ();
	if (!s || s->top == s->base + s->dispatched)
		return;
	entry *e = segment_in (s, definition_at (ip));
	while (e && s->top > e + 1)
		pop_vanished (s);
	if (e)
		pop_suspended (s);
}

void
monocle__shadow_begin_dispatch (MonoMethod *dispatcher, uintptr_t frame)
{
	shadow *s = monocle__thread_memory_get ();
	if (!s || s->top == s->limit)
		return;
	monocle__shadow_push (dispatcher, NULL, frame | MONOCLE__SHADOW_DISPATCHES,
	                      0);      /* what its own probes push is above */
	s->top[-1].ip = s->dispatched; /* which the push may have changed */
	s->dispatched = monocle__shadow_depth ();
}

/* Is the innermost dispatcher that has an entry the one with this frame, or deeper? */
static bool
is_dispatcher_at (const shadow *s, uintptr_t frame)
{
	return s->dispatched && sp_of (s->base + s->dispatched - 1) <= frame;
}

void
monocle__shadow_returned (uintptr_t frame)
{
	shadow *s = monocle__thread_memory_own ();
	bool is_own = s && is_dispatcher_at (s, frame);
	while (is_own && s->top > s->base + s->dispatched)
		pop_vanished (s);
}

void
monocle__shadow_end_dispatch (MonoMethod *dispatcher, uintptr_t frame)
{
	shadow *s = monocle__thread_memory_own ();
	while (s && is_dispatcher_at (s, frame))
		monocle__shadow_cut (s->dispatched - 1);
}
