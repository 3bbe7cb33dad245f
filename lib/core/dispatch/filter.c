/*
 * SPDX-License-Identifier: MIT
 *
 * filter.c - the two questions that a host asks modules: which calls, which methods to cover.
 *
 * Every installed filter is asked every time, newest handle first, and the answers are OR-ed; a filter is also asked
 * before events are delivered, because code is compiled before that. Setters run in any context. `call_filters` counts
 * the handles that have a call filter, `coverage_filters` those with the other.
 */
#include "filter.h"

#include <stdatomic.h>
#include "feature.h"
#include "handle.h"
#include "host.h"
#include "invariant.h"
#include "pause.h"

static _Atomic (uint32_t) call_filters, coverage_filters;

static void
tell_host (void)
{
	const monocle_host_ops *host = monocle__host_ops ();
	if (host->filter_changed && !monocle__host_ended ())
		host->filter_changed (host->host);
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
	if (callback) {
		atomic_fetch_add_explicit (&call_filters, 1, memory_order_seq_cst);
		MONOCLE__PAUSE (filter_counted);
	}
	MonoProfilerCallInstrumentationFilterCallback old =
	    atomic_exchange_explicit (&self->call_filter, callback, memory_order_acq_rel);
	if (old) {
		MONOCLE__PAUSE (filter_replaced);
		uint32_t were = atomic_fetch_sub_explicit (&call_filters, 1, memory_order_seq_cst);
		MONOCLE__INVARIANT (were != 0);
	}
	if (old != callback)
		tell_host ();
}

void
mono_profiler_set_coverage_filter_callback (MonoProfilerHandle handle, MonoProfilerCoverageFilterCallback callback)
{
	monocle__handle *self = (monocle__handle *) handle;
	if (!self)
		return;
	if (callback)
		atomic_fetch_add_explicit (&coverage_filters, 1, memory_order_seq_cst);
	MonoProfilerCoverageFilterCallback old =
	    atomic_exchange_explicit (&self->coverage_filter, callback, memory_order_acq_rel);
	if (old)
		atomic_fetch_sub_explicit (&coverage_filters, 1, memory_order_seq_cst);
	if (old != callback)
		tell_host ();
}

void
monocle__filter_announce (void)
{
	if (monocle_call_filter_installed () || monocle_coverage_filter_installed ())
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
	if (monocle__host_is_quiet ())
		return flags;
	for (monocle__handle *handle = monocle__handle_first (); handle; handle = monocle__handle_next (handle)) {
		MonoProfilerCallInstrumentationFilterCallback filter =
		    atomic_load_explicit (&handle->call_filter, memory_order_acquire);
		if (filter)
			flags |= filter (handle->desc.prof, method);
	}
	return flags;
}

int
monocle_call_filter_installed (void)
{
	return atomic_load_explicit (&call_filters, memory_order_acquire) != 0;
}

int
monocle_coverage_filter_installed (void)
{
	return atomic_load_explicit (&coverage_filters, memory_order_acquire) != 0;
}

int
monocle_coverage_wanted (MonoMethod *method)
{
	int wanted = 0;
	if (!monocle__feature_granted (MONOCLE_FEATURE_COVERAGE) || monocle__host_is_quiet ())
		return 0;
	for (monocle__handle *handle = monocle__handle_first (); handle; handle = monocle__handle_next (handle)) {
		MonoProfilerCoverageFilterCallback filter =
		    atomic_load_explicit (&handle->coverage_filter, memory_order_acquire);
		if (filter && filter (handle->desc.prof, method))
			wanted = 1;
	}
	return wanted;
}

mono_bool
monocle_reinstrument (void)
{
	const monocle_host_ops *host = monocle__host_ops ();
	return host->reinstrument && monocle__host_delivering () && host->reinstrument (host->host) == MONOCLE_OK;
}
