/*
 * SPDX-License-Identifier: MIT
 *
 * moves.c - which parts of the heap a collection kept, and which objects it moved.
 *
 *     GCBulkSurvivingObjectRanges   ranges that stay where they are: `survivors`
 *     GCBulkMovedObjectRanges       ranges that go somewhere else: `survivors`. Neither place may be looked at yet
 *     GarbageCollectionFinished     all is where it belongs: ranges that moved are walked by object: gc_moves
 *
 * So objects are reported to modules between START and END, as on Mono. The world is stopped from the first range to
 * the last object, but with the server collector several threads may bring ranges: a leaf lock. Memory comes from the
 * kernel: a stopped thread may hold malloc's lock. The runtime's own MovedReferences2 would switch concurrent
 * collections off: from .NET 6 on its cheaper flag alone brings nothing.
 */
#include "moves.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <monocle/host.h>
#include "invariant.h"
#include "state.h"
#include "voice.h"

enum {
	ROOM_FIRST = 1 << 16, /* bytes */
	BATCH = 64,           /* addresses; so many Mono tells at once */
	ALIGNMENT = 8,
};

typedef struct {
	uintptr_t from, to;
	uint64_t size;
} range;

static range *ranges;
static size_t count, room; /* room: bytes */
static atomic_uint lost;   /* ranges that found no room */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool
make_room (size_t wanted)
{
	size_t bytes = room ? room : ROOM_FIRST;
	while (bytes < wanted * sizeof *ranges)
		bytes *= 2;
	if (bytes == room)
		return true;
	void *grown = room ? mremap (ranges, room, bytes, MREMAP_MAYMOVE)
	                   : mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (grown == MAP_FAILED)
		return false;
	ranges = grown;
	room = bytes;
	return true;
}

static void
add (uint32_t number, const uintptr_t *from, const uintptr_t *to, const uint64_t *sizes)
{
	pthread_mutex_lock (&lock);
	bool has_room = make_room (count + number);
	for (uint32_t i = 0; has_room && i < number; i++)
		if (from[i] != to[i])
			ranges[count++] = (range) { from[i], to[i], sizes[i] };
	MONOCLE__INVARIANT (count * sizeof *ranges <= room);
	pthread_mutex_unlock (&lock);
	if (!has_room && atomic_fetch_add (&lost, number) == 0)
		monocle__clr_complain ("no memory for objects that were moved: some are not told of");
}

void
monocle__moves_add (uint32_t number, const uintptr_t *from, const uintptr_t *to, const uint64_t *sizes)
{
	if (to && monocle__clr_listened (MONOCLE_EVENT_gc_moves))
		add (number, from, to, sizes);
	if (monocle__clr_listened (MONOCLE_EVENT_survivors))
		monocle_raise_survivors ((const void *const *) from, (const void *const *) to, sizes, number);
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

typedef struct {
	MonoObject *addresses[BATCH];
	unsigned used;
} batch;

static void
flush (batch *b)
{
	if (b->used)
		monocle_raise_gc_moves (b->addresses, b->used);
	b->used = 0;
}

static void
tell_range (const range *r, batch *b)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	SIZE_T size = 0;
	for (SIZE_T at = 0; at < r->size; at += (size + ALIGNMENT - 1) & ~(SIZE_T) (ALIGNMENT - 1)) {
		if (info->vtbl->GetObjectSize2 (info, r->to + at, &size) < 0 || !size)
			return;
		MONOCLE__INVARIANT (b->used % 2 == 0 && b->used + 2 <= BATCH);
		b->addresses[b->used++] = (MonoObject *) (r->from + at);
		b->addresses[b->used++] = (MonoObject *) (r->to + at);
		if (b->used == BATCH)
			flush (b);
	}
}

static void
tell_ranges (void *nothing)
{
	batch b = { .used = 0 };
	for (size_t i = 0; i < count && monocle__clr_listened (MONOCLE_EVENT_gc_moves); i++)
		tell_range (&ranges[i], &b);
	flush (&b);
	count = 0;
}

void
monocle__moves_tell (void)
{
	if (count)
		monocle__voice_say (tell_ranges, NULL);
}
