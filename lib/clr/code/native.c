/*
 * SPDX-License-Identifier: MIT
 *
 * native.c - which native object an address is in, and the unwinding row that covers it.
 *
 * dl_iterate_phdr () shows the objects while they cannot go; there their .eh_frame is turned into rows. A map of them
 * is published by one store and never changed. A reader says so in one of two counters; when a new map has
 * come, the readers of the old one are waited for and then it is freed. A handler that was suspended for long makes the
 * writer give up: that map stays.
 *
 *      map -> objects by address -> rows of each object (shared with the next map while the object stays)
 *          -> answers            recent ones by address, a word each: the upper half names the address, the lower is
 *                                the rule
 */
#include "native.h"
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "arch/arch.h"
#include "eh-frame.h"
#include "invariant.h"
#include "nanoseconds.h"

enum { ANSWER_BITS = 13, ANSWERS = 1 << ANSWER_BITS, IDENTITY = 32, HEADER_SIZE = 12 };

_Static_assert(MONOCLE__ARCH_ADDRESS_BITS <= ANSWER_BITS + 34, "two addresses would have one name (name_of)");

/* The rows of one object, as long as any map refers to it. */
typedef struct {
	uintptr_t start, end;       /* of its executable segments, all in one */
	uintptr_t header;           /* address of .eh_frame_hdr */
	uint8_t identity[IDENTITY]; /* the first bytes there: another object at this place has others */
	size_t functions, skipped;
	monocle__unwind_rows rows;
	unsigned references; /* under the lock */
} object;

struct monocle__native_map {
	size_t count;
	object **objects;                  /* by address */
	unsigned long long added, removed; /* the dynamic linker's counters when it was made */
	_Atomic (uint64_t) answers[ANSWERS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic (monocle__native_map *) current;
static atomic_uint phase; /* which counter newcomers use */
static atomic_uint readers[2];
static _Atomic (uint64_t) last_nanoseconds, readings;

/* --- reading ------------------------------------------------------------------------------------------------------ */

static const ElfW (Phdr) *
segment_of (const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && (p->p_flags & PF_R) && address - (info->dlpi_addr + p->p_vaddr) < p->p_filesz)
			return p;
	}
	return NULL;
}

/* How many bytes of the file are mapped from here on. */
static size_t
mapped_behind (const struct dl_phdr_info *info, uintptr_t address)
{
	const ElfW (Phdr) *p = segment_of (info, address);
	return p ? info->dlpi_addr + p->p_vaddr + p->p_filesz - address : 0;
}

/* Its executable range and where the header of its .eh_frame is; false: no code. */
static bool
find_parts (const struct dl_phdr_info *info, object *ret)
{
	ret->start = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
		if (p->p_type == PT_GNU_EH_FRAME)
			ret->header = start;
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		ret->start = start < ret->start ? start : ret->start;
		ret->end = end > ret->end ? end : ret->end;
	}
	return ret->start < ret->end;
}

static void
read_rows (const struct dl_phdr_info *info, object *o)
{
	size_t size = o->header ? mapped_behind (info, o->header) : 0;
	if (size < HEADER_SIZE)
		return;
	memcpy (o->identity, (const void *) o->header, size < IDENTITY ? size : IDENTITY);
	uintptr_t frames = monocle__eh_frame_of_header ((const uint8_t *) o->header, size, o->header);
	size = frames ? mapped_behind (info, frames) : 0;
	o->functions = monocle__eh_frame_read ((const uint8_t *) frames, size, frames, o->start, &o->rows, &o->skipped);
	monocle__unwind_row *fit = realloc (o->rows.list, (o->rows.count + 1) * sizeof *fit);
	if (fit) {
		o->rows.list = fit;
		o->rows.capacity = o->rows.count + 1;
	}
}

/* Of the last map: the same object at the same place. */
static object *
known_object (const monocle__native_map *map, const struct dl_phdr_info *info, const object *o)
{
	size_t size = o->header ? mapped_behind (info, o->header) : 0;
	for (size_t i = 0; map && i < map->count; i++) {
		object *old = map->objects[i];
		if (old->start == o->start && old->end == o->end && old->header == o->header &&
		    (!o->header || (size >= IDENTITY && memcmp (old->identity, (const void *) o->header, IDENTITY) == 0)))
			return old;
	}
	return NULL;
}

typedef struct {
	const monocle__native_map *before;
	monocle__native_map *map;
	size_t capacity;
	bool failed;
} reading;

static bool
make_room (reading *r)
{
	if (r->map->count < r->capacity)
		return true;
	size_t capacity = r->capacity ? r->capacity * 2 : 64;
	object **more = realloc (r->map->objects, capacity * sizeof (object *));
	if (!more)
		return false;
	r->map->objects = more;
	r->capacity = capacity;
	return true;
}

static int
read_object (struct dl_phdr_info *info, size_t size, void *data)
{
	reading *r = data;
	object parts = { .start = 0 };
	r->map->added = info->dlpi_adds;
	r->map->removed = info->dlpi_subs;
	if (!find_parts (info, &parts))
		return 0;
	object *o = make_room (r) ? known_object (r->before, info, &parts) : NULL;
	if (!o && r->map->count < r->capacity && (o = malloc (sizeof *o))) {
		*o = parts;
		read_rows (info, o);
	}
	if (!o) {
		r->failed = true;
		return 1;
	}
	MONOCLE__INVARIANT (o->start < o->end && r->map->count < r->capacity);
	o->references++;
	r->map->objects[r->map->count++] = o;
	return 0;
}

