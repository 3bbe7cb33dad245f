/*
 * SPDX-License-Identifier: MIT
 *
 * internals.h - what the profiler modules that Mono ships with need beyond Mono's public API.
 *
 * Mono exports these functions to its own modules (log, coverage, aot) without an installed header. Here they are a
 * library of their own, which the loader opens into the global scope only when a module that is about to be opened
 * needs one of the names of names.def: no other module meets them by accident. They stand on the public API and on
 * what <monocle/host.h> exports; nothing of the core is reached otherwise.
 *
 * The layouts are Mono's where modules read or reserve them (Mono 6.8, x86-64): a size that a module reserves may be
 * filled at will up to that size. "sig" means that the function is also called by the handler of the sampling signal,
 * so it takes no lock that an interrupted thread may hold, and no memory from malloc ().
 */
#ifndef MONOCLE_INTERNALS_H
#define MONOCLE_INTERNALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/object.h>
#include <mono/utils/mono-error.h>

/* --- accessor.c: Mono's own names of public functions. Any context ------------------------------------------------ */

MONO_API MonoImage *mono_assembly_get_image_internal (MonoAssembly *assembly);
MONO_API MonoAssemblyName *mono_assembly_get_name_internal (MonoAssembly *assembly);
MONO_API MonoVTable *mono_object_get_vtable_internal (MonoObject *object);
MONO_API MonoClass *mono_vtable_class_internal (MonoVTable *vtable);
MONO_API MonoDomain *mono_vtable_domain_internal (MonoVTable *vtable);
MONO_API MonoClass *mono_class_from_mono_type_internal (MonoType *type);
/* NULL for a token that is none; the error is zeroed by its owner and stays so. */
MONO_API MonoClass *mono_class_get_checked (MonoImage *image, uint32_t token, MonoError *error);
MONO_API MonoMethodSignature *mono_method_signature_internal_slow (MonoMethod *method);
MONO_API MonoMethodSignature *mono_method_signature_checked_slow (MonoMethod *method, MonoError *error);

/* --- generic-context.c, signature-name.c -------------------------------------------------------------------------- */

/* As monocle_class_context () tells; two NULLs for what is no instance. */
struct _MonoGenericContext {
	const void *class_inst, *method_inst;
};

MONO_API MonoGenericContext *mono_class_get_context (MonoClass *klass);
MONO_API MonoGenericContext *mono_method_get_context (MonoMethod *method);
/* "int(string,int)"; the caller frees it. */
MONO_API char *mono_signature_full_name (MonoMethodSignature *signature);

/* --- refusal.c: what is not there outside Mono -------------------------------------------------------------------- */

/* Managed code cannot call into the module: nothing is registered. */
MONO_API void mono_add_internal_call_internal (const char *name, const void *function);
MONO_API char *mono_runtime_get_aotid (void); /* NULL */
typedef mono_bool (*monocle__perfcounter_func) (const char *category, const char *name, unsigned char type,
                                                int64_t value, void *data);
MONO_API void mono_perfcounter_foreach (monocle__perfcounter_func func, void *data); /* there are none */
/* No objects are made in the program's heap: NULL, and a line the first time. */
MONO_API MonoString *mono_string_new_checked (MonoDomain *domain, const char *text, MonoError *error);

/* --- memory.c ----------------------------------------------------------------------------------------------------- */

MONO_API int mono_cpu_count (void);
MONO_API int mono_pagesize (void);
/* Zeroed pages; `flags` as in Mono's mono-mmap.h. NULL without memory. sig. */
MONO_API void *mono_valloc (void *address, size_t length, int flags, int account);
/* 0, or what munmap () answers. `length` may be less than what was asked for: all is given back. */
MONO_API int mono_vfree (void *address, size_t length, int account);

/* --- thread.c ----------------------------------------------------------------------------------------------------- */

typedef struct monocle__internal_thread MonoThreadInfo;
typedef struct _MonoInternalThread MonoInternalThread;

typedef struct {
	void *hazards[3]; /* written and cleared by the module itself */
} MonoThreadHazardPointers;

typedef struct {
	void *stack_top, *stack_bottom;
} MonoStackData;

