/*
 * SPDX-License-Identifier: MIT
 *
 * heap.c - the managed heap as a whole: how large it is, how often it was collected, collecting it.
 *
 * Counts and sizes are kept by the runtime for profilers that listen to the begin and end of collections, which
 * costs two calls for each. Sizes are those of the last begin or end.
 */
#include "heap.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "background.h"
#include "collector.h"
#include "forks.h"
#include "heap-walk.h"
#include "invariant.h"
#include "moves.h"
#include "service.h"
#include "state.h"
#include "voice.h"

enum { OLDEST = 2, RANGES_FIRST = 64, TRIES = 4 };

static atomic_llong collections[OLDEST + 1];
static atomic_llong last_size[2]; /* taken from the system, used */
static bool is_forcing;           /* the service is collecting; its alone */
/* The collection that is asked for in runtime_shutdown_begin, and the thread that raises that now; 0: none does. */
static atomic_bool is_last_wanted, is_last_begun;
static _Atomic (pthread_t) ending;

/* Exactly as the program itself sees it: a collection of one generation is one of the younger as well. */
HRESULT
monocle__callback_GarbageCollectionStarted (ICorProfilerCallback11 *self, int count, BOOL collected[],
                                            COR_PRF_GC_REASON reason)
{
	for (int generation = 0; generation <= OLDEST && generation < count; generation++)
		if (collected[generation])
			atomic_fetch_add (&collections[generation], 1);
	if (reason == COR_PRF_GC_INDUCED && count > OLDEST && collected[OLDEST] && atomic_load (&is_last_wanted))
		atomic_store (&is_last_begun, monocle__collector_last_start ());
	return S_OK;
}

/* Objects may be looked at again, and the world is still stopped. */
HRESULT
monocle__callback_GarbageCollectionFinished (ICorProfilerCallback11 *self)
{
	monocle__moves_tell ();
	if (atomic_load (&is_last_begun))
		monocle__collector_last_end ();
	return S_OK;
}

static int
gc_max_generation (void *host)
{
	return OLDEST;
}

static int64_t
gc_collection_count (void *host, int generation)
{
	return generation >= 0 && generation <= OLDEST ? atomic_load (&collections[generation]) : -1;
}

/* --- size --------------------------------------------------------------------------------------------------------- */

/* The caller frees what is returned. NULL: not to be had here. */
static COR_PRF_GC_GENERATION_RANGE *
ask_ranges (ULONG *ret_count)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ULONG room = RANGES_FIRST, count = 0;
	COR_PRF_GC_GENERATION_RANGE *ranges = NULL;
	for (int i = 0; i < TRIES; i++) {
		void *grown = realloc (ranges, room * sizeof *ranges);
		if (!grown)
			break;
		ranges = grown;
		if (info->vtbl->GetGenerationBounds (info, room, &count, ranges) < 0)
			break;
		if (count <= room) {
			*ret_count = count;
			return ranges;
		}
		room = count + RANGES_FIRST;
	}
	free (ranges);
	return NULL;
}

static int64_t
gc_heap_size (void *host, int used)
{
	ULONG count = 0;
	COR_PRF_GC_GENERATION_RANGE *ranges = ask_ranges (&count);
	long long sizes[2] = { 0, 0 };
	for (ULONG i = 0; i < count; i++) {
		sizes[0] += (long long) ranges[i].rangeLengthReserved;
		sizes[1] += (long long) ranges[i].rangeLength;
	}
	if (ranges)
		for (int i = 0; i < 2; i++)
			atomic_store (&last_size[i], sizes[i]);
	free (ranges);
	return atomic_load (&last_size[used != 0]);
}

/* --- collecting --------------------------------------------------------------------------------------------------- */

static void
force_one (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	monocle__forks_hold ();
	HRESULT hr = info->vtbl->ForceGC (info);
	monocle__forks_release ();
	if (hr < 0)
		monocle__clr_complain_hr ("ForceGC", hr);
}

static void
force (void *nothing)
{
	MONOCLE__INVARIANT (monocle__service_is_self () && !is_forcing);
	is_forcing = true;
	monocle__service_run_apart (force_one);
	is_forcing = false;
}

/* --- the last collection ------------------------------------------------------------------------------------------ */

/*
 * In runtime_shutdown_begin the service is over, and so are the runtime's own events. The thread that ends the runtime
 * waits for one that is made for this collection, which the runtime's callbacks announce.
 */
void
monocle__heap_ending (bool is_ending)
{
	atomic_store (&ending, is_ending ? pthread_self () : 0);
}

static void *
run_last (void *nothing)
{
	monocle__voice_begin ();
	atomic_store (&is_last_wanted, true);
	force_one ();
	atomic_store (&is_last_wanted, false);
	if (atomic_exchange (&is_last_begun, false))
		monocle__collector_last_started_world ();
	return NULL;
}

static void
collect_last (void)
{
	pthread_t thread;
	if (monocle__background_start (&thread, run_last, NULL, 0))
		pthread_join (thread, NULL);
}

/*
 * A collection stops all threads of the runtime, so none of them can ask for one and wait, whatever callback or probe
 * it is in, nor can a thread that reports collections: there the collection begins soon after the call. Threads that
 * the runtime does not know wait for its end.
 */
static void
gc_collect (void *host, int generation)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ThreadID thread = 0;
	if (atomic_load (&ending) == pthread_self ()) {
		collect_last ();
		return;
	}
	if (monocle__service_is_self () && !is_forcing) {
		force (NULL);
		return;
	}
	bool may_wait = info->vtbl->GetCurrentThreadID (info, &thread) < 0 && !monocle__voice_is_self () &&
	                !monocle__service_is_self ();
	monocle__service_run (force, &(char) { 0 }, 1, may_wait ? UINT_MAX : 0);
}

/* --- finalisation on demand --------------------------------------------------------------------------------------- */

static void
raise_batch (void *nothing)
{
	if (monocle__clr_listened (MONOCLE_EVENT_gc_finalizing))
		monocle_raise_gc_finalizing ();
	if (monocle__clr_listened (MONOCLE_EVENT_gc_finalized))
		monocle_raise_gc_finalized ();
}

/* Nobody but the runtime can wake its finalizer thread: the service reports a batch that has no objects. */
static void
gc_finalize_notify (void *host)
{
	monocle__service_run (raise_batch, &(char) { 0 }, 1, 0);
}

void
monocle__clr_heap_ops (monocle_host_ops *ops)
{
	ops->gc_max_generation = gc_max_generation;
	ops->gc_collection_count = gc_collection_count;
	ops->gc_heap_size = gc_heap_size;
	ops->gc_collect = gc_collect;
	ops->gc_finalize_notify = gc_finalize_notify;
	ops->gc_walk_heap = monocle__heap_walk;
}
