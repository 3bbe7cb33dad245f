/*
 * SPDX-License-Identifier: MIT
 *
 * raise.h - method_enter and method_leave, which have one shape: the loop of the core, inlined where every nanosecond
 * shows.
 */
#ifndef MONOCLE_CLR_RAISE_H
#define MONOCLE_CLR_RAISE_H

#include <stdint.h>
#include <monocle/host.h>
#include "state.h"

/* What IL calls. */
#define MONOCLE__PROBE     __attribute__ ((noinline, no_stack_protector))
#define MONOCLE__CALLER_SP ((uintptr_t) __builtin_dwarf_cfa ())
#define MONOCLE__CALLER_IP ((uintptr_t) __builtin_return_address (0))

/* Several modules: rare enough to be a function of its own, so that the usual case needs no stack frame. */
void monocle__raise_many (struct _MonoProfilerDesc *first, monocle_event event, MonoMethod *method,
                          MonoProfilerCallContext *context);

static inline void *
monocle__raise_callback (struct _MonoProfilerDesc *handle, monocle_event event)
{
	return __atomic_load_n (&handle->callbacks[event], __ATOMIC_ACQUIRE);
}

/* With one handle the module's function is jumped to, not called, where the caller has nothing left to do. */
static inline void
monocle__raise (monocle_event event, MonoMethod *method, MonoProfilerCallContext *context)
{
	struct _MonoProfilerDesc *h = __atomic_load_n (monocle__clr_state.handles, __ATOMIC_ACQUIRE);
	if (__builtin_expect (!h, 0))
		return;
	if (__builtin_expect (h->next != NULL, 0)) {
		monocle__raise_many (h, event, method, context);
		return;
	}
	MonoProfilerMethodEnterCallback cb = (MonoProfilerMethodEnterCallback) monocle__raise_callback (h, event);
	if (__builtin_expect (cb != NULL, 1))
		cb (h->prof, method, context);
}

#endif
