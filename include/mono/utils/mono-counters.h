/*
 * SPDX-License-Identifier: MIT
 *
 * mono-counters.h - the registry of counters. Not async-safe; from the init window on.
 */
#ifndef MONO_UTILS_COUNTERS_H
#define MONO_UTILS_COUNTERS_H

#include <stdio.h>
#include <mono/utils/mono-publib.h>

/* The `type` word of a counter is one type, one section, one unit and one variance, ORed. */
MONO_EXTENSION enum {
	/* types */
	MONO_COUNTER_INT           = 0, /* int32_t */
	MONO_COUNTER_UINT          = 1, /* uint32_t */
	MONO_COUNTER_WORD          = 2, /* intptr_t */
	MONO_COUNTER_LONG          = 3, /* int64_t */
	MONO_COUNTER_ULONG         = 4, /* uint64_t */
	MONO_COUNTER_DOUBLE        = 5,
	MONO_COUNTER_STRING        = 6, /* char []: the address is that of the text, its size is registered with it */
	MONO_COUNTER_TIME_INTERVAL = 7, /* int64_t, microseconds */
	MONO_COUNTER_TYPE_MASK     = 0xf,
	MONO_COUNTER_CALLBACK      = 128, /* the address is a function that returns the value */

	/* sections */
	MONO_COUNTER_SECTION_MASK  = 0x00ffff00,
	MONO_COUNTER_JIT           = 1 << 8,
	MONO_COUNTER_GC            = 1 << 9,
	MONO_COUNTER_METADATA      = 1 << 10,
	MONO_COUNTER_GENERICS      = 1 << 11,
	MONO_COUNTER_SECURITY      = 1 << 12,
	MONO_COUNTER_RUNTIME       = 1 << 13,
	MONO_COUNTER_SYSTEM        = 1 << 14,
	MONO_COUNTER_PERFCOUNTERS  = 1 << 15,
	MONO_COUNTER_PROFILER      = 1 << 16,
	MONO_COUNTER_INTERP        = 1 << 17,
	MONO_COUNTER_LAST_SECTION  = (1 << 17) + 1,

	/* units */
	MONO_COUNTER_UNIT_SHIFT    = 24,
	MONO_COUNTER_UNIT_MASK     = 0xFu << MONO_COUNTER_UNIT_SHIFT,
	MONO_COUNTER_RAW           = 0 << 24,
	MONO_COUNTER_BYTES         = 1 << 24,
	MONO_COUNTER_TIME          = 2 << 24, /* 100 ns */
	MONO_COUNTER_COUNT         = 3 << 24,
	MONO_COUNTER_PERCENTAGE    = 4 << 24, /* 0 to 1 */

	/* variances */
	MONO_COUNTER_VARIANCE_SHIFT = 28,
	MONO_COUNTER_VARIANCE_MASK  = 0xFu << MONO_COUNTER_VARIANCE_SHIFT,
	MONO_COUNTER_MONOTONIC      = 1 << 28,
	MONO_COUNTER_CONSTANT       = 1 << 29,
	MONO_COUNTER_VARIABLE       = 1 << 30,
};

MONO_BEGIN_DECLS

typedef struct _MonoCounter MonoCounter;

/*
 * Registers a counter; the name is copied, the address is read whenever counters are sampled. The second form is for
 * strings of a known size.
 */
MONO_API void mono_counters_register (const char *descr, int type, void *addr);
MONO_API void mono_counters_register_with_size (const char *name, int type, void *addr, int size);

/* Called for each counter registered from now on; mono_counters_foreach () gives those there are. */
typedef void (*MonoCounterRegisterCallback) (MonoCounter *);
MONO_API void mono_counters_on_register (MonoCounterRegisterCallback callback);

/* Calls `cb` for each counter until it returns 0. */
typedef mono_bool (*CountersEnumCallback) (MonoCounter *counter, void *user_data);
MONO_API void mono_counters_foreach (CountersEnumCallback cb, void *user_data);

/* Copies the value into the buffer; returns its bytes, -1 when the buffer is too small. */
MONO_API int mono_counters_sample (MonoCounter *counter, void *buffer, int buffer_size);

/* Borrowed. */
MONO_API const char *mono_counter_get_name (MonoCounter *name);
/* The parts of the type word, masked but not shifted. */
MONO_API int mono_counter_get_type (MonoCounter *counter);
MONO_API int mono_counter_get_section (MonoCounter *counter);
MONO_API int mono_counter_get_unit (MonoCounter *counter);
MONO_API int mono_counter_get_variance (MonoCounter *counter);
/* Bytes that mono_counters_sample () writes. */
MONO_API size_t mono_counter_get_size (MonoCounter *counter);

/* Needed by nobody: on Mono a module comes after the runtime's own call, and elsewhere it does nothing. */
MONO_API void mono_counters_init (void);
/* The sections that may be printed from now on; none until then. On Mono they are printed on stdout at the end, too. */
MONO_API void mono_counters_enable (int section_mask);
/* Prints the counters of these sections, as far as they are enabled: a headline each, then "NAME : VALUE". */
MONO_API void mono_counters_dump (int section_mask, FILE *outfile);

MONO_END_DECLS

#endif
