/*
 * SPDX-License-Identifier: MIT
 *
 * native.h - the native objects of this process and how their code is unwound.
 */
#ifndef MONOCLE_CLR_NATIVE_H
#define MONOCLE_CLR_NATIVE_H

#include "eh-frame.h"

/*
 * Looks at every object that is loaded, or at those that have come since, and reads all rows of those where that is
 * worth it by now. Normal context; callers wait for each other. False: no memory, or no object was found; what was
 * known stays.
 */
bool monocle__native_read (void);
/* Is there an object that it has become worth it for? Any context. */
bool monocle__native_is_behind (void);

/* What a signal handler holds while it asks. Never kept over the end of the handler; any context. */
typedef struct monocle__native_map monocle__native_map;
typedef struct {
	const monocle__native_map *map; /* NULL: nothing was read yet */
	unsigned slot;
} monocle__native_hold;
monocle__native_hold monocle__native_enter (void);
void monocle__native_leave (monocle__native_hold hold);

/*
 * Is this code of a native object, and how is its frame unwound? *ret_starts: a function begins exactly there. Any
 * context.
 */
bool monocle__native_find (monocle__native_hold hold, uintptr_t ip, monocle__unwind_rule *ret, bool *ret_starts);

/* Where the function begins that this code is of. 0: not known. Any context. */
uintptr_t monocle__native_function (monocle__native_hold hold, uintptr_t ip);

typedef struct {
	uint64_t objects, rows, bytes; /* now */
	uint64_t functions, skipped;   /* entries that were read, and that could not be, of what is there now */
	uint64_t lookups;              /* of single entries, of what is there now */
	uint64_t nanoseconds;          /* that the last reading took */
	uint64_t readings;
} monocle__native_counts;
void monocle__native_count (monocle__native_counts *ret);

#endif
