/*
 * SPDX-License-Identifier: MIT
 *
 * nearest.h - which word was probably meant by one that nobody knows.
 */
#ifndef MONOCLE_BASE_NEAREST_H
#define MONOCLE_BASE_NEAREST_H

#include <stddef.h>

/*
 * How many letters must be put in, taken out, replaced or swapped with their neighbour to make one of the other
 * (optimal string alignment). A word of more than MONOCLE__NEAREST_MOST letters is that far from everything.
 */
enum { MONOCLE__NEAREST_MOST = 40 };
size_t monocle__nearest_distance (const char *a, const char *b);

/*
 * The name that begins like `word`, else the one that differs in a third of its letters at most, rounded up. NULL:
 * none. Borrowed.
 */
const char *monocle__nearest (const char *word, const char *const *names, size_t count);

#endif
