/*
 * SPDX-License-Identifier: MIT
 *
 * value.h - one value of a call: its bytes are copied when the call begins, and printed when it was slow.
 */
#ifndef MONOCLE_MODULES_CALLS_VALUE_H
#define MONOCLE_MODULES_CALLS_VALUE_H

#include <stddef.h>

#include "shape.h"
#include "text.h"

/* Of strings so many characters are copied, at most. Set before the first call. */
enum { STRING_MOST = 512, VALUE_SIZE_MOST = 16 + 2 * STRING_MOST };
extern uint32_t value_string_most;

/* Room for any value that is copied. */
static inline size_t
value_room (void)
{
	return 16 + 2 * (size_t) value_string_most;
}

/*
 * Copies a value whose bytes are at `from` (NULL: not known) to `to`, which has room for value_room (). Returns how
 * many bytes it took. Looks at the object that a reference is: where that cannot move.
 */
size_t value_copy (const value_shape *shape, const void *from, uint8_t *to);
/* Prints what was copied; `*at` moves behind it. A value that has no bytes moves nothing. */
void value_print (const value_shape *shape, const uint8_t **at, const uint8_t *end, text *out);
/* Classes of objects that were copied before are not asked for their names any more. */
void value_image_unloading (void);

#endif
