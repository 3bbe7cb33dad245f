/*
 * SPDX-License-Identifier: MIT
 *
 * shadow.h - a thread's memory, the shadow stack in it, and pushing and popping where every nanosecond shows (probe.c).
 * What others ask of it is in clr.h.
 *
 *     managed frame                      shadow stack (per thread)
 *     +------------------+               +-----------------------------------------+
 *     | Main             |               | Main   sp of Main's frame, return address|
 *     |  + inlined: Leaf |               | Leaf   the same sp                       |
 *     +------------------+               +-----------------------------------------+
 *
 * An entry names the method, the stack pointer of the machine frame that the probe was called from, and where it
 * returns to: code of that frame's function, whatever was inlined into it. Leave probes pop. Frames that an exception
 * unwinds run no leave probe; the runtime announces each (exception.c), and everything that belongs to the frame is
 * popped then.
 *
 * A library with a thread-local word in the initial-exec model gets all of its thread-local storage from the few
 * hundred bytes that the dynamic linker keeps for late-comers; so there is one word, and the rest is behind it.
 */
#ifndef MONOCLE_CLR_SHADOW_H
#define MONOCLE_CLR_SHADOW_H

#include "clr.h"

/* 8 MiB of stack hold fewer than this many frames; what is deeper is counted, not stored. */
enum { SHADOW_ENTRIES = 1 << 18, RAISES = 1, INVOKES = 2, BITS = RAISES | INVOKES };

typedef struct {
	MonoMethod *method;     /* what events name: for generics the instance */
	MonoMethod *definition; /* what leave probes match */
	uintptr_t sp_flags;     /* stack pointer | RAISES: exception_leave is wanted | INVOKES: end_invoke is */
	uintptr_t ip;           /* return address of the enter probe */
} entry;

typedef struct {
	entry *top, *limit;
	uint64_t overflow; /* entries that were not stored, innermost first */
	monocle__unwinding unwinding;
	monocle__pins pins;
	monocle__describe_scratch scratch;
	monocle__emitted_capture *capture;
	monocle__waiting waiting;
	uintptr_t callback; /* the frame of the runtime's callback that wants stacks told well; 0: none */
	monocle__thread_stack stack;
	monocle__under_way_list dispatches;
	entry bottom; /* base[-1]: higher than every frame */
	entry base[SHADOW_ENTRIES];
} shadow;

extern __thread shadow *monocle__thread_memory_own __attribute__ ((tls_model ("initial-exec")));

/* NULL: the kernel has no memory; the thread goes without. */
shadow *monocle__thread_memory_new (void);
/* Ends what lies deeper than `sp`: frames that vanished without a word. */
void monocle__shadow_end_dead (shadow *s, uintptr_t sp);
/* The innermost entry is not that of the frame that leaves: finds it, or what is to be named in its place. */
MonoMethod *monocle__shadow_resynchronise (shadow *s, MonoMethod *definition, uintptr_t sp);

static inline shadow *
monocle__thread_memory_get (void)
{
	shadow *s = monocle__thread_memory_own;
	return __builtin_expect (s != NULL, 1) ? s : monocle__thread_memory_new ();
}

/* What lies deeper than a frame that is just entered is left over from frames that vanished without a word. */
static inline void
monocle__shadow_push (MonoMethod *method, MonoMethod *definition, uintptr_t sp_flags, uintptr_t ip)
{
	shadow *s = monocle__thread_memory_get ();
	if (__builtin_expect (!s, 0))
		return;
	if (__builtin_expect (s->top == s->limit, 0)) {
		s->overflow++;
		return;
	}
	if (__builtin_expect (s->top[-1].sp_flags < sp_flags, 0))
		monocle__shadow_end_dead (s, sp_flags & ~(uintptr_t) BITS);
	*s->top++ = (entry) { method, definition, sp_flags, ip };
}

/* A frame's stack pointer only falls while it lives (localloc): what lies deeper than ours is left over. */
static inline MonoMethod *
monocle__shadow_pop (MonoMethod *definition, uintptr_t sp)
{
	shadow *s = monocle__thread_memory_own;
	if (__builtin_expect (!s, 0))
		return definition;
	entry *e = s->top - 1;
	if (__builtin_expect (e < s->base || e->definition != definition || e->sp_flags < sp || s->overflow, 0))
		return monocle__shadow_resynchronise (s, definition, sp);
	s->top = e;
	return e->method;
}

#endif
