/*
 * SPDX-License-Identifier: MIT
 *
 * nearest.c - see nearest.h.
 */
#include "nearest.h"

#include <stdbool.h>
#include <string.h>

static size_t
least (size_t a, size_t b, size_t c)
{
	size_t first = a < b ? a : b;
	return first < c ? first : c;
}

size_t
monocle__nearest_distance (const char *a, const char *b)
{
	size_t row[MONOCLE__NEAREST_MOST + 1], rows = strlen (a), columns = strlen (b);
	if (rows > MONOCLE__NEAREST_MOST || columns > MONOCLE__NEAREST_MOST)
		return MONOCLE__NEAREST_MOST;
	for (size_t k = 0; k <= columns; k++)
		row[k] = k;
	for (size_t i = 1; i <= rows; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t k = 1; k <= columns; k++) {
			size_t above = row[k];
			row[k] = least (above + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
			diagonal = above;
		}
	}
	return row[columns];
}

const char *
monocle__nearest (const char *word, const char *const *names, size_t count)
{
	size_t length = strlen (word), nearest = (length + 1) / 2 + 1;
	const char *best = NULL;
	for (size_t i = 0; i < count && length <= MONOCLE__NEAREST_MOST; i++) {
		bool is_begun = length > 0 && strncmp (names[i], word, length) == 0;
		size_t distance = is_begun ? 0 : monocle__nearest_distance (word, names[i]);
		if (distance < nearest) {
			nearest = distance;
			best = names[i];
		}
	}
	return best;
}
