/*
 * SPDX-License-Identifier: MIT
 *
 * arena.h - the memory that records live in, and strings that are the same for ever.
 */
#ifndef MONOCLE_CORE_ARENA_H
#define MONOCLE_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed, 16-byte aligned, never freed. NULL when the kernel has no memory. Any context. */
void *monocle__arena_alloc (size_t size);
/* A copy, the same for equal texts; NULL for NULL and without memory. Any context. */
const char *monocle__arena_string (const char *text);
/* For tests: so many allocations succeed from now on, later ones fail; negative: no limit. */
void monocle__arena_set_budget (int64_t allocations);

#endif
