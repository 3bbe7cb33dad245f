/*
 * SPDX-License-Identifier: MIT
 *
 * roots.c - what keeps objects alive, as each collection finds it.
 *
 * The runtime says of a root what kind it is and which object it leads to, not where it lies: a reference on a stack
 * may be in a register, and whose stack it is is not told. So each kind is registered as one root with a made-up
 * address, as Mono does for its finalizer queues, and every reference is said to lie there. World stopped, on the
 * thread that reports the collection.
 *
 * COR_PRF_MONITOR_GC brings them in each collection, switches concurrent collections off and must be asked for in the
 * init window. It would also walk the whole heap after each collection: that is refused at the first object. Who asks
 * later gets those that the runtime's events tell, which it does in a collection that a profiler has asked for, as
 * modules do for a shot of the heap.
 */
#include "roots.h"
#include <monocle/host.h>
#include "invariant.h"
#include "state.h"
#include "voice.h"

enum {
	BATCH = 32, /* so many Mono tells at once */
	FINALIZER_QUEUE = 1,
	STACKS = 5,
	HANDLES,
	OTHERS,
};

/* By COR_PRF_GC_ROOT_KIND. */
static const struct {
	uintptr_t address;
	MonoGCRootSource source;
	const char *name;
} kinds[] = {
	[COR_PRF_GC_ROOT_OTHER] = { OTHERS, MONO_ROOT_SOURCE_EXTERNAL, "Other" },
	[COR_PRF_GC_ROOT_STACK] = { STACKS, MONO_ROOT_SOURCE_STACK, "Thread Stack" },
	[COR_PRF_GC_ROOT_FINALIZER] = { FINALIZER_QUEUE, MONO_ROOT_SOURCE_FINALIZER_QUEUE, "Finalizer Queue" },
	[COR_PRF_GC_ROOT_HANDLE] = { HANDLES, MONO_ROOT_SOURCE_GC_HANDLE, "GC Handles" },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

void
monocle__roots_register (void)
{
	for (int kind = 0; kind < KINDS && monocle__clr_listened (MONOCLE_EVENT_gc_root_register); kind++)
		monocle_raise_gc_root_register ((const mono_byte *) kinds[kind].address, 1, kinds[kind].source, NULL,
		                                kinds[kind].name);
}

typedef struct {
	ULONG count;
	const ObjectID *objects;
	const COR_PRF_GC_ROOT_KIND *kinds;
	const COR_PRF_GC_ROOT_FLAGS *flags;
} found;

static void
tell (void *data)
{
	const found *f = data;
	const mono_byte *addresses[BATCH];
	MonoObject *kept[BATCH];
	uint64_t used = 0;
	for (ULONG i = 0; i < f->count && monocle__clr_listened (MONOCLE_EVENT_gc_roots); i++) {
		if (!f->objects[i] || f->flags[i] & COR_PRF_GC_ROOT_WEAKREF)
			continue;
		MONOCLE__INVARIANT (used < BATCH);
		addresses[used] = (const mono_byte *) kinds[f->kinds[i] < KINDS ? f->kinds[i] : 0].address;
		kept[used++] = (MonoObject *) f->objects[i];
		if (used == BATCH) {
			monocle_raise_gc_roots (used, addresses, kept);
			used = 0;
		}
	}
	if (used)
		monocle_raise_gc_roots (used, addresses, kept);
}

HRESULT
monocle__callback_RootReferences2 (ICorProfilerCallback11 *self, ULONG count, ObjectID objects[],
                                   COR_PRF_GC_ROOT_KIND of_kinds[], COR_PRF_GC_ROOT_FLAGS flags[], UINT_PTR ids[])
{
	found f = { count, objects, of_kinds, flags };
	if (count && monocle__clr_listened (MONOCLE_EVENT_gc_roots))
		monocle__voice_say (tell, &f);
	return S_OK;
}

/* The objects themselves are not wanted: an error ends the walk over the heap. */
HRESULT
monocle__callback_ObjectReferences (ICorProfilerCallback11 *self, ObjectID object, ClassID klass, ULONG count,
                                    ObjectID references[])
{
	return E_FAIL;
}

/* Kinds and flags as the runtime's events number them. */
void
monocle__roots_found (uint32_t count, ObjectID *objects, const uint8_t *of_kinds, const uint32_t *of_flags)
{
	enum { WEAK = 2 };
	static const COR_PRF_GC_ROOT_KIND known[] = { COR_PRF_GC_ROOT_STACK, COR_PRF_GC_ROOT_FINALIZER,
		                                          COR_PRF_GC_ROOT_HANDLE };
	COR_PRF_GC_ROOT_KIND to_kinds[BATCH];
	COR_PRF_GC_ROOT_FLAGS to_flags[BATCH];
	MONOCLE__INVARIANT (count <= BATCH);
	for (uint32_t i = 0; i < count; i++) {
		to_kinds[i] = of_kinds[i] < sizeof known / sizeof *known ? known[of_kinds[i]] : COR_PRF_GC_ROOT_OTHER;
		to_flags[i] = of_flags[i] & WEAK ? COR_PRF_GC_ROOT_WEAKREF : 0;
	}
	monocle__callback_RootReferences2 (NULL, count, objects, to_kinds, to_flags, NULL);
}
