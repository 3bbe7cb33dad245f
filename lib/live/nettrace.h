/*
 * SPDX-License-Identifier: MIT
 *
 * nettrace.h - the stream of events that a runtime sends (the format NetTrace, version 4), read as it comes.
 *
 * The stream is "Nettrace", "!FastSerialization.1" and a row of objects, each with a name and, but for the first, a
 * size; inside are blocks of events with compressed headers, of what the events are (metadata), of stacks, and of
 * points at which all threads are even. Nothing of it is trusted. Memory is bounded: by the largest block, a number of
 * kinds of events, and the stacks since the last such point.
 */
#ifndef MONOCLE_LIVE_NETTRACE_H
#define MONOCLE_LIVE_NETTRACE_H

#include "bytes.h"

#include <stddef.h>

enum {
	MONOCLE__LIVE_NETTRACE_BLOCK_MOST = 4 << 20,
	MONOCLE__LIVE_NETTRACE_KINDS_MOST = 1 << 14,
};

/* What events of one number are. */
typedef struct {
	uint32_t number; /* by which events refer to it */
	uint32_t id, version;
	char provider[64], name[64];
	uint8_t *fields; /* what the stream says of its fields */
	size_t fields_size;
	int tag; /* the reader's own: 0 at first */
} monocle__live_event_kind;

typedef struct {
	monocle__live_event_kind *kind;
	uint64_t thread;       /* the kernel's number, in the process's own namespace */
	uint64_t time;         /* nanoseconds of the process's clock */
	monocle__span data;    /* borrowed */
	const uint64_t *stack; /* addresses, leaf first; borrowed */
	size_t depth;
} monocle__live_event;

typedef void (*monocle__live_event_handler) (const monocle__live_event *event, void *context);

typedef struct monocle__live_nettrace monocle__live_nettrace;

/* NULL: out of memory. */
monocle__live_nettrace *monocle__live_nettrace_new (monocle__live_event_handler handler, void *context);
void monocle__live_nettrace_free (monocle__live_nettrace *trace);

/*
 * The next bytes, in pieces of any size. The handler is called for each event that is whole. 0, or -1 and a static
 * sentence: what comes is no such stream, or memory is exhausted. Then nothing more is read.
 */
int monocle__live_nettrace_feed (monocle__live_nettrace *trace, const void *bytes, size_t size, const char **ret_error);
/* Has the stream come to its own end, not just to a stop? */
bool monocle__live_nettrace_is_over (const monocle__live_nettrace *trace);
/* Events that the runtime counted and did not send, because we, or its buffers, could not keep up. */
uint64_t monocle__live_nettrace_lost (const monocle__live_nettrace *trace);

/* UTF-16 up to its NUL, taken off the front of `rest` as UTF-8 that is fit to be printed; false: there is no NUL. */
bool monocle__live_nettrace_take_text (monocle__span *rest, char *buffer, size_t size);

#endif
