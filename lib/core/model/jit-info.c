/*
 * SPDX-License-Identifier: MIT
 *
 * jit-info.c - pieces of machine code, and which method an address belongs to.
 *
 * Code lies densely, so the address space is cut into granules and each granule has a bucket: a list of the pieces
 * that touch it, newest first. A piece is looked up by walking one bucket. When code is freed its nodes are emptied
 * and later pieces in the same place take them, so the memory is bounded by the code that is alive at one time.
 * Records stay; that of freed code is the next one's of the same method, so that who holds it never sees another
 * method. Any thread, any context: mono_jit_info_table_find () is what a sampling handler calls.
 */
#include "jit-info.h"

#include <stdatomic.h>
#include <stdbool.h>

#include <mono/metadata/appdomain.h>
#include "arena.h"
#include "dispatch/host.h"
#include "first-body.h"
#include "hash.h"
#include "invariant.h"
#include "method.h"
#include "pause.h"
#include "records.h"

enum { GRANULE_BITS = 11, BUCKETS = 1 << 16, SPARES = 1 << 10 };

/* Begins as Mono's does, from which modules read without asking. */
struct _MonoJitInfo {
	MonoMethod *method;
	void *next; /* in Mono's tables; NULL here */
	_Atomic (uintptr_t) start;
	uint32_t unwind; /* where Mono keeps how to unwind it; 0 here */
	_Atomic (uint32_t) size;
	uint64_t flags; /* how many clauses, and of what kind; 0 here */
	void *slot;
	_Atomic (bool) has_inlined;
};

typedef struct node node;

struct node {
	node *next;
	_Atomic (MonoJitInfo *) info; /* NULL: its code was freed */
};

static _Atomic (node *) buckets[BUCKETS];

static _Atomic (node *) *
bucket_of (uintptr_t granule)
{
	return &buckets[granule & (BUCKETS - 1)];
}

/* Records of freed code, by their method: each place keeps the last. */
static _Atomic (MonoJitInfo *) spares[SPARES];

static uintptr_t
start_of (const MonoJitInfo *info)
{
	return atomic_load_explicit (&info->start, memory_order_relaxed);
}

static uint32_t
size_of (const MonoJitInfo *info)
{
	return atomic_load_explicit (&info->size, memory_order_relaxed);
}

static bool
covers (const MonoJitInfo *info, uintptr_t address)
{
	return info && address - start_of (info) < size_of (info);
}

static _Atomic (MonoJitInfo *) *
spare_of (const MonoMethod *method)
{
	return &spares[monocle__hash (0, (uintptr_t) method) >> 32 & (SPARES - 1)];
}

/* The caller's alone; its nodes are gone, but a reader may have found it just before. */
static MonoJitInfo *
take_record (MonoMethod *method)
{
	MonoJitInfo *info = atomic_exchange_explicit (spare_of (method), NULL, memory_order_acq_rel);
	/* What the host wrote into the slot is of code that is gone: such a record is not used again. */
	MONOCLE__INVARIANT (!info || spare_of (info->method) == spare_of (method));
	if (info && info->method == method)
		return info;
	info = monocle__arena_alloc (sizeof *info);
	if (info)
		info->method = method;
	return info;
}

static MonoJitInfo *
find (uintptr_t address)
{
	node *at = atomic_load_explicit (bucket_of (address >> GRANULE_BITS), memory_order_acquire);
	for (; at; at = at->next) {
		MonoJitInfo *info = atomic_load_explicit (&at->info, memory_order_acquire);
		MONOCLE__INVARIANT (!info || (info->method && size_of (info)));
		if (covers (info, address))
			return info;
	}
	return NULL;
}

/* Puts `info` into one bucket: into an empty node when there is one. */
static bool
bucket_add (_Atomic (node *) *bucket, MonoJitInfo *info)
{
	node *head = atomic_load_explicit (bucket, memory_order_acquire);
	for (node *at = head; at; at = at->next) {
		MonoJitInfo *empty = NULL;
		if (!atomic_load_explicit (&at->info, memory_order_relaxed) &&
		    atomic_compare_exchange_strong_explicit (&at->info, &empty, info, memory_order_acq_rel,
		                                             memory_order_relaxed))
			return true;
	}
	node *fresh = monocle__arena_alloc (sizeof *fresh);
	if (!fresh)
		return false;
	atomic_init (&fresh->info, info);
	do
		fresh->next = head;
	while (!atomic_compare_exchange_weak_explicit (bucket, &head, fresh, memory_order_release, memory_order_relaxed));
	return true;
}

static void
bucket_remove (_Atomic (node *) *bucket, MonoJitInfo *info)
{
	for (node *at = atomic_load_explicit (bucket, memory_order_acquire); at; at = at->next) {
		MonoJitInfo *mine = info;
		atomic_compare_exchange_strong_explicit (&at->info, &mine, NULL, memory_order_acq_rel, memory_order_relaxed);
	}
}

static uintptr_t
end_of (const MonoJitInfo *info)
{
	return start_of (info) + size_of (info);
}

static uintptr_t
last_granule (const MonoJitInfo *info)
{
	return (end_of (info) - 1) >> GRANULE_BITS;
}

