/*
 * SPDX-License-Identifier: MIT
 *
 * object.c - what can be said of an object without touching it: its class and size. And the collector as the host
 * shows it.
 *
 * Looking at an object is allowed wherever the host says so for its object_class operation.
 */
#include "records.h"

#include <mono/metadata/mono-gc.h>

MonoClass *
mono_object_get_class (MonoObject *object)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	return object && ops->object_class ? ops->object_class (ops->host, object) : NULL;
}

MonoVTable *
mono_object_get_vtable (MonoObject *object)
{
	MonoClass *klass = mono_object_get_class (object);
	return klass ? &klass->vtable : NULL;
}

MonoDomain *
mono_object_get_domain (MonoObject *object)
{
	return object ? monocle_domain_root () : NULL;
}

unsigned
mono_object_get_size (MonoObject *object)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!object)
		return 0;
	if (ops->object_size)
		return (unsigned) ops->object_size (ops->host, object);
	MONOCLE__LOG_ONCE ("mono_object_get_size is not served by this host; it returned 0");
	return 0;
}

MonoClass *
mono_vtable_class (MonoVTable *vtable)
{
	return vtable ? vtable->klass : NULL;
}

MonoDomain *
mono_vtable_domain (MonoVTable *vtable)
{
	return vtable ? monocle_domain_root () : NULL;
}

MonoVTable *
mono_class_vtable (MonoDomain *domain, MonoClass *klass)
{
	return klass ? &klass->vtable : NULL;
}

/* --- mono_gc_*: normal context ------------------------------------------------------------------------------------ */

void
mono_gc_collect (int generation)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (ops->gc_collect)
		ops->gc_collect (ops->host, generation);
	else
		MONOCLE__LOG_ONCE ("mono_gc_collect is not served by this host; nothing was collected");
}

int
mono_gc_max_generation (void)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	return ops->gc_max_generation ? ops->gc_max_generation (ops->host) : 0;
}

static int64_t
heap_size (int used)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	return ops->gc_heap_size ? ops->gc_heap_size (ops->host, used) : 0;
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
