/*
 * SPDX-License-Identifier: MIT
 *
 * feature.c - what a module must enable in its init window, and the functions that are of use only afterwards.
 *
 * A grant is the host's and lasts for ever. Before there is a host a module is told yes, as by a Mono that has not been
 * started: the host is asked when it comes, and a line says what it does not grant. Samples are sampler.c's, values of
 * calls call-value.c's, counters those of model/coverage.c.
 */
#include "feature.h"

#include <stdatomic.h>
#include "call-value.h"
#include "host.h"
#include "log-level.h"
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

static atomic_bool promised[MONOCLE_FEATURE_COUNT]; /* and the host was not asked yet */
static atomic_bool granted[MONOCLE_FEATURE_COUNT];  /* false, then true for ever */
static atomic_bool refused[MONOCLE_FEATURE_COUNT];  /* and said so */
static _Atomic (MonoProfilerHandle) sampling_owner; /* NULL, then the first handle that enabled sampling */

void
monocle__feature_forget (void)
{
	for (int feature = 0; feature < MONOCLE_FEATURE_COUNT; feature++) {
		atomic_store (&promised[feature], false);
		atomic_store (&granted[feature], false);
		atomic_store (&refused[feature], false);
	}
	atomic_store (&sampling_owner, NULL);
}

bool
monocle__feature_granted (monocle_feature feature)
{
	return atomic_load_explicit (&granted[feature], memory_order_acquire);
}

/* Makes the sampler's thread, which takes what mode was set meanwhile. */
static bool
begin_sampling (void)
{
	if (monocle__sampler_begin (DEFAULT_FREQUENCY))
		return true;
	MONOCLE__LOG_ONCE ("a module asks for sampling, but no thread can be made for it");
	return false;
}

/* Where it is refused nobody owns the mode any more, and it is none. */
static void
settle_sampling (bool is_granted_now)
{
	if (is_granted_now && begin_sampling ())
		return;
	atomic_store_explicit (&sampling_owner, NULL, memory_order_release);
	monocle__sampler_prepare (DEFAULT_FREQUENCY);
	monocle__sampler_set (MONO_PROFILER_SAMPLE_MODE_NONE, DEFAULT_FREQUENCY);
}

/* `complaint` says it when the host refuses and has not said it: of which feature, and which host. */
__attribute__ ((format (printf, 2, 0))) static bool
ask (monocle_feature feature, const char *complaint)
{
	const monocle_host_ops *host = monocle__host_ops ();
	int answer = host->enable ? host->enable (host->host, feature) : 0;
	MONOCLE__LOG_DEBUG ("a module asks for %s: the host %s %s it", feature_names[feature], monocle_host_name (),
	                    answer > 0 ? "grants" : "refuses");
	if (answer > 0) {
		atomic_store_explicit (&granted[feature], true, memory_order_release);
		if (feature == MONOCLE_FEATURE_CALL_CONTEXT)
			monocle__call_value_grant ();
		return true;
	}
	if (answer == 0 && !atomic_exchange_explicit (&refused[feature], true, memory_order_relaxed))
		monocle_log (complaint, feature_names[feature], monocle_host_name ());
	return false;
}

/* Once for each promise, whoever comes first: the host that starts, or a module that has just been told yes. */
static void
settle (monocle_feature feature)
{
	if (!atomic_exchange_explicit (&promised[feature], false, memory_order_seq_cst))
		return;
	bool is_kept = ask (feature, "a module that was loaded early was promised %s, which the host %s does not grant");
	if (feature == MONOCLE_FEATURE_SAMPLING)
		settle_sampling (is_kept);
}

void
monocle__feature_settle (void)
{
	for (int feature = 0; feature < MONOCLE_FEATURE_COUNT; feature++)
		settle ((monocle_feature) feature);
}

static mono_bool
enable (monocle_feature feature)
{
	if (!monocle__host_window_open ())
		return 0;
	if (monocle__feature_granted (feature))
		return 1;
	if (!monocle__host_awaited ())
		return ask (feature, "a module asks for %s, which the host %s does not grant");
	atomic_store_explicit (&promised[feature], true, memory_order_seq_cst);
	if (!monocle__host_awaited ()) /* it came meanwhile, and may not have seen the promise */
		settle (feature);
	return 1;
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
	monocle__call_value_wanted_by (__builtin_return_address (0));
	return enable (MONOCLE_FEATURE_CALL_CONTEXT);
}

/* What was granted in the window walks already; a host that can begin later is asked each time, and knows. */
bool
monocle__feature_walks (void)
{
	const monocle_host_ops *host = monocle__host_ops ();
	if (host->walks)
		return host->walks (host->host);
	return monocle__feature_granted (MONOCLE_FEATURE_SAMPLING);
}

/* --- sampling ----------------------------------------------------------------------------------------------------- */

static bool
owns_sampling (MonoProfilerHandle handle)
{
	return handle && atomic_load_explicit (&sampling_owner, memory_order_acquire) == handle;
}

/*
 * Later callers are told yes as well, but only the first one may choose the mode. As long as sampling is promised only,
 * a mode is kept, and no thread made: the program may still fork.
 */
mono_bool
mono_profiler_enable_sampling (MonoProfilerHandle handle)
{
	MonoProfilerHandle nobody = NULL;
	if (!handle || !enable (MONOCLE_FEATURE_SAMPLING))
		return 0;
	monocle__sampler_prepare (DEFAULT_FREQUENCY);
	if (monocle__feature_granted (MONOCLE_FEATURE_SAMPLING) && !begin_sampling ())
		return 0;
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
