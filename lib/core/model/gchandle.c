/*
 * SPDX-License-Identifier: MIT
 *
 * gchandle.c - Mono's 32-bit handles over the host's references.
 *
 * Mono's number is (index << 3) | (type + 1), with a count of indices for each type; so is ours, and 0 is not a handle.
 * An entry holds the host's reference while its handle lives; free entries form a stack for each type. The stack's head
 * carries a tag that changes with every take, so that an entry which was taken and given back meanwhile is noticed.
 * No locks: handles are made in callbacks that run while a thread cannot be stopped.
 */
#include <mono/metadata/mono-gc.h>
#include "arena.h"
#include "dispatch/host.h"
#include "invariant.h"
#include "log.h"
#include "publish.h"
#include "table.h"

enum { TYPE_BITS = 3, TYPE_MASK = (1 << TYPE_BITS) - 1 };
/* The index of the first handle that the host numbers. The program and the runtime made them. */
enum { FIRST_OF_HOST = 1 << 24 };

typedef struct {
	_Atomic (void *) reference; /* NULL: free, or being made */
	_Atomic (uint32_t) next;    /* row of the next free entry, 0: none */
} entry;

static struct {
	monocle__table entries;  /* index + 1 is the row */
	_Atomic (uint32_t) rows; /* taken so far */
	_Atomic (uint64_t) free; /* tag << 32 | row */
} types[MONO_GC_HANDLE_TYPE_MAX];

/* clang-format off */
static const monocle_ref_kind kinds[] = {
	[MONO_GC_HANDLE_WEAK]                    = MONOCLE_REF_WEAK,
	[MONO_GC_HANDLE_WEAK_TRACK_RESURRECTION] = MONOCLE_REF_WEAK_TRACKING,
	[MONO_GC_HANDLE_NORMAL]                  = MONOCLE_REF_STRONG,
	[MONO_GC_HANDLE_PINNED]                  = MONOCLE_REF_PINNED,
};
/* clang-format on */

/* NULL: there is none, or with `make` no memory. */
static entry *
entry_at (int type, uint32_t row, bool make)
{
	_Atomic (void *) *slot = monocle__table_slot (&types[type].entries, row, make);
	void *known = slot ? atomic_load_explicit (slot, memory_order_acquire) : NULL;
	if (known || !slot || !make)
		return known;
	entry *fresh = monocle__arena_alloc (sizeof *fresh);
	return MONOCLE__PUBLISH (slot, fresh);
}

static uint32_t
take_free (int type)
{
	uint64_t head = atomic_load_explicit (&types[type].free, memory_order_acquire), next;
	do {
		uint32_t row = (uint32_t) head;
		entry *first = row ? entry_at (type, row, false) : NULL;
		if (!first)
			return 0;
		MONOCLE__INVARIANT (row <= atomic_load (&types[type].rows));
		next = ((head >> 32) + 1) << 32 | atomic_load (&first->next);
	} while (!atomic_compare_exchange_weak_explicit (&types[type].free, &head, next, memory_order_acq_rel,
	                                                 memory_order_acquire));
	return (uint32_t) head;
}

static void
give_back (int type, uint32_t row)
{
	MONOCLE__INVARIANT (row && row <= atomic_load (&types[type].rows));
	entry *own = entry_at (type, row, false);
	uint64_t head = atomic_load_explicit (&types[type].free, memory_order_acquire);
	do
		atomic_store (&own->next, (uint32_t) head);
	while (!atomic_compare_exchange_weak_explicit (&types[type].free, &head, (head >> 32 << 32) | row,
	                                               memory_order_acq_rel, memory_order_acquire));
}

static uint32_t
take_row (int type)
{
	uint32_t row = take_free (type);
	if (row)
		return row;
	row = atomic_fetch_add (&types[type].rows, 1) + 1;
	return entry_at (type, row, true) ? row : 0;
}

static uint32_t
handle_new (MonoObject *object, MonoGCHandleType type)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!ops->ref_new || !ops->ref_target || !ops->ref_free) {
		MONOCLE__LOG_ONCE ("handles to objects are not served by this host; mono_gchandle_new returned 0");
		return 0;
	}
	void *reference = ops->ref_new (ops->host, object, kinds[type]);
	uint32_t row = reference ? take_row (type) : 0;
	if (!row) {
		if (reference)
			ops->ref_free (ops->host, reference);
		return 0;
	}
	MONOCLE__INVARIANT (!atomic_load (&entry_at (type, row, false)->reference)); /* free, or being made */
	atomic_store_explicit (&entry_at (type, row, false)->reference, reference, memory_order_release);
	uint32_t handle = (row - 1) << TYPE_BITS | ((uint32_t) type + 1);
	MONOCLE__INVARIANT (handle >> TYPE_BITS == row - 1 && (handle & TYPE_MASK) == (uint32_t) type + 1);
	monocle_raise_gc_handle_created (handle, type, object);
	return handle;
}

/* NULL: no such handle was ever made. */
static entry *
entry_of (uint32_t handle, int *ret_type)
{
	*ret_type = (int) (handle & TYPE_MASK) - 1;
	return *ret_type >= 0 && *ret_type < MONO_GC_HANDLE_TYPE_MAX
	         ? entry_at (*ret_type, (handle >> TYPE_BITS) + 1, false)
	         : NULL;
}

uint32_t
mono_gchandle_new (MonoObject *object, mono_bool pinned)
{
	return handle_new (object, pinned ? MONO_GC_HANDLE_PINNED : MONO_GC_HANDLE_NORMAL);
}

uint32_t
mono_gchandle_new_weakref (MonoObject *object, mono_bool track_resurrection)
{
	return handle_new (object, track_resurrection ? MONO_GC_HANDLE_WEAK_TRACK_RESURRECTION : MONO_GC_HANDLE_WEAK);
}

MonoObject *
mono_gchandle_get_target (uint32_t handle)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	int type;
	entry *own = entry_of (handle, &type);
	void *reference = own ? atomic_load_explicit (&own->reference, memory_order_acquire) : NULL;
	if (handle >> TYPE_BITS >= FIRST_OF_HOST)
		return ops->gchandle_target ? ops->gchandle_target (ops->host, handle) : NULL;
	return reference ? ops->ref_target (ops->host, reference) : NULL;
}

/* Freeing twice is nothing the second time, as long as the number was not taken since. */
void
mono_gchandle_free (uint32_t handle)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	int type;
	entry *own = entry_of (handle, &type);
	void *reference = own ? atomic_exchange_explicit (&own->reference, NULL, memory_order_acq_rel) : NULL;
	if (!reference)
		return;
	MONOCLE__INVARIANT (!atomic_load (&own->next) || entry_at (type, atomic_load (&own->next), false));
	ops->ref_free (ops->host, reference);
	give_back (type, (handle >> TYPE_BITS) + 1);
	monocle_raise_gc_handle_deleted (handle, type);
}
