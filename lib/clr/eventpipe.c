/*
 * SPDX-License-Identifier: MIT
 *
 * eventpipe.c - the runtime's own event provider, listened to from inside the process: what ICorProfilerCallback tells
 * late, at a high price or not at all (collections with their generation, finalisation, handles, contention) without
 * switching concurrent collections off.
 *
 * An event is delivered on the thread that it happens on, at once, before any buffer. That thread may be the
 * collector's, it may hold locks of the runtime, the world may be stopped: what runs here must not make the runtime
 * wait or load anything. Payloads are packed (little endian, no padding) and only ever grow at their end: each decoder
 * checks the length that it reads, and a shorter event is counted as lost.
 *
 * One session at a time. A wider one replaces it: what happens between the two is lost, which can only be when modules
 * ask late.
 */
#include "eventpipe.h"
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include "heap/allocation.h"
#include "heap/collector.h"
#include "heap/gc-handle.h"
#include "heap/monitor.h"
#include "heap/moves.h"
#include "heap/roots.h"
#include "service.h"
#include "state.h"
#include "wants.h"

static const WCHAR provider[] = u"Microsoft-Windows-DotNETRuntime";

/* The runtime's own events have no name and no fields in their metadata; all others have. */
enum { RUNTIME_METADATA = 26 };

static EVENTPIPE_SESSION session; /* 0: none; on the service's thread, or inside Initialize */
static _Atomic (uint64_t) has_keywords;
static atomic_uint has_level;
static atomic_bool is_refused;
static atomic_uint malformed;

bool
monocle__eventpipe_lacks (uint64_t keywords, uint32_t level)
{
	return keywords && !atomic_load (&is_refused) &&
	       ((keywords & ~atomic_load (&has_keywords)) || level > atomic_load (&has_level));
}

static void
refuse (const char *why)
{
	if (!atomic_exchange (&is_refused, true))
		monocle__clr_complain ("no events of collections, finalisation, handles and contention: %s", why);
}

/*
 * A runtime that is about to end refuses sessions before it says that it ends. A program that ends in this moment has
 * no need to read of it; one that goes on does.
 */
static bool
is_ending (void)
{
	enum { WAIT_NS = 200000000 };
	struct timespec wait = { 0, WAIT_NS };
	if (monocle__service_is_self ())
		nanosleep (&wait, NULL);
	return monocle__service_is_over ();
}

void
monocle__eventpipe_ask (uint64_t keywords, uint32_t level)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	keywords |= atomic_load (&has_keywords);
	level = level > atomic_load (&has_level) ? level : atomic_load (&has_level);
	COR_PRF_EVENTPIPE_PROVIDER_CONFIG config = { provider, keywords, level, NULL };
	if (monocle__clr_state.info_version < 12) {
		refuse ("the runtime is older than .NET 5");
		return;
	}
	if (session)
		info->vtbl->EventPipeStopSession (info, session);
	session = 0;
	monocle__collector_lose_track ();
	HRESULT hr = info->vtbl->EventPipeStartSession (info, 1, &config, 0, &session);
	if (hr < 0) {
		if (!is_ending ())
			refuse (monocle__hresult_name (hr));
		return;
	}
	atomic_store (&has_keywords, keywords);
	atomic_store (&has_level, level);
}

void
monocle__eventpipe_end (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	if (session)
		info->vtbl->EventPipeStopSession (info, session);
	session = 0;
	atomic_store (&has_keywords, 0);
	atomic_store (&has_level, 0);
	atomic_store (&is_refused, false);
}

/* --- what is delivered -------------------------------------------------------------------------------------------- */

typedef struct {
	const uint8_t *at;
	ULONG left;
} payload;

/* 0 after the end: `size` bytes as a number. */
static uint64_t
take (payload *p, ULONG size)
{
	uint64_t value = 0;
	if (p->left < size) {
		p->left = 0;
		return 0;
	}
	memcpy (&value, p->at, size);
	p->at += size;
	p->left -= size;
	return value;
}

static void
suspend_begin (payload *p)
{
	monocle__collector_stopping ((uint32_t) take (p, 4));
}

static void
gc_start (payload *p)
{
	uint32_t number = (uint32_t) take (p, 4), generation = (uint32_t) take (p, 4);
	take (p, 4); /* the reason */
	monocle__collector_start (number, generation, (uint32_t) take (p, 4));
}

static void
gc_end (payload *p)
{
	uint32_t number = (uint32_t) take (p, 4);
	monocle__collector_end (number, (uint32_t) take (p, 4));
}

/* Size and promoted bytes of generations 0, 1, 2 and the large objects; finalisation; counts; the pinned heap. */
static void
heap_stats (payload *p)
{
	uint64_t size = 0;
	for (int i = 0; i < 4; i++) {
		size += take (p, 8);
		take (p, 8);
	}
	for (ULONG skipped = 8 + 8 + 3 * 4 + 2; skipped; skipped--)
		take (p, 1);
	monocle__collector_size (size + take (p, 8));
}

/* Ranges of the heap: start, where it goes if it goes, size. */
static void
ranges (payload *p, bool moved)
{
	enum { BATCH = 64 };
	uintptr_t from[BATCH], to[BATCH];
	uint64_t sizes[BATCH];
	const ULONG width = moved ? 24 : 16;
	take (p, 4); /* how many such events came before */
	uint32_t left = (uint32_t) take (p, 4), n;
	take (p, 2); /* instance of the runtime */
	for (; left && p->left >= width; left -= n) {
		for (n = 0; n < BATCH && n < left && p->left >= width; n++) {
			from[n] = take (p, 8);
			to[n] = moved ? take (p, 8) : 0;
			sizes[n] = take (p, 8);
		}
		monocle__moves_add (n, from, moved ? to : NULL, sizes);
	}
}

