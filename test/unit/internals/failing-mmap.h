/*
 * SPDX-License-Identifier: MIT
 *
 * failing-mmap.h - the mmap () of what is linked statically (the linker's --wrap) fails, or gives odd addresses.
 */
#ifndef MONOCLE_TEST_FAILING_MMAP_H
#define MONOCLE_TEST_FAILING_MMAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* How many calls still succeed before the one that fails; negative: none fails, and none does after that one. */
extern _Atomic (long) failing_mmap_allowed;

extern _Atomic (long) failing_mmap_count;

/* Addresses are one page behind a multiple of this number of bytes, if it is not 0. */
extern size_t failing_mmap_beside;

#endif
