/*
 * SPDX-License-Identifier: MIT
 *
 * feature.c - what a module must enable in its init window, and the functions that are of use only afterwards.
 *
 * A grant is the host's and lasts for ever. Samples are sampler.c's. Nothing here collects coverage or reads a call
 * context: while no part of the core does, those functions answer what Mono documents for a feature that is off.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include "host.h"
#include "log.h"
#include "sample/sampler.h"

/* Mono's frequency before anybody chooses one. */
enum { DEFAULT_FREQUENCY = 100 };

/* clang-format off */
static const char *const feature_names[] = {
	[MONOCLE_FEATURE_SAMPLING]     = "sampling",
	[MONOCLE_FEATURE_COVERAGE]     = "coverage",
	[MONOCLE_FEATURE_ALLOCATIONS]  = "allocations",
	[MONOCLE_FEATURE_CLAUSES]      = "exception clauses",
	[MONOCLE_FEATURE_CALL_CONTEXT] = "call contexts",
};
/* clang-format on */
_Static_assert(sizeof feature_names / sizeof *feature_names == MONOCLE_FEATURE_COUNT, "every feature has a name");

static atomic_bool granted[MONOCLE_FEATURE_COUNT];  /* false, then true for ever */
static atomic_bool refused[MONOCLE_FEATURE_COUNT];  /* and said so */
static _Atomic (MonoProfilerHandle) sampling_owner; /* NULL, then the first handle that enabled sampling */

static bool
is_granted (monocle_feature feature)
{
	return atomic_load_explicit (&granted[feature], memory_order_acquire);
}

static mono_bool
enable (monocle_feature feature)
{
	const monocle_host_ops *host = monocle__host_ops ();
	if (!monocle__host_window_open ())
		return 0;
	if (is_granted (feature))
		return 1;
	if (host->enable && host->enable (host->host, feature)) {
		atomic_store_explicit (&granted[feature], true, memory_order_release);
		return 1;
	}
	if (!atomic_exchange_explicit (&refused[feature], true, memory_order_relaxed))
		monocle_log ("a module asks for %s, which the host %s does not grant", feature_names[feature],
		             monocle_host_name ());
	return 0;
}

mono_bool
mono_profiler_enable_coverage (void)
{
	return enable (MONOCLE_FEATURE_COVERAGE);
}

mono_bool
mono_profiler_enable_allocations (void)
{
	return enable (MONOCLE_FEATURE_ALLOCATIONS);
}

mono_bool
mono_profiler_enable_clauses (void)
{
	return enable (MONOCLE_FEATURE_CLAUSES);
}

mono_bool
mono_profiler_enable_call_context_introspection (void)
{
	return enable (MONOCLE_FEATURE_CALL_CONTEXT);
}

/* --- sampling ----------------------------------------------------------------------------------------------------- */

static bool
owns_sampling (MonoProfilerHandle handle)
{
	return handle && atomic_load_explicit (&sampling_owner, memory_order_acquire) == handle;
}

/* Later callers are told yes as well, but only the first one may choose the mode. */
mono_bool
mono_profiler_enable_sampling (MonoProfilerHandle handle)
{
	MonoProfilerHandle nobody = NULL;
	if (!handle || !enable (MONOCLE_FEATURE_SAMPLING))
		return 0;
	if (!monocle__sampler_begin (DEFAULT_FREQUENCY)) {
		MONOCLE__LOG_ONCE ("a module asks for sampling, but no thread can be made for it");
		return 0;
	}
	atomic_compare_exchange_strong_explicit (&sampling_owner, &nobody, handle, memory_order_acq_rel,
	                                         memory_order_acquire);
	return 1;
}

/* A frequency of 0 kills a process on Mono. It can only mean "off", so it is refused unless the mode says that too. */
mono_bool
mono_profiler_set_sample_mode (MonoProfilerHandle handle, MonoProfilerSampleMode mode, uint32_t frequency)
{
	if (!owns_sampling (handle) || (unsigned) mode > MONO_PROFILER_SAMPLE_MODE_REAL)
		return 0;
	if (frequency == 0 && mode != MONO_PROFILER_SAMPLE_MODE_NONE)
		return 0;
	monocle__sampler_set (mode, frequency);
	return 1;
}

mono_bool
mono_profiler_get_sample_mode (MonoProfilerHandle handle, MonoProfilerSampleMode *ret_mode, uint32_t *ret_frequency)
{
	monocle__sampler_get (ret_mode, ret_frequency);
	return owns_sampling (handle);
}

/* --- coverage and call contexts ----------------------------------------------------------------------------------- */

mono_bool
mono_profiler_get_coverage_data (MonoProfilerHandle handle, MonoMethod *method, MonoProfilerCoverageCallback callback)
{
	if (is_granted (MONOCLE_FEATURE_COVERAGE))
		MONOCLE__LOG_ONCE ("mono_profiler_get_coverage_data: this version of the core collects no coverage");
	return 0;
}

/* Without introspection Mono's contexts answer nothing; neither do those of a host that grants it too early. */
static void *
read_context (MonoProfilerCallContext *context)
{
	if (context && is_granted (MONOCLE_FEATURE_CALL_CONTEXT))
		MONOCLE__LOG_ONCE ("mono_profiler_call_context_get_*: this version of the core reads no call contexts");
	return NULL;
}

void *
mono_profiler_call_context_get_this (MonoProfilerCallContext *context)
{
	return read_context (context);
}

void *
mono_profiler_call_context_get_argument (MonoProfilerCallContext *context, uint32_t position)
{
	return read_context (context);
}

void *
mono_profiler_call_context_get_local (MonoProfilerCallContext *context, uint32_t position)
{
	return read_context (context);
}

void *
mono_profiler_call_context_get_result (MonoProfilerCallContext *context)
{
	return read_context (context);
}

void
mono_profiler_call_context_free_buffer (void *buffer)
{
	free (buffer);
}