static void
forget (MonoJitInfo *info)
{
	for (uintptr_t granule = start_of (info) >> GRANULE_BITS; granule <= last_granule (info); granule++)
		bucket_remove (bucket_of (granule), info);
}

/* A runtime may reuse code memory without a word: what overlaps a new piece is gone. */
static void
forget_overlapping (const MonoJitInfo *info)
{
	for (uintptr_t granule = start_of (info) >> GRANULE_BITS; granule <= last_granule (info); granule++) {
		node *at = atomic_load_explicit (bucket_of (granule), memory_order_acquire);
		for (; at; at = at->next) {
			MonoJitInfo *old = atomic_load_explicit (&at->info, memory_order_acquire);
			if (old && start_of (old) < end_of (info) && start_of (info) < end_of (old))
				forget (old);
		}
	}
}

MonoJitInfo *
monocle_jit_info_new (MonoMethod *method, const void *start, uint32_t size)
{
	uintptr_t address = (uintptr_t) start;
	MonoJitInfo *known = find (address);
	if (known && known->method == method && start_of (known) == address && size_of (known) == size)
		return known;
	MonoJitInfo *info = size && address + size > address ? take_record (method) : NULL;
	if (!info)
		return NULL;
	atomic_store_explicit (&info->start, address, memory_order_relaxed);
	atomic_store_explicit (&info->size, size, memory_order_relaxed);
	atomic_store_explicit (&info->has_inlined, false, memory_order_relaxed);
	MONOCLE__INVARIANT (start_of (info) < end_of (info));
	forget_overlapping (info);
	MONOCLE__PAUSE (jit_info_adds);
	for (uintptr_t granule = address >> GRANULE_BITS; granule <= last_granule (info); granule++)
		if (!bucket_add (bucket_of (granule), info))
			return NULL;
	return info;
}

static bool mentions (MonoClass *klass, const MonoImage *image);

static bool
any_mentions (uint32_t count, MonoType *const *types, const MonoImage *image)
{
	for (uint32_t i = 0; i < count; i++)
		if (mentions (types[i]->klass, image))
			return true;
	return false;
}

/* Is the class of this image, or made over one that is? Recursion ends because a class is made after its parts. */
static bool
mentions (MonoClass *klass, const MonoImage *image)
{
	if (!klass)
		return false;
	return atomic_load_explicit (&klass->image, memory_order_relaxed) == image || mentions (klass->element, image) ||
	       any_mentions (klass->count, klass->arguments, image);
}

static bool
is_code_of (const MonoMethod *method, const MonoImage *image)
{
	return method->image == image ||
	       (method->definition && mentions (atomic_load_explicit (&method->klass, memory_order_relaxed), image)) ||
	       any_mentions (method->count, monocle__method_arguments (method), image);
}

void
monocle__jit_info_forget_image (const MonoImage *image)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (node *at = atomic_load_explicit (&buckets[i], memory_order_acquire); at; at = at->next) {
			MonoJitInfo *info = atomic_load_explicit (&at->info, memory_order_acquire);
			if (info && is_code_of (info->method, image))
				forget (info);
		}
}

/* Threads that were told of the code at once may each have made a record of it. */
void
monocle_jit_info_free_code (const void *start)
{
	MonoJitInfo *info;
	while ((info = find ((uintptr_t) start)) && start_of (info) == (uintptr_t) start) {
		forget (info);
		if (!__atomic_load_n (&info->slot, __ATOMIC_RELAXED)) /* what the host wrote there is of that code */
			atomic_store_explicit (spare_of (info->method), info, memory_order_release);
	}
}

MonoJitInfo *
monocle_jit_info_find (const void *address)
{
	return find ((uintptr_t) address);
}

void **
monocle_jit_info_slot (MonoJitInfo *info)
{
	return &info->slot;
}

void
monocle_jit_info_set_inlined (MonoJitInfo *info)
{
	atomic_store_explicit (&info->has_inlined, true, memory_order_relaxed);
}

mono_bool
monocle_jit_info_has_inlined (const MonoJitInfo *info)
{
	return info && atomic_load_explicit (&info->has_inlined, memory_order_relaxed);
}

/* --- mono_jit_info_* ---------------------------------------------------------------------------------------------- */

/* What the host knows by other means becomes a record when it is asked for. */
MonoJitInfo *
monocle__jit_info_at (const void *address)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoJitInfo *info = find ((uintptr_t) address);
	return info || !ops->code_at ? info : ops->code_at (ops->host, address);
}

MonoJitInfo *
mono_jit_info_table_find (MonoDomain *domain, void *address)
{
	MonoJitInfo *info = monocle__jit_info_at (address);
	monocle__first_body_asked (info);
	return info;
}

MonoMethod *
mono_jit_info_get_method (MonoJitInfo *info)
{
	return info ? info->method : NULL;
}

void *
mono_jit_info_get_code_start (MonoJitInfo *info)
{
	return info ? (void *) start_of (info) : NULL;
}

int
mono_jit_info_get_code_size (MonoJitInfo *info)
{
	return info ? (int) size_of (info) : 0;
}
