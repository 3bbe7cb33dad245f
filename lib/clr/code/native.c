/*
 * SPDX-License-Identifier: MIT
 *
 * native.c - which native object an address is in, and the unwinding row that covers it.
 *
 * dl_iterate_phdr () shows the objects while they cannot go. A map of them is published by one store and never changed.
 * A reader says so in one of two counters; when a new map has come, the readers of the old one are waited for and then
 * it is freed. A handler that was suspended for long makes the writer give up: that map stays.
 *
 *      map -> objects by address -> index   of the table that leads to each function's entry in .eh_frame
 *          |                     -> rows    of all functions, once many were asked for
 *          -> answers            recent ones by address, a word each: the upper half names the address, the lower is
 *                                the rule
 *
 * A short program is sampled a few times and needs some hundred of the hundreds of thousands of rows that there are. So
 * at first an entry is looked up when its code is met, in the signal handler, out of copies that the kernel makes: the
 * object may be on its way out. That takes 2 us, reading all of a function's rows 0.3: when as much has been spent on
 * single entries as all of them would cost, the service thread reads them all. Objects and rows stay from map to map.
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
#include "peek.h"

enum { ANSWER_BITS = 13, ANSWERS = 1 << ANSWER_BITS, IDENTITY = 32, HEADER_SIZE = 12 };

_Static_assert(MONOCLE__ARCH_ADDRESS_BITS <= ANSWER_BITS + 34, "two addresses would have one name (name_of)");

enum {
	STRIDE = 64,         /* pairs of the table between two of the index: what a handler copies at once */
	LOOKUPS_LEAST = 100, /* single look-ups in an object before all of its rows are read */
	PAIRS_A_LOOKUP = 8,  /* what one costs, in rows that are read together */
};

/* All rows of an object. */
typedef struct {
	size_t functions, skipped;
	monocle__unwind_rows rows;
} all_rows;