static void
surviving_ranges (payload *p)
{
	ranges (p, false);
}

static void
moved_ranges (payload *p)
{
	ranges (p, true);
}

/* References from roots, in a collection that was asked for: the object, the kind of root, flags, where it lies. */
static void
root_edges (payload *p)
{
	enum { BATCH = 32, WIDTH = 8 + 1 + 4 + 8 };
	ObjectID objects[BATCH];
	uint8_t kinds[BATCH];
	uint32_t flags[BATCH], n;
	take (p, 4); /* how many such events came before */
	uint32_t left = (uint32_t) take (p, 4);
	take (p, 2); /* instance of the runtime */
	for (; left && p->left >= WIDTH; left -= n) {
		for (n = 0; n < BATCH && n < left && p->left >= WIDTH; n++) {
			objects[n] = take (p, 8);
			kinds[n] = (uint8_t) take (p, 1);
			flags[n] = (uint32_t) take (p, 4);
			take (p, 8);
		}
		if (!monocle__wants_all_roots ())
			monocle__roots_found (n, objects, kinds, flags);
	}
}

static void
restart_begin (payload *p)
{
	monocle__collector_starting_world ();
}

static void
restart_end (payload *p)
{
	monocle__collector_started_world ();
}

static void
finalizers_begin (payload *p)
{
	monocle__collector_finalizer_begin ();
}

static void
finalizers_end (payload *p)
{
	monocle__collector_finalizer_end ();
}

static void
finalize_object (payload *p)
{
	take (p, 8); /* the type */
	monocle__collector_finalizer_object ((MonoObject *) (uintptr_t) take (p, 8));
}

static void
handle_set (payload *p)
{
	uintptr_t handle = take (p, 8);
	MonoObject *object = (MonoObject *) (uintptr_t) take (p, 8);
	monocle__gc_handle_created (handle, object, (uint32_t) take (p, 4));
}

static void
handle_destroyed (payload *p)
{
	monocle__gc_handle_destroyed (take (p, 8));
}

static void
contention_start (payload *p)
{
	take (p, 1 + 2); /* managed or native, instance of the runtime */
	uintptr_t lock = take (p, 8);
	monocle__monitor_contended (lock, (MonoObject *) (uintptr_t) take (p, 8));
}

static void
contention_stop (payload *p)
{
	monocle__monitor_ended ();
}

static void
wait_stop (payload *p)
{
	monocle__monitor_woken ();
}

/* UTF-16 with its end. */
static void
skip_text (payload *p)
{
	while (take (p, 2))
		;
}

/* An amount and the kind of object come before; then the amount with all its bits, the class, its name, the heap. */
static void
allocation_tick (payload *p)
{
	take (p, 4 + 4);
	take (p, 2); /* instance of the runtime */
	uint64_t amount = take (p, 8);
	ClassID id = take (p, 8);
	skip_text (p);
	take (p, 4);
	take (p, 8); /* where it is going to be */
	monocle__allocation_ticked (id, take (p, 8), amount);
}

static void
allocation_sampled (payload *p)
{
	take (p, 4); /* the kind of object */
	take (p, 2); /* instance of the runtime */
	ClassID id = take (p, 8);
	skip_text (p);
	take (p, 8); /* where it is going to be */
	monocle__allocation_drawn (id, take (p, 8));
}

/* By number of the event; `size` is the least that the decoder reads. */
static const struct {
	void (*decode) (payload *p);
	ULONG size;
} decoders[] = {
	[1] = { gc_start, 16 },          [2] = { gc_end, 8 },
	[3] = { restart_end, 0 },        [4] = { heap_stats, 94 },
	[7] = { restart_begin, 0 },      [9] = { suspend_begin, 4 },
	[10] = { allocation_tick, 48 },  [303] = { allocation_sampled, 40 },
	[13] = { finalizers_end, 0 },    [14] = { finalizers_begin, 0 },
	[16] = { root_edges, 10 },       [21] = { surviving_ranges, 10 },
	[22] = { moved_ranges, 10 },     [29] = { finalize_object, 16 },
	[30] = { handle_set, 20 },       [31] = { handle_destroyed, 8 },
	[81] = { contention_start, 19 }, [91] = { contention_stop, 0 },
	[302] = { wait_stop, 0 },
};

HRESULT
monocle__callback_EventPipeEventDelivered (ICorProfilerCallback11 *self, EVENTPIPE_PROVIDER from, DWORD id,
                                           DWORD version, ULONG metadata_size, LPCBYTE metadata, ULONG size,
                                           LPCBYTE data, const GUID *activity, const GUID *related, ThreadID thread,
                                           ULONG frame_count, UINT_PTR *frames)
{
	payload p = { data, size };
	if (metadata_size != RUNTIME_METADATA) /* the pipe's own, of a managed provider */
		return S_OK;
	if (id >= sizeof decoders / sizeof *decoders || !decoders[id].decode)
		return S_OK;
	if (size < decoders[id].size) {
		/* ContentionStart did not name its object before .NET 6. */
		if (atomic_fetch_add (&malformed, 1) == 0)
			monocle__clr_complain ("event %u of the runtime has %u bytes, %u are needed: it is dropped, like others of "
			                       "its kind",
			                       (unsigned) id, (unsigned) size, (unsigned) decoders[id].size);
		return S_OK;
	}
	decoders[id].decode (&p);
	return S_OK;
}