/* The record of the thread that callbacks here speak for (monocle_thread_self ()), made if it is missing. */
MONO_API MonoThreadInfo *mono_thread_info_attach (void);
MONO_API MonoThreadInfo *mono_thread_info_current_unchecked (void); /* NULL: it has none. sig */
MONO_API int mono_thread_info_register_small_id (void);             /* 1 ... 32767 */
MONO_API void *mono_thread_info_get_tools_data (void);              /* sig */
MONO_API mono_bool mono_thread_info_set_tools_data (void *data);
MONO_API void mono_thread_info_set_flags (int flags); /* 1: no collections, 2: no samples */
MONO_API mono_bool mono_thread_info_yield (void);
MONO_API MonoInternalThread *mono_thread_internal_current (void);
MONO_API size_t mono_thread_set_name (MonoInternalThread *thread, const char *name, size_t length,
                                      const uint16_t *utf16, int flags, MonoError *error);
MONO_API uintptr_t mono_native_thread_id_get (void); /* sig */
MONO_API mono_bool mono_native_thread_create (uintptr_t *ret_tid, void *function, void *argument);
MONO_API MonoThreadHazardPointers *mono_hazard_pointer_get (void); /* sig */

/* Nothing to do: a helper thread is native, and one in a probe stays as it is. See thread.c. */
MONO_API void *mono_threads_enter_gc_safe_region_internal (MonoStackData *stack);
MONO_API void *mono_threads_enter_gc_safe_region_with_info (MonoThreadInfo *info, MonoStackData *stack);
MONO_API void *mono_threads_enter_gc_unsafe_region_with_info (MonoThreadInfo *info, MonoStackData *stack);
MONO_API void mono_threads_exit_gc_safe_region_internal (void *cookie, MonoStackData *stack);
MONO_API void mono_threads_exit_gc_unsafe_region_internal (void *cookie, MonoStackData *stack);

/*
 * Is `pointer` in a hazard slot of any thread? For hazard.c. sig.
 */
bool monocle__thread_holds (const void *pointer);

/* --- hazard.c: memory that other threads may still read ----------------------------------------------------------- */

typedef void (*MonoHazardousFreeFunc) (void *pointer);

/* Frees it now, and answers 1, unless a thread's slot holds it: then it is kept. sig. */
MONO_API mono_bool mono_thread_hazardous_try_free (void *pointer, MonoHazardousFreeFunc free_func);
/* Keeps it. Without memory to note it in, it is never freed. sig. */
MONO_API void mono_thread_hazardous_queue_free (void *pointer, MonoHazardousFreeFunc free_func);
/* Frees what was kept and is held no more. */
MONO_API void mono_thread_hazardous_try_free_all (void);

/* --- list-set.c: a sorted set that is walked without a lock ------------------------------------------------------- */

typedef struct MonoLinkedListSetNode {
	_Atomic (uintptr_t) next; /* its lowest bit: the node is deleted */
	uintptr_t key;
} MonoLinkedListSetNode;

typedef struct {
	_Atomic (uintptr_t) head;
	MonoHazardousFreeFunc free_func; /* of nodes that are unlinked; NULL: they are the remover's */
} MonoLinkedListSet;

MONO_API void mono_lls_init (MonoLinkedListSet *set, MonoHazardousFreeFunc free_func);
/* 0: a node with that key is there. */
MONO_API mono_bool mono_lls_insert (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards,
                                    MonoLinkedListSetNode *node);
/* 0: the node is not in it. Frees what was kept earlier. */
MONO_API mono_bool mono_lls_remove (MonoLinkedListSet *set, MonoThreadHazardPointers *hazards,
                                    MonoLinkedListSetNode *node);
/* What `place` holds, with its bits, once a slot holds it without its two lowest bits. sig. */
MONO_API void *mono_lls_get_hazardous_pointer_with_mask (void **place, MonoThreadHazardPointers *hazards, int slot);

/* --- lock-free-queue.c: first in, first out. sig ------------------------------------------------------------------ */

typedef struct MonoLockFreeQueueNode {
	_Atomic (struct MonoLockFreeQueueNode *) next;
} MonoLockFreeQueueNode;

enum { MONOCLE__QUEUE_SIZE = 56 };

typedef struct {
	_Atomic (MonoLockFreeQueueNode *) pushed; /* by any thread; the newest first */
	MonoLockFreeQueueNode *ready;             /* of the thread that has `taken`; the oldest first */
	atomic_flag taken;
	unsigned char reserved[MONOCLE__QUEUE_SIZE - 3 * sizeof (void *)];
} MonoLockFreeQueue;

