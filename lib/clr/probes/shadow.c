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
#include "exceptions/under-way.h"
#include "images/image.h"
#include "images/resolve.h"
#include "invariant.h"
#include "probing.h"
#include "state.h"
#include "thread-memory.h"

typedef monocle__thread_memory shadow;
typedef monocle__shadow_entry entry;

static FunctionID
function_at (uintptr_t ip)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = 0;
	int saved_errno = errno;
	HRESULT hr = info->vtbl->GetFunctionFromIP (info, (const uint8_t *) ip - 1, &function);
	errno = saved_errno;
	return hr >= 0 ? function : 0;
}

static uintptr_t
sp_of (const entry *e)
{
	return e->sp_flags & ~(uintptr_t) MONOCLE__SHADOW_BITS;
}

static void
pop_raising (shadow *s)
{
	MONOCLE__INVARIANT (s->top > s->base && s->top <= s->limit);
	entry *e = --s->top;
	if (e->sp_flags & MONOCLE__SHADOW_RAISES && monocle__clr_listened (MONOCLE_EVENT_method_exception_leave))
		monocle_raise_method_exception_leave (e->method, monocle__under_way_left ());
	if (e->sp_flags & MONOCLE__SHADOW_INVOKES && monocle__clr_listened (MONOCLE_EVENT_method_end_invoke))
		monocle_raise_method_end_invoke (e->method);
}

/* Is this the frame that leaves? Its stack pointer is unknown where the probe was called through a stub. */
static bool
is_own_frame (const entry *e, MonoMethod *definition, uintptr_t sp)
{
	return e->definition == definition && (sp_of (e) >= sp || !function_at (e->ip));
}

__attribute__ ((cold)) void
monocle__shadow_end_dead (shadow *s, uintptr_t sp)
{
	while (s->top > s->base) {
		entry *e = s->top - 1;
		if (sp_of (e) >= sp || (sp_of (e) + MONOCLE__SHADOW_STUB >= sp && !function_at (e->ip)))
			return;
		pop_raising (s);
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
		pop_raising (s);
	return found ? (--s->top)->method : definition;
}

static MonoMethod *
definition_of (FunctionID function)
{
	MonoMethod *method = monocle__resolve_method (function);
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
	FunctionID found = function_at (e->ip);
	return found && (found == function || definition_of (found) == own);
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
		if (!ours && (!probed || function_at (e->ip)))
			return NULL;
		if (!probed && (e == s->base || sp_of (e - 1) != sp_of (e)))
			return e;
	}
	return NULL;
}

uint32_t
monocle__shadow_depth (void)
{
	return monocle__thread_memory_own ? (uint32_t) (monocle__thread_memory_own->top - monocle__thread_memory_own->base)
	                                  : 0;
}

void
monocle__shadow_cut (uint32_t depth)
{
	while (monocle__shadow_depth () > depth)
		pop_raising (monocle__thread_memory_own);
}

/*
 * Has this frame, which is not the outermost, called into the middle of its own function? That is how compiled code
 * runs its finally blocks. The call left its return address just below the frame's stack pointer. Code without
 * optimisation calls probes through a stub: then the frame is a little above what the entry says, but not above the
 * next entry.
 */
static bool
runs_own_finally (const entry *e, FunctionID function, MonoMethod *own)
{
	uintptr_t first = sp_of (e), last = is_code_of (e, function, own) ? first : first + MONOCLE__SHADOW_STUB;
	for (uintptr_t sp = first; sp <= last && sp <= sp_of (e - 1); sp += sizeof sp) {
		uintptr_t back = monocle__arch_return_address (sp);
		FunctionID found = function_at (back);
		if (!found || (found != function && definition_of (found) != own))
			continue;
		uintptr_t target = monocle__arch_call_target (back);
		if (target && function_at (target) == found)
			return true;
	}
	return false;
}

bool
monocle__shadow_recursive (FunctionID function, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own;
	MonoMethod *own = definition_of (function);
	entry *e = own ? frame_of (s, function, own, floor) : NULL;
	if (!e || e == s->base || (e[-1].definition != own && !is_code_of (e - 1, function, own)))
		return false;
	return !runs_own_finally (e, function, own);
}

void
monocle__shadow_unwound (FunctionID function, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own;
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
	shadow *s = monocle__thread_memory_own;
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
	shadow *s = monocle__thread_memory_own;
	MonoMethod *own = monocle__shadow_depth () > floor ? definition_of (function) : NULL;
	entry *e = own ? own_entry (s, own, floor) : NULL;
	if (own && !e)
		monocle__shadow_unwound (function, floor);
	if (!e)
		return UINT32_MAX;
	monocle__shadow_cut ((uint32_t) (e - s->base) + 1);
	return (uint32_t) (e - s->base);
}

/* A frame's own pointer is never below the stack pointer that its probes were called with. */
void
monocle__shadow_handled (FunctionID function, uintptr_t frame, uint32_t floor)
{
	shadow *s = monocle__thread_memory_own;
	entry *e = s->base + floor;
	while (e < s->top && sp_of (e) > frame)
		e++;
	if (e >= s->top || e->definition != definition_of (function))
		return;
	uintptr_t sp = sp_of (e);
	while (e < s->top && sp_of (e) == sp)
		e++;
	monocle__shadow_cut ((uint32_t) (e - s->base));
}
