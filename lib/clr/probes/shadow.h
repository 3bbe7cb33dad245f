/*
 * SPDX-License-Identifier: MIT
 *
 * shadow.h - the shadow stack of each thread: pushing and popping where every nanosecond shows (probe.c), and what
 * exceptions do to it (exceptions/exception.c).
 *
 *     managed frame                      shadow stack (per thread)
 *     +------------------+               +-----------------------------------------+
 *     | Main             |               | Main   sp of Main's frame, return address|
 *     |  + inlined: Leaf |               | Leaf   the same sp                       |
 *     +------------------+               +-----------------------------------------+
 *
 * An entry names the method, the stack pointer of the machine frame that the probe was called from, and where it
 * returns to: code of that frame's function, whatever was inlined into it. Where a stub is between them (stub.h), it is
 * the stub's frame, which is a little deeper; the entry learns its own when an exception is thrown. Leave probes pop.
 * Frames that an exception unwinds run no leave probe; the runtime announces each (exception.c), and everything that
 * belongs to the frame is popped then. What the runtime leaves out is popped when a handler of a lower frame begins:
 * of handlers it says which frame they are of.
 */
#ifndef MONOCLE_CLR_SHADOW_H
#define MONOCLE_CLR_SHADOW_H

#include "invariant.h"
#include "thread-memory.h"

/* The low bits of an entry's stack pointer: which events its end is to raise besides. */
enum {
	MONOCLE__SHADOW_RAISES = 1,     /* method_exception_leave */
	MONOCLE__SHADOW_INVOKES = 2,    /* method_end_invoke */
	MONOCLE__SHADOW_SEGMENT = 4,    /* it is a segment (segment.c), which a suspension ends */
	MONOCLE__SHADOW_DISPATCHES = 8, /* no event: it is the frame of a dispatcher, and `ip` is what `dispatched` was */
	MONOCLE__SHADOW_BITS = 15,
};

/* Probes that are called through a stub stand a little deeper than their frame. */
enum { MONOCLE__SHADOW_STUB = 0x200 };

/* Ends what lies deeper than `sp`: frames that vanished without a word. */
void monocle__shadow_end_dead (monocle__thread_memory *own, uintptr_t sp);
/*
 * The innermost entry is not that of the frame that leaves: finds it, or what is to be named in its place. NULL, after
 * an attach: nothing is, it was not told to enter.
 */
MonoMethod *monocle__shadow_resynchronise (monocle__thread_memory *own, MonoMethod *definition, uintptr_t sp);

/* What lies deeper than a frame that is just entered is left over from frames that vanished without a word. */
static inline void
monocle__shadow_push (MonoMethod *method, MonoMethod *definition, uintptr_t sp_flags, uintptr_t ip)
{
	monocle__thread_memory *own = monocle__thread_memory_get ();
	if (__builtin_expect (!own, 0))
		return;
	MONOCLE__INVARIANT (own->base <= own->top && own->top <= own->limit);
	if (__builtin_expect (own->top == own->limit, 0)) {
		own->overflow++;
		return;
	}
	if (__builtin_expect (own->top[-1].sp_flags < sp_flags, 0))
		monocle__shadow_end_dead (own, sp_flags & ~(uintptr_t) MONOCLE__SHADOW_BITS);
	/* sp falls from entry to entry, but for a frame whose probes were called through a stub. */
	MONOCLE__INVARIANT (own->top[-1].sp_flags >= (sp_flags & ~(uintptr_t) MONOCLE__SHADOW_BITS) ||
	                    sp_flags - own->top[-1].sp_flags <= MONOCLE__SHADOW_STUB + MONOCLE__SHADOW_BITS);
	*own->top++ = (monocle__shadow_entry) { method, definition, sp_flags, ip };
}

/*
 * A frame's stack pointer only falls while it lives (localloc): what lies deeper than ours is left over. NULL as above.
 */
static inline MonoMethod *
monocle__shadow_pop (MonoMethod *definition, uintptr_t sp)
{
	monocle__thread_memory *own = monocle__thread_memory_own ();
	if (__builtin_expect (!own, 0))
		return definition;
	monocle__shadow_entry *e = own->top - 1;
	if (__builtin_expect (e < own->base || e->definition != definition || e->sp_flags < sp || own->overflow, 0))
		return monocle__shadow_resynchronise (own, definition, sp);
	MONOCLE__INVARIANT (e >= own->base && e < own->limit && e->method);
	own->top = e;
	return e->method;
}

/* An exception is thrown: entries learn which frames they are of. In a callback that may let the collector run. */
void monocle__shadow_thrown (void);
/*
 * How an exception unwinds it; whatever happens, the first `floor` entries stay. `unwound`: the innermost machine
 * frame, which is of `function`, is gone. `reached`: an exception has come down to the frame of `function`, what was
 * called from there is gone; `caught`: what was inlined there as well.
 */
void monocle__shadow_unwound (FunctionID function, uint32_t floor);
uint32_t monocle__shadow_reached (FunctionID function, uint32_t floor); /* its own entry's index, or UINT32_MAX */
uint32_t monocle__shadow_caught (FunctionID function, uint32_t floor);  /* the same */
/*
 * An exception has come to a handler of the `frame` of `function`, as the runtime names frames: what is deeper is gone,
 * also where the runtime said nothing of it, as .NET 10 does of recursive functions. Nothing else is.
 */
void monocle__shadow_handled (FunctionID function, uintptr_t frame, uint32_t floor);
/*
 * Is the innermost machine frame, of `function`, really gone when the next one that is reported is of `function` again?
 */
bool monocle__shadow_recursive (FunctionID function, uint32_t floor);
/* Does the innermost machine frame, of `function`, run a finally block of its own? */
bool monocle__shadow_in_finally (FunctionID function, uint32_t floor);
uint32_t monocle__shadow_depth (void);
/* No exception goes beyond these entries: a dispatcher catches it. */
uint32_t monocle__shadow_dispatched (void);
/* All threads': what they have on theirs is not told any more. No thread is in a probe or a callback. */
void monocle__shadow_forget (void);
/* Ends all but the first `depth` entries. */
void monocle__shadow_cut (uint32_t depth);

/*
 * Segments of methods that the runtime suspends (segment.c). Their numbers are never 0; 0 stands for one that has no
 * entry, because there was no room. `flags`: which events the method wants.
 */
uintptr_t monocle__shadow_begin_segment (MonoMethod *method, MonoMethod *definition, uintptr_t sp,
                                         MonoProfilerCallInstrumentationFlags flags);
/* Does it live still, on this thread? */
bool monocle__shadow_has_segment (uintptr_t segment);
/* It returns. The method that is left, NULL: that was told already. */
MonoMethod *monocle__shadow_end_segment (uintptr_t segment, MonoMethod *definition);
/* The method is suspended that this return address leads to. */
void monocle__shadow_suspended (uintptr_t ip);
/* A dispatcher is known by its frame pointer: some of its probes are called through stubs. */
void monocle__shadow_begin_dispatch (MonoMethod *dispatcher, uintptr_t frame);
/* What it has resumed is back: where nothing has told that this is over, it was suspended. */
void monocle__shadow_returned (uintptr_t frame);
void monocle__shadow_end_dispatch (MonoMethod *dispatcher, uintptr_t frame);
/* Is there managed code at a return address? */
bool monocle__shadow_is_managed (uintptr_t ip);

#endif
