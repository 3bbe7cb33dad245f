/*
 * SPDX-License-Identifier: MIT
 *
 * state.h - the one adapter of this process: what the runtime gave it, what modules were granted, and what it
 * complains of. The library's own prefix, monocle__clr_, is this file's.
 */
#ifndef MONOCLE_CLR_STATE_H
#define MONOCLE_CLR_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <monocle/host.h>
#include "corprof.h"
#include "private-name.h"

/* The versions of .NET that the adapter was tried with. A later one is taken for the newest of them. */
enum { MONOCLE__CLR_OLDEST = MONOCLE__PRIVATE_OLDEST, MONOCLE__CLR_NEWEST = MONOCLE__PRIVATE_NEWEST };

typedef struct {
	ICorProfilerInfo15 *info; /* slots beyond what `info_version` grants do not exist */
	int info_version;
	unsigned major;         /* of the runtime: 8 to 11 */
	const uint32_t *counts; /* of the core: listeners per event */
	struct _MonoProfilerDesc *const *handles;
	atomic_bool started;      /* Initialize asked for the first mask */
	atomic_bool allocations;  /* a module was granted gc_allocation */
	atomic_bool clauses;      /* a module was granted exception_clause; before anything runs */
	atomic_bool coverage;     /* a module was granted coverage; before anything runs */
	atomic_uint filter_epoch; /* changes when a call filter comes or goes */
	/*
	 * 0 until the first collectible image comes, then 1 and one more with each that goes: what an array or instance id
	 * meant in one epoch it need not mean in the next.
	 */
	atomic_uint instance_epoch;
	atomic_bool initialized; /* runtime_initialized was raised */
	atomic_bool ended;       /* the end was, too */
	atomic_uint refused;     /* wanted methods that could not be given probes */
	bool beside;             /* another profiler is the main one: no IL of ours, no roots; before anything runs */
	bool attached;           /* the program ran before us: no allocations; before anything of ours runs */
	bool late;      /* the same, and methods get probes by further bodies: the runtime lets nobody leave then */
	bool try_fault; /* MONOCLE_CLR_TRY_FAULT: try/fault probes prove the shadow stack */
} monocle__clr;

extern monocle__clr monocle__clr_state;

/* One message, as monocle_log () has it; for failures that leave the program unprofiled. */
void monocle__clr_complain (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/*
 * The same for a failed call of the runtime: "CALL failed: NAME (0x........)". Says nothing when the runtime refuses
 * because we leave: a callback that is under way then is refused whatever it asks for.
 */
void monocle__clr_complain_hr (const char *call, HRESULT hr);
/* Raises runtime_initialized once, before the first image that is not corlib. */
void monocle__clr_reach_initialized (void);

static inline bool
monocle__clr_listened (monocle_event event)
{
	return __atomic_load_n (&monocle__clr_state.counts[event], __ATOMIC_RELAXED) != 0;
}

#endif