MONO_API void mono_lock_free_queue_init (MonoLockFreeQueue *queue);
/* A poisoned node is not ready to be enqueued. */
MONO_API void mono_lock_free_queue_node_init (MonoLockFreeQueueNode *node, mono_bool poison);
MONO_API void mono_lock_free_queue_node_unpoison (MonoLockFreeQueueNode *node);
MONO_API void mono_lock_free_queue_enqueue (MonoLockFreeQueue *queue, MonoLockFreeQueueNode *node);
/* NULL: it is empty, or another thread takes from it just now. A node is the caller's from then on. */
MONO_API MonoLockFreeQueueNode *mono_lock_free_queue_dequeue (MonoLockFreeQueue *queue);

/* --- lock-free-alloc.c: slots of one size. sig -------------------------------------------------------------------- */

typedef struct {
	unsigned char reserved[MONOCLE__QUEUE_SIZE];
	unsigned slot_size, block_size;
} MonoLockFreeAllocSizeClass;

typedef struct {
	MonoLockFreeAllocSizeClass *size_class;
	_Atomic (uint64_t) free; /* the topmost free slot, and how often that changed */
	void *reserved;
} MonoLockFreeAllocator;

/* A block size is a power of two; with another one there are no slots. */
MONO_API void mono_lock_free_allocator_init_size_class (MonoLockFreeAllocSizeClass *size_class, unsigned slot_size,
                                                        unsigned block_size);
MONO_API void mono_lock_free_allocator_init_allocator (MonoLockFreeAllocator *heap,
                                                       MonoLockFreeAllocSizeClass *size_class, int account);
MONO_API void *mono_lock_free_alloc (MonoLockFreeAllocator *heap); /* not zeroed; NULL without memory */
MONO_API void mono_lock_free_free (void *slot, size_t block_size);

/* --- conc-hash-table.c: read without a lock, beside one writer ---------------------------------------------------- */

typedef struct MonoConcurrentHashTable MonoConcurrentHashTable;
typedef unsigned (*MonoConcHashFunc) (const void *key);
typedef mono_bool (*MonoConcEqualFunc) (const void *a, const void *b);
typedef void (*MonoConcVisitFunc) (void *key, void *value, void *data);

/* NULL functions: by pointer. NULL without memory; such a table is empty and stays so. */
MONO_API MonoConcurrentHashTable *mono_conc_hashtable_new (MonoConcHashFunc hash, MonoConcEqualFunc equal);
MONO_API void mono_conc_hashtable_destroy (MonoConcurrentHashTable *table);
MONO_API void *mono_conc_hashtable_lookup (MonoConcurrentHashTable *table, void *key); /* any context */
/*
 * The value that the key has already, which stays; else NULL, and it has this one, unless there is no memory. Neither
 * may be NULL. Callers hold a lock of theirs.
 */
MONO_API void *mono_conc_hashtable_insert (MonoConcurrentHashTable *table, void *key, void *value);
MONO_API void mono_conc_hashtable_foreach (MonoConcurrentHashTable *table, MonoConcVisitFunc func, void *data);

/* --- os-event.c: an event that stays set -------------------------------------------------------------------------- */

typedef struct {
	void *reserved;
	mono_bool signalled;
} MonoOSEvent;

enum { MONO_OS_EVENT_WAIT_RET_SUCCESS_0 = 0, MONO_OS_EVENT_WAIT_RET_ALERTED = -1, MONO_OS_EVENT_WAIT_RET_TIMEOUT = -2 };

MONO_API void mono_os_event_init (MonoOSEvent *event, mono_bool initial);
MONO_API void mono_os_event_set (MonoOSEvent *event);
/* 0xFFFFFFFF: waits for ever. Nothing alerts a thread. */
MONO_API int mono_os_event_wait_one (MonoOSEvent *event, uint32_t timeout_ms, mono_bool alertable);
MONO_API void mono_os_event_destroy (MonoOSEvent *event);

/* --- callspec.c: which methods a module wants --------------------------------------------------------------------- */

typedef struct {
	int length; /* 0: everything is wanted; read by modules */
	mono_bool enabled;
	void *items;
} MonoCallSpec;

MONO_API mono_bool mono_callspec_parse (const char *options, MonoCallSpec *ret_spec, char **ret_error);
MONO_API mono_bool mono_callspec_eval (MonoMethod *method, const MonoCallSpec *spec);
MONO_API void mono_callspec_cleanup (MonoCallSpec *spec);

#endif
