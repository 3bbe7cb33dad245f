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
#include <stdatomic.h>
#include <stdlib.h>
#include "heap-walk.h"
#include "moves.h"
#include "service.h"
#include "state.h"
#include "voice.h"

enum { OLDEST = 2, RANGES_FIRST = 64, TRIES = 4 };

static atomic_llong collections[OLDEST + 1];
static atomic_llong last_size[2]; /* taken from the system, used */

/* Exactly as the program itself sees it: a collection of one generation is one of the younger as well. */
HRESULT
monocle__callback_GarbageCollectionStarted (ICorProfilerCallback11 *self, int count, BOOL collected[],
                                            COR_PRF_GC_REASON reason)
{
	for (int generation = 0; generation <= OLDEST && generation < count; generation++)
		if (collected[generation])
			atomic_fetch_add (&collections[generation], 1);
	return S_OK;
}

/* Objects may be looked at again, and the world is still stopped. */
HRESULT
monocle__callback_GarbageCollectionFinished (ICorProfilerCallback11 *self)
{
	monocle__moves_tell ();
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
force (void *nothing)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	HRESULT hr = info->vtbl->ForceGC (info);
	if (hr < 0)
		monocle__clr_complain_hr ("ForceGC", hr);
}

/*
 * A collection stops all threads of the runtime, so none of them can ask for one and wait, whatever callback or probe
 * it is in, nor can the thread that reports collections: there the collection begins soon after the call. Threads that
 * the runtime does not know wait for its end.
 */
static void
gc_collect (void *host, int generation)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ThreadID thread = 0;
	bool may_wait = info->vtbl->GetCurrentThreadID (info, &thread) < 0 && !monocle__voice_is_self ();
	monocle__service_run (force, &(char) { 0 }, 1, may_wait ? UINT_MAX : 0);
}

void
monocle__clr_heap_ops (monocle_host_ops *ops)
{
	ops->gc_max_generation = gc_max_generation;
	ops->gc_collection_count = gc_collection_count;
	ops->gc_heap_size = gc_heap_size;
	ops->gc_collect = gc_collect;
	ops->gc_walk_heap = monocle__heap_walk;
}
