/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-decode.h - the events of a file of Mono's log profiler, one after another.
 *
 * Knows the bytes and the formats; what the events mean is for others. Nothing in the bytes can make it read outside of
 * them, and what it keeps of an event is at most sixteen times as large as the event.
 */
#ifndef MONOCLE_REPORT_MLPD_DECODE_H
#define MONOCLE_REPORT_MLPD_DECODE_H

#include "wire.h"

/* mlpd-events.def says what the numbers of each are. */
typedef enum {
	MONOCLE__MLPD_UNKNOWN,
	MONOCLE__MLPD_OTHER, /* nothing that is told */
	MONOCLE__MLPD_ALLOC,
	MONOCLE__MLPD_ALLOC_CLASS,
	MONOCLE__MLPD_GC,
	MONOCLE__MLPD_RESIZE,
	MONOCLE__MLPD_MOVE,
	MONOCLE__MLPD_HANDLE_CREATED,
	MONOCLE__MLPD_HANDLE_DESTROYED,
	MONOCLE__MLPD_CLASS,
	MONOCLE__MLPD_ASSEMBLY,
	MONOCLE__MLPD_THREAD_NAME,
	MONOCLE__MLPD_VTABLE,
	MONOCLE__MLPD_LEAVE,
	MONOCLE__MLPD_ENTER,
	MONOCLE__MLPD_METHOD,
	MONOCLE__MLPD_THROW,
	MONOCLE__MLPD_CLAUSE,
	MONOCLE__MLPD_MONITOR,
	MONOCLE__MLPD_HEAP_BEGIN,
	MONOCLE__MLPD_HEAP_END,
	MONOCLE__MLPD_HEAP_CLASS,
	MONOCLE__MLPD_HEAP_OBJECT,
	MONOCLE__MLPD_HIT,
	MONOCLE__MLPD_SYMBOL,
	MONOCLE__MLPD_BINARY,
	MONOCLE__MLPD_STEP,
} monocle__mlpd_kind;

enum { MONOCLE__MLPD_NUMBERS = 8 };

typedef struct {
	uint64_t *items;
	size_t count, capacity;
} monocle__mlpd_list;

typedef struct {
	monocle__mlpd_kind kind;
	uint64_t time;                           /* nanoseconds, by the clock of the header */
	uint64_t thread;                         /* whose buffer it is in */
	uint64_t numbers[MONOCLE__MLPD_NUMBERS]; /* outside of [], in their order */
	const char *text;                        /* the last one, which ends in the file's bytes; "" when it has none */
	monocle__mlpd_list items;                /* numbers inside of [] */
	monocle__mlpd_list frames;               /* methods */
	bool has_frames;                         /* also when there are none of them */
} monocle__mlpd_event;

typedef struct {
	unsigned major, minor, format;
	uint64_t start_ms; /* since 1970 */
	uint64_t start_ns; /* by the clock of events; 0: not known */
	uint32_t process;
	char arguments[512], cpu[32], system[32];
} monocle__mlpd_header;

typedef struct {
	const uint8_t *begin;
	monocle__wire_span file, buffer; /* what is left of each */
	uint8_t events[256];             /* by first byte: the row, counted from 1; 0: there is no such event */
	uint8_t metadata[16][8];         /* by the first byte's upper half, and by what it is about */
	uint64_t time, pointers, objects, method, thread;
	bool is_cut; /* the file ends in this buffer */
	monocle__mlpd_header header;
	monocle__mlpd_event event;
	char problem[160]; /* "" or why it ended where it did */
	bool is_damaged;   /* the problem is more than that the file is cut off */
	bool no_memory;
} monocle__mlpd_decoder;

/* Reads the header. false: `problem` says what is wrong. Either way it is to be given to _done (). */
bool monocle__mlpd_decode_init (monocle__mlpd_decoder *decoder, const void *bytes, size_t size);
void monocle__mlpd_decode_done (monocle__mlpd_decoder *decoder);

/* The next event, valid until the next call. NULL: that was the end, which `problem` explains. */
const monocle__mlpd_event *monocle__mlpd_decode_next (monocle__mlpd_decoder *decoder);

#endif
