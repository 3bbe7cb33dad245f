/*
 * SPDX-License-Identifier: MIT
 *
 * gc.c - the collector as the host shows it.
 *
 * Generations are the host's: mono_gc_max_generation () says how many there are. What a host cannot tell is 0, as the
 * headers say; the generation of an object that it cannot tell is -1.
 */
#include <limits.h>
#include <mono/metadata/mono-gc.h>
#include "dispatch/host.h"
#include "log.h"

void
mono_gc_collect (int generation)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (ops->gc_collect)
		ops->gc_collect (ops->host, generation);
	else
		MONOCLE__LOG_ONCE ("mono_gc_collect is not served by this host; nothing was collected");
}

void
mono_gc_finalize_notify (void)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (ops->gc_finalize_notify)
		ops->gc_finalize_notify (ops->host);
	else
		MONOCLE__LOG_ONCE ("mono_gc_finalize_notify is not served by this host; nothing was woken");
}

int
mono_gc_max_generation (void)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	return ops->gc_max_generation ? ops->gc_max_generation (ops->host) : 0;
}

int
mono_gc_get_generation (MonoObject *object)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!object)
		return -1;
	if (ops->object_generation)
		return ops->object_generation (ops->host, object);
	MONOCLE__LOG_ONCE ("mono_gc_get_generation is not served by this host; it returned -1");
	return -1;
}

/* As on Mono, what is above the oldest generation counts as the oldest. */
int
mono_gc_collection_count (int generation)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	int oldest = mono_gc_max_generation ();
	int64_t count = -1;
	if (ops->gc_collection_count && generation >= 0)
		count = ops->gc_collection_count (ops->host, generation < oldest ? generation : oldest);
	if (count < 0 && !ops->gc_collection_count)
		MONOCLE__LOG_ONCE ("mono_gc_collection_count is not served by this host; it returned 0");
	return count < 0 ? 0 : count > INT_MAX ? INT_MAX : (int) count;
}

static int64_t
heap_size (int used)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	int64_t size = ops->gc_heap_size ? ops->gc_heap_size (ops->host, used) : 0;
	return size > 0 ? size : 0;
}

int64_t
mono_gc_get_heap_size (void)
{
	return heap_size (0);
}

int64_t
mono_gc_get_used_size (void)
{
	return heap_size (1);
}

/* --- walking ------------------------------------------------------------------------------------------------------ */

static void
complain (int result)
{
	if (result == MONOCLE_E_REFUSED)
		MONOCLE__LOG_ONCE ("mono_gc_walk_heap is for gc_event, when the world is about to start; elsewhere it fails");
	else if (result == MONOCLE_E_BUSY)
		MONOCLE__LOG_ONCE ("mono_gc_walk_heap: a collection in the background is at work on the heap; it failed");
	else
		MONOCLE__LOG_ONCE ("mono_gc_walk_heap: the heap cannot be walked (%d); it failed", result);
}

int
mono_gc_walk_heap (int flags, MonoGCReferences callback, void *data)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!ops->gc_walk_heap) {
		MONOCLE__LOG_ONCE ("mono_gc_walk_heap is not served by this host; it failed");
		return 1;
	}
	int result = callback ? ops->gc_walk_heap (ops->host, callback, data) : MONOCLE_E_INVALID;
	if (result)
		complain (result);
	return result != 0;
}
