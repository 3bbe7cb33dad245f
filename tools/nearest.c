/*
 * SPDX-License-Identifier: MIT
 *
 * nearest.c - see nearest.h.
 */
#include "nearest.h"

#include <string.h>

enum { WORD_MAX = 32 };

static size_t
min3 (size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* How many letters must be put in, taken out or replaced to make one of the other (Levenshtein). */
static size_t
distance (const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], length = strlen (b);

	for (size_t k = 0; k <= length; k++)
		row[k] = k;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t k = 1; k <= length; k++) {
			size_t above = row[k];
			row[k] = min3 (above + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
			diagonal = above;
		}
	}
	return row[length];
}

const char *
monocle__nearest (const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t length = strlen (word), least = length / 2 + 2;

	for (size_t i = 0; i < count && length <= WORD_MAX; i++) {
		size_t d = length > 0 && strncmp (names[i], word, length) == 0 ? 0 : distance (word, names[i]);
		if (d < least) {
			least = d;
			best = names[i];
		}
	}
	return best;
}
