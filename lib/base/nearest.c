/*
 * SPDX-License-Identifier: MIT
 *
 * nearest.c - see nearest.h.
 */
#include "nearest.h"

#include <stdbool.h>
#include <string.h>

/* [i][k]: steps from the first i letters of the one to the first k of the other. */
typedef unsigned char table[MONOCLE__NEAREST_MOST + 1][MONOCLE__NEAREST_MOST + 1];

static unsigned
least (unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned
steps (table t, const char *a, const char *b, size_t i, size_t k)
{
	if (!i || !k)
		return (unsigned) (i + k);
	unsigned replaced = t[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
	unsigned fewest = least (replaced, 1U + least (t[i - 1][k], t[i][k - 1]));
	bool is_swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
	return is_swapped ? least (fewest, 1U + t[i - 2][k - 2]) : fewest;
}

size_t
monocle__nearest_distance (const char *a, const char *b)
{
	table t;
	size_t rows = strlen (a), columns = strlen (b);
	if (rows > MONOCLE__NEAREST_MOST || columns > MONOCLE__NEAREST_MOST)
		return MONOCLE__NEAREST_MOST;
	for (size_t i = 0; i <= rows; i++)
		for (size_t k = 0; k <= columns; k++)
			t[i][k] = (unsigned char) steps (t, a, b, i, k);
	return t[rows][columns];
}

const char *
monocle__nearest (const char *word, const char *const *names, size_t count)
{
	size_t length = strlen (word), nearest = (length + 2) / 3 + 1;
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
