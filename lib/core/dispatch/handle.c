/*
 * SPDX-License-Identifier: MIT
 *
 * handle.c - the handles that modules create, in a list that only grows at its head.
 *
 * `newest` is the list. `monocle__handles_shown` is what raising threads see of it: the same head while events are
 * delivered, NULL before and after. Threads push and read without locks; mono_profiler_create () itself allocates and
 * is for normal context.
 */
#include "handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "host.h"
#include "invariant.h"
#include "pause.h"

static _Atomic (monocle__handle *) newest;
struct _MonoProfilerDesc *monocle__handles_shown;

/* What the handles of a thread have that starts a module. There are few such threads, and mostly none. */
typedef struct wrapping {
	struct wrapping *next;
	pthread_t thread;
	monocle__handle_wrap wrap;
} wrapping;
static wrapping *wrappings;
static pthread_mutex_t wrappings_lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(offsetof (monocle__handle, desc) == 0, "a handle is its first member for everybody else");

monocle__handle *
monocle__handle_first (void)
{
	return atomic_load_explicit (&newest, memory_order_acquire);
}

monocle__handle *
monocle__handle_next (monocle__handle *handle)
{
	return (monocle__handle *) handle->desc.next;
}

int
monocle_host_has_handles (void)
{
	return monocle__handle_first () != NULL;
}

/*
 * Makes `monocle__handles_shown` what it should be, against others who do the same with an older or newer view. The old
 * value is read before the wanted one, so while events are delivered an exchange that succeeds never takes the head
 * back; and no thread leaves before what it wants is there.
 */
void
monocle__handle_publish (void)
{
	for (;;) {
		struct _MonoProfilerDesc *is = __atomic_load_n (&monocle__handles_shown, __ATOMIC_SEQ_CST);
		MONOCLE__PAUSE (handle_shown_read);
		monocle__handle *first = atomic_load_explicit (&newest, memory_order_seq_cst);
		struct _MonoProfilerDesc *should = monocle__host_delivering () && first ? &first->desc : NULL;

		MONOCLE__PAUSE (handle_shown_next);
		MONOCLE__INVARIANT (!is || first);
		if (is == should)
			return;
		__atomic_compare_exchange_n (&monocle__handles_shown, &is, should, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
}

struct _MonoProfilerDesc *const *
monocle_event_handles (void)
{
	return &monocle__handles_shown;
}

/* Where the calling thread's is linked, or would be. Under the lock. */
static wrapping **
own_wrapping (void)
{
	wrapping **at = &wrappings;
	while (*at && !pthread_equal ((*at)->thread, pthread_self ()))
		at = &(*at)->next;
	return at;
}

static monocle__handle_wrap
next_wrap (void)
{
	pthread_mutex_lock (&wrappings_lock);
	const wrapping *own = *own_wrapping ();
	monocle__handle_wrap wrap = own ? own->wrap : NULL;
	pthread_mutex_unlock (&wrappings_lock);
	return wrap;
}

void
monocle__handle_wrap_next (monocle__handle_wrap wrap)
{
	wrapping *fresh = wrap ? malloc (sizeof *fresh) : NULL;
	if (wrap && !fresh)
		monocle_log ("out of memory: a module that knows one body of each method is told of all");
	pthread_mutex_lock (&wrappings_lock);
	wrapping **at = own_wrapping (), *before = *at;
	if (before)
		*at = before->next;
	if (fresh) {
		*fresh = (wrapping) { wrappings, pthread_self (), wrap };
		wrappings = fresh;
	}
	pthread_mutex_unlock (&wrappings_lock);
	free (before);
}

MonoProfilerHandle
mono_profiler_create (MonoProfiler *prof)
{
	monocle__handle *handle = calloc (1, sizeof *handle);
	if (!handle) {
		monocle_log ("out of memory: a profiler handle was not created");
		return NULL;
	}
	handle->desc.prof = prof;
	handle->wrap = next_wrap ();
	monocle__handle *first = monocle__handle_first ();
	do
		handle->desc.next = first ? &first->desc : NULL;
	while (
	    !atomic_compare_exchange_strong_explicit (&newest, &first, handle, memory_order_seq_cst, memory_order_seq_cst));
	MONOCLE__PAUSE (handle_listed);
	MONOCLE__INVARIANT (handle->desc.next != &handle->desc && monocle__handle_first ());
	monocle__handle_publish ();
	return &handle->desc;
}

void
monocle__handles_forget (bool are_unused)
{
	monocle__handle *handle = atomic_exchange_explicit (&newest, NULL, memory_order_acq_rel);
	while (handle && are_unused) {
		monocle__handle *next = monocle__handle_next (handle);
		free (handle);
		handle = next;
	}
}

void
mono_profiler_set_cleanup_callback (MonoProfilerHandle handle, MonoProfilerCleanupCallback callback)
{
	if (handle)
		atomic_store_explicit (&((monocle__handle *) handle)->cleanup, callback, memory_order_release);
}

void
monocle__handle_cleanup (monocle__handle *handle)
{
	MonoProfilerCleanupCallback cleanup = atomic_exchange_explicit (&handle->cleanup, NULL, memory_order_acq_rel);
	if (cleanup)
		cleanup (handle->desc.prof);
}
