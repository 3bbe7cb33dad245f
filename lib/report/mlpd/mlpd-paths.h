/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-paths.h - paths of frames with two sums each: what an mlpd file says of any topic, added up while it is read.
 *
 * A path begins at a root, of which there is one for each topic on each thread, and goes from the outermost frame
 * inwards. A frame is an address of some kind, whose name may be told later in the file.
 */
#ifndef MONOCLE_REPORT_MLPD_PATHS_H
#define MONOCLE_REPORT_MLPD_PATHS_H

#include "profile.h"

typedef enum {
	MONOCLE__MLPD_ROOT,
	MONOCLE__MLPD_FRAME_METHOD,
	MONOCLE__MLPD_FRAME_VTABLE,
	MONOCLE__MLPD_FRAME_CLASS,
	MONOCLE__MLPD_FRAME_CODE,   /* what was executed, managed or not */
	MONOCLE__MLPD_FRAME_SYMBOL, /* index of mlpd-names' symbols */
	MONOCLE__MLPD_FRAME_ASKED,  /* type of an object: number of the question about it */
	MONOCLE__MLPD_FRAME_LOCK,   /* an object's address */
	MONOCLE__MLPD_FRAME_HANDLE, /* kind of handle */
	MONOCLE__MLPD_FRAME_CLAUSE, /* kind of clause */
	MONOCLE__MLPD_FRAME_GENERATION,
	MONOCLE__MLPD_FRAME_COLLECTION, /* the number and when it was, in microseconds since the start */
	MONOCLE__MLPD_FRAME_SHOT,       /* the same of heap shots */
	MONOCLE__MLPD_FRAME_UNKNOWN,    /* type of an object whose allocation is not in the file */
} monocle__mlpd_frame_kind;

enum { MONOCLE__MLPD_NUMBER_SHIFT = 40 }; /* of collections and heap shots: the lower bits are when it was */

typedef struct {
	uint64_t address;
	int64_t values[2];
	uint32_t parent; /* index; of a root the thread's */
	uint32_t kind;   /* of a root MONOCLE__MLPD_ROOT, and `address` is the topic */
} monocle__mlpd_path;

/* Begins as zeros. Index 0 is no path. */
typedef struct {
	monocle__profile *profile; /* whose allowance is taken */
	monocle__mlpd_path *items;
	size_t count, capacity;
	uint32_t *slots;
	size_t slot_count;
} monocle__mlpd_paths;

void monocle__mlpd_paths_done (monocle__mlpd_paths *paths);

/* The path that goes on with this frame. 0: out of memory. */
uint32_t monocle__mlpd_paths_child (monocle__mlpd_paths *paths, uint32_t parent, monocle__mlpd_frame_kind kind,
                                    uint64_t address);

static inline void
monocle__mlpd_path_add (monocle__mlpd_paths *paths, uint32_t path, int64_t first, int64_t second)
{
	int64_t *values = paths->items[path].values;
	values[0] = monocle__add (values[0], first);
	values[1] = monocle__add (values[1], second);
}

#endif
