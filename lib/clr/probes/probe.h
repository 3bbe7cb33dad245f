/*
 * SPDX-License-Identifier: MIT
 *
 * probe.h - the native functions that the code written into IL calls, by what the filters asked for.
 */
#ifndef MONOCLE_CLR_PROBE_H
#define MONOCLE_CLR_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <monocle/host.h>
#include "invoke.h"

enum { MONOCLE__KEYS_MAX = 5 };

/* A generic definition as its probes name it, with the instances seen so far. Lives as long as its image's code. */
typedef struct monocle__clr_generic {
	MonoMethod *definition;
	uint32_t key_count;
	bool class_key;
	struct monocle__clr_instance *_Atomic buckets[16];
} monocle__clr_generic;

/* Frees it with its instances. No probe of it may run any more. */
void monocle__probe_generic_free (void *generic);
/* The instance that the type handles name. In a probe. */
MonoMethod *monocle__probe_generic_instance (monocle__clr_generic *generic, const uintptr_t *keys);

typedef void (*monocle__probe) (void);

monocle__probe monocle__probe_enter (MonoProfilerCallInstrumentationFlags flags, bool generic);
monocle__probe monocle__probe_leave (MonoProfilerCallInstrumentationFlags flags, bool generic);
monocle__probe monocle__probe_tail (MonoProfilerCallInstrumentationFlags flags, bool generic);
monocle__probe monocle__probe_fault (void);
/* Of invoked methods: they do all that the others do, by flags that they are passed last. */
monocle__probe monocle__probe_begin_invoke (monocle__invoke kind, bool generic);
monocle__probe monocle__probe_end_invoke (bool generic);

#endif
