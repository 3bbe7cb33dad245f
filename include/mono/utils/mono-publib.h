/*
 * SPDX-License-Identifier: MIT
 *
 * mono-publib.h - what every header of the module API needs: linkage, visibility, small types, the allocator.
 *
 * These headers declare Mono's public API for profiler modules. Names, types and values are Mono's, so that one source
 * compiles against either header set and one binary binds to whichever runtime is in the process. The text is ours.
 *
 * Words used by the comments in all of these headers:
 *
 *   any context     Async-safe: may be called everywhere, in a signal handler, a call probe, a stopped world.
 *   not async-safe  Takes or gives back memory: everywhere but in signal handlers and stopped worlds.
 *   normal context  A thread the runtime knows, outside signal handlers and stopped worlds; not inside call events
 *                   (method_enter ...) and gc_allocation, where the collector may wait for the thread; not where
 *                   something is half loaded (image_loaded, class_loading ...); not before there is a runtime.
 *   init window     Inside mono_profiler_init_NAME () only (an embedder: before the runtime starts).
 *   borrowed        The caller must not free the result. It stays valid as long as what it was asked of; outside
 *                   Mono, for ever. Records (MonoImage, MonoClass, MonoMethod, MonoThread ...) are borrowed unless a
 *                   comment says that a reference is taken; managed objects belong to the collector.
 *   caller frees    With mono_free ().
 *
 * The comments state Mono's contract. Outside Mono a function that no host can serve is there all the same: its first
 * call is logged by name, and every call returns the failure that is documented here, or else 0, NULL, nothing. Those
 * that are "served by hosts that run managed code" create or run managed things. `lib/core/model/refusals.def` lists
 * all that libmonocle refuses. MONOCLE_CHECK=1 holds a module's calls against these words
 * (lib/core/check/contracts.def).
 */
#ifndef MONO_UTILS_PUBLIB_H
#define MONO_UTILS_PUBLIB_H

#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
#define MONO_BEGIN_DECLS extern "C" {
#define MONO_END_DECLS   }
#define MONO_EXTERN_C    extern "C"
#else
#define MONO_BEGIN_DECLS
#define MONO_END_DECLS
#define MONO_EXTERN_C
#endif

#if defined(__GNUC__) || defined(__clang__)
#define MONO_API_EXPORT __attribute__ ((__visibility__ ("default")))
#define MONO_API_IMPORT __attribute__ ((__visibility__ ("default")))
#define _MONO_DEPRECATED __attribute__ ((__deprecated__))
#else
#define MONO_API_EXPORT
#define MONO_API_IMPORT
#define _MONO_DEPRECATED
#endif

/*
 * MONO_API marks what crosses the border of a library. Modules put it before their own entry point as well, hence the
 * default visibility (a module is often built with -fvisibility=hidden) and the C linkage.
 */
#define MONO_API_NO_EXTERN_C MONO_API_EXPORT
#define MONO_API             MONO_EXTERN_C MONO_API_NO_EXTERN_C
#ifdef __cplusplus
#define MONO_API_DATA        MONO_API
#else
#define MONO_API_DATA        extern MONO_API
#endif

/* Markers that Mono's headers use for its own build; without meaning in a module. */
#define MONO_RT_EXTERNAL_ONLY
#define MONO_RT_MANAGED_ATTR
#define MONO_DEPRECATED   MONO_API MONO_RT_EXTERNAL_ONLY _MONO_DEPRECATED
#define MONO_CONST_RETURN const

/* Before what ISO C or C++ lacks, so that -pedantic is silent. */
#ifdef __GNUC__
#define MONO_EXTENSION __extension__
#else
#define MONO_EXTENSION
#endif

/* The length of a trailing array member. Define it before the first include for a compiler without empty arrays. */
#ifndef MONO_ZERO_LEN_ARRAY
#ifdef __GNUC__
#define MONO_ZERO_LEN_ARRAY 0
#else
#define MONO_ZERO_LEN_ARRAY 1
#endif
#endif

MONO_BEGIN_DECLS

typedef int32_t   mono_bool;     /* 0 or not 0; four bytes in every ABI */
typedef uint8_t   mono_byte;
typedef mono_byte MonoBoolean;
typedef uint16_t  mono_unichar2; /* one UTF-16 code unit */
typedef uint32_t  mono_unichar4; /* one code point */

typedef void (*MonoFunc) (void *data, void *user_data);
typedef void (*MonoHFunc) (void *key, void *value, void *user_data);

/*
 * Frees what a function handed out as "caller frees". NULL is ignored. Equal to free () unless an embedder of Mono
 * installed another allocator: use this one. Not async-safe.
 */
MONO_API void mono_free (void *);

#define MONO_ALLOCATOR_VTABLE_VERSION 1

typedef struct {
	int version; /* MONO_ALLOCATOR_VTABLE_VERSION */
	void *(*malloc) (size_t size);
	void *(*realloc) (void *mem, size_t count);
	void (*free) (void *mem);
	void *(*calloc) (size_t count, size_t size);
} MonoAllocatorVTable;

/*
 * Replaces Mono's allocator; for embedders of Mono, before anything else. Returns nonzero when it was taken. Outside
 * Mono it is refused (0): there the allocator is libc's. Not async-safe.
 */
MONO_API mono_bool mono_set_allocator_vtable (MonoAllocatorVTable *vtable);

MONO_END_DECLS

#endif
