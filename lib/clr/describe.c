/*
 * SPDX-License-Identifier: MIT
 *
 * describe.c - the core's questions: what metadata knows lib/cli answers, what only the runtime knows is here.
 */
#include "clr.h"

/* The first word of an object is its type handle, which is its ClassID; the low bits are the collector's. */
static MonoClass *
object_class (void *host, MonoObject *object)
{
	return object ? monocle__clr_class (*(const uintptr_t *) object & ~(uintptr_t) 7) : NULL;
}

static uint64_t
object_size (void *host, MonoObject *object)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	SIZE_T size = 0;
	return object && info->vtbl->GetObjectSize2 (info, (ObjectID) object, &size) >= 0 ? size : 0;
}

static int
gc_max_generation (void *host)
{
	return 2;
}

void
monocle__clr_fill_ops (monocle_host_ops *ops)
{
	monocle__cli_init (&monocle__clr_owner);
	monocle__cli_fill_ops (ops);
	monocle__clr_code_ops (ops);
	monocle__clr_object_ops (ops);
	monocle__clr_layout_ops (ops);
	monocle__clr_heap_ops (ops);
}