/* One object, as long as any map refers to it. */
typedef struct {
	uintptr_t start, end;       /* of its executable segments, all in one */
	uintptr_t header;           /* address of .eh_frame_hdr */
	uint8_t identity[IDENTITY]; /* the first bytes there: another object at this place has others */
	uintptr_t frames, frames_end, table;
	uint32_t pairs;           /* of the table; 0: it has none */
	int32_t *index;           /* the function of each STRIDE-th pair */
	atomic_uint lookups;      /* of single entries so far */
	_Atomic (all_rows *) all; /* NULL: not read yet. Set under the lock, once */
	unsigned references;      /* under the lock */
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
static atomic_bool behind; /* an object is waiting to be read as a whole */

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
rows_free (all_rows *all)
{
	if (all)
		free (all->rows.list);
	free (all);
}

static void
object_free (object *o)
{
	rows_free (atomic_load (&o->all));
	free (o->index);
	free (o);
}

/* While it cannot go. */
static void
read_rows (object *o)
{
	all_rows *all = calloc (1, sizeof *all);
	if (!all)
		return;
	all->functions = monocle__eh_frame_read ((const uint8_t *) o->frames, o->frames_end - o->frames, o->frames,
	                                         o->start, &all->rows, &all->skipped);
	monocle__unwind_row *fit = realloc (all->rows.list, (all->rows.count + 1) * sizeof *fit);
	if (fit) {
		all->rows.list = fit;
		all->rows.capacity = all->rows.count + 1;
	}
	atomic_store_explicit (&o->all, all, memory_order_release);
}

/* False: no memory, or no table. */
static bool
read_index (object *o, size_t header_size)
{
	o->pairs = monocle__eh_frame_table ((const uint8_t *) o->header, header_size, o->header, &o->table);
	o->index = o->pairs ? malloc (((o->pairs - 1) / STRIDE + 1) * sizeof *o->index) : NULL;
	for (uint32_t i = 0; o->index && i < o->pairs; i += STRIDE)
		memcpy (&o->index[i / STRIDE], (const void *) (o->table + i * sizeof (monocle__eh_frame_pair)),
		        sizeof *o->index);
	return o->index != NULL;
}

static void
open_object (const struct dl_phdr_info *info, object *o)
{
	size_t size = o->header ? mapped_behind (info, o->header) : 0;
	if (size < HEADER_SIZE)
		return;
	memcpy (o->identity, (const void *) o->header, size < IDENTITY ? size : IDENTITY);
	o->frames = monocle__eh_frame_of_header ((const uint8_t *) o->header, size, o->header);
	o->frames_end = o->frames + (o->frames ? mapped_behind (info, o->frames) : 0);
	if (!read_index (o, size))
		read_rows (o);
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
		open_object (info, o);
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
		if (!--o->references)
			object_free (o);
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

/* How many single look-ups cost as much as reading everything. */
static uint32_t
lookups_worth (const object *o)
{
	uint32_t worth = o->pairs / PAIRS_A_LOOKUP;
	return worth > LOOKUPS_LEAST ? worth : LOOKUPS_LEAST;
}

static int
read_busy_object (struct dl_phdr_info *info, size_t size, void *data)
{
	object parts = { .start = 0 };
	object *o = find_parts (info, &parts) ? known_object (data, info, &parts) : NULL;
	if (o && !atomic_load (&o->all) && atomic_load (&o->lookups) >= lookups_worth (o))
		read_rows (o);
	return 0;
}

bool
monocle__native_read (void)
{
	pthread_mutex_lock (&lock);
	monocle__native_map *before = atomic_load (&current);
	bool good = is_current (before) || replace (before);
	if (atomic_exchange (&behind, false))
		dl_iterate_phdr (read_busy_object, atomic_load (&current));
	pthread_mutex_unlock (&lock);
	return good;
}

bool
monocle__native_is_behind (void)
{
	return atomic_load_explicit (&behind, memory_order_relaxed);
}

void
monocle__native_count (monocle__native_counts *ret)
{
	*ret = (monocle__native_counts) { .nanoseconds = last_nanoseconds, .readings = readings };
	pthread_mutex_lock (&lock);
	const monocle__native_map *map = atomic_load (&current);
	for (size_t i = 0; map && i < map->count; i++) {
		const object *o = map->objects[i];
		const all_rows *all = atomic_load (&o->all);
		ret->objects++;
		ret->lookups += atomic_load (&o->lookups);
		ret->bytes += sizeof *o + (o->pairs / STRIDE + 1) * sizeof *o->index;
		if (!all)
			continue;
		ret->rows += all->rows.count;
		ret->bytes += all->rows.capacity * sizeof (monocle__unwind_row) + sizeof *all;
		ret->functions += all->functions;
		ret->skipped += all->skipped;
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

static object *
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

/* The last of sorted pairs that begins at or before the function; `count`: none. */
static uint32_t
last_pair (const monocle__eh_frame_pair *pairs, uint32_t count, int32_t function)
{
	uint32_t found = count;
	for (uint32_t i = 0; i < count && pairs[i].function <= function; i++)
		found = i;
	return found;
}

static uint32_t
last_of_index (const object *o, int32_t function)
{
	uint32_t low = 0, high = (o->pairs - 1) / STRIDE + 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (o->index[middle] <= function)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

/* The pair of the function that begins at or before that; false: the bytes have gone. *ret_found: is there one? */
static bool
find_pair (const object *o, uintptr_t ip, monocle__eh_frame_pair *ret, bool *ret_found)
{
	monocle__eh_frame_pair pairs[STRIDE];
	int32_t function = (int32_t) (intptr_t) (ip - o->header);
	uint32_t first = last_of_index (o, function) * STRIDE;
	uint32_t count = o->pairs - first < STRIDE ? o->pairs - first : STRIDE;
	*ret_found = false;
	if (!monocle__peek (o->table + first * sizeof *pairs, pairs, count * sizeof *pairs))
		return false;
	uint32_t at = last_pair (pairs, count, function);
	if ((*ret_found = at < count))
		*ret = pairs[at];
	return true;
}

/* False: the bytes have gone, or are more than can be looked at here. */
static bool
find_single (const object *o, uintptr_t ip, monocle__unwind_rule *ret, bool *ret_starts)
{
	monocle__eh_frame_pair pair;
	bool is_found;
	*ret = monocle__rule (MONOCLE__CFA_UNKNOWN, false, 0, 0);
	if (!find_pair (o, ip, &pair, &is_found))
		return false;
	return !is_found || monocle__eh_frame_at (monocle__peek, o->header + (uintptr_t) (intptr_t) pair.entry, o->frames,
	                                          o->frames_end, o->start, ip, ret, ret_starts);
}

/* What cannot be read singly makes the object one that is read as a whole. False: what is found is not to be kept. */
static bool
look_up (object *o, uintptr_t ip, monocle__unwind_rule *ret, bool *ret_starts)
{
	bool found = find_single (o, ip, ret, ret_starts);
	uint32_t worth = lookups_worth (o);
	uint32_t were = atomic_fetch_add_explicit (&o->lookups, found ? 1 : worth, memory_order_relaxed);
	if (were + (found ? 1 : worth) >= worth)
		atomic_store_explicit (&behind, true, memory_order_relaxed);
	return found;
}

bool
monocle__native_find (monocle__native_hold hold, uintptr_t ip, monocle__unwind_rule *ret, bool *ret_starts)
{
	if (!hold.map)
		return false;
	monocle__native_map *map = (monocle__native_map *) hold.map;
	_Atomic (uint64_t) *place = &map->answers[ip & (ANSWERS - 1)];
	uint64_t answer = atomic_load_explicit (place, memory_order_relaxed);
	bool is_lasting = true;
	*ret_starts = false;
	if (answer && answer >> 32 == name_of (ip)) {
		*ret = (uint32_t) answer;
		return true;
	}
	object *o = object_at (map, ip);
	if (!o)
		return false;
	const all_rows *all = atomic_load_explicit (&o->all, memory_order_acquire);
	if (all)
		*ret = monocle__eh_frame_find (all->rows.list, all->rows.count, (uint32_t) (ip - o->start), ret_starts);
	else if (o->pairs)
		is_lasting = look_up (o, ip, ret, ret_starts);
	else
		*ret = monocle__rule (MONOCLE__CFA_UNKNOWN, false, 0, 0);
	*ret_starts = *ret_starts && monocle__rule_is_first (*ret);
	if (is_lasting && !*ret_starts)
		atomic_store_explicit (place, (uint64_t) name_of (ip) << 32 | *ret, memory_order_relaxed);
	return true;
}

uintptr_t
monocle__native_function (monocle__native_hold hold, uintptr_t ip)
{
	const object *o = hold.map ? object_at (hold.map, ip) : NULL;
	monocle__eh_frame_pair pair;
	bool is_found = false;
	return o && o->pairs && find_pair (o, ip, &pair, &is_found) && is_found
	         ? o->header + (uintptr_t) (intptr_t) pair.function
	         : 0;
}
