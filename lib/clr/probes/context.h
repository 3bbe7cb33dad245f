/*
 * SPDX-License-Identifier: MIT
 *
 * context.h - calls as call contexts show them: what the probes are passed, and the probes themselves.
 */
#ifndef MONOCLE_CLR_CONTEXT_H
#define MONOCLE_CLR_CONTEXT_H

#include <stdint.h>
#include <monocle/host.h>
#include "probe.h"

/*
 * What a probe is passed behind its registers, in its caller's frame: words, an address for each value, and for each
 * whose size only the runtime knows that size after it. An address of 0: the value is all zero.
 */
typedef struct {
	uint16_t word; /* MONOCLE__CONTEXT_ABSENT: there is no such value */
	uint16_t size; /* in bytes; 0: the next word says it */
} monocle__context_slot;

enum { MONOCLE__CONTEXT_ABSENT = UINT16_MAX };

/* Bits of a shape. */
enum {
	MONOCLE__CONTEXT_GENERIC = 1, /* the record is a monocle__clr_generic */
	MONOCLE__CONTEXT_RAISES = 2,  /* method_exception_leave is wanted */
	MONOCLE__CONTEXT_INVOKES = 4, /* method_begin_invoke and _end_invoke belong to it */
};

/* What one probe of one method shows. Lives as long as the image's code. */
typedef struct {
	void *record; /* MonoMethod, monocle__clr_generic, or monocle__clr_segments */
	uint32_t flags, argument_count, local_count;
	monocle__context_slot own, result, awaited_result;
	monocle__context_slot values[]; /* arguments, then locals */
} monocle__context_shape;

/* How many words come before those: the registers of the first arguments but one, which has the shape. */
enum { MONOCLE__CONTEXT_REGISTERS = MONOCLE__KEYS_MAX };

/* Good while the probe runs that makes it. */
struct _MonoProfilerCallContext {
	const monocle__context_shape *shape;
	const uintptr_t *words;
};

monocle__probe monocle__context_enter (void);
monocle__probe monocle__context_leave (void);
/* A context that shows nothing. */
MonoProfilerCallContext *monocle__context_empty (void);
/* A value of a context; the host's operation of this name. Any context. */
int monocle__context_value (void *host, const MonoProfilerCallContext *context, monocle_call_value value,
                            uint32_t position, const void **ret_data, uint32_t *ret_size);

#endif
