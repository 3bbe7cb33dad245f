/*
 * SPDX-License-Identifier: MIT
 *
 * filter.c - the two questions that a host asks modules: which calls, which methods to cover.
 *
 * Every installed filter is asked every time, newest handle first, and the answers are OR-ed; a filter is also asked
 * before events are delivered, because code is compiled before that. Setters run in any context. `call_filters` counts
 * the handles that have a call filter.
 */
#include "filter.h"

#include "handle.h"
#include "host.h"

static uint32_t call_filters;

static void
tell_host (void)
{
	const monocle_host_ops *host = monocle__host_ops ();
	if (host->call_filter_changed && !monocle__host_ended ())
		host->call_filter_changed (host->host);
}

/*
 * A filter that replaces another one answers differently, so the host is told although their number stays. As with
 * callbacks, a filter is counted before it is there and until it is gone.
 */
void
mono_profiler_set_call_instrumentation_filter_callback (MonoProfilerHandle handle,
                                                        MonoProfilerCallInstrumentationFilterCallback callback)
{
	monocle__handle *self = (monocle__handle *) handle;
	if (!self)
		return;
	if (callback)
		__atomic_fetch_add (&call_filters, 1, __ATOMIC_SEQ_CST);
	MonoProfilerCallInstrumentationFilterCallback old =
	    __atomic_exchange_n (&self->call_filter, callback, __ATOMIC_ACQ_REL);
	if (old)
		__atomic_fetch_sub (&call_filters, 1, __ATOMIC_SEQ_CST);
	if (old != callback)
		tell_host ();
}

void
mono_profiler_set_coverage_filter_callback (MonoProfilerHandle handle, MonoProfilerCoverageFilterCallback callback)
{
	if (handle)
		__atomic_store_n (&((monocle__handle *) handle)->coverage_filter, callback, __ATOMIC_RELEASE);
}

void
monocle__filter_announce (void)
{
	if (monocle_call_filter_installed ())
		tell_host ();
}

void
monocle__filter_clear (monocle__handle *handle)
{
	mono_profiler_set_call_instrumentation_filter_callback (&handle->desc, NULL);
	mono_profiler_set_coverage_filter_callback (&handle->desc, NULL);
}

MonoProfilerCallInstrumentationFlags
monocle_call_flags (MonoMethod *method)
{
	MonoProfilerCallInstrumentationFlags flags = MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	for (monocle__handle *handle = monocle__handle_first (); handle; handle = monocle__handle_next (handle)) {
		MonoProfilerCallInstrumentationFilterCallback filter = __atomic_load_n (&handle->call_filter, __ATOMIC_ACQUIRE);
		if (filter)
			flags |= filter (handle->desc.prof, method);
	}
	return flags;
}

int
monocle_call_filter_installed (void)
{
	return __atomic_load_n (&call_filters, __ATOMIC_ACQUIRE) != 0;
}

int
monocle_coverage_wanted (MonoMethod *method)
{
	int wanted = 0;
	for (monocle__handle *handle = monocle__handle_first (); handle; handle = monocle__handle_next (handle)) {
		MonoProfilerCoverageFilterCallback filter = __atomic_load_n (&handle->coverage_filter, __ATOMIC_ACQUIRE);
		if (filter && filter (handle->desc.prof, method))
			wanted = 1;
	}
	return wanted;
}