static int
by_start (const void *a, const void *b)
{
	const object *x = *(object *const *) a, *y = *(object *const *) b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void
map_free (monocle__native_map *map)
{
	for (size_t i = 0; map && i < map->count; i++) {
		object *o = map->objects[i];
		MONOCLE__INVARIANT (o->references != 0);
		if (--o->references)
			continue;
		free (o->rows.list);
		free (o);
	}
	if (map)
		free (map->objects);
	free (map);
}

/* --- replacing ---------------------------------------------------------------------------------------------------- */

static bool
wait_for_slot (void)
{
	enum { TRIES = 2000 };
	struct timespec pause = { 0, 50000 };
	unsigned slot = atomic_fetch_add (&phase, 1) & 1;
	for (int i = 0; i < TRIES; i++) {
		if (!atomic_load (&readers[slot]))
			return true;
		nanosleep (&pause, NULL);
	}
	return false;
}

/*
 * True when no earlier reader can still look at what was current then. Both counters: who loaded the phase long
 * ago may have raised the other one since.
 */
static bool
wait_for_readers (void)
{
	return wait_for_slot () && wait_for_slot ();
}

static int
read_counters (struct dl_phdr_info *info, size_t size, void *data)
{
	unsigned long long *counters = data;
	counters[0] = info->dlpi_adds;
	counters[1] = info->dlpi_subs;
	return 1;
}

static bool
is_current (const monocle__native_map *map)
{
	unsigned long long counters[2] = { 0, 0 };
	dl_iterate_phdr (read_counters, counters);
	return map && map->added == counters[0] && map->removed == counters[1];
}

/* Under the lock. */
static bool
replace (monocle__native_map *before)
{
	uint64_t began = monocle__nanoseconds (CLOCK_MONOTONIC);
	reading r = { .before = before, .map = calloc (1, sizeof *r.map) };
	if (!r.map)
		return false;
	dl_iterate_phdr (read_object, &r);
	if (r.failed || !r.map->count) {
		map_free (r.map);
		return false;
	}
	qsort (r.map->objects, r.map->count, sizeof (object *), by_start);
	atomic_store (&current, r.map);
	if (wait_for_readers ())
		map_free (before);
	atomic_store (&last_nanoseconds, monocle__nanoseconds (CLOCK_MONOTONIC) - began);
	atomic_fetch_add (&readings, 1);
	return true;
}

bool
monocle__native_read (void)
{
	pthread_mutex_lock (&lock);
	monocle__native_map *before = atomic_load (&current);
	bool good = is_current (before) || replace (before);
	pthread_mutex_unlock (&lock);
	return good;
}

void
monocle__native_count (monocle__native_counts *ret)
{
	*ret = (monocle__native_counts) { .nanoseconds = last_nanoseconds, .readings = readings };
	pthread_mutex_lock (&lock);
	const monocle__native_map *map = atomic_load (&current);
	for (size_t i = 0; map && i < map->count; i++) {
		ret->objects++;
		ret->rows += map->objects[i]->rows.count;
		ret->bytes += map->objects[i]->rows.capacity * sizeof (monocle__unwind_row) + sizeof (object);
		ret->functions += map->objects[i]->functions;
		ret->skipped += map->objects[i]->skipped;
	}
	ret->bytes += map ? sizeof *map : 0;
	pthread_mutex_unlock (&lock);
}

/* --- asking: any context ------------------------------------------------------------------------------------------ */

/*
 * The counter is raised before the map is loaded: who replaces the map either sees it raised and waits, or it is loaded
 * afterwards and is the new one.
 */
monocle__native_hold
monocle__native_enter (void)
{
	monocle__native_hold hold = { .slot = atomic_load (&phase) & 1 };
	atomic_fetch_add (&readers[hold.slot], 1);
	hold.map = atomic_load (&current);
	return hold;
}

void
monocle__native_leave (monocle__native_hold hold)
{
	unsigned were = atomic_fetch_sub (&readers[hold.slot], 1);
	MONOCLE__INVARIANT (were != 0);
}

static const object *
object_at (const monocle__native_map *map, uintptr_t ip)
{
	size_t low = 0, high = map->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (map->objects[middle]->start <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	MONOCLE__INVARIANT (!low || map->objects[low - 1]->start <= ip);
	MONOCLE__INVARIANT (low == map->count || map->objects[low]->start > ip);
	return low && ip < map->objects[low - 1]->end ? map->objects[low - 1] : NULL;
}

/* The upper half of an answer: every bit of the address that does not choose its place. */

static uint32_t
name_of (uintptr_t ip)
{
	return (uint32_t) (ip >> ANSWER_BITS) ^ (uint32_t) (ip >> 45 << 30);
}

bool
monocle__native_find (monocle__native_hold hold, uintptr_t ip, monocle__unwind_rule *ret, bool *ret_starts)
{
	if (!hold.map)
		return false;
	monocle__native_map *map = (monocle__native_map *) hold.map;
	_Atomic (uint64_t) *place = &map->answers[ip & (ANSWERS - 1)];
	uint64_t answer = atomic_load_explicit (place, memory_order_relaxed);
	*ret_starts = false;
	if (answer && answer >> 32 == name_of (ip)) {
		*ret = (uint32_t) answer;
		return true;
	}
	const object *o = object_at (map, ip);
	if (!o)
		return false;
	*ret = monocle__eh_frame_find (o->rows.list, o->rows.count, (uint32_t) (ip - o->start), ret_starts);
	*ret_starts = *ret_starts && monocle__rule_is_first (*ret);
	if (!*ret_starts)
		atomic_store_explicit (place, (uint64_t) name_of (ip) << 32 | *ret, memory_order_relaxed);
	return true;
}
