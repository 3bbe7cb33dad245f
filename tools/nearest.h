/*
 * SPDX-License-Identifier: MIT
 *
 * nearest.h - which word was probably meant.
 */
#ifndef MONOCLE_TOOLS_NEAREST_H
#define MONOCLE_TOOLS_NEAREST_H

#include <stddef.h>

/* The name that begins like `word`, else the one that differs in little more than half of it; NULL: none. */
const char *monocle__nearest (const char *word, const char *const *names, size_t count);

#endif
