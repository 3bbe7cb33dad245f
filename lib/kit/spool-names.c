/*
 * SPDX-License-Identifier: MIT
 *
 * spool-names.c - which methods already have a name in the spool.
 *
 * An open-addressing set of method pointers. Readers take no lock: they see one table, published by a release store,
 * and slots that only ever go from empty to full. A full table is replaced by one of twice the size; the old one stays
 * for readers that still hold it (all old ones together are as large as the new one).
 */
#include "hash.h"
#include "invariant.h"
#include "spool-name.h"
#include "spool.h"

#include <string.h>
#include <sys/mman.h>

enum { FIRST_SLOTS = 1024 };

struct monocle__names {
	uint32_t mask, count;
	uint64_t slots[];
};

static uint64_t
hash_of (uint64_t key)
{
	return monocle__hash_spread (key) >> 32;
}

static void *
take_memory (size_t size)
{
	void *memory =
	    monocle__fails () ? MAP_FAILED : mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static bool
contains (const struct monocle__names *table, uint64_t key)
{
	if (!table)
		return false;
	for (uint64_t i = hash_of (key);; i++) {
		uint64_t slot = __atomic_load_n (&table->slots[i & table->mask], __ATOMIC_RELAXED);
		if (slot == key || !slot)
			return slot == key;
	}
}

static void
insert (struct monocle__names *table, uint64_t key)
{
	MONOCLE__INVARIANT (key != 0 && table->count <= table->mask / 2);
	uint64_t i = hash_of (key);
	while (table->slots[i & table->mask])
		i++;
	__atomic_store_n (&table->slots[i & table->mask], key, __ATOMIC_RELAXED);
	table->count++;
}

/* Under the lock: a table with room for one more. */
static struct monocle__names *
roomy_table (monocle_kit_spool *spool)
{
	struct monocle__names *old = spool->named;
	if (old && old->count * 2 <= old->mask)
		return old;
	uint32_t slots = old ? (old->mask + 1) * 2 : FIRST_SLOTS;
	struct monocle__names *table = take_memory (sizeof *table + slots * sizeof *table->slots);
	if (!table)
		return NULL;
	table->mask = slots - 1;
	for (uint32_t i = 0; old && i <= old->mask; i++)
		if (old->slots[i])
			insert (table, old->slots[i]);
	MONOCLE__INVARIANT (table->count == (old ? old->count : 0) && (slots & table->mask) == 0);
	__atomic_store_n (&spool->named, table, __ATOMIC_RELEASE);
	return table;
}

/*
 * The name is appended first: a thread that finds the key may rely on it. A second thread that was as fast appends
 * nothing.
 */
static void
publish (monocle_kit_spool *spool, uint64_t key, const struct monocle__spool_name *name)
{
	bool good = true;
	pthread_mutex_lock (&spool->lock);
	if (!contains (spool->named, key)) {
		struct monocle__names *table = roomy_table (spool);
		good = table && monocle__spool_append_name (spool, key, name);
		if (good)
			insert (table, key);
	}
	pthread_mutex_unlock (&spool->lock);
	if (!good)
		monocle__spool_lose (spool, MONOCLE__LOSS_NAMES, 1);
}

/* The next of several texts with a NUL each; what is missing is empty. */
static const char *
take_text (const char **text, size_t *size, size_t *ret_length)
{
	const char *first = *text;
	*ret_length = strnlen (first, *size);
	size_t step = *ret_length < *size ? *ret_length + 1 : *size;
	*text += step;
	*size -= step;
	return first;
}

/* Cuts "NAME\0IMAGE\0ORIGIN\0" and publishes it; a longer name than an extent can hold is cut short. */
static void
publish_text (monocle_kit_spool *spool, uint64_t key, const char *text, size_t size)
{
	enum { MOST = MONOCLE__EXTENT_SIZE / 4 };
	struct monocle__spool_name name;
	char origin[MONOCLE_KIT_ORIGIN_SIZE] = "";
	size_t length;
	name.name = take_text (&text, &size, &name.name_length);
	name.image = take_text (&text, &size, &name.image_length);
	const char *third = take_text (&text, &size, &length);
	if (length < sizeof origin)
		memcpy (origin, third, length);
	name.origin = monocle__origin_parse (origin);
	name.name_length = name.name_length < MOST ? name.name_length : MOST;
	name.image_length = name.image_length < MOST ? name.image_length : MOST;
	publish (spool, key, &name);
}

/* Keys that are not methods. */
/* clang-format off */
static const char *const reserved_names[MONOCLE__RESERVED_KEYS] = {
	[MONOCLE_KIT_FRAME_UNKNOWN]   = "[unknown]",
	[MONOCLE_KIT_FRAME_STUB]      = "[stub]",
	[MONOCLE_KIT_FRAME_NATIVE]    = "[native]",
	[MONOCLE_KIT_FRAME_TRUNCATED] = "[truncated]",
	[MONOCLE_KIT_FRAME_UNSAMPLED] = "[not sampled]",
	[MONOCLE_KIT_FRAME_GC]        = "[GC]",
	[MONOCLE_KIT_FRAME_JIT]       = "[JIT]",
	[MONOCLE_KIT_FRAME_TIERED]    = "[tiered compilation]",
	[MONOCLE_KIT_FRAME_FINALIZER] = "[finalizer]",
	[MONOCLE_KIT_FRAME_START]     = "[start-up]",
	[MONOCLE_KIT_FRAME_RUNTIME]   = "[runtime]",
	[MONOCLE_KIT_FRAME_RUNNING]   = "[running]",
	[MONOCLE_KIT_FRAME_WAITING]   = "[waiting]",
	[MONOCLE_KIT_FRAME_DISK]      = "[waiting for the disk]",
	[MONOCLE_KIT_FRAME_STOPPED]   = "[stopped]",
	[MONOCLE_KIT_FRAME_OTHER]     = MONOCLE__SPOOL_OTHER,
	[MONOCLE_KIT_FRAME_BARRIER]   = "[write barrier]",
	[MONOCLE_KIT_FRAME_VIRTUAL]   = "[virtual call]",
	[MONOCLE_KIT_FRAME_INTERFACE] = "[interface call]",
	[MONOCLE_KIT_FRAME_PRECODE]   = "[precode]",
	[MONOCLE_KIT_FRAME_COUNTING]  = "[call counting]",
	[MONOCLE_KIT_FRAME_GENERIC]   = "[generic lookup]",
	[MONOCLE_KIT_FRAME_HELPER]    = "[ReadyToRun helper]",
};
/* clang-format on */

bool
monocle__spool_is_named (const monocle_kit_spool *spool, void *method)
{
	return contains (__atomic_load_n (&spool->named, __ATOMIC_ACQUIRE), (uintptr_t) method);
}

void
monocle__spool_name (monocle_kit_spool *spool, void *method, char *buffer, size_t size)
{
	uint64_t key = (uintptr_t) method;
	if (monocle__spool_is_named (spool, method))
		return;
	if (key < MONOCLE__RESERVED_KEYS) {
		const char *name = reserved_names[key] ? reserved_names[key] : reserved_names[MONOCLE_KIT_FRAME_UNKNOWN];
		publish (spool, key, &(struct monocle__spool_name) { name, "", strlen (name), 0, MONOCLE__ORIGIN_UNKNOWN });
		return;
	}
	size_t length = spool->name_method (method, buffer, size);
	if (length <= size) {
		publish_text (spool, key, buffer, length);
		return;
	}
	char *larger = take_memory (length);
	size_t second = larger ? spool->name_method (method, larger, length) : 0;
	if (larger && second <= length)
		publish_text (spool, key, larger, second);
	else
		monocle__spool_lose (spool, MONOCLE__LOSS_NAMES, 1);
	if (larger)
		munmap (larger, length);
}

void
monocle__spool_names_reset (monocle_kit_spool *spool)
{
	if (spool->named)
		munmap (spool->named, sizeof *spool->named + ((size_t) spool->named->mask + 1) * sizeof *spool->named->slots);
	spool->named = NULL;
}
