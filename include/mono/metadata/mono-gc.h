/*
 * SPDX-License-Identifier: MIT
 *
 * mono-gc.h - the garbage collector.
 */
#ifndef MONO_METADATA_MONO_GC_H
#define MONO_METADATA_MONO_GC_H

#include <mono/metadata/object.h>

MONO_BEGIN_DECLS

/*
 * One object of a heap walk, and `num` of the references in it with their byte offsets. An object with many references
 * comes in several calls: the first has its size, the others size 0. The result is ignored. The world is stopped: no
 * allocation, no lock, no call but plain reads.
 */
typedef int (*MonoGCReferences) (MonoObject *obj, MonoClass *klass, uintptr_t size, uintptr_t num, MonoObject **refs,
                                 uintptr_t *offsets, void *data);

/* Why memory is a root; the meaning of `key` in gc_root_register depends on it. */
typedef enum {
	MONO_ROOT_SOURCE_EXTERNAL        = 0,  /* key: whatever the embedder said */
	MONO_ROOT_SOURCE_STACK           = 1,  /* key: tid */
	MONO_ROOT_SOURCE_FINALIZER_QUEUE = 2,
	MONO_ROOT_SOURCE_STATIC          = 3,  /* key: MonoVTable or MonoClass */
	MONO_ROOT_SOURCE_THREAD_STATIC   = 4,  /* key: tid */
	MONO_ROOT_SOURCE_CONTEXT_STATIC  = 5,  /* key: MonoAppContext */
	MONO_ROOT_SOURCE_GC_HANDLE       = 6,
	MONO_ROOT_SOURCE_JIT             = 7,
	MONO_ROOT_SOURCE_THREADING       = 8,  /* key: tid or 0 */
	MONO_ROOT_SOURCE_DOMAIN          = 9,  /* key: MonoDomain */
	MONO_ROOT_SOURCE_REFLECTION      = 10, /* key: MonoVTable and others */
	MONO_ROOT_SOURCE_MARSHAL         = 11,
	MONO_ROOT_SOURCE_THREAD_POOL     = 12,
	MONO_ROOT_SOURCE_DEBUGGER        = 13,
	MONO_ROOT_SOURCE_HANDLE          = 14, /* key: tid */
	MONO_ROOT_SOURCE_EPHEMERON       = 15,
	MONO_ROOT_SOURCE_TOGGLEREF       = 16,
} MonoGCRootSource;

typedef enum {
	MONO_GC_HANDLE_TYPE_MIN                = 0,
	MONO_GC_HANDLE_WEAK                    = MONO_GC_HANDLE_TYPE_MIN,
	MONO_GC_HANDLE_WEAK_TRACK_RESURRECTION = 1,
	MONO_GC_HANDLE_NORMAL                  = 2,
	MONO_GC_HANDLE_PINNED                  = 3,
	MONO_GC_HANDLE_TYPE_MAX                = 4,
} MonoGCHandleType;

/* Collects that generation and the younger ones, now. Normal context, on a thread that the runtime knows. */
MONO_API void mono_gc_collect (int generation);
/* Number of the oldest generation: 1 in Mono, 2 on CoreCLR. Compare with it to tell major collections. Any context. */
MONO_API int mono_gc_max_generation (void);
/* The generation an object is in, -1 where the runtime does not tell; also while the world is stopped. Any context. */
MONO_API int mono_gc_get_generation (MonoObject *object);
/*
 * How many collections of that generation there were; what is above the oldest counts as the oldest. On Mono a
 * collection of generation 1 is none of generation 0; on CoreCLR it is, as GC.CollectionCount () says there. Any
 * context.
 */
MONO_API int mono_gc_collection_count (int generation);
/* Bytes in use, bytes taken from the system. 0 where the runtime does not tell. Normal context. */
MONO_API int64_t mono_gc_get_used_size (void);
MONO_API int64_t mono_gc_get_heap_size (void);
/* Nonzero when objects wait for their finalizers. Normal context. */
MONO_API MonoBoolean mono_gc_pending_finalizers (void);
/* Wakes the finalizer thread, which raises gc_finalizing and gc_finalized even without work. Any context. */
MONO_API void mono_gc_finalize_notify (void);
/* Runs waiting finalizers on the calling thread; returns how many. Normal context. */
MONO_API int mono_gc_invoke_finalizers (void);
/*
 * Calls `callback` for every object, with its size and those of its fields and elements that refer to something: where
 * each lies, from the object's address, and what it refers to. References come at most 128 at a time; further calls for
 * the same object have size 0. A size is what the object takes on the heap, no less than mono_object_get_size ()
 * rounded up to 8, and on CoreCLR exactly that. Offset 0: not in the object, but what keeps its class (CoreCLR only).
 *
 * Only inside gc_event with MONO_GC_EVENT_PRE_START_WORLD of a serial collection of the oldest generation, on the
 * thread that it is raised on. `callback` runs in a stopped world: no allocation, no lock, no call but those for any
 * context. What it returns is ignored, `flags` is 0. Returns 0, nonzero when it cannot be done; what was met by then
 * has been told.
 */
MONO_API int mono_gc_walk_heap (int flags, MonoGCReferences callback, void *data);

MONO_END_DECLS

#endif
