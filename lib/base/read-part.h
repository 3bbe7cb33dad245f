/*
 * SPDX-License-Identifier: MIT
 *
 * read-part.h - a part of a file in memory.
 *
 * Files that are not ours are read, not mapped: one that is cut meanwhile would end the program with SIGBUS.
 */
#ifndef MONOCLE_BASE_READ_PART_H
#define MONOCLE_BASE_READ_PART_H

#include <stddef.h>
#include <stdint.h>

/* Larger parts are refused: nothing that we read is so large. */
#define MONOCLE__READ_PART_MOST ((uint64_t) 256 << 20)

/*
 * `size` bytes at `offset`, a NUL behind the last one; the caller frees. NULL: there are not so many, they cannot be
 * read, or out of memory. Normal context.
 */
void *monocle__read_part (int fd, uint64_t offset, uint64_t size);

#endif
