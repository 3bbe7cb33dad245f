/*
 * SPDX-License-Identifier: MIT
 *
 * array.h - growing an array without losing what it holds when memory runs out.
 */
#ifndef MONOCLE_REPORT_ARRAY_H
#define MONOCLE_REPORT_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room for `needed` items of `size` bytes in *items; *capacity counts items. false: out of memory, and *items and
 * *capacity are as they were. Growth doubles, so that appending is linear.
 */
static inline bool
monocle__array_reserve (void **items, size_t *capacity, size_t needed, size_t size)
{
	size_t bytes, wanted = *capacity ? *capacity : 16;
	void *moved;
	if (needed <= *capacity)
		return true;
	while (wanted < needed) {
		if (__builtin_mul_overflow (wanted, 2, &wanted))
			return false;
	}
	if (__builtin_mul_overflow (wanted, size, &bytes))
		return false;
	moved = realloc (*items, bytes);
	if (!moved)
		return false;
	*items = moved;
	*capacity = wanted;
	return true;
}

/* The same for `items` and `capacity` of a struct: RESERVE (p->samples, p->sample_capacity, n). */
#define MONOCLE__RESERVE(items, capacity, needed) \
	monocle__array_reserve ((void **) &(items), &(capacity), (needed), sizeof *(items))

#endif
